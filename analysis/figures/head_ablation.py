"""Chapter *heads*: what disabling each head does to the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure

from analysis.figures.clusters import ticks
from analysis.figures.heads import read_tables
from analysis.figures.results import summary
from analysis.figures.style import DIVERGING, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.params import Params

# Both in the same colours: what does harm is a falling score and a rising loss.
CHANGES = {"score_change": DIVERGING, "loss_change": f"{DIVERGING}_r"}

OWN_WORDS = {
    "score_change": ("change of the score (points)", "成績の変化（ポイント）"),
    "loss_change": ("change of the loss", "損失の変化"),
    "beyond": ("interval leaves out 0", "区間が 0 を含まない"),
    "texts": ("texts", "テキスト数"),
    "baseline_score": ("score (%)", "成績（%）"),
    "baseline_loss": ("loss", "損失"),
    "hurt_score": ("score falls", "成績が下がる"),
    "help_score": ("score rises", "成績が上がる"),
    "hurt_loss": ("loss rises", "損失が増える"),
    "help_loss": ("loss falls", "損失が減る"),
    "expected": ("by chance, each side", "偶然による数（片側）"),
    "worst": ("worst", "最も悪い変化"),
    "best": ("best", "最も良い変化"),
    "no_head": ("no head", "該当なし"),
}


@dataclass(frozen=True)
class Ablation:
    """What disabling heads does, of the experiments that have a task.

    Attributes
    ----------
    changes
        A row an experiment, layer and head, as ``head_ablation.parquet``.
    found
        Experiment -> ``summaries/head_ablation.json``.
    """

    changes: pd.DataFrame
    found: Mapping[str, dict[str, Any]]

    @property
    def experiments(self) -> list[str]:
        """Those with a task."""
        return list(self.found)


def read_ablation(params: Params) -> Ablation:
    """Read the tables of all experiments."""
    found = {name: summary(name, "head_ablation") for name in params.experiments}
    return Ablation(
        read_tables(params, "head_ablation"),
        {name: one for name, one in found.items() if one["computed"]},
    )


def ablation_maps(ablation: Ablation, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the change of score and loss by disabling each head, a column an experiment."""
    data = ablation.changes
    names = ablation.experiments
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
            largest = scale * float(data[measure].abs().max()) or 1.0
            for column, name in enumerate(names):
                axis = axes[row, column]
                axis.axis("on")
                part = data[data["experiment"] == name]
                grid = part.pivot(index="layer", columns="head", values=measure)
                # A few heads may matter twenty times as much as the others, which are to be seen.
                norm = AsinhNorm(largest / 20, -largest, largest)
                image = axis.imshow(scale * grid, cmap=colours, norm=norm, aspect="auto")
                ticks(axis, *grid.shape)
                _dots(axis, part, measure)
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


def _dots(axis: Axes, part: pd.DataFrame, measure: str) -> None:
    beyond = part[(part[f"{measure}_low"] > 0) | (part[f"{measure}_high"] < 0)]
    axis.scatter(
        beyond["head"] - 1, beyond["layer"] - 1, s=9, color="white", edgecolor="black", lw=0.5
    )


def ablation_table(ablation: Ablation, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List how many heads hurt and help, and the extremes, one row an experiment."""
    data, cells = [], []
    for name, found in ablation.found.items():
        score, loss = found["score"], found["loss"]
        row = {
            "experiment": name,
            "texts": found["examples"],
            "baseline_score": score["baseline"],
            "baseline_loss": loss["baseline"],
            "heads": found["heads"],
            "hurt_score": score["hurt"],
            "help_score": score["help"],
            "hurt_loss": loss["hurt"],
            "help_loss": loss["help"],
            "expected": found["expected_by_chance"] / 2,
        }
        data.append(row | {"worst": _plain(score["worst"]), "best": _plain(score["best"])})
        cells.append(
            {w[key]: value for key, value in row.items()}
            | {
                w["baseline_score"]: f"{100 * row['baseline_score']:.1f}",
                w["baseline_loss"]: f"{row['baseline_loss']:.3f}",
                w["expected"]: f"{row['expected']:.1f}",
                w["worst"]: _named(score["worst"], w),
                w["best"]: _named(score["best"], w),
            }
        )
    return pd.DataFrame(cells), pd.DataFrame(data)


def _plain(extreme: Mapping[str, Any] | None) -> float:
    return extreme["change"] if extreme else np.nan


def _named(extreme: Mapping[str, Any] | None, w: Words) -> str:
    """Head, change in points and its interval; and how many others change as much."""
    if extreme is None:
        return w["no_head"]
    others = f" (+{extreme['heads'] - 1})" if extreme["heads"] > 1 else ""
    change, low, high = (
        f"{100 * extreme[key]:+.1f}".replace("-", "\u2212") for key in ("change", "low", "high")
    )
    return f"{extreme['layer']}.{extreme['head']}{others}: {change} [{low}, {high}]"
