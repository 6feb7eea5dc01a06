r"""What the paper and the front page say of numbers, read off their source.

Text between numbers is written by hand, and what it claims of them stands in it::

    ::: {.finding rests-on="B37 holds; agreement refuted"}
    ALTI rises from []{n="alti-before"} to []{n="alti-after"},
    [in every model]{when="every: alti-after > alti-before"}.
    :::

``[]{n="NAME"}`` is a number of ``report/paper.yaml``, and ``[]{.interval n="NAME"}`` has its
interval beside it. The text of ``[...]{when="..."}`` is true if its conditions hold, several of
them parted by semicolons: ``A > B``, ``A < B``, or ``A = B``, which is that both are printed alike;
A and B are names of numbers, or numbers. With ``every:``, ``most:``, ``some:`` or ``none:`` before
it, a comparison is one of each experiment that both are read of. A number with an interval is
larger than another if the interval is. ``[...]{.term}`` is a word of a definition, such as the
strongest key, and compares nothing. ``rests-on`` has the outcomes that a whole block takes for
granted: of a claim, or of the question about sinks in a corpus.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analysis.argument.numbers import Read, Value
from analysis.prose.phrases import written
from attention_mixing.errors import InputError

PAGES = ("index", "paper")  # which say what is claimed of numbers
_ATTRIBUTE = re.compile(r'\{[^{}\n]*?\b(n|when|rests-on)="([^"]*)"[^{}\n]*\}')
_CONDITION = re.compile(r"(?:(every|most|some|none): )?(\S+) ([<>=]) (\S+)")
_OUTCOME = re.compile(r"(\S+) (\S+)")


@dataclass(frozen=True)
class Said:
    """What pages say.

    Attributes
    ----------
    numbers
        The names of the numbers that it shows.
    conditions
        What its words rest on.
    outcomes
        What its blocks rest on, as ``NAME OUTCOME``.
    """

    numbers: tuple[str, ...]
    conditions: tuple[str, ...]
    outcomes: tuple[str, ...]

    @property
    def used(self) -> set[str]:
        """Names of the numbers that it shows or compares."""
        return {*self.numbers, *(name for one in self.conditions for name in names_in(one))}


def said(*sources: str) -> Said:
    """Read off the sources of pages what they say of numbers."""
    found: dict[str, list[str]] = {"n": [], "when": [], "rests-on": []}
    for attribute in _ATTRIBUTE.finditer("\n".join(sources)):
        found[attribute[1]] += split(attribute[2])
    return Said(*(tuple(dict.fromkeys(names)) for names in found.values()))


def split(attribute: str) -> list[str]:
    """Part the conditions or outcomes of an attribute."""
    return [part.strip() for part in attribute.split(";") if part.strip()]


def holds(condition: str, numbers: Mapping[str, Read]) -> bool:
    """Tell whether a condition holds of numbers.

    Raises
    ------
    InputError
        If it cannot be read, or names a number that is not there.
    """
    parsed = _CONDITION.fullmatch(condition)
    if not parsed:
        raise InputError(
            f"the condition {condition!r} cannot be read; write A > B, A < B or A = B of numbers, "
            "with every:, most:, some: or none: before it."
        )
    quantifier, first, sign, second = parsed.groups()
    one, other = (_operand(name, numbers, condition) for name in (first, second))
    if not quantifier:
        return _compare(one.whole, sign, other.whole, one.form)
    common = [case for case in one.each if case in other.each or not other.each]
    if not common:
        raise InputError(f"the condition {condition!r} compares numbers of no common experiment.")
    true = sum(
        _compare(one.each[case], sign, other.each.get(case, other.whole), one.form)
        for case in common
    )
    return {
        "every": true == len(common),
        "most": true > len(common) / 2,
        "some": 0 < true < len(common),
        "none": true == 0,
    }[quantifier]


def names_in(condition: str) -> Iterator[str]:
    """Name the numbers that a condition compares."""
    if parsed := _CONDITION.fullmatch(condition):
        yield from (name for name in (parsed[2], parsed[4]) if not _is_literal(name))


def stands(outcome: str, outcomes: Mapping[str, str]) -> bool:
    """Tell whether an outcome, ``NAME OUTCOME``, is the one that came out.

    Raises
    ------
    InputError
        If it cannot be read, or nothing of this name was judged.
    """
    parsed = _OUTCOME.fullmatch(outcome)
    if not parsed or parsed[1] not in outcomes:
        raise InputError(
            f"rests-on names {outcome!r}; allowed: a claim or a corpus, and its outcome, such as "
            "`B37 holds`."
        )
    return outcomes[parsed[1]] == parsed[2]


def _operand(name: str, numbers: Mapping[str, Read], condition: str) -> Read:
    if _is_literal(name):
        return Read("", "", Value(float(name)))
    if name not in numbers:
        raise InputError(f"the condition {condition!r} names {name}, which is no number.")
    return numbers[name]


def _is_literal(name: str) -> bool:
    return re.fullmatch(r"-?\d*\.?\d+", name) is not None


def _compare(one: Value, sign: str, other: Value, form: str) -> bool:
    if sign == "=":
        return written(one.value, form) == written(other.value, form)
    low, high = (one, other) if sign == "<" else (other, one)
    # The interval, where there is one, and the number itself elsewhere.
    ends = (
        low.value if math.isnan(low.high) else low.high,
        high.value if math.isnan(high.low) else high.low,
    )
    return ends[0] < ends[1]
