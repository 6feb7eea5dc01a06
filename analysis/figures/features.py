"""Chapter *features*: the tokens of one text at every feature point."""

from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.results import metrics
from analysis.figures.style import DOTS, INK, MUTED, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

LAYER_POINTS = ("context", "attention_output", "ffn_output")
OWN_WORDS = {
    "word": ("word embedding", "単語埋め込み"),
    "embedding": ("embedding", "埋め込み（位置込み）"),
    "context": ("context", "文脈ベクトル"),
    "attention_output": ("attention output", "注意の出力"),
    "ffn_output": ("FFN output", "FFN の出力"),
    "position": ("position in the text", "テキスト中の位置"),
    "maps": ("maps", "枚数"),
    "trustworthiness": ("trustworthiness, mean", "信頼性（平均）"),
    "trustworthiness_worst": ("trustworthiness, worst map", "信頼性（最小）"),
}


def coordinates(experiment: str) -> pd.DataFrame:
    """One row for each variant, point, layer and token of the mapped text."""
    return pd.read_parquet(result(experiment, "projection.parquet"))


def feature_maps(table: pd.DataFrame, w: Words) -> Figure:
    """Small multiples, one map a feature point; tokens coloured by position.

    Parameters
    ----------
    table
        Rows of :func:`coordinates` of one experiment and variant.
    w
        Words of the page's language.
    """
    layers = sorted(table.loc[table["layer"] > 0, "layer"].unique())
    rows = len(LAYER_POINTS)
    with figure_style():
        columns = len(layers) + 1
        side = WIDTH / columns
        figure, axes = plt.subplots(
            rows, columns, figsize=(WIDTH, side * rows + 0.75), squeeze=False
        )
        for row, point in enumerate(LAYER_POINTS):
            for column, layer in enumerate([0, *layers]):
                axis = axes[row, column]
                name = ("word", "embedding", None)[row] if layer == 0 else point
                if name is None:
                    axis.axis("off")
                    continue
                part = table[(table["point"] == name) & (table["layer"] == layer)]
                dots = _map(axis, part)
                if layer == 0:
                    axis.set_title(w[name], fontsize=6.5)
                elif row == 0:
                    axis.set_title(f"{w['layer']} {layer}", fontsize=7.5)
                if layer == layers[0]:
                    axis.set_ylabel(w[point], fontsize=7.5)
        figure.colorbar(
            dots, ax=axes, location="bottom", shrink=0.5, aspect=40, label=w["position"]
        )
    return figure


def _map(axis, part: pd.DataFrame):
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color(MUTED)
        spine.set_linewidth(0.6)
    axis.margins(0.12)
    special = part["is_special"].to_numpy(bool)
    axis.scatter(
        part["x"][special], part["y"][special], s=26, facecolors="none", edgecolors=INK, lw=0.8
    )
    return axis.scatter(part["x"], part["y"], c=part["position"], cmap=DOTS, s=11, lw=0, vmin=0)


def trust_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How far the maps can be trusted, one row an experiment and variant."""
    rows = [
        {"experiment": name, "variant": variant} | values
        for name in params.experiments
        for variant, values in metrics(name, "projection").items()
    ]
    data = pd.DataFrame(rows)
    cells = data.copy()
    cells["variant"] = data["variant"].map(w)
    for column in ("trustworthiness", "trustworthiness_worst"):
        cells[column] = [f"{value:.2f}" for value in data[column]]
    return cells.rename(columns=w), data
