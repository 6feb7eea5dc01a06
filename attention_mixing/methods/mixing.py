r"""How much of a token is mixed in from others, by the vectors that are added up.

An attention weight says how strongly a vector is weighted, not how long it is. The output of an
attention block is a sum with one vector for every key,

.. math:: F_{ij} = \sum_h W^h_{ij}\, f^h(x_j), \qquad f^h(x) = (x W_V^h + b_V^h)\, W_O^h,

and the residual connection adds :math:`x_i` to the token's own. *Preserving* vector
:math:`p_i = F_{ii} (+ x_i)`, *mixing* vector :math:`m_i = \sum_{j \ne i} F_{ij}`, *mixing ratio*
:math:`\lVert m_i \rVert / (\lVert m_i \rVert + \lVert p_i \rVert)`.

Some models multiply the context of each head, :math:`\sum_j W^h_{ij} (x_j W_V^h + b_V^h)`, with a
gate that the query makes; it belongs to every :math:`f^h`, which then differs from query to query.
A normalisation of what attention adds, or of the sum, is linear once its divisor is known
(:mod:`attention_mixing.methods.layer`). Biases belong to no token and are left out of the parts;
they do count in the divisors, on which norms depend. Ratios do not, for there they cancel.

================ ==========================================================================
scope            what counts
================ ==========================================================================
``attn_w``       attention weights, averaged over heads
``attn_n``       vectors, as they are added to the stream
``attnres_w``    weights, and the residual connection as a fixed half
``attnres_n``    vectors, and the residual connection
``attnresln_n``  the same after the normalisation of the sum: the whole attention block
================ ==========================================================================

In a model that does not normalise the sum, as GPT-2, the last two are the same. What comes after
the attention block, :mod:`attention_mixing.methods.whole_layer`.

A decoder that looks at a source adds what it finds there to its own token: the keys are the tokens
of the source and behind them those of the target, to which no weight goes, so that the last keys
are the queries.

Kobayashi et al. (2020), *Attention is Not Only a Weight*, EMNLP (``attn_n``); (2021),
*Incorporating Residual and Normalization Layers into Analysis of Masked Language Models*, EMNLP,
section 3 (ratio and scopes). Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from jaxtyping import Float, Float64

from attention_mixing.methods.arrays import finite, not_negative
from attention_mixing.methods.attention import check_rows
from attention_mixing.methods.layer import (
    Residual,
    Rows,
    apply_norm,
    checked_residual,
    norm_divisor,
    norm_numerator,
)
from attention_mixing.methods.shapes import checked_shapes

Heads = Float[np.ndarray, "head query key"]
OfHeads = Float[np.ndarray, "head key model_dim"]
Vectors = Float[np.ndarray, "query model_dim"]
Pairs = Float[np.ndarray, "query key"]

SCOPES = ("attn_w", "attn_n", "attnres_w", "attnres_n", "attnresln_n")

# Tokens whose vectors are copied at once. With BERT's 12 heads of 64 a block is 0.3 MB in float32,
# which stays in the processor's cache; all of a text of 512 tokens would be 19 MB.
_BLOCK = 8
# A norm below this share of the sum of its heads' norms has lost digits in the Gram matrix, which
# holds squares: it is computed again from the vectors themselves.
_CANCELLED = 1e-2


@checked_shapes
def transformed_values(
    value: Float[np.ndarray, "head key head_dim"],
    projection: Float[np.ndarray, "head*head_dim model_dim"],
) -> OfHeads:
    r"""Bring the values of each head to the model's dimension, :math:`f^h(x_j)`.

    Parameters
    ----------
    value
        :math:`x_j W_V^h + b_V^h`.
    projection
        :math:`W_O`, the transpose of a torch ``Linear.weight``.
    """
    heads, _, head_dim = value.shape
    return value @ projection.reshape(heads, head_dim, projection.shape[1])


class AttentionBlock:
    """The attention block of one layer on one text: ratios and norms of every scope.

    Computes in the precision of ``value``: float32 or float64, anything else as float64. No array
    is larger than :func:`transformed_values`, and copies of that are made a few tokens at a time.

    Parameters
    ----------
    attention
        ``[head, query, key]``, every row summing to 1; the queries are the last of the keys.
    value
        :math:`x_j W_V^h + b_V^h`.
    projection
        :math:`W_O`, the transpose of a torch ``Linear.weight``.
    inputs
        Input of the layer at the queries, which the residual connection adds.
    output_bias
        Bias of the output projection.
    residual
        How attention joins the stream.
    scale
        ``[head, query]``, what the weights of a row are multiplied with before they count as
        vectors; None for nothing. It is the share of its attention that goes to tokens, where the
        rest goes to none (the sinks of gpt-oss), divided by what the context of its heads is
        normalised with, where it is (BitNet).
    gate
        What the context of the heads is multiplied with before the projection; None for nothing.

    Raises
    ------
    ValueError
        If an array holds anything but finite numbers, or a row of the attention is no distribution;
        if there are more queries than keys.
    """

    @checked_shapes
    def __init__(
        self,
        attention: Heads,
        value: Float[np.ndarray, "head key head_dim"],
        projection: Float[np.ndarray, "head*head_dim model_dim"],
        *,
        inputs: Vectors,
        output_bias: Float[np.ndarray, " model_dim"],
        residual: Residual,
        scale: Float[np.ndarray, "head query"] | None = None,
        gate: Float[np.ndarray, "head query head_dim"] | None = None,
    ) -> None:
        dtype = np.float32 if value.dtype == np.float32 else np.float64
        self.attention = attention.astype(dtype, copy=False)
        check_rows(self.attention)
        _, queries, keys = attention.shape
        if queries > keys:
            raise ValueError(
                f"there are {queries} queries and {keys} keys, the last of which they are"
            )
        self.before = keys - queries  # keys that are no queries
        self.itself = np.arange(queries), np.arange(self.before, keys)
        self.weights = self.attention
        if scale is not None:
            self.weights = self.attention * not_negative("scale", scale, dtype)[..., None]
        self.value = finite("value", value, dtype)
        self.projection = finite("projection", projection, dtype)
        self.gate = None if gate is None else finite("gate", gate, dtype)
        self.inputs = finite("inputs", inputs, dtype)
        self.output_bias = finite("output_bias", output_bias, dtype)
        self.residual = checked_residual(residual, dtype)

    def ratio(self, scope: str) -> Float[np.ndarray, " query"]:
        """Tell what share of each token's new vector comes from other tokens.

        0 (nothing mixed in) to 1 (nothing kept); not a number where both vectors are zero.
        Kobayashi et al. (2021), section 3.

        Raises
        ------
        ValueError
            If the scope is none of ``SCOPES``.
        """
        _require(scope)
        if scope.endswith("_w"):
            diagonal = self.attention[:, *self.itself].mean(axis=0)
            return 1 - diagonal if scope == "attn_w" else (1 - diagonal) / 2
        return ratio_of_vectors(*self.vectors(scope))

    def norms(self, scope: str) -> Pairs:
        r"""Measure the vector that each key contributes to each query.

        With the residual connection on the diagonal and normalisation as the scope says; for
        ``attn_w`` and ``attnres_w`` the weights themselves. Rows do not sum to 1, see
        :func:`row_normalised`. The vectors are never built: with :math:`G_j[h, h'] =
        \langle f^h(x_j), f^{h'}(x_j) \rangle`, the vectors centred and scaled where the scope
        includes a normalisation,

        .. math:: \lVert F_{ij} \rVert^2 = W_{ij}^\top\, G_j\, W_{ij},
            \qquad W_{ij} = (W^h_{ij})_h,

        so that :math:`n^2 H^2` operations take the place of :math:`n^2 H d`.

        Raises
        ------
        ValueError
            As :meth:`ratio`.
        """
        _require(scope)
        if scope.endswith("_w"):
            mean = self.attention.mean(axis=0)
            if scope == "attnres_w":
                mean[self.itself] += 1
                mean /= 2
            return mean
        preserving, _ = self.vectors(scope)
        if scope == "attnresln_n":
            return self.norms_through(self.through, preserving, self.divisor)
        return self.norms_through(self.added_part, preserving, self.output_divisor)

    def vectors(self, scope: str) -> tuple[Vectors, Vectors]:
        """Return preserving and mixing vectors.

        Parameters
        ----------
        scope
            ``attn_n``, ``attnres_n`` or ``attnresln_n``; the other two have no vectors.

        Raises
        ------
        ValueError
            If the scope is none of these.
        """
        _require(scope)
        if scope.endswith("_w"):
            raise ValueError(f"scope is {scope!r}, of weights; scopes of vectors end in _n")
        preserving, mixing = (
            self.added_part(rows) / self.output_divisor[:, None]
            for rows in (self.own, self._others)
        )
        if scope != "attn_n":
            preserving += self.inputs
        if scope == "attnresln_n":
            preserving, mixing = (
                norm_numerator(rows, self.residual.after) / self.after_divisor[:, None]
                for rows in (preserving, mixing)
            )
        return preserving, mixing

    @cached_property
    def own(self) -> Vectors:
        """What each token brings to the output projection's output for itself; read-only."""
        vectors = self._projected(
            self.weights[:, *self.itself][..., None] * self.value[:, self.before :]
        )
        vectors.setflags(write=False)
        return vectors

    @cached_property
    def attended(self) -> Vectors:
        """Output of the output projection: all contributions and the bias; read-only."""
        attended = self.own + self._others
        attended += self.output_bias
        attended.setflags(write=False)
        return attended

    @cached_property
    def output_divisor(self) -> Float[np.ndarray, " query"]:
        """Divisor of the normalisation of what attention adds; 1 where there is none."""
        return norm_divisor(self.attended, self.residual.of_output)

    @cached_property
    def after_divisor(self) -> Float[np.ndarray, " query"]:
        """Divisor of the normalisation of the sum; 1 where there is none."""
        added = apply_norm(self.attended, self.residual.of_output) * self.residual.scale
        return norm_divisor(added + self.inputs, self.residual.after)

    @cached_property
    def divisor(self) -> Float[np.ndarray, " query"]:
        """What :meth:`through` leaves out, of both normalisations."""
        return self.output_divisor * self.after_divisor

    @checked_shapes
    def added_part(self, rows: Rows) -> Rows:
        """Bring parts of ``attended`` to the stream, but for :attr:`output_divisor`."""
        added = norm_numerator(rows, self.residual.of_output)
        unscaled = np.ndim(self.residual.scale) == 0 and self.residual.scale == 1
        return added if unscaled else added * np.asarray(self.residual.scale, rows.dtype)

    @checked_shapes
    def through(self, rows: Rows) -> Rows:
        """Bring parts of ``attended`` through the whole block, but for :attr:`divisor`."""
        return norm_numerator(self.added_part(rows), self.residual.after)

    def keys_through(
        self, linear: Callable[[Rows], Rows]
    ) -> Iterator[
        tuple[
            slice,
            Float[np.ndarray, "block part model_dim"],
            Float[np.ndarray, "block part query"],
        ]
    ]:
        """Go through the keys a block at a time.

        Parameters
        ----------
        linear
            What becomes of vectors.

        Yields
        ------
        keys
            The block.
        vectors
            Of every head, :func:`transformed_values` through the linear map, ``[key, head,
            model_dim]``. A gated head counts as many heads, one for each dimension of its values:
            what a query multiplies a dimension with is as good as a weight.
        weights
            What queries multiply them with, ``[key, head, query]``.
        """
        heads, tokens, head_dim = self.value.shape
        queries = self.attention.shape[1]
        rows = self.projection.reshape(heads, head_dim, -1)
        for start in range(0, tokens, _BLOCK):
            keys = slice(start, start + _BLOCK)
            weights = np.ascontiguousarray(self.weights[:, :, keys].transpose(2, 0, 1))
            if self.gate is None:
                vectors = np.ascontiguousarray(self.transformed[:, keys].transpose(1, 0, 2))
            else:
                value = self.value[:, keys].transpose(1, 0, 2)
                vectors = (value[..., None] * rows).reshape(len(value), heads * head_dim, -1)
                weights = weights[:, :, None] * self.gate.transpose(0, 2, 1)
                weights = weights.reshape(len(value), heads * head_dim, queries)
            yield keys, linear(vectors), weights

    @cached_property
    def transformed(self) -> OfHeads:
        """:func:`transformed_values`, which no gate has multiplied."""
        return transformed_values(self.value, self.projection)

    @checked_shapes
    def along(
        self, direction: Float[np.ndarray, " model_dim"], query: int
    ) -> Float[np.ndarray, " key"]:
        """Measure what each key contributes to one query along a direction of ``attended``."""
        heads, _, head_dim = self.value.shape
        reads = (self.projection @ direction).reshape(heads, head_dim)
        if self.gate is not None:
            reads = reads * self.gate[:, query]
        lengths = (self.value @ reads[..., None])[..., 0]
        return (self.weights[:, query] * lengths).sum(axis=0)

    @checked_shapes
    def norms_through(
        self, linear: Callable[[Rows], Rows], own: Vectors, divisor: Float[np.ndarray, " query"]
    ) -> Pairs:
        """Measure the contributions through a linear map, by the Gram identity.

        Parameters
        ----------
        linear
            As in :meth:`keys_through`.
        own
            What takes the place of each token's contribution to itself, through the map and divided
            already.
        divisor
            What the contributions to each token are divided by.
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
        norms = np.sqrt(squares) / divisor[:, None]
        norms[self.itself] = np.linalg.norm(own, axis=-1)
        return norms

    @cached_property
    def _others(self) -> Vectors:
        """What the other tokens contribute: summed without the diagonal, so that none is 0."""
        weights = self.weights.copy()
        weights[:, *self.itself] = 0
        total = self._projected(weights @ self.value)
        total.setflags(write=False)
        return total

    def _projected(self, context: Float[np.ndarray, "head query head_dim"]) -> Vectors:
        """Bring a part of the context of the heads through gate and projection."""
        if self.gate is not None:
            context = context * self.gate
        return context.transpose(1, 0, 2).reshape(context.shape[1], -1) @ self.projection


@checked_shapes
def row_normalised(
    contributions: Float[np.ndarray, "*axes query key"],
) -> Float64[np.ndarray, "*axes query key"]:
    """Divide each row by its sum, in float64, so that it can be rolled out.

    Parameters
    ----------
    contributions
        Not negative.

    Raises
    ------
    ValueError
        If an entry is negative, infinite or not a number, or a row has nothing but zeros.
    """
    array = not_negative("contributions", contributions)
    sums = array.sum(axis=-1, keepdims=True)
    if not sums.all():
        where = np.argwhere(sums == 0)[0][:-1].tolist()
        raise ValueError(f"contributions{where} are all 0; at least one must be positive")
    return array / sums


@checked_shapes
def ratio_of_vectors(preserving: Vectors, mixing: Vectors) -> Float[np.ndarray, " query"]:
    """Mixing ratio of given vectors, 0 to 1; not a number where both are zero."""
    mixed, preserved = np.linalg.norm(mixing, axis=-1), np.linalg.norm(preserving, axis=-1)
    total = mixed + preserved
    return np.divide(mixed, total, out=np.full_like(total, np.nan), where=total > 0)


def _require(scope: str) -> None:
    if scope not in SCOPES:
        raise ValueError(f"scope is {scope!r}; it must be one of {', '.join(SCOPES)}")
