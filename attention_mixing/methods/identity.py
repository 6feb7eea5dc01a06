r"""What remains of a token: whether it is still itself, how far tokens spread, and rank collapse.

All is computed in float64. What is undefined is not a number, never 0: the cosine with a vector of
length zero, a pair where there is one token, a spread where there is none.

Rank collapse is how near the tokens of a text are to being one and the same vector. If all rows of
:math:`X` are equal, :math:`X = \mathbf{1} x^\top` has rank 1. The distance from the nearest such
matrix is that of its residual,

.. math:: \operatorname{res}(X) = X - \mathbf{1} x^\top, \qquad
    x = \operatorname{argmin}_x \lVert X - \mathbf{1} x^\top \rVert,

in the composite norm :math:`\lVert X \rVert_{1,\infty} = \sqrt{\lVert X \rVert_1 \lVert X
\rVert_\infty}`. Attention alone takes it to 0 at a cubic rate from layer to layer, because
tokens that are alike attend alike; skip connections prevent it.

Dong, Cordonnier and Loukas (2021), *Attention is Not All You Need: Pure Attention Loses Rank Doubly
Exponentially with Depth*, ICML; the mean as :math:`x` is that of the authors' code for their
experiments with BERT (``paper-plotting`` in
https://github.com/twistedcubic/attention-rank-collapse).
"""

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.arrays import directions, finite
from attention_mixing.methods.shapes import checked_shapes

Features = Float[np.ndarray, "*layer token dim"]
Layers = Float[np.ndarray, "layer token dim"]
Embedding = Float[np.ndarray, "token dim"]  # input of the first layer

# Equal vectors in different places of a matrix product may differ by rounding.
_ROUNDING = 1e-12


@checked_shapes
def self_similarity(features: Features, embedding: Embedding) -> Float[np.ndarray, "*layer token"]:
    """Cosine of each token to its own input embedding."""
    rows, origin = _directions(features), _directions(embedding)
    return np.clip(np.einsum("...td,td->...t", rows, origin), -1, 1)


@checked_shapes
def identified(features: Features, embedding: Embedding) -> Float[np.ndarray, "*layer token"]:
    """Tell whether the input embedding nearest to a token, by cosine, is its own: 1, else 0.

    The mean over tokens is the share of identifiable tokens. A tie counts against the token: where
    two tokens have the same input embedding, as the same word twice before positions are added,
    neither is identified. Tokens are compared within the text; embeddings of length zero are no
    rivals. Not a number if there is no other token or the token's own cosine is undefined.

    Brunner et al. (2020), *On Identifiability in Transformers*, ICLR, section 4, here without the
    learned map.
    """
    cosine = _directions(features) @ _directions(embedding).T
    own_cosine = np.diagonal(cosine, axis1=-2, axis2=-1)
    is_rival = ~np.isnan(cosine) & ~np.eye(len(embedding), dtype=bool)
    rival = np.where(is_rival, cosine, -np.inf).max(axis=-1)
    return np.where(np.isnan(own_cosine) | np.isinf(rival), np.nan, own_cosine > rival + _ROUNDING)


@checked_shapes
def anisotropy(features: Layers) -> Float[np.ndarray, "layer"]:
    r"""Mean cosine of two different tokens of the text.

    With unit vectors :math:`u_i` the mean over pairs is
    :math:`(\lVert \sum_i u_i \rVert^2 - n) / (n (n - 1))`: no matrix of pairs. 1 if all tokens
    point the same way, 0 on average if they point anywhere. Not a number with one token, or where a
    vector has length zero.

    Subtract the mean of a corpus first where a direction common to all of its tokens shall not
    count; the mean of the text itself would leave about -1 / (n - 1) of any text.

    Ethayarajh (2019), *How Contextual are Contextualized Word Representations?*, EMNLP, section 3.
    """
    directions = _directions(features)
    tokens = directions.shape[-2]
    if tokens == 1:
        return np.full(len(directions), np.nan)
    squares = (directions.sum(axis=-2) ** 2).sum(axis=-1)
    return (squares - tokens) / (tokens * (tokens - 1))


class LayerMoments:
    """Means and centred cross product of two features of the same tokens, text by text.

    Whatever the number of tokens, it holds one matrix. For one feature alone add it with itself.
    ``cross`` is the sum over tokens of the outer products of deviations from the means.

    Chan, Golub and LeVeque (1983), *Algorithms for Computing the Sample Variance*: deviations from
    running means are summed, because a difference of large sums would lose digits.
    """

    count: int
    first_mean: Float[np.ndarray, "first"]
    second_mean: Float[np.ndarray, "second"]
    cross: Float[np.ndarray, "first second"]

    def __init__(self) -> None:
        """Start with no tokens, of any dimension."""
        self.count = 0
        self.first_mean = self.second_mean = self.cross = np.zeros(())

    @checked_shapes
    def add(
        self, first: Float[np.ndarray, "token first"], second: Float[np.ndarray, "token second"]
    ) -> None:
        """Count the tokens of one more text."""
        rows, others = finite("features", first), finite("features", second)
        text = LayerMoments()
        text.count, text.first_mean, text.second_mean = len(rows), rows.mean(0), others.mean(0)
        text.cross = (rows - text.first_mean).T @ (others - text.second_mean)
        self.merge(text)

    def merge(self, other: "LayerMoments") -> None:
        """Count the tokens of the texts of ``other``, which are of the same features."""
        total = self.count + other.count
        first_step = other.first_mean - self.first_mean
        second_step = other.second_mean - self.second_mean
        between = np.outer(first_step, second_step * (self.count * other.count / total))
        self.cross = self.cross + other.cross + between
        self.first_mean = self.first_mean + first_step * (other.count / total)
        self.second_mean = self.second_mean + second_step * (other.count / total)
        self.count = total


