"""Chapter *propagation*: raw attention, residual, rollout and flow through the layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray
from safetensors.numpy import load_file

from analysis.figures.curves import curve_grid
from analysis.figures.maps import name_tokens, square_maps
from analysis.figures.style import METHOD_COLOURS, WIDTH, drawable, figure_style
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

METHODS = (
    "raw",
    "residual",
    "rollout",
    "rollout_measured",
    "flow",
    "flow_measured",
)
CURVES = (*METHODS, "uniform")
MEASURES = ("mixing", "entropy", "special_share", "row_distance")
# What is told first: rollout as it is used, as it could be, and without any model.
OVERVIEW = ("rollout", "rollout_measured", "uniform")
OVERVIEW_MEASURES = ("mixing", "row_distance")
OWN_WORDS = {
    "at_bound": ("flow at its bound", "上界に達したフロー"),
    "cls": ("from [CLS]", "[CLS] から"),
    "special": ("from other special tokens", "その他の特殊トークンから"),
    "text": ("from tokens of the text", "本文のトークンから"),
    "tight_flow": ("tight, fixed residual", "上界（固定の残差）"),
    "tight_flow_measured": ("tight, measured", "上界（実測の残差）"),
}
SOURCE_COLOURS = {"cls": "#D55E00", "special": "#E69F00", "text": "#0072B2"}


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
    first, last = (w["nth_layer"].format(layer) for layer in (1, focus.layers))
    panels = {
        w["beside"].format(first, f"{w['head']} 1"): focus.head,
        w["beside"].format(first, w["mean"]): focus.matrices["raw"][0],
        w["beside"].format(last, w["mean"]): focus.matrices["raw"][-1],
    }
    return square_maps(panels, focus.tokens, w)


def propagated_maps(focus: Focus, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Rollout and flow from every token to every input token, after three layers."""
    shown = sorted({0, focus.layers // 2 - 1, focus.layers - 1} - {-1})
    panels = {
        w["beside"].format(w[method], w["nth_layer"].format(i + 1)): focus.matrices[method][i]
        for method in ("rollout", "flow")
        for i in shown
    }
    return square_maps(panels, focus.tokens, w, columns=len(shown))


def cls_rows(focus: Focus, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what [CLS] reads in each layer, by method; special tokens at both ends left out."""
    inner = slice(1, -1)
    tokens = focus.tokens[inner]
    panels = {w[method]: focus.matrices[method][:, 0, inner] for method in METHODS}
    columns = 3
    with figure_style():
        height = (1.5 + 0.16 * focus.layers) * len(panels) / columns
        figure, axes = plt.subplots(
            len(panels) // columns, columns, figsize=(WIDTH, height), sharex=True, sharey=True
        )
        for axis, (title, values) in zip(axes.flat, panels.items(), strict=True):
            image = axis.imshow(values, aspect="auto", origin="lower", vmin=0)
            axis.set_title(title)
            name_tokens(axis.xaxis, tokens, rotation=90)
            axis.set_yticks(range(focus.layers), range(1, focus.layers + 1))
            figure.colorbar(image, ax=axis, location="bottom", shrink=0.85, aspect=30)
        for axis in axes[:, 0]:
            axis.set_ylabel(w["layer"])
    data = pd.concat(
        pd.DataFrame(values, columns=tokens)
        .assign(method=method, layer=range(1, focus.layers + 1))
        .melt(["method", "layer"], var_name="token", value_name="weight")
        for method, values in zip(METHODS, panels.values(), strict=True)
    )
    return figure, data


def overview(curves: pd.DataFrame, attained: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what the chapter finds: rollout beside uniform attention, and flow at its bound."""
    rolled = curves[curves["method"].isin(OVERVIEW)]
    bound = attained[(attained["source"] == "text") & (attained["method"] == "flow")]
    figure = curve_grid(
        {
            **{w[measure]: rolled[rolled["measure"] == measure] for measure in OVERVIEW_MEASURES},
            w["at_bound"]: bound,
        },
        colours={method: METHOD_COLOURS[method] for method in (*OVERVIEW, "flow")},
        w=w,
        dotted=["uniform"],
    )
    told = rolled[rolled["measure"].isin(OVERVIEW_MEASURES)]
    return figure, pd.concat([told, bound.assign(measure="at_bound")])


def layer_curves(curves: pd.DataFrame, w: Words) -> Figure:
    """Every measure over the layers, one row a measure and one column an experiment."""
    return curve_grid(
        {w[measure]: curves[curves["measure"] == measure] for measure in MEASURES},
        colours={method: METHOD_COLOURS[method] for method in CURVES},
        w=w,
        dotted=["uniform"],
    )


def tight_curves(curves: pd.DataFrame, w: Words) -> Figure:
    """Share of pairs whose flow is at its upper bound, by kind of source, for both residuals."""
    return curve_grid(
        {
            w[f"tight_{method}"]: curves[curves["method"] == method]
            for method in ("flow", "flow_measured")
        },
        colours=SOURCE_COLOURS,
        w=w,
        by="source",
    )


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
