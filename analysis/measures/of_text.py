"""Take measures of one text in memory: no corpus, no files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.capture.one_text import RecordedText
from analysis.errors import InputError
from analysis.measures import GROUPS, measures
from analysis.measures.definition import Field, Given, Measure, Values, numbers
from analysis.params.sections import Geometry, Pair, Params, Propagation

# Flow from every token; half of each step stays with the token, as Abnar and Zuidema have it.
PROPAGATION = Propagation(residual=0.5, start_layer=0, flow_sources=None)


@dataclass(frozen=True)
class Found:
    """What measures give of one text.

    Attributes
    ----------
    values
        A row a number: ``by``, the measure that gave it, ``of, kind, measure, layer, head, value``
        (:class:`analysis.measures.definition.Values`); head 0 is all heads, layer -1 all layers.
    fields
        Measure -> name -> array or table.
    """

    values: pd.DataFrame
    fields: dict[str, dict[str, Any]]


def measure(
    text: RecordedText,
    names: Sequence[str] | None = None,
    *,
    propagation: Propagation = PROPAGATION,
    pair: tuple[str, Sequence[str]] = ("[CLS]", ("[SEP]",)),
) -> Found:
    """Take measures of one text.

    Where a measure compares the text with all texts of a corpus (means of queries and keys, of
    token vectors), this one text is the corpus.

    Parameters
    ----------
    text
        Of :func:`analysis.capture.capture_text`.
    names
        Of measures; None takes all that one text can have. What they need is measured as well.
    propagation
        Residual, first layer and sources of flow.
    pair
        A token and those that its query may attend to, which ``sentence`` follows.

    Raises
    ------
    InputError
        If there is no such measure of one text.
    """
    known = {one.name: one for group in GROUPS for one in measures(group)}
    allowed = [name for name, one in known.items() if one.kind == "text"]
    wanted = list(allowed if names is None else names)
    unknown = [name for name in wanted if name not in allowed]
    if unknown:
        raise InputError(
            f"there is no measure {unknown[0]!r} of one text; allowed: {', '.join(allowed)}."
        )
    query, keys = pair
    params = Params.model_construct(
        propagation=propagation,
        geometry=Geometry.model_construct(pair=Pair(query=query, keys=tuple(keys))),
    )
    given = Given(params, "", {})
    rows, fields = [], text.fields
    for one in _in_order(wanted, known):
        work = one.work(given) if one.kind == "accumulator" else None
        if work is not None:
            work.add(text)
            given.results[one.name] = work.result()
        for found in work.measured() if work is not None else one.work(text, given):
            if isinstance(found, Field):
                fields.setdefault(one.name, {})[found.name] = found.content
            else:
                rows += _rows(one.name, found)
    columns = ["by", "of", "kind", "measure", "layer", "head", "value"]
    return Found(pd.DataFrame(rows, columns=columns), fields)


def _in_order(wanted: Sequence[str], known: dict[str, Measure]) -> list[Measure]:
    """Measures with those that they read in front of them."""
    taken: dict[str, Measure] = {}

    def take(name: str) -> None:
        for earlier in known[name].after:
            take(earlier)
        taken.setdefault(name, known[name])

    for name in wanted:
        take(name)
    return list(taken.values())


def _rows(by: str, values: Values) -> list[tuple]:
    return [(by, values.of, values.kind, values.measure, *number) for number in numbers(values)]
