r"""How much of a token is mixed in from others, by the vectors that are added up.

An attention weight says how strongly a vector is weighted, not how long it is. The output of an
attention block is a sum with one vector for every key,

.. math:: F_{ij} = \sum_h W^h_{ij}\, f^h(x_j), \qquad f^h(x) = (x W_V^h + b_V^h)\, W_O^h,

and the residual connection adds :math:`x_i` to the token's own. *Preserving* vector
:math:`p_i = F_{ii} (+ x_i)`, *mixing* vector :math:`m_i = \sum_{j \ne i} F_{ij}`, *mixing ratio*
:math:`\lVert m_i \rVert / (\lVert m_i \rVert + \lVert p_i \rVert)`.

Layer normalisation is linear once its divisor is known: it sends a part :math:`y` of its input to

.. math:: g_i(y) = \frac{y - \operatorname{mean}(y)}{s_i} \odot \gamma,

:math:`s_i` being the standard deviation of the whole input. Biases belong to no token and are left
out of the parts; they do count in :math:`s_i`, on which norms depend and ratios do not, for there
it cancels.

================ ==========================================================================
scope            what counts
================ ==========================================================================
``attn_w``       attention weights, averaged over heads
``attn_n``       vectors
``attnres_w``    weights, and the residual connection as a fixed half
``attnres_n``    vectors, and the residual connection
``attnresln_n``  the same after layer normalisation
================ ==========================================================================

This is a layer that normalises after each residual connection, as BERT's does. What comes after the
attention block, :mod:`analysis.methods.whole_layer`.

Kobayashi et al. (2020), *Attention is Not Only a Weight*, EMNLP (``attn_n``); (2021),
*Incorporating Residual and Normalization Layers into Analysis of Masked Language Models*, EMNLP,
section 3 (ratio and scopes). Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.methods.attention import ROW_SUM_TOLERANCE
from analysis.methods.layer_norm import (
    Floats,
    LayerNorm,
    checked_layer_norm,
    finite_array,
    layer_norm_divisor,
    layer_norm_numerator,
)

SCOPES = ("attn_w", "attn_n", "attnres_w", "attnres_n", "attnresln_n")

# Tokens whose vectors are copied at once. With BERT's 12 heads of 64 a block is 0.3 MB in float32,
# which stays in the processor's cache; all of a text of 512 tokens would be 19 MB.
_BLOCK = 8
# A norm below this share of the sum of its heads' norms has lost digits in the Gram matrix, which
# holds squares: it is computed again from the vectors themselves.
_CANCELLED = 1e-2


def transformed_values(value: ArrayLike, projection: ArrayLike) -> Floats:
    r"""Bring the values of each head to the model's dimension, :math:`f^h(x_j)`.

    Parameters
    ----------
    value
        :math:`x_j W_V^h + b_V^h`, ``[head, token, head_dim]``.
    projection
        :math:`W_O` ``[head * head_dim, model_dim]``, the transpose of a torch ``Linear.weight``.

    Returns
    -------
    NDArray
        ``[head, token, model_dim]``.

    Raises
    ------
    ValueError
        If the shapes do not match.
    """
    values, weight = np.asarray(value), np.asarray(projection)
    if values.ndim != 3 or weight.ndim != 2 or len(weight) != values.shape[0] * values.shape[2]:
        raise ValueError(
            f"value has shape {values.shape} and projection {weight.shape}; they must be "
            "[head, token, head_dim] and [head * head_dim, model_dim]"
        )
    return values @ weight.reshape(values.shape[0], values.shape[2], -1)


class AttentionBlock:
    """The attention block of one layer on one text: ratios and norms of every scope.

    Computes in the precision of ``transformed``: float32 or float64, anything else as float64.
    No array is larger than ``transformed``, and copies of that are made a few tokens at a time.

    Parameters
    ----------
    attention
        ``[head, query, key]``, every row summing to 1.
    transformed
        :func:`transformed_values`, ``[head, token, model_dim]``.
    inputs
        Input of the layer, which the residual connection adds, ``[token, model_dim]``.
    output_bias
        Bias of the output projection, ``[model_dim]``; None where there is none.
    layer_norm
        Weight ``[model_dim]`` and epsilon of the layer normalisation after attention.

    Raises
    ------
    ValueError
        If shapes do not match, an array holds anything but finite numbers, or a row of the
        attention is no distribution.
    """

    def __init__(
        self,
        attention: ArrayLike,
        transformed: ArrayLike,
        *,
        inputs: ArrayLike | None = None,
        output_bias: ArrayLike | None = None,
        layer_norm: LayerNorm | None = None,
    ) -> None:
        vectors = np.asarray(transformed)
        dtype = vectors.dtype if vectors.dtype in (np.float32, np.float64) else np.float64
        if vectors.ndim != 3 or 0 in vectors.shape:
            raise ValueError(
                f"transformed has shape {vectors.shape}; it must be [head, token, model_dim] with "
                "nothing empty"
            )
        heads, tokens, width = vectors.shape
        self.transformed = finite_array("transformed", vectors, vectors.shape, dtype)
        self.attention = finite_array("attention", attention, (heads, tokens, tokens), dtype)
        _check_rows(self.attention)
        self.inputs = (
            None if inputs is None else finite_array("inputs", inputs, (tokens, width), dtype)
        )
        self.output_bias = np.zeros(width, dtype)
        if output_bias is not None:
            self.output_bias = finite_array("output_bias", output_bias, (width,), dtype)
        self.layer_norm = (
            None if layer_norm is None else checked_layer_norm(layer_norm, width, dtype)
        )

    def ratio(self, scope: str) -> Floats:
        """Tell what share of each token's new vector comes from other tokens, ``[token]``.

        0 (nothing mixed in) to 1 (nothing kept); not a number where both vectors are zero.
        Kobayashi et al. (2021), section 3.

        Raises
        ------
        ValueError
            As :meth:`require`.
        """
        self.require(scope)
        if scope.endswith("_w"):
            own = self.attention.diagonal(axis1=1, axis2=2).mean(axis=0)
            return 1 - own if scope == "attn_w" else (1 - own) / 2
        return ratio_of_vectors(*self.vectors(scope))

    def norms(self, scope: str) -> Floats:
        r"""Measure the vector that each key contributes to each query, ``[query, key]``.

        With the residual connection on the diagonal and layer normalisation as the scope says; for
        ``attn_w`` and ``attnres_w`` the weights themselves. Rows do not sum to 1, see
        :func:`row_normalised`. The vectors are never built: with :math:`G_j[h, h'] =
        \langle f^h(x_j), f^{h'}(x_j) \rangle`, the vectors centred and scaled where the scope
        includes layer normalisation,

        .. math:: \lVert F_{ij} \rVert^2 = W_{ij}^\top\, G_j\, W_{ij},
            \qquad W_{ij} = (W^h_{ij})_h,

        so that :math:`n^2 H^2` operations take the place of :math:`n^2 H d`.

        Raises
        ------
        ValueError
            As :meth:`require`.
        """
        self.require(scope)
        if scope.endswith("_w"):
            mean = self.attention.mean(axis=0)
            return mean if scope == "attn_w" else (mean + np.eye(len(mean), dtype=mean.dtype)) / 2
        if scope == "attnresln_n":
            return (
                self.norms_through(self.own + self.inputs, self.centred) / self.deviation[:, None]
            )
        own = self.own if scope == "attn_n" else self.own + self.inputs
        return self.norms_through(own, lambda rows: rows)

    def vectors(self, scope: str) -> tuple[Floats, Floats]:
        """Return preserving and mixing vectors, ``[token, model_dim]`` each.

        Parameters
        ----------
        scope
            ``attn_n``, ``attnres_n`` or ``attnresln_n``; the other two have no vectors.

        Raises
        ------
        ValueError
            If the scope is none of these, or something it needs is missing.
        """
        self.require(scope)
        if scope.endswith("_w"):
            raise ValueError(f"scope is {scope!r}, of weights; scopes of vectors end in _n")
        preserving, mixing = self.own, self._others
        if scope != "attn_n":
            preserving = preserving + self.inputs
        if scope == "attnresln_n":
            preserving, mixing = self.centred(preserving), self.centred(mixing)
            preserving /= self.deviation[:, None]
            mixing /= self.deviation[:, None]
        return preserving, mixing

    def require(self, scope: str) -> None:
        """Refuse, with a ValueError, an unknown scope or one that needs what the block lacks.

        Those with ``res`` and ``n`` need ``inputs``, ``attnresln_n`` also ``layer_norm``.
        """
        if scope not in SCOPES:
            raise ValueError(f"scope is {scope!r}; it must be one of {', '.join(SCOPES)}")
        if scope in ("attnres_n", "attnresln_n") and self.inputs is None:
            raise ValueError(f"scope {scope} needs inputs, which the residual connection adds")
        if scope == "attnresln_n" and self.layer_norm is None:
            raise ValueError(f"scope {scope} needs layer_norm, its weight and epsilon")

    @cached_property
    def own(self) -> Floats:
        """What each token contributes to itself, without the residual connection.

        ``[token, model_dim]``, read-only.
        """
        weights = self.attention.diagonal(axis1=1, axis2=2)
        own = np.einsum("ht,htd->td", weights, self.transformed)
        own.setflags(write=False)  # vectors() hands it out
        return own

    @cached_property
    def deviation(self) -> Floats:
        """Divisor of the layer normalisation at each token, ``[token]``."""
        assert self.layer_norm is not None  # as require has seen
        true_input = self.own + self._others
        true_input += self.output_bias
        true_input += self.inputs
        return layer_norm_divisor(true_input, self.layer_norm[1])

    def centred(self, rows: Floats) -> Floats:
        """Apply the layer normalisation but for its divisor to parts of its input.

        Parameters
        ----------
        rows
            ``[..., model_dim]``.

        Returns
        -------
        NDArray
            ``[..., model_dim]``.
        """
        assert self.layer_norm is not None  # as require has seen
        return layer_norm_numerator(rows, self.layer_norm[0])

    def keys_through(
        self, linear: Callable[[Floats], Floats]
    ) -> Iterator[tuple[slice, Floats, Floats]]:
        """Go through the keys a block at a time.

        Parameters
        ----------
        linear
            What becomes of a vector, ``[..., model_dim]`` to ``[..., model_dim]``.

        Yields
        ------
        keys
            The block.
        vectors
            ``transformed`` through the linear map, ``[key, head, model_dim]``.
        weights
            The attention paid to them, ``[key, head, query]``.
        """
        for start in range(0, self.transformed.shape[1], _BLOCK):
            keys = slice(start, start + _BLOCK)
            vectors = np.ascontiguousarray(self.transformed[:, keys].transpose(1, 0, 2))
            weights = np.ascontiguousarray(self.attention[:, :, keys].transpose(2, 0, 1))
            yield keys, linear(vectors), weights

    def norms_through(self, own: Floats, linear: Callable[[Floats], Floats]) -> Floats:
        """Measure the contributions through a linear map, by the Gram identity.

        Parameters
        ----------
        own
            What takes the place of each token's contribution to itself, ``[token, model_dim]``.
        linear
            As in :meth:`keys_through`.

        Returns
        -------
        NDArray
            ``[query, key]``.
        """
        squares = np.empty_like(self.attention[0])
        for keys, vectors, weights in self.keys_through(linear):
            gram = vectors @ vectors.transpose(0, 2, 1)
            block = np.einsum("khq,khq->kq", gram @ weights, weights)
            lengths = np.sqrt(gram.diagonal(axis1=1, axis2=2))
            longest = (lengths[:, None, :] @ weights)[:, 0]
            cancelled = block < (_CANCELLED * longest) ** 2
            for key in np.flatnonzero(cancelled.any(axis=1)):
                queries = cancelled[key]
                contributions = weights[key, :, queries] @ vectors[key]
                block[key, queries] = (contributions**2).sum(axis=-1)
            squares[:, keys] = block.T
        norms = np.sqrt(squares)
        np.fill_diagonal(norms, np.linalg.norm(linear(own), axis=-1))
        return norms

    @cached_property
    def _others(self) -> Floats:
        """What the other tokens contribute: summed without the diagonal, so that none is 0."""
        _, tokens, width = self.transformed.shape
        weights = self.attention.transpose(1, 0, 2).copy()  # [query, head, key]
        token = np.arange(tokens)
        weights[token, :, token] = 0
        # One product over heads and keys at once.
        total = weights.reshape(tokens, -1) @ self.transformed.reshape(-1, width)
        total.setflags(write=False)
        return total


def row_normalised(contributions: ArrayLike) -> NDArray[np.float64]:
    """Divide each row by its sum, in float64: what rollout takes with ``residual=0``.

    Parameters
    ----------
    contributions
        ``[..., query, key]``, not negative.

    Returns
    -------
    NDArray[float64]
        ``[..., query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If an entry is negative, infinite or not a number, or a row has nothing but zeros.
    """
    array = np.asarray(contributions, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"contributions{list(where)} is {array[where]}; it must be finite, >= 0")
    sums = array.sum(axis=-1, keepdims=True)
    if (sums == 0).any():
        where = tuple(int(i) for i in np.argwhere(sums == 0)[0][:-1])
        raise ValueError(f"contributions{list(where)} are all 0; at least one must be positive")
    return array / sums


def ratio_of_vectors(preserving: Floats, mixing: Floats) -> Floats:
    """Mixing ratio of given vectors.

    Parameters
    ----------
    preserving, mixing
        ``[token, model_dim]``.

    Returns
    -------
    NDArray
        ``[token]``, 0 to 1; not a number where both vectors are zero.
    """
    mixed, kept = np.linalg.norm(mixing, axis=-1), np.linalg.norm(preserving, axis=-1)
    total = mixed + kept
    return np.divide(mixed, total, out=np.full_like(total, np.nan), where=total > 0)


def _check_rows(attention: Floats) -> None:
    if attention.min() < 0:
        where = tuple(int(i) for i in np.argwhere(attention < 0)[0])
        raise ValueError(f"attention{list(where)} is {attention[where]}; weights must be >= 0")
    sums = attention.sum(axis=-1)
    if (np.abs(sums - 1) > ROW_SUM_TOLERANCE).any():
        where = tuple(int(i) for i in np.argwhere(np.abs(sums - 1) > ROW_SUM_TOLERANCE)[0])
        raise ValueError(f"attention{list(where)} sums to {sums[where]:.6g}; rows must sum to 1")
