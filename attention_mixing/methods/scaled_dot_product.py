r"""Scaled dot-product attention, one step after the other.

.. math::
    Q = X' W_Q + b_Q, \quad K = X' W_K + b_K, \quad V = X' W_V + b_V \\
    S = \frac{Q K^\top}{\sqrt{d_h}}, \qquad A = \mathrm{softmax}(S), \qquad C = A V \\
    Y = \mathrm{concat}_h(C)\, W_O + b_O, \qquad Z = N(X + Y)

The rows of :math:`X` are the tokens that enter the layer; every head has its own :math:`Q`,
:math:`K` and :math:`V`. In BERT, as in the paper, :math:`X' = X` and the sum is normalised; other
models normalise elsewhere (:class:`attention_mixing.methods.layer.Residual`), and may turn queries
and keys by their positions before they are compared. A score of :math:`-\infty` hides a key.
:func:`attention_layer` takes all steps after the projections, the other functions one each. All is
computed in float64.

Vaswani et al. (2017), *Attention Is All You Need*, NeurIPS, section 3.2.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Float64
from scipy.special import softmax

from attention_mixing.methods.layer import Residual, add_residual
from attention_mixing.methods.shapes import checked_shapes

Heads = Float[np.ndarray, "head token head_dim"]
# Weight, transposed against torch, and bias. The columns of the first head come first.
OutOfHeads = tuple[Float[np.ndarray, "inner model"], Float[np.ndarray, " model"]]


@checked_shapes
def attention_layer(
    inputs: Float[np.ndarray, "token model"],
    *,
    query: Heads,
    key: Heads,
    value: Float[np.ndarray, "head token value_dim"],
    output: OutOfHeads,
    residual: Residual,
    visible: Bool[np.ndarray, "token token"] | None = None,
) -> dict[str, Float64[np.ndarray, "*shape"]]:
    """Compute what the attention of a layer makes of the stream, and keep every step.

    Parameters
    ----------
    inputs
        What enters the layer.
    query, key, value
        As they are compared and summed.
    output
        Weight and bias of the output projection.
    residual
        How attention joins the stream.
    visible
        Which keys each query may see; None for all.

    Returns
    -------
    dict
        ``scores``, ``attention`` ``[head, query, key]``; ``context`` ``[token, head * value_dim]``;
        ``output``, ``block`` ``[token, model_dim]``.
    """
    scores = scaled_scores(query, key)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    attention = softmax(scores, axis=-1)
    context = joined_context(attention, value)
    weight, bias = output
    added = context @ weight + bias
    return {
        "scores": scores,
        "attention": attention,
        "context": context,
        "output": added,
        "block": add_residual(inputs, added, residual),
    }


@checked_shapes
def heads_of(
    inputs: Float[np.ndarray, "token model"],
    weight: Float[np.ndarray, "model inner"],
    bias: Float[np.ndarray, " inner"],
    heads: int,
) -> Float64[np.ndarray, "{heads} token head_dim"]:
    """Project what attention reads of the tokens into queries, keys or values of every head.

    Raises
    ------
    ValueError
        If the columns cannot be divided among the heads.
    """
    columns = len(bias)
    if heads < 1 or columns % heads:
        raise ValueError(
            f"weight has {columns} columns for {heads} heads; they must be a multiple of the "
            "number of heads"
        )
    projected = inputs.astype(np.float64) @ weight + bias
    return projected.reshape(len(inputs), heads, columns // heads).swapaxes(0, 1)


@checked_shapes
def scaled_scores(
    query: Float[np.ndarray, "*heads query head_dim"],
    key: Float[np.ndarray, "*heads key head_dim"],
) -> Float64[np.ndarray, "*heads query key"]:
    r"""Compare every query with every key, :math:`q_i \cdot k_j / \sqrt{d_h}`.

    The dot product of two vectors with independent coordinates of mean 0 and variance 1 has
    variance :math:`d_h`; divided by :math:`\sqrt{d_h}` it has variance 1 whatever the dimension, so
    that softmax does not give nearly all weight to one key only because heads are wide (footnote 4
    of section 3.2.1).
    """
    return query.astype(np.float64) @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])


@checked_shapes
def unscaled_scores(
    scores: Float[np.ndarray, "*heads query key"], head_dim: int
) -> Float64[np.ndarray, "*heads query key"]:
    r"""Undo the division of :func:`scaled_scores`: :math:`q_i \cdot k_j`.

    Parameters
    ----------
    scores
        As :func:`scaled_scores` gives them.
    head_dim
        Dimension of the queries and keys.
    """
    return scores.astype(np.float64) * np.sqrt(head_dim)


@checked_shapes
def scaling_effect(
    scores: Float[np.ndarray, "*heads query key"], head_dim: int
) -> dict[str, float]:
    r"""Tell what dividing by :math:`\sqrt{d_h}` does to scores and to weights.

    ``score_std_unscaled``, ``score_std_scaled``: standard deviation of the scores of a head, of
    those that hide no key, mean over the heads. ``largest_weight_unscaled``,
    ``largest_weight_scaled``: largest weight of a query, 0 to 1, mean over the queries of all
    heads.

    Parameters
    ----------
    scores
        As :func:`scaled_scores` gives them; minus infinity hides a key.
    head_dim
        Dimension of the queries and keys.
    """
    effect = {}
    scaled = scores.astype(np.float64)
    for name, values in (("unscaled", unscaled_scores(scaled, head_dim)), ("scaled", scaled)):
        visible = np.isfinite(values)
        spread = np.where(visible, values, 0).std(axis=(-1, -2), where=visible)
        effect[f"score_std_{name}"] = float(spread.mean())
        effect[f"largest_weight_{name}"] = float(softmax(values, axis=-1).max(axis=-1).mean())
    return effect


@checked_shapes
def joined_context(
    attention: Float[np.ndarray, "head query key"], value: Float[np.ndarray, "head key head_dim"]
) -> Float64[np.ndarray, "query head*head_dim"]:
    r"""Average the values with the weights, :math:`\sum_j A_{ij} v_j`, and put the heads in a row.

    The first head comes first.
    """
    context = attention.astype(np.float64) @ value
    return context.swapaxes(0, 1).reshape(attention.shape[1], -1)


@checked_shapes
def relative_length(
    output: Float[np.ndarray, "*layers token model"],
    inputs: Float[np.ndarray, "*layers token model"],
) -> float:
    r"""Length of what attention adds beside that of the residual, mean of :math:`|y_i| / |x_i|`.

    1 where both are equally long.

    Raises
    ------
    ValueError
        If a vector of ``inputs`` has no length.
    """
    added, residual = (np.linalg.norm(a.astype(np.float64), axis=-1) for a in (output, inputs))
    if not residual.all():
        where = np.argwhere(residual == 0)[0].tolist()
        raise ValueError(f"inputs{where} is zero; every vector must have a length")
    return float((added / residual).mean())
