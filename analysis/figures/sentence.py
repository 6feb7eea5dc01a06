"""Chapter *geometry*: AttentionViz rebuilt on the one text that the report shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from safetensors.numpy import load_file

from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    MUTED,
    WIDTH,
    drawable,
    figure_style,
    frame,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

KIND_COLOURS = dict(zip(("query", "key"), (CATEGORY_COLOURS[2], CATEGORY_COLOURS[3]), strict=True))
GREY = "#8b93a0"  # of a raster, which cannot follow the page
WAYS = ("before", "seed", "after")
OWN_WORDS = {
    "seed": ("with the rebuild's a and c", "再現研究の a と c"),
    "cosine_distance": ("cosine distance", "コサイン距離"),
    "dot": ("dot product", "内積"),
    "all_pairs": ("all pairs", "すべての組"),
    "own_pairs": ("a token with itself", "自分自身との組"),
    "pair": ("pair", "組"),
    "weight": ("weight", "重み"),
    "place": ("layer.head", "層.ヘッド"),
    "every_head": ("mean over all", "全体の平均"),
    "distance_before": ("distance before", "距離（正規化前）"),
    "distance_seed": ("rebuild", "再現研究"),
    "distance_after": ("closed form", "閉形式"),
    "closer_seed": ("closer, rebuild", "近づいたか（再現研究）"),
    "closer_after": ("closer, closed form", "近づいたか（閉形式）"),
    "yes": ("yes", "はい"),
    "no": ("no", "いいえ"),
}


@dataclass(frozen=True)
class Sentence:
    """The text shown, in the pretrained model.

    Attributes
    ----------
    tokens
        ``[token]``.
    arrays
        What :mod:`analysis.stages.sentence` wrote, ``[layer, head, ...]``.
    grid, layers, pairs
        Its tables.
    """

    tokens: list[str]
    arrays: dict[str, NDArray[np.float32]]
    grid: pd.DataFrame
    layers: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def asked(self) -> pd.DataFrame:
        """Pairs that were asked for, in every head, the largest weight first."""
        return self.pairs[self.pairs["asked"]].sort_values("attention", ascending=False)

    @property
    def red(self) -> pd.DataFrame:
        """Those of them whose key is the strongest of its query."""
        return self.asked[self.asked["strongest"]]

    @property
    def at_edge(self) -> pd.Series:
        """Layers in which the study's search ends at the end of its grid of ``a``."""
        ends = self.grid["a"].abs().max()
        return self.layers["a"].abs() >= ends

    @property
    def head(self) -> tuple[int, int]:
        """Layer and head, 1-based, of the pair with the largest weight; else the first."""
        if self.red.empty:
            return 1, 1
        pair = self.red.iloc[0]
        return int(pair["layer"]), int(pair["head"])


def read_sentence(params: Params) -> Sentence:
    """Read the text that ``report.focus`` names."""
    name = params.report.focus.experiment
    directory = result(name, "sentence")
    shown = pd.read_parquet(result(name, "shown", "tokens.parquet"))
    return Sentence(
        tokens=[drawable(token) for token in shown["token"]],
        arrays=load_file(directory / "pretrained.safetensors"),
        grid=pd.read_parquet(directory / "pretrained-grid.parquet"),
        layers=pd.read_parquet(directory / "pretrained-layers.parquet"),
        pairs=pd.read_parquet(directory / "pretrained-pairs.parquet"),
    )


def scatter(sentence: Sentence, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Dot product against cosine distance in the first layer, three ways."""
    own = np.eye(len(sentence.tokens), dtype=bool)
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, len(WAYS), figsize=(WIDTH, 2.7), sharex=True)
        for axis, way in zip(axes, WAYS, strict=True):
            dot, cosine = (sentence.arrays[f"{kind}_{way}"][0] for kind in ("dot", "cosine"))
            for chosen, colour, label in (
                (~own, GREY, w["all_pairs"]),
                (own, CATEGORY_COLOURS[0], w["own_pairs"]),
            ):
                axis.plot(
                    cosine[:, chosen].ravel(),
                    dot[:, chosen].ravel(),
                    "o",
                    ms=2,
                    mew=0,
                    alpha=0.7,
                    color=colour,
                    label=label,
                    rasterized=True,
                )
            axis.set_title(w[way], fontsize=8)
            axis.set_xlabel(w["cosine_distance"])
            head, query, key = np.indices(dot.shape)
            frames.append(
                pd.DataFrame(
                    {
                        "way": way,
                        "head": head.ravel() + 1,
                        "query": query.ravel(),
                        "key": key.ravel(),
                        "dot": dot.ravel(),
                        "cosine_distance": cosine.ravel(),
                    }
                )
            )
        axes[0].set_ylabel(w["dot"])
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, markerscale=2)
    return figure, pd.concat(frames, ignore_index=True)


def plane(sentence: Sentence, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one head in the plane, three ways, with a line to the strongest key of each query."""
    layer, head = sentence.head
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, len(WAYS), figsize=(WIDTH, 3.0))
        for axis, way in zip(axes, WAYS, strict=True):
            points = _draw_head(axis, sentence, layer, head, way, size=13)
            for kind, places in points.items():
                for token, place in zip(sentence.tokens, places, strict=True):
                    axis.annotate(
                        token,
                        place,
                        xytext=(2, 2),
                        textcoords="offset points",
                        fontsize=5.5,
                        color=KIND_COLOURS[kind],
                    )
                frames.append(
                    pd.DataFrame(places, columns=["x", "y"]).assign(
                        way=way, kind=kind, token=sentence.tokens
                    )
                )
            axis.set_title(w[way], fontsize=8)
        kind_legend(figure, w)
    return figure, pd.concat(frames, ignore_index=True)


