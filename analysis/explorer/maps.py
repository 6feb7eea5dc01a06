"""Maps that the explorer shows: queries and keys of each head, and tokens at feature points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.explorer.content import Array, File, ShownText
from analysis.explorer.packed import LONG, pack_numbers
from analysis.figures.markup import visible
from analysis.figures.results import curves, of_heads, states, table
from analysis.measures import planes
from analysis.methods.projection import pca_map
from analysis.methods.trust import neighbour_ranks, procrustes

SMALL = "pca"  # method of the maps that are thumbnails
IN_THUMBNAIL = 100  # queries at most, and as many keys
TRUST = ("trustworthiness", "continuity", "overlap")


def joint_files(name: str, case: str) -> Iterator[File]:
    """Write maps of queries and keys, a file a head, and what all maps show of their points.

    Parameters
    ----------
    name
        Of the stream of an experiment, with which names of files begin.
    case
        What is measured, as the summary names it.
    """
    asked = ("queries-keys", "joint_maps")
    variants = states(*asked, case)
    points = table(*asked, "points", case, variants[0])
    queries = points[points["kind"] == "query"]
    yield f"{name}/points", {"tokens": [_token(row) for row in queries.itertuples()]}
    figures_of_head = of_heads(asked[0], experiment=case, measure=asked[1], quantity=TRUST)
    trust = _trust(figures_of_head, ["variant", "of", "layer", "head"])
    by_head = {
        variant: dict(list(table(*asked, "maps", case, variant).groupby(["layer", "head"])))
        for variant in variants
    }
    drawn: dict[str, dict[tuple[int, int], Array]] = {variant: {} for variant in variants}
    for layer, head in by_head[variants[0]]:
        methods: dict[str, dict[str, Any]] = {}
        norms = {}
        for variant in variants:
            own = by_head[variant][layer, head]
            for method, rows in own.groupby("method", sort=False):
                figures = trust.get((variant, method, layer, head), {})
                places = rows[["x", "y"]].to_numpy(float)
                told = {"places": pack_numbers(places), "trust": figures}
                methods.setdefault(str(method), {})[variant] = told
                if method == SMALL:
                    drawn[variant][layer, head] = places
            norms[variant] = pack_numbers(rows["norm"].to_numpy(float))
        yield f"{name}/map-{layer}-{head}", {"methods": methods, "norms": norms}
    yield from _thumbnails(name, drawn)


def feature_files(name: str, case: str, labels: Sequence[str]) -> Iterator[File]:
    """Write maps of tokens at every feature point, a file a method.

    Parameters
    ----------
    name, case
        As :func:`joint_files` takes them.
    labels
        Names of the labels of the corpus, if it has any.
    """
    asked = ("vectors", "projection")
    variants = states(*asked, case)
    maps = {variant: table(*asked, "maps", case, variant) for variant in variants}
    texts = table(*asked, "texts", case, variants[0])
    figures_of_layer = curves(asked[0], experiment=case, measure=asked[1], quantity=TRUST)
    trust = _trust(figures_of_layer, ["variant", "of", "kind", "layer"])
    of_text = texts.dropna(subset="label").set_index("example_id")["label"].astype(int).to_dict()
    for method in maps[variants[0]]["method"].unique():
        tokens: list[dict[str, Any]] = []
        points: list[list[Any]] = []
        laid_out = {}
        for variant, places in maps.items():
            by_point = dict(
                list(places[places["method"] == method].groupby(["point", "layer"], sort=False))
            )
            points = [[point, int(layer)] for point, layer in by_point]
            tokens = [_token(row) for row in next(iter(by_point.values())).itertuples()]
            stacked = np.stack([rows[["x", "y"]].to_numpy(float) for rows in by_point.values()])
            figures = [trust.get((variant, method, *point), {}) for point in points]
            laid_out[variant] = {"places": pack_numbers(stacked), "trust": figures}
        content = {"points": points, "tokens": tokens, "states": laid_out}
        yield (
            f"{name}/features-{method}",
            content | ({"labels": of_text, "label_names": labels} if of_text else {}),
        )


def _token(row: Any) -> dict[str, Any]:
    """Describe a token as maps show it."""
    told = {"text": int(row.example_id), "position": int(row.position), "token": visible(row.token)}
    for mark in ("special", "evidence"):
        marked = getattr(row, f"is_{mark}", False)
        if not pd.isna(marked) and marked:
            told[mark] = True
    if hasattr(row, "frequency"):
        told["frequency"] = int(row.frequency)
    return told


def _trust(rows: pd.DataFrame, by: list[str]) -> dict[tuple[Any, ...], dict[str, float]]:
    """Give trust figures by what tells maps apart."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for *place, quantity, mean in rows[[*by, "quantity", "mean"]].itertuples(index=False):
        found.setdefault(tuple(place), {})[quantity] = float(f"{mean:.3g}")
    return found


