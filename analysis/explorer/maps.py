"""Maps that the explorer shows: queries and keys of each head, and tokens at feature points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.artifacts import read_artifact
from analysis.explorer.content import File, ShownText
from analysis.explorer.packed import LONG, numbers
from analysis.figures.markup import visible
from analysis.measures import planes
from analysis.methods.projection import pca_map
from analysis.methods.trust import neighbour_ranks, procrustes

TRUST = ("trustworthiness", "continuity", "overlap")


def joint_files(name: str, group: Path, case: str) -> Iterator[File]:
    """Write maps of queries and keys, a file a head, and what all maps show of their points.

    Parameters
    ----------
    name
        Of the stream of an experiment, with which names of files begin.
    group
        Directory of the group *queries-keys* of the summary.
    case
        What is measured, as the summary names it.
    """
    shown = group / "shown" / case / "joint_maps"
    variants = _variants(shown, "maps")
    points = read_artifact(shown / f"{variants[0]}-points.parquet")
    queries = points[points["kind"] == "query"]
    yield f"{name}/points", {"tokens": [_token(row) for row in queries.itertuples()]}
    maps = {variant: read_artifact(shown / f"{variant}-maps.parquet") for variant in variants}
    trust = _trust(group, case, "joint_maps")
    by_head = {
        variant: dict(list(table.groupby(["layer", "head"]))) for variant, table in maps.items()
    }
    for layer, head in by_head[variants[0]]:
        methods: dict[str, dict[str, Any]] = {}
        norms = {}
        for variant in variants:
            own = by_head[variant][layer, head]
            for method, rows in own.groupby("method", sort=False):
                figures = trust.get((variant, str(method), "", int(layer), int(head)), {})
                places = numbers(rows[["x", "y"]].to_numpy(float))
                methods.setdefault(str(method), {})[variant] = {"places": places, "trust": figures}
            norms[variant] = numbers(rows["norm"].to_numpy(float))
        yield f"{name}/map-{layer}-{head}", {"methods": methods, "norms": norms}


def feature_files(name: str, group: Path, case: str) -> Iterator[File]:
    """Write maps of tokens at every feature point, a file a method; ``group`` is *vectors*."""
    shown = group / "shown" / case / "projection"
    variants = _variants(shown, "maps")
    maps = {variant: read_artifact(shown / f"{variant}-maps.parquet") for variant in variants}
    texts = read_artifact(shown / f"{variants[0]}-texts.parquet")
    trust = _trust(group, case, "projection")
    labels = texts.dropna(subset="label").set_index("example_id")["label"].astype(int).to_dict()
    for method in maps[variants[0]]["method"].unique():
        tokens: list[dict[str, Any]] = []
        points: list[list[Any]] = []
        states = {}
        for variant, table in maps.items():
            by_point = dict(
                list(table[table["method"] == method].groupby(["point", "layer"], sort=False))
            )
            points = [[point, int(layer)] for point, layer in by_point]
            tokens = [_token(row) for row in next(iter(by_point.values())).itertuples()]
            places = np.stack([rows[["x", "y"]].to_numpy(float) for rows in by_point.values()])
            figures = [trust.get((variant, method, point, layer, 0), {}) for point, layer in points]
            states[variant] = {"places": numbers(places), "trust": figures}
        content = {"points": points, "tokens": tokens, "states": states}
        yield f"{name}/features-{method}", content | {"labels": labels or None}


def _variants(shown: Path, table: str) -> list[str]:
    """States of which there is a table, the pretrained one first."""
    names = (path.stem.removesuffix(f"-{table}") for path in shown.glob(f"*-{table}.parquet"))
    return sorted(names, reverse=True)


def _token(row: Any) -> dict[str, Any]:
    """Describe a token as maps show it."""
    told = {"text": int(row.example_id), "position": int(row.position), "token": visible(row.token)}
    marks = {"special": row.is_special, "evidence": row.is_evidence}
    told |= {mark: True for mark, value in marks.items() if not pd.isna(value) and value}
    if hasattr(row, "frequency"):
        told["frequency"] = int(row.frequency)
    return told


def _trust(
    group: Path, case: str, measure: str
) -> dict[tuple[str, str, str, int, int], dict[str, float]]:
    """Trust figures by state, method, point, layer and head; those of a whole layer have head 0."""
    table = read_artifact(group / "curves.parquet")
    rows = table[
        (table["experiment"] == case)
        & (table["measure"] == measure)
        & table["quantity"].isin(TRUST)
        & (table["minus"] == "")
        & (table["reading"] == "")
    ]
    found: dict[tuple[str, str, str, int, int], dict[str, float]] = {}
    for row in rows.itertuples():
        key = (str(row.variant), str(row.of), str(row.kind), int(row.layer), int(row.head))
        found.setdefault(key, {})[str(row.quantity)] = float(f"{row.mean:.3g}")
    return found


def joint_files_of(name: str, place: int, shown: ShownText) -> Iterator[File]:
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
    yield f"{name}/points", {"tokens": [_of_text(place, row) for row in tokens.itertuples()]}
    states = {state: one.text for state, one in shown.states.items()}
    # Ranks of all points to all take a time that grows with the square of their number.
    trusted = len(tokens) <= LONG
    for layer, head in np.ndindex(shown.first["attention"].shape[:2]):
        maps: dict[str, Any] = {}
        norms = {}
        first: NDArray[np.float64] | None = None
        for state, text in states.items():
            both = (text[kind][layer, head].astype(np.float64) for kind in ("query", "key"))
            vectors = np.concatenate([*both])
            drawn = pca_map(vectors)
            figures = planes.trust(neighbour_ranks(vectors, "euclidean"), drawn) if trusted else {}
            first = drawn if first is None else first
            turned = drawn @ procrustes(drawn, first).rotation
            told = {figure: float(f"{value:.3g}") for figure, value in figures.items()}
            maps[state] = {"places": numbers(turned), "trust": told}
            norms[state] = numbers(np.linalg.norm(vectors, axis=-1))
        content = {"methods": {"pca_raw": maps}, "norms": norms}
        yield f"{name}/map-{layer + 1}-{head + 1}", content


def _of_text(place: int, row: Any) -> dict[str, Any]:
    told = {"text": place, "position": int(row.position), "token": visible(row.token)}
    return told | ({"special": True} if row.is_special else {})
