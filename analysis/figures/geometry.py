"""Chapter *geometry*: whether distance shows attention, over all texts and heads."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from analysis.figures.curves import curve_grid
from analysis.figures.findings.phrases import span
from analysis.figures.results import summary
from analysis.figures.style import INK, SEQUENTIAL, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

# How vectors are taken; the same colours in every figure of the chapter.
WAY_COLOURS = {
    "before": "#D55E00",
    "translated": "#E69F00",
    "after": "#0072B2",
    "joint": "#56B4E9",
}
RANKS = ("cosine", "euclidean", "plane")
CHOICES = ("centroid", "norm-ratio", "weighted", "closed-form")
OWN_WORDS = {
    "before": ("as the model has them", "モデルのまま"),
    "translated": ("translated", "平行移動"),
    "after": ("translated and scaled, closed form", "平行移動と尺度変換（閉形式）"),
    "joint": ("the same, one c for all heads", "同上（全ヘッド共通の c）"),
    "cosine": ("by angle", "角度（コサイン）"),
    "euclidean": ("in full dimension", "全次元の距離"),
    "plane": ("in the plane", "平面上の距離"),
    "correlation": ("rank correlation", "順位相関"),
    "offset": ("offset from zero", "0 からの隔たり"),
    "choice": ("choice", "選び方"),
    "scope": ("for each", "単位"),
    "layer_scope": ("layer", "層"),
    "head_scope": ("head", "ヘッド"),
    "model_scope": ("model", "モデル"),
    "centroid": ("centroid", "重心"),
    "norm-ratio": ("norm ratio", "ノルム比"),
    "weighted": ("weighted", "重み付き"),
    "closed-form": ("closed form", "閉形式"),
    "c": ("c", "c"),
    "pearson": ("correlation with squared distance", "距離の二乗との相関"),
    "edge": ("at the edge", "探索範囲の端"),
    "a": ("a", "a"),
    "size": ("strength of the correlation", "相関の強さ"),
    "no_grid": ("no grid searched", "格子探索なし"),
}


def ways(curves: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Curves of one measure, with the column ``way`` instead of ``measure``."""
    found = curves[curves["measure"].str.startswith(f"{measure}_")]
    return found.assign(way=found["measure"].str.removeprefix(f"{measure}_"))


def close_curves(curves: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Where the strongest key of a query stands among its neighbours, by three distances."""
    rows = {w[rank]: ways(curves, rank) for rank in RANKS}
    figure = curve_grid(
        rows, colours=WAY_COLOURS, w=w, by="way", limits=(0, 1), legend_columns=2, height=1.5
    )
    for axis in figure.axes:
        axis.axhline(0.5, color=INK, lw=0.6, ls="dotted")
    return figure, pd.concat(rows.values())


def correlation_curves(curves: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Correlation of dot product and cosine distance, and what makes the two differ."""
    rows = {w[measure]: ways(curves, measure) for measure in ("correlation", "offset")}
    colours = {way: WAY_COLOURS[way] for way in ("before", "after")}
    figure = curve_grid(
        rows, colours=colours, w=w | {"after": w["translated"]}, by="way", limits=None, height=1.5
    )
    return figure, pd.concat(rows.values())


def head_maps(
    table: pd.DataFrame,
    value: str,
    label: str,
    w: Words,
) -> Figure:
    """Draw one heat map of layers and heads a model state, all with the same colours.

    Parameters
    ----------
    table
        ``experiment``, ``variant``, ``layer``, ``head`` and the ``value``.
    value
        Column that is drawn.
    label
        Of the colours.
    w
        Words of the page's language.
    """
    states = list(table.groupby(["experiment", "variant"], sort=False))
    columns = min(5, len(states))
    rows = -(-len(states) // columns)
    low, high = table[value].min(), table[value].max()
    with figure_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=(WIDTH, 1.35 * rows + 0.7), squeeze=False
        )
        for axis in axes.flat:
            axis.axis("off")
        for axis, ((experiment, variant), part) in zip(axes.flat, states, strict=False):
            grid = part.pivot(index="layer", columns="head", values=value)
            axis.axis("on")
            image = axis.imshow(
                grid, cmap=SEQUENTIAL, norm=Normalize(low, high), origin="lower", aspect="auto"
            )
            axis.set_title(f"{experiment}\n{w[variant]}", fontsize=7.5)
            axis.set_xticks(range(0, len(grid.columns), 3), grid.columns[::3], fontsize=6.5)
            axis.set_yticks(range(len(grid.index)), grid.index, fontsize=6.5)
        for axis in axes[:, 0]:
            axis.set_ylabel(w["layer"])
        for axis in axes[-1]:
            axis.set_xlabel(w["head"])
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=40, label=label)
    return figure


