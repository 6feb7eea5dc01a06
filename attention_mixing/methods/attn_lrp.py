r"""Relevance that each operation of a transformer passes back to what it was given: AttnLRP.

Achtibat et al. (2024), *AttnLRP: Attention-Aware Layer-Wise Relevance Propagation for
Transformers*, ICML, whose rules have these names and numbers. The logit of a class is relevant to
itself by its own value. From there every operation passes on what it was handed, by a rule of its
own, down to the embeddings of words:

==========================  ======================================  ==============================
Operation                   Rule                                    Gradient in its place
==========================  ======================================  ==============================
linear map, sum             :math:`\varepsilon` (eq. 8)             its own
activation :math:`f`        identity (eq. 9)                        :math:`f(x) / x`
product of two numbers      uniform (proposition 3.2)               half of its own
product of two matrices     :math:`\varepsilon`, uniform (3.3)      half of its own
softmax                     Taylor expansion (proposition 3.1)      its own
normalisation               identity (proposition 3.4)              that with a constant divisor
==========================  ======================================  ==============================

The last column is the whole method once more: with :math:`\varepsilon = 0` the relevance of
:math:`x` is :math:`x \odot g`, and :math:`g` is the gradient of the logit but for these changes
(Arras et al. 2025, *A Close Look at Decomposition-based XAI-Methods for Transformer Language
Models*). The product rules hold where both factors depend on the text. An activation keeps what it
is handed and halves are halves, so that only the other rules are functions here. Where
:math:`\varepsilon = 0` and an output is 0, so is its relevance, and it passes nothing on.

Relevance is conserved but for two things. What a bias or an offset holds is passed on to no input,
and the expansion of the softmax has a constant too: what the scores are handed does not add up to
what the weights were. Arrays are of one text.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float64
from scipy.special import softmax

from attention_mixing.methods.layer import Linear, Norm, apply_norm, norm_divisor
from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def epsilon_rule(
    inputs: Float[np.ndarray, "token in_dim"],
    linear: Linear,
    relevance: Float[np.ndarray, "token out_dim"],
    *,
    epsilon: float = 0.0,
) -> Float64[np.ndarray, "token in_dim"]:
    r"""Pass relevance back through a linear map, to each input by its share of the output.

    .. math:: R_i = \sum_j \frac{x_i W_{ij}}{z_j + \varepsilon \operatorname{sign}(z_j)} R_j,
        \qquad z = x W + b

    Achtibat et al. (2024), eq. 8. A sum of two vectors is such a map of both.

    Parameters
    ----------
    inputs
        What the map is given.
    linear
        The map.
    relevance
        Of what it makes.
    epsilon
        What keeps small outputs from passing on more than they have; not negative.

    Examples
    --------
    Of an output of 3 + 1, an input with three parts of it has three parts of the relevance.

    >>> both = Linear(np.array([[1.0], [1.0]]), np.zeros(1))
    >>> epsilon_rule(np.array([[3.0, 1.0]]), both, np.array([[8.0]]))
    array([[6., 2.]])
    """
    outputs = inputs @ linear.weight + linear.bias
    return inputs * (_per_output(relevance, outputs, epsilon) @ linear.weight.T)


@checked_shapes
def matrix_product_rule(
    first: Float[np.ndarray, "*axes row inner"],
    second: Float[np.ndarray, "*axes inner column"],
    relevance: Float[np.ndarray, "*axes row column"],
    *,
    epsilon: float = 0.0,
) -> tuple[Float64[np.ndarray, "*axes row inner"], Float64[np.ndarray, "*axes inner column"]]:
    r"""Pass relevance back through a product of two matrices, half to each.

    .. math:: R_{ij}(A) = \sum_p \frac{A_{ij} B_{jp}}
        {2 \, (O_{ip} + \varepsilon \operatorname{sign}(O_{ip}))} R_{ip}, \qquad O = A B

    and the other way round for :math:`B`. Achtibat et al. (2024), proposition 3.3: the
    :math:`\varepsilon` rule, and the uniform rule for each product of two numbers. Queries and keys
    meet so, and attention weights and values.

    Parameters
    ----------
    first, second
        The factors, :math:`A` and :math:`B`.
    relevance
        Of the product.
    epsilon
        As in :func:`epsilon_rule`.

    Returns
    -------
    first, second
        Relevance of the factors.

    Examples
    --------
    >>> weights, values = np.array([[0.5, 0.5]]), np.array([[6.0], [2.0]])
    >>> of_weights, of_values = matrix_product_rule(weights, values, np.array([[4.0]]))
    >>> of_weights, of_values.T
    (array([[1.5, 0.5]]), array([[1.5, 0.5]]))
    """
    share = _per_output(relevance, first @ second, epsilon) / 2
    return first * (share @ second.swapaxes(-1, -2)), second * (first.swapaxes(-1, -2) @ share)


@checked_shapes
def softmax_rule(
    scores: Float[np.ndarray, "*axes key"], relevance: Float[np.ndarray, "*axes key"]
) -> Float64[np.ndarray, "*axes key"]:
    r"""Pass relevance of attention weights back to the scores that they are the softmax of.

    .. math:: R_i = x_i \Big( R_i - s_i \sum_j R_j \Big), \qquad s = \operatorname{softmax}(x)

    Achtibat et al. (2024), proposition 3.1: the linear part of the Taylor expansion at :math:`x`.
    What is handed on does not add up to what was received; the constant of the expansion holds the
    rest.

    Parameters
    ----------
    scores
        With what is added to them; minus infinity where a key is hidden.
    relevance
        Of the weights.

    Examples
    --------
    What speaks for one key speaks against the other.

    >>> softmax_rule(np.array([2.0, 2.0]), np.array([1.0, 0.0]))
    array([ 1., -1.])
    """
    seen = np.where(np.isneginf(scores), 0.0, scores)
    weights = softmax(scores, axis=-1)
    return seen * (relevance - weights * relevance.sum(axis=-1, keepdims=True))


@checked_shapes
def normalisation_rule(
    rows: Float[np.ndarray, "token model_dim"],
    norm: Norm,
    relevance: Float[np.ndarray, "token model_dim"],
    *,
    epsilon: float = 0.0,
) -> Float64[np.ndarray, "token model_dim"]:
    r"""Pass relevance back through a normalisation, as if what it divides by were a number.

    Achtibat et al. (2024), proposition 3.4: division by the standard deviation passes on what it
    was handed (identity rule). What is left is linear, the mean that is subtracted and the gain,
    and has the :math:`\varepsilon` rule; the offset is a bias.

    Parameters
    ----------
    rows
        What is normalised.
    norm
        The normalisation.
    relevance
        Of what it makes.
    epsilon
        As in :func:`epsilon_rule`.

    Examples
    --------
    >>> root_mean_square = Norm(np.ones(2), np.zeros(2), eps=0.0, centring=False)
    >>> normalisation_rule(np.array([[3.0, 4.0]]), root_mean_square, np.array([[1.0, 5.0]]))
    array([[1., 5.]])
    """
    share = _per_output(relevance, apply_norm(rows, norm), epsilon)
    share = share * norm.gain / norm_divisor(rows, norm)[..., None]
    return rows * (share - share.mean(axis=-1, keepdims=True) if norm.centring else share)


def _per_output(
    relevance: Float[np.ndarray, "*axes"], outputs: Float[np.ndarray, "*axes"], epsilon: float
) -> Float64[np.ndarray, "*axes"]:
    """Divide relevance by what it is of; 0 where that is 0."""
    divisor = outputs + epsilon * np.sign(outputs)
    return np.divide(relevance, divisor, out=np.zeros(outputs.shape), where=divisor != 0)
