"""What several pages say: messages, phrases, and claims with their verdicts."""
