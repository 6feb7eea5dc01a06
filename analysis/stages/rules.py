"""Hold every rule against the summary of this run."""

from __future__ import annotations

from typing import Any

from analysis.params import Params
from analysis.paths import REPORT, RESULTS, RULES
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read
from analysis.stage import replacing, run, write_json


def rules(params: Params) -> None:
    """Write what becomes of every rule.

    ``results/rules``: ``claims.json`` has the claims, in the order of ``report/rules.yaml``, each
    with its published values, its ``cases`` (value, interval, what they decide) for every
    experiment and model state that it is asked of, and its verdict; ``CHAPTER.json`` the findings
    of a chapter, alike (:func:`analysis.rules.judging.judge`).
    """
    summary = Summary(RESULTS, params.bootstrap.confidence)
    files: dict[str, list[Any]] = {"claims": []}
    for one in judge(read(REPORT / "rules.yaml"), params.experiments, summary):
        files.setdefault("claims" if "claim" in one else one["chapter"], []).append(one)
    with replacing(RULES) as directory:
        directory.mkdir()
        for name, judged in files.items():
            write_json(directory / f"{name}.json", judged)


if __name__ == "__main__":
    run(rules)
