"""What remains of a token: whether it is still itself, and how far tokens spread.

Features are ``[token, dim]`` or ``[layer, token, dim]``; a measure of a text drops the token axis.
All is computed in float64. What is undefined is not a number, never 0: the cosine with a vector of
length zero, a pair where there is one token, a spread where there is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Equal vectors in different places of a matrix product may differ by rounding.
_ROUNDING = 1e-12


def self_similarity(features: ArrayLike, embedding: ArrayLike) -> Floats:
    """Cosine of each token to its own input embedding.

    Parameters
    ----------
    features
        ``[token, dim]`` or ``[layer, token, dim]``.
    embedding
        Input of the first layer, ``[token, dim]``.

    Returns
    -------
    NDArray[float64]
        ``[token]`` or ``[layer, token]``, -1 to 1; not a number beside a vector of length zero.

    Raises
    ------
    ValueError
        If the shapes do not match, or an array holds anything but finite numbers.
    """
    rows, origin = _pair(features, embedding)
    return np.clip(np.einsum("...td,td->...t", _directions(rows), _directions(origin)), -1, 1)


def identified(features: ArrayLike, embedding: ArrayLike) -> Floats:
    """Tell whether the input embedding nearest to a token, by cosine, is its own.

    The mean over tokens is the share of identifiable tokens. A tie counts against the token: where
    two tokens have the same input embedding, as the same word twice before positions are added,
    neither is identified. Tokens are compared within the text.

    Parameters
    ----------
    features, embedding
        As in :func:`self_similarity`.

    Returns
    -------
    NDArray[float64]
        ``[token]`` or ``[layer, token]``: 1 identified, 0 not, not a number if there is no other
        token or the token's own cosine is undefined. Embeddings of length zero are no rivals.

    Raises
    ------
    ValueError
        As :func:`self_similarity`.

    References
    ----------
    Brunner et al. (2020), *On Identifiability in Transformers*, ICLR, section 4, here without the
    learned map.
    """
    rows, origin = _pair(features, embedding)
    directions, towards = _directions(rows), _directions(origin)
    result = np.empty(rows.shape[:-1])
    for layer in np.ndindex(rows.shape[:-2]):
        cosine = directions[layer] @ towards.T
        own = cosine.diagonal().copy()
        np.fill_diagonal(cosine, np.nan)
        rival = np.where(np.isnan(cosine), -np.inf, cosine).max(axis=-1)
        result[layer] = np.where(np.isnan(own) | np.isinf(rival), np.nan, own > rival + _ROUNDING)
    return result


def anisotropy(features: ArrayLike) -> Floats:
    r"""Mean cosine of two different tokens of the text.

    With unit vectors :math:`u_i` the mean over pairs is
    :math:`(\lVert \sum_i u_i \rVert^2 - n) / (n (n - 1))`: no matrix of pairs.

    Parameters
    ----------
    features
        ``[token, dim]`` or ``[layer, token, dim]``. Subtract the mean of a corpus first where a
        direction common to all of its tokens shall not count; the mean of the text itself would
        leave about -1 / (n - 1) of any text.

    Returns
    -------
    NDArray[float64]
        A number or ``[layer]``: 1 if all tokens point the same way, 0 on average if they point
        anywhere. Not a number with one token, or where a vector has length zero.

    Raises
    ------
    ValueError
        If the shape is another, or the array holds anything but finite numbers.

    References
    ----------
    Ethayarajh (2019), *How Contextual are Contextualized Word Representations?*, EMNLP, section 3.
    """
    rows = _features("features", features)
    tokens = rows.shape[-2]
    directions = _directions(rows)
    if tokens == 1:
        return np.full(rows.shape[:-2], np.nan)
    squares = (directions.sum(axis=-2) ** 2).sum(axis=-1)
    return (squares - tokens) / (tokens * (tokens - 1))


def effective_rank(features: ArrayLike) -> Floats:
    r"""Count the directions in which tokens spread, :math:`\exp(-\sum_k p_k \ln p_k)`.

    :math:`p_k` are the singular values of the features, divided by their sum, after the mean of the
    tokens is removed: a direction that all tokens share is no spread.

    Parameters
    ----------
    features
        ``[token, dim]`` or ``[layer, token, dim]``.

    Returns
    -------
    NDArray[float64]
        A number or ``[layer]``, 1 to min(token - 1, dim); not a number if all tokens are the same.

    Raises
    ------
    ValueError
        If the shape is another, or the array holds anything but finite numbers.

    References
    ----------
    Roy and Vetterli (2007), *The effective rank*, EUSIPCO, definition 1.
    """
    rows = _centred(_features("features", features))
    return _exponential_entropy(np.linalg.svd(rows, compute_uv=False))


def linear_cka(first: ArrayLike, second: ArrayLike) -> float:
    r"""Similarity of two features of the same tokens, by linear centred kernel alignment.

    .. math:: \frac{\lVert Y^\top X \rVert_F^2}
        {\lVert X^\top X \rVert_F\, \lVert Y^\top Y \rVert_F},
        \qquad X, Y \text{ without their means.}

    Parameters
    ----------
    first, second
        ``[token, first_dim]`` and ``[token, second_dim]``.

    Returns
    -------
    float
        0 to 1; 1 if one is a rotation of the other, moved and scaled. Not a number if either is the
        same for all tokens. With few tokens beside dimensions it is near 1 whatever the features.

    Raises
    ------
    ValueError
        If the shapes do not match, or an array holds anything but finite numbers.

    References
    ----------
    Kornblith et al. (2019), *Similarity of Neural Network Representations Revisited*, ICML,
    section 3.
    """
    pairs = ((first, second), (first, first), (second, second))
    between, own, other = (Moments() for _ in pairs)
    for moments, pair in zip((between, own, other), pairs, strict=True):
        moments.add(*pair)
    return cka_of_moments(between, own, other)


class Moments:
    """Means and centred cross product of two features of the same tokens, text by text.

    Whatever the number of tokens, it holds one matrix ``[first_dim, second_dim]``. For one feature
    alone add it with itself.

    Attributes
    ----------
    count
        Tokens so far.
    first_mean, second_mean
        ``[first_dim]`` and ``[second_dim]``.
    cross
        Sum over tokens of the outer products of deviations from the means,
        ``[first_dim, second_dim]``.

    References
    ----------
    Chan, Golub and LeVeque (1983), *Algorithms for Computing the Sample Variance*: deviations from
    running means are summed, because a difference of large sums would lose digits.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first_mean: Floats = np.zeros(0)
        self.second_mean: Floats = np.zeros(0)
        self.cross: Floats = np.zeros((0, 0))

    def add(self, first: ArrayLike, second: ArrayLike) -> None:
        """Count the tokens of one more text.

        Parameters
        ----------
        first, second
            ``[token, first_dim]`` and ``[token, second_dim]``.

        Raises
        ------
        ValueError
            If the shapes do not match each other or those before, or an array holds anything but
            finite numbers.
        """
        rows, others = _features("first", first), _features("second", second)
        if rows.ndim != 2 or others.ndim != 2 or len(rows) != len(others):
            raise ValueError(
                f"first has shape {rows.shape} and second {others.shape}; they must be "
                "[token, first_dim] and [token, second_dim] of the same tokens"
            )
        if self.count and (rows.shape[1], others.shape[1]) != self.cross.shape:
            raise ValueError(
                f"first has {rows.shape[1]} dimensions and second {others.shape[1]}; the texts "
                f"before had {self.cross.shape[0]} and {self.cross.shape[1]}"
            )
        text = Moments()
        text.count = len(rows)
        text.first_mean, text.second_mean = rows.mean(axis=0), others.mean(axis=0)
        text.cross = (rows - text.first_mean).T @ (others - text.second_mean)
        self.merge(text)

    def merge(self, other: Moments) -> None:
        """Count the tokens of the texts of ``other``, of the same features."""
        if not self.count:
            self.count, self.cross = other.count, other.cross
            self.first_mean, self.second_mean = other.first_mean, other.second_mean
            return
        total = self.count + other.count
        first_step = other.first_mean - self.first_mean
        second_step = other.second_mean - self.second_mean
        between = np.outer(first_step, second_step * (self.count * other.count / total))
        self.cross = self.cross + other.cross + between
        self.first_mean = self.first_mean + first_step * (other.count / total)
        self.second_mean = self.second_mean + second_step * (other.count / total)
        self.count = total


