"""Parts of sentences: ranges of numbers, counted things, lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from IPython.display import HTML

from attention_mixing.messages import Words

_SUPERSCRIPTS = str.maketrans(
    "\u22120123456789",
    "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079",
)


# Of a cell that this run has nothing for. Quarto wants an output of every cell that a page names,
# also under a condition that is not met.
NOTHING = HTML("")


def written(value: float, form: str) -> str:
    """Write one number, with a sign that is no hyphen.

    A form such as ``.1e``, or ``.2g`` of a small number, gives a power of ten; zero has none, and
    neither have numbers from 1 to 10. A share below one per cent keeps a digit, lest it read as
    none or as another share. The form ``points`` is of a change of a share, without its sign.
    """
    if form == "points":
        return f"{abs(100 * value):.0f}"
    if form == ".0%" and 0.0005 <= abs(value) < 0.01:
        form = ".1%"
    if form == ".1%" and 0.00005 <= abs(value) < 0.0005:
        form = ".2%"
    text = format(value, form).replace("-", "\u2212")
    digits, has_exponent, exponent = text.partition("e")
    if not has_exponent:
        return text
    if value == 0:
        return "0"
    power = exponent[0].strip("+") + exponent[1:].lstrip("0")
    return f"{digits}\u00d710{power.translate(_SUPERSCRIPTS)}" if power else digits


def spread(low: float, high: float, form: str, w: Words) -> str:
    """Smallest to largest value, as the language writes ranges; one value if both read the same."""
    ends = [written(value, form) for value in (low, high)]
    if ends[0] == ends[1]:
        return ends[0]
    message = "range_signed" if form.startswith("+") or low < 0 else "range"
    return w.say(message, low=ends[0].removesuffix("%"), high=ends[1])


def listed(names: Sequence[str], w: Words) -> str:
    """Join names as a sentence does, in the language of the words."""
    if len(names) < 2:
        return "".join(names)
    listing = reduce(lambda so_far, name: w.say("list_next", list=so_far, name=name), names[:-1])
    return w.say("list_last", list=listing, name=names[-1])


def counted(count: int, thing: str, w: Words) -> str:
    """Say how many there are of a thing (a message ``count_THING``): one text, 1,200 texts."""
    return w.say(f"count_{thing}", n=count, count=f"{count:,}")


def counted_span(counts: Sequence[int], thing: str, w: Words) -> str:
    """Say from how many to how many there are of a thing (a message ``count_THING``)."""
    low, high = min(counts), max(counts)
    # A range agrees with more than its last number.
    return w.say(f"count_{thing}", n=1 if low == high == 1 else 2, count=spread(low, high, ",d", w))


def extent(holds: Sequence[bool]) -> str:
    """Give the outcome ``all``, ``some`` or ``none``: of how many cases something holds."""
    return "all" if all(holds) else "some" if any(holds) else "none"


def nth_layer(layer: int, w: Words) -> str:
    """Name a layer, counted from 1."""
    return w["nth_layer"].format(layer=layer)


def beside(one: str, other: str, w: Words) -> str:
    """Say two things of one panel."""
    return w["beside"].format(one=one, other=other)
