"""What each layer mixes by its attention weights, alone and with the residual connection.

Matrices are ``[layer, query, key]``. Of the attention to a source, keys are the tokens of the
source and, behind them, those of the target, on which the residual connection lies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.blocks import measured_ratio
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture.text import Text
from attention_mixing.methods.attention import head_mean
from attention_mixing.methods.encoder_decoder import beside_target
from attention_mixing.methods.rollout import measured_residual, with_residual, without_first

Matrices = NDArray[np.float64]


def raw(text: Text, settings: ThroughLayers) -> Matrices:
    """Return the mean of the heads."""
    mean = head_mean(text["attention"])
    return beside_target(mean) if text.stream == "cross" else mean


def with_constant_residual(text: Text, settings: ThroughLayers) -> Matrices:
    """Return weights of which the residual connection has the share of the settings."""
    return _mixed(text, raw(text, settings), settings.residual)


def with_measured_residual(text: Text, settings: ThroughLayers) -> Matrices:
    """Return weights that mix as much of a token as the vectors of the attention block do."""
    weights, ratio = raw(text, settings), measured_ratio(text)
    crossed = text.stream == "cross"  # without a weight of the token on itself
    share = 1 - ratio if crossed else measured_residual(weights, ratio)
    return _mixed(text, weights, share)


def uniform(text: Text, settings: ThroughLayers) -> Matrices:
    """Return uniform attention to whatever a token may see, with the residual: no model at all."""
    heads = text["attention"]
    seen = np.ones(heads[:, 0].shape, bool) if text.visible is None else text.visible
    every = seen / seen.sum(axis=-1, keepdims=True)
    if text.stream == "cross":
        every = beside_target(every)
    return _mixed(text, every, settings.residual)


def beyond_first(text: Text, settings: ThroughLayers) -> Matrices:
    """Return weights without those on the first token, with the residual; of causal texts."""
    return _mixed(text, without_first(raw(text, settings)), settings.residual)


def _mixed(text: Text, weights: Matrices, share: float | NDArray[np.float64]) -> Matrices:
    """Mix weights with what each token keeps of itself, ``[layer, token]`` or the same for all."""
    if text.stream != "cross":
        return with_residual(weights, share)
    mixed = (1 - np.broadcast_to(share, weights.shape[:2]))[..., None] * weights
    targets = np.arange(weights.shape[1])
    mixed[:, targets, weights.shape[2] - weights.shape[1] + targets] += share
    return mixed
