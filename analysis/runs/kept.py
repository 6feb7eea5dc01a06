"""The reference runs that are shown and judged beside this one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.parameters import load
from analysis.parameters.derived import cases
from analysis.paths import FINGERPRINT, KEPT_NOTE, QUICK, REFERENCE, SINKS, reference_runs
from analysis.runs.comparison import compare
from analysis.runs.parameters import run_parameters
from attention_mixing.artifacts import read_artifact, schema_of
from attention_mixing.schemas import KEPT
from attention_mixing.settings.experiment import Experiment


def other_runs() -> list[str]:
    """Names of the kept runs that add to this run.

    Neither that of the committed parameters, nor one of the same experiments as this run, nor one
    that was kept for its arms (:func:`analysis.results.sinks.sink_results`).

    Raises
    ------
    InputError
        If one of them was kept by another version, or no run has noted its parameters.
    """
    kept = [run for run in reference_runs() if run != QUICK]
    runs = [run for run in kept if not (REFERENCE / run / SINKS.name).is_dir()]
    for run in runs:
        require_kept(REFERENCE / run)
    if not runs:
        return []
    experiments = run_parameters().written
    return [run for run in runs if load(REFERENCE / run / "params.yaml").experiments != experiments]


def control_run() -> str | None:
    """Name the reference run whose models start from an encoder that was trained on; None without.

    It is the control for what the embedded model was trained for.
    """
    notes = {run: read_artifact(REFERENCE / run / KEPT_NOTE) for run in other_runs()}
    return next((run for run, note in notes.items() if note["encoders"]), None)


def control_encoders() -> set[str]:
    """Names of the encoders that the control compares: those trained on, and what they were."""
    run = control_run()
    if run is None:
        return set()
    encoders = read_artifact(REFERENCE / run / KEPT_NOTE)["encoders"]
    return {*encoders, *(one["model"].rpartition("/")[2] for one in encoders.values())}


def kept_experiment(run: str, experiment: str) -> str:
    """Name of an experiment of a reference run, among those of this run."""
    return f"{run}/{experiment}"


def kept_facts() -> dict[str, dict[str, Any]]:
    """Read what is known of the experiments of reference runs, each named ``RUN/EXPERIMENT``."""
    return {
        kept_experiment(run, name): experiment
        for run in other_runs()
        for name, experiment in read_artifact(REFERENCE / run / "facts.json").items()
    }


def kept_cases() -> dict[str, Experiment]:
    """Read the experiments of reference runs, a case each, named as :func:`kept_facts` does."""
    return {
        kept_experiment(run, name): experiment
        for run in other_runs()
        for name, experiment in cases(load(REFERENCE / run / "params.yaml").experiments).items()
    }


def run_of(experiment: str | None) -> str | None:
    """Name the reference run that an experiment is of; None for one of this run."""
    run, slash, _ = (experiment or "").partition("/")
    return run if slash else None


def stale(run: str) -> list[str]:
    """Name the measures of a reference run that would give other numbers today.

    Those whose fingerprint (:mod:`analysis.stages.fingerprint`), which the run has kept, is another
    one now, by more than the tolerance of their numbers; and those that it has no fingerprint of.
    """
    # What rules read of a number has no measure of its own.
    measured = set(read_artifact(REFERENCE / run / "summary.parquet")["measure"]) - {""}
    then, now = (
        read_artifact(path).set_index("number")
        for path in (REFERENCE / run / FINGERPRINT.name, FINGERPRINT)
    )
    current = set(measures_of(then.index)) - set(moved(then, now))
    return sorted(measured - current)


def moved(then: pd.DataFrame, now: pd.DataFrame) -> pd.Index:
    """Name the measures of which a fingerprint has another number than an earlier one had.

    Both have ``mean``, ``low`` and ``high`` by the names of numbers. What one of them alone has is
    no other number: a measure gives more now, or under another name.
    """
    numbers = then.index.intersection(now.index)
    other: set[str] = set()
    for end in then.columns:
        before, after = then.loc[numbers, end], now.loc[numbers, end]
        differ = numbers[~np.isclose(before, after, rtol=0, atol=0, equal_nan=True)]
        strayed = compare(before[differ].to_dict(), after[differ].to_dict())
        other |= set(strayed["number"][~strayed["ok"]])
    return measures_of(pd.Index(sorted(other), dtype=str))


def measures_of(numbers: pd.Index) -> pd.Index:
    """Read off the names of numbers which measures gave them."""
    return numbers.str.extract(r"/([^.]+)", expand=False).unique()


def require_kept(directory: Path) -> None:
    """Refuse a reference run of another version: ``reference/RUN``.

    The message has what has changed and what to do. A note that is missing or corrupted is refused
    too.
    """
    remedy = (
        f"run its parameters, {directory}/params.yaml, and keep it anew with `make reference "
        f"RUN={directory.name}`, or remove it"
    )
    KEPT.require(schema_of(directory / KEPT_NOTE), directory, remedy)
