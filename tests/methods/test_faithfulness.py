"""Faithfulness against scipy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

from attention_mixing.methods.faithfulness import (
    comprehensiveness,
    evidence_auc,
    normalised,
    precision_at_one,
    rank_correlation,
    removal_order,
    removed_counts,
    sufficiency,
)

# Few distinct values, so that most draws tie; finite, so that every score is one.
TIED = st.integers(-3, 3).map(float)


@st.composite
def pairs(draw):
    tokens = draw(st.integers(3, 12))
    return tuple(draw(arrays(float, tokens, elements=TIED)) for _ in range(2))


@st.composite
def marked(draw):
    """Scores of a text, and which of its tokens are evidence: some, not all."""
    tokens = draw(st.integers(2, 12))
    scores = draw(arrays(float, tokens, elements=TIED))
    evidence = draw(arrays(bool, tokens))
    first, second = draw(st.permutations(range(tokens)))[:2]
    evidence[first], evidence[second] = True, False
    return scores, evidence


# --- removal --------------------------------------------------------------------------------------


def test_the_most_important_removable_token_comes_first():
    scores = np.array([9.0, 0.2, 0.7, -1.0, 0.5, np.nan])
    removable = np.array([False, True, True, True, True, False])
    assert removal_order(scores, removable, np.zeros(6)).tolist() == [2, 4, 1, 3]


def test_ties_are_taken_as_they_were_drawn():
    # Long enough for sorting algorithms that do not keep the order of ties.
    scores, ties = np.arange(600.0) % 3, np.random.default_rng(0).random(600)
    expected = sorted(range(600), key=lambda token: (-scores[token], ties[token]))
    assert removal_order(scores, np.ones(600, bool), ties).tolist() == expected


@given(pairs())
def test_what_scores_alike_removes_the_same_whatever_its_values(two):
    scores, ties = two
    removable = np.ones(len(scores), bool)
    order = removal_order(scores, removable, ties)
    np.testing.assert_array_equal(removal_order(np.exp(scores) - 5, removable, ties), order)


@pytest.mark.parametrize(
    ("fractions", "tokens", "counts"),
    [
        ([0.01, 0.1], 30, [3]),
        ([0.1], 24, []),  # 2.4
        ([0.1], 25, [3]),  # 2.5
        ([0.35], 10, [4]),  # 3.5, which is less in binary
        ([0.07], 100, [7]),  # more in binary
        ([0.2, 0.5, 1.0], 9, [5, 9]),
        ([0.2, 0.5], 4, []),
    ],
)
def test_how_many_tokens_fractions_are(fractions, tokens, counts):
    assert removed_counts(fractions, tokens) == counts


@pytest.mark.parametrize(
    ("score", "removable", "message"),
    [
        (np.nan, True, r"scores\[0\] is nan"),
        (1.0, False, "none of 2 tokens is removable"),
    ],
)
def test_what_cannot_be_removed_is_refused(score, removable, message):
    with pytest.raises(ValueError, match=message):
        removal_order(np.full(2, score), np.full(2, removable), np.zeros(2))


@pytest.mark.parametrize("fraction", [0.0, 1.1])
def test_what_is_no_fraction_is_refused(fraction):
    with pytest.raises(ValueError, match=r"fraction is .*above 0"):
        removed_counts([0.5, fraction], 9)


# --- comprehensiveness and sufficiency ------------------------------------------------------------


def test_both_by_hand():
    # Three texts, three fractions; what is undefined leaves its text undefined.
    full = np.array([0.9, 0.6, 0.9])
    without = np.array([[0.8, 0.4, 0.0], [0.6, 0.6, 0.9], [0.5, np.nan, 0.5]])
    only = np.array([[0.3, 0.9, 0.9], [0.0, 0.3, 0.6], [0.9, 0.9, np.nan]])
    # Losses: .1, .5, .9 and 0, 0, -.3 (removing made the model surer).
    np.testing.assert_allclose(comprehensiveness(full, without), [0.5, -0.1, np.nan])
    # Losses: .6, 0, 0 and .6, .3, 0.
    np.testing.assert_allclose(sufficiency(full, only), [0.2, 0.3, np.nan])


@given(arrays(float, st.integers(2, 9), elements=st.floats(-1, 1, width=16)))
def test_the_limits_of_a_text_become_0_and_1_and_keep_the_order_between_them(drops):
    between = normalised(drops, 0.05)
    if np.ptp(drops) < 0.05:
        assert np.isnan(between).all()
    else:
        assert (between.min(), between.max()) == (0, 1)
        np.testing.assert_array_equal(np.argsort(between), np.argsort(drops))


def test_a_model_that_can_lose_less_is_as_faithful_by_the_same_share_of_it():
    # Edin et al.: the second model loses a third of what the first does, whatever is removed.
    first = np.array([0.9, 0.6, 0.0])
    np.testing.assert_allclose(normalised(first / 3, 0.05), normalised(first, 0.05))


def test_what_moves_nothing_has_no_limits():
    assert np.isnan(normalised(np.array([0.2, 0.2]), 0.0)).all()
    assert np.isnan(normalised(np.array([0.2, np.nan, 0.5]), 0.0)).all()


@pytest.mark.parametrize("measure", [comprehensiveness, sufficiency])
@pytest.mark.parametrize(("full", "left"), [(0.5, -0.2), (3.0, 0.5)])
def test_what_are_no_probabilities_is_refused(measure, full, left):
    with pytest.raises(ValueError, match="probabilities lie between 0 and 1"):
        measure(np.array([full]), np.array([[left]]))


# --- rank correlation -----------------------------------------------------------------------------


@given(pairs())
def test_correlation_is_that_of_scipy(two):
    ours = rank_correlation(*two)
    if any(len(set(values)) == 1 for values in two):
        assert np.isnan(ours)
    else:
        assert -1 <= ours <= 1
        assert ours == pytest.approx(spearmanr(*two).statistic, abs=1e-12)


def test_only_what_is_undefined_is_undefined():
    layers = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0], [1.0, np.nan, 2.0], [3.0, 2.0, 1.0]])
    expected = [1, np.nan, np.nan, -1]
    np.testing.assert_allclose(rank_correlation(layers, np.arange(3.0)), expected)
    np.testing.assert_allclose(rank_correlation(np.arange(3.0), layers), expected)
    # Two values always agree or disagree.
    assert np.isnan(rank_correlation(layers[:, :2], np.arange(2.0))).all()


# --- planted evidence -----------------------------------------------------------------------------


@given(marked())
def test_both_are_those_of_scikit_learn(text):
    scores, evidence = text
    methods = np.stack([scores, -scores])
    for found, theirs in zip(
        evidence_auc(methods, evidence), (roc_auc_score, average_precision_score), strict=True
    ):
        expected = [theirs(evidence, one) for one in methods]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(
        evidence_auc(scores, evidence), [found[0] for found in evidence_auc(methods, evidence)]
    )


def test_without_both_kinds_of_token_or_with_undefined_scores_nothing_is_defined():
    scores = np.array([[0.1, np.nan, 0.3], [np.nan, 0.2, 0.3], [0.1, 0.2, 0.3]])
    for evidence, undefined in (([1, 0, 0], [1, 1, 0]), ([1, 1, 1], [1] * 3), ([0, 0, 0], [1] * 3)):
        for found in evidence_auc(scores, np.array(evidence, bool)):
            np.testing.assert_array_equal(np.isnan(found), undefined)


# --- the first token ------------------------------------------------------------------------------


@given(marked())
def test_the_precision_at_one_is_what_drawing_among_the_highest_gives(text):
    scores, wanted = text
    highest = [token for token in range(len(scores)) if scores[token] == max(scores)]
    expected = np.mean([wanted[token] for token in highest])
    found = precision_at_one(np.stack([scores, np.ones(len(scores))]), wanted)
    np.testing.assert_allclose(found, [expected, wanted.mean()])


def test_the_precision_at_one_is_defined_where_a_choice_can_be_wrong():
    scores = np.array([[1.0, np.nan], [1.0, 2.0]])
    np.testing.assert_array_equal(precision_at_one(scores, np.array([False, True])), [np.nan, 1])
    for wanted in ([True, True], [False, False]):
        assert np.isnan(precision_at_one(scores, np.array(wanted))).all()
