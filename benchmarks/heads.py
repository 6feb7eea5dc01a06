"""Attention heads: descriptors and images a second; a million maps, from map to cluster.

Maps of columns and diagonals are drawn anew from a pool for every block and mixed with fresh
noise. Their descriptors go to a file, are reduced to components in blocks read from it, and the
components are clustered: nothing else grows with the number of maps.
"""

import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.stats import entropy
from threadpoolctl import threadpool_limits

from attention_mixing.methods.clustering import Quality, cluster, quality, reduce
from attention_mixing.methods.head_descriptors import DESCRIPTORS, descriptors, resized
from attention_mixing.methods.head_images import histograms
from benchmarks.timing import compare

TOKENS, MAPS, ROUNDS = 64, 4000, 5
IMAGES, SIDE = 1000, 32
# The stream's texts are short, so that a million maps take no more than a minute; with
# ``_stream(64, COUNTS)`` it is ten, and memory as flat.
STREAM_TOKENS, BLOCK, POOL, NOISE = 16, 5000, 2000, 0.2
BLOCK_WEIGHTS = BLOCK * STREAM_TOKENS**2
COUNTS = 10**4, 10**5, 10**6
CLUSTERS, COMPONENTS = 5, 8

Floats = NDArray[np.float64]


def main() -> None:
    """Print every comparison, one thread of matrix products."""
    with threadpool_limits(1):
        _descriptors()
        _images()
        _stream(STREAM_TOKENS, COUNTS)


def _descriptors() -> None:
    attention = np.concatenate(list(maps(MAPS, TOKENS))).astype(np.float32)
    compare(
        f"All {len(DESCRIPTORS)} descriptors of {MAPS} maps of {TOKENS} tokens, float32, against "
        "scipy's entropy of the same rows alone, one thread",
        lambda: descriptors(attention),
        lambda: entropy(attention, axis=-1),
    )
    parts = np.array_split(attention, 16)
    for threads in (1, 2):
        seconds, processor = [], time.process_time()
        with ThreadPoolExecutor(threads) as pool:
            for _ in range(ROUNDS):
                start = time.perf_counter()
                list(pool.map(descriptors, parts))
                seconds.append(time.perf_counter() - start)
        processor = time.process_time() - processor
        speed = sorted(MAPS / each for each in seconds)
        print(
            f"    {threads} thread(s): {speed[ROUNDS // 2]:,.0f} maps a second "
            f"({speed[0]:,.0f} to {speed[-1]:,.0f}), {ROUNDS * MAPS / processor:,.0f} a second of "
            f"processor time, of which there was {processor / sum(seconds):.2f} a second"
        )


def _images() -> None:
    attention = np.concatenate(list(maps(IMAGES, TOKENS))).astype(np.float32)
    compare(
        f"{IMAGES} maps of {TOKENS} tokens as histograms of gradients of images of {SIDE} pixels a "
        "side, against their descriptors, one thread",
        lambda: histograms(resized(attention, SIDE)),
        lambda: descriptors(attention),
    )


def maps(count: int, tokens: int) -> Iterator[Floats]:
    """Draw blocks of maps, ``[map, query, key]``: a few columns, a diagonal, or both."""
    rng = np.random.default_rng(0)
    columns = rng.dirichlet(np.full(tokens, 0.1), size=(POOL, 1))
    share = rng.choice([0, 0.5, 1], size=(POOL, 1, 1))
    pool = share * columns + (1 - share) * np.eye(tokens)
    step = BLOCK_WEIGHTS // tokens**2
    for start in range(0, count, step):
        rng = np.random.default_rng(start)
        noise = rng.standard_exponential((min(step, count - start), tokens, tokens))
        noise *= NOISE / noise.sum(axis=-1, keepdims=True)
        yield (1 - NOISE) * pool[rng.integers(len(pool), size=len(noise))] + noise


def _stream(tokens: int, counts: tuple[int, ...]) -> None:
    print(
        f"From maps of {tokens} tokens, {BLOCK_WEIGHTS:,} weights at a time, to descriptors in a "
        f"file; from there to {COMPONENTS} components and {CLUSTERS} clusters, quality included; "
        f"one thread. Of {COMPONENTS} components a map a million have 64 MB; what does not grow is "
        "silhouettes"
    )
    with_less = None
    for count in counts:
        with TemporaryDirectory() as directory:
            path = Path(directory) / "features"
            tracemalloc.start()
            described = _describe(path, count, tokens)
            first = _peak()
            clustered, found = _cluster(path)
            second = _peak()
            tracemalloc.stop()
        print(
            f"    {count:9,d} maps: described in {described:.1f} s, at most {first:.0f} MB of "
            f"arrays; clustered in {clustered:.1f} s, at most {second:.0f} MB; distortion "
            f"{found.distortion:.3f}, silhouette {found.silhouette:.3f}",
            flush=True,
        )
        if with_less:
            more = 1e6 * (clustered - with_less[1]) / (count - with_less[0])
            print(f"              {more:.1f} us for each map more than {with_less[0]:,}")
        with_less = count, clustered


def _describe(path: Path, count: int, tokens: int) -> float:
    start = time.perf_counter()
    with path.open("wb") as file:
        for block in maps(count, tokens):
            descriptors(block).tofile(file)
    return time.perf_counter() - start


class _Blocks:
    """Descriptors of a file, anew at every pass."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[Floats]:
        with self.path.open("rb") as file:
            while len(block := np.fromfile(file, count=BLOCK * len(DESCRIPTORS))):
                yield block.reshape(-1, len(DESCRIPTORS))


def _cluster(path: Path) -> tuple[float, Quality]:
    start = time.perf_counter()
    blocks = _Blocks(path)
    reduced = reduce(blocks, COMPONENTS)
    rows = np.concatenate([reduced(block) for block in blocks])
    found = quality(rows, cluster(rows, "kmeans", CLUSTERS))
    return time.perf_counter() - start, found


def _peak() -> float:
    """Most memory in MB since the last call."""
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.reset_peak()
    return peak
