"""Read the summary: curves with intervals, what is shown of one text or of all, and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from analysis.paths import QUANTITIES, REFERENCE, result
from analysis.rules.selection import NAMED, VARIANTS, choose, curve_rows, require_given
from analysis.rules.summary import require_summary
from analysis.runs.parameters import RunParameters
from attention_mixing.addresses import ALL
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import require
from attention_mixing.methods.head_descriptors import DESCRIPTORS
from attention_mixing.methods.head_families import ROLES, family, roles
from attention_mixing.settings.derived import model_states, predicts, scored

NAMES = ["experiment", "measure", "variant", "of", "kind", "quantity", "minus", "reading", "code"]
HEAD = ["experiment", "variant", "layer", "head"]
READ_ROWS = {"first": 0, "last": -1}
"""Which token predictions are read from -> its row."""


# Abnar and Zuidema replace a token by [UNK]; so does what is held against theirs.
BLANK_OUT = "blank_out_unknown"


def curves(group: str, *, run: str = "", **where: str | Sequence[str]) -> pd.DataFrame:
    """Curves over layers, a row a point, of all heads together.

    Parameters
    ----------
    group
        Group of measures: ``vectors``, ``queries-keys``, ``heads``, ``explain`` or ``focus``.
    run
        A reference run; this run without one.
    where
        Column -> its value, or one of several: ``experiment``, ``measure``, ``variant``, ``of``
        (method, scope, point), ``kind`` (of token), ``quantity`` (what was measured).

    Returns
    -------
    DataFrame
        Columns as :func:`attention_mixing.measures.engine.summary.summarise` writes them, and
        ``experiment``; ``seeds`` and ``by_seed`` only where an experiment has several.

    Raises
    ------
    InputError
        If no measure of the group gives a name in ``where``.
    """
    rows = _chosen(group, where, run=run)
    return rows[(rows["head"] == 0) & (rows["layer"] != ALL)].reset_index(drop=True)


def overall(group: str, *, run: str = "", **where: str | Sequence[str]) -> pd.DataFrame:
    """Read means over layers, and what knows no layers, of all heads together.

    Arguments, columns and errors are those of :func:`curves`.
    """
    rows = _chosen(group, where, run=run)
    return rows[(rows["head"] == 0) & (rows["layer"] == ALL)].reset_index(drop=True)


def of_heads(group: str, **where: str | Sequence[str]) -> pd.DataFrame:
    """Read rows of single heads, without those of all heads together.

    Arguments but ``run``, columns and errors are those of :func:`curves`.
    """
    rows = _chosen(group, where)
    return rows[rows["head"] > 0].reset_index(drop=True)


def described_heads(**where: str | Sequence[str]) -> pd.DataFrame:
    """Tell family and roles of every head, by the means of its descriptors.

    Columns are :data:`HEAD`, ``family``, and whether the head has each role.
    """
    rows = of_heads("heads", measure="heads", quantity=DESCRIPTORS, **where)
    means = rows.pivot_table("mean", HEAD, "quantity", sort=False)[list(DESCRIPTORS)]
    played = dict(zip(ROLES, roles(means.to_numpy()).T, strict=True))
    return means.index.to_frame(index=False).assign(family=family(means.to_numpy()), **played)


def contrasts(group: str, **where: str | Sequence[str]) -> pd.DataFrame:
    """Read differences to ``minus``, text by text.

    Arguments but ``run``, columns and errors are those of :func:`curves`.
    """
    return _chosen(group, where, contrast=True).reset_index(drop=True)


def of_focus(group: str, **where: str | Sequence[str]) -> pd.DataFrame:
    """Read values of the text that is shown token by token; layer -1 has its means over layers.

    Arguments but ``run``, and errors, are those of :func:`curves`.
    """
    _require_given(group, where)
    rows = choose(read_artifact(_of_group(group) / "focus.parquet"), where)
    return rows[rows["head"] == 0].reset_index(drop=True)


def value(group: str, **where: str | Sequence[str]) -> float:
    """Read the one number of all layers and heads that this names.

    Raises
    ------
    ValueError
        If there is none, or more than one.
    """
    rows = overall(group, run="", **where)
    if len(rows) != 1:
        raise ValueError(f"{group} has {len(rows)} values with {where}; name one")
    return float(rows["mean"].iloc[0])


def last(rows: pd.DataFrame) -> pd.DataFrame:
    """Choose the points of curves in the last layer of each experiment's model."""
    return rows[rows["layer"] == rows.groupby("experiment")["layer"].transform("max")]


def table(group: str, measure: str, name: str, experiment: str, variant: str) -> pd.DataFrame:
    """Read a table that a measure shows."""
    return read_artifact(_shown(group, experiment, measure) / f"{variant}-{name}.parquet")


def arrays(group: str, measure: str, experiment: str, variant: str) -> dict[str, NDArray]:
    """Read the arrays that a measure shows: name -> array."""
    return read_artifact(_shown(group, experiment, measure) / f"{variant}.safetensors")


def states(group: str, measure: str, experiment: str) -> list[str]:
    """Model states of which a measure shows something, the pretrained one first."""
    files = _shown(group, experiment, measure).glob("*.*")
    return sorted({path.stem.partition("-")[0] for path in files}, reverse=True)


