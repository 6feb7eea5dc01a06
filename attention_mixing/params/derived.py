"""What follows from the parameters: states of models, streams, cases, texts that maps show."""

from __future__ import annotations

from collections.abc import Mapping

from attention_mixing.params.sections import Experiment, LocalSplits, Params, UntrainedModel

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


def licence_of_texts(experiment: Experiment, origin: Mapping[str, str]) -> str | None:
    """Name the licence of the texts of an experiment; None where none is stated.

    That of the parameters, else of the corpus itself, whose ``origin`` says where it comes from.
    """
    stated = experiment.data.licence if isinstance(experiment.data, LocalSplits) else None
    return stated or origin.get("licence")


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


def mapped_texts(params: Params, captured: int) -> tuple[int, ...]:
    """List captured texts on maps of features or of queries and keys, which the explorer shows.

    Of an experiment that has so many (``captured``).
    """
    features = feature_texts(params.projection.examples, captured)
    return tuple(sorted({*features, *joint_texts(params.geometry.texts, captured)}))


def texts_left_out(params: Params, captured: int) -> dict[str, list[int]]:
    """List the texts that are to be shown and that an experiment lacks, by the key that names them.

    It has so many (``captured``); of a number of texts, no single one is named.
    """
    named = {"projection.examples": params.projection.examples}
    if not isinstance(params.geometry.texts, int):
        named["geometry.texts"] = params.geometry.texts
    beyond = {key: [text for text in texts if text >= captured] for key, texts in named.items()}
    return {key: texts for key, texts in beyond.items() if texts}


def streams(experiment: Experiment) -> tuple[str, ...]:
    """Name the streams of which measures are taken; one without a name where texts have no targets.

    Encoder and decoder are each measured like a model of one text, then the two together.
    """
    return (*STREAMS[:2], JOINT) if experiment.has_targets else ("",)


def case_name(name: str, stream: str) -> str:
    """Name what is measured of a stream of an experiment, among what is measured of others.

    The stream is one of :func:`streams`.
    """
    return name if stream in ("", JOINT) else f"{name}-{stream}"


def cases(experiments: Mapping[str, Experiment]) -> dict[str, Experiment]:
    """List what is measured like a model of one text: experiments, encoders and decoders."""
    return {
        case_name(name, stream): experiment
        for name, experiment in experiments.items()
        for stream in streams(experiment)
        if stream != JOINT
    }


def is_joint(name: str, experiments: Mapping[str, Experiment]) -> bool:
    """Tell whether a name is of source and target together, beside those of each.

    It is that of a case or of an experiment; ``experiments`` are all of a run.
    """
    return case_name(name, STREAMS[0]) in experiments


def pairs(experiments: Mapping[str, Experiment]) -> dict[str, Experiment]:
    """Choose the experiments whose texts have targets, read by an encoder-decoder."""
    return {name: experiment for name, experiment in experiments.items() if experiment.has_targets}
