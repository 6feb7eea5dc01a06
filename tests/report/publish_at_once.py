"""Publishes a run in one process, without a kernel for every notebook: minutes less.

Run in the directory of the run, after its measures were taken.
"""

import jupytext
import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from analysis import params
from analysis.paths import LANGUAGES, NOTEBOOK, chapter_directory
from analysis.stages.notebook import NOTEBOOKS
from analysis.stages.parameters import parameters
from analysis.stages.report import report
from analysis.stages.rules import rules
from analysis.stages.site import site
from analysis.stages.summary import summary


def execute(chapter: str, language: str) -> None:
    """Run the cells of a notebook and keep what they show, as the stage does."""
    directory = chapter_directory(chapter) / language
    directory.mkdir(parents=True)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    notebook = jupytext.read(NOTEBOOKS / f"{chapter}.py")
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        with capture_output() as captured:
            last = shell.run_cell(cell.source, store_history=True)
        last.raise_error()
        shown = [one.data for one in captured.outputs]
        if last.result is not None:
            shown.append(shell.display_formatter.format(last.result)[0])
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
        if "parameters" in cell.metadata.get("tags", ()):
            shell.push({"language": language, "directory": str(directory)})
    nbformat.write(notebook, directory / NOTEBOOK)


if __name__ == "__main__":
    values = params.load()
    for stage in (parameters, summary, rules):
        stage(values)
    for path in sorted(NOTEBOOKS.glob("*.py")):
        for language in LANGUAGES:
            execute(path.stem, language)
    for stage in (report, site):
        stage(values)
