"""Chapter *index*: the answers at a glance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from analysis.figures.results import metrics, summary
from analysis.figures.style import EXPERIMENT_MARKERS, INK, METHOD_COLOURS, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.params import Params

OWN_WORDS = {
    "within": ("in one layer, mean over layers", "一つの層で（層についての平均）"),
    "through": ("after the last layer", "最終層までに"),
    "answer_raw": ("attention weights", "注意重み"),
    "answer_residual": (
        "weights, residual connection\ncounted as a share of {}",
        "注意重み\n（残差接続を割合 {} で数える）",
    ),
    "answer_vectors": (
        "vectors, with residual\nand normalization",
        "ベクトル\n（残差接続と層正規化を含む）",
    ),
    "answer_layer": (
        "vectors, whole layer\nwith feed-forward block",
        "ベクトル\n（フィードフォワード層を含む層全体）",
    ),
    "answer_rollout": ("rollout", "ロールアウト"),
    "answer_uniform": (
        "rollout, had every token\nattended to all alike",
        "ロールアウト\n（注意がすべて均等だったら）",
    ),
    "answer_measured": ("rollout, residual measured", "ロールアウト（実測の残差）"),
    "answer_distance": (
        "difference left between\nthe rollouts of tokens",
        "トークン間に残る\nロールアウトの差",
    ),
    "answer_identifiable": (
        "tokens that their own input\nstill identifies",
        "自分の入力から\nなお見分けられるトークン",
    ),
    "share": ("share", "割合"),
    "looks_weights": ("the attention of one layer as it is", "一つの層の注意そのもの"),
    "looks_propagation": (
        "attention followed through the layers",
        "全層にわたってたどった注意",
    ),
    "looks_vectors": ("the size of the vectors passed on", "受け渡されるベクトルの大きさ"),
    "looks_gradients": (
        "how the answer would change with a word",
        "単語の変化に対する答えの変わりやすさ",
    ),
}
# Answer, the colour of its method, and where the metrics of a model state have it.
ANSWERS = (
    ("answer_raw", "raw", ("propagation", "raw", "mixing", "mean")),
    ("answer_residual", "residual", ("propagation", "residual", "mixing", "mean")),
    ("answer_vectors", "attnresln_n", ("mixing", "attnresln_n", "all", "ratio", "mean")),
    (
        "answer_layer",
        "attnresln_ffresln_n",
        ("mixing", "attnresln_ffresln_n", "all", "ratio", "mean"),
    ),
    ("answer_rollout", "rollout", ("propagation", "rollout", "mixing", "last")),
    ("answer_uniform", "uniform", ("propagation", "uniform", "mixing", "last")),
    ("answer_measured", "rollout_measured", ("propagation", "rollout_measured", "mixing", "last")),
    ("answer_distance", "rollout", ("propagation", "rollout", "row_distance", "last")),
    ("answer_identifiable", "identity", ("identity", "identifiability", "last")),
)
# Answers of one layer; the others follow all layers.
WITHIN = 4
_GAP = 0.7  # between the two groups, in rows


def answers(params: Params) -> pd.DataFrame:
    """One row an experiment, variant and answer, with ``value``, ``low`` and ``high``."""
    rows = []
    for name in params.experiments:
        found = {
            "propagation": summary(name, "propagation")["methods"],
            "mixing": summary(name, "mixing")["ratio"],
            "identity": summary(name, "identity"),
        }
        for variant in found["propagation"]:
            for answer, method, (stage, *path, end) in ANSWERS:
                numbers = found[stage][variant]
                for key in path:
                    numbers = numbers[key]
                rows.append(
                    {
                        "experiment": name,
                        "variant": variant,
                        "answer": answer,
                        "method": method,
                        "value": numbers[end],
                        "low": numbers[f"{end}_low"],
                        "high": numbers[f"{end}_high"],
                    }
                )
    return pd.DataFrame(rows)


def strongest(params: Params) -> list[tuple[float, float]]:
    """Where the strongest key stands in AttentionViz's plane, before and after normalization.

    Returns
    -------
    list
        Means over heads and layers, a pair an experiment and variant, as shares of the way from the
        nearest key to the farthest; without those whose texts are too short.
    """
    states = [state for name in params.experiments for state in metrics(name, "geometry").values()]
    drawn = [(state["plane_before"], state["plane_after"]) for state in states]
    return [pair for pair in drawn if None not in pair]


def harmed(params: Params) -> dict[str, float]:
    """Share of the heads whose absence lowers the score, for every experiment with a task."""
    found = {name: metrics(name, "head_ablation") for name in params.experiments}
    return {
        name: one["score"]["hurt"] / one["heads"] for name, one in found.items() if one["computed"]
    }


def answers_figure(table: pd.DataFrame, w: Words) -> Figure:
    """Draw one row an answer, one dot an experiment and variant."""
    experiments = list(table["experiment"].unique())
    variants = list(table["variant"].unique())
    states = table[["experiment", "variant"]].drop_duplicates().to_numpy().tolist()
    # Dots of one row stand a little apart, so that none hides another.
    offsets = np.linspace(-0.27, 0.27, len(states)) if len(states) > 1 else [0.0]
    rows = {
        answer: row + (_GAP if row >= WITHIN else 0) for row, (answer, *_) in enumerate(ANSWERS)
    }
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.9 + 0.46 * (len(ANSWERS) + 2 * _GAP)))
        for answer, method, _ in ANSWERS:
            for (experiment, variant), offset in zip(states, offsets, strict=True):
                point = table[
                    (table["answer"] == answer)
                    & (table["experiment"] == experiment)
                    & (table["variant"] == variant)
                ].iloc[0]
                colour, y = METHOD_COLOURS[method], rows[answer] + offset
                axis.plot([point["low"], point["high"]], [y, y], color=colour, lw=1.2, alpha=0.7)
                axis.plot(
                    point["value"],
                    y,
                    _marker(experiments.index(experiment)),
                    ms=5,
                    color=colour,
                    mfc=colour if variant == "finetuned" else "none",
                )
        for key, row in (("within", 0), ("through", WITHIN + _GAP)):
            axis.text(0.0, row - 0.62, w[key], color=INK, fontsize=9, weight="bold", va="center")
        axis.set_yticks(list(rows.values()), [w[answer] for answer in rows])
        axis.tick_params(axis="y", length=0)
        axis.set_ylim(max(rows.values()) + 0.6, -0.95)
        axis.set_xlim(0, 1)
        axis.set_xlabel(w["share"])
        axis.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axis.grid(axis="x")
        figure.legend(
            handles=_legend(experiments, variants, w), loc="outside lower center", ncols=4
        )
    return figure


def _marker(experiment: int) -> str:
    return EXPERIMENT_MARKERS[experiment % len(EXPERIMENT_MARKERS)]


def _legend(experiments: list[str], variants: list[str], w: Words) -> list[Artist]:
    look: dict[str, Any] = {"color": INK, "lw": 0, "ms": 5}
    shapes: list[Artist] = [
        Line2D([], [], marker=_marker(i), label=name, **look) for i, name in enumerate(experiments)
    ]
    states: list[Artist] = [
        Patch(facecolor=face, edgecolor=INK, label=w[variant])  # no shape of an experiment
        for variant, face in (("pretrained", "none"), ("finetuned", INK))
        if variant in variants
    ]
    return shapes + states
