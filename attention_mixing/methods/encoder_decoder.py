r"""One graph of a source and a target, so that what holds of one text holds of both.

The tokens of the source and behind them those of the target are the nodes of every layer. A layer
of the encoder mixes the source and leaves the target as it is; the attention of a decoder to its
own text mixes the target and leaves the source; its attention to the source then mixes that into
the target:

.. math::
    \begin{pmatrix} E & 0 \\ 0 & I \end{pmatrix}, \qquad
    \begin{pmatrix} I & 0 \\ 0 & D \end{pmatrix}, \qquad
    \begin{pmatrix} I & 0 \\ X_S & X_T \end{pmatrix},

with the residual connection in :math:`E`, :math:`D` and on the diagonal of :math:`X_T`. Rows sum to
1 in each, and so in every product: what a target token stems from is divided among source and
target. With contributions by :func:`attention_mixing.methods.alti.alti`, rolled out, this is ALTI+.

Ferrando, Gállego, Alastruey, Escolano and Costa-jussà (2022), *Towards Opening the Black Box of
Neural Machine Translation: Source and Target Interpretations of the Transformer*, EMNLP, section 3.
"""

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.shapes import checked_shapes

Joint = Float[np.ndarray, "layer token token"]


@checked_shapes
def joint_layers(
    encoder: Float[np.ndarray, "encoder_layer source source"],
    decoder: Float[np.ndarray, "decoder_layer target target"],
    cross: Float[np.ndarray, "decoder_layer target both"],
) -> Joint:
    """Lay out what the layers of an encoder-decoder mix as layers of one graph.

    Parameters
    ----------
    encoder, decoder
        What the attention of each to its own text mixes, the residual connection included.
    cross
        What the attention of the decoder to the source mixes, its own token in the place of the
        target, behind the tokens of the source.

    Returns
    -------
    NDArray
        The layers of the encoder, then two for each of the decoder.

    Raises
    ------
    ValueError
        If ``cross`` does not count the tokens of both.

    Examples
    --------
    >>> joint_layers(np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.array([[[0.2, 0.8]]]))[-1]
    array([[1. , 0. ],
           [0.2, 0.8]])
    """
    source, target = encoder.shape[-1], decoder.shape[-1]
    if cross.shape[-1] != source + target:
        raise ValueError(
            f"cross has {cross.shape[-1]} keys; there are {source} tokens of the source and "
            f"{target} of the target"
        )
    layers = []
    for rows in encoder:
        layers.append(np.eye(source + target))
        layers[-1][:source, :source] = rows
    for rows, both in zip(decoder, cross, strict=True):
        layers += [np.eye(source + target), np.eye(source + target)]
        layers[-2][source:, source:] = rows
        layers[-1][source:] = both
    return np.stack(layers)


@checked_shapes
def beside_target(
    cross: Float[np.ndarray, "*axes target source"],
) -> Float[np.ndarray, "*axes target both"]:
    """Put the tokens of the target behind the keys of attention to a source, without weight."""
    targets = cross.shape[-2]
    return np.concatenate([cross, np.zeros((*cross.shape[:-1], targets), cross.dtype)], axis=-1)
