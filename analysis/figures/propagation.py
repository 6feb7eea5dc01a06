"""Chapter *propagation*: raw attention, residual and rollout through the layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray
from safetensors.numpy import load_file

from analysis.figures.style import (
    INK,
    METHOD_COLOURS,
    VARIANT_LINES,
    WIDTH,
    drawable,
    figure_style,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

METHODS = ("raw", "residual", "rollout")
MEASURES = ("mixing", "entropy", "special_share", "row_distance")
LABELLED = 40  # more tokens than this leave no room for their names


@dataclass(frozen=True)
class Focus:
    """The text shown token by token, with everything the figures need of it.

    Attributes
    ----------
    text
        As it was given.
    tokens
        ``[token]``.
    head
        Attention of one head of the first layer, ``[query, key]``.
    matrices
        Method -> ``[layer, query, key]``.
    """

    text: str
    tokens: list[str]
    head: NDArray[np.float32]
    matrices: dict[str, NDArray[np.float32]]

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.matrices["raw"])


def read_focus(params: Params) -> Focus:
    """Read the text that ``report.focus`` names, from the most trained variant there is."""
    directory = result(params.report.focus.experiment, "shown")
    state = "finetuned" if (directory / "finetuned.safetensors").is_file() else "pretrained"
    arrays = load_file(directory / f"{state}.safetensors")
    tokens = pd.read_parquet(directory / "tokens.parquet")
    return Focus(
        text=tokens["text"].iloc[0],
        tokens=[drawable(token) for token in tokens["token"]],
        head=arrays["head"],
        matrices={method: arrays[method] for method in METHODS},
    )


def lecture(focus: Focus, w: Words) -> tuple[Figure, pd.DataFrame]:
    """One head, head mean of the first layer, head mean of the last: the lecture's heat maps."""
    panels = {
        f"{w['layer']} 1, {w['head']} 1": focus.head,
        f"{w['layer']} 1, {w['mean']}": focus.matrices["raw"][0],
        f"{w['layer']} {focus.layers}, {w['mean']}": focus.matrices["raw"][-1],
    }
    return _square_maps(panels, focus.tokens, w), _long(panels, focus.tokens)


def rollout_maps(focus: Focus, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Rollout from every token to every token after the first, a middle and the last layer."""
    shown = sorted({0, focus.layers // 2 - 1, focus.layers - 1} - {-1})
    panels = {f"{w['layer']} {i + 1}": focus.matrices["rollout"][i] for i in shown}
    return _square_maps(panels, focus.tokens, w), _long(panels, focus.tokens)


def cls_rows(focus: Focus, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what [CLS] reads in each layer, by method; special tokens at both ends left out."""
    inner = slice(1, -1)
    tokens = focus.tokens[inner]
    panels = {w[method]: focus.matrices[method][:, 0, inner] for method in METHODS}
    with figure_style():
        height = 1.5 + 0.16 * focus.layers
        figure, axes = plt.subplots(1, len(panels), figsize=(WIDTH, height), sharey=True)
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            image = axis.imshow(values, aspect="auto", origin="lower", vmin=0)
            axis.set_title(title)
            _name_tokens(axis.xaxis, tokens, rotation=90)
            axis.set_yticks(range(focus.layers), range(1, focus.layers + 1))
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
        axes[0].set_ylabel(w["layer"])
    data = pd.concat(
        pd.DataFrame(values, columns=tokens)
        .assign(method=method, layer=range(1, focus.layers + 1))
        .melt(["method", "layer"], var_name="token", value_name="weight")
        for method, values in zip(METHODS, panels.values(), strict=True)
    )
    return figure, data


def layer_curves(curves: pd.DataFrame, w: Words) -> Figure:
    """Every measure over the layers, one row a measure and one column an experiment."""
    experiments = list(curves["experiment"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(MEASURES),
            len(experiments),
            figsize=(WIDTH, 1.75 * len(MEASURES)),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        for row, measure in enumerate(MEASURES):
            for column, experiment in enumerate(experiments):
                axis = axes[row, column]
                part = curves[(curves["measure"] == measure) & (curves["experiment"] == experiment)]
                for (variant, method), line in part.groupby(["variant", "method"], sort=False):
                    colour, style = METHOD_COLOURS[method], VARIANT_LINES[variant]
                    if method == "uniform":  # the same for every variant
                        style = "dotted"
                    axis.plot(line["layer"], line["mean"], color=colour, linestyle=style)
                    axis.fill_between(
                        line["layer"], line["low"], line["high"], color=colour, alpha=0.15, lw=0
                    )
                axis.set_ylim(0, 1.02)
                axis.grid(axis="y")
                axis.set_xticks(sorted(part["layer"].unique()))
                if row == 0:
                    axis.set_title(experiment)
                if column == 0:
                    axis.set_ylabel(w[measure])
                if row == len(MEASURES) - 1:
                    axis.set_xlabel(w["layer"])
        handles = [
            plt.Line2D(
                [],
                [],
                color=colour,
                linestyle="dotted" if method == "uniform" else "solid",
                label=w[method],
            )
            for method, colour in METHOD_COLOURS.items()
        ] + [
            plt.Line2D([], [], color=INK, linestyle=VARIANT_LINES[variant], label=w[variant])
            for variant in curves["variant"].unique()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def last_layer_table(curves: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Last-layer values with their intervals, one row an experiment, variant and method."""
    last = curves[curves["layer"] == curves.groupby("experiment")["layer"].transform("max")]
    keys = ["experiment", "variant", "method"]
    text = last.assign(
        cell=[f"{m:.2f} [{a:.2f}, {b:.2f}]" for m, a, b in last[["mean", "low", "high"]].to_numpy()]
    )
    wide = text.pivot(index=keys, columns="measure", values="cell")[list(MEASURES)]
    wide = wide.reindex(pd.MultiIndex.from_frame(text[keys].drop_duplicates())).reset_index()
    for key in ("variant", "method"):
        wide[key] = wide[key].map(w)
    return wide.rename(columns=w), last


def _square_maps(panels: dict[str, NDArray], tokens: list[str], w: Words) -> Figure:
    with figure_style():
        label = 0.055 * max(map(len, tokens)) if len(tokens) <= LABELLED else 0.3
        figure, axes = plt.subplots(
            1, len(panels), figsize=(WIDTH, WIDTH / len(panels) + 0.55 + label), sharey=True
        )
        for axis, (title, values) in zip(np.atleast_1d(axes), panels.items(), strict=True):
            image = axis.imshow(values, vmin=0)
            axis.set_title(title)
            axis.set_xlabel(w["key"])
            _name_tokens(axis.xaxis, tokens, rotation=90)
            _name_tokens(axis.yaxis, tokens)
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
        np.atleast_1d(axes)[0].set_ylabel(w["query"])
    return figure


def _name_tokens(axis, tokens: list[str], **style) -> None:
    if len(tokens) <= LABELLED:
        axis.set_ticks(range(len(tokens)), tokens, fontsize=7 if len(tokens) <= 24 else 5, **style)
        axis.set_tick_params(length=0)


def _long(panels: dict[str, NDArray], tokens: list[str]) -> pd.DataFrame:
    """One row a cell: panel, query and key position and token, weight."""
    frames = []
    for panel, values in panels.items():
        query, key = np.indices(values.shape)
        frames.append(
            pd.DataFrame(
                {
                    "panel": panel,
                    "query": query.ravel(),
                    "query_token": np.take(tokens, query.ravel()),
                    "key": key.ravel(),
                    "key_token": np.take(tokens, key.ravel()),
                    "weight": values.ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