def _thumbnails(name: str, drawn: Mapping[str, Mapping[tuple[int, int], Array]]) -> Iterator[File]:
    """Write small maps of all heads, a file a state: some of the queries, and the keys of the same.

    Parameters
    ----------
    name
        With which names of files begin.
    drawn
        State -> layer and head -> places of queries and then keys. Those of a head fill the same
        square in all states.
    """
    heads = list(next(iter(drawn.values())))
    shape = tuple(len({head[axis] for head in heads}) for axis in (0, 1))
    low, high = (
        np.stack([extreme([maps[head] for maps in drawn.values()], axis=(0, 1)) for head in heads])
        for extreme in (np.min, np.max)
    )
    half = np.max(high - low, axis=-1)[:, None, None] / 2
    centre = (high + low)[:, None] / 2
    for state, maps in drawn.items():
        places = (np.stack([maps[head] for head in heads]) - centre) / np.where(half > 0, half, 1)
        count = places.shape[1] // 2
        chosen = np.linspace(0, count, min(count, IN_THUMBNAIL), endpoint=False).astype(int)
        some = places[:, np.concatenate([chosen, count + chosen])]
        yield (
            f"{name}/maps-{state}",
            {"places": pack_numbers(some.reshape(*shape, *some.shape[1:]))},
        )


def joint_files_of_text(name: str, place: int, shown: ShownText) -> Iterator[File]:
    """Write maps of queries and keys of one text, as the model has them, by PCA, a file a head.

    Parameters
    ----------
    name
        With which names of files begin.
    place
        Id of the text.
    shown
        The text. Maps of the second state are turned onto those of the first.
    """
    tokens, _ = shown.tokens
    listed = tokens.assign(example_id=place).itertuples()
    yield f"{name}/points", {"tokens": [_token(row) for row in listed]}
    # Ranks of all points to all take a time that grows with the square of their number.
    trusted = len(tokens) <= LONG
    small: dict[str, dict[tuple[int, int], Array]] = {state: {} for state in shown.states}
    for layer, head in np.ndindex(shown.first["attention"].shape[:2]):
        maps: dict[str, Any] = {}
        norms = {}
        first: Array | None = None
        for state, one in shown.states.items():
            both = (one.text[kind][layer, head].astype(np.float64) for kind in ("query", "key"))
            vectors = np.concatenate([*both])
            drawn = pca_map(vectors)
            figures = planes.trust(neighbour_ranks(vectors, "euclidean"), drawn) if trusted else {}
            first = drawn if first is None else first
            turned = drawn @ procrustes(drawn, first).rotation
            told = {figure: float(f"{value:.3g}") for figure, value in figures.items()}
            maps[state] = {"places": pack_numbers(turned), "trust": told}
            small[state][layer, head] = turned
            norms[state] = pack_numbers(np.linalg.norm(vectors, axis=-1))
        content = {"methods": {"pca_raw": maps}, "norms": norms}
        yield f"{name}/map-{layer + 1}-{head + 1}", content
    yield from _thumbnails(name, small)
