"""What follows from the parameters of a run: cases, licences, texts that are shown."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.parameters.sections import Explorer, Params
from attention_mixing.settings.derived import JOINT, STREAMS, feature_texts, joint_texts, streams
from attention_mixing.settings.experiment import Experiment
from attention_mixing.settings.sources import LocalSplits


def licence_of_texts(experiment: Experiment, origin: Mapping[str, str]) -> str | None:
    """Name the licence of the texts of an experiment; None where none is stated.

    That of the parameters, else of the corpus itself, whose ``origin`` says where it comes from.
    """
    stated = experiment.data.licence if isinstance(experiment.data, LocalSplits) else None
    return stated or origin.get("licence")


def may_show(settings: Explorer, licence: str | None, *, stays_here: bool = False) -> bool:
    """Tell whether texts of a corpus may be written into a site.

    ``licensed`` leaves out those with a licence for non-commercial use only, and those for which
    none is stated (``licence`` is None), unless text and site stay on this machine
    (``stays_here``): the texts are of a local file, and the site has no address.
    """
    if settings.texts != "licensed":
        return settings.texts == "all"
    if licence is None:
        return stays_here
    words = licence.lower().replace("non-commercial", "noncommercial").replace("-", " ").split()
    return not {"nc", "noncommercial", "other", "unknown"} & set(words)


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
