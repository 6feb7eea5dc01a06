"""Chapter *heads*: what disabling each head does to the score."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.maps import draw_maps
from analysis.figures.style import DIVERGING, WIDTH, figure_style, legend_key
from analysis.prose.phrases import written
from analysis.results.explorer import Linked
from analysis.rules.shares import stand_out
from analysis.rules.verdicts import POWER, Range
from attention_mixing.messages import Words
from attention_mixing.methods.power import exact_interval, smallest_seen, standard_error

# What does harm is a falling score and a rising loss; drawn, harm is above zero in both. Scores in
# points.
HARM = {"score_change": -100, "loss_change": 1}
SHOWN = {"c": "mean-loss_change"}  # of a head in the explorer
FALLS, RISES = Range(-math.inf, 0), Range(0, math.inf)
# What disabling a head does: which measure, and where it then lies.
KINDS = {
    "hurt_score": ("score_change", FALLS),
    "help_score": ("score_change", RISES),
    "hurt_loss": ("loss_change", RISES),
    "help_loss": ("loss_change", FALLS),
}


def ablation_maps(data: pd.DataFrame, confidence: float, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the change of score and loss by disabling each head, a column an experiment.

    ``data`` are the ``rows`` of :func:`ablation_table`, and ``confidence`` is as there.
    """
    with figure_style():
        across = max(2, data["experiment"].nunique())
        figure = plt.figure(figsize=(WIDTH, 2 * (WIDTH / across * 0.6 + 0.95) + 0.3))
        for subfigure, (measure, scale) in zip(
            figure.subfigures(2, squeeze=False).flat, HARM.items(), strict=True
        ):
            changed = dict(
                list(data[data["quantity"] == measure].groupby("experiment", sort=False))
            )
            panels = {
                name: scale * changes.pivot(index="layer", columns="head", values="mean")
                for name, changes in changed.items()
            }
            largest = max(float(panel.abs().max(axis=None)) for panel in panels.values()) or 1.0
            style = {"cmap": DIVERGING, "vmin": -largest, "vmax": largest, "aspect": "auto"}
            draw_maps(subfigure, panels, w, across=across, bar=w[f"{measure}_harm"], **style)
            for axis, changes in zip(subfigure.axes, changed.values(), strict=False):
                either = (stand_out(changes, change, confidence) for change in (FALLS, RISES))
                beyond = changes[np.logical_or(*either)]
                axis.scatter(
                    beyond["head"] - 1,
                    beyond["layer"] - 1,
                    s=9,
                    color="white",
                    edgecolor="black",
                    lw=0.5,
                )
        figure.legend(
            handles=[legend_key(w["beyond"], ls="", marker="o", ms=4, mfc="white", mec="black")],
            loc="outside lower center",
        )
    return figure, data


def ablation_table(
    rows: pd.DataFrame, plain: pd.DataFrame, confidence: float, linked: Linked, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List how many heads hurt and help, and the extremes, one row an experiment.

    ``rows`` are changes of ``score`` and ``loss`` by disabling each head, and ``plain`` has both
    with all heads; ``confidence`` is that of the intervals.
    """
    numbers = counts(rows, confidence)
    data = (
        plain.pivot(index="experiment", columns="quantity", values="mean")
        .reindex(index=numbers.index, columns=["score", "loss"])
        .add_prefix("baseline_")
        .join(numbers)
    )
    data.insert(0, "texts", plain.groupby("experiment")["texts"].first())
    losses = rows[rows["quantity"] == "loss_change"]
    halves = ((losses["high"] - losses["low"]) / 2).groupby(losses["experiment"]).median()
    data["seen"] = [
        smallest_seen(standard_error(half, confidence), confidence=confidence, reached=POWER)
        for half in halves[data.index]
    ]
    # None of so many texts changed: what share of all texts might.
    data["unseen"] = [exact_interval(0, n, confidence=confidence)[1] for n in data["texts"]]
    cells = data.assign(
        baseline_score=[f"{100 * score:.1f}" for score in data["baseline_score"]],
        baseline_loss=[f"{loss:.3f}" for loss in data["baseline_loss"]],
        seen=[written(change, ".2g") for change in data["seen"]],
        unseen=[f"{share:.0%}" for share in data["unseen"]],
    )
    scores = rows[rows["quantity"] == "score_change"].groupby("experiment", sort=False)
    for name, sign in (("worst", -1), ("best", 1)):
        extremes = [_extreme(changes, sign) for _, changes in scores]
        data[name] = [None if extreme is None else extreme["mean"] for extreme in extremes]
        cells[name] = [
            w["no_head"]
            if extreme is None
            else linked(
                extreme["experiment"],
                extreme["layer"],
                extreme["head"],
                _described(extreme),
                **SHOWN,
            )
            for extreme in extremes
        ]
    return cells.reset_index().rename(columns=w), data.reset_index()


def counts(changes: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Count heads whose interval, corrected for the number of heads, leaves out 0.

    A row an experiment: all ``heads``, and those of each of :data:`KINDS`.
    """
    numbers = {}
    for experiment, group in changes.groupby("experiment", sort=False):
        measured = {measure: group[group["quantity"] == measure] for measure in HARM}
        numbers[experiment] = {"heads": len(measured["loss_change"])} | {
            kind: stand_out(measured[measure], change, confidence).sum()
            for kind, (measure, change) in KINDS.items()
        }
    return pd.DataFrame.from_dict(numbers, orient="index").rename_axis("experiment")


def _extreme(scores: pd.DataFrame, sign: int) -> pd.Series | None:
    """Largest change of one sign, and how many ``others`` are as large."""
    sizes = sign * scores["mean"].to_numpy()
    if sizes.max() <= 0:
        return None
    others = np.isclose(sizes, sizes.max(), rtol=1e-9, atol=0).sum() - 1
    return pd.Series({**scores.iloc[sizes.argmax()], "others": others})


def _described(extreme: pd.Series) -> str:
    """Head, change in points and its interval; and how many others change as much."""
    change, low, high = (written(100 * extreme[key], "+.1f") for key in ("mean", "low", "high"))
    more = f" (+{extreme['others']})" if extreme["others"] else ""
    return f"{extreme['layer']}.{extreme['head']}{more}: {change}\u00a0[{low},\u00a0{high}]"