def cka_of_moments(between: Moments, first: Moments, second: Moments) -> float:
    """Linear CKA of features of many texts; see :func:`linear_cka`.

    Parameters
    ----------
    between
        Moments of the first features with the second.
    first, second
        Moments of either with itself. For all pairs of L layers that is L (L + 1) / 2 moments.

    Returns
    -------
    float
        As :func:`linear_cka`.

    Raises
    ------
    ValueError
        If the moments are not of the same tokens and dimensions.
    """
    _check_own(first)
    _check_own(second)
    shape = (len(first.cross), len(second.cross))
    if between.cross.shape != shape or not between.count == first.count == second.count:
        raise ValueError(
            f"between has {between.count} tokens and shape {between.cross.shape}; first and second "
            f"have {first.count} and {second.count} tokens and ask for shape {shape}"
        )
    if not (_spreads(first) and _spreads(second)):
        return float("nan")
    scale = np.linalg.norm(first.cross) * np.linalg.norm(second.cross)
    return float(np.linalg.norm(between.cross) ** 2 / scale)


def effective_rank_of_moments(moments: Moments) -> float:
    """Effective rank of features of many texts; see :func:`effective_rank`.

    Parameters
    ----------
    moments
        Of the features with themselves.

    Returns
    -------
    float
        As :func:`effective_rank`, of all tokens together.

    Raises
    ------
    ValueError
        If the moments are those of two different features.
    """
    _check_own(moments)
    if not _spreads(moments):
        return float("nan")
    squares = np.linalg.eigvalsh(moments.cross)
    # The root would turn what rounding leaves of a 0 into 1e-8 of the largest singular value.
    squares[squares < len(squares) * np.finfo(float).eps * squares[-1]] = 0
    return float(_exponential_entropy(np.sqrt(squares)))


