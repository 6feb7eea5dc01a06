"""Stages end to end, in a directory of their own: what they write, and the same each time."""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
import yaml

from analysis.capture.store import Capture

ROOT = Path(__file__).parents[1]
HOSTILE = "<script>alert(1)</script> **bold** $x^2$ {{< var x >}} \\LaTeX &amp; 日本語 🎬"
STAGES = ("prepare", "train", "evaluate", "capture", "propagation", "projection")
PARAMS = ROOT / "params.yaml"

pytestmark = pytest.mark.pipeline


def small_parameters() -> dict:
    """Make the committed parameters tiny: one trained experiment, and one of a user's own texts."""
    values = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    reviews, own = values["experiments"]["reviews"], values["experiments"]["sentences"]
    reviews["data"]["sizes"] = {"train": 40, "validation": 16, "test": 16}
    reviews["train"]["epochs"] = 1
    reviews["train"]["evaluations"] = 1
    own["data"] = {
        "source": "texts",
        "texts": [HOSTILE, "two words", HOSTILE * 20, "A [MASK] film."],
    }
    own["length"]["max_tokens"] = 40
    for experiment in (reviews, own):
        experiment["capture"]["examples"] = 4
    values |= {"device": "cpu", "experiments": {"reviews": reviews, "own": own}}
    values["projection"]["example"] = 0
    values["bootstrap"]["resamples"] = 100
    values["report"]["focus"] = {"experiment": "own", "example": 0}
    return values


def write_parameters(directory: Path, values: dict) -> None:
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    (directory / "params.yaml").write_text(text, encoding="utf-8")


def run(directory: Path, stage: str, experiment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"analysis.stages.{stage}", experiment],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )


def run_all(directory: Path, experiment: str) -> None:
    for stage in STAGES:
        done = run(directory, stage, experiment)
        assert done.returncode == 0, f"{stage} {experiment}: {done.stderr}"


def hashes(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("artifacts", "results")
        for path in sorted((directory / part).rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished_twice(tmp_path_factory) -> tuple[Path, Path]:
    """Two runs from scratch: both experiments, and the trained one once more."""
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    for directory in (first, second):
        write_parameters(directory, small_parameters())
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run_all, (first, second, first), ("reviews", "reviews", "own")))
    return first, second


@pytest.fixture(scope="module")
def finished(finished_twice) -> Path:
    return finished_twice[0]


@pytest.fixture(scope="module")
def first_hashes(finished) -> dict[str, str]:
    return hashes(finished)


def metrics(directory: Path, experiment: str, stage: str) -> dict:
    path = directory / "results" / experiment / "metrics" / f"{stage}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_output_of_the_graph_is_there(finished, first_hashes):
    graph = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    for stage in STAGES:
        do = graph[stage]["do"]
        for out in (out for kind in ("outs", "metrics", "plots") for out in do.get(kind, [])):
            for experiment in ("reviews", "own"):
                assert (finished / next(iter(out)).replace("${key}", experiment)).exists()
    assert not [name for name in first_hashes if Path(name).name.startswith(".")]
    assert not list((finished / "checkpoints").glob("*"))


def test_a_second_run_gives_the_same_bytes(finished_twice, first_hashes):
    second = hashes(finished_twice[1])
    first = {name: value for name, value in first_hashes.items() if "/reviews/" in name}
    assert len(second) > 15
    assert second.keys() == first.keys()
    assert [name for name in second if second[name] != first[name]] == []


def test_texts_are_kept_character_for_character(finished):
    texts = small_parameters()["experiments"]["own"]["data"]["texts"]
    capture = Capture(finished / "artifacts" / "own" / "capture" / "pretrained")
    assert capture.examples["text"].tolist() == texts
    corpus = pd.read_parquet(finished / "artifacts" / "own" / "corpus" / "examples.parquet")
    assert corpus["text"].tolist() == texts


def test_tokens_point_at_their_characters(finished):
    capture = Capture(finished / "artifacts" / "own" / "capture" / "pretrained")
    for row in capture.examples.itertuples():
        for token in capture.tokens_of(row.id).itertuples():
            if not token.is_special and token.token.isascii() and token.token[0] not in "[#":
                assert row.text[token.start : token.end].lower() == token.token


def test_cut_texts_are_counted(finished):
    assert metrics(finished, "own", "capture")["truncated"] == 2
    capture = Capture(finished / "artifacts" / "own" / "capture" / "pretrained")
    assert capture.examples["truncated"].tolist() == [True, False, True, False]


def test_the_capture_agrees_with_the_model(finished):
    found = metrics(finished, "reviews", "capture")
    for variant in ("pretrained", "finetuned"):
        assert max(found[variant]["deviation"].values()) < 1e-4


