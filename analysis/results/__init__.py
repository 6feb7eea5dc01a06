"""What a run and the reference runs have left: means, verdicts, notes; nothing is drawn."""
