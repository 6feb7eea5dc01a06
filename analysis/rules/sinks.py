"""The outcome of the experiment on sinks, by the rule that was written before it was run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import pandas as pd
from pydantic import Field, field_validator, model_validator

from analysis.parameters.file import read_mapping
from attention_mixing.settings.values import Fraction, Section, Text

Outcome = Literal["supported", "refuted", "open", "not_asked"]
Answer = Literal["true", "false", "open", "not_measured"]


class ArmReading(NamedTuple):
    """Weights, and how they are read (:class:`attention_mixing.models.conditions.Condition`)."""

    weights: str
    what: str = "free"
    keys: str = ""
    shares: str = ""


READINGS = {
    "free": ArmReading("free"),
    "clamped": ArmReading("clamped", "held", "special", "pretrained"),
    "clamped_first": ArmReading("clamped_first", "held", "first", "pretrained"),
    "clamped_last": ArmReading("clamped_last", "held", "last", "pretrained"),
    "shuffled": ArmReading("shuffled", "held", "special", "other_text"),
    "mean": ArmReading("mean", "held", "special", "mean"),
    "placebo_move": ArmReading("placebo_move", "held", "move", "pretrained"),
    "placebo_mass": ArmReading("placebo_mass", "held", "mass", "pretrained"),
    "zeroed": ArmReading("zeroed", "zeroed", "special"),
    "frozen_values": ArmReading("frozen_values"),
    "frozen_shares": ArmReading("free", "held", "special", "pretrained"),
    "released": ArmReading("clamped"),
    "free_shares": ArmReading("pretrained", "held", "special", "free"),
}
"""Each arm as it was trained, and what is exchanged between them, by the names on pages."""
PLACEBOS = ("placebo_move", "placebo_mass")


class Margins(Section):
    """From which numbers on an effect counts."""

    asked: Annotated[float, Field(gt=0)]
    removed: Fraction
    accuracy: Fraction
    sink: Fraction


class BothLanguages(Section):
    """A text in both languages."""

    en: Text
    ja: Text

    @field_validator("ja")
    @classmethod
    def _without_folds(cls, text: str) -> str:
        """Take away the spaces that YAML puts where it joins lines; Japanese has none there."""
        return re.sub(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "", text)


class Way(Section):
    """In which way weights are read (:class:`attention_mixing.models.conditions.Condition`)."""

    what: Text
    keys: str = ""
    shares: str = ""


class Prediction(Section):
    """What rows of the effects were expected to be: above a number, or below."""

    name: Text
    weights: Text
    way: Way
    bias: Literal["none", "negative", "positive"] = "none"
    rates: Literal["main", "every"] = "main"
    reading: Literal["rise", "removed", "beyond"]
    above: float | None = None
    below: float | None = None
    words: BothLanguages

    @model_validator(mode="after")
    def _one_direction(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError(f"{self.name} needs one of above and below; give one")
        return self


class SinkRule(Section):
    """The whole of ``report/sinks.yaml``."""

    margins: Margins
    outcomes: dict[Outcome, BothLanguages]
    predictions: tuple[Prediction, ...] = Field(strict=False)


def read_rule(path: Path) -> SinkRule:
    """Read the rule."""
    return SinkRule.model_validate(read_mapping(path))


def outcome(effects: pd.DataFrame, margins: Margins) -> Outcome:
    """Tell what becomes of the question.

    Parameters
    ----------
    effects
        Of one corpus at its main learning rate
        (:func:`analysis.pipeline.sink_effects.effects`).
    margins
        From which numbers on an effect counts.
    """
    (free,), (clamped,) = _rows(effects, "free"), _rows(effects, "clamped")
    if not free["rise_low"] > margins.asked:
        return "not_asked"
    if clamped["removed_high"] < margins.removed:
        return "refuted"

    def learns(arm: dict[str, Any]) -> bool:
        return bool(abs(arm["accuracy"]) <= margins.accuracy)

    # What is not learned cannot rise.
    placebos = [arm for name in PLACEBOS for arm in _rows(effects, name) if learns(arm)]
    as_much = [arm for arm in placebos if arm["beyond_low"] <= 0]
    if any(arm["removed_low"] > margins.removed for arm in as_much):
        return "refuted"
    removes = clamped["removed_low"] > margins.removed and learns(clamped)
    return "supported" if removes and placebos and not as_much else "open"


def answer(effects: pd.DataFrame, prediction: Prediction, main_rate: float) -> Answer:
    """Tell whether a prediction has come true.

    Parameters
    ----------
    effects
        Of one corpus, at all learning rates.
    prediction
        Which rows, and where they have to be.
    main_rate
        The main learning rate.
    """
    rows = effects[_are(effects, {"weights": prediction.weights, **prediction.way.model_dump()})]
    sign = {"none": 0, "negative": -1, "positive": 1}[prediction.bias]
    rows = rows[(rows["bias"] * sign > 0) if sign else rows["bias"] == 0]
    if prediction.rates == "main":
        rows = rows[rows["learning_rate"].isin([0, main_rate])]
    low, high = (rows[f"{prediction.reading}_{end}"] for end in ("low", "high"))
    if rows.empty or low.isna().any():
        return "not_measured"
    if prediction.above is not None:
        true, false = low > prediction.above, high <= prediction.above
    else:
        true, false = high < prediction.below, low >= prediction.below
    return "true" if true.all() else "false" if false.any() else "open"


def answers(
    effects: pd.DataFrame, rule: SinkRule, main_rate: float
) -> Iterator[tuple[str, Answer]]:
    """Give :func:`answer` to every prediction, by its name."""
    for prediction in rule.predictions:
        yield prediction.name, answer(effects, prediction, main_rate)


def _are(effects: pd.DataFrame, names: dict[str, str]) -> pd.Series:
    same: pd.Series = (effects[list(names)] == pd.Series(names)).all(axis=1)
    return same


def _rows(effects: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    """Choose what was read in one of :data:`READINGS`: a row, or none."""
    read = _are(effects, READINGS[name]._asdict())
    return effects[read & (effects["bias"] == 0)].to_dict("records")
