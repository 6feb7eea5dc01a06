r"""Scaled dot-product attention, one step after the other.

.. math::
    Q = X W_Q + b_Q, \quad K = X W_K + b_K, \quad V = X W_V + b_V \\
    S = \frac{Q K^\top}{\sqrt{d_h}} + M, \qquad A = \mathrm{softmax}(S), \qquad C = A V \\
    Y = \mathrm{concat}_h(C)\, W_O + b_O, \qquad Z = \mathrm{LayerNorm}(X + Y)

The rows of :math:`X` are the tokens that enter the layer; every head has its own :math:`Q`,
:math:`K` and :math:`V`. The mask :math:`M` is :math:`-\infty` where a query may not see a key, and
0 elsewhere. :func:`attention_layer` takes all steps, the other functions one each. All is computed
in float64.

Vaswani et al. (2017), *Attention Is All You Need*, NeurIPS, section 3.2. The layer normalises after
the residual connection, as there and in BERT.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.layer_norm import layer_norm_divisor, layer_norm_numerator

Floats = NDArray[np.float64]


def attention_layer(
    inputs: ArrayLike,
    *,
    query: tuple[ArrayLike, ArrayLike],
    key: tuple[ArrayLike, ArrayLike],
    value: tuple[ArrayLike, ArrayLike],
    output: tuple[ArrayLike, ArrayLike],
    layer_norm: tuple[ArrayLike, ArrayLike, float],
    heads: int,
    mask: ArrayLike | None = None,
) -> dict[str, Floats]:
    """Compute a layer up to the normalisation after its attention, and keep every step.

    Parameters
    ----------
    inputs
        ``[token, model_dim]``.
    query, key, value
        Weight and bias of each projection into the heads, as for :func:`heads_of`.
    output
        Weight ``[head * head_dim, model_dim]`` and bias ``[model_dim]`` of the output projection.
    layer_norm
        Weight, bias and epsilon, as for :func:`add_and_normalise`.
    heads
        Number of heads.
    mask
        As for :func:`scaled_scores`.

    Returns
    -------
    dict
        ``query``, ``key``, ``value`` ``[head, token, head_dim]``; ``scores``, ``attention``
        ``[head, query, key]``; ``context`` ``[token, head * head_dim]``; ``output``, ``block``
        ``[token, model_dim]``.

    Raises
    ------
    ValueError
        As :func:`heads_of` and :func:`softmax_rows` do.
    """
    q, k, v = (heads_of(inputs, *projection, heads) for projection in (query, key, value))
    scores = scaled_scores(q, k, mask)
    attention = softmax_rows(scores)
    context = joined_context(attention, v)
    added = linear(context, *output)
    return {
        "query": q,
        "key": k,
        "value": v,
        "scores": scores,
        "attention": attention,
        "context": context,
        "output": added,
        "block": add_and_normalise(inputs, added, *layer_norm),
    }


def heads_of(inputs: ArrayLike, weight: ArrayLike, bias: ArrayLike, heads: int) -> Floats:
    """Project the tokens into the queries, the keys or the values of every head.

    Parameters
    ----------
    inputs
        ``[token, model_dim]``.
    weight, bias
        ``[model_dim, head * head_dim]``, the transpose of a torch ``Linear.weight``, and
        ``[head * head_dim]``: the columns of the first head come first.
    heads
        Number of heads.

    Returns
    -------
    NDArray[float64]
        ``[head, token, head_dim]``.

    Raises
    ------
    ValueError
        If the columns cannot be divided among the heads.
    """
    projected = linear(inputs, weight, bias)
    tokens, columns = projected.shape
    if heads < 1 or columns % heads:
        raise ValueError(
            f"weight has {columns} columns for {heads} heads; they must be a multiple of the "
            "number of heads"
        )
    return projected.reshape(tokens, heads, columns // heads).swapaxes(0, 1)


def linear(inputs: ArrayLike, weight: ArrayLike, bias: ArrayLike) -> Floats:
    """Return ``inputs @ weight + bias``: ``[token, in]``, ``[in, out]``, ``[out]``."""
    x, w, b = (np.asarray(array, dtype=np.float64) for array in (inputs, weight, bias))
    return x @ w + b


def scaled_scores(query: ArrayLike, key: ArrayLike, mask: ArrayLike | None = None) -> Floats:
    r"""Compare every query with every key, :math:`q_i \cdot k_j / \sqrt{d_h} + M_{ij}`.

    The dot product of two vectors with independent coordinates of mean 0 and variance 1 has
    variance :math:`d_h`; divided by :math:`\sqrt{d_h}` it has variance 1 whatever the dimension, so
    that softmax does not give nearly all weight to one key only because heads are wide.

    Parameters
    ----------
    query, key
        ``[..., query, head_dim]`` and ``[..., key, head_dim]``.
    mask
        Added, ``[query, key]``, such as :func:`causal_mask`; None hides nothing.

    Returns
    -------
    NDArray[float64]
        ``[..., query, key]``.

    References
    ----------
    Vaswani et al. (2017), section 3.2.1, footnote 4.
    """
    q, k = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return scores if mask is None else scores + np.asarray(mask, dtype=np.float64)


def unscaled_scores(scores: ArrayLike, head_dim: int) -> Floats:
    r"""Undo the division of :func:`scaled_scores`: :math:`q_i \cdot k_j`, where nothing is masked.

    Parameters
    ----------
    scores
        ``[..., query, key]``.
    head_dim
        Dimensions of a head, :math:`d_h`.

    Returns
    -------
    NDArray[float64]
        The same shape.
    """
    return np.asarray(scores, dtype=np.float64) * np.sqrt(head_dim)


def scaling_effect(scores: ArrayLike, head_dim: int) -> dict[str, float]:
    r"""Tell what dividing by :math:`\sqrt{d_h}` does to scores and to weights.

    Parameters
    ----------
    scores
        Divided, ``[..., query, key]``, finite.
    head_dim
        Dimensions of a head, :math:`d_h`.

    Returns
    -------
    dict
        ``score_std_unscaled``, ``score_std_scaled``: standard deviation of the scores of a head,
        mean over the heads. ``largest_weight_unscaled``, ``largest_weight_scaled``: largest weight
        of a query, 0 to 1, mean over the queries of all heads.
    """
    effect = {}
    scaled = np.asarray(scores, dtype=np.float64)
    for name, own in (("unscaled", unscaled_scores(scaled, head_dim)), ("scaled", scaled)):
        effect[f"score_std_{name}"] = float(own.std(axis=(-1, -2)).mean())
        effect[f"largest_weight_{name}"] = float(softmax_rows(own).max(axis=-1).mean())
    return effect


def causal_mask(tokens: int) -> Floats:
    r"""Hide every token from those before it: :math:`-\infty` above the diagonal, 0 elsewhere.

    Parameters
    ----------
    tokens
        Number of tokens.

    Returns
    -------
    NDArray[float64]
        ``[query, key]``.
    """
    hidden = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    return np.where(hidden, -np.inf, 0.0)


def softmax_rows(scores: ArrayLike) -> Floats:
    r"""Turn scores into weights, :math:`e^{s_{ij}} / \sum_k e^{s_{ik}}`.

    Parameters
    ----------
    scores
        ``[..., query, key]``; a key with :math:`-\infty` gets the weight 0.

    Returns
    -------
    NDArray[float64]
        The same shape, every row summing to 1.

    Raises
    ------
    ValueError
        If a query sees no key at all.
    """
    s = np.asarray(scores, dtype=np.float64)
    # What all scores of a row have in common cancels; without it, no exponential overflows.
    largest = s.max(axis=-1, keepdims=True)
    if np.isneginf(largest).any():
        where = tuple(int(i) for i in np.argwhere(np.isneginf(largest[..., 0]))[0])
        raise ValueError(
            f"scores{list(where)} is minus infinity for every key; a query must see one at least"
        )
    exponentials = np.exp(s - largest)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def joined_context(attention: ArrayLike, value: ArrayLike) -> Floats:
    r"""Average the values with the weights, :math:`\sum_j A_{ij} v_j`, and put the heads in a row.

    Parameters
    ----------
    attention
        ``[head, query, key]``, rows summing to 1.
    value
        ``[head, key, head_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[query, head * head_dim]``, the first head first.
    """
    context = np.asarray(attention, dtype=np.float64) @ np.asarray(value, dtype=np.float64)
    heads, tokens, width = context.shape
    return context.swapaxes(0, 1).reshape(tokens, heads * width)


def add_and_normalise(
    inputs: ArrayLike, output: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float
) -> Floats:
    r"""Add the residual connection and normalise, :math:`\mathrm{LayerNorm}(X + Y)`.

    Parameters
    ----------
    inputs, output
        What entered the layer and what its attention made of it, ``[token, model_dim]``.
    weight, bias
        Of the layer normalisation, ``[model_dim]``.
    eps
        Added to the variance.

    Returns
    -------
    NDArray[float64]
        ``[token, model_dim]``.

    References
    ----------
    Ba et al. (2016), *Layer Normalization*, equation 4.
    """
    x, y, gain, shift = (
        np.asarray(array, dtype=np.float64) for array in (inputs, output, weight, bias)
    )
    total = x + y
    return layer_norm_numerator(total, gain) / layer_norm_divisor(total, eps)[:, None] + shift


def relative_length(output: ArrayLike, inputs: ArrayLike) -> float:
    r"""Length of what attention adds beside that of the residual, mean of :math:`|y_i| / |x_i|`.

    Parameters
    ----------
    output, inputs
        What attention adds and what it is added to, ``[..., token, model_dim]``.

    Returns
    -------
    float
        0 or more; 1 where both are equally long.

    Raises
    ------
    ValueError
        If a vector of ``inputs`` has no length.
    """
    added, residual = (
        np.linalg.norm(np.asarray(array, dtype=np.float64), axis=-1) for array in (output, inputs)
    )
    if not residual.all():
        where = [int(i) for i in np.argwhere(residual == 0)[0]]
        raise ValueError(f"inputs{where} is zero; every vector must have a length")
    return float((added / residual).mean())
