"""Token-to-token maps: square heat maps side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.style import WIDTH, figure_style
from analysis.figures.words import Words

LABELLED = 40  # more tokens than this leave no room for their names


def square_maps(
    panels: Mapping[str, NDArray], tokens: Sequence[str], w: Words, *, columns: int = 3
) -> tuple[Figure, pd.DataFrame]:
    """Draw matrices, each with its own colour scale.

    Parameters
    ----------
    panels
        Title -> ``[query, key]``.
    tokens
        ``[token]``, names of both axes.
    w
        Words of the page's language.
    columns
        Panels in a row.

    Returns
    -------
    figure, data
        The data with one row a cell.
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with figure_style():
        label = 0.055 * max(map(len, tokens)) if len(tokens) <= LABELLED else 0.3
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(WIDTH, rows * (WIDTH / columns + 0.55) + label),
            sharex=True,
            sharey=True,
            squeeze=False,
        )
        for index, (title, values) in enumerate(panels.items()):
            axis = axes.flat[index]
            image = axis.imshow(values, vmin=0)
            axis.set_title(title)
            if index >= (rows - 1) * columns:
                axis.set_xlabel(w["key"])
            if index % columns == 0:
                axis.set_ylabel(w["query"])
            name_tokens(axis.xaxis, tokens, rotation=90)
            name_tokens(axis.yaxis, tokens)
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
    return figure, _long(panels, tokens)


def name_tokens(axis: Axis, tokens: Sequence[str], rotation: float = 0) -> None:
    """Label an axis with tokens, if there is room."""
    if len(tokens) <= LABELLED:
        axis.set_ticks(
            range(len(tokens)),
            tokens,
            fontsize=7 if len(tokens) <= 24 else 5,
            rotation=rotation,
        )
        axis.set_tick_params(length=0)


def pairs(panel: str, values: NDArray, left: Sequence[str], right: Sequence[str]) -> pd.DataFrame:
    """One row a cell of an attention map: panel, query and key position and token, weight.

    Parameters
    ----------
    panel
        Names the map.
    values
        ``[query, key]``.
    left, right
        Tokens of the queries and of the keys.
    """
    data = cells(("query", "key"), weight=values)
    data.insert(0, "panel", panel)
    return with_tokens(data, left, right)


def cells(axes: Sequence[str], **values: NDArray) -> pd.DataFrame:
    """One row a cell of arrays of one shape: its place along every axis, from 0, and its values."""
    places = np.indices(next(iter(values.values())).shape)
    columns = dict(zip(axes, places, strict=True)) | values
    return pd.DataFrame({name: column.ravel() for name, column in columns.items()})


def with_tokens(data: pd.DataFrame, queries: Sequence[str], keys: Sequence[str]) -> pd.DataFrame:
    """Put the tokens beside the positions of queries and keys."""
    for axis, tokens in (("query", queries), ("key", keys)):
        beside = data.columns.get_loc(axis) + 1
        data.insert(beside, f"{axis}_token", np.take(tokens, data[axis]))
    return data


def _long(panels: Mapping[str, NDArray], tokens: Sequence[str]) -> pd.DataFrame:
    frames = [pairs(panel, values, tokens, tokens) for panel, values in panels.items()]
    return pd.concat(frames, ignore_index=True)
