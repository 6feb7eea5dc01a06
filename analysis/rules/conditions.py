"""Which experiments a claim is asked of, and whether their conditions are the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from analysis.models.source import name_of
from analysis.params import Experiment
from analysis.rules.rule import Over, Rule

# How far a score has to exceed that of a model that reads nothing.
LEARNED = 0.1


def learned(known: Mapping[str, Any]) -> bool:
    """Tell whether a fine-tuned model does its task: else no attribution explains its answers."""
    score = known.get("evaluate", {})
    if "accuracy" in score:
        return bool(score["accuracy"] - known["corpus"]["majority_accuracy"] > LEARNED)
    return "HasAns_f1" not in score or bool(score["HasAns_f1"] / 100 > LEARNED)


def covers(over: Over, asked: Experiment) -> bool:
    """Tell whether a test is asked of an experiment."""
    return (
        (over.task is None or asked.task in over.task)
        and (over.models is None or model_name(asked) in over.models)
        and (over.data is None or _begins(asked, over.data))
        and not _begins(asked, over.not_data)
        and (over.max_tokens is None or asked.length.max_tokens == over.max_tokens)
        and (over.trained is None or (asked.train is not None) == over.trained)
        and (over.whole is None or _whole(asked) == over.whole)
    )


def same(rule: Rule, asked: Experiment) -> bool:
    """Tell whether an experiment has the model and the data that a claim was published for."""
    published = rule.claim.conditions if rule.claim else None
    if published is None:
        return True
    return model_name(asked) in published.models and _begins(asked, published.data)


def model_name(asked: Experiment) -> str:
    """Name of a model without its owner."""
    return name_of(asked.model).rpartition("/")[2]


def data_names(asked: Experiment) -> list[str]:
    """Name the data of an experiment: the grammar, the data set, or the files."""
    data = asked.data.model_dump()
    files = ("train", "test") if data["source"].endswith("files") else ()
    names = [data[key] for key in ("grammar", "name", *files) if data.get(key)]
    return [str(name).rpartition("/")[2] for name in names] or [str(data["source"])]


def alike(asked: Experiment) -> tuple[str, ...]:
    """Name what experiments have in common that differ in sizes and seeds alone."""
    return (asked.task, model_name(asked), *data_names(asked))


def _whole(asked: Experiment) -> bool:
    """Tell whether all texts of the data are taken."""
    limits = asked.data.model_dump().get("limits") or {}
    return all(limit is None for limit in limits.values())


def _begins(asked: Experiment, names: Iterable[str]) -> bool:
    """Tell whether one of the names of its data begins with one of these."""
    return any(own.startswith(name) for own in data_names(asked) for name in names)