def linear_cka(between: LayerMoments, first: LayerMoments, second: LayerMoments) -> float:
    r"""Similarity of two features of the same tokens, by linear centred kernel alignment.

    .. math:: \frac{\lVert Y^\top X \rVert_F^2}
        {\lVert X^\top X \rVert_F\, \lVert Y^\top Y \rVert_F},
        \qquad X, Y \text{ without their means.}

    0 to 1; 1 if one is a rotation of the other, moved and scaled. Not a number if either is the
    same for all tokens. With few tokens beside dimensions it is near 1 whatever the features.

    Kornblith et al. (2019), *Similarity of Neural Network Representations Revisited*, ICML,
    section 3.

    Parameters
    ----------
    between
        Moments of the first features with the second.
    first, second
        Moments of either with itself. For all pairs of L layers that is L (L + 1) / 2 moments.

    Raises
    ------
    ValueError
        If the moments are of different numbers of tokens, or ``first`` or ``second`` is not of
        features with themselves.
    """
    _check_own(first)
    _check_own(second)
    if not between.count == first.count == second.count:
        raise ValueError(
            f"moments are of {between.count}, {first.count} and {second.count} tokens; they must "
            "be of the same"
        )
    if not (_spreads(first) and _spreads(second)):
        return float("nan")
    scale = np.linalg.norm(first.cross) * np.linalg.norm(second.cross)
    return float(np.linalg.norm(between.cross) ** 2 / scale)


def effective_rank(moments: LayerMoments) -> float:
    r"""Count the directions in which tokens spread, :math:`\exp(-\sum_k p_k \ln p_k)`.

    :math:`p_k` are the singular values of the features, divided by their sum, after the mean of the
    tokens is removed: a direction that all tokens share is no spread. 1 to min(token - 1, dim); not
    a number if all tokens are the same.

    Roy and Vetterli (2007), *The effective rank*, EUSIPCO, definition 1.

    Parameters
    ----------
    moments
        Of the features with themselves.
    """
    _check_own(moments)
    if not _spreads(moments):
        return float("nan")
    squares = np.linalg.eigvalsh(moments.cross)
    # The root would turn what rounding leaves of a 0 into 1e-8 of the largest singular value.
    squares[squares < len(squares) * np.finfo(float).eps * squares[-1]] = 0
    singular = np.sqrt(squares)
    shares = singular / singular.sum()
    return float(np.exp(-(shares * np.log(shares, where=shares > 0, out=shares * 0)).sum()))


@checked_shapes
def composite_norm(matrices: Layers) -> Float64[np.ndarray, " layer"]:
    """Geometric mean of the largest absolute column sum and the largest absolute row sum."""
    absolute = np.abs(matrices.astype(np.float64))
    return np.sqrt(absolute.sum(axis=-2).max(axis=-1) * absolute.sum(axis=-1).max(axis=-1))


@checked_shapes
def relative_residual(features: Layers) -> Float64[np.ndarray, " layer"]:
    r"""Share of the features that is not common to all tokens, in the composite norm.

    :math:`x` is the mean of the tokens. It minimises the Frobenius norm; in the composite norm,
    whose minimum has no closed form, the share can exceed 1 a little. 0 if all tokens are the same,
    not a number if all are zero.
    """
    rows = features.astype(np.float64)
    norm = composite_norm(rows)
    residual = composite_norm(rows - rows.mean(axis=-2, keepdims=True))
    return np.divide(residual, norm, out=np.full_like(norm, np.nan), where=norm > 0)


def _directions(features: Features) -> Features:
    return directions(finite("features", features))


def _check_own(moments: LayerMoments) -> None:
    cross, size = moments.cross, np.abs(moments.cross).max()
    if cross.shape != cross.T.shape or not np.allclose(cross, cross.T, rtol=0, atol=1e-9 * size):
        raise ValueError("the moments are of two features; those of one with itself are needed")


def _spreads(moments: LayerMoments) -> bool:
    """Whether tokens differ by more than rounding."""
    length = moments.count * float(moments.first_mean @ moments.first_mean)
    return bool(np.trace(moments.cross) > _ROUNDING**2 * length)
