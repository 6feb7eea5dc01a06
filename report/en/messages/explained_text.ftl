evidence = evidence
scaled = score, lowest to highest of its row
