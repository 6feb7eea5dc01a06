"""Relevance against cases worked by hand, sums over paths, and rollout."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from jaxtyping import TypeCheckError

from analysis.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum
from analysis.methods.rollout import attention_rollout

RULES = (relevance_sum, relevance_rollout)


def random(shape, seed=0):
    """Random attention, every row summing to 1, and gradients of both signs."""
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True), rng.normal(size=shape)


@st.composite
def weights(draw):
    """Weighted attention of up to 4 layers and 5 tokens, zeros among the entries."""
    layers, tokens = draw(array_shapes(min_dims=2, max_dims=2, max_side=5))
    return draw(
        arrays(float, (layers, tokens, tokens), elements=st.sampled_from((0, 0.1, 0.5, 2.0)))
    )


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


def test_the_start_layer_leaves_out_what_is_below():
    np.testing.assert_allclose(relevance_sum(TWO, start_layer=1)[0], np.eye(2))
    np.testing.assert_allclose(relevance_sum(TWO, start_layer=1)[1], [[2, 0], [2, 2]])
    np.testing.assert_allclose(relevance_rollout(TWO, start_layer=1)[1], [[1, 0], [0.5, 0.5]])


# --- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("start", range(4))
def test_a_start_layer_is_the_same_as_a_model_that_begins_there(rule, start):
    weighted = gradient_weighted(*random((4, 2, 5, 5)))
    relevance = rule(weighted, start_layer=start)
    np.testing.assert_array_equal(relevance[:start], np.broadcast_to(np.eye(5), (start, 5, 5)))
    np.testing.assert_allclose(relevance[start:], rule(weighted[start:]), atol=1e-14)


def test_the_sum_is_over_all_paths_that_may_stay_where_they_are():
    weighted = gradient_weighted(*random((3, 2, 3, 3)))
    augmented = weighted + np.eye(3)
    expected = np.zeros((3, 3))
    for path in itertools.product(range(3), repeat=4):
        steps = zip((2, 1, 0), path, path[1:], strict=False)
        expected[path[0], path[-1]] += np.prod([augmented[step] for step in steps])
    np.testing.assert_allclose(relevance_sum(weighted)[-1], expected, atol=1e-13)


def test_the_top_layer_multiplies_from_the_left():
    weighted = gradient_weighted(*random((6, 3, 8, 8), seed=2)) + np.eye(8)
    np.testing.assert_allclose(
        relevance_sum(weighted - np.eye(8))[-1], np.linalg.multi_dot(weighted[::-1]), atol=1e-13
    )


@settings(deadline=None)
@given(weights())
def test_rows_of_the_rollout_sum_to_one_and_those_of_the_sum_grow(weighted):
    rollout, total = relevance_rollout(weighted), relevance_sum(weighted)
    assert rollout.shape == total.shape == weighted.shape
    assert rollout.dtype == total.dtype == np.float64
    assert (rollout >= 0).all()
    np.testing.assert_allclose(rollout.sum(axis=-1), 1, atol=1e-12)
    assert (np.diff(total, axis=0) >= 0).all()
    assert (np.diagonal(total, axis1=1, axis2=2) >= 1).all()


@settings(deadline=None)
@given(weights())
def test_the_first_layer_is_the_same_rule_but_for_the_row_sums(weighted):
    first = relevance_sum(weighted)[0]
    np.testing.assert_allclose(
        relevance_rollout(weighted)[0], first / first.sum(axis=-1, keepdims=True), atol=1e-14
    )


@settings(deadline=None)
@given(weights(), st.floats(0, 3))
def test_rows_of_equal_sum_make_the_rules_agree_up_to_a_factor(weighted, total):
    """With all row sums equal, normalising is a division by one number a layer."""
    sums = weighted.sum(axis=-1, keepdims=True)
    flat = np.full_like(weighted, 1 / weighted.shape[-1])
    rows = total * np.divide(weighted, sums, out=flat, where=sums > 0)
    factors = (1 + total) ** np.arange(1, len(rows) + 1)[:, None, None]
    np.testing.assert_allclose(relevance_rollout(rows), relevance_sum(rows) / factors, atol=1e-12)


def test_attention_in_place_of_evidence_gives_attention_rollout():
    """With gradients of one, (a) is Abnar and Zuidema's rollout with half a residual."""
    attention, _ = random((4, 3, 6, 6))
    weighted = gradient_weighted(attention, np.ones_like(attention))
    np.testing.assert_allclose(
        relevance_rollout(weighted), attention_rollout(attention, residual=0.5), atol=1e-14
    )


@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None)
@given(weighted=weights(), data=st.data())
def test_renaming_tokens_renames_the_result(rule, weighted, data):
    order = np.array(data.draw(st.permutations(range(weighted.shape[-1]))))
    renamed = weighted[..., order, :][..., order]
    np.testing.assert_allclose(
        rule(renamed), rule(weighted)[..., order, :][..., order], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None)
@given(weighted=weights())
def test_causal_attention_stays_causal(rule, weighted):
    assert (np.triu(rule(np.tril(weighted)), 1) == 0).all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("rule", RULES)
def test_a_class_that_depends_on_nothing_leaves_the_identity(rule, sign):
    attention, gradient = random((3, 2, 4, 4))
    weighted = gradient_weighted(attention, 0 * gradient, sign=sign)
    np.testing.assert_array_equal(rule(weighted), np.broadcast_to(np.eye(4), (3, 4, 4)))


@pytest.mark.parametrize("rule", RULES)
def test_one_token_is_relevant_to_itself(rule):
    relevance = rule(gradient_weighted(np.ones((1, 1, 1, 1)), np.full((1, 1, 1, 1), 0.5)))
    assert relevance.tolist() == ([[[1.5]]] if rule is relevance_sum else [[[1.0]]])


# --- bad input ------------------------------------------------------------------------------------

ONE = np.ones((1, 1, 1, 1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gradient_weighted(ONE, ONE, sign=0), r"sign is 0; .*1 .*-1"),
        (lambda: gradient_weighted(ONE, ONE, sign=2), r"sign is 2"),
        (lambda: gradient_weighted(np.nan * ONE, ONE), r"attention\[0, 0, 0, 0\] is nan"),
        (lambda: gradient_weighted(-ONE, ONE), r"attention\[0, 0, 0, 0\] is -1"),
        (lambda: gradient_weighted(ONE, np.inf * ONE), r"gradient\[0, 0, 0, 0\] is inf"),
    ],
)
def test_what_is_no_attention_with_gradient_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("entry", "start", "message"),
    [
        (-1.0, 0, r"weighted\[0, 0, 1\] is -1"),
        (np.nan, 0, r"weighted\[0, 0, 1\] is nan"),
        (0.0, -1, r"start_layer is -1.*layers 0 to 1"),
        (0.0, 2, r"start_layer is 2.*layers 0 to 1"),
    ],
)
def test_what_is_no_weighted_attention_and_no_layer_is_refused(rule, entry, start, message):
    weighted = TWO.copy()
    weighted[0, 0, 1] = entry
    with pytest.raises(ValueError, match=message):
        rule(weighted, start_layer=start)


def test_a_gradient_of_another_text_is_refused():
    with pytest.raises(TypeCheckError):
        gradient_weighted(ONE, np.ones((1, 1, 3, 3)))
