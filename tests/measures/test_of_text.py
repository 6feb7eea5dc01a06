"""Measures of one text in memory are those of a capture of that text alone."""

import numpy as np
import pandas as pd
import pytest

from analysis.capture import capture_text
from analysis.errors import InputError
from analysis.measures import measure
from analysis.methods.attention import head_mean, mixing
from analysis.methods.rollout import attention_rollout
from analysis.params.sections import Propagation


@pytest.fixture
def text(make_model, tokenizer):
    return capture_text("the film was not very good", model=(make_model("bert"), tokenizer))


def values(found, **where) -> np.ndarray:
    rows = found.values
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.sort_values(["layer", "head"])["value"].to_numpy()


def test_numbers_are_those_of_the_method(text):
    found = measure(text, ["propagation"])
    rollout = attention_rollout(head_mean(text["attention"]), residual=0.5)
    expected = [mixing(layer).mean() for layer in rollout]
    np.testing.assert_allclose(values(found, of="rollout", measure="mixing"), expected, atol=1e-12)
    np.testing.assert_allclose(found.fields["propagation"]["rollout/cls"], rollout[:, 0], atol=1e-6)


def test_what_a_measure_reads_is_measured_as_well(text):
    assert set(measure(text, ["propagation"]).values["by"]) == {"mixing", "propagation"}


def test_settings_are_used(text):
    none = Propagation(residual=0.0, start_layer=0, flow_sources=None)
    found = measure(text, ["propagation"], propagation=none)
    expected = [mixing(layer).mean() for layer in head_mean(text["attention"])]
    np.testing.assert_allclose(values(found, of="residual", measure="mixing"), expected, atol=1e-6)


def test_all_measures_of_one_text(text):
    found = measure(text)
    assert {"mixing", "propagation", "sinks", "identity", "geometry", "sentence"} <= set(
        found.values["by"]
    )
    again = measure(text)
    pd.testing.assert_frame_equal(found.values, again.values)


@pytest.mark.parametrize("name", ["matrices", "sentence", "identity", "geometry"])
def test_a_measure_finds_what_it_reads(text, name):
    assert name in measure(text, [name]).fields | dict.fromkeys(measure(text, [name]).values["by"])


def test_a_second_call_leaves_the_first_as_it_was(text):
    first = measure(text, ["propagation"])
    before = {name: array.copy() for name, array in first.fields["propagation"].items()}
    measure(
        text,
        ["propagation"],
        propagation=Propagation(residual=0.9, start_layer=0, flow_sources=None),
    )
    for name, array in before.items():
        np.testing.assert_array_equal(first.fields["propagation"][name], array)


def test_there_is_no_such_measure(text):
    with pytest.raises(InputError, match=r"no measure 'clusters' of one text; allowed: mixing, "):
        measure(text, ["clusters"])
