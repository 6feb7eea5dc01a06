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

========================= ==========================================================================
scope                     what counts
========================= ==========================================================================
``attn_w``                attention weights, averaged over heads
``attn_n``                vectors
``attnres_w``             weights, and the residual connection as a fixed half
``attnres_n``             vectors, and the residual connection
``attnresln_n``           the same after layer normalisation
``attnresln_ff_n``        the same after the feed-forward network
``attnresln_ffres_n``     and its residual connection
``attnresln_ffresln_n``   and the second layer normalisation: the whole layer
========================= ==========================================================================

This is a layer that normalises after each residual connection, as BERT's does.

Kobayashi et al. (2020), *Attention is Not Only a Weight*, EMNLP (``attn_n``); (2021),
*Incorporating Residual and Normalization Layers into Analysis of Masked Language Models*, EMNLP,
section 3 (ratio and the first five scopes); (2024), *Analyzing Feed-Forward Blocks in Transformers
through the Lens of Attention Maps*, ICLR (the last three). Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.special import ndtr

from analysis.methods.attention import ROW_SUM_TOLERANCE

Floats = NDArray[Any]  # float32 or float64
LayerNorm = tuple[ArrayLike, float]  # weight [model_dim] and eps

SCOPES = ("attn_w", "attn_n", "attnres_w", "attnres_n", "attnresln_n")
FEED_FORWARD_SCOPES = ("attnresln_ff_n", "attnresln_ffres_n", "attnresln_ffresln_n")

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


def mixing_ratio(
    attention: ArrayLike,
    transformed: ArrayLike,
    *,
    inputs: ArrayLike | None = None,
    output_bias: ArrayLike | None = None,
    layer_norm: LayerNorm | None = None,
    scope: str,
) -> Floats:
    """Tell what share of each token's new vector comes from other tokens.

    For several scopes of one layer use :class:`AttentionBlock`, which shares the work.

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
    scope
        One of ``SCOPES``. Those with ``res`` and ``n`` need ``inputs``, ``attnresln_n`` also
        ``layer_norm``.

    Returns
    -------
    NDArray
        ``[token]``, 0 (nothing mixed in) to 1 (nothing kept), in the precision of
        ``transformed``. Not a number where both vectors are zero.

    Raises
    ------
    ValueError
        If shapes do not match, an array holds anything but finite numbers, a row of the attention
        is no distribution, the scope is unknown, or something it needs is missing.

    References
    ----------
    Kobayashi et al. (2021), section 3.
    """
    return AttentionBlock(
        attention, transformed, inputs=inputs, output_bias=output_bias, layer_norm=layer_norm
    ).ratio(scope)


def contribution_norms(
    attention: ArrayLike,
    transformed: ArrayLike,
    *,
    inputs: ArrayLike | None = None,
    output_bias: ArrayLike | None = None,
    layer_norm: LayerNorm | None = None,
    scope: str,
) -> Floats:
    r"""Measure the vector that each key contributes to each query, :math:`\lVert F_{ij} \rVert`.

    With the residual connection on the diagonal and layer normalisation as the scope says; for
    ``attn_w`` and ``attnres_w`` the weights themselves. The vectors are never built:
    with :math:`G_j[h, h'] = \langle f^h(x_j), f^{h'}(x_j) \rangle`, the vectors centred and scaled
    where the scope includes layer normalisation,

    .. math:: \lVert F_{ij} \rVert^2 = W_{ij}^\top\, G_j\, W_{ij}, \qquad W_{ij} = (W^h_{ij})_h,

    so that :math:`n^2 H^2` operations take the place of :math:`n^2 H d`.

    Parameters
    ----------
    attention, transformed, inputs, output_bias, layer_norm, scope
        As in :func:`mixing_ratio`.

    Returns
    -------
    NDArray
        ``[query, key]``, in the precision of ``transformed``; rows do not sum to 1, see
        :func:`row_normalised`.

    Raises
    ------
    ValueError
        As :func:`mixing_ratio`.
    """
    return AttentionBlock(
        attention, transformed, inputs=inputs, output_bias=output_bias, layer_norm=layer_norm
    ).norms(scope)


