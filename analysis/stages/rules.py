"""Hold every rule against the summary of this run, and claims against the reference runs too."""

from __future__ import annotations

from typing import Any

from analysis.params import Params, load
from analysis.paths import QUICK, REFERENCE, REPORT, RESULTS, RULES, reference_runs
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary, kept_experiment
from analysis.rules.rule import read
from analysis.stage import replacing, run, write_json


def rules(params: Params) -> None:
    """Write what becomes of every rule.

    ``results/rules``: ``claims.json`` has the claims, in the order of ``report/rules.yaml``, each
    with its published values, its ``cases`` (value, interval, what they decide) for every
    experiment and model state that it is asked of, and its verdict; ``CHAPTER.json`` the findings
    of a chapter, alike (:func:`analysis.rules.judging.judge`).
    """
    kept = [REFERENCE / run for run in reference_runs() if run != QUICK]
    summary = Summary(RESULTS, params.bootstrap.confidence, kept)
    experiments = {
        kept_experiment(run.name, name): experiment
        for run in kept
        for name, experiment in load(run / "params.yaml").experiments.items()
    }
    files: dict[str, list[Any]] = {"claims": []}
    for one in judge(read(REPORT / "rules.yaml"), params.experiments, summary, experiments):
        files.setdefault("claims" if "claim" in one else one["chapter"], []).append(one)
    with replacing(RULES) as directory:
        directory.mkdir()
        for name, judged in files.items():
            write_json(directory / f"{name}.json", judged)


if __name__ == "__main__":
    run(rules)
