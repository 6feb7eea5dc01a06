"""Parts of sentences: ranges of numbers, lists of names."""

from __future__ import annotations

from collections.abc import Sequence


def span(values: Sequence[float], form: str = ".0%") -> str:
    """Smallest to largest value, or the one value if both read the same."""
    low, high = format(min(values), form), format(max(values), form)
    # A dash right before a sign would be read as one with it.
    dash = " \u2013 " if high.startswith(("-", "+")) else "\u2013"
    return (low if low == high else f"{low}{dash}{high}").replace("-", "\u2212")


def listed(names: Sequence[str], language: str) -> str:
    """Join names as a sentence does."""
    if language == "ja":
        return "、".join(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
