"""Hold every rule against the summary of this run, and claims against the reference runs too."""

from __future__ import annotations

from typing import Any

from analysis.paths import REFERENCE, REPORT, RESULTS, RULES
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read
from analysis.rules.runs import kept_experiment, other_runs
from analysis.stage import replacing, run, write_json
from attention_mixing.params import Experiment, Params, load
from attention_mixing.params.states import cases, pairs


def rules(params: Params) -> None:
    """Write what becomes of every rule.

    ``results/rules/CHAPTER.json`` has the findings and claims of a chapter, in the order of
    ``report/rules.yaml`` (:func:`analysis.rules.judging.judge`): each with its ``cases`` (value,
    interval, what they decide) for every experiment and model state that it is asked of; a claim
    with its published values and its verdict, a finding, under ``kept``, with what it is in each
    reference run, whose cases are a family of their own. ``claims.json`` has all claims.
    """
    kept = [REFERENCE / run for run in other_runs()]
    summary = Summary(RESULTS, params.bootstrap.confidence, kept)
    runs = {
        run.name: {
            kept_experiment(run.name, name): experiment
            for name, experiment in asked_of(load(run / "params.yaml")).items()
        }
        for run in kept
    }
    every = read(REPORT / "rules.yaml")
    of_runs = {
        run: {one["id"]: one for one in judge(every, experiments, summary)}
        for run, experiments in runs.items()
    }
    files: dict[str, list[Any]] = {"claims": []}
    everything = {name: one for run in runs.values() for name, one in run.items()}
    for one in judge(every, asked_of(params), summary, everything):
        if "claim" in one:
            files["claims"].append(one)
        else:
            found = {run: judged[one["id"]] for run, judged in of_runs.items()}
            one["kept"] = {run: _said(own) for run, own in found.items() if _asked(own)}
        files.setdefault(one["chapter"], []).append(one)
    with replacing(RULES) as directory:
        directory.mkdir()
        for name, judged in files.items():
            write_json(directory / f"{name}.json", judged)


def asked_of(params: Params) -> dict[str, Experiment]:
    """List what rules are asked of: models of one text, and encoder-decoders as a whole."""
    return cases(params.experiments) | pairs(params.experiments)


def _asked(finding: dict[str, Any]) -> bool:
    """Tell whether a finding is of experiments, and they have all that it asks for."""
    of_experiments = any(case["experiment"] is not None for case in finding["cases"])
    whole = finding["outcome"] != "not_tested" and None not in finding["numbers"].values()
    return of_experiments and whole


def _said(finding: dict[str, Any]) -> dict[str, Any]:
    """Leave out the cases, but for whether the code behind them or a number is another one now."""
    measured = [*finding["cases"], *(one for one in finding["numbers"].values() if one)]
    changed = any(one["changed"] for one in measured)
    return {key: one for key, one in finding.items() if key != "cases"} | {"changed": changed}


if __name__ == "__main__":
    run(rules)
