"""Feature points and their layouts: how many, in which order, and the same each time."""

import os
import subprocess
import sys

import numpy as np
import pytest

from attention_mixing.methods.projection import (
    FEWEST_POINTS,
    METRICS,
    POINT_SETS,
    distances,
    feature_points,
    pca_map,
    tsne_map,
    umap_map,
)
from attention_mixing.methods.trust import neighbour_ranks

UMAP = {"metric": "euclidean", "neighbors": 5, "min_dist": 0.1, "seed": 2}
TSNE = {"metric": "euclidean", "perplexity": 5.0, "seed": 2}
SEEDED = [(umap_map, UMAP), (tsne_map, TSNE)]
DRAWN = [*SEEDED, (pca_map, {})]


def features(layers, tokens=4, width=8):
    """Distinct values everywhere, so that a mixed-up point shows."""
    rng = np.random.default_rng(0)
    flat = {name: rng.normal(size=(tokens, width)) for name in ("word", "embedding")}
    return flat | {name: rng.normal(size=(layers, tokens, width)) for name in POINT_SETS["all62"]}


def points(tokens, width=16, seed=1):
    return np.random.default_rng(seed).normal(size=(tokens, width))


# --- feature points -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POINT_SETS)
def test_points_come_in_the_order_of_the_forward_pass(name):
    given = features(12)
    found = feature_points(given, name)
    forward = [
        *("word", "embedding", "context", "attention_output", "attention_block", "ffn_output"),
        "layer_output",
    ]
    assert list(found) == sorted(found, key=lambda point: (point[1], forward.index(point[0])))
    assert name.endswith(str(len(found)))  # of twelve layers
    for (point, depth), values in found.items():
        expected = given[point][depth - 1] if depth else given[point]
        np.testing.assert_array_equal(values, expected)


# --- distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_distances_by_their_definitions(metric):
    rows = points(5, width=3)
    one, other = rows[:, None], rows[None]
    centred = rows - rows.mean(axis=1, keepdims=True)

    def cosine(vectors):
        lengths = np.linalg.norm(vectors, axis=1)
        return 1 - vectors @ vectors.T / np.outer(lengths, lengths)

    expected = {
        "euclidean": np.sqrt(((one - other) ** 2).sum(axis=-1)),
        "manhattan": np.abs(one - other).sum(axis=-1),
        "cosine": cosine(rows),
        "correlation": cosine(centred),
        "chebyshev": np.abs(one - other).max(axis=-1),
        "canberra": (np.abs(one - other) / (np.abs(one) + np.abs(other))).sum(axis=-1),
    }[metric]
    found = distances(rows, metric)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diagonal(found), 0)


@pytest.mark.parametrize(
    ("vectors", "metric", "message"),
    [
        (np.eye(3), "euclid", "metric is 'euclid'; allowed: euclidean, manhattan, cosine"),
        (np.zeros((0, 3)), "euclidean", "not empty"),
        (np.diag([np.nan, 1]), "euclidean", "finite"),
        (np.array([[0.0, 1], [0, 0]]), "cosine", "metric cosine is not defined between vector 0"),
        (np.array([[0.0, 1], [1, 1]]), "correlation", "metric correlation is not defined"),
    ],
)
def test_what_has_no_distance_is_refused(vectors, metric, message):
    with pytest.raises(ValueError, match=message):
        distances(vectors, metric)


# --- layouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("draw", "options"), DRAWN)
@pytest.mark.parametrize("tokens", [FEWEST_POINTS, 30])
def test_a_map_repeats_bit_for_bit(draw, options, tokens):
    first, again = draw(points(tokens), **options), draw(points(tokens), **options)
    assert first.shape == (tokens, 2)
    assert first.dtype == np.float64
    assert np.isfinite(first).all()
    np.testing.assert_allclose(first.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(first, again)


@pytest.mark.slow
def test_another_process_with_other_threads_draws_the_same_maps():
    """The first map of a process compiles or loads what later ones find ready."""
    code = (
        "import numpy as np\n"
        "from attention_mixing.methods.projection import *\n"
        "rows = np.random.default_rng(1).normal(size=(40, 16))\n"
        f"maps = umap_map(rows, **{UMAP}), tsne_map(rows, **{TSNE}), pca_map(rows)\n"
        "print(np.stack(maps).tobytes().hex())"
    )
    environment = os.environ | {"OMP_NUM_THREADS": "3", "PYTHONPATH": "."}
    drawn = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    here = np.stack([draw(points(40), **options) for draw, options in DRAWN])
    assert drawn.strip() == here.tobytes().hex()


@pytest.mark.parametrize(
    ("draw", "options", "change"),
    [
        *((umap_map, UMAP, other) for other in ({"seed": 3}, {"metric": "cosine"})),
        *((tsne_map, TSNE, other) for other in ({"seed": 3}, {"metric": "cosine"})),
        (umap_map, UMAP, {"min_dist": 0.9}),
        (umap_map, UMAP, {"neighbors": 9}),
        (tsne_map, TSNE, {"perplexity": 3.0}),
    ],
)
def test_every_option_changes_the_map(draw, options, change):
    assert not np.array_equal(draw(points(20), **options), draw(points(20), **options | change))


@pytest.mark.parametrize(("draw", "options"), DRAWN)
def test_two_groups_of_tokens_stay_apart(draw, options):
    rng = np.random.default_rng(4)
    groups = [rng.normal(centre, 0.1, size=(15, 16)) for centre in (0, 20)]
    layout = draw(np.concatenate(groups), **options)
    nearest = neighbour_ranks(layout).argsort(axis=1)[:, 1:6]
    assert ((nearest < 15) == (np.arange(30) < 15)[:, None]).all()


@pytest.mark.parametrize(("draw", "options"), SEEDED)
def test_equal_tokens_are_no_trouble(draw, options):
    assert np.isfinite(draw(np.repeat(points(4), 3, axis=0), **options)).all()


def test_more_neighbours_than_tokens_are_as_many_as_there_are():
    for draw, options, key, values in (
        (umap_map, UMAP, "neighbors", (50, 7)),
        (tsne_map, TSNE, "perplexity", (50.0, 8 / 3)),
    ):
        one, other = (draw(points(8), **(options | {key: value})) for value in values)
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("draw", "options"), DRAWN)
def test_too_few_tokens_are_refused(draw, options):
    with pytest.raises(ValueError, match="at least 6 tokens; there are 5"):
        draw(np.zeros((5, 8)), **options)


def test_one_dimension_is_no_plane():
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        pca_map(np.arange(8.0)[:, None])


# --- PCA ------------------------------------------------------------------------------------------


def test_pca_are_the_eigenvectors_of_the_covariance():
    rows = points(40, width=6) * [5, 4, 3, 2, 1, 1]
    layout = pca_map(rows)
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    np.testing.assert_allclose(np.cov(layout.T), np.diag(values[::-1][:2]), atol=1e-12)
    expected = (rows - rows.mean(axis=0)) @ vectors[:, ::-1][:, :2]
    np.testing.assert_allclose(np.abs(layout), np.abs(expected), atol=1e-12)


def test_signs_of_pca_do_not_depend_on_those_of_the_features():
    rows = points(20)
    layout = pca_map(rows)
    assert (layout[np.abs(layout).argmax(axis=0), [0, 1]] > 0).all()
    turn = np.linalg.qr(points(16, seed=3))[0]
    np.testing.assert_allclose(pca_map(rows @ turn), layout, atol=1e-12)
