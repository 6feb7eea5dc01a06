"""What follows from settings: states of a model, streams, texts that maps show."""

from __future__ import annotations

from collections.abc import Sequence

from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.sources import UntrainedModel

# Of an encoder-decoder: its own attention, that of its decoder, and of that to the source.
STREAMS = ("encoder", "decoder", "cross")
TARGETS = STREAMS[1:]  # whose queries are tokens of the target
JOINT = "joint"  # all of them together


def model_states(experiment: Experiment) -> tuple[str, ...]:
    """Name the states of the model that are read; the last predicts, where one does.

    A model that is trained from nothing is pretrained by that, and not fine-tuned.
    """
    tuned = experiment.train is not None and not isinstance(experiment.model, UntrainedModel)
    return ("pretrained", "finetuned") if tuned else ("pretrained",)


def predicts(experiment: Experiment) -> bool:
    """Tell whether the model predicts a class or a word, which is explained."""
    return experiment.task in ("classification", "language_modelling")


def scored(experiment: Experiment) -> bool:
    """Tell whether a model is trained to a task of one text, and scored by it."""
    return experiment.train is not None and not experiment.has_targets


def drawn_nonlinear(nonlinear: str | Sequence[str], name: str) -> bool:
    """Tell whether UMAP and t-SNE draw queries and keys of an experiment, by its ``name``.

    ``geometry.nonlinear`` is ``all`` or a list of names.
    """
    return nonlinear == "all" or name in nonlinear


def feature_texts(examples: tuple[int, ...], captured: int) -> tuple[int, ...]:
    """List captured texts on maps of features, by ``projection.examples``, from 0.

    Of an experiment that has so many (``captured``); those beyond are left out.
    """
    return tuple(index for index in examples if index < captured)


def joint_texts(texts: int | tuple[int, ...], captured: int) -> tuple[int, ...]:
    """List captured texts on the maps of queries and keys, by ``geometry.texts``, from 0.

    Of an experiment that has so many (``captured``); those beyond are left out.
    """
    return feature_texts(tuple(range(texts)) if isinstance(texts, int) else texts, captured)


def streams(experiment: Experiment) -> tuple[str, ...]:
    """Name the streams of which measures are taken; one without a name where texts have no targets.

    Encoder and decoder are each measured like a model of one text, then the two together.
    """
    return (*STREAMS[:2], JOINT) if experiment.has_targets else ("",)
