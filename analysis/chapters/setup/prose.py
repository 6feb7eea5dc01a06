"""What the chapter *setup* says of models: which are trained, what they reach, what they see."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from analysis.parameters.derived import pairs
from analysis.prose.phrases import counted, listed, spread, written
from analysis.results.summary import facts
from analysis.rules.conditions import baseline, learned, learned_seeds, reached
from analysis.runs.parameters import RunParameters
from attention_mixing.messages import Words
from attention_mixing.models.vocabulary_coverage import MUCH, Rendering

Known = Mapping[str, Mapping[str, Any]]
"""Experiment -> what is known of it."""


def unread(experiments: Known, w: Words) -> str:
    """Name the experiments whose models do not see much of their texts; empty if none is so."""
    renderings = {
        name: Rendering(**experiment["rendering"]) for name, experiment in experiments.items()
    }
    phrases = [
        w["of"].format(whole=name, part=written(rendering.lost, ".0%"))
        for name, rendering in renderings.items()
        if rendering.lost > MUCH
    ]
    return w.say("setup_unread", experiments=listed(phrases, w)) if phrases else ""


def trained_experiments(count: int, total: int, w: Words) -> str:
    """Name the experiments that train a model: ``count`` of ``total``, 1 or more."""
    outcome = "only" if total == 1 else "all" if count == total else "some"
    every = counted(total, "experiment", w)
    return w.say("setup_trained", outcome=outcome, n=count, total=total, every=every)


def learning_rates(params: RunParameters, w: Words) -> str:
    """Give the peaks of the learning rates, each with the experiments that are trained by it."""
    peaks: dict[float, list[str]] = {}
    for name, experiment in params.written.items():
        if experiment.train:
            peaks.setdefault(experiment.train.learning_rate, []).append(name)
    phrases = [
        w.say("rate_of", rate=f"{peak:g}".replace("e-0", "e-"), names=listed(names, w))
        for peak, names in peaks.items()
    ]
    return listed(phrases, w)


def perplexities(experiments: Known, w: Words) -> str:
    """Give the range of the perplexities of language models on whole test texts."""
    scores = [experiment["evaluate"].get("perplexity") for experiment in experiments.values()]
    values = [value for value in scores if value is not None]
    return spread(min(values), max(values), ".1f", w)


def translators(params: RunParameters, w: Words) -> dict[str, str]:
    """Give the range of the scores of models that write targets, and what reads nothing reaches."""
    experiments = [facts(name) for name in pairs(params.written) if params.written[name].train]
    scores = {
        "told": [experiment["evaluate"]["accuracy"] for experiment in experiments],
        "written": [experiment["evaluate"]["written"] for experiment in experiments],
        "most-frequent": [
            baseline(experiment["evaluate"], experiment["corpus"]) for experiment in experiments
        ],
    }
    return {
        name: spread(min(values), max(values), ".0%", w)
        for name, values in scores.items()
        if values
    }


def unlearned(experiments: Known, w: Words) -> str:
    """Name the models that have not learned their task; empty where there is none.

    Of each experiment the seeds, the score and what a model reaches that reads nothing; and the
    experiments from whose models no finding on predictions is drawn
    (:func:`analysis.rules.conditions.learned`).
    """
    models, excluded = [], []
    for name, experiment in experiments.items():
        of_seeds = {
            seed: seed_facts["evaluate"] for seed, seed_facts in experiment["seeds"].items()
        }
        failed = [seed for seed in of_seeds if seed not in learned_seeds(experiment)]
        if not failed:
            continue
        classifies, writes = (score in experiment["evaluate"] for score in ("accuracy", "written"))
        score = "written" if writes else "accuracy" if classifies else "answered"
        form, times = (".0%", 1) if classifies else (".1f", 100)
        scores = [times * reached(of_seeds[seed]) for seed in failed]
        extent = "part" if len(failed) < len(of_seeds) else "only" if len(failed) == 1 else "all"
        about = {
            "experiment": name,
            "models": extent,
            "count": len(of_seeds),
            "failed": len(failed),
            "seeds": listed(failed, w),
            "score": score,
            "reached": spread(min(scores), max(scores), form, w),
            "baseline": written(
                times * baseline(experiment["evaluate"], experiment["corpus"]), form
            ),
        }
        models.append(w.say("setup_unlearned_model", **about))
        excluded += [] if learned(experiment) else [name]
    if not models:
        return ""
    sentence = reduce(
        lambda list_, model: w.say("setup_unlearned_next", list=list_, next=model), models
    )
    what = {"excluded": listed(excluded, w), "which": "some" if excluded else "none"}
    return w.say("setup_unlearned", models=sentence, **what)
