"""Execute the notebook of a chapter with papermill, once for each language."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from nbformat import NotebookNode

from analysis.errors import InputError
from analysis.measures.workers import follow
from analysis.params import Params
from analysis.paths import LANGUAGES, NOTEBOOK, chapter_directory
from analysis.stage import replacing, run

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def notebook(params: Params, chapter: str) -> None:
    """Write :func:`chapter_directory`'s ``LANGUAGE/``: ``notebook.ipynb``, downloads, numbers."""
    # A notebook imports the package from the working directory, as the stages do.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    with (
        replacing(chapter_directory(chapter)) as directory,
        # Not in threads, where traitlets now and then looks up a class by what is no more its name.
        get_context("fork").Pool(len(LANGUAGES), follow, (os.getpid(),)) as pool,
    ):
        pool.map(partial(execute, chapter, directory), LANGUAGES)


def execute(chapter: str, directory: Path, language: str) -> None:
    """Run one notebook in one language."""
    import jupytext
    import nbformat
    import papermill
    from traitlets.config import Config

    directory = directory / language
    directory.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        source, target = (str(Path(scratch) / name) for name in ("source.ipynb", "executed.ipynb"))
        nbformat.write(jupytext.read(NOTEBOOKS / f"{chapter}.py"), source)
        # Sockets of its own: a port that is free when it is chosen may be taken before it is bound.
        sockets = {"transport": "ipc", "ip": str(Path(scratch, "kernel"))}
        try:
            papermill.execute_notebook(
                source,
                target,
                parameters={"language": language, "directory": str(directory)},
                kernel_name="python3",
                config=Config(KernelManager=sockets),
                extra_arguments=["--log-level=50"],  # it warns of its own end
                progress_bar=sys.stderr.isatty(),
            )
        except papermill.PapermillExecutionError as error:
            if error.ename == InputError.__name__:
                raise InputError(error.evalue) from None
            raise
        executed = _without_times(nbformat.read(target, as_version=4))
        nbformat.write(executed, directory / NOTEBOOK)


def _without_times(executed: NotebookNode) -> NotebookNode:
    """Drop what differs from run to run: time stamps, and cell ids drawn at random."""
    executed.metadata.pop("papermill", None)
    for index, cell in enumerate(executed.cells):
        cell.id = f"cell-{index}"
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
    return executed


if __name__ == "__main__":
    run(notebook, chapters=sorted(path.stem for path in NOTEBOOKS.glob("*.py")))
