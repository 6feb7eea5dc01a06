"""The chain from a figure to the data, on a graph small enough to follow by hand."""

import json
import shutil
import subprocess
import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml

from analysis import paths
from analysis.chapters.provenance import figures, lineage
from analysis.figures import downloads
from analysis.parameters import load
from analysis.prose.messages import words
from analysis.results import record
from analysis.site import citation
from attention_mixing.hashing import file_sha256
from attention_mixing.markup import escape

GRAPH = {
    "prepare": {"foreach": "${experiments}", "do": {}},
    "input": {"foreach": "${files}", "do": {}},
    "vectors": {"foreach": "${experiments}", "do": {}},
    "focus": {"foreach": ["${report.focus.experiment}"], "do": {}},
    "notebook-mixing": {},
    "notebook-heads": {},
    "notebook-provenance": {},
    "report": {"foreach": ["en", "ja"], "do": {}},
}
NAMES = ["vectors@reviews", "focus@sentences", "notebook-mixing"]


def stage(command, deps=(), outs=(), **parameters):
    entries = [[{"path": p, "md5": m, "size": 2**20} for p, m in some] for some in (deps, outs)]
    return {"cmd": command, "params": {"params.yaml": parameters}} | dict(
        zip(("deps", "outs"), entries, strict=True)
    )


LOCK = {
    "vectors@reviews": stage(
        "python -m analysis.stages measure reviews vectors",
        [("artifacts/reviews/capture", "c" * 32)],
        [("results/summary", "d" * 32), ("results/m.json", "e" * 32)],
        **{"bootstrap.seed": 0},
    ),
    "vectors@gone": stage("python -m analysis.stages measure gone vectors"),
    "focus@sentences": stage("python -m analysis.stages measure sentences focus"),
    "notebook-mixing": stage("python -m analysis.stages notebook mixing"),
    "notebook-provenance": stage("python -m analysis.stages notebook provenance"),
    "report": stage("python -m analysis.stages report"),
}


