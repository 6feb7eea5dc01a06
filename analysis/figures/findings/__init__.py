"""Findings as sentences: which one is printed is decided by a rule, never by hand."""
