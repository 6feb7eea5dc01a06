"""Matrices of attention as they come out of a model: validation, mean of heads, what they tell.

Of a row, of a column or of a whole map; rows are queries and sum to 1, and all is computed in
float64.
"""

from itertools import combinations
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Float64

from attention_mixing.methods.shapes import checked_shapes

Heads = Float[np.ndarray, "layer head query key"]
Layers = Float[np.ndarray, "layer token token"]  # already averaged over heads
Matrices = Float[np.ndarray, "*axes query key"]
Sight = Bool[np.ndarray, "*axes query key"]  # whether a query may see a key
SightOfLayers = Bool[np.ndarray, "layer token token"]

# Half-precision storage moves the sum of a row by at most 2^-8 (bfloat16) or 2^-11 (float16).
ROW_SUM_TOLERANCE = 0.01

# What the key with the largest weight of a query can be. The first that fits counts: a special
# token is not called a neighbour as well.
KEY_KINDS = ("special", "self", "previous", "next", "other")


@checked_shapes
def head_mean(
    attention: Heads | Float[np.ndarray, "layer query key"],
) -> Float[np.ndarray, "layer query key"]:
    """Average attention over heads, in float64, with rows renormalised to 1.

    Raises
    ------
    ValueError
        If an entry is negative, infinite or not a number, or a row does not sum to 1.
    """
    mean = np.empty((len(attention), *attention.shape[-2:]))
    # A layer at a time: a copy of all heads in float64 would be four times what the cache holds.
    for layer, matrices in enumerate(attention):
        rows = matrices.astype(np.float64)
        check_rows(rows, layer)
        rows /= rows.sum(axis=-1, keepdims=True)
        if rows.ndim == 3:
            rows = rows.mean(axis=0)
            rows /= rows.sum(axis=-1, keepdims=True)
        mean[layer] = rows
    return mean


@checked_shapes
def mixing(attention: Matrices) -> Float[np.ndarray, "*axes query"]:
    r"""Share of each row that goes to other tokens, :math:`1 - A_{ii}`, 1 if nothing is kept."""
    return 1 - np.diagonal(attention.astype(np.float64), axis1=-2, axis2=-1)


@checked_shapes
def entropy(attention: Matrices) -> Float[np.ndarray, "*axes query"]:
    """Shannon entropy of each row, in nats; ``ln n`` for a row that is uniform over n tokens."""
    rows = attention.astype(np.float64)
    # scipy.special.entr gives the same, in two and a half times the time.
    return -np.sum(rows * np.log(rows, where=rows > 0, out=np.zeros_like(rows)), axis=-1)


@checked_shapes
def relative_entropy(
    attention: Matrices, visible: Sight | None = None
) -> Float[np.ndarray, "*axes query"]:
    """Entropy of each row by that of a row that is uniform over the keys it may see, 0 to 1.

    Not a number where a query sees one key alone.

    Parameters
    ----------
    attention
        Weights, every row summing to 1.
    visible
        Which keys each query may see; None for all.
    """
    visible_keys = np.asarray(attention.shape[-1] if visible is None else visible.sum(axis=-1))
    largest = np.broadcast_to(np.log(visible_keys), attention.shape[:-1])
    nothing = np.full(largest.shape, np.nan)
    return np.divide(entropy(attention), largest, out=nothing, where=largest > 0)


@checked_shapes
def reached(visible: SightOfLayers) -> SightOfLayers:
    """Tell which input tokens each token after each layer can stem from.

    Through the layers below, in each of which a token sees itself by the residual connection.
    """
    through = np.eye(visible.shape[-1], dtype=bool)
    reach = np.empty_like(visible)
    for layer, rows in enumerate(visible):
        through = reach[layer] = through | (rows @ through)
    return reach


@checked_shapes
def row_scores(
    matrix: Matrices, aggregation: Literal["cls", "max"], row: int = 0
) -> Float[np.ndarray, "*axes key"]:
    """Turn a matrix of sources and targets into one score a target.

    ``cls`` takes the row of the token that the prediction is read from, what this draws from each
    token; ``max`` the largest entry of each column, what any token draws from it. With a residual
    in ``matrix``, be it of attention, rollout, flow, relevance or contributions, that is mostly the
    token itself.

    Parameters
    ----------
    matrix
        What each query draws from each key.
    aggregation
        Whose row is taken, as above.
    row
        That of the token that the prediction is read from: the first of an encoder, the last (-1)
        of a decoder.
    """
    scores = matrix[..., row, :] if aggregation == "cls" else matrix.max(axis=-2)
    return scores.astype(np.float64)


