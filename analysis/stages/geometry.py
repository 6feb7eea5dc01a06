"""Queries and keys in one space: what AttentionViz normalises, measured for every head."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tqdm import tqdm

from analysis.capture.store import Capture, variants
from analysis.methods.attentionviz import (
    Moments,
    Plane,
    attention_weights,
    correlation_at_scale,
    joint,
    moved,
    neighbour_rank,
    norm_ratio,
    optimal_scale,
    pair_moments,
    pooled,
    principal_plane,
    project,
    rank_correlations,
    scaled,
    strongest_keys,
    vector_moments,
    weighted_scale,
)
from analysis.params import Params
from analysis.paths import artifact, result
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.sentence import attained, write_sentence
from analysis.stages.summaries import curves, defined, nested, text_shown

Floats = NDArray[np.float64]
Distance = Literal["cosine", "euclidean"]

# "before": as the model has the vectors; "translated": keys moved to the queries; "after": scaled
# as well, by the closed form of the head; "joint": by one number for all heads of the model.
MEASURES = (
    "correlation_before",
    "correlation_after",
    "cosine_before",
    "cosine_after",
    "euclidean_before",
    "euclidean_translated",
    "euclidean_after",
    "euclidean_joint",
    "plane_before",
    "plane_after",
    "norm_difference",
    "offset_before",
    "offset_after",
    "strongest_special",
)
# Choices of c other than the closed form look at these texts only: the weighted correlation takes
# every pair again for every scale that it tries.
SEARCHED_TEXTS = 16
SCALES = np.geomspace(0.25, 4, 33)  # of the curves that are drawn
ROUNDING = 1e-12  # dot products of a query that differ by less, relative to them, are the same


def geometry(params: Params, name: str) -> None:
    """Write measures of every text and head, the choices of the scale, and how to apply them.

    ``results/E/geometry.parquet``: a row for each variant, text, layer and head (1-based) with
    ``correlation_*`` (Spearman of dot product and cosine distance, mean over queries), their
    number ``undefined``, ``norm_difference`` (mean length of queries less that of keys),
    ``offset_*`` (how far the dot products of a query lie from 0: their mean over their standard
    deviation, absolute, mean over queries), and where
    the strongest key of a query stands among all keys, 0 nearest to 1 farthest, by ``cosine_*`` and
    ``euclidean_*`` distance and in the ``plane_*`` of two principal components of all texts;
    ``strongest_special`` is the share of queries for which it is that of a special token.
    ``results/E/scales.parquet``: a row for each variant, choice of c, and head, layer or model.
    ``results/E/plots/scale.csv``: pooled correlation of every head over c.
    ``artifacts/E/geometry/VARIANT.safetensors``: ``shift`` of the keys ``[layer, head, head_dim]``
    and the ``scale`` of the closed form ``[layer, head]``. ``results/E/sentence``: the same for one
    text alone, as the study did it (:mod:`analysis.stages.sentence`).
    """
    rows: list[dict[str, Any]] = []
    scales: list[pd.DataFrame] = []
    drawn: list[pd.DataFrame] = []
    checks: dict[str, dict[str, float]] = {}
    with (
        replacing(artifact(name, "geometry")) as directory,
        replacing(result(name, "sentence")) as sentence,
    ):
        directory.mkdir()
        sentence.mkdir()
        for variant in variants(artifact(name, "capture")):
            capture = Capture(artifact(name, "capture", variant))
            heads = _measure_heads(capture, variant)
            scales.append(_choices(capture, heads).assign(variant=variant))
            drawn.append(_over_scales(heads.moments).assign(variant=variant))
            checks[variant] = heads.checks
            rows += [
                {"variant": variant} | row for row in _with_neighbours(capture, heads, variant)
            ]
            kept = {"shift": heads.shift, "scale": heads.scale}
            save_file(kept, directory / f"{variant}.safetensors")
            shown = text_shown(params.report.focus, name, capture.examples)
            write_sentence(sentence, variant, capture, shown, params.geometry.pair)
    _write(params, name, pd.DataFrame(rows), pd.concat(scales), pd.concat(drawn), checks)


@dataclass(frozen=True)
class Heads:
    """What all texts together say of every head, ``[layer, head, ...]``.

    Attributes
    ----------
    shift
        From the mean key to the mean query, ``[layer, head, head_dim]``.
    moments
        Of pairs, after translation.
    scale, joint_scale
        Closed form of each head, and of all heads of the model together; 1 where there is none.
    before, after
        Principal planes of the vectors as they are, and translated and scaled.
    by_text
        What needs no normalisation but the translation, by text and layer: measure -> ``[head]``.
    checks
        ``plane_share``, the variance in the plane after, mean over heads. Largest deviation of
        ``attention`` recomputed from stored queries and keys from the stored one; of ``softmax``
        after translation; of ``dot`` products after scaling, relative to the largest of the head.
    """

    shift: Floats
    moments: Moments
    scale: Floats
    joint_scale: float
    before: Plane
    after: Plane
    by_text: dict[tuple[int, int], dict[str, Floats]]
    checks: dict[str, float]


def _measure_heads(capture: Capture, variant: str) -> Heads:
    texts = capture.examples["id"]
    queries, keys = (
        pooled(vector_moments(capture.array(example, kind)) for example in texts)
        for kind in ("query", "key")
    )
    shift = queries.mean - keys.mean
    layers, _, head_dim = shift.shape
    moments: list[list[Moments]] = [[] for _ in range(layers)]
    by_text: dict[tuple[int, int], dict[str, Floats]] = {}
    checks = dict.fromkeys(("attention", "softmax", "dot"), 0.0)
    for example in tqdm(texts, f"geometry {variant}", disable=None, unit="text"):
        for layer in range(layers):
            query, key = _vectors(capture, example, layer)
            translated = key + shift[layer][:, None]
            before, after = rank_correlations(query, key), rank_correlations(query, translated)
            lengths = [np.linalg.norm(vectors, axis=-1).mean(axis=-1) for vectors in (query, key)]
            dot = query @ key.swapaxes(-1, -2)
            by_text[example, layer] = {
                "correlation_before": _defined_mean(before),
                "correlation_after": _defined_mean(after),
                "undefined": np.isnan(after).sum(axis=-1),
                "norm_difference": lengths[0] - lengths[1],
                "offset_before": _offset(dot),
                "offset_after": _offset(query @ translated.swapaxes(-1, -2)),
            }
            text = pair_moments(query, translated)
            # One at a time: memory does not grow with the number of texts.
            moments[layer] = [pooled([*moments[layer], text])]
            recomputed = attention_weights(query, key, head_dim**-0.5)
            stored = capture.array(example, "attention", layer)
            again = attention_weights(query, translated, head_dim**-0.5)
            query, key = scaled(query, key, 3.0)
            size = np.abs(dot).max(axis=(-1, -2), keepdims=True)
            size = np.maximum(size, np.finfo(float).tiny)  # dot products that are all 0 stay 0
            found = {
                "attention": recomputed - stored,
                "softmax": recomputed - again,
                "dot": (query @ key.swapaxes(-1, -2) - dot) / size,
            }
            for check, difference in found.items():
                checks[check] = max(checks[check], float(np.abs(difference).max()))
    everything = Moments(
        moments[0][0].count,
        np.stack([m[0].mean for m in moments]),
        np.stack([m[0].covariance for m in moments]),
    )
    scale = attained(optimal_scale(everything)[0])
    plane = principal_plane(moved(queries, scale=scale), moved(keys, shift, 1 / scale))
    return Heads(
        shift,
        everything,
        scale,
        float(attained(optimal_scale(joint(joint(everything)))[0])),
        principal_plane(queries, keys),
        plane,
        by_text,
        checks | {"plane_share": float(_defined_mean(plane.share.sum(axis=-1).reshape(1, -1))[0])},
    )


def _offset(dot: Floats) -> Floats:
    spread = dot.std(axis=-1)
    mean = np.abs(dot.mean(axis=-1))
    varies = spread > ROUNDING * np.abs(dot).max(axis=-1)
    return _defined_mean(np.divide(mean, spread, out=np.full_like(mean, np.nan), where=varies))


def _vectors(capture: Capture, example: int, layer: int) -> tuple[Floats, Floats]:
    query, key = (capture.array(example, kind, layer) for kind in ("query", "key"))
    return query.astype(np.float64), key.astype(np.float64)


def _defined_mean(values: Floats) -> Floats:
    """Mean over the queries of each head for which a value is defined; nan where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0).sum(axis=-1)
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def _with_neighbours(capture: Capture, heads: Heads, variant: str) -> Iterator[dict[str, Any]]:
    """Rows of the table: what was measured before, and the ranks of the strongest keys."""
    for (example, layer), measured in tqdm(
        heads.by_text.items(), f"neighbours {variant}", disable=None, unit="layer"
    ):
        query, key = _vectors(capture, example, layer)
        strongest = strongest_keys(query, key)
        special = capture.tokens_of(example)["is_special"].to_numpy(bool)
        translated = key + heads.shift[layer][:, None]
        after = scaled(query, translated, heads.scale[layer])
        together = scaled(query, translated, heads.joint_scale)
        before_plane, after_plane = (
            Plane(*(part[layer] for part in plane)) for plane in (heads.before, heads.after)
        )
        ways: dict[str, tuple[Floats, Floats]] = {
            "cosine_before": (query, key),
            "cosine_after": after,
            "euclidean_before": (query, key),
            "euclidean_translated": (query, translated),
            "euclidean_after": after,
            "euclidean_joint": together,
            "plane_before": (project(query, before_plane), project(key, before_plane)),
            "plane_after": (project(after[0], after_plane), project(after[1], after_plane)),
        }
        ranks: dict[str, Floats] = {"strongest_special": special[strongest].mean(axis=-1)}
        for measure, (queries, keys) in ways.items():
            distance: Distance = "cosine" if measure.startswith("cosine") else "euclidean"
            found = neighbour_rank(queries, keys, strongest, distance=distance)
            ranks[measure] = _defined_mean(found)
        for head in range(len(query)):
            yield {"example_id": example, "layer": layer + 1, "head": head + 1} | {
                measure: float(values[head]) for measure, values in (measured | ranks).items()
            }


