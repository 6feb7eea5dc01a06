"""What is read of runs: the parameters of this one, and the reference runs beside it."""
