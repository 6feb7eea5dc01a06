"""Quantities that are compared text by text; the summary holds what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.methods.bootstrap import mean_interval
from analysis.methods.faithfulness import rank_correlation
from analysis.params import Bootstrap
from analysis.rules.rule import Depth, Layers, Quantity, Rows, Rule, Texts
from analysis.rules.verdicts import Reading

ALL = -1  # layer of what is of all layers, text of what is of all texts together
OF_ALL = pd.Index([ALL])
VARIANTS = ("pretrained", "finetuned", "both")


def asked_of_texts(rules: Iterable[Rule]) -> dict[str, Texts]:
    """Quantities that the rules ask of texts, by :func:`key`."""
    asked: list[Quantity | None] = []
    for rule in rules:
        asked += [*rule.cases, *(case.when for case in rule.cases), *rule.numbers.values()]
    return {key(one.texts): one.texts for one in asked if one is not None and one.texts is not None}


def key(asked: Texts) -> str:
    """Name of a quantity: all that is asked, as JSON."""
    return json.dumps(asked.model_dump(mode="json", exclude_defaults=True), sort_keys=True)


def readings(
    asked: Mapping[str, Texts],
    values: Mapping[str, Sequence[pd.DataFrame]],
    bootstrap: Bootstrap,
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> pd.DataFrame:
    """Read quantities of every model state.

    Parameters
    ----------
    asked
        The quantities by their names (:func:`asked_of_texts`).
    values
        By group: of one experiment, of the model of each seed
        (:func:`analysis.measures.runner.run`).
    bootstrap
        How texts are resampled.
    ranges
        The smallest and the largest value of what is measured, where that is known.

    Returns
    -------
    pd.DataFrame
        A row for each quantity (``asked``) and ``variant`` of what was measured, ``both`` for a
        quantity that names the state itself: ``mean`` with its interval, ``low`` to ``high``, over
        ``texts``; nan and 0 texts where it is of all texts together.
    """
    found = []
    for name, one in asked.items():
        within = _within(one, ranges)
        for variant in ("both",) if "variant" in one.where else VARIANTS:
            reading = _read(one, values[one.group], variant, bootstrap, within)
            if reading is not None:
                found.append((name, variant, *reading[:3], reading.sample or 0))
    table = pd.DataFrame(found, columns=["asked", "variant", "mean", "low", "high", "texts"])
    return table.astype(dict.fromkeys(["mean", "low", "high"], float))


def _within(asked: Texts, ranges: Mapping[str, tuple[float, float]]) -> NDArray[np.float64] | None:
    """Return the ends of a mean, of a trend or of a difference; those of a ratio are not known."""
    if asked.other is not None and not asked.minus:
        return None
    # A trend is a correlation, whatever it is of.
    ends = ranges.get(asked.quantity) if asked.over_layers == "mean" else (-1.0, 1.0)
    if ends is None:
        return None
    low, high = ends
    return np.array([low - high, high - low] if asked.minus else [low, high])


def _read(
    asked: Texts,
    values: Sequence[pd.DataFrame],
    variant: str,
    bootstrap: Bootstrap,
    within: NDArray[np.float64] | None,
) -> Reading | None:
    # What is of the pretrained model alone was measured with the first seed.
    of_seeds = [found for one in values if len(found := _of_seed(asked, one, variant))]
    if not of_seeds:
        return None
    chosen = pd.concat(of_seeds, axis="columns").sort_index()
    if chosen.index.equals(OF_ALL):
        return Reading(float(chosen.mean(axis=None)))
    if asked.over_texts != "mean":
        extreme = chosen.max if asked.over_texts == "largest" else chosen.min
        return Reading(float(extreme(axis=None)))
    found = mean_interval(chosen.to_numpy(float).T, **bootstrap.model_dump(), within=within)
    return Reading(float(found.mean), float(found.low), float(found.high), int(found.texts))


def _of_seed(asked: Texts, values: pd.DataFrame, variant: str) -> pd.Series:
    """Read every text in the model of one seed; those for which the quantity is defined."""
    other = asked.other
    if other is not None:
        one, less = (_by_text(values, side, variant) for side in (asked, other))
        combine = np.subtract if asked.minus else np.divide
        chosen = combine(*one.align(less, join="inner"))
    elif asked.over_texts == "mean":
        chosen = _by_text(values, asked, variant)
    else:
        chosen = chosen_rows(values, asked, variant)["value"]
    # A ratio to nothing is not defined.
    return chosen.replace([np.inf, -np.inf], np.nan).dropna()


def _by_text(values: pd.DataFrame, asked: Texts, variant: str) -> pd.Series:
    """One value a text, by its id."""
    chosen = chosen_rows(values, asked, variant)
    if chosen.empty or (chosen["layer"] == ALL).all():
        return chosen.groupby("text")["value"].mean()
    chosen = at(chosen, asked.layers, int(values["layer"].max()))
    # Heads of a layer, where there are any, before layers.
    by_layer = chosen.groupby(["text", "layer"])["value"].mean().unstack("layer")
    if asked.over_layers == "mean":
        # Other layers than those of the other side of a contrast would be another quantity.
        return by_layer.mean(axis="columns", skipna=False)
    depth = by_layer.columns.to_numpy(float)
    return pd.Series(rank_correlation(by_layer.to_numpy(float), depth), by_layer.index)


def chosen_rows(table: pd.DataFrame, asked: Rows, variant: str | None) -> pd.DataFrame:
    """Rows of a measure that are of a model state and have this value, or one of these."""
    where: dict[Any, str | int | list[str]] = {} if variant is None else {"variant": variant}
    chosen = np.ones(len(table), dtype=bool)
    for column, value in ({"quantity": asked.quantity} | where | asked.where).items():
        rows = table[column]
        # To look for a single name takes `isin` longer than everything else here together.
        chosen &= (rows.isin(value) if isinstance(value, list) else rows == value).to_numpy()
    return table[chosen]


def at(rows: pd.DataFrame, layers: Layers, depth: int) -> pd.DataFrame:
    """Rows of some layers of a model with so many."""
    layer = rows["layer"]
    if isinstance(layers, Depth):
        position = layer * layers.of
        return rows[(position >= layers.start * depth) & (position <= layers.end * depth)]
    match layers:
        case "all":
            return rows
        case "first":
            chosen = layer == layer.min()
        case "middle":
            chosen = layer == (depth + 1) // 2
        case "last":
            chosen = layer == depth
        case "last_two":
            chosen = layer > depth - 2
        case "all_but_last_two":
            chosen = layer <= depth - 2
    return rows[chosen]
