"""The geometry of queries and keys: a closed form against a grid, and all heads of a large model.

Texts of random vectors are made one at a time from their number, in every pass anew, and that is
part of the time. Vectors lie apart from the origin and spread unevenly, as those of a model do.
"""

import resource
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from attention_mixing.methods.attentionviz import (
    Moments,
    distances,
    moved,
    neighbour_rank,
    pooled,
    principal_plane,
    project,
    rank_correlations,
    scaled,
    translate_keys,
    vector_moments,
)
from attention_mixing.methods.attentionviz_scale import optimal_scale, pair_moments
from benchmarks.timing import compare

HEAD_DIM = 64
TOKENS, GRID = 512, np.geomspace(0.1, 10, 161)
LAYERS, HEADS, TEXTS, TEXT_TOKENS = 12, 12, 200, 64

Floats = NDArray[np.float64]


def main() -> None:
    """Print every comparison, one thread of matrix products on either side."""
    with threadpool_limits(1):
        _closed_form()
        _all_heads()


def _closed_form() -> None:
    query, key = (vectors[0, 0] for vectors in text(0, (1, 1), TOKENS))
    # The grid first: its time over that of the closed form is how many times faster that is.
    compare(
        f"Least correlation of dot product and squared distance, by {len(GRID)} scales with "
        f"scipy's cdist, against the closed form, translation included in both; {TOKENS} tokens, "
        f"{HEAD_DIM} dimensions, one thread",
        lambda: grid(query, key),
        lambda: optimal_scale(pair_moments(query, translate_keys(query, key))),
        pairs=3,
    )
    exact = optimal_scale(pair_moments(query, translate_keys(query, key)))
    searched = grid(query, key)
    print(
        f"    c = {searched[0]:.4f} and {exact[0]:.4f}, correlation {searched[1]:.6f} and "
        f"{exact[1]:.6f}"
    )


def grid(query: Floats, key: Floats) -> tuple[float, float]:
    """Search the scale the plain way: every distance anew at every scale."""
    moved = translate_keys(query, key)
    dot = (query @ moved.T).ravel()
    found = [
        np.corrcoef(dot, cdist(c * query, moved / c, "sqeuclidean").ravel())[0, 1] for c in GRID
    ]
    best = int(np.argmin(found))
    return float(GRID[best]), float(found[best])


def text(number: int, heads: tuple[int, int], tokens: int) -> tuple[Floats, Floats]:
    """Draw queries and keys of one text, ``[layer, head, token, head_dim]``, in float32."""
    centre = np.random.default_rng(0).normal(size=(2, *heads, 1, HEAD_DIM)).astype(np.float32)
    spread = np.linspace(2, 0.2, HEAD_DIM, dtype=np.float32)
    rng = np.random.default_rng([1, number])
    query, key = centre + spread * rng.standard_normal(
        (2, *heads, tokens, HEAD_DIM), dtype=np.float32
    )
    return query, key + query / 4


def _all_heads() -> None:
    print(
        f"All {LAYERS} x {HEADS} heads, {TEXT_TOKENS} tokens a text: translation, rank "
        "correlations before and after, pair moments, closed form, planes, and ranks of the "
        "strongest keys before and after by cosine, in the full dimension and in the plane"
    )
    for texts in (10, 40):
        tracemalloc.start()
        whole_geometry(texts, threads=2)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"    {texts:4d} texts: at most {peak / 1e6:.0f} MB of arrays, 2 threads")
    for threads in (2, 1):
        start = time.perf_counter()
        passes = whole_geometry(TEXTS, threads)
        whole = time.perf_counter() - start
        print(
            f"    {TEXTS:4d} texts: {whole:.1f} s, {threads} thread(s); passes "
            + ", ".join(f"{seconds:.1f} s" for seconds in passes),
            flush=True,
        )
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"    most memory of the process, imports included: {resident / 1e6:.2f} GB")


def whole_geometry(texts: int, threads: int) -> list[float]:
    """Three passes over the texts, seconds of each; nothing of a text outlives it but its ranks."""
    clock = [time.perf_counter()]
    heads = (LAYERS, HEADS)

    with ThreadPoolExecutor(threads) as pool:

        def over(function: Callable[[int], Any]) -> Iterator[Any]:
            # As many texts at a time as there are threads; their results in order.
            for start in range(0, texts, threads):
                yield from pool.map(function, range(start, min(start + threads, texts)))

        def first(number: int) -> list[Moments]:
            return [vector_moments(vectors) for vectors in text(number, heads, TEXT_TOKENS)]

        queries, keys = reduce(
            lambda far, text: [pooled(pair) for pair in zip(far, text, strict=True)], over(first)
        )
        shift = queries.mean - keys.mean
        clock.append(time.perf_counter())

        def second(number: int) -> Any:
            query, key = text(number, heads, TEXT_TOKENS)
            moved = key + shift[..., None, :]
            ranks = rank_correlations(query, key), rank_correlations(query, moved)
            return pair_moments(query, moved), [np.nanmean(each, axis=-1) for each in ranks]

        found: list[Moments] = []
        correlations = []
        for one, ranks in over(second):
            found = [pooled([*found, one])]
            correlations.append(ranks)
        scale, _ = optimal_scale(*found)
        planes = (
            principal_plane(queries, keys),
            principal_plane(moved(queries, scale=scale), moved(keys, shift, 1 / scale)),
        )
        clock.append(time.perf_counter())

        def third(number: int) -> Any:
            before = text(number, heads, TEXT_TOKENS)
            strongest = (before[0] @ before[1].swapaxes(-1, -2)).argmax(axis=-1)
            after = scaled(before[0], before[1] + shift[..., None, :], scale)
            found = []
            for pair, plane in zip((before, after), planes, strict=True):
                flat = [project(vectors, plane) for vectors in pair]
                found += [
                    neighbour_rank(distances(*pair, distance="cosine"), strongest),
                    neighbour_rank(distances(*pair, distance="euclidean"), strongest),
                    neighbour_rank(distances(*flat, distance="euclidean"), strongest),
                ]
            return [np.nanmean(each, axis=-1) for each in found]

        correlations += list(over(third))
        clock.append(time.perf_counter())
    assert len(correlations) == 2 * texts
    return np.diff(clock).tolist()
