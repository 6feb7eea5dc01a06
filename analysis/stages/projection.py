"""Map the feature points of a few texts to the plane, say how far to trust it, and do without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.capture.store import Capture, variants
from analysis.errors import InputError
from analysis.methods.projection import (
    FEWEST_TOKENS,
    INPUT_POINTS,
    POINT_SETS,
    feature_points,
)
from analysis.methods.separation import silhouettes
from analysis.methods.trust import neighbour_ranks, overlap_between, procrustes, seed_spread
from analysis.params import Params
from analysis.params.sections import Projection
from analysis.paths import artifact, result
from analysis.stages import plane_maps
from analysis.stages.plane_maps import FIGURES, Layout
from analysis.stages.runner import replacing, run, write_json
from analysis.stages.summaries import curves, defined, nested

METHODS = ("umap", "tsne", "pca")
TRUST = (*FIGURES, "spread")
VECTORS = ("first", "mean")
TOKEN = ["example_id", "position", "token", "start", "end", "is_special", "is_evidence"]
SEPARATION = ["variant", "example_id", "point", "layer", "vector", "silhouette"]
KEYS = ["variant", "point", "vector"]

Place = tuple[str, int]  # point and layer


def projection(params: Params, name: str) -> None:
    """Write maps of the chosen texts together, their trust figures, and separation by label.

    ``results/E/projection.parquet`` holds a row for each variant, method (``umap``, ``tsne``,
    ``pca``), point, layer and token; ``x`` and ``y`` are from the first seed. Maps are turned and
    mirrored as Procrustes says, never scaled, so that tokens can be followed: those of the first
    variant onto the map before in the order of the forward pass, those of the other onto the map of
    the same point of the first. No neighbourhood changes by that. ``results/E/mapped.parquet`` has
    text, label and prediction of the texts.

    ``results/E/trust.parquet`` has a row for each map: ``trustworthiness``, ``continuity`` and
    ``overlap`` of few neighbours (:mod:`analysis.stages.plane_maps`); ``spread``, the mean
    Procrustes disparity between maps of different seeds, 0 for PCA, which has none; ``moved``, the
    mean share of neighbours in full dimension that tokens have lost since the point before, nan at
    the first; and ``shift``, the Procrustes disparity to the map of the first variant, nan for
    itself. A shift no larger than the spread says nothing.

    ``results/E/separation.parquet`` needs no map: silhouettes by label, in full dimension, of every
    captured text that has one, for its ``first`` token and the ``mean`` of its tokens at every
    point; ``plots/separation.csv`` has their means. The intervals take texts as independent. Both
    are empty where there are no labels.
    """
    settings = params.projection
    captures = {
        variant: Capture(artifact(name, "capture", variant))
        for variant in variants(artifact(name, "capture"))
    }
    mapped, tokens = _chosen(settings, name, captures)
    features = {
        variant: _together(capture, mapped["example_id"], settings.points)
        for variant, capture in captures.items()
    }
    places = [(variant, place) for variant, points in features.items() for place in points]
    given = [(features[variant][place], settings) for variant, place in places]
    maps_of_points = plane_maps.in_processes(_maps, given, f"maps of {name}", "point")
    drawn = dict(zip(places, maps_of_points, strict=True))
    moved = _moved(features, settings.metric)
    layouts, trust = _aligned(drawn, moved)
    separation = _separation(captures, settings, name)
    maps = pd.concat(
        [
            tokens.assign(
                **dict(zip(("variant", "method", "point", "layer"), key, strict=True)),
                **dict(zip("xy", layout.T.astype(np.float32), strict=True)),
            )
            for key, layout in layouts.items()
        ],
        ignore_index=True,
    )
    maps = maps[["variant", "method", "point", "layer", *TOKEN, "x", "y"]]
    tables = {"projection": maps, "mapped": mapped, "trust": trust, "separation": separation}
    for file, content in tables.items():
        with replacing(result(name, f"{file}.parquet")) as path:
            content.to_parquet(path, index=False)
    by_point: dict[str, Any] = {
        "keys": KEYS,
        "measures": ["silhouette"],
        "bootstrap": params.bootstrap,
    }
    with replacing(result(name, "plots", "separation.csv")) as path:
        curves(separation, **by_point).to_csv(path, index=False, float_format="%.6g")
    summary = _summary(trust, len(tokens))
    metrics = _headlines(summary)
    if len(separation):
        for variant, points in nested(separation, **by_point).items():
            summary[variant]["separation"] = points
            end = points[POINT_SETS[settings.points][-1]]["first"]["silhouette"]["last"]
            metrics[variant]["silhouette"] = end
    write_json(result(name, "summaries", "projection.json"), summary)
    write_json(result(name, "metrics", "projection.json"), metrics)


def _chosen(
    settings: Projection, name: str, captures: dict[str, Capture]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Texts that are mapped and their tokens, one text after the other."""
    *_, last = captures.values()  # the fine-tuned model predicts, the pretrained one does not
    texts = last.examples
    beyond = [index for index in settings.examples if index >= len(texts)]
    if beyond:
        raise InputError(
            f"projection.examples names {beyond[0]} but {name} has only {len(texts)} captured "
            "texts; choose an earlier one (the first is 0) or capture more."
        )
    mapped = texts.iloc[list(settings.examples)].rename(columns={"id": "example_id"})
    tokens = pd.concat([last.tokens_of(example) for example in mapped["example_id"]])
    if len(tokens) < FEWEST_TOKENS:
        raise InputError(
            f"projection.examples {list(settings.examples)} of {name} have {len(tokens)} tokens "
            f"together; a map needs at least {FEWEST_TOKENS}; choose longer texts or more of them."
        )
    return mapped[["example_id", "text", "label", "prediction"]], tokens[TOKEN]


