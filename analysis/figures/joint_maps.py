"""Chapter *geometry*: queries and keys of every head together, on maps."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.change import most_changed
from analysis.figures.planes import Plane, cell_grid, plane_grid
from analysis.figures.results import compared, of_heads, of_states, states
from analysis.figures.sentence import KIND_COLOURS, LINE, kind_keys
from analysis.figures.style import CATEGORY_COLOURS
from analysis.figures.tables import by_method
from analysis.noted import Noted
from attention_mixing.words import Words

GROUP, MEASURE = "queries-keys", "joint_maps"
PLACE = ["layer", "head"]
METHODS = ("pca", "umap", "tsne")
FIGURES = ("trustworthiness", "continuity", "overlap")
ACROSS = 6  # large maps in a row


def shown(name: str, experiment: str, variant: str | None = None) -> pd.DataFrame:
    """Table that the measure shows of a model state, or of all with a column ``variant``."""
    return of_states(GROUP, MEASURE, name, experiment, variant)


def _lines(experiment: str, variant: str | None = None) -> pd.DataFrame:
    """Strongest pairs of every head: ``start`` and ``end`` are numbers of points."""
    return shown("lines", experiment, variant).rename(columns=LINE).assign(emphasised=False)


def drawn_queries(experiment: str) -> tuple[list[int], int, list[float]]:
    """Count queries that the strongest pairs of each head come from, and all; weakest pair."""
    heads = _lines(experiment).groupby(["variant", "layer", "head"], sort=False)
    points = shown("points", experiment, states(GROUP, MEASURE, experiment)[0])
    queries = heads["start"].nunique().tolist()
    return queries, len(points) // 2, heads["weight"].min().tolist()


def matrix(
    experiment: str, variant: str, methods: tuple[str, ...], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Small multiples, a cell for each layer and head; one block a method."""
    colours = shown("points", experiment, variant)["kind"].map(KIND_COLOURS)
    maps = shown("maps", experiment, variant)
    maps = maps[maps["method"].isin(methods)]
    tables = {}
    for method in methods:
        by_head = maps[maps["method"] == method].groupby(PLACE)
        tables[w[method]] = {place: Plane(points, colours) for place, points in by_head}
    return cell_grid(tables, 1.6, w, legend=kind_keys(w)), maps


def first_layers(experiment: str, variant: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every head of the first two layers large, with lines for its strongest pairs."""
    maps = shown("maps", experiment, variant).query("layer <= 2")
    maps = maps[maps["method"] == _method(maps)]
    lines = _lines(experiment, variant)
    colours = shown("points", experiment, variant)["kind"].map(KIND_COLOURS)
    panels = {
        w["layer_and_head"].format(layer=layer, head=head): Plane(
            points, colours, _of(lines, (layer, head))
        )
        for (layer, head), points in maps.groupby(PLACE)
    }
    legend = kind_keys(w)
    return plane_grid(panels, across=ACROSS, size=6, legend=legend, rasterized=True), maps


def _method(maps: pd.DataFrame) -> str:
    return "umap" if "umap" in set(maps["method"]) else "pca"


def one_head(
    experiment: str, variant: str, head: tuple[int, int], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """One head at large: in colours of its own for what it is, and in shades for numbers."""
    points = shown("points", experiment, variant).drop(columns="variant")
    maps = shown("maps", experiment, variant)
    rows = _of(maps[maps["method"] == _method(maps)], head)
    points = points.assign(**rows[["x", "y", "norm"]], part=[w[part] for part in _parts(points)])
    points["text"] = (pd.factorize(points["example_id"])[0] + 1).astype(str)
    palettes = {"kind": KIND_COLOURS.values(), "text": CATEGORY_COLOURS, "part": CATEGORY_COLOURS}
    if points["label"].notna().any():
        palettes["label"] = CATEGORY_COLOURS
    panels = {}
    for column, palette in palettes.items():
        values = points[column].astype(str).where(points[column].notna())
        colours = dict(zip(values.dropna().unique(), cycle(palette), strict=False))
        panels[w[column]] = Plane(
            points,
            values.map(colours).fillna("none"),
            _of(_lines(experiment, variant), head) if column == "kind" else None,
            legend={w.get(value) or value: colour for value, colour in colours.items()},
        )
    for column in ("position", "norm", "frequency"):
        panels[w[column]] = Plane(points, points[column])
    return plane_grid(panels, across=len(palettes), size=7), points


def aligned(params: Noted, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the head that fine-tuning changed most, by PCA, before and after."""
    experiment, head = compared(params)[0], most_changed(params)
    drawn = {}
    for variant in ("pretrained", "finetuned"):
        maps = shown("maps", experiment, variant).query("method == 'pca'")
        points = shown("points", experiment, variant)
        drawn[variant] = points.assign(**_of(maps, head)[["x", "y"]])
    panels = {w[v]: Plane(own, own["kind"].map(KIND_COLOURS)) for v, own in drawn.items()}
    figure = plane_grid(panels, across=2, size=8, together=True, legend=kind_keys(w))
    return figure, pd.concat(drawn.values(), ignore_index=True)


def trust_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean trust figures over heads, one row an experiment, state and method."""
    data = of_heads(GROUP, measure=MEASURE, of=METHODS).rename(columns={"of": "method"})
    keys = ["experiment", "variant", "method", "quantity"]
    means = data.groupby(keys, sort=False)["mean"].mean()
    cells = means.map("{:.2f}".format).rename("cell").reset_index()
    return by_method(cells, FIGURES, w), data


def _parts(points: pd.DataFrame) -> NDArray[np.str_]:
    evidence = np.where(points["is_evidence"].fillna(False), "evidence", "other")
    return np.where(points["is_special"], "special", evidence)


def _of(rows: pd.DataFrame, head: tuple[int, int]) -> pd.DataFrame:
    chosen = (rows["layer"] == head[0]) & (rows["head"] == head[1])
    return rows[chosen].reset_index(drop=True)
