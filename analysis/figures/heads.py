"""Chapter *heads*: what every attention head attends to, and families of heads by rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.curves import curve_grid
from analysis.figures.results import curves, summary, trained
from analysis.figures.style import CATEGORY_COLOURS, INK, SEQUENTIAL, WIDTH, figure_style
from analysis.figures.words import Words
from analysis.methods.head_families import FAMILIES, ROLES
from analysis.params import Params
from analysis.paths import result

# Grey is the last one, that of no pattern.
FAMILY_COLOURS: dict[str, str] = dict(
    zip(FAMILIES, (*CATEGORY_COLOURS[:4], "#8b93a0"), strict=True)
)
TO_TOKENS = ("cls", "sep", "special", "punctuation")
TO_POSITIONS = ("previous", "self", "next")
ATTENDED_COLOURS = {
    "cls": "#D55E00",
    "sep": "#E69F00",
    "special": "#CC79A7",
    "punctuation": "#0072B2",
    "sep_to_sep": "#A0614A",
    "previous": "#009E73",
    "self": "#999933",
    "next": "#56B4E9",
    "relative_entropy": INK,
    "cls_entropy": "#AA4499",
}
# Pixels of the frame and of the gap around a thumbnail.
FRAME, GAP = 2, 1
# Shades of a thumbnail: as many as an eye tells apart, so that the image stays small.
SHADES = 24

OWN_WORDS = {
    "vertical": ("vertical", "縦縞"),
    "diagonal": ("diagonal", "対角"),
    "vertical+diagonal": ("vertical + diagonal", "縦縞と対角"),
    "block": ("block", "ブロック"),
    "heterogeneous": ("heterogeneous", "不均一"),
    "broad": ("broad", "広い注意"),
    "previous": ("previous token", "直前のトークン"),
    "self": ("the token itself", "自分自身"),
    "next": ("next token", "直後のトークン"),
    "cls": ("[CLS]", "[CLS]"),
    "sep": ("[SEP]", "[SEP]"),
    "special": ("other special tokens", "その他の特殊トークン"),
    "punctuation": ("punctuation", "句読点"),
    "sep_to_sep": ("from [SEP] to [SEP]", "[SEP] から [SEP] へ"),
    "relative_entropy": ("entropy, all rows", "エントロピー、全行"),
    "cls_entropy": ("entropy, row of [CLS]", "エントロピー、[CLS] の行"),
    "to_tokens": ("share on tokens", "トークンへの割合"),
    "to_positions": ("share by position", "位置ごとの割合"),
    "from_sep": ("share of [SEP]", "[SEP] の注意の割合"),
    "share_of_maps": ("share of maps", "マップの割合"),
    "heads": ("heads", "ヘッド数"),
    "before": ("before", "前"),
    "after": ("after", "後"),
    "family": ("family", "型"),
}


@dataclass(frozen=True)
class Results:
    """What the stages found of heads, of every experiment.

    Attributes
    ----------
    heads
        A row an experiment, variant, layer and head, as ``heads.parquet``.
    families, attended
        Columns of ``plots/families.csv`` and of ``plots/attended.csv``, and ``experiment``.
    counts
        Experiment -> ``summaries/heads.json``.
    """

    heads: pd.DataFrame
    families: pd.DataFrame
    attended: pd.DataFrame
    counts: Mapping[str, dict[str, Any]]

    @property
    def experiments(self) -> list[str]:
        """Names, in the order of the parameters."""
        return list(self.heads["experiment"].unique())

    def states(self, experiment: str) -> list[str]:
        """Model states of one experiment."""
        own = self.heads[self.heads["experiment"] == experiment]
        return list(own["variant"].unique())

    @property
    def tuned(self) -> list[str]:
        """Experiments with both model states."""
        return [name for name in self.experiments if len(self.states(name)) > 1]


def read_results(params: Params) -> Results:
    """Read the tables of all experiments."""
    return Results(
        read_tables(params, "heads"),
        curves(params, "families"),
        curves(params, "attended"),
        {name: summary(name, "heads") for name in params.experiments},
    )


def read_tables(params: Params, name: str) -> pd.DataFrame:
    """Read ``results/E/NAME.parquet`` of every experiment, with the column ``experiment``."""
    frames = []
    for experiment in params.experiments:
        frame = pd.read_parquet(result(experiment, f"{name}.parquet"))
        frame.insert(0, "experiment", experiment)
        frames.append(frame)
    # An empty table has no types that could be kept.
    return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)


def shown(params: Params) -> str:
    """Name the experiment that is shown in large: questions, or else one that is trained."""
    answering = [n for n, e in params.experiments.items() if e.task == "question_answering"]
    return [*answering, *trained(params), params.report.focus.experiment][0]


# --- the atlas ------------------------------------------------------------------------------------


def atlas(results: Results, experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the mean map of every head as a thumbnail, framed in the colour of its family."""
    data = results.heads[results.heads["experiment"] == experiment]
    states = results.states(experiment)
    layers, heads = int(data["layer"].max()), int(data["head"].max())
    # Wide tables of heads stand one below the other.
    stacked = len(states) == 1 or 2 * layers <= heads
    rows, columns = (len(states), 1) if stacked else (1, len(states))
    height = rows * (WIDTH / columns / heads * layers + 0.45) + 0.35
    with figure_style():
        figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False)
        for axis, variant in zip(axes.flat, states, strict=True):
            # One image a panel: a thousand small ones would outweigh the page.
            axis.imshow(
                _sheet(data[data["variant"] == variant], layers, heads),
                interpolation="none",
                extent=(0.5, heads + 0.5, layers + 0.5, 0.5),
                aspect="equal",
            )
            axis.set_title(w[variant])
            axis.set_xticks(range(1, heads + 1))
            axis.set_yticks(range(1, layers + 1))
            axis.tick_params(length=0, labelsize=6.5)
            axis.set_frame_on(False)
            axis.set_xlabel(w["head"])
            axis.set_ylabel(w["layer"])
        figure.legend(
            handles=family_handles(data["family"], w), loc="outside lower center", ncols=5
        )
    keys = ["experiment", "variant", "layer", "head", "family"]
    pixels = [" ".join(f"{value:.2f}" for value in image) for image in data["thumbnail"]]
    return figure, data[keys].assign(thumbnail=pixels)


