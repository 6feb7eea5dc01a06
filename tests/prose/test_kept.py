"""Reference runs beside this run: one that was kept of it says the same."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from dvc.repo import Repo
from IPython.display import HTML
from page import Page

from analysis.chapters.findings.prose import control, findings, sentence
from analysis.chapters.mixing import figures as mixing
from analysis.figures import runs
from analysis.figures.chapter import Chapter, kept_figures
from analysis.parameters import load
from analysis.paths import QUICK, REFERENCE, ROOT, chapter_directory
from analysis.prose.messages import sentences
from analysis.prose.phrases import NOTHING
from analysis.reference.keeping import keep
from analysis.results import summary
from analysis.runs.kept import control_run, other_runs
from analysis.stages.rules import rules

RUN = "once-more"
RATIOS = {"quantity": "ratio", "facet": "all"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory, small_site) -> Path:
    """The small run kept under a name, as one of other experiments, and its rules applied again."""
    here = tmp_path_factory.mktemp("kept") / "run"
    left = shutil.ignore_patterns("site", "artifacts", "chapters", "pages", "shown", "reference")
    shutil.copytree(small_site.parent, here, symlinks=True, ignore=left)
    (here / "reference").mkdir()
    shutil.copy(ROOT / REFERENCE / "tolerances.yaml", here / "reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        Repo.init(str(here), no_scm=True)
        keep(RUN)
        other = here / "reference" / RUN / "params.yaml"
        text = other.read_text(encoding="utf-8")
        assert other_runs() == []  # it would add nothing to this run
        other.write_text(
            text.replace("      batch_size: ", "      batch_size: 1"), encoding="utf-8"
        )
        rules(load())
    return here


@pytest.fixture
def here(kept, monkeypatch) -> Path:
    monkeypatch.chdir(kept)
    return kept


def fold(here: Path, language: str, read=lambda run: summary.curves("mixing", run=run, **RATIOS)):
    chapter = Chapter("mixing", language, str(chapter_directory("mixing") / language))
    return kept_figures(chapter, "scopes", mixing.scope_curves, read)


ENDS = ("low_of", "high_of")


def test_its_findings_have_the_numbers_of_the_run_that_it_was(here):
    compared = 0
    for chapter in ("mixing", "propagation", "heads", "faithfulness"):
        for finding in findings(chapter).values():
            for run, said in finding["kept"].items():
                assert run == RUN
                assert said["stale"] == []
                assert said["numbers"].keys() == finding["numbers"].keys()
                for name, shown in said["numbers"].items():
                    assert (shown is None) == (finding["numbers"][name] is None)
                    if shown is not None:
                        own = finding["numbers"][name]["states"]
                        assert shown["states"].keys() == own.keys()
                        for state, found in shown["states"].items():
                            values, expected = (
                                {key: value for key, value in of.items() if key not in ENDS}
                                for of in (found, own[state])
                            )
                            assert values == pytest.approx(expected, rel=1e-5, abs=1e-7)
                            for end in ENDS:  # experiments, if any; of a kept run behind its name
                                assert (found[end] or "").split("/")[-1] == (own[state][end] or "")
                            compared += 1
    assert compared > 40


def test_its_curves_are_those_of_the_run(here):
    own, other = summary.curves("mixing", **RATIOS), summary.curves("mixing", run=RUN, **RATIOS)
    shared = ["experiment", "variant", "subject", "layer", "texts"]
    pd.testing.assert_frame_equal(own[shared], other[shared], check_dtype=False)
    assert other["mean"].to_numpy() == pytest.approx(own["mean"].to_numpy(), rel=1e-6)


def test_its_rows_of_the_table_are_those_of_the_run(here):
    rows = runs.of_runs(mixing.OF_RUNS)
    cells, _ = runs.runs_table(rows, mixing.OF_RUNS, sentences("en", "mixing"))
    cells = cells.map(lambda cell: cell.data if isinstance(cell, HTML) else cell)
    kept = cells["experiment"].str.startswith(f"{RUN}/")
    assert len(cells[kept]) == len(cells[~kept]) > 0
    own = cells[~kept].reset_index(drop=True)
    other = cells[kept].reset_index(drop=True)
    assert other["experiment"].tolist() == [f"{RUN}/{name}" for name in own["experiment"]]
    pd.testing.assert_frame_equal(other.iloc[:, 1:], own.iloc[:, 1:])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_has_a_fold_with_its_figure(here, language):
    page = Page(fold(here, language).data)
    assert len(page.all("details")) == 1
    on_light, on_dark = (image["src"] for image in page.all("img"))
    assert on_light == f"files/mixing/scopes-{RUN}.svg"
    assert on_dark == f"{on_light}#dark"
    assert (chapter_directory("mixing") / language / f"scopes-{RUN}.svg").is_file()


@pytest.fixture
def trained_on(here) -> Path:
    """The kept run as one that trained its encoder on, which makes it the control."""
    path = here / "reference" / RUN / "run.json"
    before = path.read_text(encoding="utf-8")
    path.write_text(json.dumps(json.loads(before) | {"encoders": {"own": {}}}), encoding="utf-8")
    yield here
    path.write_text(before, encoding="utf-8")


def test_a_finding_that_would_be_another_one_today_is_marked(trained_on):
    here = trained_on
    path = here / "results" / "rules" / "mixing.json"
    before = path.read_text(encoding="utf-8")
    judged = json.loads(before)
    name, finding = next(
        (one["id"].partition(".")[2], one) for one in judged if RUN in one.get("kept", {})
    )
    finding["kept"][RUN]["stale"] = ["mixing"]
    path.write_text(json.dumps(judged), encoding="utf-8")
    try:
        said = control("mixing", sentences("en", "mixing"), name)
        marks = [a for a in Page(said.data).all("a") if a.get("class") == "stale"]
        assert [mark["href"] for mark in marks] == ["provenance.html#tbl-references"]
    finally:
        path.write_text(before, encoding="utf-8")


def test_a_run_that_has_nothing_to_draw_has_no_fold(here):
    assert fold(here, "en", read=lambda run: pd.DataFrame()) is NOTHING


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_run_that_trained_its_encoder_on_is_the_control(trained_on, language):
    w = sentences(language, "mixing")
    assert control_run() == RUN
    said = Page(control("mixing", w, "within", "isolated").data).texts["li"]
    found = findings("mixing")
    kept = [found[name]["kept"][RUN] for name in ("within", "isolated")]
    assert said == [sentence(one, w) for one in kept]


def test_another_run_is_no_control(here):
    assert control_run() is None
    assert control("mixing", sentences("en", "mixing"), "isolated") is NOTHING


def test_without_other_runs_there_is_nothing(here, monkeypatch, tmp_path):
    shutil.copytree(here / "reference" / RUN, tmp_path / "reference" / QUICK)
    monkeypatch.chdir(tmp_path)
    assert fold(tmp_path, "en") is NOTHING
    chapter = Chapter("mixing", "en", str(tmp_path / "files"))
    assert runs.every_run(chapter, mixing.OF_RUNS) is NOTHING
