"""`make verify` notices a number that strayed and an artifact that was touched."""

import hashlib
import json
import re
import shutil
from importlib.metadata import version
from math import nan

import pandas as pd
import pytest
import yaml
from dvc.repo import Repo
from json_files import rewrite
from made_summary import rows, write
from small_run import ROOT

from analysis.chapters.provenance import figures
from analysis.paths import KEPT_NOTE, QUICK, SUMMARY
from analysis.prose.messages import words
from analysis.reference import verification
from analysis.reference.keeping import keep, summary
from analysis.runs.comparison import compare
from analysis.runs.kept import stale
from attention_mixing.artifacts import MANIFEST
from attention_mixing.errors import InputError
from attention_mixing.measures import GROUPS


@pytest.fixture
def reference(here):
    (here / "reference").mkdir()
    (here / "reference" / "tolerances.yaml").write_text(
        '"*/evaluate.accuracy": 0.02\n"*/evaluate.*": 0.5\n'
    )
    return here


@pytest.mark.parametrize(
    ("name", "found", "ok"),
    [
        ("reviews/evaluate.accuracy", 0.91, True),
        ("reviews/evaluate.accuracy", 0.87, False),  # the first fitting pattern, not the widest
        ("reviews/evaluate.loss", 1.3, True),
        ("reviews/corpus.texts", 0.91, False),  # no pattern: equal or wrong
        ("reviews/evaluate.accuracy", None, False),
        ("reviews/evaluate.accuracy", "0.9", False),
        ("reviews/evaluate.accuracy", nan, False),
        ("reviews/corpus.texts", 0.90 * (1 + 0.9e-6), True),  # the reference has single precision
        ("reviews/corpus.texts", 0.90 * (1 + 1.1e-6), False),
    ],
)
def test_tolerance_decides(reference, name, found, ok):
    table = compare({name: 0.90, "undefined": nan}, {name: found, "undefined": nan})
    assert list(table["ok"]) == [ok, True]


def test_a_number_that_one_side_lacks_is_a_miss_and_shown(reference):
    table = compare(
        {"reviews/evaluate.loss": 0.1, "reviews/train.kept": None},
        {"reviews/train.kept": None, "reviews/train.new": None, "reviews/evaluate.new": 0.1},
    ).set_index("number")
    assert table["ok"].to_dict() == {
        "reviews/evaluate.loss": False,
        "reviews/train.kept": True,
        "reviews/train.new": False,
        "reviews/evaluate.new": False,
    }
    assert table.loc["reviews/evaluate.loss", "found"] == "absent"
    assert table.loc["reviews/evaluate.new", "reference"] == "absent"


@pytest.fixture
def finished(reference):
    """A run of one experiment."""
    write_facts(reference)
    for group in GROUPS:
        write(reference, group, [row(mean=0.5)] if group == "vectors" else [])
    write_fingerprint(reference)
    write_ledger(reference, A1="holds", B1="divided")
    Repo.init(str(reference), no_scm=True)
    (reference / "dvc.yaml").write_text('{"stages": {"a": {"cmd": "true"}}}')
    (reference / "dvc.lock").write_text('{"schema": "2.0", "stages": {}}')
    shutil.copyfile(ROOT / "params.yaml", reference / "params.yaml")
    write_note(reference, "a", started="2026-01-02T03:04:05+00:00", seconds=90, cpu_count=2)
    (reference / "report").mkdir()
    shutil.copyfile(ROOT / "report" / "rules.yaml", reference / "report" / "rules.yaml")
    return reference


def row(**more):
    """Row of the summary of a group."""
    place = {
        "measure": "mixing",
        "subject": "attn_w",
        "facet": "all",
        "quantity": "ratio",
        "layer": 2,
    }
    return rows(**({"experiment": "reviews", "texts": 9} | place | more))


def write_facts(directory, sha256=None, **evaluate):
    known = {"corpus": {"texts": {"test": 9}}, "capture": {"truncated": 0, "examples": 9}}
    known |= {"evaluate": {"accuracy": 0.9} | evaluate, "origin": {"licence": "a"}, "samples": []}
    known["seeds"] = {"0": {"sha256": sha256}} if sha256 else {}
    target = directory / "results" / "summary" / "model"
    target.mkdir(parents=True, exist_ok=True)
    (target / "facts.json").write_text(json.dumps({"reviews": known}))


