"""What notebooks publish, pages show: nothing is drawn for nobody."""

import re
from pathlib import Path

import pytest

REPORT = Path(__file__).parents[2] / "report"
NOTEBOOKS = REPORT.parent / "analysis" / "notebooks"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_show_every_cell_of_the_notebooks(language):
    pages = [path.read_text(encoding="utf-8") for path in (REPORT / language).rglob("*.qmd")]
    for notebook in NOTEBOOKS.glob("*.py"):
        cells = re.findall(r"^# \| label: (\S+)", notebook.read_text(encoding="utf-8"), re.M)
        asked = rf"embed\s+notebooks/{notebook.stem}\.ipynb#(\S+)"
        assert set(cells) == {one for page in pages for one in re.findall(asked, page)}, notebook
