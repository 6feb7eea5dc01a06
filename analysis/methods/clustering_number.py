"""Whether the data prefer a number of clusters: the distortion over k, its elbow and its gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from analysis.methods.clustering import STARTS
from analysis.methods.clustering_rows import (
    Floats,
    Labels,
    check_number,
    checked_rows,
    squared_distances,
)
from analysis.methods.engine import SCIKIT_LEARN, Engine

# An elbow is one that structureless data show in less than this share of cases.
LEVEL = 0.05


class Gap(NamedTuple):
    """Result of :func:`gap`.

    Attributes
    ----------
    gap
        ``[k]``: how far the logarithm of the distortion lies below that of structureless data.
    error
        ``[k]``, standard error of the simulation.
    k
        The first k whose gap is not less than that of the next, less its error; None if the gap
        grows to the end of the range. 1 says that the data have no clusters.
    """

    gap: Floats
    error: Floats
    k: int | None


class Elbow(NamedTuple):
    """Result of :func:`elbow`.

    Attributes
    ----------
    k
        Where the curve bends most.
    bend
        How far it lies below its chord there, both axes logarithmic; at least 0.
    p_value
        Share of structureless curves, this one counted with them, that bend as much.
    found
        Whether ``p_value`` is at most :data:`LEVEL`. If not, ``k`` means nothing.
    """

    k: int
    bend: float
    p_value: float
    found: bool


def distortions(
    features: ArrayLike, ks: Sequence[int], *, seed: int = 0, engine: Engine = SCIKIT_LEARN
) -> Floats:
    """Distortion of k-means over a range of k.

    Parameters
    ----------
    features
        ``[row, dim]``.
    ks
        Numbers of clusters.
    seed
        Of the random starts.
    engine
        What k-means is computed with.

    Returns
    -------
    NDArray[float64]
        ``[k]``: mean squared distance of a row to the nearest centre.

    Raises
    ------
    ValueError
        As :func:`analysis.methods.clustering.cluster`.
    """
    rows = checked_rows(features)
    for k in ks:
        check_number(rows, "k", k, 1)
    with threadpool_limits(1):
        return np.array(
            [
                squared_distances(rows, engine.kmeans(rows, k, starts=STARTS, seed=seed))
                .min(axis=1)
                .mean()
                for k in ks
            ]
        )


def reference_distortions(
    features: ArrayLike,
    ks: Sequence[int],
    *,
    references: int,
    seed: int = 0,
    engine: Engine = SCIKIT_LEARN,
) -> Floats:
    """Distortions of data without clusters that extend as far as the given ones.

    As many rows as there are, drawn evenly from the box around the data that lies along their
    principal components.

    Parameters
    ----------
    features, ks
        As in :func:`distortions`.
    references
        How many times. :func:`elbow` asks for at least 19.
    seed
        Of drawing and starts.
    engine
        What k-means is computed with.

    Returns
    -------
    NDArray[float64]
        ``[reference, k]``.

    Raises
    ------
    ValueError
        As :func:`distortions`, and if ``references`` is below 1.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), *Estimating the number of clusters in a data set via the
    gap statistic*, Journal of the Royal Statistical Society B 63, section 4, choice (b).
    """
    rows = checked_rows(features)
    if references < 1:
        raise ValueError(f"references is {references!r}; it must be at least 1")
    rng = np.random.default_rng(seed)
    mean = rows.mean(axis=0)
    with threadpool_limits(1):
        _, _, axes = np.linalg.svd(rows - mean, full_matrices=False)
        along = (rows - mean) @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
        drawn = [rng.uniform(low, high, along.shape) @ axes for _ in range(references)]
    return np.stack([distortions(rows, ks, seed=seed, engine=engine) for rows in drawn])


def gap(ks: Sequence[int], distortions: ArrayLike, references: ArrayLike) -> Gap:
    r"""Gap statistic: how much tighter the clusters are than those of data without any.

    .. math:: \mathrm{Gap}(k) = \frac{1}{B} \sum_b \ln D^*_{bk} - \ln D_k

    Parameters
    ----------
    ks
        Numbers of clusters, growing one by one; from 1 on, if the answer may be that there are no
        clusters.
    distortions
        ``[k]``, of the data (:func:`distortions`).
    references
        ``[reference, k]`` (:func:`reference_distortions`).

    Returns
    -------
    Gap
        With the rule of the paper for ``k``.

    Raises
    ------
    ValueError
        If shapes do not match, ``ks`` do not grow one by one, or a distortion is not positive.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), section 3.
    """
    numbers, curve, nulls = _curves(ks, distortions, references)
    if (np.diff(numbers) != 1).any():
        raise ValueError(f"ks are {list(ks)}; they must grow one by one")
    gaps = nulls.mean(axis=0) - curve
    errors = nulls.std(axis=0) * np.sqrt(1 + 1 / len(nulls))
    first = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    return Gap(gaps, errors, int(numbers[first[0]]) if len(first) else None)


def elbow(ks: Sequence[int], distortions: ArrayLike, references: ArrayLike) -> Elbow:
    r"""Test whether the curve of distortions has an elbow at all.

    Drawn on ordinary axes every such curve bends: without any clusters, in :math:`d` dimensions,
    the distortion falls as :math:`k^{-2/d}` (Zador 1982), and the eye finds an elbow in it. On
    logarithmic axes that is a straight line, and an elbow is where the curve lies furthest below
    the chord of its ends. How far a curve without clusters gets there by accident is what
    ``references`` tell.

    Parameters
    ----------
    ks
        Numbers of clusters, growing, at least three.
    distortions
        ``[k]``, of the data (:func:`distortions`).
    references
        ``[reference, k]``, at least 19, so that a probability of :data:`LEVEL` can be reached
        (:func:`reference_distortions`).

    Returns
    -------
    Elbow
        ``found`` is the answer, wrong for one cloud in twenty, mostly with a small ``bend`` near an
        end of the range: 99 references tell more, and clusters that lie well apart bend the curve
        by .2 and more. Where an elbow is not found, there may be clusters all the same: with
        clusters of clusters, the curve goes on falling.

    Raises
    ------
    ValueError
        If shapes do not match, there are too few numbers or references, ``ks`` do not grow, or a
        distortion is not positive.
    """
    numbers, curve, nulls = _curves(ks, distortions, references)
    if len(numbers) < 3 or (np.diff(numbers) <= 0).any():
        raise ValueError(f"ks are {list(ks)}; they must grow and be at least three")
    if len(nulls) + 1 < 1 / LEVEL:
        raise ValueError(f"references has {len(nulls)} curves; at least {1 / LEVEL - 1:.0f} needed")
    depth = _below_chord(numbers, curve)
    by_chance = _below_chord(numbers, nulls).max(axis=-1)
    p_value = float((1 + np.count_nonzero(by_chance >= depth.max())) / (1 + len(nulls)))
    where = int(depth.argmax())
    return Elbow(int(numbers[where]), float(depth[where]), p_value, p_value <= LEVEL)


def _curves(
    ks: Sequence[int], distortions: ArrayLike, references: ArrayLike
) -> tuple[Labels, Floats, Floats]:
    """Numbers of clusters and logarithms of distortions."""
    numbers, curve = np.asarray(ks), np.asarray(distortions, dtype=np.float64)
    nulls = np.asarray(references, dtype=np.float64)
    if numbers.ndim != 1 or curve.shape != numbers.shape or nulls.shape[1:] != curve.shape:
        raise ValueError(
            f"ks have shape {numbers.shape}, distortions {curve.shape} and references "
            f"{nulls.shape}; they must be [k], [k] and [reference, k]"
        )
    if not ((curve > 0).all() and (nulls > 0).all()):
        raise ValueError("a distortion is not positive; ask for fewer clusters than different maps")
    return numbers, np.log(curve), np.log(nulls)


def _below_chord(numbers: Labels, curves: Floats) -> Floats:
    along = np.log(numbers / numbers[0]) / np.log(numbers[-1] / numbers[0])
    first, last = curves[..., :1], curves[..., -1:]
    below = first + (last - first) * along - curves
    below[..., [0, -1]] = 0  # and not what rounding leaves
    return below