def family_handles(families: pd.Series, w: Words) -> list[Any]:
    """Legend of the families that occur."""
    return [
        plt.Line2D([], [], marker="s", ls="", ms=6, mew=0, color=colour, label=w[family])
        for family, colour in FAMILY_COLOURS.items()
        if family in set(families)
    ]


def _sheet(heads: pd.DataFrame, layers: int, columns: int) -> NDArray[np.uint8]:
    """Lay thumbnails out as one image, ``[row, column, rgba]``; what is between them is clear."""
    side = int(np.sqrt(len(heads["thumbnail"].iloc[0])))
    cell = side + 2 * FRAME + GAP
    sheet = np.zeros((layers * cell, columns * cell, 4))
    for row in heads.itertuples():
        top, left = (row.layer - 1) * cell, (row.head - 1) * cell
        framed = slice(top, top + cell - GAP), slice(left, left + cell - GAP)
        sheet[framed] = to_rgba(FAMILY_COLOURS[row.family])
        inner = slice(top + FRAME, top + FRAME + side), slice(left + FRAME, left + FRAME + side)
        sheet[inner] = shaded(np.reshape(row.thumbnail, (side, side)))
    return np.round(255 * sheet).astype(np.uint8)


def shaded(attention: NDArray) -> NDArray[np.float64]:
    """Colour a map, ``[row, column, rgba]``, each in its own shades, from 0 to its largest weight.

    A pattern is to be seen, not how strong it is.
    """
    shades = np.round(attention / attention.max() * (SHADES - 1)) / (SHADES - 1)
    return np.asarray(plt.get_cmap(SEQUENTIAL)(shades))


# --- over layers ----------------------------------------------------------------------------------


