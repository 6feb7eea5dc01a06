"""What is checked in the sources alone: what is written, names of quantities, what stages read."""
