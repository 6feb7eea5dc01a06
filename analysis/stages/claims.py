"""Hold every published claim against the summary of this run."""

from __future__ import annotations

from collections import Counter

from analysis.claims.judging import judge
from analysis.claims.ledger import STUDIES, read
from analysis.claims.quantities import Summary
from analysis.claims.verdicts import VERDICTS
from analysis.params import Params
from analysis.paths import LEDGER, REPORT, SUMMARY
from analysis.stage import replacing, run, write_json


def claims(params: Params) -> None:
    """Write the ledger, and how many claims have each verdict.

    ``results/ledger``: ``claims.json`` has ``claims``, in the order of ``report/claims.yaml``, each
    with its words and published values, its ``cases`` (value, interval, whether the rule holds) for
    every experiment and variant that it is asked of, and its ``verdict``; ``studies``, what sources
    called that are no papers. ``verdicts.json`` the
    numbers of ``claims``, of those ``tested``, and of each verdict.
    """
    summary = Summary(SUMMARY)
    found = [judge(claim, params.experiments, summary) for claim in read(REPORT / "claims.yaml")]
    counts = Counter(claim["verdict"] for claim in found)
    tested = len(found) - counts["not_tested"]
    with replacing(LEDGER) as directory:
        directory.mkdir()
        write_json(directory / "claims.json", {"claims": found, "studies": STUDIES})
        write_json(
            directory / "verdicts.json",
            {"claims": len(found), "tested": tested} | {word: counts[word] for word in VERDICTS},
        )


if __name__ == "__main__":
    run("claims", claims)
