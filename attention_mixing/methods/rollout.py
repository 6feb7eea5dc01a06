"""Attention rollout: following attention through the layers by matrix products.

Abnar and Zuidema (2020), *Quantifying Attention Flow in Transformers*, ACL, sections 3 and 4. What
a causal mask does to it, :func:`absorption_bound`, and two ways to see past that are this
project's.
"""

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.attention import Heads, Layers, check_rows, head_mean, mixing
from attention_mixing.methods.shapes import checked_shapes

EachToken = Float[np.ndarray, "layer token"]


@checked_shapes
def with_residual(attention: Heads | Layers, residual: float | int | EachToken = 0.5) -> Layers:
    r"""Mix head-averaged attention with the residual connection.

    .. math:: A^{(l)}_{ij} = (1 - r^{(l)}_i)\,\bar{W}^{(l)}_{ij} + r^{(l)}_i\,\delta_{ij}

    Rows are renormalised in float64, so that half-precision storage leaves no drift.

    Parameters
    ----------
    attention
        Weights of every head, which are averaged, or their mean.
    residual
        Share ``r`` of the residual connection, 0 to 1: one number for all (one half in the paper),
        or one for each token, such as :func:`measured_residual` gives.

    Raises
    ------
    ValueError
        If a share lies outside 0 to 1, or a row of attention does not sum to 1.
    """
    mean = head_mean(attention)
    share = np.asarray(residual, dtype=np.float64)[..., None]
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"residual is {residual}; it must lie between 0 and 1")
    return (1 - share) * mean + share * np.eye(mean.shape[-1])


@checked_shapes
def measured_residual(attention: Heads | Layers, ratio: EachToken) -> EachToken:
    r"""Residual share with which attention mixes as much as was measured.

    .. math:: r^{(l)}_i = 1 - \frac{\rho^{(l)}_i}{1 - \bar{W}^{(l)}_{ii}}

    so that :math:`1 - A^{(l)}_{ii} = \rho^{(l)}_i`, the mixing ratio
    (:meth:`attention_mixing.methods.mixing.AttentionBlock.ratio`): the norms of the vectors say how
    much is mixed, the weights where it comes from. Where even attention without residual mixes less
    than was measured, the share is 0; where a token attends to itself alone, any share gives the
    same matrix and it is 1.

    Parameters
    ----------
    attention
        Weights of every head, which are averaged, or their mean.
    ratio
        Mixing ratio of each token, 0 to 1.

    Returns
    -------
    residual
        Share of each token, 0 to 1, for :func:`with_residual`.

    Raises
    ------
    ValueError
        If a ratio lies outside 0 to 1, or a row of attention does not sum to 1.
    """
    others = mixing(head_mean(attention))
    measured = ratio.astype(np.float64)
    if not ((measured >= 0) & (measured <= 1)).all():
        raise ValueError("ratio holds a value outside 0 to 1; it must be a mixing ratio")
    share = np.divide(measured, others, out=np.zeros_like(measured), where=others > 0)
    return np.clip(1 - share, 0, 1)


@checked_shapes
def attention_rollout(attention: Layers, *, start_layer: int = 0) -> Layers:
    r"""Trace each token of every layer back to the input tokens.

    .. math:: R^{(1)} = A^{(1)}, \qquad R^{(l)} = A^{(l)} R^{(l-1)}

    Entry ``[l, i, j]`` is the share of token ``i`` after layer ``l`` that stems from input token
    ``j`` if these matrices were all that mattered: the probability that a walk down the layers from
    ``i`` ends in ``j``.

    Parameters
    ----------
    attention
        What each layer mixes, the residual connection included: attention with the residual of
        :func:`with_residual`, as in the paper, or any contributions whose rows sum to 1. They are
        multiplied as they are.
    start_layer
        The first layer that counts, 0-based. Layers below it are taken as the identity.

    Raises
    ------
    ValueError
        If an entry is negative, infinite or not a number, or a row does not sum to 1; if there is
        no such ``start_layer``.

    Examples
    --------
    >>> swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> attention_rollout(np.stack([swap, swap]))[-1]
    array([[1., 0.],
           [0., 1.]])
    """
    layers, tokens, _ = attention.shape
    if not 0 <= start_layer < layers:
        raise ValueError(f"start_layer is {start_layer}; there are layers 0 to {layers - 1}")
    rollout = np.empty(attention.shape)
    reached = np.eye(tokens)
    for layer, rows in enumerate(attention.astype(np.float64, copy=False)):
        check_rows(rows, layer)
        if layer >= start_layer:
            reached = rows @ reached
        rollout[layer] = reached
    return rollout


@checked_shapes
def row_distance(matrix: Float[np.ndarray, "query key"]) -> float:
    """Mean total-variation distance of the rows, each summing to 1, from their average row.

    0 if every token has the same row, so that the matrix tells nothing about single tokens any
    more; ``1 - 1/n`` for the identity. A product of many row-stochastic matrices tends to 0.
    """
    rows = matrix.astype(np.float64)
    return float(0.5 * np.abs(rows - rows.mean(axis=0)).sum(axis=-1).mean())


@checked_shapes
def absorption_bound(attention: Layers) -> Float[np.ndarray, " layer"]:
    r"""Bound from below what every token stems from the first one, where that sees only itself.

    .. math:: 1 - R^{(l)}_{i1} \le \prod_{m=1}^{l} (1 - \epsilon_m), \qquad
        \epsilon_m = \min_i A^{(m)}_{i1},

    because :math:`1 - R^{(l)}_{i1} = \sum_{v \neq 1} A^{(l)}_{iv} (1 - R^{(l-1)}_{v1})` and
    :math:`R_{11} = 1`: under a causal mask rollout moves towards the first token in every layer,
    whatever the content.

    Parameters
    ----------
    attention
        As :func:`attention_rollout` takes it.

    Raises
    ------
    ValueError
        If the first token sees others.
    """
    if not np.allclose(attention[:, 0, 0], 1):
        raise ValueError("the first token sees others; the bound is for one that sees only itself")
    return 1 - np.cumprod(1 - attention[:, :, 0].min(axis=-1))


@checked_shapes
def without_first(attention: Layers) -> Layers:
    """Leave the weight on the first token out of every other row, and divide what is left by it.

    A row that has nothing left keeps the token itself.
    """
    remaining = attention.astype(np.float64)
    remaining[:, 1:, 0] = 0
    sums = remaining.sum(axis=-1, keepdims=True)
    itself = np.broadcast_to(np.eye(remaining.shape[-1]), remaining.shape)
    return np.where(sums > 0, np.divide(remaining, sums, where=sums > 0, out=itself.copy()), itself)


@checked_shapes
def beside_uniform(rollout: Layers, uniform: Layers) -> Layers:
    """Divide rollout by that of uniform attention, and each row by its sum.

    What uniform attention reaches often counts less, so that what is left says where a model
    differs from it; what it does not reach is 0.
    """
    ratio = np.divide(rollout, uniform, where=uniform > 0, out=np.zeros_like(rollout))
    return ratio / ratio.sum(axis=-1, keepdims=True)
