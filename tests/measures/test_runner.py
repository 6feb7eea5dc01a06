"""Toy measures of tiny captures: what is written, in which order, whoever works."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from taken import write_capture
from tiny_experiment import read
from toy_measures import TOYS, toy

from analysis import params
from analysis.capture.text import State
from analysis.errors import InputError
from analysis.measures import runner
from analysis.measures.definition import ALL, Measure, trained
from analysis.measures.runner import CHUNK, SCHEMA, run
from analysis.measures.workers import workers

ROOT = Path(__file__).parents[2]
LAYERS, HEADS = 3, 2
# More than two chunks, in an order that is not that of their ids; id -> tokens.
LENGTHS = {(7 * text) % 41: 2 + text % 4 for text in range(1, 2 * CHUNK + 4)}
VARIANTS = ("pretrained", "finetuned")


# --- tiny captures --------------------------------------------------------------------------------


def captured(directory: Path, seed: int) -> None:
    generator = np.random.default_rng(seed)
    arrays = {
        text: {
            "attention": generator.dirichlet(np.ones(n), (LAYERS, HEADS, n)).astype(np.float32),
            "word": generator.normal(size=(n, 4)).astype(np.float32),
        }
        for text, n in LENGTHS.items()
    }
    tokens = [
        {"example_id": text, "position": place} for text, n in LENGTHS.items() for place in range(n)
    ]
    write_capture(directory, arrays, tokens)


@pytest.fixture(scope="module")
def capture(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("captured")
    for seed, variant in enumerate(VARIANTS):
        captured(directory / variant, seed)
    return directory


@pytest.fixture(scope="module")
def cluster():
    quiet = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", **quiet) as found:
        assert len({one.pid for one in found.workers.values()} - {os.getpid()}) == 2
        yield found.scheduler_address


def states(capture: Path, variants=VARIANTS, **changes) -> list[State]:
    return [State(one, capture / one, capture / "no model", **changes) for one in variants]


def measure(
    capture: Path, target: Path, measures=TOYS, choice=1, name="reviews", **changes
) -> Path:
    target.mkdir()
    loaded = params.load(ROOT / "params.yaml")
    with workers(choice) as each:
        run(measures, loaded, name, states(capture, **changes), target, each)
    return target


@pytest.fixture(scope="module")
def measured(capture, tmp_path_factory) -> Path:
    return measure(capture, tmp_path_factory.mktemp("measured") / "toys")


@pytest.fixture(scope="module")
def values(measured) -> pd.DataFrame:
    return read(measured)


def files(directory: Path) -> dict[str, bytes]:
    paths = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


# --- who works ------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [1, 2, "auto", "address"])
def test_whoever_works_the_bytes_are_the_same(capture, measured, cluster, tmp_path, choice):
    own = measure(capture, tmp_path / "own", choice=cluster if choice == "address" else choice)
    expected = files(measured)
    assert set(expected) == set(files(own))
    assert {"values.parquet", "manifest.json"} < set(expected)
    assert files(own) == expected


def test_a_worker_that_lacks_the_package_is_told(cluster, monkeypatch):
    """Dask would ask it again and again."""
    monkeypatch.setattr("analysis.measures.workers.PACKAGE", "not_installed")
    expected = (
        r"cannot import this package \(No module named 'not_installed'\); start workers where"
    )
    with pytest.raises(InputError, match=expected), workers(cluster):
        pytest.fail("there is nobody to work")


def test_a_state_is_handed_on_without_what_it_has_opened(capture):
    state, _ = states(capture)
    first = state.text(next(iter(LENGTHS)))
    expected = first["word"]
    handed = pickle.loads(pickle.dumps(state))
    assert "capture" in state.__dict__
    assert "capture" not in handed.__dict__
    np.testing.assert_array_equal(handed.text(first.id)["word"], expected)


# --- values ---------------------------------------------------------------------------------------


def test_values_land_in_the_order_of_measures_states_and_texts(values):
    assert list(values.columns) == SCHEMA.names
    assert list(values["by"].drop_duplicates()) == [one.name for one in TOYS]
    for by, rows in values.groupby("by"):
        expected = ["finetuned"] if by == "pair" else list(VARIANTS)
        assert list(rows["variant"].drop_duplicates()) == expected
        for _, own in rows[rows["text"] != ALL].groupby("variant"):
            assert list(own["text"].drop_duplicates()) == list(LENGTHS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_number_is_found_under_its_layer_and_head(capture, values, variant):
    state = states(capture)[VARIANTS.index(variant)]
    rows = values[values["variant"] == variant].set_index(["by", "measure", "text"])
    for text in LENGTHS:
        attention = state.text(text)["attention"]
        first = rows.loc[[("toy", "first", text)]]
        assert list(first["layer"]) == [1, 1, 2, 2, 3, 3]
        assert list(first["head"]) == [1, 2] * LAYERS
        assert set(first["of"]) == {"key"}
        np.testing.assert_array_equal(first["value"], attention[..., 0].mean(axis=-1).reshape(-1))
        most = rows.loc[[("toy", "largest", text)]]
        assert list(most["layer"]) == [1, 2, 3]
        assert set(most["head"]) == {0}
        np.testing.assert_array_equal(most["value"], attention.max(axis=(1, 2, 3)))
        whole = rows.loc[("toy", "tokens", text)]
        assert list(whole[["layer", "head", "kind", "value"]]) == [ALL, 0, "all", LENGTHS[text]]
        undefined = rows.loc[("toy", "none", text)]
        assert undefined["layer"] == 2
        assert np.isnan(undefined["value"])
        word = state.text(text)["word"]
        assert rows.loc[("of_all", "largest_word", text), "value"] == word.max()
    assert rows.loc[("of_all", "texts", ALL), "value"] == len(LENGTHS)


def test_texts_before_and_after_are_compared_under_the_later_state(capture, values):
    before, after = states(capture)
    moved = values[values["measure"] == "moved"].set_index("text")
    assert set(moved["variant"]) == {"finetuned"}
    assert set(moved["layer"]) == {0}
    for text in LENGTHS:
        expected = np.abs(after.text(text)["word"] - before.text(text)["word"]).mean()
        assert moved["value"][text] == expected


def test_results_of_accumulators_reach_later_measures(capture, values):
    for state in states(capture):
        own = values[values["variant"] == state.variant]
        words = {text: state.text(text)["word"] for text in LENGTHS}
        total = sum(word.sum(dtype=float) for word in words.values())
        (summed,) = own[own["measure"] == "sum"].itertuples()
        assert (summed.text, summed.layer, summed.head) == (ALL, ALL, 0)
        assert summed.value == pytest.approx(total, rel=1e-4)
        shares = own[own["measure"] == "share"].set_index("text")["value"]
        assert shares.sum() == pytest.approx(1, rel=1e-3)


def test_values_do_not_wait_in_memory_until_all_are_there(capture, values, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROWS", 20)
    own = measure(capture, tmp_path / "own")
    groups = pq.ParquetFile(own / "values.parquet")
    sizes = [groups.metadata.row_group(n).num_rows for n in range(groups.num_row_groups)]
    a_chunk = max(len(values[values["text"] == text]) for text in LENGTHS) * CHUNK
    assert len(sizes) > 5
    assert max(sizes) <= 20 + a_chunk
    pd.testing.assert_frame_equal(read(own), values)


def test_texts_that_are_not_asked_about_are_left_out(capture, tmp_path):
    chosen = tuple(LENGTHS)[4:6]
    own = read(measure(capture, tmp_path / "own", TOYS[:4], only=chosen))
    assert set(own["text"]) == {ALL, *chosen}


# --- fields ---------------------------------------------------------------------------------------


def test_fields_are_read_back_by_the_text(capture, measured, values):
    for state in states(capture, measured=(measured.parent / "another", measured)):
        for text in map(state.text, LENGTHS):
            fields = text.field("toy")
            assert list(fields) == ["row"]
            np.testing.assert_array_equal(fields["row"], text["attention"][:, 0, 0])
    manifest = json.loads((measured / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["axes"]["toy"] == {"row": ["layer", "token"]}
    # By measures of the same group as well.
    rows = values[(values["measure"] == "read") & (values["variant"] == "finetuned")]
    expected = [float(state.text(text).field("toy")["row"].sum()) for text in LENGTHS]
    assert rows["value"].tolist() == expected


def test_what_pages_show_lies_apart(capture, measured):
    shown = measured / "shown"
    for state in states(capture):
        content = load_file(shown / "total" / f"{state.variant}.safetensors")
        expected = sum(state.text(text)["word"].sum(axis=0, dtype=float) for text in LENGTHS)
        np.testing.assert_allclose(content["sum"], expected, rtol=1e-3, atol=1e-4)
        points = pd.read_parquet(shown / "of_all" / f"{state.variant}-points.parquet")
        assert points["name"].tolist() == ["a", "日本"]
    assert {path.name for path in (measured / "fields").iterdir()} == {"toy"}
    assert {path.name for path in shown.iterdir()} == {"total", "of_all"}


def spoilt(measured: Path, target: Path, change) -> Path:
    """Put a changed field of the first text below ``target``."""
    path = target / "fields" / "toy" / "pretrained" / f"{next(iter(LENGTHS)):06d}.safetensors"
    path.parent.mkdir(parents=True)
    change(measured / path.relative_to(target), path)
    return path


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda old, new: save_file({"row": np.zeros((3, 99), np.float32)}, new),
            r"000007.safetensors is not of the texts that are captured now; run `dvc repro`\.",
        ),
        (
            lambda old, new: new.write_bytes(old.read_bytes()[:-1]),
            r"000007.safetensors is corrupted \(.*\); delete it and run `dvc repro`",
        ),
        (
            lambda old, new: None,
            r"holds no fields/toy/pretrained/000007.safetensors; delete it and run `dvc repro`",
        ),
    ],
    ids=["another text", "damaged", "missing"],
)
def test_a_field_that_is_not_the_texts_own_is_told(capture, measured, tmp_path, change, expected):
    path = spoilt(measured, tmp_path, change)
    text = states(capture, measured=(tmp_path,))[0].text(int(path.stem))
    with pytest.raises(InputError, match=expected) as error:
        text.field("toy")
    assert "\n" not in str(error.value)
    assert str(tmp_path) in str(error.value)


# --- what measures need ---------------------------------------------------------------------------


def test_an_array_that_was_not_captured_is_told(capture, tmp_path):
    wants = Measure("wants", toy, reads=("word", "value"))
    with pytest.raises(InputError) as error:
        measure(capture, tmp_path / "own", [wants])
    assert str(error.value) == (
        f"measure wants reads value, but {capture / 'pretrained'} holds only attention, word; "
        "delete it and run `dvc repro`."
    )


def test_a_measure_that_is_not_defined_for_an_experiment_gives_nothing(capture, tmp_path):
    """Even if the array that it reads was not captured."""
    undefined = Measure("undefined", toy, reads=("value",), defined=trained)
    own = measure(capture, tmp_path / "own", [undefined], variants=VARIANTS[:1])
    assert read(own).empty
    assert list(read(own).columns) == SCHEMA.names
    assert set(files(own)) == {"values.parquet", "manifest.json"}
    assert json.loads((own / "manifest.json").read_text()) == {"measures": {}, "axes": {}}


def test_the_manifest_tells_code_and_parameters_behind_every_measure(measured):
    manifest = json.loads((measured / "manifest.json").read_text(encoding="utf-8"))["measures"]
    assert list(manifest) == [one.name for one in TOYS]
    loaded = params.load(ROOT / "params.yaml")
    assert manifest["toy"]["settings"] == {
        "bootstrap.seed": loaded.bootstrap.seed,
        "experiment.length": loaded.experiments["reviews"].length.model_dump(mode="json"),
    }
    assert all(len(one["code"]) == 12 for one in manifest.values())
    assert manifest["total"]["settings"] == {}


def test_safetensors_hold_no_more_than_what_was_given(measured):
    """Such as times, which would differ from run to run."""
    for path in measured.rglob("*.safetensors"):
        with safe_open(path, "np") as content:
            assert content.metadata() is None
