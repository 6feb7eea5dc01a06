"""Take a group of measures of an experiment."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.capture.store import Capture, variants
from analysis.capture.text import State
from analysis.errors import InputError
from analysis.measures import GROUPS, measures, needed
from analysis.measures.runner import run as take
from analysis.measures.summary import NAMES, summarise
from analysis.measures.workers import workers
from analysis.models.source import find_again
from analysis.params import Params
from analysis.paths import artifact
from analysis.stage import replacing, require, run


def measure(params: Params, name: str, group: str) -> None:
    """Write ``artifacts/EXPERIMENT/GROUP`` (:func:`analysis.measures.runner.run`)."""
    with (
        replacing(artifact(name, group)) as directory,
        workers(params.workers) as each,
    ):
        directory.mkdir()
        take(measures(group), params, name, states(params, name, group), directory, each)


def alone(params: Params, name: str, measured: str) -> pd.DataFrame:
    """Take one measure, with those of its group that it needs; nothing is written.

    Returns
    -------
    DataFrame
        Its rows of the summary (:func:`analysis.measures.summary.summarise`).

    Raises
    ------
    InputError
        If there is no such measure.
    """
    groups = {one.name: group for group in GROUPS for one in measures(group)}
    require(measured, "measures", groups)
    group = groups[measured]
    chosen = needed([measured], measures(group))
    with tempfile.TemporaryDirectory() as scratch, workers(params.workers) as each:
        take(chosen, params, name, states(params, name, group), Path(scratch), each)
        values = pd.read_parquet(Path(scratch) / "values.parquet")
    return summarise(values.astype(dict.fromkeys(NAMES, str)), chosen[-1:], params.bootstrap)


def states(params: Params, name: str, group: str) -> list[State]:
    """States of the model of an experiment that were captured; their files are verified here."""
    captured = artifact(name, "capture").absolute()
    groups = tuple(artifact(name, other).absolute() for other in GROUPS if other != group)
    found = []
    for variant in variants(captured):
        capture = Capture(captured / variant)
        model = find_again(capture.manifest["model"]).absolute()
        state = State(variant, captured / variant, model, measured=groups)
        if group == "focus":
            state = replace(state, only=(_shown(params, name, capture.examples),))
        found.append(state)
    return found


def _shown(params: Params, name: str, texts: pd.DataFrame) -> int:
    """Id of the text that the report shows token by token."""
    index = params.report.focus.example
    if index >= len(texts):
        raise InputError(
            f"report.focus.example is {index} but {name} has only {len(texts)} captured texts; "
            "choose an earlier one (the first is 0) or capture more."
        )
    return int(texts["id"].iloc[index])


if __name__ == "__main__":
    run(measure, "experiments", groups=GROUPS)