def test_evidence_reaches_the_tokens(finished):
    capture = Capture(finished / "artifacts" / "reviews" / "capture" / "finetuned")
    marked = capture.tokens.groupby("example_id")["is_evidence"].sum()
    assert (marked > 0).all()
    special = capture.tokens[capture.tokens["is_special"]]
    assert not special["is_evidence"].any()


def test_captured_predictions_are_the_evaluated_ones(finished):
    capture = Capture(finished / "artifacts" / "reviews" / "capture" / "finetuned")
    predictions = pd.read_parquet(finished / "artifacts" / "reviews" / "predictions.parquet")
    both = capture.examples.merge(predictions, on="id", suffixes=("", "_evaluated"))
    assert len(both) == 4
    assert (both["prediction"] == both["prediction_evaluated"]).all()
    assert (both["probability"] - both["probability_evaluated"]).abs().max() < 1e-5
    untrained = Capture(finished / "artifacts" / "reviews" / "capture" / "pretrained")
    assert untrained.examples["prediction"].isna().all()


def test_rollout_in_the_results_is_that_of_the_captured_attention(finished):
    import numpy as np
    from safetensors.numpy import load_file

    from analysis.methods.attention import mixing
    from analysis.methods.rollout import attention_rollout

    capture = Capture(finished / "artifacts" / "own" / "capture" / "pretrained")
    table = pd.read_parquet(finished / "results" / "own" / "propagation.parquet")
    rollouts = {}
    for example in capture.examples["id"]:
        rollouts[example] = attention_rollout(capture.array(example, "attention"), residual=0.5)
        rows = table[(table["example_id"] == example) & (table["method"] == "rollout")]
        expected = mixing(rollouts[example]).mean(axis=1)
        np.testing.assert_allclose(rows.sort_values("layer")["mixing"], expected, atol=1e-12)
    focus = small_parameters()["report"]["focus"]
    shown = focus["example"] if focus["experiment"] == "own" else 0
    stored = load_file(finished / "results" / "own" / "shown" / "pretrained.safetensors")
    expected = rollouts[capture.examples["id"].iloc[shown]]
    np.testing.assert_allclose(stored["rollout"], expected, atol=1e-6)


def test_thirty_eight_maps_for_twelve_layers_are_twenty_for_six(finished):
    table = pd.read_parquet(finished / "results" / "own" / "projection.parquet")
    assert table.groupby(["variant", "point", "layer"]).ngroups == 2 + 3 * 6
    assert metrics(finished, "own", "projection")["pretrained"]["maps"] == 20


@pytest.mark.parametrize("stage", STAGES)
def test_a_bad_parameter_leaves_everything_as_it_was(finished, first_hashes, stage):
    values = small_parameters()
    values["experiments"]["reviews"]["train"]["epochs"] = -1
    write_parameters(finished, values)
    done = run(finished, stage, "reviews")
    write_parameters(finished, small_parameters())
    assert done.returncode == 2
    assert "experiments.reviews.train.epochs is -1" in done.stderr
    assert done.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes


@pytest.mark.parametrize(
    ("stage", "key", "value", "said"),
    [
        ("prepare", "data", {"source": "texts", "texts": ["good", " "]}, "blank"),
        ("capture", "length", {"max_tokens": 40, "longer": "refuse"}, "longer is refuse"),
        ("capture", "length", {"max_tokens": 5000, "longer": "truncate"}, "at most 512"),
        ("projection", "projection", {"example": 1}, "example 1 .* has 4 tokens"),
        ("propagation", "propagation", {"start_layer": 6}, "start_layer is 6 .* 6 layers"),
        ("capture", "device", "cuda:7", "device is cuda:7"),
    ],
)
def test_what_a_stage_cannot_use_is_one_line(finished, first_hashes, stage, key, value, said):
    values = small_parameters()
    section = values if key in values else values["experiments"]["own"]
    if isinstance(value, dict) and "source" not in value:
        section[key] |= value
    else:
        section[key] = value
    write_parameters(finished, values)
    done = run(finished, stage, "own")
    write_parameters(finished, small_parameters())
    assert done.returncode == 2, done.stderr
    assert pd.Series([done.stderr]).str.contains(said).all(), done.stderr
    assert done.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes


def test_a_damaged_cache_is_named_and_nothing_is_written(finished, first_hashes):
    shard = finished / "artifacts" / "own" / "capture" / "pretrained" / "shard-00000.safetensors"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1])
    done = [run(finished, stage, "own") for stage in ("propagation", "projection")]
    shard.write_bytes(whole)
    for one in done:
        assert one.returncode == 2
        assert "shard-00000.safetensors" in one.stderr
        assert one.stderr.count("\n") == 1
    assert hashes(finished) == first_hashes
