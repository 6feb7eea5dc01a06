"""What notebooks publish, pages show; and they read what the graph says that they read."""

import ast
import re
from pathlib import Path

import pytest

from analysis.pipeline.source_code import closure, tree

REPORT = Path(__file__).parents[2] / "report"
NOTEBOOKS = REPORT.parent / "analysis" / "notebooks"
SHOWING = ("notebooks", "figures", "prose", "results", "rules", "runs")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_show_every_cell_of_the_notebooks(language):
    pages = [path.read_text(encoding="utf-8") for path in (REPORT / language).rglob("*.qmd")]
    for notebook in NOTEBOOKS.glob("*.py"):
        cells = re.findall(r"^# \| label: (\S+)", notebook.read_text(encoding="utf-8"), re.M)
        asked = rf"embed\s+notebooks/{notebook.stem}\.ipynb#(\S+)"
        assert set(cells) == {one for page in pages for one in re.findall(asked, page)}, notebook


def test_what_is_run_next_is_read_by_no_notebook():
    """Chapters show results, so they read the parameters of these, whatever is edited since."""
    notebooks = sorted(NOTEBOOKS.glob("*.py"))
    shown = [path for path in closure(*notebooks) if path.parent.name in SHOWING]
    assert {"heads", "findings", "kept", "parameters"} <= {path.stem for path in shown}
    for path in shown:
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.Name) and node.id == "PARAMS_FILE"), path
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load":
                assert node.args or ast.unparse(node.func.value) != "params", path
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
                assert node.args, path
