"""Chapter *geometry*: queries and keys as points, of the text in focus and of many together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from analysis.chapters.geometry.figures import most_changed
from analysis.figures.maps import cells
from analysis.figures.planes import GREY, Plane, cell_grid, dot_keys, name_points, plane_grid
from analysis.figures.style import CATEGORY_COLOURS, INK, WIDTH, figure_style
from analysis.figures.tables import by_method
from analysis.prose.phrases import written
from analysis.results.summary import compared, of_heads, of_states, states
from analysis.runs.parameters import RunParameters
from attention_mixing.errors import InputError
from attention_mixing.messages import Words

KINDS = ("query", "key")
KIND_COLOURS = dict(zip(KINDS, (CATEGORY_COLOURS[2], CATEGORY_COLOURS[3]), strict=True))
# Column of a pair -> of the line that shows it.
LINE = {"query": "start", "key": "end", "attention": "weight", "asked": "emphasised"}
WAYS = ("before", "seed", "after")
DISTANCES = [f"distance_{way}" for way in WAYS]
DOT = {"ms": 2, "mew": 0, "alpha": 0.7, "rasterized": True}

Arrays = Mapping[str, NDArray[np.float32]]
"""What :func:`attention_mixing.measures.sentence.sentence` shows, ``[layer, head, ...]``."""


MEASURE = "joint_maps"
PLACE = ["layer", "head"]
METHODS = ("pca", "umap", "tsne")
FIGURES = ("trustworthiness", "continuity", "overlap")
ACROSS = 6  # large maps in a row
# What the heads that are shown by name do most of all: shares of their attention, and its evenness.
CONTRASTS = ("previous", "cls", "relative_entropy")


def asked(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs that were asked for, in every head, the largest weight first."""
    return pairs[pairs["asked"]].sort_values("attention", ascending=False)


def shown_head(pairs: pd.DataFrame, layer: int | None, head: int | None) -> tuple[int, int]:
    """Layer and head, 1-based, that is shown at large.

    Without a choice it is that where a pair that was asked for has its largest weight, of those
    whose key is the strongest of its query; the first head where there is none.

    Raises
    ------
    InputError
        If one of the two is given without the other, or there is no such head.
    """
    if layer is not None and head is not None:
        if ((pairs["layer"] == layer) & (pairs["head"] == head)).any():
            return layer, head
    if layer is not None or head is not None:
        raise InputError(
            f"layer and head are {layer} and {head}; allowed: both or neither, a layer from 1 to "
            f"{pairs['layer'].max()} and a head from 1 to {pairs['head'].max()}; correct them."
        )
    rows = asked(pairs).query("strongest")
    return (1, 1) if rows.empty else (int(rows["layer"].iloc[0]), int(rows["head"].iloc[0]))