@checked_shapes
def largest_weight_kinds(
    attention: Float[np.ndarray, "*maps token token"], special: Bool[np.ndarray, " token"]
) -> dict[str, float]:
    """Count to what kind of key queries give their largest weight, the first of equal ones.

    Returns each of ``KEY_KINDS`` -> share of the queries, together 1.
    """
    largest = attention.argmax(axis=-1)
    offset = largest - np.arange(len(special))
    kind = np.select(
        [special[largest], offset == 0, offset == -1, offset == 1], KEY_KINDS[:-1], KEY_KINDS[-1]
    )
    return {name: float((kind == name).mean()) for name in KEY_KINDS}


@checked_shapes
def mean_total_variation(attention: Float[np.ndarray, "head query key"]) -> float:
    r"""Share of its weight that a query places differently in another head, on average.

    The total variation distance of two rows, :math:`\frac{1}{2} \sum_j |A_{ij} - B_{ij}|`, mean
    over the queries and over all pairs of heads: 0 (all heads alike, or only one) to 1 (no key
    shared by any two heads).
    """
    maps = attention.astype(np.float64)
    distances = [np.abs(a - b).sum(axis=-1).mean() / 2 for a, b in combinations(maps, 2)]
    return float(np.mean(distances)) if distances else 0.0


@checked_shapes
def later_weight(attention: Float[np.ndarray, "*maps token token"]) -> float:
    """Weight of a query on the tokens after it, in the mean.

    0 under a causal mask, always less than 1: the last token has none after it.
    """
    return float(np.triu(attention.astype(np.float64), k=1).sum(axis=-1).mean())


@checked_shapes
def mirrored_weight(attention: Float[np.ndarray, "*maps token token"]) -> float:
    """Weight of query i on key n - 1 - i, in the mean: the diagonal from the upper right.

    What is given may be part of a map, so that rows need not sum to 1.
    """
    mirrored = attention.astype(np.float64)[..., ::-1]
    return float(np.diagonal(mirrored, axis1=-2, axis2=-1).mean())


@checked_shapes
def row_sum_deviation(attention: Float[np.ndarray, "*maps query key"]) -> float:
    """Largest difference of the sum of a row from 1."""
    return float(np.abs(attention.astype(np.float64).sum(axis=-1) - 1).max())


@checked_shapes
def key_importance(
    attention: Float[np.ndarray, "layer head query key"],
    visible: Bool[np.ndarray, "layer query key"] | None = None,
) -> Float64[np.ndarray, "layer head key"]:
    r"""Mean weight of every key over the queries that see it, by which sinks are told.

    .. math:: \alpha_k = \frac{1}{|Q_k|} \sum_{i \in Q_k} A_{ik},

    where :math:`Q_k` are all queries of an encoder, and those from :math:`k` on where a causal mask
    hides later keys: Gu et al. (2025), *When Attention Sink Emerges in Language Models*, ICLR,
    section 3.2. There, key :math:`k` is a sink if :math:`\alpha_k > 0.3`; here, that number is one
    of ``report/rules.yaml``.

    Parameters
    ----------
    attention
        Of one text, rows summing to 1.
    visible
        Which keys each query may see; None for all.

    Returns
    -------
    NDArray[float64]
        0 to 1. Without a mask it sums to 1 over the keys.
    """
    weights = attention.astype(np.float64).sum(axis=-2)
    return weights / (attention.shape[-2] if visible is None else visible.sum(axis=-2)[:, None])


@checked_shapes
def check_rows(rows: Matrices, *position: int) -> None:
    """Refuse weights whose rows are no distributions.

    Raises
    ------
    ValueError
        If an entry is negative, infinite or not a number, or a row does not sum to 1: where it is,
        ``position`` being that of ``rows`` in what was given.
    """
    if not (rows.min() >= 0 and rows.max() < np.inf):  # false for nan as well
        at = tuple(np.argwhere(~(rows >= 0) | np.isinf(rows))[0].tolist())
        raise ValueError(f"attention{[*position, *at]} is {rows[at]}; weights must be finite, >= 0")
    sums = rows.sum(axis=-1)
    drifted = np.abs(sums - 1) > ROW_SUM_TOLERANCE
    if drifted.any():
        at = tuple(np.argwhere(drifted)[0].tolist())
        raise ValueError(f"attention{[*position, *at]} sums to {sums[at]:.6g}; rows must sum to 1")
