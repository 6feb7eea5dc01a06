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

from analysis.figures.results import curves, last, overall
from analysis.figures.style import EXPERIMENT_MARKERS, INK, METHOD_COLOURS, WIDTH, figure_style
from analysis.figures.words import Words

# Answer, the colour of its method, and what was measured of which method.
ANSWERS = (
    ("answer_raw", "raw", "mixing", "raw"),
    ("answer_residual", "residual", "mixing", "residual"),
    ("answer_vectors", "attnresln_n", "ratio", "attnresln_n"),
    ("answer_layer", "attnresln_ffresln_n", "ratio", "attnresln_ffresln_n"),
    ("answer_rollout", "rollout", "mixing", "rollout"),
    ("answer_uniform", "uniform", "mixing", "uniform"),
    ("answer_measured", "rollout_measured", "mixing", "rollout_measured"),
    ("answer_distance", "rollout", "row_distance", "rollout"),
    ("answer_identifiable", "identity", "identifiability", ""),
)
# Answers of one layer, means over all; the others follow all layers and are of the last.
WITHIN = 4
_GAP = 0.7  # between the two groups, in rows


def answers() -> pd.DataFrame:
    """Rows of the summary, one an ``answer``, experiment and variant."""
    rows = []
    for place, (answer, _, measure, of) in enumerate(ANSWERS):
        where = {"measure": measure, "of": of, "kind": ["", "all"]}
        found = overall("vectors", **where) if place < WITHIN else last(curves("vectors", **where))
        rows.append(found.assign(answer=answer))
    return pd.concat(rows, ignore_index=True)


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
    points = table.set_index(["answer", "experiment", "variant"])
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.9 + 0.46 * (len(ANSWERS) + 2 * _GAP)))
        for answer, method, *_ in ANSWERS:
            for (experiment, variant), offset in zip(states, offsets, strict=True):
                point = points.loc[(answer, experiment, variant)]
                colour, y = METHOD_COLOURS[method], rows[answer] + offset
                axis.plot([point["low"], point["high"]], [y, y], color=colour, lw=1.2, alpha=0.7)
                axis.plot(
                    point["mean"],
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
