"""What pages say: messages, phrases, findings, and claims with their verdicts."""
