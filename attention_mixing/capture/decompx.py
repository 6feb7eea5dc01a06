"""Representations and logits of a running model, taken apart by input token: DecompX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.methods.decompx import LayerParts, Parts, decompose, logit_parts
from attention_mixing.methods.layer import Linear
from attention_mixing.models.batch import pad
from attention_mixing.models.components import close
from attention_mixing.models.device import evaluating
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.encode import Encoded
from attention_mixing.models.feed_forward import BehindNorm, FeedForwardNetwork
from attention_mixing.models.layer_weights import value_maps, weights_of
from attention_mixing.models.passes import LayerPass, Pass, read_passes, streams
from attention_mixing.models.structure import Layer
from attention_mixing.models.weights import LayerWeights

# Share of the largest number by which parts may miss what they are of, in float32 and many layers.
ADDS_UP = 1e-3


class NotTakenApart(InputError):
    """A model does something to its representations through which DecompX takes none apart."""


@dataclass(frozen=True)
class DecompX:
    """Parts of the logit of one class in one text, without padding.

    Attributes
    ----------
    scores
        ``[token]``, what each input token contributes: signed, adding up to ``logit``.
    logit
        Of the class.
    """

    scores: NDArray[np.floating]
    logit: float


class Decomposer:
    """A model whose last representations are taken apart by input token.

    Parameters
    ----------
    model
        In evaluation mode; computes in the precision of its weights. Left as it was.

    Raises
    ------
    NotTakenApart
        If it has experts, gates or normalises the context of its heads, or reads a target.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        name = f"the model {type(model).__name__}"
        self.model, self.weights = model, weights_of(model, name)
        self.networks: list[FeedForwardNetwork] = []
        for layer, weights in zip(structure_of(model).layers, self.weights.layers, strict=True):
            network = FeedForwardNetwork(model, layer.steps[-1])
            if network.inner is None:
                network = network.behind_norm() or network
            if lacking := _lacking(weights, network):
                raise NotTakenApart(
                    f"{name} {lacking} in {layer.path}, through which DecompX takes nothing apart; "
                    "allowed: texts without a target, contexts of heads as they are, and "
                    "feed-forward networks of linear maps around an activation; choose another "
                    "model, or do without DecompX."
                )
            self.networks.append(network)
        self.values = value_maps(model)

    @torch.no_grad()
    def parts(self, text: Encoded, read: slice = slice(None)) -> Parts:
        """Take the last representations of some tokens apart, ``[part, token, model_dim]``.

        Parameters
        ----------
        text
            What the model reads.
        read
            The tokens.

        Raises
        ------
        NotTakenApart
            If the parts do not add up to the representations of the model.
        """
        with read_passes(self.model) as passed:
            self.model(**pad([text], self.model.config, self.model.device))
            layers = list(self._read(passed))
            (embedding,), (*_, left) = (
                passed.points("")[name] for name in ("embedding", "layer_output")
            )
        parts = decompose(embedding[0].cpu().numpy(), layers, read)
        if not close(torch.from_numpy(parts.sum(axis=0)), left[0, read].cpu(), ADDS_UP):
            raise NotTakenApart(
                f"what the model {type(self.model).__name__} makes of a text is not the sum of the "
                "parts that DecompX takes it apart into; allowed: steps that are linear, or that "
                "are 0 where their input is; choose another model, or do without DecompX."
            )
        return parts

    def _read(self, passed: Pass) -> Iterator[LayerParts]:
        for (layer, read), weights, value, network in zip(
            passed.of(""), self.weights.layers, self.values, self.networks, strict=True
        ):
            yield _layer_parts(self.model, layer, read, weights, value, network)

    def logits(self, text: Encoded) -> Float[np.ndarray, "part label"]:
        """Take the logits of a text apart.

        Parameters
        ----------
        text
            What the model reads, which has the head of a classifier.
        """
        classifier, row = self.weights.classifier, self.weights.read
        assert classifier is not None  # those that predict have one
        parts = self.parts(text, slice(row, row + 1 or None))
        return logit_parts(parts, classifier)[:, 0]


def _lacking(weights: LayerWeights, network: FeedForwardNetwork) -> str | None:
    """Say what a layer does that is not taken apart."""
    if weights.stream:
        return "reads a target beside its text"
    if weights.gated or weights.context is not None:
        return "gates or normalises the context of its heads"
    if network.inner is None:
        return "has a network that is not of linear maps around an activation, such as experts,"
    return None


def _layer_parts(
    model: PreTrainedModel,
    layer: Layer,
    read: LayerPass,
    weights: LayerWeights,
    value: Linear,
    network: FeedForwardNetwork,
) -> LayerParts:
    """Gather what a layer is linear by, as it read the only text of a pass."""
    (attention, _), ((_, behind), _) = read.steps, streams(model, layer, read)
    entering = read.entered if weights.beside else behind
    residual = weights.network
    assert attention.call is not None and residual is not None
    if isinstance(network, BehindNorm):
        entering, residual = network.module(entering), residual._replace(before=network.norm)
    elif (before := layer.steps[-1].before) is not None:
        entering = model.get_submodule(before)(entering)
    linearised = network.linearised(entering)
    assert linearised is not None  # as the decomposer has made sure of
    return LayerParts(
        attention.call.weights[0].cpu().numpy(),
        value,
        weights.projection,
        weights.attention,
        residual,
        linearised,
        weights.beside,
    )


def decompx(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    targets: Sequence[int],
) -> Iterator[DecompX]:
    """Take the logit of one class apart by input token in every text, in the order of ``encoded``.

    Modarressi et al. (2023), *DecompX: Explaining Transformers Decisions by Propagating Token
    Decomposition*, ACL; the formulas are in :mod:`attention_mixing.methods.decompx`. A text is as
    much work as about as many passes as it has tokens, on the processor whatever the device.

    Parameters
    ----------
    model
        With a classification head, or a language model that chooses among words
        (:func:`attention_mixing.models.next_word.choosing`). Its weights and settings are left as
        they were.
    encoded
        ``[text]``, what the model reads.
    device
        Where the model computes.
    targets
        ``[text]``, the class for each text.

    Yields
    ------
    DecompX
        Of each text.

    Raises
    ------
    NotTakenApart
        As :class:`Decomposer`.
    """
    with evaluating(model, device):
        decomposer = Decomposer(model)
        for text, target in zip(encoded, targets, strict=True):
            scores = decomposer.logits(text)[:, target]
            yield DecompX(scores, float(scores.sum()))
