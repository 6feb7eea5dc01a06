"""A chapter is executed again by hand, with parameters of its reader."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from refusals import refusal
from small_run import ENVIRONMENT
from tiny_experiment import parameters, written

from analysis.chapters.features import figures as features
from analysis.chapters.geometry import attentionviz
from analysis.chapters.heads import figures as heads
from attention_mixing.errors import InputError

CHAPTERS = Path("results", "chapters")


@pytest.fixture(scope="module")
def here(tmp_path_factory, small_site) -> Path:
    """The results of the small run, beside parameters that were edited since."""
    copy = tmp_path_factory.mktemp("by-hand")
    shutil.copytree(small_site.parent / "results", copy / "results")
    (copy / "reference").symlink_to(small_site.parent / "reference")
    (copy / "params.yaml").write_text("no parameters", encoding="utf-8")
    return copy


def papermill(here: Path, chapter: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Execute the notebook that the stage wrote, as its page in English shows it."""
    notebook = CHAPTERS / chapter / "en" / "notebook.ipynb"
    return subprocess.run(
        [sys.executable, "-m", "papermill", notebook, "out.ipynb", "--no-progress-bar", *options],
        cwd=here,
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
    )


def test_a_chapter_is_that_of_its_results_in_the_language_that_is_asked_for(here):
    before = written(here / "results")
    done = papermill(here, "propagation", "-p", "language", "ja")
    assert done.returncode == 0, done.stderr
    made, stage = written(here / "files" / "propagation"), here / CHAPTERS / "propagation" / "ja"
    expected = {name: content for name, content in written(stage).items() if "ipynb" not in name}
    assert made.keys() == expected.keys()
    for name in made:
        if name.endswith((".csv", "numbers.json")):
            assert made[name] == expected[name], name
    assert written(here / "results") == before
    shown = json.loads((here / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    assert sum("svg" in json.dumps(cell.get("outputs", [])) for cell in shown) > 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-p", "langage", "ja"], "'langage' is none of the parameters of this notebook; allowed"),
        (["-p", "language", "fr"], "'fr' is none of the languages; allowed: en, ja"),
    ],
)
def test_parameters_that_do_not_exist_are_refused(here, options, said):
    done = papermill(here, "advice", *options)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith(f"InputError: {said}")


@pytest.mark.parametrize("chapter", [heads, features])
def test_a_figure_of_one_experiment_shows_the_one_that_is_asked_for(chapter):
    values = parameters()
    assert chapter.shown(values, None) == chapter.shown(values, "reviews") == "reviews"
    with pytest.raises(InputError, match="'review' is none of the experiments; allowed: reviews"):
        chapter.shown(values, "review")


def test_the_head_that_is_shown_at_large_is_the_one_that_is_asked_for():
    pairs = pd.DataFrame({"layer": [1, 1, 2, 2], "head": [1, 2, 1, 2], "attention": [1, 2, 3, 4]})
    pairs = pairs.assign(asked=True, strongest=[True, True, True, False])
    assert attentionviz.shown_head(pairs, None, None) == (2, 1)
    assert attentionviz.shown_head(pairs, 1, 2) == (1, 2)
    for layer, head in ((3, 1), (1, None), (None, 1), (0, 0)):
        said = refusal(attentionviz.shown_head, pairs, layer, head)
        assert "a layer from 1 to 2 and a head from 1 to 2" in said
