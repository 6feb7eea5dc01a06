"""Maps that the explorer of the site shows, of texts together, read from the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.figures.results import curves, of_heads, states, table
from attention_mixing.explorer.content import Array, File
from attention_mixing.explorer.maps import SMALL, described_token, thumbnails
from attention_mixing.explorer.packed import pack_numbers

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
    yield f"{name}/points", {"tokens": [described_token(row) for row in queries.itertuples()]}
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
    yield from thumbnails(name, drawn)


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
            tokens = [described_token(row) for row in next(iter(by_point.values())).itertuples()]
            stacked = np.stack([rows[["x", "y"]].to_numpy(float) for rows in by_point.values()])
            figures = [trust.get((variant, method, *point), {}) for point in points]
            laid_out[variant] = {"places": pack_numbers(stacked), "trust": figures}
        content = {"points": points, "tokens": tokens, "states": laid_out}
        yield (
            f"{name}/features-{method}",
            content | ({"labels": of_text, "label_names": labels} if of_text else {}),
        )


def _trust(rows: pd.DataFrame, by: list[str]) -> dict[tuple[Any, ...], dict[str, float]]:
    """Give trust figures by what tells maps apart."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for *place, quantity, mean in rows[[*by, "quantity", "mean"]].itertuples(index=False):
        found.setdefault(tuple(place), {})[quantity] = float(f"{mean:.3g}")
    return found
