"""Sources of a stream go through normalisations and residual connections, and make up scores."""

import numpy as np
import pytest

from attention_mixing.methods.layer import Norm, Residual, apply_norm
from attention_mixing.methods.score_parts import joined_sources, normalised_sources, score_parts

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
