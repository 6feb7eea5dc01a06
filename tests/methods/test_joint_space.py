"""Translation and scaling of queries and keys: attention stays, by hand and on drawn vectors."""

import numpy as np
import pytest
from hypothesis import given
from random_heads import NO_VECTORS, head, pairs, scales

from analysis.methods.geometry import (
    own_correlation,
    pooled_correlation,
    rank_correlations,
)
from analysis.methods.joint_space import (
    attention_weights,
    centroid_shift,
    normalised,
    scaled,
    translate_keys,
)


@given(pairs())
def test_translation_brings_the_centroids_together_and_attention_stays(given_pair):
    query, key = given_pair
    moved = translate_keys(query, key)
    np.testing.assert_allclose(moved.mean(axis=-2), query.mean(axis=-2), atol=1e-12)
    shift = np.broadcast_to(centroid_shift(query, key)[:, None], key.shape)
    np.testing.assert_allclose(moved - key, shift, atol=1e-14)
    np.testing.assert_allclose(
        attention_weights(query, moved, 0.5), attention_weights(query, key, 0.5), atol=1e-12
    )


@given(pairs(), scales)
def test_scaling_keeps_dot_products(given_pair, c):
    query, key = given_pair
    wider, narrower = scaled(query, key, c)
    np.testing.assert_allclose(wider, c * query)
    np.testing.assert_allclose(
        wider @ narrower.swapaxes(-1, -2), query @ key.swapaxes(-1, -2), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("order", ["translate-scale", "scale-translate"])
@pytest.mark.parametrize("c", [0.3, -1.5555555555555556, 40.0])
def test_either_order_leaves_attention_as_it_is(order, c):
    query, key = head(shape=(2, 3))
    after = normalised(query, key, c, order=order)
    np.testing.assert_allclose(
        attention_weights(*after, 0.3), attention_weights(query, key, 0.3), atol=1e-12
    )
    if order == "scale-translate":
        np.testing.assert_allclose(after[0].mean(axis=-2), after[1].mean(axis=-2), atol=1e-12)


def test_translated_first_no_scale_changes_a_correlation_with_cosines():
    query, key = head(shape=(4,))
    reference = normalised(query, key, 1, order="translate-scale")
    for c in np.linspace(-2, 2, 10):
        after = normalised(query, key, c, order="translate-scale")
        for measure in (
            rank_correlations,
            lambda q, k: pooled_correlation(q, k, distance="cosine"),
            lambda q, k: own_correlation(q, k, distance="cosine"),
        ):
            np.testing.assert_allclose(measure(*after), measure(*reference), atol=1e-12)


def test_scaled_first_the_scale_does_matter():
    query, key = head(shape=(4,))
    found = [
        pooled_correlation(*normalised(query, key, c, order="scale-translate"), distance="cosine")
        for c in (0.5, 1.0, 2.0)
    ]
    assert (np.ptp(found, axis=0) > 0.01).all()


def test_a_scale_for_each_head():
    query, key = head(shape=(2, 3))
    c = np.arange(1, 7).reshape(2, 3) / 2
    together = normalised(query, key, c, order="scale-translate")
    for at in np.ndindex(2, 3):
        alone = normalised(query[at], key[at], c[at], order="scale-translate")
        np.testing.assert_array_equal(together[0][at], alone[0])
        np.testing.assert_allclose(together[1][at], alone[1], atol=1e-14)


def test_attention_by_hand():
    # Dot products 0 and ln 3, halved by no scaling: weights 1/4 and 3/4.
    weights = attention_weights([[1.0], [0.0]], [[0.0], [np.log(3)]], 1.0)
    np.testing.assert_allclose(weights, [[0.25, 0.75], [0.5, 0.5]])
    # Far beyond what exp can hold.
    assert attention_weights([[1e3], [1.0]], [[1e3], [0.0]], 1.0).tolist()[0] == [1.0, 0.0]


@pytest.mark.parametrize(
    "function",
    [
        centroid_shift,
        translate_keys,
        lambda query, key: attention_weights(query, key, 1.0),
        lambda query, key: scaled(query, key, 2),
    ],
)
@pytest.mark.parametrize(("query", "key", "message"), NO_VECTORS)
def test_what_are_no_vectors_is_not_moved(function, query, key, message):
    with pytest.raises(ValueError, match=message):
        function(query, key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda q, k: scaled(q, k, 0), r"c is 0.0; .*not 0"),
        (lambda q, k: scaled(q, k, np.nan), r"c is nan"),
        (lambda q, k: scaled(q, k, [1, 2]), r"c has shape \(2,\).*\(3,\)"),
        (
            lambda q, k: normalised(q, k, 1, order="both"),
            "order is 'both'; allowed: translate-scal",
        ),
    ],
)
def test_a_scale_or_order_that_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(*head(shape=(3,)))
