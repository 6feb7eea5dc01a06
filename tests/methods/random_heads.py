"""Queries and keys of random heads, and what is none; sums with every pair written down."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

scales = st.one_of(st.floats(0.01, 100), st.floats(-100, -0.01))
# Query, key and what is said of them.
NO_VECTORS = [
    (np.ones(3), np.ones(3), r"query has shape \(3,\).*\[\.\.\., token, head_dim\]"),
    (np.ones((0, 3)), np.ones((0, 3)), r"query has shape \(0, 3\).*nothing empty"),
    (np.ones((4, 3)), np.ones((0, 3)), r"key has shape \(0, 3\)"),
    (np.ones((4, 3)), np.ones((5, 3)), r"query has shape \(4, 3\) and key \(5, 3\)"),
    (np.ones((4, 3)), np.ones((4, 2)), r"query has shape \(4, 3\) and key \(4, 2\)"),
    ([[1.0], [np.nan]], [[1.0], [1.0]], r"query\[1, 0\] is nan"),
    ([[1.0], [1.0]], [[np.inf], [1.0]], r"key\[0, 0\] is inf.*finite"),
    ([[1e100], [1.0]], [[1.0], [1.0]], r"query\[0, 0\] is 1e\+100.*at most 1e\+70"),
]


def head(tokens=20, dimensions=8, seed=0, shape=()):
    """Queries and keys that lie apart, have unequal lengths and know of each other."""
    rng = np.random.default_rng(seed)
    key = rng.normal(size=(*shape, tokens, dimensions)) * rng.uniform(0.3, 3, size=dimensions)
    query = rng.normal(size=key.shape) + 0.5 * key + rng.normal(size=dimensions)
    return query * rng.uniform(0.5, 2), key - rng.normal(size=dimensions)


@st.composite
def pairs(draw, least=1):
    """Small whole numbers: vectors of length zero, equal vectors and ties among them."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(least, 7), st.integers(1, 4)))
    numbers = st.integers(-3, 3).map(float)
    return tuple(draw(arrays(float, shape, elements=numbers)) for _ in range(2))


def plain_moments(query, key):
    """Mean and covariance over all pairs of one head, every pair written down."""
    rows = np.array([(q @ q, k @ k, q @ k) for q in query for k in key])
    return rows.mean(axis=0), np.cov(rows.T, bias=True)


def plain_correlation(query, key, metric):
    return np.corrcoef((query @ key.T).ravel(), cdist(query, key, metric).ravel())[0, 1]