def predicting(rows: pd.DataFrame) -> pd.DataFrame:
    """Choose the rows of the last state of each experiment, the one that predicts."""
    order = rows["variant"].map(VARIANTS.index)
    return rows[order == order.groupby(rows["experiment"]).transform("max")]


def mapped_texts(experiment: str) -> pd.DataFrame:
    """Read which texts the feature maps of an experiment show, the same in all states."""
    variant = states("vectors", "projection", experiment)[0]
    return table("vectors", "projection", "texts", experiment, variant)


def of_states(
    group: str, measure: str, name: str, experiment: str, variant: str | None = None
) -> pd.DataFrame:
    """Read a table that a measure shows of a model state, or of all; with a column ``variant``."""
    chosen = [variant] if variant else states(group, measure, experiment)
    tables = [
        table(group, measure, name, experiment, state).assign(variant=state) for state in chosen
    ]
    return pd.concat(tables, ignore_index=True)


def facts(experiment: str) -> dict[str, Any]:
    """Read what is known of an experiment: ``corpus``, ``samples``, ``train``, ``evaluate``, ..."""
    path = result("summary", "model", "facts.json")
    of_experiment: dict[str, Any] = read_artifact(path)[experiment]
    return of_experiment


def training(params: RunParameters, name: str) -> pd.DataFrame:
    """Read ``history`` or ``reliability`` of every experiment that has one."""
    frames = []
    for experiment in params.written:
        path = result("summary", "model") / f"{experiment}-{name}.csv"
        if path.is_file():
            frames.append(pd.read_csv(path).assign(experiment=experiment))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def trained(params: RunParameters) -> list[str]:
    """Names of the experiments that train a model."""
    return [name for name, experiment in params.written.items() if experiment.train]


def scored_names(params: RunParameters) -> list[str]:
    """Names of the experiments that train a model to a task of one text."""
    return [name for name, experiment in params.experiments.items() if scored(experiment)]


def compared(params: RunParameters) -> list[str]:
    """Names of the experiments that have a model before training and after it."""
    return [
        name for name, experiment in params.experiments.items() if len(model_states(experiment)) > 1
    ]


def of_task(params: RunParameters, task: str) -> list[str]:
    """Names of the experiments with a task."""
    return [name for name, experiment in params.experiments.items() if experiment.task == task]


def explained(params: RunParameters) -> list[str]:
    """Names of the experiments whose predictions are explained: of classes, or of next words."""
    return [name for name, experiment in params.experiments.items() if predicts(experiment)]


def experiment_shown(params: RunParameters, chosen: str | None, preferred: Sequence[str]) -> str:
    """Name the experiment that a chapter shows in large.

    ``chosen`` is the one that a reader asks for; None takes the first of those ``preferred``, which
    come best first, or else that in focus.

    Raises
    ------
    InputError
        If there is no such experiment.
    """
    if chosen is not None:
        require(chosen, "experiments", params.experiments)
        return chosen
    return [*preferred, params.report.focus.experiment][0]


def _chosen(
    group: str, where: dict[str, str | Sequence[str]], *, contrast: bool = False, run: str = ""
) -> pd.DataFrame:
    if run:
        rows = _kept((REFERENCE / run / "summary.parquet").absolute())
        rows = rows[rows["group"] == group]
    else:
        rows = _summary((_of_group(group) / "curves.parquet").absolute())
    _require_given(group, where)
    selected = rows["minus"] != "" if contrast else curve_rows(rows)
    return choose(rows[selected], where)


@lru_cache
def declared(group: str) -> list[dict[str, Any]]:
    """Read what measures of a group give (:class:`.engine.definition.Gives`)."""
    return read_artifact(_of_group(group) / QUANTITIES, list[dict[str, Any]])


def _require_given(group: str, where: Mapping[str, str | Sequence[str]]) -> None:
    """Refuse names that no measure of the group gives: a figure of them would be empty."""
    named = {c: [n] if isinstance(n, str) else list(n) for c, n in where.items() if c in NAMED}
    # An empty name is no name: of no method, of no kind.
    named = {column: [name for name in names if name] for column, names in named.items()}
    require_given(f"a figure of {group}", declared(group), named)


@lru_cache
def _summary(path: Path) -> pd.DataFrame:
    table = read_artifact(path).astype(dict.fromkeys(NAMES, str))
    # As tables that can be downloaded have it.
    table["by_seed"] = [" ".join(f"{mean:.6g}" for mean in means) for means in table["by_seed"]]
    return table if table["by_seed"].any() else table.drop(columns=["seeds", "by_seed"])


@lru_cache
def _kept(path: Path) -> pd.DataFrame:
    return read_artifact(path).astype(dict.fromkeys([*NAMES, "group"], str))


def _shown(group: str, experiment: str, measure: str) -> Path:
    return _of_group(group) / "shown" / experiment / measure


def _of_group(group: str) -> Path:
    """Directory of the summary of a group, which this code can read."""
    directory = result("summary", group)
    require_summary(directory)
    return directory
