"""Chapter *mixing*: what share of a token's vector comes from others, and what remains of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.curves import by_measure, curve_grid
from analysis.figures.maps import by_state, map_grid, square_maps
from analysis.figures.runs import RunsColumn
from analysis.figures.style import INK, method_colours
from analysis.prose.phrases import beside, nth_layer
from analysis.results.focus import focus_text
from analysis.results.summary import curves, overall
from analysis.runs.parameters import RunParameters
from attention_mixing.attributions.catalogue import chosen, contributions
from attention_mixing.messages import Words
from attention_mixing.methods.mixing import SCOPES as ATTENTION_SCOPES
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES

LAYER_SCOPES = (ATTENTION_SCOPES[-1], *FEED_FORWARD_SCOPES)
SCOPES = (*ATTENTION_SCOPES, *FEED_FORWARD_SCOPES)
KIND_COLOURS = {"cls": "#D55E00", "special": "#E69F00", "mask": "#CC79A7", "text": "#0072B2"}
ROLLED = tuple(one.label(whole=True) for one in contributions())
ROLLED_MEASURES = ("mixing", "own_source", "special_share", "row_distance")
MAPPED = chosen("attn_w", "attnresln_n", "alti")
REMAINS = {
    "own": {"self_similarity": "#0072B2", "identifiability": "#D55E00"},
    "alike": {"similarity": "#009E73", "similarity_centred": "#CC79A7"},
    "rank": {"effective_rank": INK},
}
ZEROED = chosen("value_zeroing", "value_zeroing_rollout")
ZEROED_MEASURES = ("mixing", "own_source", "row_distance")
OF_RUNS = (
    RunsColumn("weights", "mixing", {"quantity": "ratio", "subject": "attnres_w", "facet": "all"}),
    RunsColumn("vectors", "mixing", {"quantity": "ratio", "subject": "attnres_n", "facet": "all"}),
    RunsColumn("alti", "mixing", {"quantity": "mixing", "subject": "alti_rollout"}, "last"),
    RunsColumn("own", "mixing", {"quantity": "own_source", "subject": "alti_rollout"}, "last"),
    RunsColumn("dependence", "dependence", {"quantity": "dependence"}, "last"),
)
PART_COLOURS = {
    "whole": INK,
    "without_ffn": "#009E73",
    "without_skip": "#56B4E9",
    "attention_only": "#D55E00",
}


def scope_curves(ratios: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Mixing ratio over the layers: attention block above, the rest of the layer below."""
    rows = {
        w["ratio"]: ratios[ratios["subject"].isin(ATTENTION_SCOPES)],
        w["ratio_beyond"]: ratios[ratios["subject"].isin(LAYER_SCOPES)],
    }
    return curve_grid(rows, w, colours=method_colours(SCOPES), by="subject", height=2.1)


def scope_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean over layers and texts, one row an experiment and variant and one column a scope."""
    data = overall("mixing", quantity="ratio", facet="all")
    cells = []
    for (experiment, variant), group in data.groupby(["experiment", "variant"], sort=False):
        means = group.set_index("subject")["mean"]
        row = {w["experiment"]: experiment, w["variant"]: w[variant]}
        for scope in SCOPES:
            known = scope in means
            row[w[scope]] = f"{100 * means[scope]:.1f}" if known else w["not_defined"]
        cells.append(row)
    return pd.DataFrame(cells), data


def kind_curves(ratios: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Mixing ratio of the attention block over the layers, by kind of token."""
    rows = {w["ratio"]: ratios}
    return curve_grid(rows, w, colours=KIND_COLOURS, by="facet", limits=None, height=2.2)


def cls_rows(experiments: Sequence[str]) -> pd.DataFrame:
    """Read how far [CLS] stands apart: what it takes in, and how evenly it attends."""
    where: dict[str, Any] = {"experiment": experiments}
    block: dict[str, Any] = {"subject": "attnresln_n", "facet": ("cls", "text")}
    mixed = curves("mixing", quantity="ratio", **block, **where)
    quantities = ("cls_entropy", "relative_entropy")
    entropy = curves("heads", quantity=quantities, **where)
    kinds = {"cls_entropy": "cls", "relative_entropy": "all_tokens"}
    entropy = entropy.assign(facet=entropy["quantity"].map(kinds)).dropna(subset="mean")
    return pd.concat([mixed, entropy], ignore_index=True)


def cls_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how far [CLS] stands apart, of the rows that :func:`cls_rows` reads."""
    mixed = rows["quantity"] == "ratio"
    panels = {w["ratio"]: rows[mixed], w["entropy"]: rows[~mixed]}
    colours = KIND_COLOURS | {"all_tokens": INK}
    return curve_grid(panels, w, colours=colours, by="facet", limits=None)


def contribution_maps(params: RunParameters, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw where a token's vector comes from in the first and the last layer, by three measures."""
    *_, names, matrices = focus_text(params)
    last = len(matrices["raw"])
    panels = {
        beside(w[kind], nth_layer(layer, w), w): matrices[f"contributions/{kind}"][layer - 1]
        for layer in sorted({1, last})
        for kind in MAPPED
    }
    return square_maps(panels, names, w)


def source_curves(rolled: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what rollout makes of each kind of contribution, one row a measure."""
    rows = by_measure(rolled, ROLLED_MEASURES, w)
    return curve_grid(rows, w, colours=method_colours(ROLLED), by="subject")


def zeroed_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what value zeroing gives in each layer, and rolled out."""
    panels = by_measure(rows, ZEROED_MEASURES, w)
    return curve_grid(panels, w, colours=method_colours(ZEROED), by="subject", legend_columns=2)


def remains_curves(remaining: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what can still be recognised of a token, and how alike tokens become."""
    rows = {
        w[row]: remaining[remaining["quantity"].isin(measures)] for row, measures in REMAINS.items()
    }
    colours = {name: colour for row in REMAINS.values() for name, colour in row.items()}
    return curve_grid(rows, w, colours=colours, by="quantity", limits=None)


def collapse_curves(residuals: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what parts of the model leave of the differences between tokens."""
    rows = {w["relative_residual"]: residuals}
    style: dict[str, Any] = {"limits": None, "height": 2.2, "legend_columns": 2}
    return curve_grid(rows, w, colours=PART_COLOURS, by="subject", **style)


def layer_similarity(cka: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Similarity of every ``layer`` to every ``other``, one map an experiment and variant."""
    panels = {
        title: table.rename_axis(columns="layer")
        for title, table in by_state(cka, "other", w).items()
    }
    return map_grid(panels, w, across=4, bar=w["cka"], vmin=0, vmax=1, origin="lower"), cka
