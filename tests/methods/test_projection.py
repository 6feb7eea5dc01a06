"""The feature maps: how many, in which order, and the same each time."""

import numpy as np
import pytest

from analysis.methods.projection import seed38, umap_map

MAP = {"metric": "euclidean", "neighbors": 5, "min_dist": 0.1, "seed": 2}


def features(layers, tokens=4, width=8):
    """Distinct values everywhere, so that a mixed-up point shows."""
    rng = np.random.default_rng(0)
    flat = {name: rng.normal(size=(tokens, width)) for name in ("word", "embedding")}
    deep = ("context", "attention_output", "ffn_output")
    return flat | {name: rng.normal(size=(layers, tokens, width)) for name in deep}


@pytest.mark.parametrize("layers", [1, 6, 12])
def test_two_maps_and_three_a_layer(layers):
    assert len(seed38(features(layers))) == 2 + 3 * layers


def test_twelve_layers_give_the_38_maps_of_the_seed():
    assert len(seed38(features(12))) == 38


def test_points_come_in_the_order_of_the_forward_pass():
    given = features(2)
    points = seed38(given)
    layer = ["context", "attention_output", "ffn_output"]
    assert list(points) == [
        ("word", 0),
        ("embedding", 0),
        *((name, 1) for name in layer),
        *((name, 2) for name in layer),
    ]
    for (name, depth), values in points.items():
        expected = given[name][depth - 1] if depth else given[name]
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("tokens", [4, 9, 10, 11, 30])
def test_a_map_repeats_bit_for_bit(tokens):
    points = np.random.default_rng(1).normal(size=(tokens, 16))
    first, again = umap_map(points, **MAP), umap_map(points, **MAP)
    assert first.shape == (tokens, 2)
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(first, again)


def test_a_map_is_centred_and_depends_on_its_seed():
    points = np.random.default_rng(2).normal(size=(20, 16))
    layout = umap_map(points, **MAP)
    np.testing.assert_allclose(layout.mean(axis=0), 0, atol=1e-6)
    assert not np.array_equal(layout, umap_map(points, **(MAP | {"seed": 3})))


def test_half_precision_features_are_taken():
    points = np.random.default_rng(3).normal(size=(12, 16)).astype(np.float16)
    assert umap_map(points, **MAP).dtype == np.float64


def test_two_groups_of_tokens_stay_apart():
    rng = np.random.default_rng(4)
    groups = [rng.normal(centre, 0.1, size=(15, 16)) for centre in (0, 20)]
    layout = umap_map(np.concatenate(groups), **MAP)
    ours, theirs = layout[:15], layout[15:]
    spread = max(np.ptp(part, axis=0).max() for part in (ours, theirs))
    assert np.linalg.norm(ours.mean(axis=0) - theirs.mean(axis=0)) > spread


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "correlation", "chebyshev", "canberra"])
def test_metrics_of_the_parameters_are_those_of_umap(metric):
    points = np.random.default_rng(5).normal(size=(12, 16))
    assert np.isfinite(umap_map(points, **(MAP | {"metric": metric}))).all()


@pytest.mark.parametrize("tokens", [0, 1, 3])
def test_fewer_than_four_tokens_are_refused(tokens):
    with pytest.raises(ValueError, match=f"at least 4 tokens; this text has {tokens}"):
        umap_map(np.zeros((tokens, 8)), **MAP)
