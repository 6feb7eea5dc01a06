"""Grids of heat maps: a panel a matrix, whose rows and columns are named beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import Bbox
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from analysis.figures.style import MUTED, SMALLEST, WIDTH, figure_style, in_two_lines, lay_out
from attention_mixing.messages import Words

TALL = 9.0  # inches, more than a grid needs
LABELLED = 40  # more tokens than this leave no room for their names
NAME, NAMED_WIDTH = 0.13, 4.5  # inches: breadth of a name on its side, and of all tokens of a row


def map_grid(
    panels: Mapping[str, pd.DataFrame],
    w: Words,
    *,
    across: int = 3,
    bar: str | None = None,
    height: float = TALL,
    **style: Any,
) -> Figure:
    """Draw matrices side by side; the figure has their axes first, in the order of the panels.

    Parameters
    ----------
    panels
        Title -> a matrix, as :func:`draw_map` takes it.
    w
        Words of the page's language; those for what rows and columns are label the axes.
    across
        Panels in a row.
    bar
        Label of one bar of colours for all, which ``style`` limits. Without it each map has its own
        colours and a bar of its own.
    height
        Inches for all, of which maps of a given aspect take what they need, and others everything.
    style
        As of ``imshow``.
    """
    with figure_style():
        figure = tall_figure(height)
        draw_maps(figure, panels, w, across=across, bar=bar, **style)
        lay_out(figure)
        for axis in figure.axes[: len(panels)]:
            label = axis.yaxis.label
            if label.get_window_extent().height > axis.get_window_extent().height:
                label.set_text(in_two_lines(label.get_text()))
        fit_height(figure, laid_out=True)
        fit_height(figure)  # bars of colours are some share of the height away
    return figure


def draw_maps(
    figure: Figure | SubFigure,
    panels: Mapping[str, pd.DataFrame],
    w: Words,
    *,
    across: int = 3,
    bar: str | None = None,
    **style: Any,
) -> None:
    """Draw as :func:`map_grid`, in a figure or a part of one."""
    across = min(across, max(len(panels), 2))  # a map alone needs no more width than one of two
    axes = wrapped(figure, len(panels), across)
    # Where all maps have the same names, they stand at the outer ones.
    rows = _alike([table.index for table in panels.values()])
    columns = _alike([table.columns for table in panels.values()])
    for index, (axis, (title, table)) in enumerate(zip(axes, panels.items(), strict=True)):
        image = draw_map(axis, table, **style)
        axis.set_title(title, fontsize=SMALLEST)
        first, last = index % across == 0, index + across >= len(panels)
        axis.tick_params(labelleft=first or not rows, labelbottom=last or not columns)
        if first:
            axis.set_ylabel(w.get(table.index.name, ""))
        if last:
            axis.set_xlabel(w.get(table.columns.name, ""))
        if bar is None:
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
    if bar is not None:
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=40, label=bar)


def wrapped(figure: Figure | SubFigure, count: int, across: int, **shared: Any) -> list[Axes]:
    """Give a figure so many panels, row by row; in the last row there may be fewer."""
    axes = figure.subplots(-(-count // across), across, squeeze=False, **shared).ravel()
    for axis in axes[count:]:
        axis.remove()
    return list(axes[:count])


def tall_figure(height: float = TALL, **style: Any) -> Figure:
    """Make a figure that :func:`fit_height` is to cut; what lies between panels is in inches.

    ``style`` is as of ``plt.figure``.
    """
    engine = ConstrainedLayoutEngine(compress=True, hspace=0)
    return plt.figure(figsize=(WIDTH, height), layout=engine, **style)


def fit_height(figure: Figure, *, laid_out: bool = False) -> None:
    """Make a figure, which may have been laid out, no taller than its panels and legends."""
    if not laid_out:
        lay_out(figure)
    panels = Bbox.union([box for axis in figure.axes if (box := axis.get_tightbbox())])
    legends = sum(legend.get_window_extent().height for legend in figure.legends)
    figure.set_figheight((panels.height + legends) / figure.dpi + 0.2)


def by_state(rows: pd.DataFrame, column: str, w: Words) -> dict[str, pd.DataFrame]:
    """Make a panel of each experiment and model state: means by layer and by another column."""
    return {
        f"{experiment}\n{w[variant]}": group.pivot(index="layer", columns=column, values="mean")
        for (experiment, variant), group in rows.groupby(["experiment", "variant"], sort=False)
    }


def token_rows(
    blocks: Mapping[str, pd.DataFrame], *, gap: float, margin: float, bar: str, **style: Any
) -> Figure:
    """Draw values of the tokens of one text, a row a method, in blocks one below the other.

    Where there is no room for the names of all tokens, those have one to which a method gives most.

    Parameters
    ----------
    blocks
        Title, which may be empty -> ``[method, token]``, with the names of both.
    gap, margin
        Room beside each block, and beside all of them, in inches.
    bar
        Label of the one bar of colours, which ``style`` limits.
    style
        As of ``imshow``.
    """
    tokens = next(iter(blocks.values())).columns
    places = range(len(tokens)) if len(tokens) <= LABELLED else _largest(blocks.values())
    with figure_style():
        heights = [len(block) for block in blocks.values()]
        names = 0.055 * max(len(tokens[place]) for place in places)
        height = 0.17 * sum(heights) + gap * len(blocks) + names + margin
        figure, grid = plt.subplots(
            len(blocks),
            1,
            figsize=(WIDTH, height),
            sharex=True,
            squeeze=False,
            height_ratios=heights,
        )
        axes = grid[:, 0]
        for axis, (title, block) in zip(axes, blocks.items(), strict=True):
            image = draw_map(axis, block, aspect="auto", **style)
            axis.set_title(title, fontsize=SMALLEST)
        axes[-1].set_xticks(places, tokens[places], rotation=90)
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=bar)
    return figure


def _largest(blocks: Iterable[pd.DataFrame]) -> list[int]:
    """Places of the tokens with the largest values of some row, as many as have room for names."""
    values = np.concatenate([block.to_numpy(float) for block in blocks])
    best = np.nanmax(values, axis=0, initial=-np.inf)
    known = values[np.isfinite(values).any(axis=1)]
    places = {int(np.nanargmax(row)) for row in known} or {0}
    apart = np.ceil(len(best) * NAME / NAMED_WIDTH)
    kept: list[int] = []
    for place in sorted(places, key=lambda place: -best[place]):
        if all(abs(place - other) >= apart for other in kept):
            kept.append(place)
    return sorted(kept)


def draw_map(axis: Axes, table: pd.DataFrame, **style: Any) -> AxesImage:
    """Draw a matrix; what has no value, such as what a mask leaves out, is hatched.

    ``table`` is ``[row, column]``, with the names of both; ``style`` is as of ``imshow``.
    """
    image = axis.imshow(table.to_numpy(float), **style)
    axis.spines[:].set_visible(True)  # a dark map ends somewhere on a dark page
    if table.isna().any(axis=None):
        axis.patch.set(hatch="/" * 5, edgecolor=MUTED, linewidth=0)
    name_tokens(axis.yaxis, table.index)
    name_tokens(axis.xaxis, table.columns, rotation=0 if _numbers(table.columns) else 90)
    return image


def write_cells(axis: Axes, form: Callable[[float], str], fontsize: float = SMALLEST) -> None:
    """Write the values of a map into its cells, black on its light colours, white on its dark ones.

    A map has the same colours on light pages and dark ones, and so have its numbers. Cells without
    a value stay empty. ``axis`` has one map, and ``fontsize`` is in points.
    """
    (image,) = axis.images
    values = np.asarray(image.get_array(), float)
    light = image.to_rgba(values)[..., :3] @ (0.299, 0.587, 0.114) > 0.5
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            axis.text(
                column,
                row,
                form(float(value)),
                ha="center",
                va="center",
                fontsize=fontsize,
                color="black" if light[row, column] else "white",
                in_layout=False,  # it is inside, and hundreds of them take long to measure
            )


def square(values: NDArray, tokens: Sequence[str]) -> pd.DataFrame:
    """Name the queries and keys of a map ``[query, key]`` of one text."""
    return pd.DataFrame(values, pd.Index(tokens, name="query"), pd.Index(tokens, name="key"))


def square_maps(
    panels: Mapping[str, NDArray],
    tokens: Sequence[str],
    w: Words,
    *,
    columns: int = 3,
    bar: str | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw maps of one text, one row of the data a cell.

    Each is ``[query, key]`` under its title, and ``tokens`` are the names of both axes; ``columns``
    panels stand in a row. ``bar`` is the label of one scale of colours for all maps, by which they
    can be compared; without it each has its own.
    """
    tables = {title: square(values, tokens) for title, values in panels.items()}
    data = [pairs(title, values, tokens, tokens) for title, values in panels.items()]
    limits = {} if bar is None else {"vmax": max(values.max() for values in panels.values())}
    figure = map_grid(tables, w, across=columns, bar=bar, vmin=0, **limits)
    return figure, pd.concat(data, ignore_index=True)


def name_tokens(axis: Axis, tokens: Sequence[Any], rotation: float = 0) -> None:
    """Label an axis with tokens, if there is room, or with numbers."""
    if len(tokens) <= LABELLED or _numbers(tokens):
        axis.set_ticks(range(len(tokens)), tokens, rotation=rotation)
        axis.set_tick_params(length=0)


def _numbers(names: Sequence[Any]) -> bool:
    return is_numeric_dtype(pd.Index(names))


def _alike(names: Sequence[pd.Index]) -> bool:
    first, *others = names
    return all(first.equals(other) for other in others)


def pairs(panel: str, values: NDArray, left: Sequence[str], right: Sequence[str]) -> pd.DataFrame:
    """One row a cell of an attention map: panel, query and key position and token, weight.

    ``values`` are ``[query, key]``; ``left`` and ``right`` are the tokens of the queries and of the
    keys.
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


def masked(values: NDArray[np.floating], left: Sequence[str], right: Sequence[str]) -> pd.DataFrame:
    """Name queries and keys of attention, without value where a mask leaves no weight at all."""
    return pd.DataFrame(values, left, right).where(values != 0)
