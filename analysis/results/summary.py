"""Read the summary: curves with intervals, what is shown of one text or of all, and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from analysis.paths import GROUP_OF, QUANTITIES, REFERENCE, result
from analysis.rules.selection import NAMED, VARIANTS, choose, curve_rows, require_given
from analysis.rules.summary import require_summary
from analysis.runs.parameters import RunParameters
from attention_mixing.addresses import ALL
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import require
from attention_mixing.methods.head_descriptors import DESCRIPTORS
from attention_mixing.methods.head_families import ROLES, family, roles
from attention_mixing.settings.derived import model_states, predicts, scored

NAMES = ["experiment", "measure", "variant", "subject", "facet", "quantity", "minus", "reading"]
HEAD = ["experiment", "variant", "layer", "head"]
Names = str | Sequence[str]
"""A name, or one of several."""
READ_ROWS = {"first": 0, "last": -1}
"""Which token predictions are read from -> its row."""


# Abnar and Zuidema replace a token by [UNK]; so does what is held against theirs.
BLANK_OUT = "blank_out_unknown"


def curves(measure: Names, *, run: str = "", **where: Names) -> pd.DataFrame:
    """Curves over layers, a row a point, of all heads together.

    Parameters
    ----------
    measure
        Name of a measure, or several of one group.
    run
        A reference run; this run without one.
    where
        Column -> its value, or one of several: ``experiment``, ``variant``, ``subject``
        (method, scope, point), ``facet`` (kind of token), ``quantity`` (what was measured).

    Returns
    -------
    DataFrame
        Columns as :func:`attention_mixing.measures.engine.summary.summarise` writes them, and
        ``experiment``; ``seeds`` and ``by_seed`` only where an experiment has several.

    Raises
    ------
    InputError
        If there is no such measure, or it gives no such name as one in ``where``.
    """
    rows = _chosen(measure, where, run=run)
    return rows[(rows["head"] == 0) & (rows["layer"] != ALL)].reset_index(drop=True)


def overall(measure: Names, *, run: str = "", **where: Names) -> pd.DataFrame:
    """Read means over layers, and what knows no layers, of all heads together.

    Arguments, columns and errors are those of :func:`curves`.
    """
    rows = _chosen(measure, where, run=run)
    return rows[(rows["head"] == 0) & (rows["layer"] == ALL)].reset_index(drop=True)


def of_heads(measure: Names, **where: Names) -> pd.DataFrame:
    """Read rows of single heads, without those of all heads together.

    Arguments but ``run``, columns and errors are those of :func:`curves`.
    """
    rows = _chosen(measure, where)
    return rows[rows["head"] > 0].reset_index(drop=True)


def described_heads(**where: Names) -> pd.DataFrame:
    """Tell family and roles of every head, by the means of its descriptors.

    Columns are :data:`HEAD`, ``family``, and whether the head has each role.
    """
    rows = of_heads("heads", quantity=DESCRIPTORS, **where)
    means = rows.pivot_table("mean", HEAD, "quantity", sort=False)[list(DESCRIPTORS)]
    played = dict(zip(ROLES, roles(means.to_numpy()).T, strict=True))
    return means.index.to_frame(index=False).assign(family=family(means.to_numpy()), **played)


def contrasts(measure: Names, **where: Names) -> pd.DataFrame:
    """Read differences to ``minus``, text by text.

    Arguments but ``run``, columns and errors are those of :func:`curves`.
    """
    return _chosen(measure, where, contrast=True).reset_index(drop=True)


def of_focus(measure: Names, **where: Names) -> pd.DataFrame:
    """Read values of the text that is shown token by token; layer -1 has its means over layers.

    Arguments but ``run``, and errors, are those of :func:`curves`.
    """
    named = {"measure": measure, **where}
    _require_given(named)
    rows = choose(read_artifact(_of_group(_group_of(measure)) / "focus.parquet"), named)
    return rows[rows["head"] == 0].reset_index(drop=True)


def value(measure: Names, **where: Names) -> float:
    """Read the one number of all layers and heads that this names.

    Raises
    ------
    ValueError
        If there is none, or more than one.
    """
    rows = overall(measure, run="", **where)
    if len(rows) != 1:
        raise ValueError(f"{measure} has {len(rows)} values with {where}; name one")
    return float(rows["mean"].iloc[0])


def last(rows: pd.DataFrame) -> pd.DataFrame:
    """Choose the points of curves in the last layer of each experiment's model."""
    return rows[rows["layer"] == rows.groupby("experiment")["layer"].transform("max")]


