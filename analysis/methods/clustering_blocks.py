"""Clusters of more attention maps than fit into memory, found by one process or by many.

The same as in :mod:`analysis.methods.clustering` and :mod:`analysis.methods.clustering_quality`,
asked of rows that come in partitions.
A partition is a function without arguments that starts a new pass over its part of the rows: it
returns blocks, each ``[row, dim]`` and of any size, always the same rows in the same order, whether
read from files or drawn. Memory holds a few thousand rows whatever their number, and each pass
costs time in proportion to it.

``workers`` (:class:`Workers`) are who passes over the partitions: this process, one after the
other, or several processes or machines. What they hand back is put together in the order of the
partitions, so that the result is the same, bit for bit, whoever they are. How a partition is cut
into blocks changes nothing either; how rows are divided into partitions changes the order of sums,
and with it a last digit, and what mini-batch k-means sees together.

>>> rows = np.repeat([[0.0, 1.0], [9.0, 2.0]], 50, axis=0)
>>> partitions = [lambda: iter(np.split(rows[:60], 4)), lambda: [rows[60:]]]
>>> reduced = reduction(partitions, components=1)
>>> found = centres(partitions, reduced, 2)
>>> [labels(block, reduced, found).tolist() for block in (rows[:3], rows[-3:])]
[[0, 0, 0], [1, 1, 1]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from analysis.methods.clustering import cluster
from analysis.methods.clustering_quality import (
    SILHOUETTE_ROWS,
    Quality,
    quality_of_sums,
    silhouette,
)
from analysis.methods.clustering_rows import ROUNDING, Floats, Labels
from analysis.methods.engine import SCIKIT_LEARN, Engine

Partition = Callable[[], Iterable[ArrayLike]]

# Rows worked on at a time, except at the end of a partition, where up to twice as many are.
BATCH = 4096
# Rows from which k-means starts.
SAMPLE = 10_000

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")
_State = TypeVar("_State")


class Workers(Protocol):
    """Who does the work on partitions; functions and what they are given can be pickled."""

    def each(self, work: Callable[[_Given], _Found], partitions: Sequence[_Given]) -> list[_Found]:
        """Do work on every partition; what is found, in their order."""

    def chain(
        self, work: Callable[[_State, _Given], _State], state: _State, partitions: Sequence[_Given]
    ) -> _State:
        """Hand a state on from partition to partition, in their order; the last one."""


class ThisProcess:
    """One partition after the other."""

    def each(  # noqa: D102
        self, work: Callable[[_Given], _Found], partitions: Sequence[_Given]
    ) -> list[_Found]:
        return [work(partition) for partition in partitions]

    def chain(  # noqa: D102
        self, work: Callable[[_State, _Given], _State], state: _State, partitions: Sequence[_Given]
    ) -> _State:
        return reduce(work, partitions, state)


THIS_PROCESS = ThisProcess()


class Reduction(NamedTuple):
    """Standardisation and principal components of all rows.

    Attributes
    ----------
    counts
        ``[partition]``, rows of each.
    mean, deviation
        ``[dim]``; the deviation of a constant dimension is infinite, so that it becomes 0.
    axes
        ``[component, dim]``, from the widest on; the largest entry of each is positive.
    share
        ``[dim]``, of the variance of the standardised rows that each component has, those that are
        not kept as well.
    """

    counts: tuple[int, ...]
    mean: Floats
    deviation: Floats
    axes: Floats
    share: Floats

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(self.counts)

    def __call__(self, block: ArrayLike) -> Floats:
        """Reduce ``[row, dim]`` to ``[row, component]``."""
        return (np.asarray(block, dtype=np.float64) - self.mean) / self.deviation @ self.axes.T


def reduction(
    partitions: Sequence[Partition],
    components: int,
    *,
    workers: Workers = THIS_PROCESS,
    engine: Engine = SCIKIT_LEARN,
) -> Reduction:
    """Standardise the rows and find their principal components, in one pass.

    Means and products of all pairs of dimensions are added up batch by batch. That is exact, and
    unlike methods that keep a few components and update those, it does not depend on the order of
    the rows: what only comes late counts as much. It takes memory for the products, 34 MB with the
    2048 features of a large image classifier.

    Parameters
    ----------
    partitions
        All rows, ``[row, dim]`` each.
    components
        How many, 1 to the dimensions. With as many as there are, distances stay as they are.
    workers
        Who passes over the partitions.
    engine
        What products are computed with.

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
    found = workers.each(partial(_moments, engine=engine), partitions)
    count, mean, products, largest = reduce(_joined, found, _NOTHING)
    if not count:
        raise ValueError("there is no map; partitions are empty")
    deviation = np.sqrt(np.diagonal(products) / count)
    constant = deviation <= ROUNDING * largest
    if constant.all():
        raise ValueError(f"all {count} maps are identical; there is nothing to cluster")
    if not 1 <= components <= min(count, len(mean)):
        raise ValueError(
            f"components is {components!r}; of {count} maps with {len(mean)} dimensions it "
            f"must be 1 to {min(count, len(mean))}"
        )
    deviation[constant] = np.inf
    with threadpool_limits(1):  # sums over threads would depend on their number
        values, vectors = np.linalg.eigh(products / count / np.outer(deviation, deviation))
    axes = vectors[:, ::-1].T[:components]
    signs = np.sign(axes[np.arange(components), np.abs(axes).argmax(axis=1)])
    share = np.maximum(values[::-1], 0) / np.count_nonzero(~constant)
    counts = tuple(part.rows for part in found)
    return Reduction(counts, mean, deviation, axes * signs[:, None], share)


