"""Chapter *features*: what is found at every feature point, along the forward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.findings import features as findings
from analysis.figures.results import curves, metrics, trained
from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    MUTED,
    VARIANT_LINES,
    WIDTH,
    figure_style,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

METHODS = ("umap", "tsne", "pca")
TRUST = ("trustworthiness", "continuity", "overlap", "spread")
WORST = {"trustworthiness": min, "continuity": min, "overlap": min, "spread": max}
METHOD_COLOURS = dict(zip(METHODS, CATEGORY_COLOURS, strict=False))
# The whole text is dark, its first token light, as in the chapter *geometry*.
VECTOR_COLOURS = {"first": "#56B4E9", "mean": "#0072B2"}
TOKEN_COLOURS = {"first": "#56B4E9", "all": "#0072B2"}
POINT_MARKERS = {
    "word": "D",
    "embedding": "X",
    "context": "o",
    "attention_output": "s",
    "attention_block": "P",
    "ffn_output": "^",
    "layer_output": "v",
}

OWN_WORDS = {
    "word": ("word embedding", "単語埋め込み"),
    "embedding": ("embedding", "埋め込み"),
    "context": ("context", "文脈ベクトル"),
    "attention_output": ("attention output", "注意の出力"),
    "attention_block": ("attention block", "注意ブロック"),
    "ffn_output": ("FFN output", "FFN の出力"),
    "layer_output": ("layer output", "層の出力"),
    "place": ("{point} of layer {layer}", "第 {layer} 層の{point}"),
    "of_state": (" ({}, {})", "（{}、{}）"),
    "spread": ("spread over seeds", "シードによるばらつき"),
    "forward": ("layer (0: input)", "層（0 は入力）"),
    "moved": ("neighbours lost", "失われた近傍の割合"),
    "silhouette": ("silhouette by label", "ラベルによる\nシルエット係数"),
    "first": ("first token", "先頭のトークン"),
    "mean_vector": ("mean of the tokens", "トークンの平均"),
    "all": ("all tokens", "全トークン"),
    "shift": ("shift by fine-tuning", "ファインチューニングによるずれ"),
    "spread_larger": ("spread over seeds, larger of both", "シードによるばらつき（大きい方）"),
    "disparity": ("disparity, {}", "不一致度（{}）"),
    "cosine_distance": ("cosine distance\nbefore – after", "前後のコサイン距離"),
}


@dataclass(frozen=True)
class Results:
    """What the stages found, of every experiment.

    Attributes
    ----------
    maps
        Experiment -> ``variant``, ``method``, ``point``, ``layer``, token columns, ``x``, ``y``.
    texts
        Experiment -> texts on its maps: ``example_id``, ``text`` and ``label``, its name or "".
    trust
        A row a map: ``experiment``, ``variant``, ``method``, ``point``, ``layer``, ``TRUST``,
        ``moved``, ``shift``.
    separation, change
        Columns of ``plots/separation.csv`` and ``plots/change.csv``, and ``experiment``; empty
        without labels, without a fine-tuned model.
    """

    maps: Mapping[str, pd.DataFrame]
    texts: Mapping[str, pd.DataFrame]
    trust: pd.DataFrame
    separation: pd.DataFrame
    change: pd.DataFrame

    @property
    def labelled(self) -> bool:
        """Whether any experiment has labels."""
        return len(self.separation) > 0

    @property
    def tuned(self) -> bool:
        """Whether any experiment has a fine-tuned model."""
        return bool(self.trust["shift"].notna().any())

    def states(self, experiment: str) -> list[str]:
        """Model states that are mapped."""
        return list(self.maps[experiment]["variant"].unique())

    def places(self, experiment: str) -> list[tuple[str, int]]:
        """Points and their layers in the order of the forward pass."""
        rows = self.trust[self.trust["experiment"] == experiment]
        places = rows[["point", "layer"]].drop_duplicates().itertuples(index=False)
        return [(point, int(layer)) for point, layer in places]


def read_results(params: Params) -> Results:
    """Read the tables of all experiments."""
    maps, texts, trust = {}, {}, []
    for name in params.experiments:
        maps[name] = pd.read_parquet(result(name, "projection.parquet"))
        labels = list(metrics(name, "corpus")["labels"])
        mapped = pd.read_parquet(result(name, "mapped.parquet"))
        named = ["" if pd.isna(label) else labels[label] for label in mapped["label"]]
        texts[name] = mapped[["example_id", "text"]].assign(label=named)
        trust.append(pd.read_parquet(result(name, "trust.parquet")).assign(experiment=name))
    return Results(
        maps,
        texts,
        pd.concat(trust, ignore_index=True),
        curves(params, "separation"),
        curves(params, "change"),
    )


def shown(params: Params) -> str:
    """Name the experiment of the large map: one that has classes and two states, if there is."""
    return next(iter(trained(params)), params.report.focus.experiment)


# --- along the forward pass -----------------------------------------------------------------------


def forward_grid(
    rows: Mapping[str, pd.DataFrame],
    results: Results,
    w: Words,
    *,
    by: str,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    limits: tuple[float, float] | None = (0, 1.02),
    height: float = 1.75,
    markers: bool = True,
) -> Figure:
    """Draw values at every feature point in the order of the forward pass.

    Parameters
    ----------
    rows
        Label of the vertical axis -> ``experiment``, ``variant``, ``by``, ``point``, ``layer``,
        ``mean``, and ``low`` and ``high`` where there are intervals.
    results
        Gives the order of the points.
    w
        Words of the page's language.
    by
        Column that tells the lines of a panel apart.
    colours, names
        Value of ``by`` -> colour, and name in the legend; none with a single one.
    limits
        Of the vertical axes; None fits them to the data.
    height
        Of a row, in inches.
    markers
        Whether every point has the symbol of its kind.
    """
    everything = pd.concat(rows.values())
    experiments = list(everything["experiment"].unique())
    variants = list(everything["variant"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(rows),
            len(experiments),
            figsize=(WIDTH, height * len(rows) + 0.75),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        for column, experiment in enumerate(experiments):
            order = {place: index for index, place in enumerate(results.places(experiment))}
            for row, (label, table) in enumerate(rows.items()):
                axis = axes[row, column]
                part = table[table["experiment"] == experiment]
                for (variant, name), line in part.groupby(["variant", by], sort=False):
                    _forward_line(axis, line, order, colours[name], VARIANT_LINES[variant], markers)
                if limits:
                    axis.set_ylim(*limits)
                _layer_ticks(axis, list(order))
                axis.grid(axis="y")
                if row == 0:
                    axis.set_title(experiment)
                if column == 0:
                    axis.set_ylabel(label)
                if row == len(rows) - 1:
                    axis.set_xlabel(w["forward"])
        points = [p for p in POINT_MARKERS if markers and p in set(everything["point"])]
        several = len(names) > 1
        handles = [
            *(_line(names[name], colours[name], "solid") for name in names if several),
            *(
                _line(w[variant], INK, VARIANT_LINES[variant])
                for variant in variants
                if len(variants) > 1 or not several
            ),
            *(
                plt.Line2D(
                    [], [], ls="none", marker=POINT_MARKERS[p], ms=4, color=INK, mew=0, label=w[p]
                )
                for p in points
            ),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _line(label: str, colour: str, style: Any) -> plt.Line2D:
    return plt.Line2D([], [], color=colour, linestyle=style, label=label)


def _forward_line(
    axis: Axes,
    line: pd.DataFrame,
    order: Mapping[tuple[str, int], int],
    colour: str,
    style: Any,
    markers: bool,
) -> None:
    places = list(zip(line["point"], line["layer"], strict=True))
    x = np.array([order[place] for place in places])
    axis.plot(x, line["mean"], color=colour, linestyle=style, lw=1.2)
    if "low" in line:
        axis.fill_between(x, line["low"], line["high"], color=colour, alpha=0.15, lw=0)
    points = line["point"].to_numpy()
    for point in dict.fromkeys(points) if markers else ():
        chosen = points == point
        axis.plot(
            x[chosen],
            line["mean"].to_numpy()[chosen],
            POINT_MARKERS[point],
            ms=3.4,
            color=colour,
            mew=0,
        )


def _layer_ticks(axis: Axes, places: Sequence[tuple[str, int]]) -> None:
    """Name layers in their middle, and draw where they meet."""
    layers = np.array([layer for _, layer in places])
    names = np.unique(layers)
    axis.set_xticks([float(np.flatnonzero(layers == layer).mean()) for layer in names], names)
    axis.tick_params(axis="x", length=0)
    for border in np.flatnonzero(np.diff(layers)):
        axis.axvline(border + 0.5, color=MUTED, lw=0.5, alpha=0.35, zorder=0)


def moved_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of neighbours that each step of the forward pass takes from a token."""
    data = moved(results).rename(columns={"moved": "mean"}).assign(one="")
    figure = forward_grid(
        {w["moved"]: data},
        results,
        w,
        by="one",
        colours={"": INK},
        names={"": ""},
        height=2.2,
    )
    return figure, data.drop(columns="one").rename(columns={"mean": "moved"})


