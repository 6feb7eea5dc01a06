"""What a chapter's notebook publishes: figures, tables and the numbers of its prose."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Callable, Mapping
from inspect import getsource
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython import get_ipython
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.figures.downloads import as_csv, files_of, write_data
from analysis.figures.svg import names_beside, points, svg
from analysis.figures.svg_minify import DARK
from analysis.figures.tables import dictionary, explained, sampled
from analysis.paths import KEPT_NOTE, LANGUAGES, REFERENCE, ROOT, asked_for
from analysis.prose.messages import words
from analysis.prose.phrases import NOTHING, written
from analysis.results.notes import write_note
from analysis.runs.kept import other_runs
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import require
from attention_mixing.markup import details, escape, in_prose
from attention_mixing.messages import Words

DICTIONARY = "columns"  # what the columns of the downloads mean
FOLDED_FROM = 16  # rows of a table; a longer one would part the text
LAZY = ' loading="lazy"'
INJECTED = "# Parameters\n"  # begins the cell that papermill adds after that of the defaults


class Chapter:
    """Collects what one chapter shows in one language.

    Parameters
    ----------
    name
        Of the chapter, e.g. ``propagation``.
    language
        ``en`` or ``ja``.
    directory
        Where downloads and ``numbers.json`` go; made if it is not there.

    Attributes
    ----------
    words
        Of the chapter, in its language.

    Raises
    ------
    InputError
        If the notebook was given a parameter that it does not have, or there is no such language.
    """

    def __init__(self, name: str, language: str, directory: str) -> None:
        require_parameters()
        require(language, "languages", LANGUAGES)
        self.name = name
        self.words = words(language, name)
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._frame = words(language)
        self._numbers: dict[str, str] = {}
        self._drawn_by: dict[str, str] = {}
        self._columns: list[str] = []
        self._quantities: set[tuple[str, str]] = set()

    def figure(
        self,
        label: str,
        draw: Callable[..., tuple[Figure, pd.DataFrame]],
        *arguments: Any,
        of: str = "",
        about: Mapping[str, str] | None = None,
        explore: str | None = None,
        folded: bool = False,
        **style: Any,
    ) -> HTML:
        """Draw a figure and publish it with its alternative text and the data behind it.

        Parameters
        ----------
        label
            Names the files of the figure, and its alternative text, the message ``alt_LABEL``.
        draw
            Draws it inside :func:`analysis.figures.style.figure_style`, from the arguments and the
            words of the chapter, and gives the data that it has drawn.
        arguments
            Of ``draw``, before the words.
        of
            Tells figures of one label apart, such as an experiment.
        about
            Arguments of the alternative text.
        explore
            Address of a view of the explorer that shows the same.
        folded
            Whether it stands in a fold: the page loads it when the fold is opened, so that a page
            does not take longer with the number of experiments.
        style
            Named arguments of ``draw``.
        """
        figure, data = draw(*arguments, self.words, **style)
        alt = self.words[f"alt_{label.replace('-', '_')}"].format(**about or {})
        name = f"{label}-{of}" if of else label
        drawing = svg(figure, f"{self.name}-{name}")
        beside, said = names_beside(figure), [] if folded else points(figure)
        plt.close(figure)
        (self.directory / f"{name}.svg").write_text(drawing, encoding="utf-8")
        self.download(name, data, float_format="%.6g")
        sources = self._sources(name, draw, explore)
        images = _shown(f"files/{self.name}/{name}.svg", drawing, alt, lazy=folded)
        if not folded:
            summary, code = escape(self._frame["function"]), escape(_code(draw))
            sources += (
                f'<details class="code"><summary>{summary}</summary>'
                f"<pre><code>{code}</code></pre></details>"
            )
        kept = ' data-names="{} {}"'.format(*beside) if beside else ""
        kept += f' data-points="{escape(json.dumps(said, ensure_ascii=False))}"' if said else ""
        return HTML(f'<div class="plot" tabindex="0"{kept}>{images}</div>{sources}')

    def table(
        self,
        label: str,
        draw: Callable[..., tuple[pd.DataFrame | str, pd.DataFrame]],
        *arguments: Any,
        over: pd.DataFrame | None = None,
        summary: str = "",
    ) -> HTML:
        """Draw up a table and publish it.

        Parameters
        ----------
        label
            Names its file.
        draw
            Gives, from the arguments and the words of the chapter, the cells, which are shown as
            they are and escaped unless they are :class:`IPython.display.HTML`, or HTML of its own
            making; and the same with full precision, for the download.
        arguments
            Of ``draw``, before the words.
        over
            Rows of the summary behind the table, where the data are not such rows themselves:
            their texts and seeds are told below it.
        summary
            Under which it is folded, however long it is.
        """
        cells, data = draw(*arguments, self.words)
        self.download(label, data)
        html = cells if isinstance(cells, str) else self._table_html(cells, summary)
        note = sampled(data if over is None else over, self._frame)
        if note:
            html += f'<p class="sampled"><small>{escape(note)}</small></p>'
        return HTML(html + self._sources(label, draw))

    def download(self, name: str, data: pd.DataFrame, float_format: str | None = None) -> None:
        """Publish data as :func:`analysis.figures.downloads.write_data` writes them.

        Parameters
        ----------
        name
            Of the file, without its ending.
        data
            A row a line, under column names that are the project's own.
        float_format
            Such as ``%.6g``; all digits without it.
        """
        self._columns.extend(data.columns)
        if {"measure", "quantity"} <= set(data.columns):
            quantities = data[["measure", "quantity"]].drop_duplicates()
            self._quantities.update(quantities.itertuples(index=False, name=None))
        write_data(data, self.directory, name, float_format)

    def _table_html(self, cells: pd.DataFrame, summary: str) -> str:
        """Write a table, a long one, or one with a summary, in a fold."""
        head = "".join(f"<th>{escape(column)}</th>" for column in cells.columns)
        # Each in a line: looking for a label, Quarto takes the square of a line's length.
        rows = "".join(
            "\n<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
            for row in cells.itertuples(index=False)
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        html = f'<div class="table" tabindex="0">{table}</div>'
        if summary or len(cells) >= FOLDED_FROM:
            summary = summary or self._frame.say("rows", rows=len(cells))
            html = printed_fold(summary, html)
        return html

    def _sources(self, label: str, draw: Callable[..., object], explore: str | None = None) -> str:
        """Link to the files of a figure or table that were written, and to what drew it."""
        drawn_by = self._drawn_by[label] = f"{draw.__module__.replace('.', '/')}.py"
        links = [
            (f"files/{self.name}/{file.name}", word)
            for word, file in files_of(self.directory, label).items()
        ]
        if explained(self._columns, self.words):
            links.append((f"files/{self.name}/{DICTIONARY}.csv", "columns"))
        links.append((f"files/{self.name}/{Path(drawn_by).name}.txt", "code"))
        anchors = tuple(f'<a href="{href}">{self._frame[word]}</a>' for href, word in links)
        if explore is not None:
            anchor = f'<a href="{escape(explore)}">{self._frame["explore"]}</a>'
            anchors = (anchor, *anchors)
        return f'<p class="sources">{" · ".join(anchors)}</p>'

    def number(self, name: str, value: Any, form: str = "") -> None:
        """Name a number of the prose, as ``{{< var CHAPTER.name >}}``.

        Parameters
        ----------
        name
            Lower case with hyphens.
        value
            The number, a word chosen by a rule, or a text, which is written in one line.
        form
            Format specification, such as ``.1%`` or ``.2f``.
        """
        self._numbers[name] = in_prose(written(value, form) if form else str(value))

    def close(self) -> None:
        """Write numbers, names and the code that drew the figures; the last a notebook does."""
        names = dictionary(self._columns, self._quantities, self.words)
        if len(names):
            (self.directory / f"{DICTIONARY}.csv").write_bytes(as_csv(names))
        for module in sorted(set(self._drawn_by.values())):
            shutil.copyfile(ROOT / module, self.directory / f"{Path(module).name}.txt")
        # Numbers are for the prose; which module drew what, of which results, for provenance.
        write_note(self.directory, "numbers", self._numbers)
        write_note(self.directory, "drawn_by", self._drawn_by)
        write_note(self.directory, "reads", asked_for())


def require_parameters() -> None:
    """Refuse what papermill was given and the first cell of the notebook does not have.

    papermill itself warns of it, and goes on.

    Raises
    ------
    InputError
        With the parameters that there are.
    """
    shell = get_ipython()
    cells = shell.user_ns["In"][1:3] if shell else []
    if len(cells) == 2 and cells[1].startswith(INJECTED):
        declared, injected = map(_assigned, cells)
        for name in injected:
            require(name, "parameters of this notebook", declared)


def _assigned(cell: str) -> list[str]:
    """Names that the statements of a cell assign to."""
    return [
        target.id
        for statement in ast.parse(cell).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    ]


def _code(draw: Callable[..., object]) -> str:
    """Source of the cell that runs, where there is one, and of the function that draws."""
    shell = get_ipython()
    cell = shell.user_ns["In"][-1] if shell else ""
    source = re.sub(r"^# \| label: .*\n", "", cell).strip()
    return "\n\n\n".join(filter(None, (source, getsource(draw))))


def _shown(source: str, drawing: str, alt: str, *, lazy: bool) -> str:
    """Show the file of a drawing twice, of which a page hides the one that it is too light for.

    A picture follows the colours of the system, not those that a reader has chosen on the page.
    """
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', drawing)
    assert size is not None
    width, height = (round(float(points) * 4 / 3) for points in size.groups())
    said = f'alt="{escape(alt)}" width="{width}" height="{height}"'
    on_light = f'<img src="{source}" {said}{LAZY if lazy else ""}>'
    return f'{on_light}<img class="on-dark" src="{source}#{DARK}" {said}{LAZY}>'


def _cell(value: object) -> str:
    return str(value.data) if isinstance(value, HTML) else escape(value)


def printed_fold(summary: str, html: str) -> str:
    """Put HTML into a fold with a summary, which is text; on paper nothing is folded."""
    return (
        f'<details class="printed"><summary class="on-screen">{escape(summary)}</summary>{html}'
        "</details>"
    )


def kept_figures(
    chapter: Chapter,
    label: str,
    draw: Callable[..., tuple[Figure, pd.DataFrame]],
    read: Callable[[str], pd.DataFrame],
) -> HTML:
    """Draw the main figure of a chapter of every reference run, each in a fold.

    ``label`` and ``draw`` are as in :meth:`analysis.figures.chapter.Chapter.figure`; ``read`` gives
    what is drawn of a run, and a run that has nothing of it has no fold.
    """
    folds = []
    for run in other_runs():
        rows = read(run)
        if len(rows):
            drawn = chapter.figure(label, draw, rows, of=run, folded=True)
            folds.append(details(_title(run, chapter.words), [drawn.data]))
    return HTML("".join(folds)) if folds else NOTHING


def _title(run: str, w: Words) -> str:
    note = read_artifact(REFERENCE / run / KEPT_NOTE)
    about = {"date": note["date"][:10], "commit": (note["commit"] or "")[:7]}
    return w.say("kept_run", run=run, **about)
