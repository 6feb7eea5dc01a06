"""Reliability bins by hand."""

import numpy as np
import pytest

from attention_mixing.methods.calibration import expected_calibration_error, reliability


def test_bins_by_hand():
    confidence = np.array([0.55, 0.58, 0.91, 1.0, 0.94])
    correct = np.array([True, False, True, True, True])
    table = reliability(confidence, correct)
    assert table["low"].tolist() == [0.5, 0.9]
    assert table["high"].tolist() == [0.6, 1.0]
    assert table["count"].tolist() == [2, 3]
    np.testing.assert_allclose(table["confidence"], [0.565, 0.95])
    np.testing.assert_allclose(table["accuracy"], [0.5, 1.0])
    # |0.565 - 0.5| of two predictions and |0.95 - 1| of three.
    assert expected_calibration_error(table) == pytest.approx((2 * 0.065 + 3 * 0.05) / 5)


def test_every_prediction_is_in_one_bin():
    confidence = np.random.default_rng(0).uniform(size=1000)
    confidence[:3] = 0.0, 0.5, 1.0
    for bins in (1, 7, 10):
        table = reliability(confidence, confidence > 0.5, bins=bins)
        assert table["count"].sum() == 1000
        assert len(table) <= bins
        assert (table["low"] <= table["confidence"]).all()
        assert (table["confidence"] <= table["high"]).all()


def test_no_predictions_give_a_table_without_rows():
    assert reliability(np.empty(0), np.empty(0, bool)).empty
