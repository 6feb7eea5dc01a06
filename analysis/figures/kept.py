"""Reference runs beside this run: what a chapter states of each, and its main figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.artifacts import read_artifact
from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.markup import details, escape
from analysis.figures.sentences import findings, sentence
from analysis.paths import REFERENCE
from analysis.rules.quantities import control_run, other_runs


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
        Run -> what is drawn of it; a run that has nothing of it has no figure, and one of which
        nothing is stated either no fold.
    """
    folds = []
    for run in other_runs():
        shown, rows = _stated(chapter, run, findings(chapter.name)), read(run)
        if len(rows):
            shown += chapter.figure(label, draw, rows, of=run, folded=True).data
        if shown:
            folds.append(details(_title(run, chapter), [shown]))
    return HTML("".join(folds)) if folds else NOTHING


def control(chapter: Chapter, *names: str) -> HTML:
    """Say some findings of a chapter in the run that is the control, where there is one."""
    run = control_run()
    return NOTHING if run is None else HTML(_stated(chapter, run, names))


def _stated(chapter: Chapter, run: str, names: Iterable[str]) -> str:
    """List findings of a chapter in a run, and say whose code is another one now."""
    w, found = chapter.words, findings(chapter.name)
    items = []
    for name in names:
        if run in found[name]["kept"]:
            one = found[name]["kept"][run]
            said = sentence(one, w)
            said = w.say("finding_changed", finding=said) if one["changed"] else said
            items.append(f"<li>{escape(said)}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _title(run: str, chapter: Chapter) -> str:
    made = read_artifact(REFERENCE / run / "run.json")
    about = {"date": made["date"][:10], "commit": (made["commit"] or "")[:7]}
    return chapter.words.say("kept_run", run=run, **about)
