"""Take measures of one text in memory: no corpus, no files.

``from attention_mixing.measures import measure`` is the shorter way to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture.one_text import RecordedText
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.errors import InputError, quoted
from attention_mixing.measures import STAGES, measures, needed
from attention_mixing.measures.engine.definition import (
    Field,
    Given,
    Measure,
    Measured,
    Values,
    left_with_text,
    numbers,
    require_declared,
)
from attention_mixing.settings.derived import JOINT
from attention_mixing.settings.measures import Pair

__all__ = ["Measurements", "measure"]

DRAWS = 4  # replacements of a token, by which its dependence is measured
COLUMNS = ["measure", "subject", "facet", "quantity", "clusters", "layer", "head", "value"]


@dataclass(frozen=True, repr=False)
class Measurements:
    """What measures give of one text.

    Attributes
    ----------
    values
        A row a number: ``measure, subject, facet, quantity, layer, head, value``
        (:class:`attention_mixing.measures.engine.definition.Values`); head 0 is all heads, layer
        -1 all layers.
    fields
        Measure -> name -> array or table.
    token_scores
        Method and what is read of it -> scores.
    """

    values: pd.DataFrame
    fields: dict[str, dict[str, Any]]
    token_scores: dict[tuple[str, str], TokenScores]

    def __repr__(self) -> str:  # noqa: D105
        found = f"{len(self.values)} values, {len(self.token_scores)} token_scores"
        return f"<Measurements: {found}, fields of {len(self.fields)} measures>"


def measure(
    text: RecordedText,
    names: str | Sequence[str] | None = None,
    *,
    settings: ThroughLayers = ThroughLayers(),  # noqa: B008 (it cannot be changed)
    pair: tuple[str, str | Sequence[str]] = ("[CLS]", ("[SEP]",)),
) -> Measurements:
    """Take measures of one text.

    Where a measure compares the text with all texts of a corpus (means of queries and keys, of
    token vectors), this one text is the corpus.

    Parameters
    ----------
    text
        Of :func:`attention_mixing.capture.capture_text`; of an encoder-decoder also one of its
        streams, which is measured like a model of one text.
    names
        Of measures, or of one; None takes all that one text can have. What they read is measured as
        well.
    settings
        How attention is followed through the layers; flow from every token, and half of each step
        stays with the token, if nothing else is said.
    pair
        A token and those that its query may attend to, which ``sentence`` follows.

    Raises
    ------
    InputError
        If there is no such measure of one text, or an argument is of another type.
    """
    _require_types(text, names, settings, pair)
    available = [entry for stage in STAGES for entry in measures(stage)]
    # What is of one state alone needs what the experiment knows of that state.
    joint = text.stream == JOINT
    available = [entry for entry in available if entry.joint == joint]
    allowed = [entry.name for entry in available if entry.kind == "text" and not entry.predicts]
    requested = allowed if names is None else [names] if isinstance(names, str) else list(names)
    unknown = [name for name in requested if name not in allowed]
    if unknown:
        raise InputError(
            f"there is no measure {quoted(unknown[0])} of one text; allowed: {', '.join(allowed)}; "
            "name some of them."
        )
    query, keys = pair[0], (pair[1],) if isinstance(pair[1], str) else tuple(pair[1])
    given = Given(
        {
            **{f"propagation.{field}": value for field, value in vars(settings).items()},
            "dependence.draws": DRAWS,
            "dependence.seed": 0,
            "geometry.pair": Pair(query=query, keys=keys),
        },
        "",
        {},
    )
    text = text.unmeasured()
    rows: list[tuple] = []
    fields: dict[str, dict[str, Any]] = {}
    token_scores: dict[tuple[str, str], TokenScores] = {}
    for entry in needed(requested, available):
        measured = list(_of_text(entry, text, given))
        text.fields[entry.name] = left_with_text(measured)
        require_declared(entry, [item for item in measured if isinstance(item, Values)])
        for item in measured:
            match item:
                case Values():
                    rows += [(entry.name, *row) for row in numbers(item)]
                case Field():
                    fields.setdefault(entry.name, {})[item.name] = item.content
                case TokenScores():
                    token_scores[item.method, item.rows] = item
    return Measurements(pd.DataFrame(rows, columns=COLUMNS), fields, token_scores)


def _require_types(text: object, names: object, settings: object, pair: object) -> None:
    """Refuse arguments of :func:`measure` that are of another type."""
    two = isinstance(pair, tuple | list) and len(pair) == 2
    checks = {
        "text": (text, isinstance(text, RecordedText), "what capture_text returns"),
        "names": (
            names,
            names is None or (isinstance(names, Iterable) and not isinstance(names, bytes)),
            "None, the name of a measure or a list of names",
        ),
        "settings": (
            settings,
            isinstance(settings, ThroughLayers),
            "ThroughLayers of attention_mixing.attributions",
        ),
        "pair": (pair, two, "a token and a list of tokens, as in ('[CLS]', ['[SEP]'])"),
    }
    for name, (value, fits, allowed) in checks.items():
        if not fits:
            raise InputError(
                f"{name} is of type {type(value).__name__}; allowed: {allowed}; give that instead."
            )


def _of_text(measure: Measure, text: RecordedText, given: Given) -> Measured:
    if measure.kind != "accumulator":
        return measure.work(text, given)
    total = measure.work(given)
    total.add(text)
    given.results[measure.name] = total.result()
    return total.measured()