PROVENANCE = words("en", "provenance")
FINGERPRINT = {"tiny/mixing.ratio.1": 0.5, "tiny/sinks.share.1": 0.25, "tiny/heads.x.1": nan}


def write_fingerprint(directory, **others):
    """What the measures give of models that never change, ``others`` by their measures."""
    numbers = FINGERPRINT | {
        name: others[measure]
        for name in FINGERPRINT
        if (measure := name.partition("/")[2].partition(".")[0]) in others
    }
    table = pd.DataFrame({"number": numbers.keys(), "mean": numbers.values()}).assign(low=0.0)
    (directory / "results").mkdir(exist_ok=True)
    table.to_parquet(directory / "results" / "fingerprint.parquet", index=False)


def write_note(directory, stage, **noted):
    (directory / "runs").mkdir(exist_ok=True)
    (directory / "runs" / f"{stage}.json").write_text(json.dumps(noted))


def write_ledger(directory, **outcomes):
    claims = [{"id": claim, "outcome": outcome} for claim, outcome in outcomes.items()]
    (directory / "results" / "rules").mkdir(parents=True, exist_ok=True)
    (directory / "results" / "rules" / "claims.json").write_text(json.dumps(claims))


def test_numbers_are_read_with_dotted_names(finished):
    more = [
        row(mean=0.6, layer=-1),
        row(mean=0.1, minus="attn_n"),
        row(head=3),
        row(mean=nan, subject=""),
    ]
    write(finished, "heads", more)
    found = verification.named(summary(), SUMMARY / "model" / "facts.json")
    undefined = found.pop("reviews/mixing.pretrained.ratio..all.2")
    assert pd.isna(undefined)
    assert found == {
        "reviews/corpus.texts.test": 9,
        "reviews/evaluate.accuracy": 0.9,
        "reviews/capture.truncated": 0,
        "reviews/capture.examples": 9,
        "reviews/mixing.pretrained.ratio.attn_w.all.2": 0.5,
        "reviews/mixing.pretrained.ratio.attn_w.all.-1": pytest.approx(0.6),
        "reviews/mixing.pretrained.ratio.attn_w.all.2.minus.attn_n": pytest.approx(0.1),
    }


def test_a_kept_run_is_as_its_reference(finished, capsys):
    keep(QUICK)
    directory = finished / "reference" / QUICK
    kept = json.loads((directory / "verdicts.json").read_text())
    assert kept == {"A1": "holds", "B1": "divided"}
    tables = {"summary.parquet", "fingerprint.parquet", "facts.json"}
    about = {"verdicts.json", "params.yaml", "run.json"}
    assert {path.name for path in directory.iterdir()} == tables | about
    assert verification.verify()
    told = capsys.readouterr().out
    assert "5 of 5 numbers within tolerance" in told
    assert "2 of 2 verdicts as in the reference\n0 outputs" in told


def test_what_former_parameters_left_is_not_kept(finished):
    write_note(finished, "train@gone", started="2020-01-01T00:00:00+00:00", seconds=9000)
    (finished / "encoders" / "gone").mkdir(parents=True)
    (finished / "encoders" / "gone" / "training.json").write_text("{}")
    (finished / "inputs").mkdir()
    (finished / "inputs" / "gone.json").write_text('{"content": {}}')
    keep("large")
    made = json.loads((finished / "reference" / "large" / "run.json").read_text())
    assert (made["date"], made["minutes"]) == ("2026-01-02T03:04:05+00:00", 2)
    assert (made["hardware"], made["encoders"], made["data"]) == (["2 CPUs"], {}, {})


def test_a_run_of_which_nothing_was_made_here_is_not_kept(finished):
    (finished / "runs" / "a.json").unlink()
    with pytest.raises(InputError, match=r"^runs has no note of time and machine"):
        keep(QUICK)
    assert not (finished / "reference" / QUICK).exists()


