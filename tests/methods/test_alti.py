"""ALTI against its definition, vector by vector, and hand cases."""

import numpy as np
import pytest
from random_layers import layer, plain

from analysis.methods.alti import alti
from analysis.methods.mixing import AttentionBlock
from analysis.methods.weights import LayerNorm


@pytest.mark.parametrize(("tokens", "causal"), [(7, True), (21, False)])
def test_alti_is_that_of_the_definition(tokens, causal):
    arrays = layer(tokens=tokens, causal=causal, width=24)
    vectors = plain(**arrays, scope="attnresln_n")
    output = vectors.sum(axis=1) + np.random.default_rng(8).normal(0, 0.1, size=(tokens, 24))
    nearer = np.abs(output).sum(-1)[:, None] - np.abs(output[:, None] - vectors).sum(-1)
    shares = np.maximum(nearer, 0) / np.maximum(nearer, 0).sum(axis=-1, keepdims=True)
    result = alti(AttentionBlock(**arrays), output)
    np.testing.assert_allclose(result, shares, atol=1e-9, rtol=0)


def test_alti_solved_by_hand():
    # Inputs of the layer normalisation are (1, -1) and (2, -2): deviations 1 and 2.
    block = AttentionBlock(
        np.array([[[0.5, 0.5], [0.0, 1.0]]]),
        np.array([[[1.0, -1.0], [-0.5, 0.5]]]),
        inputs=np.array([[0.75, -0.75], [2.5, -2.5]]),
        output_bias=np.zeros(2),
        layer_norm=LayerNorm(np.ones(2), np.zeros(2), 0.0),
    )
    # T_0(0) = (1.25, -1.25) misses (1, -1) by 0.5 of 2: 1.5. T_0(1) = (-0.25, 0.25) leads away.
    np.testing.assert_allclose(alti(block, np.array([[1.0, -1.0], [1.0, -1.0]])), [[1, 0], [0, 1]])
    # With the output (-1, 1) it is token 1 that leads there.
    np.testing.assert_allclose(alti(block, np.array([[-1.0, 1.0], [1.0, -1.0]])), [[0, 1], [0, 1]])
    # A bias takes the output of token 0 to (1, 1): T_0(0) misses by 0.25 + 2.25, T_0(1) by 1.25 +
    # 0.75, neither is nearer than 0, at a distance of 2.
    with pytest.raises(ValueError, match=r"contributions\[0\] are all 0"):
        alti(block, np.array([[1.0, 1.0], [1.0, -1.0]]))


def test_an_output_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"output\[0, 0\] is nan"):
        alti(AttentionBlock(**layer()), np.full((7, 8), np.nan))
