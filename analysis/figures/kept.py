"""Reference runs beside this run: the main figure of a chapter, and what it states of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.figures.chapter import NOTHING, Chapter
from analysis.figures.chapter_notes import read_note, write_note
from analysis.figures.sentences import findings, sentence
from analysis.rules.quantities import control_run, other_runs
from attention_mixing.artifacts import read_artifact
from attention_mixing.markup import details, escape
from attention_mixing.paths import REFERENCE
from attention_mixing.words import Words

DRAWN = "kept"  # note of a chapter: reference run -> its figure, as HTML


def kept_figures(
    chapter: Chapter,
    label: str,
    draw: Callable[..., tuple[Figure, pd.DataFrame]],
    read: Callable[[str], pd.DataFrame],
) -> None:
    """Draw the main figure of a chapter of every reference run, for :func:`kept_runs`.

    Parameters
    ----------
    chapter
        Publishes the figures.
    label, draw
        Main figure of the chapter, as in :meth:`analysis.figures.chapter.Chapter.figure`.
    read
        Run -> what is drawn of it; a run that has nothing of it has no figure.
    """
    drawn = {}
    for run in other_runs():
        rows = read(run)
        if len(rows):
            drawn[run] = chapter.figure(label, draw, rows, of=run, folded=True).data
    write_note(chapter.directory, DRAWN, drawn)


def kept_runs(chapter: str, w: Words) -> HTML:
    """Give every reference run a fold: what a chapter states of it, and its figure.

    A run of which nothing is stated, and nothing drawn, has no fold.
    """
    drawn = read_note(w.language, chapter, DRAWN)
    folds = []
    for run in other_runs():
        shown = _stated(chapter, run, findings(chapter), w) + drawn.get(run, "")
        if shown:
            folds.append(details(_title(run, w), [shown]))
    return HTML("".join(folds)) if folds else NOTHING


def control(chapter: str, w: Words, *names: str) -> HTML:
    """Say some findings of a chapter in the run that is the control, where there is one."""
    run = control_run()
    return NOTHING if run is None else HTML(_stated(chapter, run, names, w))


def _stated(chapter: str, run: str, names: Iterable[str], w: Words) -> str:
    """List findings of a chapter in a run, and say whose code is another one now."""
    found = findings(chapter)
    items = []
    for name in names:
        if run in found[name]["kept"]:
            one = found[name]["kept"][run]
            said = sentence(one, w)
            said = w.say("finding_changed", finding=said) if one["changed"] else said
            items.append(f"<li>{escape(said)}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _title(run: str, w: Words) -> str:
    made = read_artifact(REFERENCE / run / "run.json")
    about = {"date": made["date"][:10], "commit": (made["commit"] or "")[:7]}
    return w.say("kept_run", run=run, **about)
