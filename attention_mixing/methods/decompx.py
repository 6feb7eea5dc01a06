r"""Vectors of every token taken apart by input token, layer by layer up to the logits: DecompX.

Modarressi et al. (2023), *DecompX: Explaining Transformers Decisions by Propagating Token
Decomposition*, ACL. A representation is a sum with one part for each input token (eq. 1),

.. math:: x^{(l)}_i = \sum_k x^{(l)}_{i \Leftarrow k}, \qquad
    x^{(0)}_{i \Leftarrow k} = \delta_{ik}\, x^{(0)}_i,

and what a layer makes of it is made of its parts. Where the model is not linear, it is taken with
what the whole representation makes of it:

=====================  =============================================================================
step                   what becomes of a part
=====================  =============================================================================
attention              values and output projection, by the weights of the model (eq. 4)
normalisation          divided by what the whole is divided by (eq. 8)
activation             times its slope from the origin, :math:`f(u) / u` by neuron (eq. 10)
bias                   is shared out by :func:`share_bias` (AbsDot, eq. 5 and 6)
head of a classifier   the same, up to the logit of each class (eq. 14)
=====================  =============================================================================

Parts add up to the representations of the model, and in the end to its logits. What made the
weights of attention, the divisors and the slopes is not followed.

The paper is on encoders that normalise after each step. Here normalisations may stand anywhere in
a step (:class:`attention_mixing.methods.layer.Residual`), and a network may be gated: with several
linear maps :math:`P_m` before the activation, each has its share by integrated gradients on the
straight line from 0 (:class:`LinearisedNetwork`), which of one map is the slope from the origin.
Arrays are of one text; parts come first, ``[part, token, ...]``, a part for each input token.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.alti_logit import SECANTS
from attention_mixing.methods.layer import (
    Classifier,
    Linear,
    Norm,
    Residual,
    norm_divisor,
    norm_numerator,
)
from attention_mixing.methods.shapes import checked_shapes

Parts = Float[np.ndarray, "part token model_dim"]

# Numbers of a network's neurons that are held at once, of all parts of some tokens.
_HELD = 2**24


class LinearisedNetwork(NamedTuple):
    """A feed-forward network, linear in what it is given, by the slopes that it has on a text.

    Attributes
    ----------
    into
        Linear map before the activation; where one map gates another, both side by side.
    slopes
        What the activation multiplies each number with, ``[token, number]``.
    out
        Linear map behind it, of as many numbers as each of the maps side by side makes.
    """

    into: Linear
    slopes: Float[np.ndarray, "token number"]
    out: Linear


class LayerParts(NamedTuple):
    """One layer, as it read a text: all that its output is linear by.

    Attributes
    ----------
    weights
        What values are multiplied with, ``[head, query, key]``; rows sum to less than 1 where
        attention goes to no token.
    value
        From the normalised stream to the values of all heads; heads that share values follow one
        another.
    projection
        From the context of all heads to the stream.
    attention, network
        How each step joins the stream.
    linearised
        The network.
    beside
        Whether the network reads what the attention reads.
    """

    weights: Float[np.ndarray, "head query key"]
    value: Linear
    projection: Linear
    attention: Residual
    network: Residual
    linearised: LinearisedNetwork
    beside: bool = False


@checked_shapes
def share_bias(
    parts: Float[np.ndarray, "part *token number"], bias: Float[np.ndarray, "*#token number"]
) -> Float[np.ndarray, "part *token number"]:
    r"""Share a bias out among parts, by the sizes of their products with it: AbsDot.

    .. math:: z_k + \omega_k b, \qquad \omega_k = \frac{|b \cdot z_k|}{\sum_{k'} |b \cdot z_{k'}|}

    Modarressi et al. (2023), eq. 5 and 6. Where the bias is orthogonal to all parts, which the
    paper leaves open, every part that is not zero has the same share; where all are zero, every
    part.

    Parameters
    ----------
    parts
        Of what the bias is added to.
    bias
        Of all tokens, or of each.

    Examples
    --------
    >>> share_bias(np.array([[2.0, 5.0], [-1.0, 0.0]]), np.array([3.0, 0.0]))
    array([[4., 5.],
           [0., 0.]])
    """
    if not bias.any():
        return parts
    sizes = np.abs((parts * bias).sum(axis=-1))
    for instead in (parts.any(axis=-1), np.ones(sizes.shape, bool)):
        sizes = np.where(sizes.any(axis=0), sizes, instead.astype(sizes.dtype))
    return parts + (sizes / sizes.sum(axis=0))[..., None] * bias


@checked_shapes
def linear_parts(
    parts: Float[np.ndarray, "part *token in_dim"], linear: Linear
) -> Float[np.ndarray, "part *token out_dim"]:
    """Bring parts through a linear map, whose bias is shared out among them.

    Parameters
    ----------
    parts
        Of what the map is given.
    linear
        The map.
    """
    return share_bias(parts @ linear.weight, linear.bias)


@checked_shapes
def norm_parts(parts: Parts, norm: Norm | None) -> Parts:
    """Bring parts through a normalisation, with the divisor of their sum; None leaves them.

    Parameters
    ----------
    parts
        Of what is normalised.
    norm
        The normalisation, whose offset is shared out.
    """
    if norm is None:
        return parts
    divisor = norm_divisor(parts.sum(axis=0), norm)
    return share_bias(norm_numerator(parts, norm) / divisor[:, None], norm.offset)


@checked_shapes
def attention_parts(
    parts: Float[np.ndarray, "part key model_dim"], layer: LayerParts
) -> Float[np.ndarray, "part query model_dim"]:
    """Bring parts through the attention of a layer, from the normalised stream to its output.

    Parameters
    ----------
    parts
        Of the normalised stream, at every key.
    layer
        Of which the rows of some queries may be left out; then of these only.
    """
    heads, queries, _ = layer.weights.shape

    def of_heads(values: np.ndarray) -> np.ndarray:
        """Lay out values by head, ``[..., key, head, head_dim]``."""
        head_dim = len(layer.projection.weight) // heads
        grouped = values.reshape(*values.shape[:-1], -1, head_dim)
        return np.repeat(grouped, heads // grouped.shape[-2], axis=-2)

    values = of_heads(parts @ layer.value.weight).transpose(0, 2, 1, 3)
    context = (layer.weights @ values).transpose(0, 2, 1, 3).reshape(len(parts), queries, -1)
    # A row whose weights sum to 1 takes up the bias of the values as it is.
    sums = layer.weights.sum(axis=-1).T[..., None]
    of_bias = (sums * of_heads(layer.value.bias)).reshape(queries, -1)
    weight, bias = layer.projection
    return share_bias(context @ weight, of_bias @ weight + bias)


@checked_shapes
def network_parts(parts: Parts, network: LinearisedNetwork) -> Parts:
    """Bring parts through a network, from what it is given to its output, some tokens at a time.

    Parameters
    ----------
    parts
        Of the normalised stream.
    network
        With the slopes at the same tokens.
    """
    made = np.empty((*parts.shape[:2], network.out.weight.shape[1]), parts.dtype)
    block = max(1, _HELD // (len(parts) * len(network.into.bias)))
    for start in range(0, parts.shape[1], block):
        tokens = slice(start, start + block)
        before = linear_parts(parts[:, tokens], network.into)
        maps = (before * network.slopes[tokens]).reshape(
            *before.shape[:2], -1, len(network.out.weight)
        )
        made[:, tokens] = linear_parts(maps.sum(axis=2), network.out)
    return made


@checked_shapes
def layer_parts(
    parts: Parts, layer: LayerParts, read: slice = slice(None)
) -> Float[np.ndarray, "part read model_dim"]:
    """Bring parts through a layer.

    Parameters
    ----------
    parts
        Of the stream that enters it.
    layer
        Of the text.
    read
        The tokens behind the layer that are asked for.

    Returns
    -------
    parts
        Of the stream that leaves it, at these tokens.
    """
    normalised = norm_parts(parts, layer.attention.before)
    rows = layer._replace(weights=layer.weights[:, read])
    before = parts[:, read]
    behind = _joined(before, attention_parts(normalised, rows), layer.attention)
    entering = norm_parts(before if layer.beside else behind, layer.network.before)
    network = layer.linearised._replace(slopes=layer.linearised.slopes[read])
    return _joined(behind, network_parts(entering, network), layer.network)


def _joined(stream: Parts, output: Parts, residual: Residual) -> Parts:
    """Add the parts of what a step made to those of the stream."""
    added = norm_parts(output, residual.of_output) * np.asarray(residual.scale, stream.dtype)
    return norm_parts(stream + added, residual.after)


@checked_shapes
def decompose(
    embedding: Float[np.ndarray, "token model_dim"],
    layers: Iterable[LayerParts],
    read: slice = slice(None),
) -> Float[np.ndarray, "part read model_dim"]:
    """Take the last representations of a text apart by input token.

    Parameters
    ----------
    embedding
        What enters the first layer; parts are computed in its precision.
    layers
        Of the text, the lowest first.
    read
        The tokens whose representations are asked for.

    Returns
    -------
    parts
        Of the last representation of these tokens, a part for each input token.
    """
    tokens = np.arange(len(embedding))
    parts = np.zeros((len(tokens), *embedding.shape), embedding.dtype)
    parts[tokens, tokens] = embedding
    *below, last = layers
    for layer in below:
        parts = layer_parts(parts, layer)
    return layer_parts(parts, last, read)


@checked_shapes
def logit_parts(parts: Parts, classifier: Classifier) -> Float[np.ndarray, "part token label"]:
    """Bring parts of last representations through the head of a classifier, to all its logits.

    Parameters
    ----------
    parts
        Of the tokens that the head reads.
    classifier
        The head.

    Returns
    -------
    parts
        Of every logit: signed, adding up to it.

    Raises
    ------
    ValueError
        If the activation of the head is unknown.
    """
    norm, dense, activation, output = classifier
    parts = norm_parts(parts, norm)
    if dense is not None:
        if activation not in SECANTS:
            raise ValueError(
                f"activation is {activation!r}; it must be one of {', '.join(SECANTS)}"
            )
        before = linear_parts(parts, dense)
        whole = before.sum(axis=0).astype(np.float64)
        parts = before * SECANTS[activation](whole.ravel()).reshape(whole.shape)
    return linear_parts(parts, output)
