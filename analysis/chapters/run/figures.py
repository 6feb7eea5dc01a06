"""Page *run*: how much is mixed in this run, at a glance and beside the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from analysis.figures.style import EMPHASIS, INK, MUTED, figure_style
from analysis.prose.argument import shown
from analysis.prose.phrases import written
from analysis.results.summary import curves, last, of_focus, overall
from attention_mixing.addresses import ALL
from attention_mixing.messages import Words

# What is measured within a layer, and through all of them: answer -> whose ratio or mixing.
WITHIN = {
    "answer_weights": "attn_w",
    "answer_weights_residual": "attnres_w",
    "answer_vectors_residual": "attnres_n",
    "answer_vectors": "attnresln_n",
}
THROUGH = {
    "answer_rolled_weights": "rollout",
    "answer_rolled_vectors": "attnresln_n_rollout",
    "answer_alti": "alti_rollout",
}
ANSWERS = WITHIN | THROUGH
# Quantities of the paper, before and after fine-tuning.
BESIDE = {
    "by_weights": ("weights-layer", "weights-layer-after"),
    "by_vectors": ("vectors-layer", "vectors-layer-after"),
    "by_rollout": ("rollout-before", "rollout-after"),
    "by_measured": ("measured-before", "measured-after"),
    "by_alti": ("alti-before", "alti-after"),
    "by_depends": ("depends-before", "depends-after"),
    "by_sink": ("sink-before", "sink-after"),
}
# Inches. Shown at its own size on a phone, so that its type stays readable there.
SIZE = (3.5, 3.3)
_GAP = 1.15  # in rows, between the two groups
_MEDIANS = 1.3  # where their column ends
# What is before fine-tuning is hollow.
STATE_MARKERS = {"pretrained": "none", "finetuned": INK}


def answers() -> pd.DataFrame:
    """Rows of the summary, one an ``answer``, experiment and variant; and the ``text`` shown."""
    rows = []
    for answer, of in ANSWERS.items():
        within = answer in WITHIN
        measure = "propagation" if of == "rollout" else "mixing"
        where: dict[str, Any] = {
            "quantity": "ratio" if within else "mixing",
            "subject": of,
            "facet": "all" if within else "",
        }
        text = of_focus(measure, **where)
        layer = ALL if within else text["layer"].max()
        values = text.loc[(text["layer"] == layer) & (text["variant"] == "pretrained"), "value"]
        chosen = overall(measure, **where) if within else last(curves(measure, **where))
        rows.append(chosen.assign(answer=answer, text=values.iloc[0]))
    return pd.concat(rows, ignore_index=True)


def medians(rows: pd.DataFrame) -> pd.Series:
    """Medians of the means before fine-tuning and after it, over the experiments that have both.

    Of the one state, over all experiments, where there is no other.
    """
    states = rows.groupby("experiment")["variant"].nunique()
    both = rows[rows["experiment"].isin(states.index[states > 1])] if (states > 1).any() else rows
    return both.groupby("variant", sort=False)["mean"].median()


def answers_figure(table: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one row an answer: before fine-tuning and after it, a dot an experiment, and the text.

    The bar goes from the median of the one to that of the other, of the experiments that have both.
    """
    rows = {
        answer: index + (_GAP if answer in THROUGH else 0) for index, answer in enumerate(ANSWERS)
    }
    with figure_style():
        figure, axis = plt.subplots(figsize=SIZE)
        for answer, y in rows.items():
            group = table[table["answer"] == answer]
            typical = medians(group)
            axis.plot(group["mean"], [y] * len(group), "o", ms=2.5, color=MUTED, mec="none")
            for state, value in typical.items():
                axis.plot(value, y, "o", ms=6, mec=INK, mew=1.2, mfc=STATE_MARKERS[str(state)])
            axis.plot(typical, [y] * len(typical), color=INK, lw=1.5)
            axis.plot(group["text"].iloc[0], y, "D", ms=5.5, color=EMPHASIS, mfc="none", mew=1.1)
            percentages = w["arrow"].join(f"{value:.0%}" for value in typical)
            axis.text(_MEDIANS, y, percentages, ha="right", va="center", fontsize=8.5)
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
        handles = [
            *(
                Line2D([], [], lw=0, marker="o", ms=6, mec=INK, mfc=inside, label=w[state])
                for state, inside in STATE_MARKERS.items()
                if state in set(table["variant"])
            ),
            Line2D([], [], marker="o", ms=2.5, label=w["an_experiment"], lw=0, color=MUTED),
            Line2D([], [], marker="D", mfc="none", label=w["the_text"], lw=0, color=EMPHASIS),
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=2,
            handlelength=1,
            columnspacing=1,
            handletextpad=0.4,
            borderpad=0,
        )
    return figure, table


def beside_paper(numbers: Mapping[str, Any], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the main quantities of the paper, and what they are in the experiments of this run."""
    cells, data = [], []
    for quantity, (before, after) in BESIDE.items():
        of_run = {
            experiment: tuple(_of_experiment(numbers[one], experiment) for one in (before, after))
            for experiment in numbers[before]["here"] | numbers[after]["here"]
        }
        cells.append(
            {
                w["quantity"]: w[f"beside_{quantity}"],
                w["paper"]: _before_and_after([shown(numbers[one]) for one in (before, after)], w),
                **{name: _before_and_after(both, w) for name, both in of_run.items()},
            }
        )
        data += [
            {"quantity": quantity, "state": state, "experiment": name, "value": value}
            for state, one in (("pretrained", before), ("finetuned", after))
            for name, (value, _, _) in (numbers[one]["here"] | numbers[one]["each"]).items()
        ]
    return pd.DataFrame(cells).fillna(""), pd.DataFrame(data)


def _of_experiment(number: Mapping[str, Any], experiment: str) -> str:
    value = number["here"].get(experiment)
    return written(value[0], number["form"]) if value and value[0] is not None else ""


def _before_and_after(texts: Sequence[str], w: Words) -> str:
    return w["arrow"].join(text for text in texts if text)
