"""Hold every rule against the summary of this run."""

from __future__ import annotations

from collections import Counter

from analysis.params import Params
from analysis.paths import REPORT, RESULTS, RULES
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read
from analysis.rules.verdicts import VERDICTS
from analysis.stage import replacing, run, write_json


def rules(params: Params) -> None:
    """Write what becomes of every rule, and how many claims have each verdict.

    ``results/rules``: ``claims.json`` has the claims, in the order of ``report/rules.yaml``, each
    with its published values, its ``cases`` (value, interval, what they decide) for every
    experiment and model state that it is asked of, and its verdict; ``CHAPTER.json`` the findings
    of a chapter, alike (:func:`analysis.rules.judging.judge`). ``verdicts.json`` counts the claims,
    those ``tested``, and each verdict.
    """
    summary = Summary(RESULTS, params.bootstrap.confidence)
    judged = judge(read(REPORT / "rules.yaml"), params.experiments, summary)
    claims = [one for one in judged if "claim" in one]
    counts = Counter(one["claim"]["verdict"] for one in claims)
    numbers = {"claims": len(claims), "tested": len(claims) - counts["not_tested"]}
    with replacing(RULES) as directory:
        directory.mkdir()
        write_json(directory / "claims.json", claims)
        for chapter in {one["chapter"] for one in judged if "claim" not in one}:
            findings = [one for one in judged if "claim" not in one and one["chapter"] == chapter]
            write_json(directory / f"{chapter}.json", findings)
        write_json(directory / "verdicts.json", numbers | {word: counts[word] for word in VERDICTS})


if __name__ == "__main__":
    run("rules", rules)
