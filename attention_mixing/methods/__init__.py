"""The mathematics: pure functions, arrays in, arrays out.

No file, no model's name, no parameter file; every function can be read beside its paper.
"""
