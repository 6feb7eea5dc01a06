"""Chapter *geometry*: queries and keys of every head together, on maps."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.change import most_changed
from analysis.figures.interactive import Choice, Colouring, MapData
from analysis.figures.markup import visible
from analysis.figures.planes import Plane, cell_grid, plane_grid
from analysis.figures.results import compared, of_heads, of_states, states
from analysis.figures.sentence import KIND_COLOURS, LINE, kind_keys
from analysis.figures.style import CATEGORY_COLOURS
from analysis.figures.tables import by_method
from analysis.figures.words import Words
from analysis.noted import Noted
from analysis.params.sections import Pair

GROUP, MEASURE = "queries-keys", "joint_maps"
PLACE = ["layer", "head"]
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


def interactive(experiment: str, pair: Pair, w: Words) -> MapData:
    """Give the same maps to the page, for every head, method and state."""
    points = shown("points", experiment, states(GROUP, MEASURE, experiment)[0])
    maps, lines = (
        rows.astype({"layer": str, "head": str})
        for rows in (shown("maps", experiment), _lines(experiment))
    )
    query, key = (points["token"].take(lines[end]).to_numpy() for end in ("start", "end"))
    lines["emphasised"] = (query == pair.query) & np.isin(key, pair.keys)
    figures = of_heads(GROUP, measure=MEASURE, experiment=experiment, quantity=FIGURES)
    figures = figures.astype({"layer": str, "head": str})
    trust = figures.pivot(index=[*PLACE, "of", "variant"], columns="quantity", values="mean")
    hover = [
        f"{visible(row.token)}\n"
        f"{w[row.kind]} · {w['text']} {row.example_id}, {w['position']} {row.position}"
        for row in points.itertuples()
    ]
    kind = Colouring(
        w["kind"],
        "kind",
        categories={kind: w[kind] for kind in KIND_COLOURS},
        palette=tuple(KIND_COLOURS.values()),
    )
    parts = {part: w[part] for part in ("special", "evidence", "other")}
    labels = {label: str(int(label)) for label in sorted(points["label"].dropna().unique())}
    few = len(CATEGORY_COLOURS)
    colours = [
        kind,
        Colouring(w["position"], "position"),
        Colouring(w["norm"], "norm", by=("head", "variant")),
        Colouring(w["frequency"], "frequency"),
        Colouring(w["part"], "part", categories=parts),
        *([Colouring(w["label"], "label", categories=labels)] if 0 < len(labels) <= few else []),
    ]
    return MapData(
        choices=[
            *(
                Choice(place, w[place], {one: one for one in maps[place].unique()})
                for place in PLACE
            ),
            Choice("method", w["method"], {one: w[one] for one in maps["method"].unique()}),
            Choice("variant", w["variant"], {one: w[one] for one in maps["variant"].unique()}),
        ],
        points=points.assign(hover=hover, part=_parts(points)),
        maps=maps.astype({"x": float, "y": float}),
        colours=colours,
        groups=kind,
        lines=lines,
        aligned=("variant",),
        notes={
            chosen: " · ".join(f"{w[figure]} {row[figure]:.2f}" for figure in FIGURES)
            for chosen, row in trust.iterrows()
        },
    )


def trust_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean trust figures over heads, one row an experiment, state and method."""
    data = of_heads(GROUP, measure=MEASURE).rename(columns={"of": "method"})
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
