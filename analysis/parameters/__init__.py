"""The parameters of a run: what a profile makes of them."""