def test_parameters_that_are_others_are_named_and_those_of_no_result_are_not(finished, capsys):
    keep(QUICK)
    text = (finished / "params.yaml").read_text()
    other = text.replace("confidence: 0.95", "confidence: 0.5").replace(
        "workers: auto", "workers: 1"
    )
    (finished / "params.yaml").write_text(other)
    verification.verify()
    told = capsys.readouterr().out
    assert "than reference/quick/params.yaml of bootstrap.confidence: numbers" in told


def test_a_reference_with_parameters_of_another_schema_is_compared(finished, capsys):
    keep(QUICK)
    kept = finished / "reference" / QUICK / "params.yaml"
    kept.write_text(kept.read_text() + "\nformer: {key: 1}\n")
    assert verification.verify()
    assert "of former.key: numbers will differ" in capsys.readouterr().out


def test_other_data_is_named(finished, capsys):
    note = finished / "inputs" / "texts.json"
    note.parent.mkdir()
    note.write_text('{"content": {"a.csv": {"sha256": "here"}}}')
    keep(QUICK)
    for there, named in (("here", False), ("there", True)):
        data = {"texts": {"a.csv": {"sha256": there}}}
        rewrite(finished / "reference" / QUICK, "run.json", data=data)
        verification.verify()
        told = "The files of texts are others than the reference's." in capsys.readouterr().out
        assert told == named


def test_packages_that_are_others_are_named(finished, capsys):
    """Than those that made the results, and of these than the reference's."""
    here = version("numpy")
    note = finished / "modules" / "a.json"
    note.parent.mkdir()
    for made_with in ("1.0", here):
        note.write_text(json.dumps({"modules": {}, "packages": {"numpy": made_with, "none": "1"}}))
        keep(made_with)
    told = {}
    for run in ("1.0", here):
        assert verification.verify(run)
        told[run] = capsys.readouterr().out
    assert "than those of the results: none 1 -> absent; `make repro`" in told[here]
    assert "than the reference's" not in told[here]
    assert f"are of other packages than the reference's: numpy 1.0 -> {here}.\n" in told["1.0"]
    note.write_text(json.dumps({"modules": {}, "packages": {"numpy": "1.0"}}))
    verification.verify(here)
    assert f"of the results: numpy 1.0 -> {here}; `make repro`" in capsys.readouterr().out


def test_measures_that_would_give_other_numbers_today_are_named(finished, capsys):
    keep(QUICK)
    assert verification.verify()
    assert "otherwise" not in capsys.readouterr().out
    write_fingerprint(finished, mixing=0.51)
    assert verification.verify()  # what this run measured is what the reference has
    assert "code computes mixing otherwise" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({}, []),
        ({"mixing": 0.51}, ["mixing"]),
        ({"mixing": 0.5 + 1e-8}, []),  # single precision
        ({"sinks": 0.5}, []),  # of what the run has not measured
        ({"mixing": nan}, ["mixing"]),
        ({"heads": 0.5}, []),
    ],
)
def test_a_measure_is_stale_when_its_fingerprint_is_another_one(finished, now, expected):
    keep("large")
    write_fingerprint(finished, **now)
    assert stale("large") == expected


def test_a_measure_without_a_fingerprint_is_stale_and_what_is_new_is_not(finished):
    write(finished, "vectors", [row(mean=0.5), row(mean=0.5, measure="change")])
    keep("large")
    assert stale("large") == ["change"]


def test_a_fingerprint_is_held_to_the_tolerance_of_its_numbers(finished):
    keep("large")
    with (finished / "reference" / "tolerances.yaml").open("a") as file:
        file.write('"*/mixing.*": 0.02\n')
    write_fingerprint(finished, mixing=0.51)
    assert stale("large") == []
    write_fingerprint(finished, mixing=0.53)
    assert stale("large") == ["mixing"]


def test_a_verdict_that_differs_is_told_and_no_miss(finished, capsys):
    keep(QUICK)
    write_ledger(finished, A1="fails", B2="open")
    assert verification.verify()
    told = capsys.readouterr().out
    assert "0 of 3 verdicts as in the reference" in told
    for line in (
        "A1: fails, in the reference holds",
        "B1: absent, in the reference divided",
        "B2: open, in the reference absent",
    ):
        assert f"  {line}\n" in told


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda run: write_facts(run, new=1), "5 of 6 numbers within tolerance"),
        (lambda run: write_facts(run, accuracy=0.5), "4 of 5 numbers within tolerance"),
        (lambda run: write(run, "vectors", []), "4 of 5 numbers within"),
        (lambda run: write(run, "heads", [row(layer=3)]), "5 of 6 numbers within"),
    ],
)
def test_a_number_that_strayed_is_a_miss_of_the_run(finished, capsys, changed, told):
    keep(QUICK)
    changed(finished)
    assert not verification.verify()
    assert told in capsys.readouterr().out


