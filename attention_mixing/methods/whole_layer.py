r"""How much of a token is mixed in from others beyond attention: by the whole layer.

The parts of :mod:`attention_mixing.methods.mixing` are followed through the feed-forward network,
its residual connection and the normalisation of the sum.

========================= ==========================================================================
scope                     what counts
========================= ==========================================================================
``attnresln_ff_n``        what ``attnresln_n`` counts, after the feed-forward network
``attnresln_ffres_n``     and its residual connection
``attnresln_ffresln_n``   and the normalisation of the sum: the whole layer
========================= ==========================================================================

Kobayashi et al. (2024), *Analyzing Feed-Forward Blocks in Transformers through the Lens of
Attention Maps*, ICLR. Modarressi et al. (2022), *GlobEnc: Quantifying Global Token Attribution by
Incorporating the Whole Encoder Layer in Transformers*, NAACL. Arrays are of one layer and one text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.arrays import finite
from attention_mixing.methods.layer import (
    Norm,
    Residual,
    checked_norm,
    checked_residual,
    norm_divisor,
    norm_numerator,
)
from attention_mixing.methods.mixing import AttentionBlock, Pairs, Vectors, ratio_of_vectors
from attention_mixing.methods.shapes import checked_shapes

Parts = Float[np.ndarray, "part token model_dim"]

FEED_FORWARD_SCOPES = ("attnresln_ff_n", "attnresln_ffres_n", "attnresln_ffresln_n")


@checked_shapes
def feed_forward_ratios(
    block: AttentionBlock,
    *,
    shares: Callable[[Parts], Parts],
    residual: Residual,
    block_output: Vectors,
    network_output: Vectors | None = None,
    beside: bool = False,
) -> dict[str, Float[np.ndarray, " token"]]:
    r"""Follow preserving and mixing vectors through the feed-forward network and what is after it.

    A network :math:`f` is not linear. Integrated gradients divide its output among the parts of its
    input :math:`u = \sum_k z_k`, along the straight line on which the input and all biases grow
    from 0: part :math:`k` has the share

    .. math:: \int_0^1 J_{f}(t u; t b)\, z_k\, dt .

    It is linear in the part, so each token has one linear map, which is applied to two vectors: no
    work for pairs of tokens. The shares of biases belong to no token and are left out.

    Parameters
    ----------
    block
        The attention of the layer.
    shares
        Gives the shares of parts of what the network is given, at every token
        (:func:`attention_mixing.models.interventions.RunningModel.shares`).
    residual
        How the network joins the stream.
    block_output
        True output of the attention block, biases included.
    network_output
        True output of the network, before anything is done to it; asked for where it is normalised.
    beside
        Whether the network reads what attention reads, as in GPT-NeoX, not what it made.

    Returns
    -------
    dict
        Scope, of ``FEED_FORWARD_SCOPES`` -> mixing ratio. The last two are the same where the sum
        is not normalised.

    Raises
    ------
    ValueError
        If an array holds anything but finite numbers.

    References
    ----------
    Kobayashi et al. (2024), section 3; integrated gradients: Sundararajan et al. (2017), ICML.
    """
    parts = np.stack(block.vectors("attnresln_n"))
    before, of_output, after, scale = checked_residual(residual, parts.dtype)
    stream = block.inputs if beside else finite("block_output", block_output, parts.dtype)
    # Beside attention, all that the network reads is the token's own.
    read = np.stack([stream, np.zeros_like(stream)]) if beside else parts
    through = shares(norm_numerator(read, before) / norm_divisor(stream, before)[:, None])
    if of_output is not None:
        if network_output is None:
            raise ValueError("network_output is None; it must be given where it is normalised")
        produced = finite("network_output", network_output, parts.dtype)
        through = norm_numerator(through, of_output) / norm_divisor(produced, of_output)[:, None]
    through = through * scale
    residual_sum = through + parts
    # The divisor of the normalisation of the sum cancels in the ratio.
    results = (
        ratio_of_vectors(*both)
        for both in (through, residual_sum, norm_numerator(residual_sum, after))
    )
    return dict(zip(FEED_FORWARD_SCOPES, results, strict=True))


@checked_shapes
def globenc(block: AttentionBlock, *, after_network: Norm | None, second_input: Vectors) -> Pairs:
    r"""Norms of the contributions after both normalisations, GlobEnc's :math:`N_{Enc}`.

    The feed-forward network is skipped, its residual connection is not, and the second
    normalisation divides as it does in the model: the network counts only there. By the Gram
    identity, as :meth:`~attention_mixing.methods.mixing.AttentionBlock.norms`; the same as these
    where the sum with what the network adds is not normalised.

    Parameters
    ----------
    block
        The attention of the layer.
    after_network
        The normalisation of the sum with what the network adds.
    second_input
        Its true input: output of the attention block, and what the network adds to it.

    Returns
    -------
    NDArray
        ``[query, key]``, in the precision of the block; see
        :func:`~attention_mixing.methods.mixing.row_normalised`.

    Raises
    ------
    ValueError
        If an array holds anything but finite numbers.

    References
    ----------
    Modarressi et al. (2022), *GlobEnc*, NAACL, section 3.
    """
    preserving, _ = block.vectors("attnresln_n")
    norm = checked_norm(after_network, preserving.dtype)
    divisor = norm_divisor(finite("second_input", second_input, preserving.dtype), norm)
    return block.norms_through(
        lambda rows: norm_numerator(block.through(rows), norm),
        norm_numerator(preserving, norm) / divisor[:, None],
        block.divisor * divisor,
    )
