"""Take a group of measures of an experiment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.capture.store import Capture, variants
from analysis.capture.text import State
from analysis.errors import InputError
from analysis.measures import GROUPS, measures
from analysis.measures.runner import run as take
from analysis.measures.workers import workers
from analysis.models.source import locate
from analysis.params import Params, located
from analysis.paths import artifact
from analysis.stage import replacing, run


def measure(params: Params, name: str, group: str) -> None:
    """Write ``artifacts/EXPERIMENT/GROUP`` (:func:`analysis.measures.runner.run`)."""
    if group not in GROUPS:
        raise InputError(
            f"there is no group {group!r} of measures; choose one of {', '.join(GROUPS)}."
        )
    with (
        replacing(artifact(name, group)) as directory,
        workers(params.workers) as each,
    ):
        directory.mkdir()
        take(measures(group), params, name, states(params, name, group), directory, each)


def states(params: Params, name: str, group: str) -> list[State]:
    """States of the model of an experiment that were captured; their files are verified here."""
    experiment = located(params, name)
    captured = artifact(name, "capture").absolute()
    groups = tuple(artifact(name, other).absolute() for other in GROUPS if other != group)
    found = []
    for variant in variants(captured):
        capture = Capture(captured / variant)
        tuned = variant == "finetuned"
        model = artifact(name, "train", "model") if tuned else locate(experiment.model).path
        state = State(variant, captured / variant, Path(model).absolute(), measured=groups)
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
    run("measure", measure, "experiment", "group", named="{2}@{1}")
