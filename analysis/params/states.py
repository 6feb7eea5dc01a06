"""What follows from the parameters of an experiment: which states of its model there are."""

from __future__ import annotations

from analysis.params.sections import Experiment, UntrainedModel


def model_states(experiment: Experiment) -> tuple[str, ...]:
    """Name the states of the model that are read; the last predicts, where one does.

    A model that is trained from nothing is pretrained by that, and not fine-tuned.
    """
    tuned = experiment.train is not None and not isinstance(experiment.model, UntrainedModel)
    return ("pretrained", "finetuned") if tuned else ("pretrained",)


def predicts(experiment: Experiment) -> bool:
    """Tell whether the model predicts a class or a word, which is explained."""
    return experiment.task in ("classification", "language_modelling")
