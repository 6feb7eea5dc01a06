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
from numpy.typing import ArrayLike, NDArray

from analysis.methods.rollout import attention_rollout


def gradient_weighted(
    attention: ArrayLike, gradient: ArrayLike, *, sign: int = 1
) -> NDArray[np.float64]:
    r"""Average over heads what each attention weight adds to, or takes from, the logit of a class.

    .. math:: \bar{A}_\nabla^{(l)} = \mathbb{E}_h \max(0, \pm \nabla A^{(l, h)} \odot A^{(l, h)})

    Chefer et al. (2021 b), eq. 5. In (2021 a), eq. 13, the place of :math:`A` inside the product is
    taken by its layer-wise propagated relevance; here it is the attention itself, as in (2021 b).

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    gradient
        ``[layer, head, query, key]``, of the logit of one class with respect to ``attention``.
    sign
        1 keeps the evidence for the class, -1 the evidence against it. The two are separate sums:
        a head that speaks for the class does not hide one that speaks against it.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, not negative; in units of the logit.

    Raises
    ------
    ValueError
        If the two have not the same shape ``[layer, head, query, key]``, with as many queries as
        keys and nothing empty, an entry is infinite or not a number, a weight is negative, or
        ``sign`` is neither 1 nor -1.
    """
    if sign not in (1, -1):
        raise ValueError(f"sign is {sign!r}; it must be 1 (for the class) or -1 (against it)")
    weights = np.asarray(attention, dtype=np.float64)
    slopes = np.asarray(gradient, dtype=np.float64)
    if weights.shape != slopes.shape:
        raise ValueError(
            f"gradient has shape {slopes.shape} and attention {weights.shape}; they must be the "
            "same, [layer, head, query, key]"
        )
    _require_square("attention", weights, "[layer, head, query, key]", axes=4)
    _require_not_negative("attention", weights)
    if not np.isfinite(slopes).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(slopes))[0])
        raise ValueError(f"gradient{list(where)} is {slopes[where]}; it must be finite")
    return np.maximum(sign * slopes * weights, 0).mean(axis=1)


def relevance_sum(weighted: ArrayLike, *, start_layer: int = 0) -> NDArray[np.float64]:
    r"""Add up relevance from the input to every layer, without normalisation.

    .. math:: R^{(0)} = I, \qquad R^{(l)} = R^{(l-1)} + \bar{A}_\nabla^{(l)} R^{(l-1)}

    Chefer et al. (2021 b), eq. 6, for self-attention. Entry ``[l, i, j]`` is the sum over all walks
    from token ``i`` after layer ``l`` to input token ``j``, a step within a token counting 1.

    Parameters
    ----------
    weighted
        ``[layer, query, key]``, from :func:`gradient_weighted`.
    start_layer
        The first layer that counts, 0-based. Layers below it are taken as the identity.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, the state after every layer; not negative, at least 1 on the
        diagonal.

    Raises
    ------
    ValueError
        If ``weighted`` is not a stack of square, finite, non-negative matrices, or ``start_layer``
        is not a layer.

    Examples
    --------
    >>> relevance_sum([[[0.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [3.0, 0.0]]])[-1]
    array([[1., 2.],
           [3., 7.]])
    """
    added = _require_weighted(weighted)
    layers, tokens, _ = added.shape
    if not 0 <= start_layer < layers:
        raise ValueError(f"start_layer is {start_layer!r}; there are layers 0 to {layers - 1}")
    relevance = np.empty_like(added)
    reached = np.eye(tokens)
    for layer in range(layers):
        if layer >= start_layer:
            reached = reached + added[layer] @ reached
        relevance[layer] = reached
    return relevance


def relevance_rollout(weighted: ArrayLike, *, start_layer: int = 0) -> NDArray[np.float64]:
    r"""Roll out relevance: identity added, rows normalised, layers multiplied.

    .. math:: R^{(l)} = D^{-1} (I + \bar{A}_\nabla^{(l)}) R^{(l-1)}

    with :math:`D` the row sums. Chefer et al. (2021 a), eq. 13 and 14, which leave the rows as they
    are; they are normalised here as in rollout (Abnar and Zuidema, 2020), so that a layer with
    steep gradients does not count more than another.

    Parameters
    ----------
    weighted
        ``[layer, query, key]``, from :func:`gradient_weighted`.
    start_layer
        The first layer that counts, 0-based. Layers below it are taken as the identity. Which start
        is best is a question of the model: sweep it.

    Returns
    -------
    NDArray[float64]
        ``[layer, query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        As :func:`relevance_sum`.
    """
    added = _require_weighted(weighted)
    augmented = added + np.eye(added.shape[-1])
    rows = augmented / augmented.sum(axis=-1, keepdims=True)
    return attention_rollout(rows, residual=0.0, start_layer=start_layer)


def _require_weighted(weighted: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(weighted, dtype=np.float64)
    _require_square("weighted", array, "[layer, query, key]", axes=3)
    _require_not_negative("weighted", array)
    return array


def _require_square(name: str, array: NDArray[np.float64], shape: str, *, axes: int) -> None:
    if array.ndim != axes or array.shape[-1] != array.shape[-2] or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape}; it must be {shape} with as many queries as keys and "
            "nothing empty"
        )


def _require_not_negative(name: str, array: NDArray[np.float64]) -> None:
    wrong = ~np.isfinite(array) | (array < 0)
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; it must be finite, >= 0")
