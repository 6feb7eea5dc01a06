"""What is checked in the sources alone, without a run: what is written, names of quantities."""
