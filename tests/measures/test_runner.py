"""Toy measures of tiny captures: what is written, in which order, whoever works."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import tiny_experiment as tiny
from refusals import refusal
from safetensors import safe_open
from safetensors.numpy import load_file, save
from toy_measures import TOYS, toy

from attention_mixing.addresses import ALL
from attention_mixing.capture.store import Capture
from attention_mixing.capture.text import State
from attention_mixing.measures.engine import runner
from attention_mixing.measures.engine.definition import Measure
from attention_mixing.measures.engine.runner import CHUNK, SCHEMA, passes

LAYERS, HEADS = 3, 2
# More than two chunks, in an order that is not that of their ids; id -> tokens.
LENGTHS = {(7 * text) % 41: 2 + text % 4 for text in range(1, 2 * CHUNK + 4)}
VARIANTS = tiny.VARIANTS


@pytest.fixture(scope="module")
def capture(tmp_path_factory) -> Path:
    """Tiny captures of made-up arrays."""
    directory = tmp_path_factory.mktemp("captured")
    places = [
        {"example_id": text, "position": place} for text, n in LENGTHS.items() for place in range(n)
    ]
    for seed, variant in enumerate(VARIANTS):
        generator = np.random.default_rng(seed)
        arrays = {
            text: {
                "attention": generator.dirichlet(np.ones(n), (LAYERS, HEADS, n)).astype(np.float32),
                "word": generator.normal(size=(n, 4)).astype(np.float32),
            }
            for text, n in LENGTHS.items()
        }
        tiny.write_capture(directory / variant, arrays, places)
    return directory


def states(capture: Path, variants=VARIANTS, **changes) -> list[State]:
    return [State(one, capture / one, capture / "no model", **changes) for one in variants]


def measure(capture: Path, target: Path, measures=TOYS, processes=1, **changes) -> pd.DataFrame:
    of = states(capture, **changes)
    return tiny.take_of(measures, tiny.parameters(), of, target, processes)


@pytest.fixture(scope="module")
def measured(capture, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("measured") / "toys"
    measure(capture, directory)
    return directory


@pytest.fixture(scope="module")
def values(measured) -> pd.DataFrame:
    return tiny.read(measured)


@pytest.fixture(scope="module")
def manifest(measured) -> dict:
    return json.loads((measured / "manifest.json").read_text(encoding="utf-8"))


# --- who works ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_give_the_same_bytes(capture, measured, tmp_path):
    measure(capture, tmp_path / "own", processes=2)
    expected = tiny.written(measured)
    assert {"values.parquet", "manifest.json"} < set(expected)
    assert tiny.written(tmp_path / "own") == expected


def test_a_state_is_handed_on_without_what_it_has_opened(capture):
    state, _ = states(capture)
    first = state.text(next(iter(LENGTHS)))
    expected = first["word"]
    handed = pickle.loads(pickle.dumps(state))
    assert "capture" in state.__dict__
    assert "capture" not in handed.__dict__
    np.testing.assert_array_equal(handed.text(first.id)["word"], expected)


def test_neighbours_are_taken_in_one_pass_unless_one_needs_the_total_of_another():
    names = [[measure.name for measure in together] for together in passes(TOYS)]
    assert names == [["toy", "total"], ["reader"], ["pair"], ["of_all"]]


def test_an_array_of_a_text_is_read_once_for_all_measures_of_a_pass(capture, tmp_path, monkeypatch):
    read = []

    def counted(self, example, name, layer=None, array=Capture.array):
        read.append((self.directory.name, example, name))
        return array(self, example, name, layer)

    monkeypatch.setattr(Capture, "array", counted)
    twice = [replace(TOYS[0], name=name) for name in ("toy", "another")]
    measure(capture, tmp_path / "own", twice)
    assert len(read) == len(set(read)) == len(VARIANTS) * len(LENGTHS)


def test_a_measure_of_one_state_is_of_no_other(capture, tmp_path):
    rows = measure(capture, tmp_path / "own", [replace(TOYS[0], predicts=True)])
    assert set(rows["variant"]) == {"finetuned"}


# --- values ---------------------------------------------------------------------------------------


def test_values_land_in_the_order_of_measures_states_and_texts(values):
    assert list(values.columns) == SCHEMA.names
    assert list(values["measure"].drop_duplicates()) == [one.name for one in TOYS]
    for by, rows in values.groupby("measure"):
        expected = ["finetuned"] if by == "pair" else list(VARIANTS)
        assert list(rows["variant"].drop_duplicates()) == expected
        for _, own in rows[rows["text"] != ALL].groupby("variant"):
            assert list(own["text"].drop_duplicates()) == list(LENGTHS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_number_is_found_under_its_layer_and_head(capture, values, variant):
    state = states(capture)[VARIANTS.index(variant)]
    rows = values[values["variant"] == variant].set_index(["measure", "quantity", "text"])
    for text in LENGTHS:
        attention = state.text(text)["attention"]
        first = rows.loc[[("toy", "first", text)]]
        assert list(first["layer"]) == [1, 1, 2, 2, 3, 3]
        assert list(first["head"]) == [1, 2] * LAYERS
        assert set(first["subject"]) == {"key"}
        np.testing.assert_array_equal(first["value"], attention[..., 0].mean(axis=-1).reshape(-1))
        most = rows.loc[[("toy", "largest", text)]]
        assert list(most["layer"]) == [1, 2, 3]
        assert set(most["head"]) == {0}
        np.testing.assert_array_equal(most["value"], attention.max(axis=(1, 2, 3)))
        whole = rows.loc[("toy", "tokens", text)]
        assert list(whole[["layer", "head", "facet", "value"]]) == [ALL, 0, "all", LENGTHS[text]]
        undefined = rows.loc[("toy", "none", text)]
        assert undefined["layer"] == 2
        assert np.isnan(undefined["value"])
        word = state.text(text)["word"]
        assert rows.loc[("of_all", "largest_word", text), "value"] == word.max()
    assert rows.loc[("of_all", "texts", ALL), "value"] == len(LENGTHS)


def test_texts_before_and_after_are_compared_under_the_later_state(capture, values):
    before, after = states(capture)
    moved = values[values["quantity"] == "moved"].set_index("text")
    assert set(moved["layer"]) == {0}
    for text in LENGTHS:
        expected = np.abs(after.text(text)["word"] - before.text(text)["word"]).mean()
        assert moved["value"][text] == expected


def test_results_of_accumulators_reach_later_measures_and_pages(capture, measured, values):
    for state in states(capture):
        own = values[values["variant"] == state.variant]
        total = np.sum([state.text(text)["word"].sum(axis=0) for text in LENGTHS], axis=0)
        (summed,) = own[own["quantity"] == "sum"].itertuples()
        assert (summed.text, summed.layer, summed.head) == (ALL, ALL, 0)
        assert summed.value == pytest.approx(total.sum(), rel=1e-4)
        shares = own[own["quantity"] == "share"].set_index("text")["value"]
        assert shares.sum() == pytest.approx(1, rel=1e-3)
        content = load_file(measured / "shown" / "total" / f"{state.variant}.safetensors")
        np.testing.assert_allclose(content["sum"], total, rtol=1e-3, atol=1e-4)


def test_values_do_not_wait_in_memory_until_all_are_there(capture, values, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROWS", 20)
    pd.testing.assert_frame_equal(measure(capture, tmp_path / "own"), values)
    groups = pq.ParquetFile(tmp_path / "own" / "values.parquet")
    sizes = [groups.metadata.row_group(n).num_rows for n in range(groups.num_row_groups)]
    a_chunk = max(len(values[values["text"] == text]) for text in LENGTHS) * CHUNK
    assert len(sizes) > 5
    assert max(sizes) <= 20 + a_chunk


def test_texts_that_are_not_asked_about_are_left_out(capture, tmp_path):
    chosen = tuple(LENGTHS)[4:6]
    own = measure(capture, tmp_path / "own", TOYS[:4], only=chosen)
    assert set(own["text"]) == {ALL, *chosen}


# --- fields ---------------------------------------------------------------------------------------


def test_fields_are_read_back_by_the_text(capture, measured, values):
    for state in states(capture, measured=(measured.parent / "another", measured)):
        read = []
        for text in map(state.text, LENGTHS):
            fields = text.field("toy")
            assert list(fields) == ["row"]
            np.testing.assert_array_equal(fields["row"], text["attention"][:, 0, 0])
            read.append(float(fields["row"].sum()))
        # By measures of the same group as well.
        rows = values[(values["quantity"] == "read") & (values["variant"] == state.variant)]
        assert rows["value"].tolist() == read


def test_what_pages_show_lies_apart(measured):
    points = tiny.shown(measured, "of_all", "points")
    assert points["name"].tolist() == ["a", "日本"] * len(VARIANTS)
    assert {path.name for path in (measured / "fields").iterdir()} == {"toy"}
    assert {path.name for path in (measured / "shown").iterdir()} == {"total", "of_all"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            save({"row": np.zeros((3, 99), np.float32)}),
            "is not of the texts that are captured now;",
        ),
        (b"no tensors", "is missing or corrupted"),
        (None, "holds no fields/toy/pretrained/000007.safetensors; delete it"),
    ],
    ids=["another text", "damaged", "missing"],
)
def test_a_field_that_is_not_the_texts_own_is_told(capture, tmp_path, content, said):
    path = tmp_path / "fields" / "toy" / "pretrained" / "000007.safetensors"
    path.parent.mkdir(parents=True)
    if content:
        path.write_bytes(content)
    text = states(capture, measured=(tmp_path,))[0].text(7)
    told = refusal(text.field, "toy")
    for part in (said, path.name, str(tmp_path), "make it anew"):
        assert part in told


# --- what measures need ---------------------------------------------------------------------------


def test_a_measure_that_is_not_defined_for_an_experiment_gives_nothing(capture, tmp_path):
    undefined = Measure("undefined", toy, defined=lambda experiment: experiment.task == "none")
    own = measure(capture, tmp_path / "own", [undefined])
    assert own.empty
    assert list(own.columns) == SCHEMA.names
    assert set(tiny.written(tmp_path / "own")) == {"values.parquet", "manifest.json"}


def test_safetensors_hold_no_more_than_what_was_given(measured):
    """Such as times, which would differ from run to run."""
    for path in measured.rglob("*.safetensors"):
        with safe_open(path, "np") as content:
            assert content.metadata() is None