@pytest.fixture
def run(root, tmp_path, monkeypatch):
    """A finished run of one chapter with one figure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": GRAPH}, sort_keys=False))
    (tmp_path / "dvc.lock").write_text(yaml.safe_dump({"stages": LOCK}))
    files = tmp_path / "results/chapters/mixing/en"
    for folder in (files, tmp_path / "runs", tmp_path / "modules"):
        folder.mkdir(parents=True)
    (files / "scopes.csv").write_text("a\n1\n")
    (files / "scopes.svg").write_text("<svg/>")
    (files / "scopes.map-1.js").write_text("x")
    (files / "drawn_by.json").write_text(json.dumps({"scopes": "analysis/figures/curves.py"}))
    reads = ["results/summary/vectors/curves.parquet", "results/m.json", "results/x"]
    (files / "reads.json").write_text(json.dumps(reads))
    stated = tmp_path / "results/findings/en"
    stated.mkdir(parents=True)
    (stated / "reads.json").write_text(json.dumps({"mixing": ["results/rules/mixing.json"]}))
    (tmp_path / "modules/notebook-mixing.json").write_text(
        json.dumps(
            {
                "modules": {"analysis/figures/curves.py": "f" * 64},
                "packages": {"python": "3.0", "numpy": "1.0", "kiwisolver": "0.1"},
            }
        )
    )
    (tmp_path / "runs/vectors@reviews.json").write_text(
        json.dumps({"seconds": 61.6, "peak_memory_mib": 300, "started": "2026"})
    )
    return load(root / "params.yaml")


@pytest.fixture(scope="module")
def w():
    return words("en", "provenance")


def test_the_lock_is_read_for_the_stages_of_this_graph_alone(run):
    assert list(record.read_lock(run)) == NAMES


def test_a_stage_is_shown_with_all_that_it_read_and_wrote(run, w):
    cells, data = lineage.stages_table(record.read_lock(run), w)
    assert cells[w["stage"]].tolist() == ["vectors", "focus", "notebook-mixing"]
    assert cells[w["seconds"]].tolist() == ["61.6", w["restored"], w["restored"]]
    assert cells[w["size"]].tolist() == ["2.0", "0.0", "0.0"]
    assert data["stage"].tolist() == NAMES
    row = data.set_index("stage").loc["vectors@reviews"]
    assert json.loads(row["parameters"]) == {"bootstrap.seed": 0}
    assert row["deps"] == f"artifacts/reviews/capture {'c' * 32}"
    folded = cells[w["record"]][0].data
    assert "artifacts/reviews/capture" in folded


def test_the_versions_are_those_that_made_the_results_and_not_those_installed(run, w):
    cells, data = figures.run_table({}, w)
    known = dict(data.to_numpy())
    assert (known[w["python"]], known["numpy"], known["kiwisolver"]) == ("3.0", "1.0", "0.1")
    shown = dict(cells.to_numpy())
    assert shown["numpy"] == "1.0"
    assert not {"kiwisolver", "torch"} & shown.keys()


def test_a_figure_leads_to_its_stage_module_and_data(run, w, tmp_path):
    cells, data = lineage.figures_table("en", w)
    (row,) = data.to_dict("records")
    assert row["stage"] == "notebook-mixing"
    assert row["module"] == "analysis/figures/curves.py"
    assert row["module_sha256"] == "f" * 64
    assert row["data_sha256"] == file_sha256(tmp_path / "results/chapters/mixing/en/scopes.csv")
    assert row["data"] == "files/mixing/scopes.csv"
    assert 'href="mixing.html"' in cells[w["chapter"]][0].data


def test_a_result_leads_to_the_stage_that_wrote_it_or_the_directory_of_it(run, w):
    cells, data = lineage.sources_table(record.read_lock(run), "en", w)
    assert data["result"].tolist() == [
        *("results/m.json", "results/rules/mixing.json"),
        *("results/summary/vectors/curves.parquet", "results/x"),
    ]
    assert data["stage"].tolist() == ["vectors@reviews", "", "vectors@reviews", ""]
    assert data["md5"].tolist() == ["e" * 32, "", "d" * 32, ""]
    assert escape(w["unlocked"]) in cells[w["tables"]][0].data


def test_what_a_chapter_asked_for_is_noted(tmp_path, monkeypatch):
    from analysis.figures.chapter import Chapter

    monkeypatch.setattr(paths, "_asked", set())
    paths.result("summary", "vectors", "curves.parquet")
    Chapter("mixing", "en", str(tmp_path)).close()
    reads = json.loads((tmp_path / "reads.json").read_text())
    assert reads == ["results/summary/vectors/curves.parquet"]


def test_the_archive_has_the_same_bytes_every_time_and_no_file_twice(run, tmp_path):
    files = tmp_path / "results/chapters/mixing"
    downloads.write_data(pd.DataFrame({"a": range(20_000)}), files / "en", "large", None)
    shutil.copytree(files / "en", files / "ja")
    (files / "en/columns.csv").write_text("column\n")
    (files / "ja/columns.csv").write_text("列\n")
    targets = [tmp_path / "a.zip", tmp_path / "b.zip"]
    for target in targets:
        assert lineage.write_archive(target, pd.DataFrame({"artifact": ["a"]})) == 5
        (files / "en/scopes.csv").touch()
    assert targets[0].read_bytes() == targets[1].read_bytes()
    archive = zipfile.ZipFile(targets[0])
    assert sorted(archive.namelist()) == [
        *("artifacts.csv", "en/mixing/columns.csv", "ja/mixing/columns.csv"),
        *("mixing/large.csv", "mixing/scopes.csv"),
    ]
    assert archive.read("mixing/large.csv").startswith(b"a\r\n0\r\n1\r\n")


def test_large_data_are_zipped_and_linked_as_such(run, w, tmp_path):
    files = tmp_path / "results/chapters/mixing/en"
    large = pd.DataFrame({"a": np.arange(20_000) % 7})
    downloads.write_data(large, files, "scopes", None)
    assert not (files / "scopes.csv").exists()
    pd.testing.assert_frame_equal(pd.read_csv(files / "scopes.csv.zip"), large)
    assert (files / "scopes.csv.zip").stat().st_size < downloads.LARGE
    _, data = lineage.figures_table("en", w)
    assert data["data"].tolist() == ["files/mixing/scopes.csv.zip"]
    cells, data = lineage.downloads_table("en", w)
    assert data["file"].tolist() == [f"files/mixing/scopes.{end}" for end in ("csv.zip", "svg")]
    assert ">CSV.ZIP</a>" in cells[w["figures"]][0].data
    downloads.write_data(large.head(), files, "scopes", None)  # of a smaller run
    assert not (files / "scopes.csv.zip").exists()


def test_bibtex_of_a_person_and_a_date():
    author = {"family-names": "Family", "given-names": "Given"}
    written = citation.entry({"authors": [author], "title": "T", "date-released": "2030-01-02"})
    assert "author = {Family, Given}" in written
    assert "year = {2030}" in written


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlanguage: en\nlicense: apache-2.0\n---\n# Model", "apache-2.0"),
        ("---\nlanguage: en\n---\n", None),
        ("# Model\nlicense: mit", None),
    ],
)
def test_a_licence_is_read_off_the_card_or_unknown(card, licence):
    assert figures.licence_on(card) == licence


# --- the commit -----------------------------------------------------------------------------------


def git(*arguments: str) -> None:
    named = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *named, *arguments], check=True, capture_output=True)


def commit_said() -> dict[str, str]:
    both = {language: words(language, "provenance") for language in ("en", "ja")}
    return {language: figures.commit(w) for language, w in both.items()}


def test_the_commit_is_that_of_this_directory_or_none(tmp_path, monkeypatch):
    """Unpacked inside another repository, the project is not at that repository's commit."""
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(tmp_path)
    git("init")
    assert commit_said() == {"en": "unknown: git names none", "ja": "不明（git から得られない）"}
    (tmp_path / "dvc.lock").write_text("a\n")
    (tmp_path / "params.yaml").write_text("a\n")
    git("add", ".")
    git("commit", "-m", "all")
    head = commit_said()["en"]
    assert len(head) == 40
    (tmp_path / "dvc.lock").write_text("b\n")
    assert commit_said()["en"] == head
    (tmp_path / "params.yaml").write_text("b\n")
    assert commit_said()["ja"] == f"{head} (未コミットの変更あり)"
    monkeypatch.chdir(inner)
    none = {"en": "none: not a git repository", "ja": "なし（git リポジトリではない）"}
    assert commit_said() == none