def scatter(arrays: Arrays, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Dot product against cosine distance in the first layer, three ways."""
    diagonal = np.eye(arrays["attention"].shape[-1], dtype=bool)
    kinds = ((~diagonal, GREY, w["all_pairs"]), (diagonal, CATEGORY_COLOURS[0], w["own_pairs"]))
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, len(WAYS), figsize=(WIDTH, 2.7), sharex=True)
        for axis, way in zip(axes, WAYS, strict=True):
            dot, cosine = (arrays[f"{kind}_{way}"][0] for kind in ("dot", "cosine"))
            for chosen, colour, label in kinds:
                x, y = cosine[:, chosen].ravel(), dot[:, chosen].ravel()
                axis.plot(x, y, "o", color=colour, label=label, **DOT)
            axis.set_title(w[way], fontsize=8)
            axis.set_xlabel(w["cosine_distance"])
            axis_names = ("head", "query", "key")
            frames.append(cells(axis_names, dot=dot, cosine_distance=cosine).assign(way=way))
        axes[0].set_ylabel(w["dot"])
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, markerscale=2)
    data = pd.concat(frames, ignore_index=True)
    data["head"] += 1
    return figure, data[["way", "head", "query", "key", "dot", "cosine_distance"]]


def plane(
    arrays: Arrays, pairs: pd.DataFrame, tokens: Sequence[str], place: tuple[int, int], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw one head in the plane, three ways, with a line to the strongest key of each query.

    Its ``place`` is layer and head, 1-based.
    """
    planes = {way: _plane(arrays, pairs, place, way) for way in WAYS}
    points = pd.concat(
        plane.points.assign(way=way, kind=np.repeat(KINDS, len(tokens)), token=[*tokens] * 2)
        for way, plane in planes.items()
    )
    panels = {w[way]: plane for way, plane in planes.items()}
    figure = plane_grid(panels, across=2, size=13, legend=kind_keys(w))
    with figure_style():
        for axis, (_, group) in zip(figure.axes, points.groupby("way", sort=False), strict=True):
            name_points(axis, group["token"], group[["x", "y"]], [INK] * len(group))
    return figure, points


def plane_heads(arrays: Arrays, pairs: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every layer and head in its own plane, translated and scaled."""
    places = [(layer + 1, head + 1) for layer, head in np.ndindex(arrays["attention"].shape[:2])]
    planes = {place: _plane(arrays, pairs, place, "after") for place in places}
    return cell_grid({w["after"]: planes}, 2, w, legend=kind_keys(w)), pairs


def _plane(arrays: Arrays, pairs: pd.DataFrame, place: tuple[int, int], way: str) -> Plane:
    """Take queries and keys of one head, with a line to the strongest key of each query."""
    layer, head = place
    points = np.concatenate([arrays[f"{kind}_{way}"][layer - 1, head - 1] for kind in KINDS])
    tokens = len(points) // 2
    strongest = pairs[pairs["strongest"] & (pairs["layer"] == layer) & (pairs["head"] == head)]
    lines = strongest.rename(columns=LINE).sort_values("emphasised")
    return Plane(
        pd.DataFrame(points, columns=["x", "y"]),
        pd.Series(np.repeat([KIND_COLOURS[kind] for kind in KINDS], tokens)),
        lines.assign(end=lines["end"] + tokens),
    )


def kind_keys(w: Words) -> list[Line2D]:
    """Tell queries from keys."""
    return dot_keys({w[kind]: colour for kind, colour in KIND_COLOURS.items()})


def pairs_table(pairs: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up, for each pair that was asked for, in how many heads it comes closer.

    The rows below are heads in which its key is the strongest of the query.
    """
    chosen = asked(pairs)
    closer = chosen[DISTANCES[1:]].lt(chosen["distance_before"], axis=0)
    numbers = chosen[["attention", *DISTANCES]]
    names = chosen["query_token"] + " → " + chosen["key_token"]
    rows = []
    for pair, heads in chosen.groupby(names, sort=False):
        shares = [f"{count} / {len(heads)}" for count in closer.loc[heads.index].sum()]
        means = numbers.loc[heads.index].mean().map("{:.2f}".format)
        rows.append([pair, w["every_head"], *means, *shares])
    for row in chosen[chosen["strongest"]].itertuples():
        head = f"{row.layer}.{row.head}"
        answers = [w["yes" if is_closer else "no"] for is_closer in closer.loc[row.Index]]
        values = numbers.loc[row.Index].map("{:.2f}".format)
        rows.append([names[row.Index], head, *values, *answers])
    columns = ["pair", "place", "weight", *DISTANCES, "closer_seed", "closer_after"]
    return pd.DataFrame(rows, columns=[w[column] for column in columns]), chosen


# --- maps of many texts together ------------------------------------------------------------------


def joint_table(name: str, experiment: str, variant: str | None = None) -> pd.DataFrame:
    """Table that the measure shows of a model state, or of all with a column ``variant``."""
    return of_states(MEASURE, name, experiment, variant)


def _lines(experiment: str, variant: str | None = None) -> pd.DataFrame:
    """Strongest pairs of every head: ``start`` and ``end`` are numbers of points."""
    return joint_table("lines", experiment, variant).rename(columns=LINE).assign(emphasised=False)


def drawn_queries(experiment: str) -> tuple[list[int], int, list[float]]:
    """Count queries that the strongest pairs of each head come from, and all; weakest pair."""
    heads = _lines(experiment).groupby(["variant", "layer", "head"], sort=False)
    points = joint_table("points", experiment, states(MEASURE, experiment)[0])
    queries = heads["start"].nunique().tolist()
    return queries, len(points) // 2, heads["weight"].min().tolist()


def matrix(
    experiment: str, variant: str, methods: tuple[str, ...], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Small multiples, a cell for each layer and head; one block a method."""
    colours = joint_table("points", experiment, variant)["kind"].map(KIND_COLOURS)
    maps = joint_table("maps", experiment, variant)
    maps = maps[maps["method"].isin(methods)]
    tables = {}
    for method in methods:
        by_head = maps[maps["method"] == method].groupby(PLACE)
        tables[w[method]] = {place: Plane(points, colours) for place, points in by_head}
    return cell_grid(tables, 1.6, w, legend=kind_keys(w)), maps


def contrasting_heads(experiment: str, variant: str) -> pd.DataFrame:
    """Choose three heads that attend to quite different keys.

    Returns
    -------
    DataFrame
        A row a :data:`CONTRASTS`: its ``quantity``, the ``layer`` and ``head`` where it is largest,
        and its ``mean`` there. What is defined in no head has no row.
    """
    heads = of_heads("heads", experiment=experiment, variant=variant, quantity=CONTRASTS)
    largest = heads.dropna(subset="mean").groupby("quantity")["mean"].idxmax()
    return heads.loc[largest.reindex(list(CONTRASTS)).dropna()].reset_index(drop=True)


def contrast(
    experiment: str, variant: str, heads: pd.DataFrame, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw the heads of :func:`contrasting_heads` large, with lines for their strongest pairs."""
    maps = joint_table("maps", experiment, variant)
    maps = maps[maps["method"] == _method(maps)]
    lines = _lines(experiment, variant)
    colours = joint_table("points", experiment, variant)["kind"].map(KIND_COLOURS)
    panels, shown = {}, []
    for row in heads.itertuples():
        place = int(row.layer), int(row.head)
        points = _of_head(maps, place)
        name = w["layer_and_head"].format(layer=place[0], head=place[1])
        title = f"{w[f'contrast_{row.quantity}']}\n{name}"
        panels[title] = Plane(points, colours, _of_head(lines, place))
        shown.append(points.assign(quantity=row.quantity, mean=row.mean))
    figure = plane_grid(panels, across=len(panels), size=9, legend=kind_keys(w))
    return figure, pd.concat(shown, ignore_index=True)


def contrast_sentence(heads: pd.DataFrame, w: Words) -> str:
    """Say by how much the heads of :func:`contrasting_heads` differ in what they attend to."""
    forms = dict(zip(CONTRASTS, (".0%", ".0%", ".2f"), strict=True))
    said = [
        w.say(
            f"contrast_{row.quantity}_said",
            head=w["layer_and_head"].format(layer=row.layer, head=row.head),
            value=written(row.mean, forms[str(row.quantity)]),
        )
        for row in heads.itertuples()
    ]
    return w["sentences_joined"].join(said)


def first_layers(experiment: str, variant: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Every head of the first two layers large, with lines for its strongest pairs."""
    maps = joint_table("maps", experiment, variant).query("layer <= 2")
    maps = maps[maps["method"] == _method(maps)]
    lines = _lines(experiment, variant)
    colours = joint_table("points", experiment, variant)["kind"].map(KIND_COLOURS)
    panels = {
        w["layer_and_head"].format(layer=layer, head=head): Plane(
            points, colours, _of_head(lines, (layer, head))
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
    points = joint_table("points", experiment, variant).drop(columns="variant")
    maps = joint_table("maps", experiment, variant)
    rows = _of_head(maps[maps["method"] == _method(maps)], head)
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
            _of_head(_lines(experiment, variant), head) if column == "kind" else None,
            legend={w.get(value) or value: colour for value, colour in colours.items()},
        )
    for column in ("position", "norm", "frequency"):
        panels[w[column]] = Plane(points, points[column])
    return plane_grid(panels, across=len(palettes), size=7), points


def aligned(params: RunParameters, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the head that fine-tuning changed most, by PCA, before and after."""
    experiment, head = compared(params)[0], most_changed(params)
    by_variant = {}
    for variant in ("pretrained", "finetuned"):
        maps = joint_table("maps", experiment, variant).query("method == 'pca'")
        points = joint_table("points", experiment, variant)
        by_variant[variant] = points.assign(**_of_head(maps, head)[["x", "y"]])
    panels = {
        w[v]: Plane(table, table["kind"].map(KIND_COLOURS)) for v, table in by_variant.items()
    }
    figure = plane_grid(panels, across=2, size=8, together=True, legend=kind_keys(w))
    return figure, pd.concat(by_variant.values(), ignore_index=True)


def trust_table(w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean trust figures over heads, one row an experiment, state and method."""
    data = of_heads(MEASURE, subject=METHODS).rename(columns={"subject": "method"})
    keys = ["experiment", "variant", "method", "quantity"]
    means = data.groupby(keys, sort=False)["mean"].mean()
    cells = means.map("{:.2f}".format).rename("cell").reset_index()
    return by_method(cells, FIGURES, w), data


def _parts(points: pd.DataFrame) -> NDArray[np.str_]:
    evidence = np.where(points["is_evidence"].fillna(False), "evidence", "other")
    return np.where(points["is_special"], "special", evidence)


def _of_head(rows: pd.DataFrame, head: tuple[int, int]) -> pd.DataFrame:
    chosen = (rows["layer"] == head[0]) & (rows["head"] == head[1])
    return rows[chosen].reset_index(drop=True)
