"""A papermill engine that runs the cells of a notebook in this process.

A kernel would be a process of its own, which imports anew what takes longer to import than most
chapters take to draw.
"""

from __future__ import annotations

from typing import Any

import matplotlib
from ipykernel.ipkernel import IPythonKernel
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode
from nbformat.v4 import new_output
from papermill.engines import Engine, NotebookExecutionManager, papermill_engines
from traitlets.config import Config

matplotlib.use("agg")  # by itself it would look for a screen


class InProcess(Engine):
    """Engine of papermill that runs cells in an IPython shell, in turn, until one fails."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, **options: Any
    ) -> None:
        """Run a notebook, which keeps what its cells give, or the error of the last."""
        # Cells are no part of the history of what somebody typed.
        shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
        nb_man.nb.metadata["language_info"] = IPythonKernel.language_info
        for cell in nb_man.nb.cells:
            if cell.cell_type == "code":
                cell.outputs = _outputs(cell, shell)
            nb_man.cell_complete(cell)
            if any(output.output_type == "error" for output in cell.get("outputs", [])):
                break


def _outputs(cell: NotebookNode, shell: InteractiveShell) -> list[NotebookNode]:
    # What shows results is replaced within its trap, or a cell would put it back.
    with shell.display_trap, capture_output(stderr=False) as captured:
        done = shell.run_cell(cell.source, store_history=True)
    cell.execution_count = done.execution_count
    outputs = [
        new_output(
            "execute_result",
            data=output.data,
            metadata=output.metadata,
            execution_count=done.execution_count,
        )
        for output in captured.outputs
    ]
    error = done.error_before_exec or done.error_in_exec
    if error is None:
        return outputs
    # IPython prints the traceback.
    failed = {"ename": type(error).__name__, "evalue": str(error)}
    return [*outputs, new_output("error", **failed, traceback=captured.stdout.splitlines())]


papermill_engines.register(InProcess.__name__, InProcess)
