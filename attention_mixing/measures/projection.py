"""Map the feature points of a few texts to the plane, say how far to trust it, and do without."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.addresses import ALL
from attention_mixing.capture.text import State, Text
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    OfCorpus,
    Values,
    each_of,
    gives,
)
from attention_mixing.methods.projection import (
    FEWEST_POINTS,
    INPUT_POINTS,
    POINT_SETS,
    feature_points,
    pca_map,
    tsne_map,
    umap_map,
)
from attention_mixing.methods.separation import silhouettes
from attention_mixing.methods.trust import (
    Trust,
    compared_neighbours,
    map_trust,
    neighbour_ranks,
    procrustes,
    same_neighbours,
    seed_spread,
)
from attention_mixing.settings.derived import feature_texts
from attention_mixing.settings.measures import Projection

METHODS = ("umap", "tsne", "pca")
POINTS = (*INPUT_POINTS, *POINT_SETS["all62"])
VECTORS = ("first", "mean")
METRICS = ("euclidean", "manhattan", "cosine")  # that the choice of one is compared with
TOKEN = ["example_id", "position", "token", "start", "end", "is_special", "is_evidence"]

Layout = NDArray[np.float64]  # [point, 2]
Place = tuple[str, int]  # point and layer


def projection(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Map the chosen texts together, by UMAP, t-SNE and PCA, one map a feature point.

    Maps are turned and mirrored as Procrustes says, never scaled, so that tokens can be followed:
    those of the first variant onto the map before in the order of the forward pass, those of the
    other onto the map of the same point of the first. No neighbourhood changes by that.

    Of each map (``subject`` a method, ``facet`` a point) there are ``trustworthiness``,
    ``continuity`` and ``overlap`` of few ``neighbors`` (:mod:`attention_mixing.methods.trust`; by
    chance ``overlap_by_chance``); ``spread``, the mean Procrustes disparity between maps of
    different seeds, 0 for PCA, which has none; and ``shift``, the disparity to the map of the first
    variant. A shift no larger than the spread says nothing. ``moved`` needs no map: the mean share
    of neighbours in full dimension that tokens have lost since the point before.

    Shown: ``maps``, a row for each method, point, layer and token, ``x`` and ``y`` from the first
    seed; ``texts``, with label and prediction.
    """
    settings = given.settings["projection"]
    chosen, tokens = _chosen(settings, given.name, corpus.states[-1])
    k = compared_neighbours(len(tokens))
    features = {
        state.variant: _together(state, chosen["example_id"], settings.points)
        for state in corpus.states
    }
    places = [(variant, place) for variant, points in features.items() for place in points]
    vectors = [features[variant][place] for variant, place in places]
    mapped = corpus.each(partial(_maps, settings), vectors, f"{given.name}: maps")
    by_place = dict(zip(places, mapped, strict=True))
    first = corpus.states[0].variant
    layouts: dict[str, list[pd.DataFrame]] = {state.variant: [] for state in corpus.states}
    for method in METHODS:
        turned: dict[Place, Layout] = {}
        before: Layout | None = None
        for (variant, place), by_method in by_place.items():
            layout, figures = by_method[method]
            onto = before if variant == first else turned[place]
            if onto is not None:
                alignment = procrustes(layout, onto)
                # Without the scale: a chain of poor fits would shrink map by map to a point.
                layout = layout @ alignment.rotation
                if variant != first:
                    figures = figures | {"shift": alignment.disparity}
            if variant == first:
                turned[place] = before = layout
            point, layer = place
            yield variant, ALL, each_of(figures, subject=method, facet=point, layer=layer)
            layouts[variant].append(
                _placed(tokens, layout, method=method, point=point, layer=layer)
            )
    for variant, tables in layouts.items():
        measured: list[Values | Field] = [
            Field("maps", pd.concat(tables, ignore_index=True), shown=True),
            Field("texts", chosen, shown=True),
            Values("neighbors", k),
            Values("overlap_by_chance", k / (len(tokens) - 1)),
        ]
        ranks = {p: neighbour_ranks(x, settings.metric) for p, x in features[variant].items()}
        for (_, earlier), ((point, layer), later) in pairwise(ranks.items()):
            lost = 1 - same_neighbours(earlier, later)
            measured.append(Values("moved", lost, facet=point, layer=layer))
        yield variant, ALL, measured


