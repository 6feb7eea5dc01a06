"""Relevance against cases worked by hand; what it shares with rollout, in shared properties."""

import numpy as np
import pytest
from random_layers import stochastic

from analysis.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum

RULES = (relevance_sum, relevance_rollout)


def random(shape, seed=0):
    """Random attention and gradients of both signs."""
    return stochastic(shape, seed), np.random.default_rng(seed).normal(size=shape)


# --- weighting with the gradient ------------------------------------------------------------------


def test_each_sign_is_a_mean_over_heads_of_its_own():
    attention = np.array([[[[0.5, 0.5], [0.0, 1.0]], [[0.2, 0.8], [1.0, 0.0]]]])
    gradient = np.array([[[[2.0, -2.0], [7.0, 1.0]], [[-5.0, 1.0], [-4.0, 9.0]]]])
    # Products: head 0 [[1, -1], [0, 1]], head 1 [[-1, .8], [-4, 0]]; cut off before the mean.
    np.testing.assert_allclose(gradient_weighted(attention, gradient), [[[0.5, 0.4], [0, 0.5]]])
    np.testing.assert_allclose(
        gradient_weighted(attention, gradient, sign=-1), [[[0.5, 0.5], [2, 0]]]
    )


def test_evidence_for_and_against_add_up_to_the_mean_product():
    attention, gradient = random((3, 4, 5, 5))
    positive = gradient_weighted(attention, gradient)
    negative = gradient_weighted(attention, gradient, sign=-1)
    np.testing.assert_allclose(positive - negative, (attention * gradient).mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(
        positive + negative, np.abs(attention * gradient).mean(axis=1), atol=1e-15
    )
    assert (np.minimum(positive, negative) > 0).any()  # heads do disagree: no flip of the sign


def test_the_opposite_logit_has_the_opposite_evidence():
    attention, gradient = random((2, 3, 4, 4), seed=1)
    np.testing.assert_array_equal(
        gradient_weighted(attention, gradient, sign=-1), gradient_weighted(attention, -gradient)
    )


def test_without_attention_a_steep_gradient_is_no_evidence():
    attention = np.eye(3)[None, None]
    weighted = gradient_weighted(attention, np.full((1, 1, 3, 3), 1e6))
    assert (weighted[0][~np.eye(3, dtype=bool)] == 0).all()


# --- the two rules, by hand -----------------------------------------------------------------------

# The lower layer and the upper one.
TWO = np.array([[[0.0, 1.0], [0.5, 0.0]], [[1.0, 0.0], [2.0, 1.0]]])


def test_two_layers_summed_by_hand():
    relevance = relevance_sum(TWO)
    # R1 = I + lower = [[1, 1], [.5, 1]]; upper R1 = [[1, 1], [2.5, 3]].
    np.testing.assert_allclose(relevance[0], [[1, 1], [0.5, 1]])
    np.testing.assert_allclose(relevance[1], [[2, 2], [3, 4]])


def test_two_layers_rolled_out_by_hand():
    relevance = relevance_rollout(TWO)
    # Rows of I + lower over 2 and 1.5: [[1/2, 1/2], [1/3, 2/3]]; of I + upper over 2 and 4.
    np.testing.assert_allclose(relevance[0], [[1 / 2, 1 / 2], [1 / 3, 2 / 3]])
    # [[1, 0], [1/2, 1/2]] times that: the second row is the mean of both rows.
    np.testing.assert_allclose(relevance[1], [[1 / 2, 1 / 2], [5 / 12, 7 / 12]])


def test_from_attention_and_gradient_to_relevance_by_hand():
    """One layer, two heads: the head that argues against the class leaves no trace."""
    attention = np.array([[[[0.5, 0.5], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]]])
    gradient = np.array([[[[0.0, 4.0], [0.0, 0.0]], [[0.0, -3.0], [0.0, 0.0]]]])
    weighted = gradient_weighted(attention, gradient)
    np.testing.assert_allclose(relevance_sum(weighted)[-1], [[1, 1], [0, 1]])
    np.testing.assert_allclose(relevance_rollout(weighted)[-1], [[0.5, 0.5], [0, 1]])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("rule", RULES)
def test_a_class_that_depends_on_nothing_leaves_the_identity(rule, sign):
    attention, gradient = random((3, 2, 4, 4))
    weighted = gradient_weighted(attention, 0 * gradient, sign=sign)
    np.testing.assert_array_equal(rule(weighted), np.broadcast_to(np.eye(4), (3, 4, 4)))


# --- bad input ------------------------------------------------------------------------------------

ONE = np.ones((1, 1, 2, 2))
STEEP = np.array([[[[1.0, 1.0], [1.0, np.inf]]]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gradient_weighted(ONE, ONE, sign=0), r"sign is 0; .*1 .*-1"),
        (lambda: gradient_weighted(ONE, ONE, sign=2), r"sign is 2"),
        (lambda: gradient_weighted(np.nan * ONE, ONE), r"attention\[0, 0, 0, 0\] is nan"),
        (lambda: gradient_weighted(-ONE, ONE), r"attention\[0, 0, 0, 0\] is -1"),
        (lambda: gradient_weighted(ONE, STEEP), r"gradient\[0, 0, 1, 1\] is inf"),
        *((lambda of=rule: of(-TWO), r"weighted\[0, 0, 1\] is -1") for rule in RULES),
        *((lambda of=rule: of(np.nan * TWO), r"weighted\[0, 0, 0\] is nan") for rule in RULES),
    ],
)
def test_what_is_no_attention_and_no_gradient_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
