"""Parts of sentences: ranges of numbers, counted things, lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce

from analysis.figures.words import Words, words


def span(values: Sequence[float], form: str = ".0%") -> str:
    """Smallest to largest value, or the one value if both read the same."""
    low, high = format(min(values), form), format(max(values), form)
    # A dash right before a sign would be read as one with it.
    dash = " \u2013 " if high.startswith(("-", "+")) else "\u2013"
    return (low if low == high else f"{low}{dash}{high}").replace("-", "\u2212")


def listed(names: Sequence[str], w: Words | str) -> str:
    """Join names as a sentence does, in the language of the words (or named)."""
    if len(names) < 2:
        return "".join(names)
    known = _known(w)
    listing = reduce(
        lambda so_far, name: known.say("list_next", list=so_far, name=name), names[:-1]
    )
    return known.say("list_last", list=listing, name=names[-1])


def counted(count: int, thing: str, w: Words | str) -> str:
    """Say how many there are of a thing (a message ``count_THING``): one text, 1,200 texts."""
    return _known(w).say(f"count_{thing}", n=count, count=f"{count:,}")


def counted_span(counts: Sequence[int], thing: str, w: Words | str) -> str:
    """As :func:`counted`, from the smallest to the largest number."""
    return _known(w).say(f"count_{thing}", n=agreed(counts), count=span(counts, ",d"))


def agreed(counts: Sequence[int]) -> int:
    """Give the number that a message agrees with, for a count or the range of several."""
    return 1 if min(counts) == max(counts) == 1 else 2


def agreeing(counts: Sequence[int], singular: str, plural: str) -> str:
    """Choose the verb of a count, or of the range of several."""
    return singular if agreed(counts) == 1 else plural


@cache
def _shared(language: str) -> Words:
    return words(language)


def _known(w: Words | str) -> Words:
    return _shared(w) if isinstance(w, str) else w


def extent(holds: Sequence[bool]) -> str:
    """Give the outcome ``all``, ``some`` or ``none``: of how many cases something holds."""
    return "all" if all(holds) else "some" if any(holds) else "none"
