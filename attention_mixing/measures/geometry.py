"""Queries and keys in one space: what AttentionViz normalises, measured for every head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from attention_mixing.addresses import ALL
from attention_mixing.capture.text import State, Text
from attention_mixing.measures.engine.definition import (
    HEAD,
    LAYER,
    POSITIVE,
    SHARE,
    SIGNED,
    CapturedCorpus,
    Field,
    Given,
    Gives,
    Measure,
    Measured,
    OfCorpus,
    Values,
    each_of,
    gives,
    over_layers,
)
from attention_mixing.methods.arrays import defined_mean
from attention_mixing.methods.attentionviz import (
    Moments,
    PrincipalPlane,
    distances,
    joint,
    moved,
    neighbour_rank,
    pooled,
    pooled_correlation,
    principal_plane,
    project,
    rank_correlations,
    scaled,
    stacked,
    translate_keys,
    vector_moments,
)
from attention_mixing.methods.attentionviz_scale import (
    WeightedScale,
    correlation_at_scale,
    norm_ratio,
    optimal_scale,
    pair_moments,
    weighted_scale,
)
from attention_mixing.methods.scaled_dot_product import scaled_scores

Floats = NDArray[np.float64]
Distance = Literal["cosine", "euclidean"]

READS = ("query", "key")
# Choices of c other than the closed form look at these texts only: the weighted correlation takes
# every pair again for every scale that it tries.
SEARCHED_TEXTS = 16
SCALES = np.geomspace(0.25, 4, 33)  # of the curves that are drawn
ORDER_SCALES = np.geomspace(0.5, 2, 9)
CHOICES = ("centroid", "norm-ratio", "weighted")  # of c, other than the closed form
# Distance or plane, and how queries and keys were brought together before it is taken.
WAYS = (
    *("cosine_before", "cosine_after", "euclidean_before", "euclidean_translated"),
    *("euclidean_after", "euclidean_joint", "plane_before", "plane_after"),
)
OF = ("", "special_", "ordinary_")  # queries: all, or by what their strongest key is of
DEVIATIONS = ("attention", "softmax", "dot")  # of what holds exactly
ROUNDING = 1e-12  # dot products of a query that differ by less, relative to them, are the same


class Centroids:
    """Moments of the queries and of the keys of every head, pooled over texts."""

    def __init__(self, given: Given) -> None:
        self.moments: tuple[Moments, ...] = ()

    def add(self, text: Text) -> None:  # noqa: D102
        self.take(*(vector_moments(text[kind].astype(np.float64)) for kind in READS))

    def take(self, *moments: Moments) -> None:
        """Take those of one more text, of every kind."""
        if self.moments:
            moments = tuple(pooled(pair) for pair in zip(self.moments, moments, strict=True))
        self.moments = moments

    def merge(self, other: Centroids) -> None:  # noqa: D102
        self.take(*other.moments)

    def result(self) -> Any:  # noqa: D102
        return self.moments

    def measured(self) -> Measured:  # noqa: D102
        return ()


@dataclass(frozen=True)
class Space:
    """How queries and keys are brought together, ``[layer, head, ...]``.

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
    """

    shift: Floats
    moments: Moments
    scale: Floats
    joint_scale: float
    before: PrincipalPlane
    after: PrincipalPlane


class Pairs(Centroids):
    """Moments of all pairs of a query and a translated key of one text.

    Gives ``c`` by the closed form (``subject``), of every head, of all heads of a layer (head 0)
    and of the model (no layer), with the ``correlation`` of dot product and squared distance that
    it attains, ``joint_loss``, by how much weaker that is with one ``c`` for the model than with
    one a head, and ``plane_share``, the variance in the principal plane, mean over heads. Shown:
    ``over_scales``, the correlation of every head at many scales ``c``.
    """

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.queries, self.keys = given["centroids"]
        self.shift = self.queries.mean - self.keys.mean

    def add(self, text: Text) -> None:  # noqa: D102
        query, key = text["query"].astype(np.float64), text["key"].astype(np.float64)
        translated = key + self.shift[..., None, :]
        if text.visible is None:
            self.take(pair_moments(query, translated))
            return
        layers = zip(query, translated, text.visible, strict=True)
        self.take(stacked([pair_moments(*layer) for layer in layers]))

    def result(self) -> Space:  # noqa: D102
        (moments,) = self.moments
        scale = attained(optimal_scale(moments)[0])
        of_model = optimal_scale(joint(joint(moments)))[0]
        return Space(
            self.shift,
            moments,
            scale,
            float(attained(of_model)),
            principal_plane(self.queries, self.keys),
            principal_plane(
                moved(self.queries, scale=scale), moved(self.keys, self.shift, 1 / scale)
            ),
        )

    def measured(self) -> Measured:  # noqa: D102
        space = self.result()
        layers = joint(space.moments)
        attains = []
        for moments, c in (
            (space.moments, space.scale),
            (layers, attained(optimal_scale(layers)[0])),
            (joint(layers), np.asarray(space.joint_scale)),
        ):
            attains.append(correlation_at_scale(moments, c))
            yield from each_of({"c": c, "correlation": attains[-1]}, subject="closed-form")
        of_heads, of_model = defined_mean(attains[0].ravel()), attains[-1]
        yield Values("joint_loss", np.abs(of_heads) - np.abs(of_model))
        yield Values("plane_share", defined_mean(space.after.share.sum(axis=-1).ravel()))
        over = np.stack([correlation_at_scale(space.moments, c) for c in SCALES], axis=-1)
        yield Field("over_scales", over, shown=True)
        yield Field("c", SCALES, shown=True)


def geometry(text: Text, given: Given) -> Measured:
    """Distances and correlations of one text, by head.

    ``before``: as the model has the vectors; ``translated``: keys moved to the queries; ``after``:
    scaled as well, by the closed form of the head; ``joint``: by one number for all heads.
    ``correlation_*`` is Spearman's of dot product and cosine distance, mean over the queries for
    which it is defined; ``undefined`` counts the others. ``norm_difference`` is the mean length of
    queries less that of keys, ``offset_*`` how far the dot products of a query lie from 0 (their
    mean over their standard deviation, absolute, mean over queries). Where the strongest key of a
    query stands among all keys, 0 nearest to 1 farthest, is told by ``cosine_*`` and
    ``euclidean_*`` distance and in the ``plane_*`` of two principal components of all texts.
    ``apart_*`` is the distance itself (:func:`attention_mixing.methods.attentionviz.distances`),
    mean over queries, and ``all_*`` the mean over all pairs of a query and a key.
    ``strongest_special`` is the share of queries for which it is that of a special token;
    ``special_*`` and ``ordinary_*`` are the same ranks and distances of these queries and of the
    others: most special tokens are sinks, which the normalization moves in another way than words.

    What holds exactly is measured too, by its largest deviation: ``attention`` recomputed from
    stored queries and keys against the stored one, ``softmax`` after translation, and ``dot``
    products after scaling, relative to the largest of the head.
    """
    space: Space = given["pairs"]
    of_layers = [_layer(text, layer, space) for layer in range(len(space.shift))]
    return each_of(over_layers(of_layers))


def _layer(text: Text, layer: int, space: Space) -> dict[str, Floats]:
    """Every measure of the heads of one layer, ``[head]`` each."""
    query, key = (text.layer(kind, layer).astype(np.float64) for kind in READS)
    translated = key + space.shift[layer][:, None]
    lengths = [np.linalg.norm(vectors, axis=-1).mean(axis=-1) for vectors in (query, key)]
    visible = text.sight(layer)
    every: NDArray[np.bool_] | bool = True if visible is None else visible
    dot = query @ key.swapaxes(-1, -2)
    strongest = np.where(every, dot, -np.inf).argmax(axis=-1)
    special = text.special[strongest]
    before, after = (rank_correlations(query, keys, visible) for keys in (key, translated))
    queries_of = {"special_": special, "ordinary_": ~special}
    brought = scaled(query, translated, space.scale[layer])
    planes = [
        PrincipalPlane(*(array[layer] for array in plane)) for plane in (space.before, space.after)
    ]
    brought_together: tuple[tuple[Floats, Floats], ...] = (
        *((query, key), brought, (query, key), (query, translated)),
        *(brought, scaled(query, translated, space.joint_scale)),
        (project(query, planes[0]), project(key, planes[0])),
        (project(brought[0], planes[1]), project(brought[1], planes[1])),
    )
    near = {}
    for way, (queries, keys) in zip(WAYS, brought_together, strict=True):
        distance: Distance = "cosine" if way.startswith("cosine") else "euclidean"
        apart = distances(queries, keys, distance=distance)
        to_strongest = np.take_along_axis(apart, strongest[..., None], axis=-1)[..., 0]
        ranks = neighbour_rank(apart, strongest, visible)
        for name, values in {"": ranks, "apart_": to_strongest}.items():
            near[f"{name}{way}"] = defined_mean(values)
            for kind, chosen in queries_of.items():
                near[f"{kind}{name}{way}"] = defined_mean(np.where(chosen, values, np.nan))
        visible_distances = np.where(every, apart, np.nan)
        near[f"all_{way}"] = defined_mean(visible_distances.reshape(len(apart), -1))
    return {
        "correlation_before": defined_mean(before),
        "correlation_after": defined_mean(after),
        "undefined": np.isnan(after).sum(axis=-1).astype(np.float64),
        "norm_difference": lengths[0] - lengths[1],
        "offset_before": _offset(dot, every),
        "offset_after": _offset(query @ translated.swapaxes(-1, -2), every),
        "strongest_special": special.mean(axis=-1),
        **near,
        **_deviations(text.layer("attention", layer), query, key, translated, dot, every),
    }


def _deviations(
    stored: NDArray[np.float32],
    query: Floats,
    key: Floats,
    translated: Floats,
    dot: Floats,
    every: NDArray[np.bool_] | bool,
) -> dict[str, Floats]:
    recomputed, moved_keys = (
        softmax(np.where(every, scaled_scores(query, keys), -np.inf), axis=-1)
        for keys in (key, translated)
    )
    size = np.abs(dot).max(axis=(-1, -2), keepdims=True)
    size = np.maximum(size, np.finfo(float).tiny)  # dot products that are all 0 stay 0
    queries, keys = scaled(query, key, 3.0)
    deviations = {
        "attention": recomputed - stored,
        "softmax": recomputed - moved_keys,
        "dot": (queries @ keys.swapaxes(-1, -2) - dot) / size,
    }
    return {check: np.abs(apart).max(axis=(-1, -2)) for check, apart in deviations.items()}


def _offset(dot: Floats, every: NDArray[np.bool_] | bool) -> Floats:
    spread = dot.std(axis=-1, where=every)
    mean = np.abs(dot.mean(axis=-1, where=every))
    varies = spread > ROUNDING * np.abs(dot).max(axis=-1)
    return defined_mean(np.divide(mean, spread, out=np.full_like(mean, np.nan), where=varies))


def attained(scale: ArrayLike) -> Floats:
    """Leave vectors unscaled where no scale is best: 1 in place of what is not a number."""
    return np.nan_to_num(scale, nan=1.0)


def scale_choices(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """``c`` of every head as others choose it, and the ``correlation`` that it attains.

    ``subject``: ``centroid``, which scales nothing; ``norm-ratio``; ``weighted``, searched, with
    ``at_edge``, whether the search ended where its range does. ``searched`` is how many texts they
    look at.
    """
    for state in corpus.states:
        space: Space = given["pairs"][state.variant]
        work = partial(_searched, state, space.shift)
        searches = list(corpus.each(work, range(len(space.shift)), f"{given.name}: scales"))
        chosen = (
            np.ones_like(space.scale),
            np.stack([ratio for ratio, _ in searches]),
            np.stack([weighted.scale for _, weighted in searches]),
        )
        for choice, c in zip(CHOICES, chosen, strict=True):
            attains = {"c": c, "correlation": _correlation(space.moments, c)}
            yield state.variant, ALL, each_of(attains, subject=choice)
        edge = np.stack([weighted.at_edge for _, weighted in searches])
        searched = min(SEARCHED_TEXTS, len(state.examples))
        measured = [Values("at_edge", edge, "weighted"), Values("searched", searched)]
        yield state.variant, ALL, measured


def _searched(state: State, shift: Floats, layer: int) -> tuple[Floats, WeightedScale]:
    texts = [state.text(text) for text in state.examples["id"][:SEARCHED_TEXTS]]
    pairs: Sequence[Any] = [
        [text.layer(kind, layer).astype(np.float64) for kind in READS] for text in texts
    ]
    queries = [query for query, _ in pairs]
    keys = [key + shift[layer][:, None] for _, key in pairs]
    ratio = norm_ratio(np.concatenate(queries, axis=1), np.concatenate(keys, axis=1))
    return ratio, weighted_scale(queries, keys, [text.sight(layer) for text in texts])


def _correlation(moments: Moments, c: Floats) -> Floats:
    """Pooled correlation at a scale of each head; nan where there is no scale."""
    defined = ~np.isnan(c)
    return np.where(defined, correlation_at_scale(moments, np.where(defined, c, 1.0)), np.nan)


def scale_order(text: Text, given: Given) -> Measured:
    """How much ``c`` matters in either order (:func:`order_spreads`)."""
    return each_of(order_spreads(text))


def order_spreads(text: Text) -> dict[str, Floats]:
    """How far ``c`` moves the correlation of dot product and cosine distance, ``[layer]`` each.

    Of all pairs of a head together: ``translate_scale_spread`` if keys are moved first (the largest
    of the heads; nothing but rounding, for a cosine does not notice lengths),
    ``scale_translate_spread`` if both are scaled first (mean of the heads): then the step of the
    keys depends on ``c``, and so do the cosines.
    """
    query, key = (text[kind].astype(np.float64) for kind in READS)
    translated = translate_keys(query, key)
    moved_first, scaled_first = [], []
    for c in ORDER_SCALES:
        moved_first.append(correlations(text, *scaled(query, translated, c)))
        queries, keys = scaled(query, key, c)
        scaled_first.append(correlations(text, queries, translate_keys(queries, keys)))
    return {
        "translate_scale_spread": np.fmax.reduce(np.ptp(moved_first, axis=0), axis=-1),
        "scale_translate_spread": defined_mean(np.ptp(scaled_first, axis=0)),
    }


def correlations(text: Text, query: Floats, key: Floats) -> Floats:
    """Correlate dot product and cosine distance over all pairs that are seen, ``[layer, head]``.

    ``query`` and ``key`` hold vectors of every layer and head.
    """
    layers = zip(query, key, map(text.sight, range(len(query))), strict=True)
    return np.stack([pooled_correlation(*layer) for layer in layers])


MEASURES = (
    Measure("centroids", Centroids, kind="accumulator"),
    Measure(
        "pairs",
        Pairs,
        gives=(
            Gives("c", HEAD, POSITIVE, subject=("closed-form",)),
            Gives("correlation", HEAD, SIGNED, subject=("closed-form",)),
            Gives("joint_loss", range=SIGNED),
            Gives("plane_share", range=SHARE),
        ),
        kind="accumulator",
        after=("centroids",),
    ),
    Measure(
        "geometry",
        geometry,
        gives=(
            *gives(("correlation_before", "correlation_after"), HEAD, SIGNED),
            *gives(("undefined", "offset_before", "offset_after", *DEVIATIONS), HEAD, POSITIVE),
            Gives("norm_difference", HEAD),
            *gives(
                ("strongest_special", *(f"{of}{way}" for of in OF for way in WAYS)), HEAD, SHARE
            ),
            *gives((f"{of}apart_{way}" for of in OF for way in WAYS), HEAD, POSITIVE),
            *gives((f"all_{way}" for way in WAYS), HEAD, POSITIVE),
        ),
        after=("pairs",),
    ),
    Measure(
        "scale_order",
        scale_order,
        gives=(
            Gives("translate_scale_spread", LAYER, POSITIVE),
            Gives("scale_translate_spread", LAYER, POSITIVE),
        ),
        panel=1,
    ),
    Measure(
        "scale_choices",
        scale_choices,
        gives=(
            Gives("c", HEAD, POSITIVE, subject=CHOICES),
            Gives("correlation", HEAD, SIGNED, subject=CHOICES),
            Gives("at_edge", HEAD, SHARE, subject=("weighted",)),
            Gives("searched", range=POSITIVE),
        ),
        kind="corpus",
        after=("pairs",),
    ),
)
