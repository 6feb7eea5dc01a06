"""What notebooks publish, pages show; and they read what the graph says that they read."""

import ast
import re

import pytest

from analysis.paths import ROOT
from analysis.pipeline.source_code import closure, tree

REPORT = ROOT / "report"
NOTEBOOKS = sorted((ROOT / "analysis" / "chapters").glob("*/notebook.py"))
SHOWING = ("chapters", "figures", "prose", "results", "rules", "runs")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_show_every_cell_of_the_notebooks(language):
    pages = [path.read_text(encoding="utf-8") for path in (REPORT / language).rglob("*.qmd")]
    for notebook in NOTEBOOKS:
        cells = re.findall(r"^# \| label: (\S+)", notebook.read_text(encoding="utf-8"), re.M)
        asked = rf"embed\s+notebooks/{notebook.parent.name}\.ipynb#(\S+)"
        assert set(cells) == {one for page in pages for one in re.findall(asked, page)}, notebook


def test_what_is_run_next_is_read_by_no_notebook():
    """Chapters show results, so they read the parameters of these, whatever is edited since."""
    shown = [path for path in closure(*NOTEBOOKS) if path.relative_to(ROOT).parts[1] in SHOWING]
    assert {"notebook", "maps", "kept", "parameters"} <= {path.stem for path in shown}
    for path in shown:
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.Name) and node.id == "PARAMS_FILE"), path
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load":
                assert node.args or ast.unparse(node.func.value) != "params", path
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
                assert node.args, path