def metrics(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Ask what the choice of the metric changes, for the texts that :func:`projection` maps.

    At every point (``facet``), ``same_neighbours``: the mean share of neighbours in full dimension
    that are the same by the chosen metric and by another (``subject``).

    Shown: ``maps`` of the last point by UMAP, a row for each metric and token, turned onto the map
    of the chosen metric.
    """
    settings = given.settings["projection"]
    chosen, tokens = _chosen(settings, given.name, corpus.states[-1])
    names = list(dict.fromkeys((settings.metric, *METRICS)))
    for state in corpus.states:
        places = _together(state, chosen["example_id"], settings.points)
        for (point, layer), features in places.items():
            reference, *others = (neighbour_ranks(features, metric) for metric in names)
            for metric, ranks in zip(names[1:], others, strict=True):
                same = same_neighbours(reference, ranks)
                measured = [Values("same_neighbours", same, metric, point, layer)]
                yield state.variant, ALL, measured
        seed = settings.seeds[0]
        work = partial(plane_map, features, "umap", seed=seed, settings=settings)
        first, *layouts = corpus.each(work, names, f"{given.name}: metrics")
        turned = [first, *(layout @ procrustes(layout, first).rotation for layout in layouts)]
        tables = [
            _placed(tokens, layout, metric=metric, point=point, layer=layer)
            for metric, layout in zip(names, turned, strict=True)
        ]
        maps = Field("maps", pd.concat(tables, ignore_index=True), shown=True)
        yield state.variant, ALL, [maps]


def separation(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Silhouettes by label, in full dimension, of every captured text that has one.

    For its ``first`` token and the ``mean`` of its tokens (``facet``) at every point (``subject``).
    The intervals take texts as independent.
    """
    settings = given.settings["projection"]
    for state in corpus.states:
        texts = state.examples.dropna(subset="label")
        vectors: dict[tuple[str, int, str], list] = {}
        for example in texts["id"]:
            for place, rows in _points(state.text(example), settings.points).items():
                for vector, value in zip(VECTORS, (rows[0], rows.mean(axis=0)), strict=True):
                    vectors.setdefault((*place, vector), []).append(value)
        labels = texts["label"].to_numpy(int)
        work = partial(silhouettes, labels=labels, metric=settings.metric)
        scores = corpus.each(work, [np.stack(v) for v in vectors.values()], "separation")
        for (point, layer, vector), values in zip(vectors, scores, strict=True):
            for example, value in zip(texts["id"], values, strict=True):
                silhouette = Values("silhouette", value, point, vector, layer)
                yield state.variant, int(example), [silhouette]


def plane_map(
    vectors: NDArray, method: str, metric: str, *, seed: int, settings: Projection
) -> Layout:
    """Map vectors ``[point, dim]`` to the plane, ``[point, 2]``.

    ``method`` is ``pca``, ``umap`` or ``tsne``; metric, seed and settings are of the last two, as
    PCA has none.
    """
    match method:
        case "pca":
            return pca_map(vectors)
        case "umap":
            return umap_map(
                vectors,
                metric=metric,
                neighbors=settings.neighbors,
                min_dist=settings.min_dist,
                seed=seed,
            )
        case _:
            return tsne_map(vectors, metric=metric, perplexity=settings.perplexity, seed=seed)


def _chosen(settings: Projection, name: str, state: State) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Texts that are mapped and their tokens, one text after the other.

    Of the last state: the fine-tuned model predicts, the pretrained one does not.
    """
    texts = state.examples
    indices = feature_texts(settings.examples, len(texts))
    if not indices:
        raise InputError(
            f"projection.examples is {list(settings.examples)} but {name} has only {len(texts)} "
            "captured texts; name an earlier one (the first is 0) or capture more."
        )
    chosen = texts.iloc[list(indices)].rename(columns={"id": "example_id"})
    tokens = pd.concat([state.text(example).shown_tokens for example in chosen["example_id"]])
    require_enough_tokens(indices, name, len(tokens))
    return chosen[["example_id", "text", "label", "prediction"]], tokens[TOKEN]


def require_enough_tokens(examples: Sequence[int], name: str, tokens: int) -> None:
    """Refuse chosen texts of an experiment that have too few tokens together for a map."""
    if tokens < FEWEST_POINTS:
        raise InputError(
            f"projection.examples {list(examples)} of {name} have {tokens} tokens "
            f"together; a map needs at least {FEWEST_POINTS}; choose longer texts or more of them."
        )


def _points(text: Text, points: str) -> dict[Place, NDArray[np.float32]]:
    names = (*INPUT_POINTS, *POINT_SETS[points])
    return feature_points({name: text[name] for name in names}, points)


def _together(
    state: State, examples: Sequence[int], points: str
) -> dict[Place, NDArray[np.float32]]:
    """Features of all tokens of some texts at every point, ``[token, model_dim]``."""
    texts = [_points(state.text(example), points) for example in examples]
    return {place: np.concatenate([text[place] for text in texts]) for place in texts[0]}


def _placed(tokens: pd.DataFrame, layout: Layout, **where: str | int) -> pd.DataFrame:
    """Tokens and their places on one map."""
    x, y = layout.T.astype(np.float32)
    return tokens.assign(**where, x=x, y=y)


def _maps(
    settings: Projection, features: NDArray[np.float32]
) -> dict[str, tuple[Layout, dict[str, float]]]:
    """Map one feature point with every method -> layout of the first seed, trust figures."""
    ranks = neighbour_ranks(features, settings.metric)
    mapped = {}
    for method in METHODS:
        first, *others = (
            plane_map(features, method, settings.metric, seed=seed, settings=settings)
            for seed in (settings.seeds[:1] if method == "pca" else settings.seeds)
        )
        spread = seed_spread([first, *others]) if others else 0.0
        mapped[method] = (first, map_trust(ranks, first)._asdict() | {"spread": spread})
    return mapped


MEASURES = (
    Measure(
        "projection",
        projection,
        gives=(
            *gives(
                (*Trust._fields, "spread", "shift"), LAYER, SHARE, subject=METHODS, facet=POINTS
            ),
            Gives("moved", LAYER, SHARE, facet=POINTS),
            Gives("neighbors", range=POSITIVE),
            Gives("overlap_by_chance", range=SHARE),
        ),
        kind="corpus",
        settings=("projection",),
        first_seed=True,
    ),
    Measure(
        "metrics",
        metrics,
        gives=(Gives("same_neighbours", LAYER, SHARE, subject=METRICS, facet=POINTS),),
        kind="corpus",
        settings=("projection",),
        first_seed=True,
    ),
    Measure(
        "separation",
        separation,
        gives=(Gives("silhouette", LAYER, SIGNED, subject=POINTS, facet=VECTORS),),
        kind="corpus",
        settings=("projection",),
    ),
)
