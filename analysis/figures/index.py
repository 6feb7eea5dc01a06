"""Chapter *index*: the answers at a glance."""

from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.results import summary
from analysis.figures.style import INK, METHOD_COLOURS, VARIANT_LINES, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.params import Params

OWN_WORDS = {
    "answer_raw": ("mixed by attention weights, mean over layers", "注意重みによる混合（層平均）"),
    "answer_residual": (
        "mixed with the residual counted as a share of {}, mean over layers",
        "残差接続を割合 {} で数えた混合（層平均）",
    ),
    "answer_vectors": (
        "mixed by vectors, residual and normalization included, mean over layers",
        "残差接続と層正規化を含む、ベクトルによる混合（層平均）",
    ),
    "answer_layer": (
        "the same through the whole layer, feed-forward block included",
        "同上、フィードフォワード層を含む層全体",
    ),
    "answer_identifiable": (
        "tokens that can still be told by their own input, last layer",
        "自分の入力からなお見分けられるトークン（最終層）",
    ),
    "answer_rollout": ("mixed after the last layer, rollout", "最終層までの混合（ロールアウト）"),
    "answer_measured": (
        "the same with the residual measured",
        "同上、実測の残差による",
    ),
    "answer_uniform": (
        "rollout if every token attended to all tokens alike",
        "全トークンに均等な注意のロールアウト",
    ),
    "answer_distance": (
        "difference left between tokens' rollouts",
        "トークン間に残るロールアウトの差",
    ),
    "share": ("share, 0 to 1", "割合（0〜1）"),
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
    ("answer_identifiable", "identity", ("identity", "identifiability", "last")),
    ("answer_rollout", "rollout", ("propagation", "rollout", "mixing", "last")),
    ("answer_measured", "rollout_measured", ("propagation", "rollout_measured", "mixing", "last")),
    ("answer_uniform", "uniform", ("propagation", "uniform", "mixing", "last")),
    ("answer_distance", "rollout", ("propagation", "rollout", "row_distance", "last")),
)


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


def answers_figure(table: pd.DataFrame, w: Words) -> Figure:
    """Draw one line an answer, one dot an experiment and variant."""
    states = table[["experiment", "variant"]].drop_duplicates().to_numpy().tolist()
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.8 + 0.155 * len(ANSWERS) * (len(states) + 1)))
        ticks, labels = [], []
        for row, (answer, method, _) in enumerate(ANSWERS):
            for position, (experiment, variant) in enumerate(states):
                y = row * (len(states) + 1) + position
                point = table[
                    (table["answer"] == answer)
                    & (table["experiment"] == experiment)
                    & (table["variant"] == variant)
                ].iloc[0]
                colour = METHOD_COLOURS[method]
                axis.plot(
                    [0, point["value"]],
                    [y, y],
                    color=colour,
                    lw=0.8,
                    alpha=0.5,
                    ls=VARIANT_LINES[variant],
                )
                axis.plot([point["low"], point["high"]], [y, y], color=INK, lw=1.2)
                axis.plot(
                    point["value"],
                    y,
                    "o",
                    ms=5,
                    color=colour,
                    mfc=colour if variant == "finetuned" else "none",
                )
                ticks.append(y)
                labels.append(f"{experiment}, {w[variant]}")
            axis.text(
                0.005,
                row * (len(states) + 1) - 0.75,
                w[answer],
                fontsize=8.5,
                va="center",
                color=INK,
            )
        axis.set_yticks(ticks, labels, fontsize=7)
        axis.set_ylim(len(ANSWERS) * (len(states) + 1) - 0.8, -1.3)
        axis.set_xlim(0, 1)
        axis.set_xlabel(w["share"])
        axis.grid(axis="x")
    return figure
