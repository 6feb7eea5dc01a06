"""Maps of the queries and keys of every head together."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.addresses import ALL
from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures.engine.definition import (
    HEAD,
    SHARE,
    CapturedCorpus,
    Field,
    Given,
    Measure,
    OfCorpus,
    Values,
    each_of,
    gives,
    over_layers,
)
from attention_mixing.measures.geometry import Space
from attention_mixing.measures.projection import plane_map
from attention_mixing.methods.attentionviz import scaled
from attention_mixing.methods.projection import FEWEST_POINTS
from attention_mixing.methods.trust import Trust, map_trust, neighbour_ranks, procrustes
from attention_mixing.settings.derived import drawn_nonlinear, joint_texts
from attention_mixing.settings.measures import Projection

# By PCA also without the scale, and as the model has the vectors: what each step changes.
LINEAR, NONLINEAR = ("pca_raw", "pca_translated", "pca"), ("umap", "tsne")

Vectors = NDArray[np.float64]
Drawn = dict[str, tuple[Vectors, dict[str, float]]]


def joint_maps(corpus: CapturedCorpus, given: Given) -> OfCorpus:
    """Map the queries and keys of a few texts, every head by itself.

    Keys are translated and both scaled by the closed form of the head; ``pca_raw`` maps them as
    they are, ``pca_translated`` before they are scaled. Maps of the second variant are turned onto
    those of the first, not scaled. Of each map (``subject`` a method) there are trust figures and
    ``shift``, the Procrustes disparity to that of the first variant.

    Shown: ``points``, a row a point, the queries of all tokens, then their keys; ``maps``, a row
    for each layer, head, method and point, with ``x``, ``y`` and the ``norm`` of the vector as the
    model has it; ``lines``, the pairs with the largest weights of every head.
    """
    metric = given.settings["geometry.metric"]
    nonlinear = drawn_nonlinear(given.settings["geometry.nonlinear"], given.name)
    methods = LINEAR + (NONLINEAR if nonlinear else ())
    texts = _chosen(corpus.states[-1], given.settings["geometry.texts"], given.name)
    points = _points(corpus.states[-1], texts)
    ids = texts["id"].tolist()
    first: list[Drawn] = []
    for state in corpus.states:
        space: Space = given["pairs"][state.variant]
        query, key = _vectors(state, ids)
        norms = [np.linalg.norm(vectors, axis=-1) for vectors in (query, key)]
        norm = np.concatenate(norms, axis=-1).astype(np.float32)
        translated = key + space.shift[..., None, :]
        steps = [(query, key), (query, translated), scaled(query, translated, space.scale)]
        # [step, layer, head, point, head_dim]
        both = np.stack([np.concatenate(step, axis=-2) for step in steps])
        if metric == "cosine" and nonlinear:
            _require_lengths(both[-1], given.name, state.variant)
        work = partial(_maps, methods, metric, given.settings["projection"])
        title = f"{given.name}: maps {state.variant}"
        heads = np.moveaxis(both, 0, 2).reshape(-1, len(both), *both.shape[3:])
        mapped = list(corpus.each(work, [*heads], title))
        if first:
            mapped = [_turned(*pair) for pair in zip(mapped, first, strict=True)]
        first = first or mapped
        measured: list[Values | Field] = []
        for method in methods:
            trust = over_layers([of_head[method][1] for of_head in mapped])
            by_head = {name: of_all.reshape(norm.shape[:2]) for name, of_all in trust.items()}
            measured += each_of(by_head, subject=method)
        numbers = (range(1, count + 1) for count in norm.shape[:2])
        names = ["layer", "head", "method", "point"]
        rows = pd.MultiIndex.from_product([*numbers, methods, range(norm.shape[2])], names=names)
        layouts = [of_head[method][0] for of_head in mapped for method in methods]
        x, y = np.concatenate(layouts).astype(np.float32).T
        columns = {"x": x, "y": y, "norm": np.repeat(norm, len(methods), axis=1).ravel()}
        lines = _strongest(state, ids, given.settings["geometry.lines"])
        tables = {"maps": rows.to_frame(index=False).assign(**columns), "points": points}
        for name, table in (tables | {"lines": lines}).items():
            measured.append(Field(name, table, shown=True))
        yield state.variant, ALL, measured


def _turned(mapped: Drawn, onto: Drawn) -> Drawn:
    """Turn the maps of a head onto those of the first variant, and tell how far they differ."""
    turned = {}
    for method, (layout, trust) in mapped.items():
        alignment = procrustes(layout, onto[method][0])
        turned[method] = layout @ alignment.rotation, trust | {"shift": alignment.disparity}
    return turned


def _require_lengths(both: Vectors, name: str, variant: str) -> None:
    without = np.argwhere(~both.any(axis=-1))
    if len(without):
        layer, head = without[0][:2] + 1
        raise InputError(
            f"head {head} of layer {layer} of {name} ({variant}) has a query or key of length "
            "zero, to which no cosine distance is defined; set geometry.metric: euclidean."
        )


def _chosen(state: State, wanted: int | tuple[int, ...], name: str) -> pd.DataFrame:
    texts = state.examples
    indices = joint_texts(wanted, len(texts))
    if not indices:
        raise InputError(
            f"geometry.texts is {wanted} but {name} has only {len(texts)} captured texts; "
            "name an earlier one (the first is 0) or capture more."
        )
    chosen = texts.iloc[list(indices)]
    tokens = int(chosen["tokens"].sum())
    if 2 * tokens < FEWEST_POINTS:
        raise InputError(
            f"the texts of {name} that geometry.texts chooses have {tokens} tokens together; a map "
            f"of queries and keys needs at least {FEWEST_POINTS // 2}; choose more of them."
        )
    return chosen


def _points(state: State, texts: pd.DataFrame) -> pd.DataFrame:
    """One row a point: what the maps can be coloured by."""
    every = (state.text(example).tokens["token"] for example in state.examples["id"])
    frequency = pd.concat(every).value_counts()
    tokens = pd.concat([state.text(example).tokens for example in texts["id"]])
    tokens = tokens.merge(texts[["id", "label"]], left_on="example_id", right_on="id")
    tokens = tokens.assign(frequency=tokens["token"].map(frequency), token=tokens["written"])
    columns = ["example_id", "position", "token", "is_special", "is_evidence", "label", "frequency"]
    tokens = tokens[columns]
    return pd.concat([tokens.assign(kind=kind) for kind in ("query", "key")], ignore_index=True)


def _vectors(state: State, examples: list[int]) -> tuple[Vectors, Vectors]:
    """Read queries and keys of all tokens of some texts, ``[layer, head, token, head_dim]``."""
    query, key = (
        np.concatenate([state.text(example)[kind] for example in examples], axis=2)
        for kind in ("query", "key")
    )
    return query.astype(np.float64), key.astype(np.float64)


def _maps(methods: tuple[str, ...], metric: str, settings: Projection, steps: Vectors) -> Drawn:
    """Map queries and keys of one head with every method -> layout, trust figures.

    ``steps`` are these vectors as they are, translated, and scaled, ``[step, point, head_dim]``.
    """
    mapped = {}
    for method in methods:
        linear = method in LINEAR
        vectors = steps[LINEAR.index(method) if linear else -1]
        of_map = "euclidean" if linear else metric
        algorithm = "pca" if linear else method
        layout = plane_map(vectors, algorithm, of_map, seed=settings.seeds[0], settings=settings)
        mapped[method] = (layout, map_trust(neighbour_ranks(vectors, of_map), layout)._asdict())
    return mapped


def _largest(values: NDArray, count: int) -> NDArray[np.intp]:
    """Places of the largest values, largest first; of equal ones, the first."""
    count = min(count, len(values))
    at_least = np.partition(values, -count)[-count]
    places = np.flatnonzero(values >= at_least)
    return places[np.argsort(-values[places], kind="stable")][:count]


def _strongest(state: State, examples: list[int], lines: int) -> pd.DataFrame:
    """Pairs with the largest weights of every head, as points: a query and a key."""
    texts = [state.text(example) for example in examples]
    lengths = [len(text.tokens) for text in texts]
    starts = np.cumsum([0, *lengths])
    pairs = [
        start + np.indices((length, length)).reshape(2, -1)
        for start, length in zip(starts, lengths, strict=False)
    ]
    query, key = np.concatenate(pairs, axis=1)
    attention = [text["attention"] for text in texts]
    together = np.concatenate(
        [weights.reshape(*weights.shape[:2], -1) for weights in attention], axis=-1
    )
    order = np.apply_along_axis(_largest, -1, together, lines)
    layer, head, _ = 1 + np.indices(order.shape)
    table = {
        "layer": layer,
        "head": head,
        "query": query[order],
        "key": starts[-1] + key[order],
        "attention": np.take_along_axis(together, order, axis=-1),
    }
    return pd.DataFrame({column: np.asarray(values).ravel() for column, values in table.items()})


MEASURES = (
    Measure(
        "joint_maps",
        joint_maps,
        gives=gives((*Trust._fields, "shift"), HEAD, SHARE, subject=(*LINEAR, *NONLINEAR)),
        kind="corpus",
        settings=(
            *("geometry.lines", "geometry.metric", "geometry.nonlinear", "geometry.texts"),
            "projection",
        ),
        after=("pairs",),
        first_seed=True,
    ),
)
