"""Read what the stages wrote for the report."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from analysis.params import Params
from analysis.paths import result


def metrics(experiment: str, stage: str) -> dict[str, Any]:
    """Metrics of one stage, e.g. ``metrics("reviews", "evaluate")["accuracy"]``."""
    path = result(experiment, "metrics", f"{stage}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def summary(experiment: str, stage: str) -> dict[str, Any]:
    """Every curve of one stage in numbers: both ends and the mean, with their intervals."""
    path = result(experiment, "summaries", f"{stage}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def curves(params: Params, name: str) -> pd.DataFrame:
    """One plot table of every experiment, with the column ``experiment`` in front."""
    frames = []
    for experiment in params.experiments:
        frame = pd.read_csv(result(experiment, "plots", f"{name}.csv"))
        frame.insert(0, "experiment", experiment)
        frames.append(frame)
    # Nothing is plotted of an experiment that trains nothing; its empty table has no types either.
    return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)


def trained(params: Params) -> list[str]:
    """Names of the experiments that fine-tune a model."""
    return [name for name, experiment in params.experiments.items() if experiment.train]


def of_task(params: Params, task: str) -> list[str]:
    """Names of the experiments with a task."""
    return [name for name, experiment in params.experiments.items() if experiment.task == task]
