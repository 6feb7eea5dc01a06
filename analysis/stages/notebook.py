"""Execute the notebook of a chapter with papermill, once for each language."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from nbformat import NotebookNode

from analysis.parameters import Params
from analysis.paths import LANGUAGES, NOTEBOOK, chapter_directory
from analysis.pipeline.processes import forked
from analysis.pipeline.stage import replacing, run
from attention_mixing.errors import InputError

SOURCES = Path(__file__).parents[1] / "chapters"


def notebook(params: Params, chapter: str) -> None:
    """Write :func:`chapter_directory`'s ``LANGUAGE/``: ``notebook.ipynb``, downloads, numbers."""
    # What runs notebooks and what draws, loaded once for the processes of both languages.
    import_module("analysis.site.notebook_engine")
    import_module("analysis.figures.chapter")
    with replacing(chapter_directory(chapter)) as directory:
        # Each language in a process of its own, as a kernel would be: what a notebook has imported,
        # read and asked for is no other's.
        forked(partial(execute, chapter, directory), LANGUAGES)


def execute(chapter: str, directory: Path, language: str) -> None:
    """Run one notebook in one language.

    Raises
    ------
    InputError
        If a cell of it raised one.
    """
    import jupytext
    import nbformat
    import papermill

    from analysis.site.notebook_engine import InProcess

    directory = directory / language
    directory.mkdir(parents=True)
    try:
        executed = papermill.execute_notebook(
            jupytext.read(SOURCES / chapter / "notebook.py"),
            None,
            parameters={"language": language, "directory": str(directory)},
            engine_name=InProcess.__name__,
            kernel_name="python3",
            progress_bar=sys.stderr.isatty(),
        )
    except papermill.PapermillExecutionError as error:
        if error.ename == InputError.__name__:
            raise InputError(error.evalue) from None
        raise
    nbformat.write(_without_times(executed), directory / NOTEBOOK)


def _without_times(executed: NotebookNode) -> NotebookNode:
    """Drop what differs from run to run: time stamps, and cell ids drawn at random."""
    executed.metadata.pop("papermill", None)
    for index, cell in enumerate(executed.cells):
        cell.id = f"cell-{index}"
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
    return executed


if __name__ == "__main__":
    run(notebook, chapters=sorted(path.parent.name for path in SOURCES.glob("*/notebook.py")))
