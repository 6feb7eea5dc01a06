"""The parameters before a run: what a profile makes of them, and whether they can be used."""
