"""Chapter *index*: how much is mixed, within a layer and through all, at a glance."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from analysis.figures.results import curves, last, of_focus, overall
from analysis.figures.style import INK, METHOD_COLOURS, MUTED, figure_style
from analysis.figures.words import Words
from analysis.selection import ALL

# What is measured within a layer, and through all of them: answer -> whose ratio or mixing.
WITHIN = {
    "answer_weights": "attn_w",
    "answer_weights_residual": "attnres_w",
    "answer_vectors_residual": "attnres_n",
    "answer_vectors": "attnresln_n",
}
THROUGH = {
    "answer_rolled_weights": "rollout",
    "answer_rolled_vectors": "attnresln_n",
    "answer_alti": "alti",
}
ANSWERS = WITHIN | THROUGH
# Inches. Shown at its own size on a phone, so that its type stays readable there.
SIZE = (3.5, 3.3)
_GAP = 1.15  # in rows, between the two groups
_MEDIANS = 1.16  # where their column ends


def answers() -> pd.DataFrame:
    """Rows of the summary, one an ``answer``, experiment and variant; and the ``text`` shown."""
    rows = []
    for answer, of in ANSWERS.items():
        within = answer in WITHIN
        where: dict[str, Any] = {
            "quantity": "ratio" if within else "mixing",
            "of": of,
            "kind": "all" if within else "",
        }
        text = of_focus("vectors", **where)
        layer = ALL if within else text["layer"].max()
        shown = text.loc[(text["layer"] == layer) & (text["variant"] == "pretrained"), "value"]
        chosen = overall("vectors", **where) if within else last(curves("vectors", **where))
        rows.append(chosen.assign(answer=answer, text=shown.iloc[0]))
    return pd.concat(rows, ignore_index=True)


def answers_figure(table: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one row an answer: a dot for every experiment and state, the median, and the text."""
    rows = {
        answer: place + (_GAP if answer in THROUGH else 0) for place, answer in enumerate(ANSWERS)
    }
    with figure_style():
        figure, axis = plt.subplots(figsize=SIZE)
        for answer, y in rows.items():
            part = table[table["answer"] == answer]
            colour = METHOD_COLOURS[ANSWERS[answer]]
            typical = part["mean"].median()
            axis.plot([0, typical], [y, y], color=colour, lw=5, alpha=0.35, solid_capstyle="butt")
            axis.plot(part["mean"], [y] * len(part), "o", ms=3.5, color=colour, mec="none")
            axis.plot(part["text"].iloc[0], y, "D", ms=5.5, color=INK, mfc="none", mew=1.1)
            axis.text(_MEDIANS, y, f"{typical:.0%}", ha="right", va="center", fontsize=8.5)
        axis.text(_MEDIANS, min(rows.values()) - 0.75, w["median"], ha="right", va="center")
        for key, answer in (("within", next(iter(WITHIN))), ("through", next(iter(THROUGH)))):
            axis.text(0.0, rows[answer] - 0.75, w[key], weight="bold", va="center")
        axis.set_yticks(list(rows.values()), [w[answer] for answer in rows])
        axis.tick_params(axis="y", length=0)
        axis.set_ylim(max(rows.values()) + 0.55, -1.2)
        axis.set_xlim(0, _MEDIANS)
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1])
        axis.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axis.spines["bottom"].set_bounds(0, 1)
        axis.grid(axis="x")
        look: dict[str, Any] = {"lw": 0, "color": INK}
        handles = [
            Line2D([], [], marker="D", ms=5.5, mfc="none", label=w["the_text"], **look),
            Line2D([], [], marker="o", ms=3.5, mec="none", label=w["an_experiment"], **look),
            Line2D([], [], lw=5, color=MUTED, alpha=0.5, label=w["median"]),
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=3,
            handlelength=1,
            columnspacing=1,
            handletextpad=0.4,
            borderpad=0,
        )
    return figure, table