def _features(name: str, given: ArrayLike) -> Floats:
    array = np.asarray(given, dtype=np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be [token, dim] or [layer, token, dim] with "
            "nothing empty"
        )
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; entries must be finite")
    return array


def _pair(features: ArrayLike, embedding: ArrayLike) -> tuple[Floats, Floats]:
    rows, origin = _features("features", features), _features("embedding", embedding)
    if origin.ndim != 2 or rows.shape[-2:] != origin.shape:
        raise ValueError(
            f"embedding has shape {origin.shape}; beside features {rows.shape} it must be "
            f"{rows.shape[-2:]}"
        )
    return rows, origin


def _directions(rows: Floats) -> Floats:
    """Divide vectors by their lengths; not a number where the length is zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.full_like(rows, np.nan), where=lengths > 0)


def _centred(rows: Floats) -> Floats:
    """Remove the mean of the tokens; what is left of a token at the mean is exactly zero."""
    centred = rows - rows.mean(axis=-2, keepdims=True)
    longest = np.linalg.norm(rows, axis=-1).max(axis=-1)[..., None, None]
    rounding = np.linalg.norm(centred, axis=-1, keepdims=True) <= _ROUNDING * longest
    return np.where(rounding, 0, centred)


def _exponential_entropy(singular: NDArray[Any]) -> Floats:
    total = singular.sum(axis=-1, keepdims=True)
    shares = np.divide(singular, total, out=np.full_like(singular, np.nan), where=total > 0)
    logarithms = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    return np.exp(-(shares * logarithms).sum(axis=-1))


def _check_own(moments: Moments) -> None:
    cross = moments.cross
    if cross.shape != cross.T.shape or not np.allclose(
        cross, cross.T, rtol=0, atol=1e-9 * np.abs(cross).max(initial=0)
    ):
        raise ValueError(
            f"the moments of shape {cross.shape} are of two features; those of one with itself, "
            "which are symmetric, are needed"
        )


def _spreads(moments: Moments) -> bool:
    """Whether tokens differ by more than rounding."""
    length = moments.count * float(moments.first_mean @ moments.first_mean)
    return bool(np.trace(moments.cross) > _ROUNDING**2 * length)
