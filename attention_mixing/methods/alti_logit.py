r"""What each token adds to the logit of a class, as attention writes it layer by layer: ALTI-Logit.

Ferrando et al. (2023), *Explaining How Transformers Use Context to Build Predictions*, ACL, as the
code published with it computes it: ``src/contributions.py`` (``get_logit_contributions``) and
``extract_explanations.py`` (``track2input_tokens``) of ``mt-upc/logit-explanations``. It explains
the logit of one word minus that of another; here, that of a class minus the mean of the others.

The code is for models that normalise before each block: their residual stream is a plain sum, and
only the last normalisation stands between it and the logit. BERT normalises after each block. There
every normalisation of the stream is taken as that last one is in the code: divided by what it
divides by on this text, it is linear. With :math:`u` the row vector by which the logit reads
the token that it is read from (the first one of BERT, the last one of GPT-2) after layer :math:`l`,
and :math:`g_2`, :math:`g_1` the normalisations of the sum with what the network and what attention
adds (none in a model that normalises before),

.. math:: u \cdot x^{(l)} = u \cdot \beta_2 + u_2 \cdot \mathrm{FFN}(y) + u_2 \cdot \beta_1
    + u_1 \cdot b_O + \sum_j u_1 \cdot F_j + u_1 \cdot x^{(l-1)},
    \qquad u_2 = u\,g_2, \quad u_1 = u_2\,g_1,

:math:`F_j` being what attention brings from token :math:`j`, through a normalisation of what it
adds if there is one. The last term is the residual stream of the layer below, and so on to the
embedding. The head of a classifier has an activation between
two linear layers, of which :func:`logit_direction` keeps the secant. The terms add up to the logit
exactly; what is not followed is what made the divisors, the secant, the attention weights and the
output of the feed-forward networks. Arrays are of one text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64
from scipy.special import ndtr

from attention_mixing.methods.layer import Classifier, Norm, apply_norm, norm_divisor
from attention_mixing.methods.mixing import AttentionBlock
from attention_mixing.methods.rollout import attention_rollout
from attention_mixing.methods.shapes import checked_shapes

Direction = Float64[np.ndarray, " model_dim"]


class LayerOfText(NamedTuple):
    """One layer, as it read the text.

    Attributes
    ----------
    block
        Its attention.
    block_output, ffn_output
        Of the attention block, and what the network adds to it, at the token that is read.
    after_network
        The normalisation of their sum; None where there is none.
    """

    block: AttentionBlock
    block_output: Float[np.ndarray, " model_dim"]
    ffn_output: Float[np.ndarray, " model_dim"]
    after_network: Norm | None


class LogitTerms(NamedTuple):
    """Terms of the logit of a class minus the mean of the others.

    Attributes
    ----------
    attention
        ``[layer, token]``, what the attention of a layer brings from each token of its input.
    ffn
        ``[layer]``, of the feed-forward networks, their biases included.
    bias
        ``[layer]``, of the output projection of the attention and of both normalisations.
    embedding
        Of the input of the first layer, at the token that is read.
    head
        Of the biases of the head.
    """

    attention: Float64[np.ndarray, "layer token"]
    ffn: Float64[np.ndarray, " layer"]
    bias: Float64[np.ndarray, " layer"]
    embedding: float
    head: float


@checked_shapes
def logit_direction(
    classifier: Classifier, features: Float[np.ndarray, " model_dim"], target: int
) -> tuple[Direction, float]:
    r"""Return by which vector, and plus what, the logit reads the last representation.

    The activation :math:`\sigma` of the head is replaced by its secant from 0,
    :math:`\sigma(u) = u \cdot \sigma(u) / u`: for an activation with :math:`\sigma(0) = 0` that is
    what integrated gradients along the line from 0 give, and no part of the logit is lost. A
    normalisation before the head is taken with its divisor, as those of the layers.

    Parameters
    ----------
    classifier
        The head of the model.
    features
        Last representation of the token that is read.
    target
        The class; the mean logit of all others is subtracted.

    Raises
    ------
    ValueError
        If the activation is unknown.
    """
    norm, dense, activation, output = classifier
    classes = len(output.bias)
    contrast = np.full(classes, -1 / (classes - 1))
    contrast[target] = 1
    rows = features.astype(np.float64)[None]
    reads, constant = output.weight @ contrast, float(output.bias @ contrast)
    if dense is not None:
        if activation not in SECANTS:
            raise ValueError(
                f"activation is {activation!r}; it must be one of {', '.join(SECANTS)}"
            )
        reads = reads * SECANTS[activation](apply_norm(rows, norm)[0] @ dense.weight + dense.bias)
        constant += float(dense.bias @ reads)
        reads = dense.weight @ reads
    reads, offset = _before(norm, reads, norm_divisor(rows, norm)[0])
    return reads, constant + offset


@checked_shapes
def logit_terms(
    layers: Sequence[LayerOfText], direction: Direction, constant: float, read: int = 0
) -> LogitTerms:
    """Take the logit of :func:`logit_direction` apart, from the last layer down.

    Parameters
    ----------
    layers
        Of the text, the lowest first.
    direction, constant
        By which vector, and plus what, the logit reads the last representation.
    read
        Row of the token that it is read from.
    """
    reads = direction
    attention, ffn, bias = [], [], []
    for block, block_output, ffn_output, after_network in reversed(layers):
        summed = (block_output + ffn_output).astype(np.float64)
        divisor = norm_divisor(summed[None], after_network)[0]
        reads, after_both = _before(after_network, reads, divisor)
        ffn.append(reads @ ffn_output)
        _, of_output, after, scale = block.residual
        reads, after_attention = _before(after, reads, block.after_divisor[read])
        added, of_attention = _before(of_output, reads * scale, block.output_divisor[read])
        attention.append(block.along(added, read))
        offsets = after_both + after_attention + of_attention
        bias.append(offsets + added @ block.output_bias)
    return LogitTerms(
        np.stack(attention[::-1]),
        np.array(ffn[::-1]),
        np.array(bias[::-1]),
        float(reads @ layers[0].block.inputs[read]),
        constant,
    )


@checked_shapes
def alti_logit(
    terms: LogitTerms,
    contributions: Float[np.ndarray, "layer query key"],
    read: int = 0,
    *,
    start_layer: int = 0,
) -> Float64[np.ndarray, " token"]:
    r"""Trace what attention writes into the logit back to the input tokens, signed.

    .. math:: s_j = \sum_l \sum_k a^{(l)}_k M^{(l-1)}_{kj}, \qquad M^{(0)} = I

    with :math:`a^{(l)}_k` from :func:`logit_terms` and :math:`M^{(l)}` the rollout of ALTI up to
    layer :math:`l`. The embedding counts for the token that is read, whose residual stream it
    begins, as in the published code.

    Parameters
    ----------
    terms
        Of the logit, as :func:`logit_terms` gives them.
    contributions
        :func:`attention_mixing.methods.alti.alti` of every layer.
    read
        Row of the token that the logit is read from.
    start_layer
        The first layer that counts, 0-based. What attention writes below it counts for the token
        that is read, as if that attended to itself alone.

    Raises
    ------
    ValueError
        As :func:`attention_mixing.methods.rollout.attention_rollout` of the contributions.
    """
    mixed = attention_rollout(contributions, start_layer=start_layer)
    first, above = terms.attention[start_layer], terms.attention[start_layer + 1 :]
    scores = first + np.einsum("lk,lkj->j", above, mixed[start_layer:-1])
    scores[read] += terms.embedding + terms.attention[:start_layer].sum()
    return scores


def _before(norm: Norm | None, reads: Direction, divisor: np.floating) -> tuple[Direction, float]:
    """Return by which vector, and plus what, the input is read of a normalisation."""
    if norm is None:
        return reads, 0.0
    weighted = reads * norm.gain
    if norm.centring:
        weighted = weighted - weighted.mean()
    return weighted / divisor, float(reads @ norm.offset)


def _tanh_secant(
    preactivation: Float64[np.ndarray, " hidden"],
) -> Float64[np.ndarray, " hidden"]:
    nonzero = preactivation != 0
    ones = np.ones_like(preactivation)
    return np.divide(np.tanh(preactivation), preactivation, out=ones, where=nonzero)


def _relu_secant(
    preactivation: Float64[np.ndarray, " hidden"],
) -> Float64[np.ndarray, " hidden"]:
    return (preactivation > 0).astype(np.float64)


# Activation of a head -> activation(u) / u; of GELU that is the normal distribution function.
SECANTS = {"tanh": _tanh_secant, "relu": _relu_secant, "gelu": ndtr}
