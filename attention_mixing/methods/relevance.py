r"""Relevance: attention weighted by how much a class depends on it, followed through the layers.

Two rules of Chefer, Gur and Wolf, both for one class and one text:

2021 a
    *Transformer Interpretability Beyond Attention Visualization*, CVPR (arXiv 2012.09838).
2021 b
    *Generic Attention-model Explainability for Interpreting Bi-Modal and Encoder-Decoder
    Transformers*, ICCV (arXiv 2103.15679).

Both weight every attention matrix with the gradient of the logit, keep one sign and average over
heads (:func:`gradient_weighted`). (b) adds up what reaches the input (:func:`relevance_sum`); (a)
rolls out (:func:`relevance_rollout`). As matrices, :math:`R + \bar{A} R = (I + \bar{A}) R`: without
normalisation of the rows the two rules are one, so whether the rows are normalised is all that
tells them apart here.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.arrays import finite, not_negative
from attention_mixing.methods.rollout import attention_rollout
from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def gradient_weighted(
    attention: Float[np.ndarray, "layer head token token"],
    gradient: Float[np.ndarray, "layer head token token"],
    *,
    sign: int = 1,
) -> Float64[np.ndarray, "layer token token"]:
    r"""Average over heads what each attention weight adds to, or takes from, the logit of a class.

    .. math:: \bar{A}_\nabla^{(l)} = \mathbb{E}_h \max(0, \pm \nabla A^{(l, h)} \odot A^{(l, h)})

    Chefer et al. (2021 b), eq. 5. In (2021 a), eq. 13, the place of :math:`A` inside the product is
    taken by its layer-wise propagated relevance; here it is the attention itself, as in (2021 b).

    Parameters
    ----------
    attention
        Weights of every head.
    gradient
        Of the logit of one class with respect to ``attention``.
    sign
        1 keeps the evidence for the class, -1 the evidence against it. The two are separate sums:
        a head that speaks for the class does not hide one that speaks against it.

    Raises
    ------
    ValueError
        If an entry is infinite or not a number, a weight is negative, or ``sign`` is neither 1 nor
        -1.
    """
    if sign not in (1, -1):
        raise ValueError(f"sign is {sign!r}; it must be 1 (for the class) or -1 (against it)")
    slopes, weights = finite("gradient", gradient), not_negative("attention", attention)
    return np.maximum(sign * slopes * weights, 0).mean(axis=1)


@checked_shapes
def relevance_sum(
    weighted: Float[np.ndarray, "layer token token"], *, start_layer: int = 0
) -> Float64[np.ndarray, "layer token token"]:
    r"""Add up relevance from the input to every layer, without normalisation.

    .. math:: R^{(0)} = I, \qquad R^{(l)} = R^{(l-1)} + \bar{A}_\nabla^{(l)} R^{(l-1)}

    Chefer et al. (2021 b), eq. 6, for self-attention. Entry ``[l, i, j]`` is the sum over all walks
    from token ``i`` after layer ``l`` to input token ``j``, a step within a token counting 1.

    Parameters
    ----------
    weighted
        From :func:`gradient_weighted`.
    start_layer
        The first layer that counts, 0-based. Layers below it are taken as the identity.

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or ``start_layer`` is not a layer.

    Examples
    --------
    >>> relevance_sum(np.array([[[0.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [3.0, 0.0]]]))[-1]
    array([[1., 2.],
           [3., 7.]])
    """
    added = not_negative("weighted", weighted)
    layers, tokens, _ = added.shape
    if not 0 <= start_layer < layers:
        raise ValueError(f"start_layer is {start_layer!r}; there are layers 0 to {layers - 1}")
    relevance = np.tile(np.eye(tokens), (layers, 1, 1))
    reached = np.eye(tokens)
    for layer in range(start_layer, layers):
        relevance[layer] = reached = reached + added[layer] @ reached
    return relevance


@checked_shapes
def relevance_rollout(
    weighted: Float[np.ndarray, "layer token token"], *, start_layer: int = 0
) -> Float64[np.ndarray, "layer token token"]:
    r"""Roll out relevance: identity added, rows normalised, layers multiplied.

    .. math:: R^{(l)} = D^{-1} (I + \bar{A}_\nabla^{(l)}) R^{(l-1)}

    with :math:`D` the row sums. Chefer et al. (2021 a), eq. 13 and 14, which leave the rows as they
    are; they are normalised here as in rollout (Abnar and Zuidema, 2020), so that a layer with
    steep gradients does not count more than another. Which start is best is a question of the
    model: sweep it. Parameters and refusals are those of :func:`relevance_sum`.
    """
    augmented = not_negative("weighted", weighted) + np.eye(weighted.shape[-1])
    rows = augmented / augmented.sum(axis=-1, keepdims=True)
    return attention_rollout(rows, start_layer=start_layer)
