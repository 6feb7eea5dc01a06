"""Read the numbers of the paper, and hold what it says against them."""

from __future__ import annotations

from analysis.argument.evidence import Evidence, OwnEvidence
from analysis.argument.numbers import asked, read, runs_of
from analysis.argument.page import PAGES, said
from analysis.argument.reproduced import of_run, without
from analysis.parameters import Params
from analysis.paths import ARGUMENT, LANGUAGES, REPORT, reference_runs
from analysis.pipeline.stage import run, write_json
from analysis.runs.parameters import run_parameters


def argument(params: Params) -> None:
    """Write ``results/argument.json`` (:func:`analysis.argument.reproduced.of_run`).

    Where a kept run that it rests on is not there, there is no paper, and ``missing`` names it.
    """
    content = asked(REPORT / "paper.yaml")
    if missing := sorted(runs_of(content) - {*reference_runs()}):
        write_json(ARGUMENT, without(content, missing))
        return
    evidence = OwnEvidence(run_parameters())
    pages = [
        said((REPORT / language / f"{page}.qmd").read_text(encoding="utf-8"))
        for language in LANGUAGES
        for page in PAGES
    ]
    kept, here = (read(content, of) for of in (Evidence(), evidence))
    write_json(ARGUMENT, of_run(content, kept, here, evidence, pages))


if __name__ == "__main__":
    run(argument)
