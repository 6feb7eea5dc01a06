"""Chapter *propagation*: raw attention, residual, rollout and flow through the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.curves import by_measure, curve_grid
from analysis.figures.maps import map_grid, square_maps
from analysis.figures.runs import RunsColumn
from analysis.figures.style import EMPHASIS, MUTED, method_colours
from analysis.figures.tables import by_method, intervals
from analysis.prose.phrases import beside, nth_layer
from analysis.results.summary import last
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.attributions.selections import ABSORBED, FLOWS
from attention_mixing.messages import Words

METHODS = (
    *chosen("raw"),
    "residual",  # the layers that are rolled out
    *chosen("rollout", "rollout_measured", "flow", "flow_measured"),
)
# What the layers have with the residual follows from raw attention.
CURVES = (*(method for method in METHODS if method != "residual"), "uniform")
MEASURES = ("mixing", "entropy", "special_share", "row_distance")
# What is told first: rollout as it is used, as it could be, and without any model.
OVERVIEW = chosen("rollout", "rollout_measured", "uniform")
OVERVIEW_MEASURES = ("mixing", "row_distance")
OF_RUNS = (
    RunsColumn("rollout", "propagation", {"quantity": "mixing", "subject": "rollout"}, "last"),
    RunsColumn("uniform", "propagation", {"quantity": "mixing", "subject": "uniform"}, "last"),
    RunsColumn(
        "measured", "propagation", {"quantity": "mixing", "subject": "rollout_measured"}, "last"
    ),
    RunsColumn("rows", "propagation", {"quantity": "row_distance", "subject": "rollout"}, "last"),
    RunsColumn(
        "tight",
        "propagation",
        {"quantity": "tight", "subject": "flow", "facet": "text"},
        "last",
    ),
)
LENGTH_COLOURS = {"shorter": MUTED, "longer": EMPHASIS}
ABSORBED_COLOURS = {
    **method_colours(ABSORBED),
    "bound": MUTED,
}
SOURCE_COLOURS = {"cls": "#D55E00", "special": "#E69F00", "text": "#0072B2"}


def lecture(
    matrices: Mapping[str, NDArray], tokens: Sequence[str], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """One head, head mean of the first layer, head mean of the last: the lecture's heat maps.

    ``matrices`` has ``head``, one of the first layer, ``[query, key]``, and by method
    ``[layer, query, key]``; ``tokens`` are as they are written.
    """
    raw = matrices["raw"]
    first, last = (nth_layer(layer, w) for layer in (1, len(raw)))
    panels = {
        beside(first, f"{w['head']} 1", w): matrices["head"],
        beside(first, w["mean"], w): raw[0],
        beside(last, w["mean"], w): raw[-1],
    }
    return square_maps(panels, tokens, w)


def propagated_maps(
    matrices: Mapping[str, NDArray], tokens: Sequence[str], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Rollout and flow from every token to every input token, after three layers."""
    layers = len(matrices["raw"])
    indices = sorted({0, layers // 2 - 1, layers - 1} - {-1})
    panels = {
        beside(w[method], nth_layer(i + 1, w), w): _shares(matrices[method])[i]
        for method in chosen("rollout", "flow")
        for i in indices
    }
    return square_maps(panels, tokens, w, columns=len(indices), bar=w["share_of_row"])


def read_rows(
    matrices: Mapping[str, NDArray], tokens: Sequence[str], read: int, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw what one token reads in each layer, by method; tokens at both ends left out.

    ``read`` is the row of the token that predictions are read from: [CLS], or the last one.
    """
    inner = slice(1, -1)
    tokens = tokens[inner]
    layers = pd.RangeIndex(1, len(matrices["raw"]) + 1, name="layer")
    panels = {
        method: pd.DataFrame(_shares(matrices[method])[:, read, inner], layers, tokens)
        for method in METHODS
    }
    aspect = 0.85 * len(tokens) / len(layers)
    titled = {w[method]: table for method, table in panels.items()}
    largest = max(float(table.max(axis=None)) for table in panels.values())
    bar = w["share_of_row"]
    figure = map_grid(titled, w, bar=bar, vmin=0, vmax=largest, origin="lower", aspect=aspect)
    data = pd.concat(
        table.assign(method=method, layer=layers).melt(
            ["method", "layer"], var_name="token", value_name="weight"
        )
        for method, table in panels.items()
    )
    return figure, data


def _shares(matrices: NDArray) -> NDArray:
    """Divide rows ``[..., query, key]`` by their sums: flow is no share, and is to be compared."""
    return matrices / matrices.sum(axis=-1, keepdims=True)


def overview(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what the chapter finds: rollout beside uniform attention, and flow at its bound.

    ``rows`` are those of the measure ``propagation``.
    """
    rolled = rows["subject"].isin(OVERVIEW) & rows["quantity"].isin(OVERVIEW_MEASURES)
    bound = (rows["quantity"] == "tight") & (rows["facet"] == "text") & (rows["subject"] == "flow")
    panels = by_measure(rows[rolled], OVERVIEW_MEASURES, w) | {w["at_bound"]: rows[bound]}
    return curve_grid(panels, w, colours=method_colours((*OVERVIEW, "flow")), by="subject")


def layer_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw :data:`CURVES` over the layers, one row a measure and one column an experiment.

    The data have all methods.
    """
    panels = by_measure(rows[rows["subject"].isin(CURVES)], MEASURES, w)
    figure, _ = curve_grid(panels, w, colours=method_colours(CURVES), by="subject")
    return figure, rows[rows["quantity"].isin(MEASURES)]


def absorbed_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what stems from the first token of causal texts, and what has to by the mask alone."""
    panels = by_measure(rows, ("first_share",), w)
    return curve_grid(panels, w, colours=ABSORBED_COLOURS, by="subject")


def effective_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what effective attention keeps of the weights, for short texts and for longer ones."""
    panels = by_measure(rows, ("effective_share", "effective_correlation"), w)
    return curve_grid(panels, w, colours=LENGTH_COLOURS, by="facet", legend_columns=2)


def tight_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Share of pairs whose flow is at its upper bound, by kind of source, for both residuals."""
    tight = rows[rows["quantity"] == "tight"]
    return curve_grid(
        {w[f"tight_{method}"]: tight[tight["subject"] == method] for method in FLOWS},
        w,
        colours=SOURCE_COLOURS,
        by="facet",
    )


def last_layer_table(rows: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Last-layer values with their intervals, one row an experiment, variant and method."""
    final = last(rows[~rows["quantity"].isin(["tight", "first_share"])])
    cells = final.assign(method=final["subject"], cell=intervals(final))
    return by_method(cells, MEASURES, w), final
