"""Reference runs beside this run: what a chapter states of each, and its main figure."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.artifacts import read_artifact
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import details, escape
from analysis.figures.sentences import findings, sentence
from analysis.paths import REFERENCE
from analysis.rules.quantities import other_runs


def kept_runs(
    chapter: Chapter,
    label: str,
    draw: Callable[..., tuple[Figure, pd.DataFrame]],
    read: Callable[[str], pd.DataFrame],
) -> HTML:
    """Give every reference run a fold.

    Parameters
    ----------
    chapter
        Publishes the figures.
    label, draw
        Main figure of the chapter, as in :meth:`analysis.figures.chapter.Chapter.figure`.
    read
        Run -> what is drawn of it; a run that has nothing of it has no figure.
    """
    w = chapter.words
    folds = []
    for run in other_runs():
        said = [
            escape(w.say("finding_changed", finding=text) if changed else text)
            for text, changed in _stated(chapter, run)
        ]
        rows = read(run)
        shown = f"<ul>{''.join(f'<li>{one}</li>' for one in said)}</ul>"
        if len(rows):
            shown += chapter.figure(label, draw, rows, of=run, folded=True).data
        folds.append(details(_title(run, chapter), [shown]))
    return HTML("".join(folds)) if folds else NOTHING


def _stated(chapter: Chapter, run: str) -> list[tuple[str, bool]]:
    """Say the findings of a chapter in a run, each with whether its code is another one now."""
    found = [one["kept"].get(run) for one in findings(chapter.name).values()]
    return [(sentence(one, chapter.words), one["changed"]) for one in found if one]


def _title(run: str, chapter: Chapter) -> str:
    made = read_artifact(REFERENCE / run / "run.json")
    about = {"date": made["date"][:10], "commit": (made["commit"] or "")[:7]}
    return chapter.words.say("kept_run", run=run, **about)
