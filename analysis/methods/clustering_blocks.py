"""Clusters of more attention maps than fit into memory.

The same questions as in :mod:`analysis.methods.clustering`, asked of rows that come in blocks.
``Blocks`` is a function without arguments that starts a new pass: it returns the blocks, each
``[row, dim]`` and of any size, always the same rows in the same order, whether read from files or
handed on by the partitions of a distributed table. Memory holds a few thousand rows whatever their
number, and each pass costs time in proportion to it. How the rows are cut into blocks changes
nothing.

>>> rows = np.repeat([[0.0, 1.0], [9.0, 2.0]], 50, axis=0)
>>> blocks = lambda: iter(np.split(rows, 4))
>>> reduced = reduction(blocks, components=1)
>>> found = centres(blocks, reduced, 2)
>>> [labels(block, reduced, found).tolist()[:3] for block in blocks()]
[[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from analysis.methods.clustering import (
    SILHOUETTE_ROWS,
    Labels,
    Quality,
    cluster,
    quality_of_sums,
    silhouette,
)

Floats = NDArray[np.float64]
Blocks = Callable[[], Iterable[ArrayLike]]

# Rows worked on at a time, except at the end, where up to twice as many are.
BATCH = 4096
# Rows from which k-means starts.
SAMPLE = 10_000

_ROUNDING = 1e-12


class Reduction(NamedTuple):
    """Standardisation and principal components of all rows.

    Attributes
    ----------
    rows
        How many there are.
    mean, deviation
        ``[dim]``; the deviation of a constant dimension is infinite, so that it becomes 0.
    axes
        ``[component, dim]``, from the widest on; the largest entry of each is positive.
    share
        ``[component]``, of the variance of the standardised rows.
    """

    rows: int
    mean: Floats
    deviation: Floats
    axes: Floats
    share: Floats

    def __call__(self, block: ArrayLike) -> Floats:
        """Reduce ``[row, dim]`` to ``[row, component]``."""
        return (np.asarray(block, dtype=np.float64) - self.mean) / self.deviation @ self.axes.T


def reduction(blocks: Blocks, components: int) -> Reduction:
    """Standardise the rows and find their principal components, in one pass.

    Means and products of all pairs of dimensions are added up batch by batch. That is exact, and
    unlike methods that keep a few components and update those, it does not depend on the order of
    the rows: what only comes late counts as much. It takes memory for the products, 34 MB with the
    2048 features of a large image classifier.

    Parameters
    ----------
    blocks
        All rows, ``[row, dim]`` each.
    components
        How many, 1 to the dimensions. With as many as there are, distances stay as they are.

    Returns
    -------
    Reduction
        Principal components as of the rows in memory.

    Raises
    ------
    ValueError
        If there are no two rows that differ, fewer rows or dimensions than components, blocks of
        different dimensions, or a feature is not finite.
    """
    count, mean, products, largest = 0, np.zeros(0), np.zeros((0, 0)), np.zeros(0)
    with threadpool_limits(1):  # sums over threads would depend on their number
        for batch in _batches(blocks):
            if not count:
                dimensions = batch.shape[1]
                mean, largest = np.zeros(dimensions), np.zeros(dimensions)
                products = np.zeros((dimensions, dimensions))
            # Chan, Golub and LeVeque (1983): no difference of large sums.
            centre, total = batch.mean(axis=0), count + len(batch)
            step = centre - mean
            products += (batch - centre).T @ (batch - centre)
            products += np.outer(step, step * (count * len(batch) / total))
            mean += step * (len(batch) / total)
            largest = np.maximum(largest, np.abs(batch).max(axis=0))
            count = total
        if not count:
            raise ValueError("there is no map; blocks are empty")
        deviation = np.sqrt(np.diagonal(products) / count)
        constant = deviation <= _ROUNDING * largest
        if constant.all():
            raise ValueError(f"all {count} maps are identical; there is nothing to cluster")
        if not 1 <= components <= min(count, len(mean)):
            raise ValueError(
                f"components is {components!r}; of {count} maps with {len(mean)} dimensions it "
                f"must be 1 to {min(count, len(mean))}"
            )
        deviation[constant] = np.inf
        values, vectors = np.linalg.eigh(products / count / np.outer(deviation, deviation))
    axes = vectors[:, ::-1].T[:components]
    signs = np.sign(axes[np.arange(components), np.abs(axes).argmax(axis=1)])
    share = np.maximum(values[::-1][:components], 0) / np.count_nonzero(~constant)
    return Reduction(count, mean, deviation, axes * signs[:, None], share)


def centres(blocks: Blocks, reduced: Reduction, k: int, *, seed: int = 0) -> Floats:
    """Find the centres of clusters by mini-batch k-means, in two passes.

    It starts from what k-means finds in :data:`SAMPLE` random rows, and with these rows, so that
    centres do not run after the first batch.

    Parameters
    ----------
    blocks
        All rows.
    reduced
        What :func:`reduction` made of them.
    k
        How many clusters.
    seed
        Of the sample and of k-means.

    Returns
    -------
    NDArray[float64]
        ``[cluster, component]``, the largest cluster of the sample first.

    Raises
    ------
    ValueError
        If there are fewer different rows in the sample than clusters.

    References
    ----------
    Sculley (2010), *Web-scale k-means clustering*, WWW.
    """
    from sklearn.cluster import MiniBatchKMeans  # a second to import

    sample = reduced(_sample(blocks, SAMPLE, seed))
    start = cluster(sample, "kmeans", k=k, seed=seed)
    first = np.stack([sample[start == label].mean(axis=0) for label in range(k)])
    # Centres of empty clusters stay where they are instead of moving to random rows.
    fitted = MiniBatchKMeans(k, init=first, n_init=1, reassignment_ratio=0, random_state=seed)
    with threadpool_limits(1):
        fitted.partial_fit(sample)
        for batch in _batches(blocks):
            fitted.partial_fit(reduced(batch))
    return fitted.cluster_centers_


def labels(block: ArrayLike, reduced: Reduction, centres: ArrayLike) -> Labels:
    """Give each row of a block to the nearest centre.

    Parameters
    ----------
    block
        ``[row, dim]``.
    reduced, centres
        What :func:`reduction` and :func:`centres` found.

    Returns
    -------
    NDArray[int64]
        ``[row]``.
    """
    rows, middle = reduced(block), np.asarray(centres)
    # The squared distance without the part that is the same for all centres.
    return ((middle**2).sum(axis=1) - 2 * rows @ middle.T).argmin(axis=1)


def quality(blocks: Blocks, reduced: Reduction, centres: ArrayLike, *, seed: int = 0) -> Quality:
    """Measure how tight clusters are and how far apart, in two passes.

    Parameters
    ----------
    blocks
        All rows.
    reduced, centres
        What :func:`reduction` and :func:`centres` found.
    seed
        Of the sample whose silhouettes are taken, of
        :data:`analysis.methods.clustering.SILHOUETTE_ROWS` rows.

    Returns
    -------
    Quality
        Of the reduced rows, exact but for the silhouette. Distances are to the mean of a cluster,
        as in :func:`analysis.methods.clustering.quality`, which is near its centre but not on it.
    """
    middle = np.asarray(centres, dtype=np.float64)
    sizes, sums = np.zeros(len(middle)), np.zeros_like(middle)
    square = 0.0
    for batch in _batches(blocks):
        # Relative to its centre a row is short, so that sums of squares lose no digits.
        which = labels(batch, reduced, middle)
        offset = reduced(batch) - middle[which]
        sizes += np.bincount(which, minlength=len(middle))
        np.add.at(sums, which, offset)
        square += float((offset**2).sum())
    there = sizes > 0
    sizes, shift = sizes[there], sums[there] / sizes[there, None]
    means = middle[there] + shift
    within = square - float(sizes @ (shift**2).sum(axis=1))
    between = float(sizes @ ((means - sizes @ means / sizes.sum()) ** 2).sum(axis=1))
    sample = _sample(blocks, SILHOUETTE_ROWS, seed)
    return quality_of_sums(
        sizes,
        within,
        between,
        middle.shape[1],
        silhouette(reduced(sample), labels(sample, reduced, middle)),
    )


def _batches(blocks: Blocks) -> Iterator[Floats]:
    """Cut the rows anew into batches of one size; the last one takes the rest."""
    waiting: list[Floats] = []
    count, start = 0, 0
    for number, block in enumerate(blocks()):
        rows = np.asarray(block, dtype=np.float64)
        if rows.ndim != 2 or (waiting and rows.shape[1] != waiting[0].shape[1]):
            raise ValueError(
                f"block {number} has shape {rows.shape}; blocks must be [row, dim], all of one dim"
            )
        if not np.isfinite(rows).all():
            row, dim = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise ValueError(f"row {start + row} has {rows[row, dim]} at {dim}; must be finite")
        waiting.append(rows)
        count, start = count + len(rows), start + len(rows)
        if count >= 2 * BATCH:
            together = np.concatenate(waiting)
            batches = count // BATCH - 1
            yield from np.split(together[: batches * BATCH], batches)
            waiting, count = [together[batches * BATCH :].copy()], count - batches * BATCH
    if count:
        yield np.concatenate(waiting)


def _sample(blocks: Blocks, size: int, seed: int) -> Floats:
    """Draw rows evenly in one pass: those with the smallest random numbers, in their order."""
    rng = np.random.default_rng(seed)
    kept, keys = np.zeros((0, 0)), np.zeros(0)
    for batch in _batches(blocks):
        kept = np.concatenate([kept.reshape(-1, batch.shape[1]), batch])
        keys = np.concatenate([keys, rng.random(len(batch))])
        if len(keys) > size:
            smallest = np.sort(np.argpartition(keys, size)[:size])
            kept, keys = kept[smallest], keys[smallest]
    return kept
