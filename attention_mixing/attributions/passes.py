"""Passes through a model that predicts, which methods of the catalogue name and read.

They are apart from the catalogue, so that what reads no model does not depend on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

    from attention_mixing.capture.gradients import Gradients, IntegratedGradients
    from attention_mixing.models.encode import Encoded


@dataclass(frozen=True)
class Predictions:
    """Those of a model that are explained, and how.

    Attributes
    ----------
    model
        With the head that predicts.
    encoded, targets
        The texts, and the class of each that is explained.
    device, batch_size
        Where it computes, and texts at most that do so together.
    steps
        Points of an integral.
    """

    model: PreTrainedModel
    encoded: Sequence[Encoded]
    targets: Sequence[int]
    device: torch.device
    batch_size: int
    steps: int

    @property
    def options(self) -> dict[str, Any]:
        """Arguments that every pass takes."""
        return {"device": self.device, "batch_size": self.batch_size, "targets": self.targets}


Pass = Callable[[Predictions], Iterator[Any]]
"""From what is asked to what a pass through the model gives of every text, in their order."""


def gradients(asked: Predictions) -> Iterator[Gradients]:
    """Differentiate the logit of the class by attention and words, a text at a time."""
    from attention_mixing.capture.gradients import gradients

    return gradients(asked.model, asked.encoded, **asked.options)


def integrated_gradients(asked: Predictions) -> Iterator[IntegratedGradients]:
    """Integrate the gradient from a text of padding, a text at a time."""
    from attention_mixing.capture.gradients import integrated_gradients

    return integrated_gradients(asked.model, asked.encoded, steps=asked.steps, **asked.options)


def attn_lrp(asked: Predictions) -> Iterator[NDArray[np.floating]]:
    """Pass the logit of the class back by the rules of AttnLRP, ``[token]`` of each text.

    Not a number, and a sentence, where the model does what it has no rule for.
    """
    from attention_mixing.capture.attn_lrp import attn_lrp
    from attention_mixing.models.relevance_rules import NoRule

    try:
        for of_text in attn_lrp(asked.model, asked.encoded, **asked.options):
            yield of_text.scores
    except NoRule as refused:
        sys.stderr.write(f"{refused}\n")
        for text in asked.encoded:  # the first batch tells it
            yield np.full(len(text.input_ids), np.nan)


def decompx(asked: Predictions) -> Iterator[NDArray[np.floating]]:
    """Take the logit of the class apart by input token, ``[token]`` of each text: DecompX.

    Not a number, and a sentence, where the model has a layer that is not taken apart.
    """
    from attention_mixing.capture.decompx import NotTakenApart, decompx

    texts, targets = asked.encoded, asked.targets
    try:
        for of_text in decompx(asked.model, texts, device=asked.device, targets=targets):
            yield of_text.scores
    except NotTakenApart as refused:
        sys.stderr.write(f"{refused}\n")
        for text in texts:  # the first one tells it
            yield np.full(len(text.input_ids), np.nan)


PASSES: dict[str, Pass] = {
    "gradients": gradients,
    "integrated_gradients": integrated_gradients,
    "attn_lrp": attn_lrp,
    "decompx": decompx,
}
"""By the names under which the catalogue has them (:attr:`.Explanation.of_pass`)."""
