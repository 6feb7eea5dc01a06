"""Which experiments a claim is asked of, and whether their conditions are the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.rules.rule import Over, Rule
from attention_mixing.models.source import name_of
from attention_mixing.settings.experiment import Experiment

# How far a score has to exceed that of a model that reads nothing.
LEARNED = 0.1


def learned_seeds(facts: Mapping[str, Any]) -> list[str]:
    """Seeds of an experiment whose models do its task: no attribution explains others' answers.

    Of a classifier, the accuracy exceeds the share of the most frequent class by more than
    :data:`LEARNED`, of a model that writes targets that of their most frequent word; of a model
    that answers questions, the F1 that of answering nothing.
    """
    return [
        seed
        for seed, of_seed in facts["seeds"].items()
        if reached(of_seed["evaluate"]) - baseline(of_seed["evaluate"], facts["corpus"]) > LEARNED
    ]


def learned(facts: Mapping[str, Any]) -> bool:
    """Tell whether all models that explanations were summarised of have learned their task.

    Which they are is noted as ``explained``; a run that was kept before has all of them.
    """
    return {*facts.get("explained", facts["seeds"])} <= {*learned_seeds(facts)}


def reached(score: Mapping[str, float]) -> float:
    """Accuracy of classes or of words, or F1 of answers, as a share."""
    return score["accuracy"] if "accuracy" in score else score["f1"] / 100


def baseline(score: Mapping[str, float], corpus: Mapping[str, Any]) -> float:
    """Reach the same without reading: by what is most frequent, or by answering nothing."""
    if "accuracy" in score:
        return float(corpus["majority_accuracy"])
    return score.get("NoAns_total", 0) / score["total"]


def covers(over: Over, experiment: Experiment) -> bool:
    """Tell whether a test is asked of an experiment."""
    return (
        (over.task is None or experiment.task in over.task)
        and (over.models is None or model_name(experiment) in over.models)
        and (over.data is None or _begins(experiment, over.data))
        and not _begins(experiment, over.not_data)
        and (over.max_tokens is None or experiment.length.max_tokens == over.max_tokens)
        and (over.trained is None or (experiment.train is not None) == over.trained)
        and (over.whole is None or _whole(experiment) == over.whole)
    )


def built(over: Over, facts: Mapping[str, Any]) -> bool:
    """Tell whether a test is asked of an experiment by how its model is put together.

    ``facts`` are what is known of it; models of runs that were kept before it was noted are not
    causal, normalize sums, and read texts that begin with a special token, as BERT.
    """
    return (
        (over.causal is None or causal(facts) == over.causal)
        and (over.normalizes_sums is None or normalizes_sums(facts) == over.normalizes_sums)
        and (over.special_first is None or special_first(facts) == over.special_first)
    )


def causal(facts: Mapping[str, Any]) -> bool:
    """Tell whether in a model a token sees itself and earlier ones only."""
    sight = facts.get("structure", {}).get("sight", ["all"])
    return {*sight} <= {"earlier", "earlier_window"}


def normalizes_sums(facts: Mapping[str, Any]) -> bool:
    """Tell whether a model normalizes the sum of the stream and what a layer adds to it."""
    norms = facts.get("structure", {}).get("norms", ["after"])
    return any("after" in of_block.split("+") for of_block in norms)


def special_first(facts: Mapping[str, Any]) -> bool:
    """Tell whether every text that a model reads begins with a special token."""
    return bool(facts.get("structure", {}).get("special_first", True))


def same(rule: Rule, experiment: Experiment) -> bool:
    """Tell whether an experiment has the model and the data that a claim was published for."""
    published = rule.claim.conditions if rule.claim else None
    if published is None:
        return True
    return model_name(experiment) in published.models and _begins(experiment, published.data)


def model_name(experiment: Experiment) -> str:
    """Name of a model without its owner."""
    return name_of(experiment.model).rpartition("/")[2]


def data_names(experiment: Experiment) -> list[str]:
    """Name the data of an experiment: the grammar, the data set, or the files."""
    data = experiment.data.model_dump()
    files = ("train", "test") if data["source"].endswith("files") else ()
    names = [data[key] for key in ("grammar", "name", *files) if data.get(key)]
    return [str(name).rpartition("/")[2] for name in names] or [str(data["source"])]


def alike(experiment: Experiment) -> tuple[str, ...]:
    """Name what experiments have in common that differ in sizes and seeds alone."""
    return (experiment.task, model_name(experiment), *data_names(experiment))


def heaviest(texts: Iterable[tuple[Any, str | None, int]]) -> dict[Any, str | None]:
    """Name the run that has most texts of each kind; of equals the first.

    ``texts`` are kind, run (None for this one) and number of texts, any number of each.
    """
    most: dict[Any, dict[str | None, int]] = {}
    for kind, run, count in texts:
        of_runs = most.setdefault(kind, {})
        of_runs[run] = max(count, of_runs.get(run, 0))
    return {kind: max(of_runs, key=of_runs.__getitem__) for kind, of_runs in most.items()}


def weights(experiment: Experiment, variant: str | None) -> tuple[str, ...]:
    """Name the weights that a case rests on, those of one training: the unit of evidence.

    As it was pretrained, a model is the same one in every experiment, whatever the texts.
    Fine-tuned, or compared with what it was, it is one of its task and data; its seeds are nested.
    """
    if variant == "pretrained" or experiment.train is None:
        return (model_name(experiment),)
    return alike(experiment)


def _whole(experiment: Experiment) -> bool:
    """Tell whether all texts of the data are taken."""
    limits = experiment.data.model_dump().get("limits") or {}
    return all(limit is None for limit in limits.values())


def _begins(experiment: Experiment, names: Iterable[str]) -> bool:
    """Tell whether one of the names of its data begins with one of these."""
    return any(data_name.startswith(name) for data_name in data_names(experiment) for name in names)
