"""Side-by-side measurements: ratios within one run, never absolute times as tests."""