def _points(capture: Capture, example: int, points: str) -> dict[Place, NDArray[np.float32]]:
    names = (*INPUT_POINTS, *POINT_SETS[points])
    return feature_points({name: capture.array(example, name) for name in names}, points)


def _together(
    capture: Capture, examples: Sequence[int], points: str
) -> dict[Place, NDArray[np.float32]]:
    """Features of all tokens of some texts at every point, ``[token, model_dim]``."""
    texts = [_points(capture, example, points) for example in examples]
    return {place: np.concatenate([text[place] for text in texts]) for place in texts[0]}


def _maps(
    features: NDArray[np.float32], settings: Projection
) -> dict[str, tuple[Layout, dict[str, float]]]:
    """Map one feature point with every method -> layout of the first seed, trust figures."""
    ranks = neighbour_ranks(features, settings.metric)
    found = {}
    for method in METHODS:
        first, *others = (
            plane_maps.layout(
                features, method, metric=settings.metric, seed=seed, settings=settings
            )
            for seed in (settings.seeds[:1] if method == "pca" else settings.seeds)
        )
        spread = seed_spread([first, *others]) if others else 0.0
        found[method] = (first, plane_maps.trust(ranks, first) | {"spread": spread})
    return found


def _moved(
    features: dict[str, dict[Place, NDArray[np.float32]]], metric: str
) -> dict[tuple[str, Place], float]:
    """Mean share of neighbours that tokens have lost since the point before, nan at the first."""
    found = {}
    for variant, points in features.items():
        before = None
        for place, after in points.items():
            found[variant, place] = np.nan
            if before is not None:
                kept = overlap_between(
                    before, after, k=plane_maps.neighbors(len(after)), metric=metric
                )
                found[variant, place] = float(1 - kept.mean())
            before = after
    return found


def _aligned(
    drawn: dict[tuple[str, Place], dict[str, tuple[Layout, dict[str, float]]]],
    moved: dict[tuple[str, Place], float],
) -> tuple[dict[tuple[str, str, str, int], Layout], pd.DataFrame]:
    """Turn every map so that it can be compared; the table of trust, a row a map."""
    first = next(iter(drawn))[0]
    layouts: dict[tuple[str, str, str, int], Layout] = {}
    rows: list[dict[str, Any]] = []
    for method in METHODS:
        before: Layout | None = None
        for (variant, place), maps in drawn.items():
            layout, figures = maps[method]
            shift = np.nan
            onto = before if variant == first else layouts[first, method, *place]
            if onto is not None:
                alignment = procrustes(layout, onto)
                # Without the scale: a chain of poor fits would shrink map by map to a point.
                layout = layout @ alignment.rotation
                shift = alignment.disparity if variant != first else np.nan
            layouts[variant, method, *place] = before = layout
            key = {"variant": variant, "method": method, "point": place[0], "layer": place[1]}
            rows.append(key | figures | {"moved": moved[variant, place], "shift": shift})
    return layouts, pd.DataFrame(rows)


def _separation(captures: dict[str, Capture], settings: Projection, name: str) -> pd.DataFrame:
    """Silhouettes by label of every captured text that has one, a row a text, point and vector."""
    keys: list[tuple[str, str, int, str]] = []
    given = []
    for variant, capture in captures.items():
        texts = capture.examples.dropna(subset="label")
        vectors: dict[tuple[str, int, str], list] = {}
        for example in texts["id"]:
            for place, rows in _points(capture, example, settings.points).items():
                for vector, value in zip(VECTORS, (rows[0], rows.mean(axis=0)), strict=True):
                    vectors.setdefault((*place, vector), []).append(value)
        labels = texts["label"].to_numpy(int)
        keys += [(variant, *key) for key in vectors]
        given += [(np.stack(values), labels, settings.metric) for values in vectors.values()]
    if not given:
        return pd.DataFrame(columns=SEPARATION)
    frames = []
    found = plane_maps.in_processes(silhouettes, given, f"separation of {name}", "point")
    for (variant, point, layer, vector), values in zip(keys, found, strict=True):
        ids = captures[variant].examples.dropna(subset="label")["id"].to_numpy()
        key = {"variant": variant, "point": point, "layer": layer, "vector": vector}
        frames.append(pd.DataFrame({"example_id": ids, "silhouette": values}).assign(**key))
    return pd.concat(frames, ignore_index=True)[SEPARATION]


def _summary(trust: pd.DataFrame, tokens: int) -> dict[str, Any]:
    """Variant -> counts, and method -> trust figure -> mean and worst map."""
    summary: dict[str, Any] = {}
    for (variant, method), maps in trust.groupby(["variant", "method"], sort=False):
        k = plane_maps.neighbors(tokens)
        counts = {
            "maps": len(maps),
            "tokens": tokens,
            "neighbors": k,
            "overlap_by_chance": k / (tokens - 1),
            "moved": float(maps["moved"].mean()),
        }
        place = summary.setdefault(variant, counts)[method] = {}
        for figure in TRUST:
            values = maps[figure]
            worst = maps.loc[values.idxmax() if figure == "spread" else values.idxmin()]
            place[figure] = {
                "mean": float(values.mean()),
                "worst": float(worst[figure]),
                "point": worst["point"],
                "layer": int(worst["layer"]),
            }
        place["shift"] = {"mean": defined(maps["shift"].mean())}
    return summary


def _headlines(summary: dict[str, Any]) -> dict[str, Any]:
    return {
        variant: {
            "maps": values["maps"],
            "tokens": values["tokens"],
            **{m: {figure: values[m][figure]["mean"] for figure in TRUST} for m in METHODS},
        }
        for variant, values in summary.items()
    }


if __name__ == "__main__":
    run("projection", projection, "experiment")
