"""A notebook runs in both languages, each as if alone, and keeps what its cells gave."""

import nbformat
import pytest
from papermill import PapermillExecutionError

from analysis.parameters import load
from analysis.paths import LANGUAGES, NOTEBOOK, chapter_directory
from analysis.stages import notebook as stage
from attention_mixing.errors import InputError

HEAD = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% tags=["parameters"]
language = directory = ""
"""


@pytest.fixture
def run(here, monkeypatch, root):
    """Return ``run(*cells)``: the outputs of a notebook of these cells, by language."""
    monkeypatch.setattr(stage, "SOURCES", here)
    values = load(root / "params.yaml")

    def run(*cells: str) -> dict[str, list]:
        source = "\n".join([HEAD, *(f"# %%\n{cell}\n" for cell in cells)])
        (here / "made").mkdir(exist_ok=True)
        (here / "made" / "notebook.py").write_text(source)
        stage.notebook(values, "made")
        made = {
            language: nbformat.read(chapter_directory("made") / language / NOTEBOOK, as_version=4)
            for language in LANGUAGES
        }
        return {language: [cell.outputs for cell in one.cells] for language, one in made.items()}

    return run


def test_a_cell_keeps_what_it_gives(run):
    for language, outputs in run("from IPython.display import HTML", "HTML(language)").items():
        *before, (shown,) = outputs
        assert not any(before)
        assert shown.data["text/html"] == language


def test_neither_language_finds_what_the_other_left(run):
    found = run("import os", "os.environ.setdefault('LEFT', language)")
    for language, (*_, (shown,)) in found.items():
        assert shown.data["text/plain"] == repr(language)


def test_what_a_chapter_cannot_read_is_said_in_one_sentence(here, root):
    values = load(root / "params.yaml")
    with pytest.raises(InputError, match=r"^results/rules/claims\.json is missing or corrupted; "):
        stage.notebook(values, "advice")


@pytest.mark.parametrize(("cell", "said"), [("1 / 0", "ZeroDivisionError"), ("1 +", "SyntaxError")])
def test_a_cell_that_fails_is_shown_and_nothing_is_written(run, cell, said, tmp_path):
    with pytest.raises(PapermillExecutionError, match=said) as caught:
        run(cell, "from pathlib import Path; Path('after').touch()")
    assert cell in str(caught.value)
    assert {path.name for path in tmp_path.rglob("*")} == {
        *("made", "notebook.py", "results", "chapters")
    }