def family_bars(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of each layer's maps in every family, a panel an experiment and state."""
    data = results.families
    experiments = list(data["experiment"].unique())
    variants = list(data["variant"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(variants),
            len(experiments),
            figsize=(WIDTH, 1.55 * len(variants) + 0.7),
            sharex="col",
            sharey=True,
            squeeze=False,
        )
        for axis in axes.flat:
            axis.axis("off")
        for (experiment, variant), part in data.groupby(["experiment", "variant"], sort=False):
            row, column = variants.index(variant), experiments.index(experiment)
            axis = axes[row, column]
            axis.axis("on")
            wide = part.pivot(index="layer", columns="family", values="mean").fillna(0)
            bottom = np.zeros(len(wide))
            for family, colour in FAMILY_COLOURS.items():
                if family in wide:
                    axis.bar(wide.index, wide[family], 0.86, bottom, color=colour, lw=0)
                    bottom += wide[family].to_numpy()
            axis.set_ylim(0, 1)
            axis.set_xticks(wide.index[:: 1 + len(wide) // 13])
            axis.tick_params(labelbottom=True)
            if row == 0:
                axis.set_title(experiment)
            axis.set_xlabel(w["layer"])
            if column == 0 or not _has(data, experiments[column - 1], variant):
                axis.set_ylabel(f"{w['share_of_maps']}\n{w[variant]}")
                axis.tick_params(labelleft=True)
        figure.legend(
            handles=family_handles(data["family"], w), loc="outside lower center", ncols=5
        )
    return figure, data


def _has(data: pd.DataFrame, experiment: str, variant: str) -> bool:
    return bool(((data["experiment"] == experiment) & (data["variant"] == variant)).any())


def attended_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw where attention goes over the layers: to which tokens, how far, how evenly."""
    rows = {
        "to_tokens": TO_TOKENS,
        "from_sep": ("sep_to_sep",),
        "to_positions": TO_POSITIONS,
        "entropy": ("relative_entropy", "cls_entropy"),
    }
    measured = results.attended.dropna(subset="mean")
    drawn = {
        w[label]: measured[measured["measure"].isin(measures)] for label, measures in rows.items()
    }
    drawn = {label: table for label, table in drawn.items() if len(table)}
    figure = curve_grid(
        drawn,
        colours=ATTENDED_COLOURS,
        w=w,
        by="measure",
        limits=None,
        height=1.45,
        legend_columns=4,
    )
    return figure, pd.concat(drawn.values(), ignore_index=True)


# --- tables ---------------------------------------------------------------------------------------


def roles_table(results: Results, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count heads with each role and in each family, one row an experiment and state."""
    data = []
    for (experiment, variant), heads in results.heads.groupby(
        ["experiment", "variant"], sort=False
    ):
        data.append(
            {"experiment": experiment, "variant": variant, "heads": len(heads)}
            | {role: int(heads[f"role_{role}"].sum()) for role in ROLES}
            | {family: int((heads["family"] == family).sum()) for family in FAMILIES}
        )
    table = pd.DataFrame(data)
    return table.assign(variant=table["variant"].map(w)).rename(columns=w), table


def moves_table(results: Results, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count heads by their family before and after fine-tuning, an experiment."""
    data = moves(results).value_counts(["experiment", "before", "after"]).rename("heads")
    table = data.reset_index()
    order = [
        table[column].map(list(names).index)
        for column, names in (
            ("experiment", results.tuned),
            ("before", FAMILIES),
            ("after", FAMILIES),
        )
    ]
    table = table.iloc[np.lexsort(order[::-1])].reset_index(drop=True)
    cells = table.assign(**{state: table[state].map(w) for state in ("before", "after")})
    return cells.rename(columns=w), table


def moves(results: Results) -> pd.DataFrame:
    """Family of every head ``before`` and ``after`` fine-tuning; empty without such."""
    tuned = results.heads[results.heads["experiment"].isin(results.tuned)]
    keys = ["experiment", "layer", "head"]
    before, after = (
        tuned[tuned["variant"] == variant][[*keys, "family"]].rename(columns={"family": name})
        for variant, name in (("pretrained", "before"), ("finetuned", "after"))
    )
    return before.merge(after, on=keys)