def plane_heads(sentence: Sentence, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every layer and head in its own plane, translated and scaled."""
    layers, heads = sentence.arrays["attention"].shape[:2]
    with figure_style():
        side = WIDTH / heads
        figure, axes = plt.subplots(
            layers, heads, figsize=(WIDTH, side * layers + 0.5), squeeze=False
        )
        axis: Axes
        for (layer, head), axis in np.ndenumerate(axes):
            _draw_head(axis, sentence, layer + 1, head + 1, "after", size=2, thickest=1.5)
            if layer == 0:
                axis.set_title(str(head + 1), fontsize=6.5, loc="center")
            if head == 0:
                axis.set_ylabel(str(layer + 1), fontsize=6.5, rotation=0, va="center", labelpad=8)
        figure.suptitle(w["head"], fontsize=7.5)
        figure.supylabel(w["layer"], fontsize=7.5)
        kind_legend(figure, w)
    return figure, sentence.pairs


def _draw_head(
    axis: Axes,
    sentence: Sentence,
    layer: int,
    head: int,
    way: str,
    *,
    size: float,
    thickest: float = 4,
) -> dict[str, NDArray[np.float32]]:
    points = {
        kind: sentence.arrays[f"{kind}_{way}"][layer - 1, head - 1] for kind in ("query", "key")
    }
    strongest = sentence.pairs[sentence.pairs["strongest"]]
    pairs = strongest[(strongest["layer"] == layer) & (strongest["head"] == head)]
    for pair in pairs.sort_values("asked").itertuples():
        ends = np.stack([points["query"][pair.query], points["key"][pair.key]])
        axis.plot(
            *ends.T,
            color=EMPHASIS if pair.asked else MUTED,
            lw=max(0.3, thickest * pair.attention),
            alpha=0.9 if pair.asked else 0.45,
            zorder=1,
        )
    for kind, places in points.items():
        axis.scatter(places[:, 0], places[:, 1], s=size, color=KIND_COLOURS[kind], lw=0, zorder=2)
    frame(axis, margin=0.1)
    return points


def kind_legend(figure: Figure, w: Words) -> None:
    """Tell queries from keys, below the panels."""
    figure.legend(
        handles=[
            plt.Line2D([], [], marker="o", ls="", ms=4, color=colour, label=w[kind])
            for kind, colour in KIND_COLOURS.items()
        ],
        loc="outside lower center",
        ncols=2,
    )


def pairs_table(sentence: Sentence, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up, for each pair that was asked for, in how many heads it comes closer.

    The rows below are heads in which its key is the strongest of the query.
    """
    rows = []
    asked = sentence.asked
    for (query, key), heads in asked.groupby(["query_token", "key_token"], sort=False):
        pair = f"{query} → {key}"
        closer = [
            f"{(heads[f'distance_{way}'] < heads['distance_before']).sum()} / {len(heads)}"
            for way in ("seed", "after")
        ]
        means = [f"{heads[f'distance_{way}'].mean():.2f}" for way in WAYS]
        weight = f"{heads['attention'].mean():.2f}"
        rows.append([pair, w["every_head"], weight, *means, *closer])
    for found in sentence.red.itertuples():
        distances = [found.distance_before, found.distance_seed, found.distance_after]
        closer = [w["yes"] if d < distances[0] else w["no"] for d in distances[1:]]
        rows.append(
            [
                f"{found.query_token} → {found.key_token}",
                f"{found.layer}.{found.head}",
                f"{found.attention:.2f}",
                *(f"{d:.2f}" for d in distances),
                *closer,
            ]
        )
    columns = [
        *("pair", "place", "weight"),
        *(f"distance_{way}" for way in WAYS),
        *("closer_seed", "closer_after"),
    ]
    return pd.DataFrame(rows, columns=[w[column] for column in columns]), asked
