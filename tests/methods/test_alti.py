"""ALTI against its definition, vector by vector."""

import numpy as np
import pytest
from random_layers import PLACEMENTS, layer, plain

from attention_mixing.methods.alti import alti
from attention_mixing.methods.mixing import AttentionBlock


@pytest.mark.parametrize("centring", [True, False])
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize(("tokens", "causal"), [(7, True), (21, False)])
def test_alti_is_that_of_the_definition(tokens, causal, placement, centring):
    arrays = layer(tokens, width=24, causal=causal, placement=placement, centring=centring)
    vectors = plain(**arrays, scope="attnresln_n")
    output = vectors.sum(axis=1) + np.random.default_rng(8).normal(0, 0.1, size=(tokens, 24))
    nearer = np.abs(output).sum(-1)[:, None] - np.abs(output[:, None] - vectors).sum(-1)
    shares = np.maximum(nearer, 0) / np.maximum(nearer, 0).sum(axis=-1, keepdims=True)
    result = alti(AttentionBlock(**arrays), output)
    np.testing.assert_allclose(result, shares, atol=1e-9, rtol=0)


def test_a_token_that_no_key_brings_nearer_has_no_shares():
    """To an output of zero every vector leads away."""
    block = AttentionBlock(**layer())
    output = sum(block.vectors("attnresln_n"))
    whole = alti(block, output)
    output[2] = 0
    shares = alti(block, output)
    assert np.isnan(shares[2]).all()
    np.testing.assert_array_equal(np.delete(shares, 2, axis=0), np.delete(whole, 2, axis=0))


def test_an_output_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"output\[0, 0\] is nan"):
        alti(AttentionBlock(**layer()), np.full((7, 8), np.nan))
