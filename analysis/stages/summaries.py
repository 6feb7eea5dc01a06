"""From one value a text to what the report shows: measures of matrices, curves with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.methods.attention import entropy
from analysis.methods.bootstrap import mean_interval
from analysis.methods.rollout import row_distance
from analysis.params import Bootstrap
from analysis.params.sections import Focus

MATRIX_MEASURES = (
    "mixing",
    "entropy",
    "cls_entropy",
    "special_share",
    "row_distance",
    "own_source",
)


def matrix_measures(
    matrices: NDArray[np.float64],
    special: NDArray[np.bool_],
    sources: NDArray[np.intp] | None = None,
) -> list[dict[str, float]]:
    """Summarise row-stochastic matrices by means over the tokens of the text.

    Parameters
    ----------
    matrices
        ``[layer, query, key]``, every row summing to 1; the first row is that of the first token.
    special
        ``[token]``, whether it is a special token.
    sources
        ``[query]``, tokens whose rows they are; None where every token has one.

    Returns
    -------
    list of dict
        One a layer: ``layer`` (1-based), ``mixing`` (share that goes to others), ``entropy`` and
        ``cls_entropy`` (all rows and the first, divided by ln n), ``special_share`` (weight on
        special tokens), ``row_distance`` (how far rows are apart), ``own_source`` (share of tokens
        that are themselves their largest source).
    """
    nats = math.log(matrices.shape[-1])
    rows = entropy(matrices) / nats if nats else np.zeros(matrices.shape[:2])
    tokens = np.arange(matrices.shape[-1]) if sources is None else sources
    kept = matrices[:, np.arange(len(tokens)), tokens]
    own = matrices.argmax(axis=-1) == tokens
    return [
        {
            "layer": layer + 1,
            "mixing": float(1 - kept[layer].mean()),
            "entropy": float(rows[layer].mean()),
            "cls_entropy": float(rows[layer, 0]),
            "special_share": float(matrix[:, special].sum(axis=1).mean()),
            "row_distance": float(row_distance(matrix)),
            "own_source": float(own[layer].mean()),
        }
        for layer, matrix in enumerate(matrices)
    ]


def curves(
    table: pd.DataFrame,
    *,
    keys: Sequence[str],
    measures: Sequence[str],
    bootstrap: Bootstrap,
    over: str = "layer",
) -> pd.DataFrame:
    """Mean over texts with bootstrap interval.

    Parameters
    ----------
    table
        One row for each text, ``over`` and combination of ``keys``; has the columns ``example_id``
        and ``measures``. A value that is not defined for a text is nan.
    keys
        Columns that tell the curves apart.
    measures
        Columns to average.
    bootstrap
        How to resample.
    over
        Column that a curve runs along.

    Returns
    -------
    DataFrame
        ``keys``, ``measure``, ``over``, ``mean``, ``low``, ``high``, and ``texts``, the number of
        texts for which the value is defined; where there is none, the others are nan.
    """
    drawn = ["mean", "low", "high", "texts"]
    if table.empty:
        return pd.DataFrame(columns=[*keys, "measure", over, *drawn])
    columns = [*keys, over]
    wide = table.pivot(index="example_id", columns=columns, values=list(measures))
    # pivot sorts; curves stay in the order in which the table names them.
    places = table[columns].drop_duplicates()
    wide = wide.reindex(
        columns=[(m, *place) for m in measures for place in places.itertuples(index=False)]
    )
    # All at once: every column sees the same resamples of texts.
    result = mean_interval(wide.to_numpy(float), **bootstrap.model_dump())
    labels = pd.DataFrame(list(wide.columns), columns=["measure", *columns])
    labels = labels[[*keys, "measure", over]]
    return labels.assign(**dict(zip(drawn, result, strict=True)))


def nested(
    table: pd.DataFrame, *, keys: Sequence[str], measures: Sequence[str], bootstrap: Bootstrap
) -> dict[str, Any]:
    """Metrics of every curve: both ends and the mean over layers, with intervals over texts.

    Parameters
    ----------
    table, keys, measures, bootstrap
        As in :func:`curves`, over ``layer``.

    Returns
    -------
    dict
        Values of ``keys`` and measure, nested -> ``first``, ``last`` and ``mean`` (over layers, of
        each text first), the latter two with ``_low`` and ``_high``; None where undefined.
    """
    drawn = curves(table, keys=keys, measures=measures, bootstrap=bootstrap)
    averaged = table.groupby([*keys, "example_id"], sort=False)[list(measures)].mean()
    over_layers = curves(
        averaged.reset_index().assign(layer=0), keys=keys, measures=measures, bootstrap=bootstrap
    ).set_index([*keys, "measure"])
    summary: dict[str, Any] = {}
    for values, curve in drawn.groupby([*keys, "measure"], sort=False):
        place = summary
        for value in values[:-1]:
            place = place.setdefault(value, {})
        last, mean = curve.iloc[-1], over_layers.loc[values]
        numbers = {
            "first": curve["mean"].iloc[0],
            **{"last": last["mean"], "last_low": last["low"], "last_high": last["high"]},
            **{"mean": mean["mean"], "mean_low": mean["low"], "mean_high": mean["high"]},
        }
        place[values[-1]] = {name: defined(value) for name, value in numbers.items()}
    return summary


def text_shown(focus: Focus, name: str, texts: pd.DataFrame) -> int:
    """Tell which text of an experiment the report shows token by token.

    Parameters
    ----------
    focus
        The text that is chosen; of other experiments it is the first.
    name
        Of the experiment.
    texts
        Those that are captured.

    Returns
    -------
    int
        Its ``id``.

    Raises
    ------
    InputError
        If fewer texts are captured.
    """
    index = focus.example if name == focus.experiment else 0
    if index >= len(texts):
        raise InputError(
            f"report.focus.example is {index} but {name} has only {len(texts)} captured texts; "
            "choose an earlier one (the first is 0) or capture more."
        )
    return int(texts["id"].iloc[index])


def defined(value: float) -> float | None:
    """Return a number as JSON takes it: None for one that is not defined."""
    return None if math.isnan(value) else float(value)
