"""What a chapter measures, of this run and of the reference runs, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from IPython.display import HTML

from analysis.figures.chapter import Chapter
from analysis.prose.messages import stale_mark
from analysis.prose.phrases import NOTHING, spread, written
from analysis.results.summary import Names, curves, facts, last, overall
from analysis.rules.conditions import learned
from analysis.runs.kept import kept_experiment, kept_facts, other_runs, stale
from attention_mixing.messages import Words

ABSENT = "–"  # of what was not measured, or is not defined
OWN = ["column", "stale"]  # columns of this table alone, which its download does not have


class RunsColumn(NamedTuple):
    """A quantity of all runs, named by the message ``runs_NAME`` of the chapter.

    ``measure`` and ``where`` are as :func:`analysis.results.summary.curves` has them; ``layer`` is
    the last one, or the mean over all layers, which is also that of a quantity without layers.
    """

    name: str
    measure: str
    where: Mapping[str, Names]
    layer: Literal["mean", "last"] = "mean"


def every_run(chapter: Chapter, columns: Sequence[RunsColumn], *, predicting: bool = False) -> HTML:
    """Publish the table of a chapter, ``runs``; nothing where there is no reference run.

    The arguments are those of :func:`of_runs`.
    """
    rows = of_runs(columns, predicting=predicting)
    if rows.empty:
        return NOTHING
    # How many texts each row is of stands in the table.
    return chapter.table("runs", runs_table, rows, columns, over=rows.head(0))


def of_runs(columns: Sequence[RunsColumn], *, predicting: bool = False) -> pd.DataFrame:
    """Read some quantities of this run and of the reference runs.

    Parameters
    ----------
    columns
        The quantities.
    predicting
        Whether they explain predictions: then only models that have learned their task count.

    Returns
    -------
    DataFrame
        Rows of the summary, those of reference runs under ``RUN/EXPERIMENT``, each with the
        ``column`` that it is in, and ``stale``, whether today's code would give another number.
        Empty where there is no reference run.
    """
    if not other_runs():
        return pd.DataFrame(columns=["experiment", *OWN])
    rows = pd.concat(_read(columns), ignore_index=True).dropna(subset="mean")
    if predicting:
        kept = kept_facts()
        known = {
            name: kept[name] if name in kept else facts(name)
            for name in rows["experiment"].unique()
        }
        rows = rows[rows["experiment"].map(lambda name: learned(known[name]))]
    return rows.reset_index(drop=True)


def runs_table(
    rows: pd.DataFrame, columns: Sequence[RunsColumn], w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Set the quantities of :func:`of_runs` side by side, one row an experiment and model state."""
    cells = []
    for (experiment, variant), group in rows.groupby(["experiment", "variant"], sort=False):
        found = {row.column: _cell(row, w) for row in group.itertuples()}
        texts = group.loc[group["texts"] > 0, "texts"]
        row = {w["experiment"]: experiment, w["variant"]: w[variant]}
        row |= {w[f"runs_{one.name}"]: found.get(one.name, ABSENT) for one in columns}
        counted = spread(texts.min(), texts.max(), ",d", w) if len(texts) else ABSENT
        cells.append(row | {w["runs_texts"]: counted})
    return pd.DataFrame(cells), rows.drop(columns=OWN)


def _cell(row: Any, w: Words) -> HTML:
    """Write a mean above its interval, if any: beside it, the last columns would have no room."""
    mean, low, high = (written(value, "z.2f") for value in (row.mean, row.low, row.high))
    interval = "" if np.isnan(row.low) else f"<br><small>[{low},\u00a0{high}]</small>"
    return HTML(mean + interval + (stale_mark(w) if row.stale else ""))


def _read(columns: Sequence[RunsColumn]) -> Iterator[pd.DataFrame]:
    """Read every column of every run, this one first, so that experiments stand in their order."""
    for run in ("", *other_runs()):
        old = stale(run) if run else []
        for one in columns:
            read = overall if one.layer == "mean" else curves
            rows = read(one.measure, run=run, **one.where)
            rows = rows if one.layer == "mean" else last(rows)
            names = [kept_experiment(run, name) if run else name for name in rows["experiment"]]
            yield rows.assign(experiment=names, column=one.name, stale=one.measure in old)