def _choices(capture: Capture, heads: Heads) -> pd.DataFrame:
    """Each way of choosing c: for every head, and where it says so for layers and the model.

    ``correlation`` is that of dot product and squared distance over all pairs, ``at_edge`` whether
    a search ended where its range does.
    """
    layers, count = heads.scale.shape
    places = pd.DataFrame(
        {
            "scope": "head",
            "layer": np.repeat(np.arange(1, layers + 1), count),
            "head": np.tile(np.arange(1, count + 1), layers),
        }
    )
    texts = capture.examples["id"][:SEARCHED_TEXTS]
    ratio, weighted, at_edge = [], [], []
    for layer in range(layers):
        pairs = [_vectors(capture, example, layer) for example in texts]
        queries = [query for query, _ in pairs]
        keys = [key + heads.shift[layer][:, None] for _, key in pairs]
        ratio.append(norm_ratio(np.concatenate(queries, axis=1), np.concatenate(keys, axis=1)))
        searched = weighted_scale(queries, keys)
        weighted.append(searched.scale)
        at_edge.append(searched.at_edge)
    chosen = {
        "centroid": np.ones_like(heads.scale),
        "norm-ratio": np.stack(ratio),
        "weighted": np.stack(weighted),
        "closed-form": heads.scale,
    }
    frames = [
        places.assign(
            choice=choice,
            c=c.ravel(),
            correlation=_correlation(heads.moments, c).ravel(),
            at_edge=np.ravel(at_edge) if choice == "weighted" else False,
        )
        for choice, c in chosen.items()
    ]
    of_layers = joint(heads.moments)
    of_model = joint(of_layers)
    for scope, moments, numbers in (
        ("layer", of_layers, np.arange(1, layers + 1)),
        ("model", of_model, np.array([0])),
    ):
        c = attained(optimal_scale(moments)[0])
        frames.append(
            pd.DataFrame(
                {
                    "scope": scope,
                    "layer": numbers,
                    "head": 0,
                    "choice": "closed-form",
                    "c": np.atleast_1d(c),
                    "correlation": np.atleast_1d(correlation_at_scale(moments, c)),
                    "at_edge": False,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _correlation(moments: Moments, c: Floats) -> Floats:
    """Pooled correlation at a scale of each head; nan where there is no scale."""
    known = ~np.isnan(c)
    return np.where(known, correlation_at_scale(moments, np.where(known, c, 1.0)), np.nan)


def _over_scales(moments: Moments) -> pd.DataFrame:
    """Pooled correlation of every head at many scales."""
    layers, heads = moments.mean.shape[:2]
    place = np.indices((layers, heads, len(SCALES))).reshape(3, -1)
    values = np.stack([correlation_at_scale(moments, c) for c in SCALES], axis=-1)
    return pd.DataFrame(
        {
            "layer": place[0] + 1,
            "head": place[1] + 1,
            "c": SCALES[place[2]],
            "correlation": values.ravel(),
        }
    )


def _write(
    params: Params,
    name: str,
    table: pd.DataFrame,
    scales: pd.DataFrame,
    drawn: pd.DataFrame,
    checks: dict[str, dict[str, float]],
) -> None:
    for file, content in (("geometry", table), ("scales", scales)):
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    over_heads = table.groupby(["variant", "example_id", "layer"], sort=False)[list(MEASURES)]
    settings: dict[str, Any] = {"measures": MEASURES, "bootstrap": params.bootstrap}
    means = over_heads.mean().reset_index()
    plots = {
        "geometry": curves(means, keys=["variant"], **settings),
        "heads": curves(table, keys=["variant", "head"], **settings),
        "scale": drawn,
    }
    for file, content in plots.items():
        with replacing(result(name, "plots", f"{file}.csv")) as path:
            content.to_csv(path, index=False, float_format="%.6g")
    summary = nested(means, keys=["variant"], **settings)
    closed = scales[scales["choice"] == "closed-form"]
    for variant, found in summary.items():
        of_heads = closed[(closed["variant"] == variant) & (closed["scope"] == "head")]
        of_model = closed[(closed["variant"] == variant) & (closed["scope"] == "model")].iloc[0]
        found["checks"] = {check: defined(value) for check, value in checks[variant].items()}
        found["searched"] = min(SEARCHED_TEXTS, table["example_id"].nunique())
        found["undefined"] = int(table.loc[table["variant"] == variant, "undefined"].sum())
        found["scale"] = {
            "median": defined(of_heads["c"].median()),
            "joint": defined(of_model["c"]),
            "correlation": defined(of_heads["correlation"].mean()),
            "joint_correlation": defined(of_model["correlation"]),
        }
    write_json(result(name, "summaries", "geometry.json"), summary)
    write_json(
        result(name, "metrics", "geometry.json"),
        {
            variant: {m: found[m]["mean"] for m in MEASURES} | {"scale": found["scale"]}
            for variant, found in summary.items()
        },
    )


if __name__ == "__main__":
    run("geometry", geometry, "experiment")
