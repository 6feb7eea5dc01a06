"""What stands large, one experiment or a few methods, and all else in a fold below it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.figures.chapter import Chapter, printed_fold
from analysis.prose.phrases import NOTHING

Draw = Callable[..., tuple[Figure, pd.DataFrame]]


def front_of(rows: pd.DataFrame, by: str = "subject") -> str:
    """Name the experiment with the most lines; of several, the first; empty without rows.

    A line is a model state and a value of the column ``by``.
    """
    columns = [column for column in ("experiment", by, "variant") if column in rows]
    lines = rows[columns].drop_duplicates()
    counts = lines.groupby("experiment", sort=False, observed=True).size()
    return str(counts.idxmax()) if len(counts) else ""


def with_others(
    chapter: Chapter,
    label: str,
    draw: Draw,
    rows: pd.DataFrame,
    by: str = "subject",
    *,
    front: str = "",
    arguments: Sequence[Any] = (),
    explore: str | None = None,
    **how: Any,
) -> HTML:
    """Draw a figure of one experiment, and of all others in a fold below it.

    Parameters
    ----------
    chapter
        That publishes the figure.
    label, draw, arguments, explore, how
        As of :meth:`analysis.figures.chapter.Chapter.figure`; ``draw`` takes some of the ``rows``,
        and then the ``arguments``.
    rows
        With a column ``experiment``.
    by
        Column that tells lines apart, as :func:`front_of` has it.
    front
        The experiment; without it, or rows of it, the one that :func:`front_of` names.
    """
    if front not in set(rows["experiment"]):
        front = front_of(rows, by)
    large = rows["experiment"] == front
    drawn = chapter.figure(label, draw, rows[large], *arguments, explore=explore, **how)
    return HTML(drawn.data + _folded(chapter, label, draw, rows[~large], *arguments, **how).data)


def main_methods(
    chapter: Chapter, label: str, draw: Draw, rows: pd.DataFrame, methods: Collection[str]
) -> HTML:
    """Draw a figure of some methods, and of all of them in a fold below it.

    ``draw`` takes rows whose ``subject`` is the method; ``methods`` are those in front.
    """
    drawn = chapter.figure(label, draw, rows[rows["subject"].isin(methods)])
    whole = chapter.figure(label, draw, rows, of="all", folded=True)
    return HTML(drawn.data + printed_fold(chapter.words["all_methods"], whole.data))


def _folded(
    chapter: Chapter, label: str, draw: Draw, rows: pd.DataFrame, *arguments: Any, **how: Any
) -> HTML:
    if rows.empty:
        return NOTHING
    drawn = chapter.figure(label, draw, rows, *arguments, of="others", **how | {"folded": True})
    return HTML(printed_fold(chapter.words["other_experiments"], drawn.data))
