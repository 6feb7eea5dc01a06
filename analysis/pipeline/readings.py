"""What rules ask of texts, read off the same values as curves: a mean with an interval each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.rules.selection import VARIANTS, Texts, Wanted, at, matches
from attention_mixing.addresses import ALL
from attention_mixing.measures.engine.cube import Cube, group_means
from attention_mixing.measures.engine.definition import Ends
from attention_mixing.measures.engine.summary import UNKNOWN
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.methods.faithfulness import rank_correlation
from attention_mixing.settings.measures import Bootstrap

NUMBERS = ["mean", "low", "high", "texts", "seeds"]
# What else a reading has beside a curve: its name says what it is of.
NO_CURVE = {
    **dict.fromkeys(("measure", "subject", "facet", "quantity", "minus"), ""),
    **{"clusters": 0, "layer": ALL, "head": 0},
}


def readings(
    questions: Sequence[Texts],
    of_texts: Cube,
    together: Cube,
    bootstrap: Bootstrap,
    ranges: Mapping[str, Ends],
) -> pd.DataFrame:
    """Read what is asked of texts in every model state.

    Parameters
    ----------
    questions
        All of one group of measures.
    of_texts, together
        What these gave of texts, and of all texts together.
    bootstrap
        How texts are resampled. The sample of a quantity are the texts for which it is defined.
    ranges
        The smallest and the largest value of what is measured, where that is known.

    Returns
    -------
    DataFrame
        A row for each quantity (``reading``, its :attr:`analysis.rules.selection.Texts.name`) and
        ``variant`` of what was measured, ``both`` for a quantity that names the state itself:
        ``mean`` with its interval, ``low`` to ``high``, over ``texts`` and ``seeds``. What is of
        all texts together, and the largest or smallest value, has no interval and counts 0 texts.
        Columns that say what a curve is of are empty.
    """
    layers = pd.concat([of_texts.keys["layer"], together.keys["layer"]])
    depth = int(layers.max()) if len(layers) else ALL
    texts, corpus = _Columns(of_texts), _Columns(together)
    rows: list[dict[str, Any]] = []
    sampled, samples, ends = [], [], []
    for question in questions:
        for variant in ("both",) if "variant" in question.where else VARIANTS:
            values = _values(question, texts, variant, depth)
            whole = np.isnan(values).all()
            if whole:
                values = _values(question, corpus, variant, depth)
                if np.isnan(values).all():
                    continue
            seeds = (~np.isnan(values)).any(axis=1).sum()
            row = {"reading": question.name, "variant": variant, "texts": 0, "seeds": seeds}
            if question.over_texts != "mean":
                extreme = np.nanmax if question.over_texts == "largest" else np.nanmin
                row["mean"] = extreme(values)
            elif whole:
                row["mean"] = np.nanmean(values)
            else:
                sampled.append(len(rows))
                samples.append(values)
                ends.append(_within(question, ranges))
            rows.append(row)
    table = pd.DataFrame(rows, columns=["reading", "variant", *NUMBERS])
    if sampled:
        cube, within = np.stack(samples, axis=-1), np.array(ends).T
        for number, column in _means(cube, within, bootstrap).items():
            table.loc[sampled, number] = column
    table = table.assign(**NO_CURVE, by_seed=[[] for _ in range(len(table))])
    return table.astype({"mean": float, "low": float, "high": float, "texts": int, "seeds": int})


class _Columns:
    """What was measured of texts, chosen by keys again and again: each comparison is made once."""

    def __init__(self, cube: Cube) -> None:
        self.cube = cube
        self.measured = cube.keys["measured"].to_numpy(bool)
        self.compared: dict[tuple[str, Any], NDArray[np.bool_]] = {}

    def where(self, wanted: Wanted) -> NDArray[np.int64]:
        """Find the columns whose keys are these."""
        chosen = self.measured
        for column, value in wanted.items():
            asked = (column, value if isinstance(value, str | int) else tuple(value))
            if asked not in self.compared:
                self.compared[asked] = matches(self.cube.keys, {column: value})
            chosen = chosen & self.compared[asked]
        return np.flatnonzero(chosen)


def _values(question: Texts, keyed: _Columns, variant: str, depth: int) -> NDArray[np.float64]:
    """One value of each text, ``[seed, text]``; nan where the quantity is not defined."""
    other = question.other
    if other is None:
        return _side(question, keyed, variant, depth)
    value, reference = (_side(side, keyed, variant, depth) for side in (question, other))
    if question.minus:
        return value - reference
    # A ratio to nothing is not defined.
    return np.divide(value, reference, out=np.full(value.shape, np.nan), where=reference != 0)


def _side(question: Texts, keyed: _Columns, variant: str, depth: int) -> NDArray[np.float64]:
    """One side of a contrast, or what has none; a mean over heads, or the rows, of each layer."""
    columns = keyed.where({"variant": variant, **question.columns})
    layer = keyed.cube.keys["layer"].to_numpy()[columns]
    values = keyed.cube.values[:, :, columns]
    if question.other is None and question.over_texts != "mean":
        extreme = np.fmax if question.over_texts == "largest" else np.fmin
        return extreme.reduce(values, axis=-1, initial=np.nan)
    if (layer != ALL).any():
        meant = at(layer, question.layers, depth)
        layer, values = layer[meant], values[..., meant]
    if not layer.size:
        return np.full(values.shape[:2], np.nan)
    layers, group = np.unique(layer, return_inverse=True)
    by_layer = group_means(values, group)
    if question.over_layers == "mean":
        # Other layers than those of the other side of a contrast would be another quantity.
        return by_layer.mean(axis=-1)
    return rank_correlation(by_layer, layers.astype(np.float64))


def _within(question: Texts, ranges: Mapping[str, Ends]) -> tuple[float, float]:
    """Return the ends of a mean, of a trend or of a difference; those of a ratio are not known."""
    if question.divided_by:
        return UNKNOWN
    # A trend is a correlation, whatever it is of.
    trend = question.over_layers == "trend"
    ends = (-1.0, 1.0) if trend else ranges.get(question.quantity, UNKNOWN)
    low, high = (np.nan if end is None else end for end in ends)
    return (low - high, high - low) if question.minus else (low, high)


def _means(
    samples: NDArray[np.float64], within: NDArray[np.float64], bootstrap: Bootstrap
) -> dict[str, NDArray[np.float64]]:
    """Means of ``[seed, text, quantity]``; those of the same texts and seeds see the same draws."""
    defined = ~np.isnan(samples)
    seeds, texts = defined.any(axis=1), defined.any(axis=0)
    patterns, group = np.unique(np.concatenate([seeds, texts]), axis=1, return_inverse=True)
    numbers = np.empty((4, samples.shape[2]))
    for number, pattern in enumerate(patterns.T):
        columns = np.flatnonzero(group.reshape(-1) == number)
        sample = samples[np.ix_(pattern[: len(samples)], pattern[len(samples) :], columns)]
        numbers[:, columns] = mean_interval(
            sample, **bootstrap.model_dump(), within=within[:, columns]
        )
    return dict(zip(("mean", "low", "high", "texts"), numbers, strict=True))
