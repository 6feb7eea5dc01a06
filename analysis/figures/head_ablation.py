"""Chapter *heads*: what disabling each head does to the score."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure

from analysis.figures.clusters import ticks
from analysis.figures.findings.head_ablation import Change, beyond_zero
from analysis.figures.style import DIVERGING, WIDTH, figure_style
from analysis.figures.words import Words

# Both in the same colours: what does harm is a falling score and a rising loss.
CHANGES = {"score_change": DIVERGING, "loss_change": f"{DIVERGING}_r"}


def changes(rows: pd.DataFrame, measure: str) -> dict[str, list[Change]]:
    """Change of a measure by disabling each head, of every experiment."""
    columns = list(Change._fields)
    return {
        name: [Change(*row) for row in part[columns].itertuples(index=False, name=None)]
        for name, part in rows[rows["measure"] == measure].groupby("experiment", sort=False)
    }


def ablation_maps(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the change of score and loss by disabling each head, a column an experiment."""
    names = list(data["experiment"].unique())
    with figure_style():
        # A column that is alone needs no more width than one of two.
        columns = max(2, len(names))
        figure, axes = plt.subplots(
            2, columns, figsize=(WIDTH, 2 * (WIDTH / columns * 0.6 + 0.45) + 0.3), squeeze=False
        )
        for axis in axes.flat:
            axis.axis("off")
        for row, (measure, colours) in enumerate(CHANGES.items()):
            scale = 100 if measure == "score_change" else 1
            changed = data[data["measure"] == measure]
            largest = scale * float(changed["mean"].abs().max()) or 1.0
            for column, name in enumerate(names):
                axis = axes[row, column]
                axis.axis("on")
                part = changed[changed["experiment"] == name]
                grid = part.pivot(index="layer", columns="head", values="mean")
                # A few heads may matter twenty times as much as the others, which are to be seen.
                norm = AsinhNorm(largest / 20, -largest, largest)
                image = axis.imshow(scale * grid, cmap=colours, norm=norm, aspect="auto")
                ticks(axis, *grid.shape)
                _dots(axis, part)
                axis.set_xlabel(w["head"])
                if row == 0:
                    axis.set_title(name)
                if column == 0:
                    axis.set_ylabel(w["layer"])
            bar = figure.colorbar(
                image, ax=axes[row], location="right", shrink=0.9, aspect=18, label=w[measure]
            )
            marks = [largest * part for part in (-1, -0.1, 0, 0.1, 1)]
            bar.set_ticks(marks, labels=[f"{mark:.2g}".replace("-", "\u2212") for mark in marks])
            bar.minorticks_off()
        figure.legend(
            handles=[
                plt.Line2D(
                    [], [], marker="o", ls="", ms=4, mfc="white", mec="black", label=w["beyond"]
                )
            ],
            loc="outside lower center",
        )
    return figure, data


def _dots(axis: Axes, part: pd.DataFrame) -> None:
    beyond = part[(part["low"] > 0) | (part["high"] < 0)]
    axis.scatter(
        beyond["head"] - 1, beyond["layer"] - 1, s=9, color="white", edgecolor="black", lw=0.5
    )


def ablation_table(
    rows: pd.DataFrame, plain: pd.DataFrame, confidence: float, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List how many heads hurt and help, and the extremes, one row an experiment.

    Parameters
    ----------
    rows
        Changes of ``score`` and ``loss`` by disabling each head.
    plain
        ``score`` and ``loss`` with all heads.
    confidence
        Of the intervals.
    w
        Words of the page's language.
    """
    scores, losses = (changes(rows, measure) for measure in CHANGES)
    baselines = plain.pivot(index="experiment", columns="measure", values="mean")
    texts = plain.groupby("experiment")["texts"].first()
    data, cells = [], []
    for name, own in scores.items():
        falls, rises = beyond_zero(scores)[name]
        better, worse = beyond_zero(losses)[name]
        row = {
            "experiment": name,
            "texts": texts[name],
            "baseline_score": baselines.loc[name, "score"],
            "baseline_loss": baselines.loc[name, "loss"],
            "heads": len(own),
            "hurt_score": falls,
            "help_score": rises,
            "hurt_loss": worse,
            "help_loss": better,
            "expected": len(own) * (1 - confidence) / 2,
        }
        extremes = {key: _extreme(own, sign) for key, sign in (("worst", -1), ("best", 1))}
        data.append(row | {key: one and one[0].mean for key, one in extremes.items()})
        cells.append(
            {w[key]: value for key, value in row.items()}
            | {
                w["baseline_score"]: f"{100 * row['baseline_score']:.1f}",
                w["baseline_loss"]: f"{row['baseline_loss']:.3f}",
                w["expected"]: f"{row['expected']:.1f}",
            }
            | {w[key]: _named(*one) if one else w["no_head"] for key, one in extremes.items()}
        )
    return pd.DataFrame(cells), pd.DataFrame(data)


def _extreme(rows: Sequence[Change], sign: int) -> tuple[Change, int] | None:
    """Largest change of one sign, and how many others are as large."""
    most = max(rows, key=lambda one: sign * one.mean)
    if sign * most.mean <= 0:
        return None
    return most, sum(isclose(one.mean, most.mean) for one in rows) - 1


def _named(extreme: Change, others: int) -> str:
    """Head, change in points and its interval; and how many others change as much."""
    change, low, high = (
        f"{100 * value:+.1f}".replace("-", "\u2212")
        for value in (extreme.mean, extreme.low, extreme.high)
    )
    more = f" (+{others})" if others else ""
    return f"{extreme.layer}.{extreme.head}{more}: {change} [{low}, {high}]"
