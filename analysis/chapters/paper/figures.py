"""The figures of the paper, and the table of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.style import (
    CATEGORY_COLOURS,
    INK,
    MUTED,
    WIDTH,
    family_colour,
    figure_style,
    legend_key,
    say_points,
)
from analysis.prose.argument import origin, shown
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.messages import Words

# Asked of a model as a whole, in the order of the families, and judged by what they are meant to
# tell.
MEASURES = chosen(
    "rollout",
    "flow",
    "rollout_measured",
    "attnresln_n_rollout",
    "alti_rollout",
    "alti_logit",
    "decompx",
    "gradient_norm",
    "integrated_gradients",
    "attn_lrp",
    "left_out_unknown",
)
ASKED = ("provenance", "effect")
# Of the baselines, those that the text names.
SHOWN_BASELINES = ("identity", "symbols")
KINDS = {"found": "found", "nearly": "nearly_found"}  # of dots, and the words for them
# Where the name of a model stands, so that those of two sets do not meet.
BESIDE = {"tuned": ((5, 3), "left"), "control": ((-6, -3), "right")}
# The sets of models of a figure, by the numbers that are read of them.
SETS = {"tuned": "", "control": "-control"}


def circuits_found(table: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw in how many circuits measures find what they are meant to, beside the baselines.

    ``table`` is that of :func:`analysis.argument.evidence.circuit_scores`.
    """
    told = table[table["meant"].eq(True)].set_index("measure")
    baselines = table[table["meant"].isna()].set_index(["estimand", "measure"])["found"]
    with figure_style():
        figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.8), width_ratios=[3, 2])
        for axis, estimand in zip(axes, ASKED, strict=True):
            rows = told[told["estimand"] == estimand].iloc[::-1]
            for line, baseline in enumerate(SHOWN_BASELINES):
                # A line ends below its name, which begins there: none runs through a name.
                found, top = baselines[estimand, baseline], len(rows) - 0.4 + 0.7 * line
                axis.plot([found, found], [-0.6, top], color=MUTED, lw=1.2, ls=(0, (3, 2)))
                name = w[f"baseline_{baseline}"]
                axis.text(found, top, name, va="bottom", size="small", color=MUTED)
            for place, (measure, row) in enumerate(rows.iterrows()):
                colour = family_colour(str(measure))
                axis.plot([row["found"], row["nearly"]], [place, place], color=colour, lw=1)
                axis.plot(row["nearly"], place, "o", ms=5, mfc="none", mec=colour)
                axis.plot(row["found"], place, "o", ms=5, color=colour)
                named = f"{w[str(measure)]}{w['comma']}"
                said = [f"{named}{w[kind]}{w['colon']}{row[of]}" for of, kind in KINDS.items()]
                say_points(axis, [row[of] for of in KINDS], [place] * len(KINDS), said)
            axis.set_yticks(range(len(rows)), [w[str(measure)] for measure in rows.index])
            axis.set_xlim(-0.5, int(rows["of"].max()) + 0.5)
            axis.set_ylim(-0.6, len(rows) + 1)
            axis.set_title(w[f"asked_{estimand}"])
            axis.set_xlabel(w["circuits_of"].format(n=int(rows["of"].max())))
            axis.grid(axis="x")
        figure.legend(
            handles=[
                legend_key(w["found"], ls="", marker="o", ms=5, color=INK),
                legend_key(w["nearly_found"], ls="", marker="o", ms=5, mfc="none", mec=INK),
                legend_key(w["baseline"], color=MUTED, lw=1.2, ls=(0, (3, 2))),
            ],
            loc="outside lower center",
            ncols=3,
        )
    return figure, table


def changes(numbers: Mapping[str, Any], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw by how much fine-tuning changes sinks and mixing, a point a model."""
    data = pd.DataFrame(
        [
            {
                "set": name,
                "model": case,
                "sink": sink[0],
                "mixing": numbers[f"alti{suffix}-change"]["each"][case][0],
            }
            for name, suffix in SETS.items()
            for case, sink in numbers[f"sink{suffix}-change"]["each"].items()
        ]
    )
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH * 0.75, 3.4))
        axis.axvline(0, color=MUTED, lw=0.8)
        for (name, rows), colour in zip(
            data.groupby("set", sort=False), CATEGORY_COLOURS, strict=False
        ):
            axis.plot(
                rows["sink"], rows["mixing"], "o", ms=5, color=colour, label=w[f"models_{name}"]
            )
            said = [
                f"{row.model}{w['colon']}{row.sink:+.2f}{w['comma']}{row.mixing:+.2f}"
                for row in rows.itertuples()
            ]
            say_points(axis, rows["sink"], rows["mixing"], said)
            for row in rows.itertuples():
                axis.annotate(
                    str(row.model).rpartition("/")[2],
                    (row.sink, row.mixing),
                    xytext=BESIDE[name][0],
                    textcoords="offset points",
                    ha=BESIDE[name][1],
                    color=colour,
                )
        axis.set_ylim(0, 1.15 * data["mixing"].max())
        axis.margins(x=0.2)
        axis.set_xlabel(w["sink_change"])
        axis.set_ylabel(w["mixing_change"])
        axis.grid()
        figure.legend(loc="outside lower center", ncols=2)
    return figure, data


def numbers_table(numbers: Mapping[str, Any], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the numbers of the paper: value, interval, what of it is this run's, and its file."""
    rows: Sequence[tuple[str, dict[str, Any]]] = [*numbers.items()]
    cells = pd.DataFrame(
        {
            w["number"]: [name for name, _ in rows],
            w["value"]: [shown(number) for _, number in rows],
            w["of"]: [origin(number, w) for _, number in rows],
            w["file"]: [", ".join(number["files"]) for _, number in rows],
        }
    )
    data = pd.DataFrame(
        [
            {
                "number": name,
                "experiment": case,
                "value": value,
                "low": low,
                "high": high,
                "own": number["own"],
                "differs": number["differs"],
            }
            for name, number in rows
            for case, (value, low, high) in (number["each"] or {"": number["whole"]}).items()
        ]
    )
    return cells, data