def moved(results: Results) -> pd.DataFrame:
    """One row a step; it needs no map, so every method says the same."""
    keys = ["experiment", "variant", "point", "layer"]
    return results.trust[results.trust["method"] == METHODS[0]][[*keys, "moved"]].dropna()


def trust_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the trust figures of every map."""
    keys = ["experiment", "variant", "method", "point", "layer"]
    data = results.trust[[*keys, *TRUST]]
    rows = {w[name]: data.rename(columns={name: "mean"}) for name in TRUST}
    rows[w["spread"]] = rows[w["spread"]].query("method != 'pca'")
    figure = forward_grid(
        rows,
        results,
        w,
        by="method",
        colours=METHOD_COLOURS,
        names={method: w[method] for method in METHODS},
        limits=None,
        height=1.35,
        markers=False,
    )
    return figure, data


def separation_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the silhouette by label at every point, of the first token and of the mean."""
    data = results.separation
    figure = forward_grid(
        {w["silhouette"]: data},
        results,
        w,
        by="vector",
        colours=VECTOR_COLOURS,
        names={"first": w["first"], "mean": w["mean_vector"]},
        limits=None,
        height=2.6,
    )
    for axis in figure.axes:
        axis.axhline(findings.STRUCTURE, color=MUTED, lw=0.8, ls=":", zorder=0)
    return figure, data


