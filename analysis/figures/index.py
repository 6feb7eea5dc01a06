"""Chapter *index*: the answers at a glance."""

from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.style import INK, METHOD_COLOURS, VARIANT_LINES, WIDTH, figure_style
from analysis.figures.words import Words

OWN_WORDS = {
    "answer_raw": ("mixed by attention weights, mean over layers", "注意重みによる混合（層平均）"),
    "answer_residual": (
        "mixed with the residual counted as a share of {}, mean over layers",
        "残差接続を割合 {} で数えた混合（層平均）",
    ),
    "answer_rollout": ("mixed after the last layer, rollout", "最終層までの混合（ロールアウト）"),
    "answer_uniform": (
        "the same if every token attended to all tokens alike",
        "同じ計算を、全トークンに均等な注意で行った場合",
    ),
    "answer_distance": (
        "difference left between tokens' rollouts",
        "トークン間に残るロールアウトの差",
    ),
    "share": ("share, 0 to 1", "割合（0〜1）"),
}
ANSWERS = (
    ("answer_raw", "raw", "mixing", "mean"),
    ("answer_residual", "residual", "mixing", "mean"),
    ("answer_rollout", "rollout", "mixing", "last"),
    ("answer_uniform", "uniform", "mixing", "last"),
    ("answer_distance", "rollout", "row_distance", "last"),
)


def answers(curves: pd.DataFrame) -> pd.DataFrame:
    """Five shares for each experiment and variant: ``answer``, ``value``, ``low``, ``high``.

    Means over layers have no interval of their own here; their ``low`` and ``high`` are means of
    the layers' bounds, which is never too narrow.
    """
    rows = []
    for (experiment, variant), part in curves.groupby(["experiment", "variant"], sort=False):
        for answer, method, measure, layers in ANSWERS:
            line = part[(part["method"] == method) & (part["measure"] == measure)]
            taken = line.tail(1) if layers == "last" else line
            value, low, high = taken[["mean", "low", "high"]].mean()
            rows.append(
                {
                    "experiment": experiment,
                    "variant": variant,
                    "answer": answer,
                    "method": method,
                    "value": value,
                    "low": low,
                    "high": high,
                }
            )
    return pd.DataFrame(rows)


def answers_figure(table: pd.DataFrame, w: Words) -> Figure:
    """Draw one line an answer, one dot an experiment and variant."""
    states = table[["experiment", "variant"]].drop_duplicates().to_numpy().tolist()
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.8 + 0.155 * len(ANSWERS) * (len(states) + 1)))
        ticks, labels = [], []
        for row, (answer, method, _, _) in enumerate(ANSWERS):
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
