"""Long tables of the sources fold on the pages of both renderers, and nowhere else."""

import shutil
import subprocess

import pytest
from small_report import read_page, write_project
from test_quarto import write_quarto_project

from report.paper.assemble import assemble
from report.preview import render
from report.preview.project import Project


def table(label: str, rows: int) -> str:
    lines = "\n".join(f"| 行{label}{row} | $x_{{{row}}}$ |" for row in range(rows))
    return f"\n::: {{#tbl-{label}}}\n\n| a | b |\n|---|---|\n{lines}\n\n題{label}\n:::\n"


PAGE = {"index": f"---\ntitle: 題\n---\n\n## 節\n{table('short', 15)}{table('long', 16)}"}


@pytest.mark.parametrize("renderer", ["pandoc", "quarto"])
def test_a_table_of_more_than_fifteen_rows_folds(tmp_path, renderer):
    output = tmp_path / "ja" / "_site"
    if renderer == "pandoc":
        render(write_project(tmp_path, PAGE), output)
    elif shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    else:
        project = write_quarto_project(tmp_path, PAGE)
        subprocess.run(["quarto", "render", project], capture_output=True, check=True)
    main = read_page(output / "index.html").one("main")
    fold = main.one("details")
    assert "open" not in fold.attributes
    assert fold.one("summary").text == "16 行"
    assert "行long0" in fold.text and "題long" not in fold.text
    assert "題long" in main.one(id="tbl-long").text
    assert len(main.all("table")) == 2 and len(main.all("math")) == 31


def test_on_paper_nothing_folds(tmp_path):
    written = assemble(Project.read(write_project(tmp_path, PAGE))).markdown
    assert "行long15" in written and "details" not in written
