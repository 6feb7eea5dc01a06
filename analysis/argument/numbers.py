"""The numbers of the paper, as ``report/paper.yaml`` names them, read from runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

import pandas as pd
from pydantic import Field, model_validator

from analysis.argument.evidence import Evidence, rows_here
from analysis.parameters.file import read_mapping
from analysis.paths import QUICK
from attention_mixing.errors import InputError, require
from attention_mixing.settings.values import Section, Text

LISTED_IN = "report/paper.yaml"
"""File that lists the experiments of a set."""

TAKEN: dict[str, Callable[[list[float]], float]] = {
    "median": statistics.median,
    "lowest": min,
    "highest": max,
}


class Value(NamedTuple):
    """A number with its interval, whose ends are not numbers where it has none."""

    value: float
    low: float = math.nan
    high: float = math.nan


Pair = Annotated[list[Text], Field(min_length=2, max_length=2)]


class SummaryRow(Section):
    """A row of a summary; the layer counts from 1, and -1 is the mean over all."""

    measure: Text
    quantity: Text
    subject: str = ""
    facet: str = ""
    minus: str = ""
    variant: Literal["pretrained", "finetuned", "both"]
    layer: Literal["last"] | int = "last"


class ArmEffect(Section):
    """A number of an arm of the experiment on sinks (:data:`analysis.rules.sinks.READINGS`)."""

    run: Text
    corpus: Text
    reading: Text
    part: Literal[
        "rise", "removed", "removed_odds", "beyond", "accuracy", "following_removed", "seeds"
    ]


class ArmLevel(Section):
    """What a quantity is in an arm, or before fine-tuning: ``reading`` is then ``pretrained``."""

    run: Text
    corpus: Text
    reading: Text
    quantity: Literal["sinks", "dependence", "right"]


class Dose(Section):
    """The rise of pretrained weights whose scores of special tokens are raised by a bias."""

    run: Text
    corpus: Text
    bias: float


class MovedKeys(Section):
    """How far free fine-tuning moves the share of keys that an arm holds."""

    run: Text
    corpus: Text
    keys: Literal["special", "move", "mass"]


class CircuitScore(Section):
    """A number of a measure on the circuits (:func:`.circuits.estimands.by_estimand`)."""

    through: Literal["layer", "model"]
    estimand: Literal["effect", "provenance", "keys"]
    measure: Text
    column: Literal["found", "nearly", "of", "amount", "order"]


class ClaimCount(Section):
    """How many claims with something at stake have one of these outcomes; all without any."""

    outcomes: tuple[Text, ...] = Field(default=(), strict=False)


class PaperNumber(Section):
    """A number of the paper: what it is, and how it is printed.

    Attributes
    ----------
    form
        Of :func:`analysis.prose.phrases.written`.
    of
        The experiments that a curve or fact is read of: a set, or one RUN/EXPERIMENT.
    take
        What becomes of several.
    curve, fact, arm, level, dose, moved, circuits, claims, difference, correlation, experiments
        One of these says where it is read; ``fact`` is a path in the facts of an experiment,
        ``difference`` two numbers of the paper, experiment by experiment, ``correlation`` that of
        Pearson of two numbers over their experiments, ``experiments`` a set that is counted.
    """

    form: Text
    of: str = ""
    take: Literal["median", "lowest", "highest"] = "median"
    curve: SummaryRow | None = None
    fact: Text | None = None
    arm: ArmEffect | None = None
    level: ArmLevel | None = None
    dose: Dose | None = None
    moved: MovedKeys | None = None
    circuits: CircuitScore | None = None
    claims: ClaimCount | None = None
    difference: Pair | None = None
    correlation: Pair | None = None
    experiments: Text | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        of_sinks = (self.arm, self.level, self.dose, self.moved)
        named = (self.curve, self.fact, *of_sinks, self.circuits, self.claims)
        derived = (self.difference, self.correlation, self.experiments)
        kinds = [kind for kind in (*named, *derived) if kind is not None]
        if len(kinds) != 1:
            raise ValueError(f"is read in {len(kinds)} ways; give it one")
        if (self.curve is None and self.fact is None) != (not self.of):
            raise ValueError("needs `of` where it is a curve or a fact, and nowhere else")
        return self


class PaperNumbers(Section):
    """The whole of ``report/paper.yaml``; what is ``drawn`` need not stand in the text."""

    sets: dict[str, list[Text]]
    drawn: frozenset[str] = Field(default=frozenset(), strict=False)
    numbers: dict[str, PaperNumber]


@dataclass(frozen=True)
class Read:
    """A number of the paper as it was read.

    Attributes
    ----------
    form, take
        As :class:`PaperNumber` has them.
    whole
        What is printed; with the interval of the one experiment that it is of, if it is of one.
    each
        By RUN/EXPERIMENT, where it is of experiments.
    files
        Where it was read.
    """

    form: str
    take: str
    whole: Value
    each: Mapping[str, Value] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def runs_of(content: PaperNumbers) -> set[str]:
    """Name the kept runs that numbers of the paper are read of."""
    cases = {case for number in content.numbers.values() for case in (number.of,) if "/" in case}
    cases |= {case for of_set in content.sets.values() for case in of_set}
    of_sinks = {
        effect.run
        for number in content.numbers.values()
        for effect in (number.arm, number.level, number.dose, number.moved)
        if effect is not None
    }
    return {QUICK, *of_sinks, *(case.partition("/")[0] for case in cases)}


def asked(path: Path) -> PaperNumbers:
    """Read which numbers the paper has.

    Raises
    ------
    InputError
        If an entry is no number, or names a set or number that is not there.
    """
    content = PaperNumbers.model_validate(read_mapping(path))
    for name, number in content.numbers.items():
        if number.experiments is not None:
            require(number.experiments, f"sets ({path}, {name})", content.sets)
        if number.of and "/" not in number.of:
            require(number.of, f"sets ({path}, {name})", content.sets)
        for other in number.difference or number.correlation or ():
            require(other, f"numbers ({path}, {name})", content.numbers)
    return content


def read(content: PaperNumbers, evidence: Evidence) -> dict[str, Read]:
    """Read all numbers of the paper, by name."""
    found: dict[str, Read] = {}
    for name, number in content.numbers.items():
        try:
            found[name] = _read(number, content, evidence, found)
        except KeyError as missing:
            raise InputError(
                f"report/paper.yaml asks for {name}, but there is no {missing}; correct it, or "
                "keep a run that has it."
            ) from None
    return found


def in_this_run(number: PaperNumber) -> dict[str, Value]:
    """Read the curve of a set in every experiment of this run that has it, by name."""
    if number.curve is None or "/" in number.of:
        return {}
    rows = rows_here(**number.curve.model_dump())
    return {
        experiment: _with_interval(row, "mean", "low", "high") for experiment, row in rows.items()
    }


def _read(
    number: PaperNumber, content: PaperNumbers, evidence: Evidence, found: Mapping[str, Read]
) -> Read:
    if number.difference is not None:
        return _difference(number, *(found[name] for name in number.difference))
    if number.correlation is not None:
        return _correlation(number, *(found[name] for name in number.correlation))
    if number.curve is not None or number.fact is not None:
        return _of_experiments(number, content.sets.get(number.of, [number.of]), evidence)
    whole, files = _of_itself(number, content, evidence)
    return Read(number.form, number.take, whole, files=files)


def _difference(number: PaperNumber, first: Read, second: Read) -> Read:
    each = {
        case: Value(value.value - second.each[case].value) for case, value in first.each.items()
    }
    files = tuple(dict.fromkeys([*first.files, *second.files]))
    return Read(number.form, number.take, _taken(each, number.take), each, files)


def _correlation(number: PaperNumber, first: Read, second: Read) -> Read:
    ordered = [first.each[case].value for case in second.each]
    whole = statistics.correlation(ordered, [value.value for value in second.each.values()])
    files = tuple(dict.fromkeys([*first.files, *second.files]))
    return Read(number.form, number.take, Value(whole), files=files)


def _of_experiments(number: PaperNumber, cases: Sequence[str], evidence: Evidence) -> Read:
    each, files = {}, []
    for case in cases:
        if number.curve is not None:
            row, file = evidence.row(case, **number.curve.model_dump())
            each[case] = _with_interval(row, "mean", "low", "high")
        else:
            value, file = evidence.fact(case, str(number.fact))
            each[case] = Value(value)
        files.append(file)
    whole = _taken(each, number.take)
    return Read(number.form, number.take, whole, each, tuple(dict.fromkeys(files)))


def _of_itself(
    number: PaperNumber, content: PaperNumbers, evidence: Evidence
) -> tuple[Value, tuple[str, ...]]:
    """Read a number that is of no single experiments, and the files that it is in."""
    if number.experiments is not None:
        return Value(len(content.sets[number.experiments])), (LISTED_IN,)
    if number.claims is not None:
        outcomes = evidence.at_stake().values()
        wanted = number.claims.outcomes or outcomes
        return Value(sum(outcome in wanted for outcome in outcomes)), (evidence.claims_file,)
    if number.circuits is not None:
        value, file = evidence.of_circuits(**number.circuits.model_dump())
        return Value(value), (file,)
    if number.arm is not None:
        row, file = evidence.of_arm(number.arm.run, number.arm.corpus, number.arm.reading)
        part = number.arm.part
        # What follows has no interval.
        return _with_interval(row, part, f"{part}_low", f"{part}_high"), (file,)
    if number.level is not None:
        value, file = evidence.of_level(**number.level.model_dump())
        return Value(value), (file,)
    if number.moved is not None:
        value, file = evidence.of_keys(**number.moved.model_dump())
        return Value(value), (file,)
    if number.dose is not None:
        row, file = evidence.of_dose(**number.dose.model_dump())
        return _with_interval(row, "rise", "rise_low", "rise_high"), (file,)
    raise AssertionError(number)


def _taken(each: Mapping[str, Value], take: str) -> Value:
    """Take one value of several; that of a single experiment keeps its interval."""
    if len(each) == 1:
        return next(iter(each.values()))
    return Value(TAKEN[take]([value.value for value in each.values()]))


def _with_interval(row: pd.Series, *ends: str) -> Value:
    return Value(*(float(row.get(end, math.nan)) for end in ends))
