"""Quantities that are compared text by text; the summary holds what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.methods.bootstrap import mean_interval
from analysis.methods.faithfulness import rank_correlation
from analysis.params import Bootstrap
from analysis.rules.rule import Depth, Layers, Quantity, Rule, Selection, Texts
from analysis.rules.verdicts import Reading

ALL = -1  # layer of what is of all layers, text of what is of all texts together
OF_ALL = pd.Index([ALL])
VARIANTS = ("pretrained", "finetuned", None)


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
    asked: Texts, values: pd.DataFrame, bootstrap: Bootstrap
) -> Iterator[tuple[str | None, Reading]]:
    """Read a quantity of every model state, and of results that do not tell the two apart.

    Parameters
    ----------
    asked
        The quantity.
    values
        Of its group and of one experiment (:func:`analysis.measures.runner.run`).
    bootstrap
        How texts are resampled.
    """
    for variant in VARIANTS:
        found = _read(asked, values, variant, bootstrap)
        if found is not None:
            yield variant, found


def _read(
    asked: Texts, values: pd.DataFrame, variant: str | None, bootstrap: Bootstrap
) -> Reading | None:
    other = asked.minus or asked.divided_by
    if asked.over_texts != "mean" and other is None:
        chosen = _chosen(values, asked, Selection(), variant)["value"].dropna()
    else:
        chosen = _by_text(values, asked, Selection(), variant)
    if other is not None:
        combine = np.subtract if asked.minus else np.divide
        chosen = combine(*chosen.align(_by_text(values, asked, other, variant), join="inner"))
    # A ratio to nothing is not defined.
    chosen = chosen.replace([np.inf, -np.inf], np.nan).dropna()
    if chosen.empty:
        return None
    if chosen.index.equals(OF_ALL):
        return Reading(float(chosen.iloc[0]))
    if asked.over_texts != "mean":
        return Reading(float(chosen.max() if asked.over_texts == "largest" else chosen.min()))
    found = mean_interval(chosen.to_numpy(float), **bootstrap.model_dump())
    return Reading(float(found.mean), float(found.low), float(found.high), int(found.texts))


def _by_text(
    values: pd.DataFrame, asked: Texts, other: Selection, variant: str | None
) -> pd.Series:
    """One value a text, by its id."""
    chosen = _chosen(values, asked, other, variant)
    if chosen.empty or (chosen["layer"] == ALL).all():
        return chosen.groupby("text")["value"].mean()
    chosen = at(chosen, other.layers or asked.layers, int(values["layer"].max()))
    # Heads of a layer, where there are any, before layers.
    by_layer = chosen.groupby(["text", "layer"])["value"].mean().unstack("layer")
    if asked.over_layers == "mean":
        # Other layers than those of the other side of a contrast would be another quantity.
        return by_layer.mean(axis="columns", skipna=False)
    depth = by_layer.columns.to_numpy(float)
    return pd.Series(rank_correlation(by_layer.to_numpy(float), depth), by_layer.index)


def _chosen(
    values: pd.DataFrame, asked: Texts, other: Selection, variant: str | None
) -> pd.DataFrame:
    measure = {"measure": other.measure or asked.measure}
    of_variant = {} if variant is None else {"variant": variant}
    where: dict[Any, str | list[str]] = {**measure, **of_variant, **asked.where, **other.where}
    return chosen_rows(values, where)


def chosen_rows(table: pd.DataFrame, where: Mapping[str, str | list[str]]) -> pd.DataFrame:
    """Rows that have this value, or one of these, in these columns."""
    chosen = np.ones(len(table), bool)
    for column, value in where.items():
        allowed = [value] if isinstance(value, str) else value
        chosen &= table[column].isin(allowed).to_numpy(bool)
    return table[chosen]


def at(rows: pd.DataFrame, layers: Layers, depth: int) -> pd.DataFrame:
    """Rows of some layers of a model with so many."""
    layer = rows["layer"]
    if isinstance(layers, Depth):
        position = layer * layers.of
        return rows[(position >= layers.start * depth) & (position <= layers.end * depth)]
    match layers:
        case "first":
            return rows[layer == layer.min()]
        case "middle":
            return rows[layer == (depth + 1) // 2]
        case "last":
            return rows[layer == depth]
        case "last_two":
            return rows[layer > depth - 2]
        case "all_but_last_two":
            return rows[layer <= depth - 2]
        case _:
            return rows
