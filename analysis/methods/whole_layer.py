r"""How much of a token is mixed in from others beyond attention: by the whole layer.

The parts of :mod:`analysis.methods.mixing` are followed through the feed-forward network, its
residual connection and the second layer normalisation.

========================= ==========================================================================
scope                     what counts
========================= ==========================================================================
``attnresln_ff_n``        what ``attnresln_n`` counts, after the feed-forward network
``attnresln_ffres_n``     and its residual connection
``attnresln_ffresln_n``   and the second layer normalisation: the whole layer
========================= ==========================================================================

Kobayashi et al. (2024), *Analyzing Feed-Forward Blocks in Transformers through the Lens of
Attention Maps*, ICLR. Modarressi et al. (2022), *GlobEnc: Quantifying Global Token Attribution by
Incorporating the Whole Encoder Layer in Transformers*, NAACL. Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from analysis.methods.layer_norm import checked_layer_norm, layer_norm_divisor, layer_norm_numerator
from analysis.methods.mixing import AttentionBlock, Pairs, Vectors, ratio_of_vectors
from analysis.methods.shapes import checked_shapes
from analysis.methods.vectors import finite
from analysis.methods.weights import LayerNorm, Linear

Hidden = Float[np.ndarray, "*token ffn_dim"]

FEED_FORWARD_SCOPES = ("attnresln_ff_n", "attnresln_ffres_n", "attnresln_ffresln_n")


@checked_shapes
def feed_forward_ratios(
    block: AttentionBlock,
    *,
    first: Linear,
    second: Linear,
    activation: str,
    layer_norm: LayerNorm,
    block_output: Vectors,
) -> dict[str, Float[np.ndarray, " token"]]:
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
        The attention before it.
    first, second
        Linear layers of the feed-forward network. The bias of the second belongs to no token.
    activation
        Between them; one of ``ACTIVATIONS``, by the names of ``transformers``.
    layer_norm
        The layer normalisation after the network. Its divisor cancels in the mixing ratio;
        :func:`globenc` needs it.
    block_output
        True output of the attention block, biases included; slopes are taken there.

    Returns
    -------
    dict
        Scope, of ``FEED_FORWARD_SCOPES`` -> mixing ratio.

    Raises
    ------
    ValueError
        If an array holds anything but finite numbers, or the activation is unknown.

    References
    ----------
    Kobayashi et al. (2024), section 3; integrated gradients: Sundararajan et al. (2017), ICML.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(
            f"activation is {activation!r}; it must be one of {', '.join(ACTIVATIONS)}"
        )
    parts = np.stack(block.vectors("attnresln_n"))
    dtype = parts.dtype
    weight_in = finite("first weight", first.weight, dtype)
    bias_in = finite("first bias", first.bias, dtype)
    weight_out = finite("second weight", second.weight, dtype)
    norm_weight = checked_layer_norm(layer_norm, dtype).weight
    rows = finite("block_output", block_output, dtype)

    slope = ACTIVATIONS[activation](rows @ weight_in + bias_in)
    through = (parts @ weight_in * slope) @ weight_out
    kept = through + parts
    results = (
        ratio_of_vectors(*vectors)
        for vectors in (through, kept, layer_norm_numerator(kept, norm_weight))
    )
    return dict(zip(FEED_FORWARD_SCOPES, results, strict=True))


@checked_shapes
def globenc(block: AttentionBlock, *, second_layer_norm: LayerNorm, second_input: Vectors) -> Pairs:
    r"""Norms of the contributions after both layer normalisations, GlobEnc's :math:`N_{Enc}`.

    The feed-forward network is skipped, its residual connection is not, and the second layer
    normalisation divides as it does in the model: the network counts only there. By the Gram
    identity, as :meth:`.AttentionBlock.norms`.

    Parameters
    ----------
    block
        The attention of the layer.
    second_layer_norm
        The layer normalisation after the feed-forward network.
    second_input
        True input of the second layer normalisation: output of the attention block and of the
        feed-forward network, added.

    Returns
    -------
    NDArray
        ``[query, key]``, in the precision of the block; see
        :func:`~analysis.methods.mixing.row_normalised`.

    Raises
    ------
    ValueError
        If an array holds anything but finite numbers.

    References
    ----------
    Modarressi et al. (2022), *GlobEnc*, NAACL, section 3.
    """
    own = block.own + block.inputs
    weight, _, eps = checked_layer_norm(second_layer_norm, own.dtype)
    divided = finite("second_input", second_input, own.dtype)
    norms = block.norms_through(own, lambda rows: layer_norm_numerator(block.centred(rows), weight))
    norms /= (block.deviation * layer_norm_divisor(divided, eps))[:, None]
    return norms


def _gelu_tanh_slope(preactivation: Hidden) -> Hidden:
    cubic = preactivation + 0.044715 * preactivation**3
    return (1 + np.tanh(np.sqrt(2 / np.pi).astype(cubic.dtype) * cubic)) / 2


def _relu_slope(preactivation: Hidden) -> Hidden:
    return (preactivation > 0).astype(preactivation.dtype)


# Activation -> its secant from 0, activation(u) / u: for GELU, u times the normal distribution
# function, that is the function itself.
ACTIVATIONS: dict[str, Callable[[Hidden], Hidden]] = {
    "gelu": ndtr,
    "gelu_new": _gelu_tanh_slope,
    "relu": _relu_slope,
}