def centres(
    partitions: Sequence[Partition],
    reduced: Reduction,
    k: int,
    *,
    seed: int = 0,
    workers: Workers = THIS_PROCESS,
    engine: Engine = SCIKIT_LEARN,
) -> Floats:
    """Find the centres of clusters by mini-batch k-means, in two passes.

    It starts from what k-means finds in :data:`SAMPLE` random rows, and with these rows, so that
    centres do not run after the first batch. Then they go from partition to partition, for every
    batch moves them from where the one before has left them.

    Parameters
    ----------
    partitions
        All rows.
    reduced
        What :func:`reduction` made of them.
    k
        How many clusters.
    seed
        Of the sample and of k-means.
    workers
        Who passes over the partitions.
    engine
        What k-means of the sample is computed with.

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

    sample = reduced(_sample(partitions, reduced.counts, SAMPLE, seed, workers))
    start = cluster(sample, "kmeans", k=k, seed=seed, engine=engine)
    first = np.stack([sample[start == label].mean(axis=0) for label in range(k)])
    # Centres of empty clusters stay where they are instead of moving to random rows.
    fitted = MiniBatchKMeans(k, init=first, n_init=1, reassignment_ratio=0, random_state=seed)
    with threadpool_limits(1):
        fitted.partial_fit(sample)
    return workers.chain(partial(_moved, reduced=reduced), fitted, partitions).cluster_centers_


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


def quality(
    partitions: Sequence[Partition],
    reduced: Reduction,
    centres: ArrayLike,
    *,
    seed: int = 0,
    workers: Workers = THIS_PROCESS,
) -> Quality:
    """Measure how tight clusters are and how far apart, in two passes.

    Parameters
    ----------
    partitions
        All rows.
    reduced, centres
        What :func:`reduction` and :func:`centres` found.
    seed
        Of the sample whose silhouettes are taken, of
        :data:`analysis.methods.clustering_quality.SILHOUETTE_ROWS` rows.
    workers
        Who passes over the partitions.

    Returns
    -------
    Quality
        Of the reduced rows, exact but for the silhouette. Distances are to the mean of a cluster,
        as in :func:`analysis.methods.clustering_quality.quality`, which is near its centre but not
        on it.
    """
    middle = np.asarray(centres, dtype=np.float64)
    found = workers.each(partial(_sums, reduced=reduced, middle=middle), partitions)
    sizes, sums, square = (sum(parts) for parts in zip(*found, strict=True))
    there = sizes > 0
    sizes, shift = sizes[there], sums[there] / sizes[there, None]
    means = middle[there] + shift
    within = square - float(sizes @ (shift**2).sum(axis=1))
    between = float(sizes @ ((means - sizes @ means / sizes.sum()) ** 2).sum(axis=1))
    sample = _sample(partitions, reduced.counts, SILHOUETTE_ROWS, seed, workers)
    return quality_of_sums(
        sizes,
        within,
        between,
        middle.shape[1],
        silhouette(reduced(sample), labels(sample, reduced, middle)),
    )


def drawn(counts: Sequence[int], size: int, seed: int) -> list[Labels]:
    """Draw rows evenly from all partitions together, without putting any back.

    Parameters
    ----------
    counts
        ``[partition]``, rows of each.
    size
        How many; all if there are fewer.
    seed
        Of the generator. Which rows are drawn does not depend on how they are divided.

    Returns
    -------
    list of NDArray[int64]
        For each partition the numbers of its rows, growing.
    """
    total = sum(counts)
    rows = np.arange(total)
    if total > size:
        rows = np.sort(np.random.default_rng(seed).choice(total, size, replace=False))
    starts = np.cumsum([0, *counts])
    return [rows[(start <= rows) & (rows < end)] - start for start, end in pairwise(starts)]


class _Moments(NamedTuple):
    """Of some rows: their number, mean, products about it and largest magnitudes."""

    rows: int
    mean: Floats
    products: Floats
    largest: Floats


_NOTHING = _Moments(0, np.zeros(0), np.zeros((0, 0)), np.zeros(0))


def _moments(partition: Partition, engine: Engine) -> _Moments:
    found = _NOTHING
    with threadpool_limits(1):
        for batch in _batches(partition):
            mean = batch.mean(axis=0)
            products = engine.products(batch - mean)
            here = _Moments(len(batch), mean, products, np.abs(batch).max(axis=0))
            found = _joined(found, here)
    return found


def _joined(one: _Moments, other: _Moments) -> _Moments:
    """Chan, Golub and LeVeque (1983): no difference of large sums."""
    if not one.rows or not other.rows:
        return one if one.rows else other
    if len(one.mean) != len(other.mean):
        raise ValueError(
            f"partitions have {len(one.mean)} and {len(other.mean)} dimensions; all must be of one"
        )
    total = one.rows + other.rows
    step = other.mean - one.mean
    products = one.products + other.products
    products += np.outer(step, step * (one.rows * other.rows / total))
    largest = np.maximum(one.largest, other.largest)
    return _Moments(total, one.mean + step * (other.rows / total), products, largest)


def _moved(fitted: Any, partition: Partition, reduced: Reduction) -> Any:
    """Mini-batch k-means after one more partition."""
    fitted = deepcopy(fitted)  # work that has to be done again starts from what was given
    with threadpool_limits(1):
        for batch in _batches(partition):
            fitted.partial_fit(reduced(batch))
    return fitted


def _sums(partition: Partition, reduced: Reduction, middle: Floats) -> tuple[Floats, Floats, float]:
    """Of each cluster rows and their offsets from the centre; of all, squared offsets."""
    sizes, sums = np.zeros(len(middle)), np.zeros_like(middle)
    square = 0.0
    with threadpool_limits(1):
        for batch in _batches(partition):
            # Relative to its centre a row is short, so that sums of squares lose no digits.
            which = labels(batch, reduced, middle)
            offset = reduced(batch) - middle[which]
            sizes += np.bincount(which, minlength=len(middle))
            np.add.at(sums, which, offset)
            square += float((offset**2).sum())
    return sizes, sums, square


def _batches(partition: Partition) -> Iterator[Floats]:
    """Cut the rows anew into batches of one size; the last one takes the rest."""
    waiting: list[Floats] = []
    count, start = 0, 0
    for number, block in enumerate(partition()):
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


def _sample(
    partitions: Sequence[Partition], counts: Sequence[int], size: int, seed: int, workers: Workers
) -> Floats:
    """Read random rows in one pass, in their order."""
    found = workers.each(_taken, list(zip(partitions, drawn(counts, size, seed), strict=True)))
    return np.concatenate([rows for rows in found if len(rows)])


def _taken(asked: tuple[Partition, Labels]) -> Floats:
    """Rows of a partition by their numbers, which grow."""
    partition, numbers = asked
    found, start = [np.zeros((0, 0))], 0
    for batch in _batches(partition):
        low, high = np.searchsorted(numbers, [start, start + len(batch)])
        if low < high:
            found.append(batch[numbers[low:high] - start])
        start += len(batch)
    return np.concatenate(found[1:] or found)