def shift_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how far fine-tuning shifts maps, beside how far maps of different seeds differ."""
    data = shifts(results)
    colours = {"shift": EMPHASIS, "spread_larger": MUTED}
    long = data.melt(
        ["experiment", "method", "point", "layer"],
        list(colours),
        var_name="what",
        value_name="mean",
    ).assign(variant="finetuned")
    long = long[(long["method"] != "pca") | (long["what"] == "shift")]
    rows = {
        w["disparity"].format(w[method]): long[long["method"] == method]
        for method in METHODS
        if method in set(long["method"])
    }
    figure = forward_grid(
        rows,
        results,
        w,
        by="what",
        colours=colours,
        names={name: w[name] for name in colours},
        height=1.5,
    )
    return figure, data


def shifts(results: Results) -> pd.DataFrame:
    """One row a map after fine-tuning: its shift, and the larger spread of the two states."""
    keys = ["experiment", "method", "point", "layer"]
    after = results.trust[results.trust["shift"].notna()]
    before = results.trust[results.trust["shift"].isna()]
    both = after.merge(before[[*keys, "spread"]], on=keys, suffixes=("", "_before"))
    return both.assign(spread_larger=both[["spread", "spread_before"]].max(axis=1))[
        [*keys, "shift", "spread_larger"]
    ]


def change_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the cosine distance between features before and after fine-tuning."""
    data = distances(results)
    figure = forward_grid(
        {w["cosine_distance"]: data.assign(variant="finetuned")},
        results,
        w,
        by="tokens",
        colours=TOKEN_COLOURS,
        names={"first": w["first"], "all": w["all"]},
        limits=None,
        height=2.2,
    )
    return figure, data


def distances(results: Results) -> pd.DataFrame:
    """Cosine distances at the mapped points, in their order."""
    rows = results.change[results.change["measure"] == "cosine_distance"]
    frames = []
    for experiment, part in rows.groupby("experiment", sort=False):
        order = {place: index for index, place in enumerate(results.places(str(experiment)))}
        index = [
            order.get((point, int(layer)), -1)
            for point, layer in zip(part["point"], part["layer"], strict=True)
        ]
        part = part.assign(order=index)
        frames.append(part[part["order"] >= 0].sort_values("order").drop(columns="order"))
    return pd.concat(frames, ignore_index=True) if frames else rows


def trust_table(results: Results, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How far maps can be trusted: mean and worst, one row an experiment, state and method."""
    data = []
    for (experiment, variant, method), maps in results.trust.groupby(
        ["experiment", "variant", "method"], sort=False
    ):
        row: dict[str, Any] = {"experiment": experiment, "variant": variant, "method": method}
        for name, worst in WORST.items():
            row |= {name: maps[name].mean(), f"{name}_worst": worst(maps[name])}
        data.append(row)
    cells = [
        {
            w["experiment"]: row["experiment"],
            w["variant"]: w[row["variant"]],
            w["method"]: w[row["method"]],
        }
        | {
            # Nothing is drawn by lot in PCA.
            w[name]: w["no_seed"]
            if name == "spread" and row["method"] == "pca"
            else f"{row[name]:.2f}\u00a0({row[f'{name}_worst']:.2f})"
            for name in TRUST
        }
        for row in data
    ]
    return pd.DataFrame(cells), pd.DataFrame(data)