def test_numbers_of_other_weights_are_counted_apart_and_no_miss(finished, capsys):
    """Those of a model fine-tuned here; of the pretrained one they are held to the reference.

    Unless maps of both are clustered together.
    """
    heads, clusters = row(variant="finetuned"), row(measure="clusters")
    write_facts(finished, sha256={"model.safetensors": "there"})
    write(finished, "heads", [heads, clusters, row(variant="both")])
    keep(QUICK)
    moved = (each.assign(mean=0.9) for each in (heads, clusters))
    write(finished, "heads", [*moved, row(variant="both")])
    write_facts(finished, accuracy=0.5, sha256={"model.safetensors": "there"})
    assert not verification.verify()
    write_facts(finished, accuracy=0.5, sha256={"model.safetensors": "here"})
    capsys.readouterr()
    assert verification.verify()
    told = capsys.readouterr().out
    assert "4 of 4 numbers within tolerance\n1 of 4 of models trained to other weights" in told
    write(finished, "vectors", [row(mean=0.9)])
    assert not verification.verify()


def test_numbers_of_an_encoder_trained_to_other_weights_are_no_miss(finished, capsys):
    """Those of the model before fine-tuning too, which is that encoder."""
    text = (finished / "params.yaml").read_text()
    started = text.replace("files: {}", "files: {own: encoders/own}", 1).replace(
        "    model: {source: embedded}", "    model: {source: local, name: own}"
    )
    assert started.count("name: own") > 1
    (finished / "params.yaml").write_text(started)
    note = finished / "inputs" / "own.json"
    note.parent.mkdir()
    note.write_text('{"content": {"model.safetensors": {"sha256": "there"}}}')
    keep(QUICK)
    write(finished, "vectors", [row(mean=0.9)])
    assert not verification.verify()
    note.write_text('{"content": {"model.safetensors": {"sha256": "here"}}}')
    capsys.readouterr()
    assert verification.verify()
    told = capsys.readouterr().out
    assert "3 of 4 of models trained to other weights" in told


def test_numbers_of_a_model_trained_from_nothing_are_no_miss(finished, capsys):
    """What is called pretrained is what training has made, here on another processor."""
    text = (finished / "params.yaml").read_text()
    verbs = yaml.safe_load(text)["experiments"]["verbs"]
    assert verbs["model"]["source"] == "untrained"
    facts_of = finished / "results" / "summary" / "model" / "facts.json"
    write_facts(finished, sha256={"model.safetensors": "there"})
    facts_of.write_text(facts_of.read_text().replace('"reviews"', '"verbs"'))
    write(finished, "vectors", [row(experiment="verbs", variant="pretrained")])
    keep(QUICK)
    write(finished, "vectors", [row(experiment="verbs", variant="pretrained", mean=0.9)])
    assert not verification.verify()
    facts_of.write_text(facts_of.read_text().replace('"there"', '"here"'))
    capsys.readouterr()
    assert verification.verify()
    assert "of models trained to other weights" in capsys.readouterr().out


def test_an_artifact_that_was_touched_is_named(finished, capsys):
    """What a stage wrote that there is no longer is not asked for, though DVC keeps its lock."""
    keep(QUICK)
    outs = [{"path": "reference/quick/facts.json", "md5": "0" * 32, "hash": "md5"}]
    gone = [{"path": "results/gone", "md5": "0" * 32, "hash": "md5"}]
    locked = {"a": {"cmd": "true", "outs": outs}, "b": {"cmd": "true", "outs": gone}}
    (finished / "dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": locked}))
    stages = {"a": {"cmd": "true", "outs": ["reference/quick/facts.json", "results/never"]}}
    (finished / "dvc.yaml").write_text(json.dumps({"stages": stages}))
    assert not verification.verify()
    told = capsys.readouterr().out
    assert "2 outputs of dvc.lock recomputed, 2 wrong\n  reference/quick/facts.json: " in told
    assert "  results/never: missing" in told


