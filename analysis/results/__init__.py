"""What of a run and of reference runs is read: means, verdicts, notes; nothing is drawn."""
