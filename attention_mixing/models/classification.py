"""What the logits of a classification head say: nothing else passes for a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

SEQUENCE_HEAD = "ForSequenceClassification"  # how transformers ends the names of such classes
REGRESSION, SEVERAL_LABELS = "regression", "multi_label_classification"


def has_sequence_head(model: PreTrainedModel) -> bool:
    """Tell whether a model has a head for whole texts, whatever its logits say."""
    return any(kind.__name__.endswith(SEQUENCE_HEAD) for kind in type(model).__mro__)


def classifies(model: PreTrainedModel) -> bool:
    """Tell whether a model has a head that gives a text, or a pair, the probability of classes.

    Heads that give one number (regression), that answer for every token or every word of the
    vocabulary, or that choose among several texts, do not; nor do those of encoder-decoders, which
    read a target as well.
    """
    two = model.config.is_encoder_decoder
    return has_sequence_head(model) and not two and _problem(model.config) != REGRESSION


def saved_as(config: PreTrainedConfig) -> str:
    """Name of the class that a model was saved from; empty where its configuration has none."""
    return str((config.architectures or [""])[0])


def class_probabilities(logits: ArrayLike, config: PreTrainedConfig) -> NDArray[np.float64]:
    """Turn the logits of a head that :func:`classifies` into probabilities, ``[..., label]``.

    With ``problem_type: multi_label_classification`` every label has a probability of its own
    (logistic function), else those of all labels sum to 1 (softmax).
    """
    logits = np.asarray(logits, np.float64)
    return expit(logits) if _problem(config) == SEVERAL_LABELS else softmax(logits, axis=-1)


def head_of(model: PreTrainedModel) -> str | None:
    """Name the class of the head that a model has, or had in its directory."""
    name = type(model).__name__
    if model.base_model is not model:
        return name
    # Loaded without the head, which the configuration remembers.
    saved = saved_as(model.config)
    return saved if saved not in ("", name) else None


def _problem(config: PreTrainedConfig) -> str:
    """Name the problem as transformers does where a configuration leaves it open."""
    return config.problem_type or (
        REGRESSION if config.num_labels == 1 else "single_label_classification"
    )
