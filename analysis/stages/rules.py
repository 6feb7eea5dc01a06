"""Hold every rule against the summary of this run, and claims against the reference runs too."""

from __future__ import annotations

from typing import Any

from analysis.parameters import Params, load
from analysis.parameters.derived import cases, pairs
from analysis.paths import REFERENCE, REPORT, RESULTS, RULES
from analysis.pipeline.stage import replacing, run, write_json
from analysis.rules.judging import judge
from analysis.rules.rule import read
from analysis.rules.summary import Summary
from analysis.runs.kept import kept_experiment, other_runs, stale
from attention_mixing.settings.experiment import Experiment


def rules(params: Params) -> None:
    """Write what becomes of every rule.

    ``results/rules/CHAPTER.json`` has the findings and claims of a chapter, in the order of
    ``report/rules.yaml`` (:func:`analysis.rules.judging.judge`): each with its ``cases`` (value,
    interval, what they decide) for every experiment and model state that it is asked of; a claim
    with its published values and its verdict, a finding, under ``kept``, with what it is in each
    reference run, whose cases are a family of their own. ``claims.json`` has all claims.
    """
    directories = [REFERENCE / run for run in other_runs()]
    otherwise = {run.name: stale(run.name) for run in directories}
    summary = Summary(RESULTS, params.bootstrap.confidence, directories, otherwise)
    runs = {
        run.name: {
            kept_experiment(run.name, name): experiment
            for name, experiment in asked_of(load(run / "params.yaml")).items()
        }
        for run in directories
    }
    every = read(REPORT / "rules.yaml")
    of_runs = {
        run: {verdict["id"]: verdict for verdict in judge(every, experiments, summary)}
        for run, experiments in runs.items()
    }
    files: dict[str, list[Any]] = {"claims": []}
    everything = {name: case for run in runs.values() for name, case in run.items()}
    for verdict in judge(every, asked_of(params), summary, everything):
        if "claim" in verdict:
            files["claims"].append(verdict)
        else:
            in_runs = {run: judged[verdict["id"]] for run, judged in of_runs.items()}
            verdict["kept"] = {
                run: _said(finding) for run, finding in in_runs.items() if _asked(finding)
            }
        files.setdefault(verdict["chapter"], []).append(verdict)
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
    """Leave out the cases, but for which measures of them or of a number are others now."""
    measured = [*finding["cases"], *filter(None, finding["numbers"].values())]
    otherwise = sorted({measure for reading in measured for measure in reading["stale"]})
    return {key: value for key, value in finding.items() if key != "cases"} | {"stale": otherwise}


if __name__ == "__main__":
    run(rules)