def scales(params: Params) -> pd.DataFrame:
    """Every choice of c of every experiment, with the column ``experiment``."""
    return pd.concat(
        [
            pd.read_parquet(result(name, "scales.parquet")).assign(experiment=name)
            for name in params.experiments
        ],
        ignore_index=True,
    )


def scale_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row a choice and scope, over the heads of all experiments and states."""
    data = scales(params)
    rows = []
    for choice in CHOICES:
        for scope in ("head", "layer", "model"):
            part = data[(data["choice"] == choice) & (data["scope"] == scope)]
            if part.empty:
                continue
            numbers = part["c"].dropna()
            rows.append(
                {
                    "choice": w[choice],
                    "scope": w[f"{scope}_scope"],
                    "c": _range(numbers, w),
                    "pearson": _range([part["correlation"].mean()], w),
                    "edge": f"{part['at_edge'].mean():.0%}"
                    if choice == "weighted"
                    else w["no_grid"],
                }
            )
    return pd.DataFrame(rows).rename(columns=w), data


def _range(numbers: Sequence[float], w: Words) -> str:
    values = pd.Series(numbers).dropna()
    if values.empty:
        return w["not_defined"]
    if values.nunique() == 1:
        return span(values.tolist(), ".2f")
    return f"{values.median():.2f} ({span(values.tolist(), '.2f')})".replace("-", "\u2212")


def grid_figure(params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the seed's grid of the first layer, and the correlation of every head over c."""
    name = params.report.focus.experiment
    grid = pd.read_parquet(result(name, "sentence", "pretrained-grid.parquet"))
    first = grid[grid["layer"] == 1]
    cells = first.pivot(index="a", columns="c", values="correlation").abs()
    curves = pd.read_csv(result(name, "plots", "scale.csv"))
    curves = curves[curves["variant"] == "pretrained"]
    found = pd.read_parquet(result(name, "scales.parquet"))
    found = found[
        (found["variant"] == "pretrained")
        & (found["choice"] == "closed-form")
        & (found["scope"] == "head")
    ]
    layers = sorted(curves["layer"].unique())
    colour = plt.get_cmap(SEQUENTIAL)
    shade = {
        layer: colour(0.1 + 0.85 * i / max(len(layers) - 1, 1)) for i, layer in enumerate(layers)
    }
    with figure_style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.9), width_ratios=(1, 1.25))
        image = left.imshow(cells, origin="lower", aspect="auto")
        left.set_xticks(range(len(cells.columns)), [f"{c:.2g}" for c in cells.columns], fontsize=6)
        left.set_yticks(range(len(cells.index)), [f"{a:.2g}" for a in cells.index], fontsize=6.5)
        left.set_xlabel(w["c"])
        left.set_ylabel(w["a"])
        left.set_title(w["nth_layer"].format(1))
        figure.colorbar(image, ax=left, location="bottom", shrink=0.9, label=w["size"])
        for (layer, _), line in curves.groupby(["layer", "head"]):
            right.plot(line["c"], line["correlation"], color=shade[layer], lw=0.6, alpha=0.7)
        for row in found.itertuples():
            right.plot(row.c, row.correlation, "o", ms=2.5, color=shade[row.layer])
        right.set_xscale("log", base=2)
        right.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        right.set_xlabel(w["c"])
        right.set_ylabel(w["pearson"])
        right.axvline(1, color=INK, lw=0.6, ls="dotted")
        bar = plt.cm.ScalarMappable(Normalize(layers[0], layers[-1]), SEQUENTIAL)
        figure.colorbar(bar, ax=right, location="bottom", shrink=0.7, label=w["layer"])
    data = pd.concat([first.assign(kind="seed grid"), curves.assign(kind="curve")])
    return figure, data


def states(params: Params) -> dict[tuple[str, str], dict]:
    """Geometry summaries of every experiment and model state."""
    return {
        (name, variant): found
        for name in params.experiments
        for variant, found in summary(name, "geometry").items()
    }