def test_without_a_finished_run_there_is_nothing_to_verify_or_to_keep(finished):
    keep(QUICK)
    for content, said in (
        ("stages:\n  a:\n  b", "dvc.lock is not valid YAML at line 3"),
        ("stag", "dvc.lock holds str, not a mapping; `rm dvc.lock`, without which DVC still"),
        ("", "dvc.lock holds NoneType, not a mapping"),
        ("stages: {}", "DVC cannot read the pipeline ('./dvc.lock' validation failed: "),
        (None, "dvc.lock, where DVC notes what a run made, is missing; run `make repro`"),
    ):
        (finished / "dvc.lock").unlink() if content is None else (
            (finished / "dvc.lock").write_text(content)
        )
        with pytest.raises(InputError, match=f"^{re.escape(said)}"):
            verification.verify()
    (finished / "results" / "rules" / "claims.json").unlink()
    before = sorted(finished.rglob("*"))
    with pytest.raises(InputError, match=r"^results/rules/claims.json is missing or corrupted"):
        keep(QUICK)
    assert sorted(finished.rglob("*")) == before


def test_damage_of_what_is_compared_with_is_told(finished):
    keep(QUICK)
    for path, content, said in (
        ("reference/tolerances.yaml", "<<<<<<< HEAD\n", "has a conflict marker of git"),
        (f"reference/{QUICK}/run.json", "{", "is missing or corrupted; restore it with `git"),
        (f"reference/{QUICK}/params.yaml", "a: [", "is not valid YAML"),
    ):
        whole = (finished / path).read_text()
        (finished / path).write_text(content)
        with pytest.raises(InputError, match=f"^{re.escape(f'{path} {said}')}"):
            verification.verify()
        (finished / path).write_text(whole)
    (finished / "dvc.yaml").write_text('{"stages": {"a": {}}}')
    for work in (verification.verify, lambda: keep(QUICK)):
        with pytest.raises(InputError, match=r"^DVC cannot read the pipeline \('./dvc.yaml' val"):
            work()


@pytest.mark.parametrize(
    ("directory", "note", "work"),
    [
        (f"reference/{QUICK}", KEPT_NOTE, verification.verify),
        (f"reference/{QUICK}", KEPT_NOTE, lambda: figures.references_table(PROVENANCE)),
        ("results/summary/vectors", MANIFEST, verification.verify),
    ],
)
def test_what_an_earlier_version_wrote_is_told_and_not_compared(finished, directory, note, work):
    keep(QUICK)
    noted = finished / directory / note
    made = json.loads(noted.read_text())
    del made["schema"]
    noted.write_text(json.dumps(made))
    with pytest.raises(InputError, match=f"^{directory} names no schema, and this code reads"):
        work()


def test_a_directory_is_hashed_as_dvc_hashes_it(tmp_path):
    """The md5 of the list of its files and their md5s, as JSON."""
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.txt").write_text("x")
    files = {path: hashlib.md5(path[-5:-4].encode()).hexdigest() for path in ("a.txt", "b/x.txt")}
    listing = json.dumps([{"md5": md5, "relpath": path} for path, md5 in files.items()])
    assert verification.dvc_md5(tmp_path / "a.txt") == files["a.txt"]
    assert verification.dvc_md5(tmp_path) == f"{hashlib.md5(listing.encode()).hexdigest()}.dir"
    assert verification.dvc_md5(tmp_path / "gone") is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_kept_runs_are_listed_with_what_has_changed_since(finished, language):
    """By the page on provenance."""
    w = words(language, "provenance")
    keep("large")
    write_fingerprint(finished, mixing=0.6)
    table, _ = figures.references_table(w)
    (line,) = table.to_dict("records")
    assert line[w["run"]] == "large"
    assert line[w["otherwise"]] == "mixing"
    write_fingerprint(finished)
    (line,) = figures.references_table(w)[0].to_dict("records")
    assert line[w["otherwise"]] == w["nothing_otherwise"]
