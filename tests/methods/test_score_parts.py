"""Sources of a stream go through normalisations and residual connections, and make up scores."""

import numpy as np
import pytest

from attention_mixing.methods.layer import Norm, Residual, apply_norm
from attention_mixing.methods.score_parts import (
    joined_sources,
    normalised_sources,
    score_change,
    score_parts,
)

DRAW = np.random.default_rng(0)
NORMS = [
    Norm(DRAW.normal(size=8), DRAW.normal(size=8), 1e-5, centring) for centring in (True, False)
]


def sources(count=4, tokens=3):
    return DRAW.normal(size=(count, tokens, 8))


@pytest.mark.parametrize("norm", [*NORMS, None])
def test_sources_behind_a_normalisation_add_up_to_what_it_makes(norm):
    parts = sources()
    through = normalised_sources(parts, norm)
    np.testing.assert_allclose(through.sum(axis=0), apply_norm(parts.sum(axis=0), norm))


def test_the_offset_of_a_normalisation_belongs_to_what_is_constant():
    parts = sources()
    parts[2] = 0
    through = normalised_sources(parts, NORMS[0])
    assert not through[2].any()
    shifted = NORMS[0]._replace(offset=NORMS[0].offset + 1)
    np.testing.assert_allclose(normalised_sources(parts, shifted)[1:], through[1:])


@pytest.mark.parametrize("after", [*NORMS, None])
@pytest.mark.parametrize("of_output", [*NORMS, None])
def test_sources_of_a_step_join_those_of_the_stream(after, of_output):
    stream, added = sources(), sources(3)
    residual = Residual(of_output=of_output, after=after, scale=0.3)
    joined = joined_sources(stream, added, residual)
    assert len(joined) == 6
    made = 0.3 * apply_norm(added.sum(axis=0), of_output)
    np.testing.assert_allclose(joined.sum(axis=0), apply_norm(stream.sum(axis=0) + made, after))


def test_parts_of_a_score_add_up_to_it():
    query, key = DRAW.normal(size=(5, 2, 8)), DRAW.normal(size=(6, 2, 8))
    parts = score_parts(query, key, 0.25)
    whole = 0.25 * (query.sum(axis=0) * key.sum(axis=0)).sum(axis=-1)
    np.testing.assert_allclose(parts.sum(axis=(1, 2)), whole)
    # Without one source of the query, its row is missing and nothing else.
    cut = score_parts(np.delete(query, 3, axis=0), key, 0.25)
    np.testing.assert_array_equal(cut, np.delete(parts, 3, axis=1))


def test_the_change_of_a_score_is_parted_exactly_and_alike():
    """Its parts add up, and the way back is the same with the other sign."""
    rng = np.random.default_rng(5)
    before, after = ((rng.normal(size=(4, 3, 6)), rng.normal(size=(5, 3, 6))) for _ in range(2))
    change = score_change(before, after, scale=0.3)
    scores = [score_parts(*state, scale=0.3).sum(axis=(1, 2)) for state in (before, after)]
    whole = change.query.sum(axis=0) + change.key.sum(axis=0)
    np.testing.assert_allclose(whole, scores[1] - scores[0], atol=1e-12)
    back = score_change(after, before, scale=0.3)
    for one, other in zip(change, back, strict=True):
        np.testing.assert_allclose(one, -other, atol=1e-12)
    # Queries and keys exchanged, so are the two sides.
    turned = score_change(before[::-1], after[::-1], scale=0.3)
    np.testing.assert_allclose(turned.key, change.query, atol=1e-12)


def test_a_source_that_stays_has_changed_nothing():
    rng = np.random.default_rng(6)
    query, key = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2, 4))
    moved = query.copy()
    moved[1] += 1
    change = score_change((query, key), (moved, key), scale=1.0)
    assert not change.key.any()
    assert not change.query[[0, 2]].any()
    np.testing.assert_allclose(change.query[1], key.sum(axis=0).sum(axis=-1))