def table(measure: str, name: str, experiment: str, variant: str) -> pd.DataFrame:
    """Read a table that a measure shows."""
    return read_artifact(_shown(experiment, measure) / f"{variant}-{name}.parquet")


def arrays(measure: str, experiment: str, variant: str) -> dict[str, NDArray]:
    """Read the arrays that a measure shows: name -> array."""
    return read_artifact(_shown(experiment, measure) / f"{variant}.safetensors")


def states(measure: str, experiment: str) -> list[str]:
    """Model states of which a measure shows something, the pretrained one first."""
    files = _shown(experiment, measure).glob("*.*")
    return sorted({path.stem.partition("-")[0] for path in files}, reverse=True)


def predicting(rows: pd.DataFrame) -> pd.DataFrame:
    """Choose the rows of the last state of each experiment, the one that predicts."""
    order = rows["variant"].map(VARIANTS.index)
    return rows[order == order.groupby(rows["experiment"]).transform("max")]


def mapped_texts(experiment: str) -> pd.DataFrame:
    """Read which texts the feature maps of an experiment show, the same in all states."""
    variant = states("projection", experiment)[0]
    return table("projection", "texts", experiment, variant)


def of_states(measure: str, name: str, experiment: str, variant: str | None = None) -> pd.DataFrame:
    """Read a table that a measure shows of a model state, or of all; with a column ``variant``."""
    chosen = [variant] if variant else states(measure, experiment)
    tables = [table(measure, name, experiment, state).assign(variant=state) for state in chosen]
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


def _group_of(measures: Names) -> str:
    """Name the one group of some measures, in whose directory the summary has them."""
    groups = _groups(result("summary", GROUP_OF).absolute())
    names = [measures] if isinstance(measures, str) else measures
    for name in names:
        require(name, "measures", groups)
    (group,) = {groups[name] for name in names}
    return group


@lru_cache
def _groups(path: Path) -> dict[str, str]:
    return read_artifact(path, dict[str, str])


def _chosen(
    measure: Names, where: Mapping[str, Names], *, contrast: bool = False, run: str = ""
) -> pd.DataFrame:
    named, group = {"measure": measure, **where}, _group_of(measure)
    _require_given(named)
    if run:
        rows = _kept((REFERENCE / run / "summary.parquet").absolute())
        rows = rows[rows["group"] == group]
    else:
        rows = _summary((_of_group(group) / "curves.parquet").absolute())
    selected = rows["minus"] != "" if contrast else curve_rows(rows)
    return choose(rows[selected], named)


@lru_cache
def declared(group: str) -> list[dict[str, Any]]:
    """Read what measures of a group give (:class:`.engine.definition.Gives`)."""
    return read_artifact(_of_group(group) / QUANTITIES, list[dict[str, Any]])


def _require_given(where: Mapping[str, Names]) -> None:
    """Refuse names that no measure gives: a figure of them would be empty."""
    group = _group_of(where["measure"])
    named = {c: [n] if isinstance(n, str) else list(n) for c, n in where.items() if c in NAMED}
    # An empty name is no name: of no method, of no kind.
    named = {column: [name for name in names if name] for column, names in named.items()}
    require_given("a figure", declared(group), named)


@lru_cache
def _summary(path: Path) -> pd.DataFrame:
    table = read_artifact(path).astype(dict.fromkeys(NAMES, str))
    # As tables that can be downloaded have it.
    table["by_seed"] = [" ".join(f"{mean:.6g}" for mean in means) for means in table["by_seed"]]
    return table if table["by_seed"].any() else table.drop(columns=["seeds", "by_seed"])


@lru_cache
def _kept(path: Path) -> pd.DataFrame:
    return read_artifact(path).astype(dict.fromkeys([*NAMES, "group"], str))


def _shown(experiment: str, measure: str) -> Path:
    return _of_group(_group_of(measure)) / "shown" / experiment / measure


def _of_group(group: str) -> Path:
    """Directory of the summary of a group, which this code can read."""
    directory = result("summary", group)
    require_summary(directory)
    return directory