class AttentionBlock:
    """The attention block of one layer on one text: ratios and norms of every scope.

    Computes in the precision of ``transformed``: float32 or float64, anything else as float64.
    No array is larger than ``transformed``, and copies of that are made a few tokens at a time.

    Parameters
    ----------
    attention, transformed, inputs, output_bias, layer_norm
        As in :func:`mixing_ratio`.

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
        self.transformed = _array("transformed", vectors, vectors.shape, dtype)
        self.attention = _array("attention", attention, (heads, tokens, tokens), dtype)
        _check_rows(self.attention)
        self.inputs = None if inputs is None else _array("inputs", inputs, (tokens, width), dtype)
        self.output_bias = np.zeros(width, dtype)
        if output_bias is not None:
            self.output_bias = _array("output_bias", output_bias, (width,), dtype)
        self.layer_norm = None if layer_norm is None else _layer_norm(layer_norm, width, dtype)

    def ratio(self, scope: str) -> Floats:
        """Return the mixing ratio of a scope, ``[token]``; see :func:`mixing_ratio`."""
        self._require(scope)
        if scope.endswith("_w"):
            own = self.attention.diagonal(axis1=1, axis2=2).mean(axis=0)
            return 1 - own if scope == "attn_w" else (1 - own) / 2
        return _ratio(*self.vectors(scope))

    def norms(self, scope: str) -> Floats:
        """Return the norms of a scope, ``[query, key]``; see :func:`contribution_norms`."""
        self._require(scope)
        if scope.endswith("_w"):
            mean = self.attention.mean(axis=0)
            return mean if scope == "attn_w" else (mean + np.eye(len(mean), dtype=mean.dtype)) / 2
        if scope == "attnresln_n":
            return self._norms(self._own + self.inputs, self._centred) / self._deviation[:, None]
        own = self._own if scope == "attn_n" else self._own + self.inputs
        return self._norms(own, lambda rows: rows)

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
        self._require(scope)
        if scope.endswith("_w"):
            raise ValueError(f"scope is {scope!r}, of weights; scopes of vectors end in _n")
        preserving, mixing = self._own, self._others
        if scope != "attn_n":
            preserving = preserving + self.inputs
        if scope == "attnresln_n":
            preserving, mixing = self._centred(preserving), self._centred(mixing)
            preserving /= self._deviation[:, None]
            mixing /= self._deviation[:, None]
        return preserving, mixing

    @cached_property
    def _own(self) -> Floats:
        """What each token contributes to itself, without the residual connection."""
        weights = self.attention.diagonal(axis1=1, axis2=2)
        own = np.einsum("ht,htd->td", weights, self.transformed)
        own.setflags(write=False)  # vectors() hands it out
        return own

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

    @cached_property
    def _deviation(self) -> Floats:
        """Divisor of the layer normalisation at each token."""
        assert self.layer_norm is not None  # as _require has seen
        true_input = self._own + self._others
        true_input += self.output_bias
        true_input += self.inputs
        return _deviation(true_input, self.layer_norm[1])

    def _centred(self, rows: Floats) -> Floats:
        """Apply the layer normalisation but for its divisor to parts of its input."""
        assert self.layer_norm is not None  # as _require has seen
        return _centred(rows, self.layer_norm[0])

    def _require(self, scope: str) -> None:
        if scope not in SCOPES:
            raise ValueError(f"scope is {scope!r}; it must be one of {', '.join(SCOPES)}")
        if scope in ("attnres_n", "attnresln_n") and self.inputs is None:
            raise ValueError(f"scope {scope} needs inputs, which the residual connection adds")
        if scope == "attnresln_n" and self.layer_norm is None:
            raise ValueError(f"scope {scope} needs layer_norm, its weight and epsilon")

    def _keys(self, linear: Callable[[Floats], Floats]) -> Iterator[tuple[slice, Floats, Floats]]:
        """Go through the keys a block at a time.

        Yields
        ------
        keys
            The block.
        vectors
            ``transformed`` through a linear map, ``[key, head, model_dim]``.
        weights
            The attention paid to them, ``[key, head, query]``.
        """
        for start in range(0, self.transformed.shape[1], _BLOCK):
            keys = slice(start, start + _BLOCK)
            vectors = np.ascontiguousarray(self.transformed[:, keys].transpose(1, 0, 2))
            weights = np.ascontiguousarray(self.attention[:, :, keys].transpose(2, 0, 1))
            yield keys, linear(vectors), weights

    def _norms(self, own: Floats, linear: Callable[[Floats], Floats]) -> Floats:
        """Norms of the contributions through a linear map, with ``own`` on the diagonal."""
        squares = np.empty_like(self.attention[0])
        for keys, vectors, weights in self._keys(linear):
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


@dataclass(frozen=True)
class FeedForward:
    """Weights of a layer's feed-forward network and of the layer normalisation after it.

    Parameters
    ----------
    weight_in, bias_in
        First linear layer, ``[model_dim, ffn_dim]``, the transpose of a torch ``Linear.weight``,
        and ``[ffn_dim]``.
    weight_out
        Second linear layer, ``[ffn_dim, model_dim]``. Its bias belongs to no token.
    activation
        One of ``ACTIVATIONS``, by the names of ``transformers``.
    layer_norm
        Weight ``[model_dim]`` and epsilon of the layer normalisation after it. Its divisor cancels
        in the mixing ratio; :func:`globenc` needs it.
    """

    weight_in: ArrayLike
    bias_in: ArrayLike
    weight_out: ArrayLike
    activation: str
    layer_norm: LayerNorm


def feed_forward_ratios(
    block: AttentionBlock, network: FeedForward, *, block_output: ArrayLike
) -> dict[str, Floats]:
    r"""Follow preserving and mixing vectors through the feed-forward network and what is after it.

    The activation is not linear. Integrated gradients divide its value :math:`\sigma(u)` among the
    parts of :math:`u = \sum_k z_k` along the straight line from 0. All parts shrink alike on that
    line, so the integral has a closed form for an activation with :math:`\sigma(0) = 0`:

    .. math:: z_k \int_0^1 \sigma'(tu)\, dt = z_k\, \frac{\sigma(u)}{u}.

    So each token has one linear map, which is applied to two vectors: no work for pairs of tokens.
    The share of :math:`b_{in}` is that of a bias and left out.

    Parameters
    ----------
    block
        With ``inputs`` and ``layer_norm``.
    network
        Weights of the feed-forward network.
    block_output
        True output of the attention block, biases included, ``[token, model_dim]``; slopes are
        taken there.

    Returns
    -------
    dict
        Scope, of ``FEED_FORWARD_SCOPES`` -> mixing ratio ``[token]``.

    Raises
    ------
    ValueError
        If shapes do not match, an array holds anything but finite numbers, the activation is
        unknown, or the block lacks ``inputs`` or ``layer_norm``.

    References
    ----------
    Kobayashi et al. (2024), section 3; integrated gradients: Sundararajan et al. (2017), ICML.
    """
    if network.activation not in ACTIVATIONS:
        raise ValueError(
            f"activation is {network.activation!r}; it must be one of {', '.join(ACTIVATIONS)}"
        )
    parts = np.stack(block.vectors("attnresln_n"))
    _, tokens, width = parts.shape
    dtype, hidden = parts.dtype, np.shape(network.bias_in)[-1:]
    weight_in = _array("weight_in", network.weight_in, (width, *hidden), dtype)
    bias_in = _array("bias_in", network.bias_in, hidden, dtype)
    weight_out = _array("weight_out", network.weight_out, (*hidden, width), dtype)
    norm_weight, _ = _layer_norm(network.layer_norm, width, dtype)
    rows = _array("block_output", block_output, (tokens, width), dtype)

    slope = ACTIVATIONS[network.activation](rows @ weight_in + bias_in)
    through = (parts @ weight_in * slope) @ weight_out
    kept = through + parts
    results = (_ratio(*vectors) for vectors in (through, kept, _centred(kept, norm_weight)))
    return dict(zip(FEED_FORWARD_SCOPES, results, strict=True))


def _gelu_tanh_slope(preactivation: Floats) -> Floats:
    cubic = preactivation + 0.044715 * preactivation**3
    return (1 + np.tanh(np.sqrt(2 / np.pi).astype(cubic.dtype) * cubic)) / 2


def _relu_slope(preactivation: Floats) -> Floats:
    return (preactivation > 0).astype(preactivation.dtype)


# Activation -> its secant from 0, activation(u) / u: for GELU, u times the normal distribution
# function, that is the function itself.
ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "gelu": ndtr,
    "gelu_new": _gelu_tanh_slope,
    "relu": _relu_slope,
}


def globenc(
    block: AttentionBlock, *, second_layer_norm: LayerNorm, second_input: ArrayLike
) -> Floats:
    r"""Norms of the contributions after both layer normalisations, GlobEnc's :math:`N_{Enc}`.

    The feed-forward network is skipped, its residual connection is not, and the second layer
    normalisation divides as it does in the model: the network counts only there. By the Gram
    identity, as :func:`contribution_norms`.

    Parameters
    ----------
    block
        With ``inputs`` and ``layer_norm``.
    second_layer_norm
        Weight ``[model_dim]`` and epsilon.
    second_input
        True input of the second layer normalisation, ``[token, model_dim]``: output of the
        attention block and of the feed-forward network, added.

    Returns
    -------
    NDArray
        ``[query, key]``, in the precision of the block; see :func:`row_normalised`.

    Raises
    ------
    ValueError
        If shapes do not match, an array holds anything but finite numbers, or the block lacks
        ``inputs`` or ``layer_norm``.

    References
    ----------
    Modarressi et al. (2022), *GlobEnc*, NAACL, section 3.
    """
    block._require("attnresln_n")
    own = block._own + block.inputs
    weight, eps = _layer_norm(second_layer_norm, own.shape[1], own.dtype)
    divided = _array("second_input", second_input, own.shape, own.dtype)
    norms = block._norms(own, lambda rows: _centred(block._centred(rows), weight))
    norms /= (block._deviation * _deviation(divided, eps))[:, None]
    return norms


def alti(block: AttentionBlock, output: ArrayLike) -> NDArray[np.float64]:
    r"""Contributions by how much nearer each brings the output, ALTI.

    .. math:: c_{ij} \propto
        \max(0, \lVert y_i \rVert_1 - \lVert y_i - T_i(x_j) \rVert_1)

    with :math:`T_i(x_j)` the vector whose norm ``attnresln_n`` measures. A Gram matrix knows no
    distance by absolute values, so each vector is needed: those of one key to all queries at a
    time.

    Parameters
    ----------
    block
        With ``inputs`` and ``layer_norm``.
    output
        :math:`y`, true output of the attention block, biases included, ``[token, model_dim]``.

    Returns
    -------
    NDArray[float64]
        ``[query, key]``, every row summing to 1.

    Raises
    ------
    ValueError
        If shapes do not match, an array holds anything but finite numbers, the block lacks
        ``inputs`` or ``layer_norm``, or no key brings a token nearer.

    References
    ----------
    Ferrando et al. (2022), *Measuring the Mixing of Contextual Information in the Transformer*,
    EMNLP, section 3.
    """
    block._require("attnresln_n")
    rows = _array("output", output, block._own.shape, block._own.dtype)
    scale = block._deviation[:, None]
    assert block.inputs is not None  # as _require has seen
    residual = block._centred(block.inputs) / scale
    distance = np.empty_like(block.attention[0])
    for keys, vectors, weights in block._keys(block._centred):
        for key, key_vectors, key_weights in zip(
            range(*keys.indices(len(rows))), vectors, weights, strict=True
        ):
            remainder = key_weights.T @ key_vectors
            remainder /= scale
            remainder[key] += residual[key]
            remainder -= rows
            distance[:, key] = np.abs(remainder, out=remainder).sum(axis=-1)
    return row_normalised(np.maximum(0, np.abs(rows).sum(axis=-1)[:, None] - distance))


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


def _ratio(preserving: Floats, mixing: Floats) -> Floats:
    mixed, kept = np.linalg.norm(mixing, axis=-1), np.linalg.norm(preserving, axis=-1)
    total = mixed + kept
    return np.divide(mixed, total, out=np.full_like(total, np.nan), where=total > 0)


def _centred(rows: Floats, weight: Floats) -> Floats:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    centred *= weight
    return centred


def _deviation(rows: Floats, eps: float) -> Floats:
    variance = rows.var(axis=-1)
    if eps == 0 and (variance == 0).any():
        token = int(np.flatnonzero(variance == 0)[0])
        raise ValueError(f"the input of the layer normalisation is constant at token {token}")
    return np.sqrt(variance + np.asarray(eps, rows.dtype))


def _array(name: str, given: ArrayLike, shape: tuple[int, ...], dtype: DTypeLike) -> Floats:
    array = np.asarray(given, dtype=dtype)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; beside the others it must be {shape}")
    # Minimum and maximum, because a mask would be as large as a quarter of the array.
    if not (np.isfinite(array.min()) and np.isfinite(array.max())):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; entries must be finite")
    return array


def _layer_norm(given: LayerNorm, width: int, dtype: DTypeLike) -> tuple[Floats, float]:
    weight, eps = given
    if not 0 <= eps < np.inf:
        raise ValueError(f"layer_norm has epsilon {eps!r}; it must be finite, >= 0")
    return _array("layer_norm weight", weight, (width,), dtype), float(eps)


def _check_rows(attention: Floats) -> None:
    if attention.min() < 0:
        where = tuple(int(i) for i in np.argwhere(attention < 0)[0])
        raise ValueError(f"attention{list(where)} is {attention[where]}; weights must be >= 0")
    sums = attention.sum(axis=-1)
    if (np.abs(sums - 1) > ROW_SUM_TOLERANCE).any():
        where = tuple(int(i) for i in np.argwhere(np.abs(sums - 1) > ROW_SUM_TOLERANCE)[0])
        raise ValueError(f"attention{list(where)} sums to {sums[where]:.6g}; rows must sum to 1")
