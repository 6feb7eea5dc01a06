"""Maps of the queries and keys of every head together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors.numpy import load_file

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.attentionviz import scaled
from analysis.methods.projection import FEWEST_TOKENS
from analysis.methods.trust import neighbour_ranks, procrustes
from analysis.params import Params
from analysis.params.sections import Geometry, Projection
from analysis.paths import artifact, result
from analysis.stages import plane_maps
from analysis.stages.plane_maps import FIGURES
from analysis.stages.runner import replacing, run, write_json

LINEAR, NONLINEAR = ("pca",), ("umap", "tsne")

Place = tuple[int, int]  # layer and head, counted from 0
Vectors = NDArray[np.float64]


def joint_maps(params: Params, name: str) -> None:
    """Write maps of the first captured texts, one for each variant, head and method.

    Keys are translated and both scaled as stage ``geometry`` says.
    ``results/E/joint_points.parquet`` has a row a point: the queries of all tokens, then their
    keys. ``results/E/joint_maps.parquet`` has a row for each variant, layer, head (1-based), method
    and point, with ``x``, ``y`` and the ``norm`` of the vector as the model has it. Maps of the
    second variant are turned onto those of the first, not scaled.
    ``results/E/joint_trust.parquet`` has the trust figures of every map and its ``shift``, the
    Procrustes disparity to that of the first variant; ``results/E/joint_lines.parquet`` the pairs
    with the largest weights of every head.
    """
    settings = params.geometry
    focus = name == params.report.focus.experiment
    methods = LINEAR + (NONLINEAR if focus or settings.nonlinear == "all" else ())
    captures = {
        v: Capture(artifact(name, "capture", v)) for v in variants(artifact(name, "capture"))
    }
    *_, last = captures.values()
    texts = _first_texts(last, settings.texts, name)
    points = _points(last, texts)
    work, vectors = [], {}
    for variant, capture in captures.items():
        space = load_file(artifact(name, "geometry", f"{variant}.safetensors"))
        vectors[variant] = _vectors(capture, texts["id"].tolist())
        for place in np.ndindex(space["scale"].shape):
            query, key = (kind[place] for kind in vectors[variant])
            both = np.concatenate(scaled(query, key + space["shift"][place], space["scale"][place]))
            if settings.metric == "cosine" and methods != LINEAR and not both.any(axis=1).all():
                raise InputError(
                    f"head {place[1] + 1} of layer {place[0] + 1} of {name} ({variant}) has a "
                    "query or key of length zero, to which no cosine distance is defined; set "
                    "geometry.metric: euclidean."
                )
            work.append((variant, place, both))
    given = [(both, methods, settings, params.projection) for _, _, both in work]
    drawn = plane_maps.in_processes(_maps, given, f"maps of {name}", "head")
    maps: list[pd.DataFrame] = []
    trust: list[dict[str, Any]] = []
    first: dict[tuple[str, Place], Vectors] = {}
    for (variant, place, _), found in zip(work, drawn, strict=True):
        where = {"variant": variant, "layer": place[0] + 1, "head": place[1] + 1}
        norms = np.concatenate([np.linalg.norm(kind[place], axis=-1) for kind in vectors[variant]])
        for method, (layout, figures) in found.items():
            shift = np.nan
            if (method, place) in first:
                alignment = procrustes(layout, first[method, place])
                layout, shift = layout @ alignment.rotation, alignment.disparity
            first.setdefault((method, place), layout)
            trust.append(where | {"method": method} | figures | {"shift": shift})
            maps.append(
                pd.DataFrame(
                    {
                        **where,
                        "method": method,
                        "point": np.arange(len(layout)),
                        "x": layout[:, 0].astype(np.float32),
                        "y": layout[:, 1].astype(np.float32),
                        "norm": norms.astype(np.float32),
                    }
                )
            )
    tables = {
        "joint_points": points,
        "joint_maps": pd.concat(maps, ignore_index=True),
        "joint_trust": pd.DataFrame(trust),
        "joint_lines": _strongest(captures, texts["id"].tolist(), settings.lines),
    }
    for file, content in tables.items():
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    write_json(result(name, "metrics", "joint_maps.json"), _headlines(tables["joint_trust"]))


def _first_texts(capture: Capture, count: int, name: str) -> pd.DataFrame:
    texts = capture.examples
    if count > len(texts):
        raise InputError(
            f"geometry.texts is {count} but {name} has only {len(texts)} captured texts; lower it "
            "or capture more."
        )
    chosen = texts.iloc[:count]
    tokens = int(capture.tokens["example_id"].isin(chosen["id"]).sum())
    if 2 * tokens < FEWEST_TOKENS:
        raise InputError(
            f"the first {count} texts of {name} have {tokens} tokens together; a map of queries "
            f"and keys needs at least {FEWEST_TOKENS // 2}; raise geometry.texts."
        )
    return chosen


def _points(capture: Capture, texts: pd.DataFrame) -> pd.DataFrame:
    """One row a point: what the maps can be coloured by."""
    frequency = capture.tokens["token"].value_counts()
    tokens = pd.concat([capture.tokens_of(example) for example in texts["id"]])
    tokens = tokens.merge(texts[["id", "label"]], left_on="example_id", right_on="id")
    tokens = tokens[["example_id", "position", "token", "is_special", "is_evidence", "label"]]
    tokens = tokens.assign(frequency=tokens["token"].map(frequency))
    return pd.concat([tokens.assign(kind=kind) for kind in ("query", "key")], ignore_index=True)


def _vectors(capture: Capture, examples: list[int]) -> tuple[Vectors, Vectors]:
    """Read queries and keys of all tokens of some texts, ``[layer, head, token, head_dim]``."""
    query, key = (
        np.concatenate([capture.array(example, kind) for example in examples], axis=2)
        for kind in ("query", "key")
    )
    return query.astype(np.float64), key.astype(np.float64)


def _maps(
    vectors: Vectors, methods: tuple[str, ...], settings: Geometry, projection: Projection
) -> dict[str, tuple[Vectors, dict[str, float]]]:
    """Map queries and keys of one head with every method -> layout, trust figures."""
    seed = projection.seeds[0]
    found = {}
    for method in methods:
        metric = "euclidean" if method == "pca" else settings.metric
        layout = plane_maps.layout(vectors, method, metric=metric, seed=seed, settings=projection)
        found[method] = (layout, plane_maps.trust(neighbour_ranks(vectors, metric), layout))
    return found


def _strongest(captures: dict[str, Capture], examples: list[int], lines: int) -> pd.DataFrame:
    """Pairs with the largest weights of every head, as points: a query and a key."""
    frames = []
    for variant, capture in captures.items():
        lengths = [len(capture.tokens_of(example)) for example in examples]
        starts = np.cumsum([0, *lengths])
        weights, query, key = [], [], []
        for start, length, example in zip(starts, lengths, examples, strict=False):
            attention = capture.array(example, "attention")
            weights.append(attention.reshape(*attention.shape[:2], -1))
            rows, columns = np.indices((length, length))
            query.append(start + rows.ravel())
            key.append(starts[-1] + start + columns.ravel())
        together = np.concatenate(weights, axis=-1)
        queries, keys = np.concatenate(query), np.concatenate(key)
        order = np.argsort(-together, axis=-1, kind="stable")[..., :lines]
        for layer, head in np.ndindex(order.shape[:2]):
            chosen = order[layer, head]
            frames.append(
                pd.DataFrame(
                    {
                        "variant": variant,
                        "layer": layer + 1,
                        "head": head + 1,
                        "query": queries[chosen],
                        "key": keys[chosen],
                        "attention": together[layer, head, chosen],
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def _headlines(trust: pd.DataFrame) -> dict[str, Any]:
    """Variant -> method -> mean trust figures over heads."""
    means = trust.groupby(["variant", "method"], sort=False)[list(FIGURES)].mean()
    return {
        str(variant): {
            str(method): {figure: float(value) for figure, value in row.items()}
            for method, row in means.loc[variant].iterrows()
        }
        for variant in trust["variant"].unique()
    }


if __name__ == "__main__":
    run("joint_maps", joint_maps, "experiment")
