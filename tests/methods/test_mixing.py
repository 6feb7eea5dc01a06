"""Norm-based mixing against the plain n x n x d definition and a case solved by hand."""

import numpy as np
import pytest
from hypothesis import given
from random_layers import PLACEMENTS, layer, layers, plain, plain_norm, plain_ratio

from attention_mixing.methods.layer import Norm, Residual
from attention_mixing.methods.mixing import SCOPES, AttentionBlock, row_normalised

VECTOR_SCOPES = ("attn_n", "attnres_n", "attnresln_n")


def block_of(attention, value, **rest):
    """A block of arrays or lists, values as they are added; what is not given adds nothing."""
    vectors = np.asarray(value)
    nothing = {
        "projection": np.tile(np.eye(vectors.shape[2]), (len(vectors), 1)),
        "inputs": np.zeros(vectors.shape[1:]),
        "output_bias": np.zeros(vectors.shape[2]),
        "residual": Residual(),
    }
    given = {name: one if name == "residual" else np.asarray(one) for name, one in rest.items()}
    return AttentionBlock(np.asarray(attention), vectors, **nothing | given)


def mixing_ratio(attention, value, *, scope, **rest):
    return block_of(attention, value, **rest).ratio(scope)


def contribution_norms(attention, value, *, scope, **rest):
    return block_of(attention, value, **rest).norms(scope)


@pytest.mark.parametrize("scope", SCOPES)
@given(given_layer=layers())
def test_ratio_and_norms_are_those_of_the_definition(scope, given_layer):
    vectors = plain(**given_layer, scope=scope)
    norms = contribution_norms(**given_layer, scope=scope)
    ratio = mixing_ratio(**given_layer, scope=scope)
    assert norms.dtype == ratio.dtype == np.float64
    np.testing.assert_allclose(norms, np.linalg.norm(vectors, axis=-1), atol=1e-9, rtol=1e-9)
    np.testing.assert_allclose(ratio, plain_ratio(vectors), atol=1e-9, rtol=0)


def test_two_tokens_solved_by_hand():
    # f(x_0) = (3, 0), f(x_1) = (0, 4); token 0 looks at both alike, token 1 at itself.
    attention = [[[0.5, 0.5], [0.0, 1.0]]]
    transformed = [[[3.0, 0.0], [0.0, 4.0]]]
    inputs = [[0.5, 0.0], [1.0, 1.0]]
    np.testing.assert_allclose(
        contribution_norms(attention, transformed, scope="attn_n"), [[1.5, 2.0], [0.0, 4.0]]
    )
    np.testing.assert_allclose(mixing_ratio(attention, transformed, scope="attn_n"), [2 / 3.5, 0.0])
    np.testing.assert_allclose(
        contribution_norms(attention, transformed, inputs=inputs, scope="attnres_n"),
        [[2.0, 2.0], [0.0, np.sqrt(26)]],
    )
    np.testing.assert_allclose(
        mixing_ratio(attention, transformed, inputs=inputs, scope="attnres_n"), [0.5, 0.0]
    )
    np.testing.assert_allclose(mixing_ratio(attention, transformed, scope="attn_w"), [0.5, 0.0])
    np.testing.assert_allclose(mixing_ratio(attention, transformed, scope="attnres_w"), [0.25, 0.0])


@pytest.mark.parametrize("length", [1, 1e6])
@pytest.mark.parametrize("scope", VECTOR_SCOPES)
def test_heads_that_cancel_leave_nothing(scope, length):
    """A Gram matrix holds squares: alone it would leave 1e-8 of the vectors here, not 1e-16."""
    arrays = layer(tokens=6, heads=2)
    arrays["attention"][1] = arrays["attention"][0]
    arrays["value"][0] *= length
    arrays["value"][1] = -arrays["value"][0] * (1 + 1e-12)
    vectors = plain(**arrays, scope=scope)
    np.testing.assert_allclose(
        contribution_norms(**arrays, scope=scope),
        np.linalg.norm(vectors, axis=-1),
        atol=1e-14 * length,
        rtol=1e-3,
    )


@pytest.mark.parametrize("scope", VECTOR_SCOPES)
def test_vectors_add_up_to_the_mixing_and_the_preserving_one(scope):
    arrays = layer()
    preserving, mixing = AttentionBlock(**arrays).vectors(scope)
    vectors = plain(**arrays, scope=scope)
    np.testing.assert_allclose(preserving + mixing, vectors.sum(axis=1), atol=1e-12)
    own = vectors[np.arange(7), np.arange(7)]
    np.testing.assert_allclose(preserving, own, atol=1e-12)


@pytest.mark.parametrize("centring", [True, False])
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_vectors_and_biases_add_up_to_the_stream_after_attention(placement, centring):
    arrays = layer(placement=placement, centring=centring)
    residual = arrays["residual"]
    attended = np.einsum("hqk,hkd->qd", arrays["attention"], arrays["value"])
    _, added = plain_norm(np.zeros((7, 1, 8)), attended + arrays["output_bias"], residual.of_output)
    _, stream = plain_norm(
        np.zeros((7, 1, 8)), residual.scale * added + arrays["inputs"], residual.after
    )
    # What belongs to no token is the same however the tokens are weighted.
    biases = stream - sum(AttentionBlock(**arrays).vectors("attnresln_n"))
    bias, divisors = arrays["output_bias"][None], AttentionBlock(**arrays)
    (constant,) = divisors.added_part(bias)
    offset = 0 if residual.of_output is None else residual.of_output.offset * residual.scale
    expected = constant / divisors.output_divisor[:, None] + offset
    if (after := residual.after) is not None:
        centred = expected - expected.mean(-1, keepdims=True) if centring else expected
        expected = centred * after.gain / divisors.after_divisor[:, None] + after.offset
    np.testing.assert_allclose(biases, expected + np.zeros((7, 8)), atol=1e-12)


@pytest.mark.parametrize("scope", VECTOR_SCOPES)
def test_nobody_changes_a_block_by_what_it_hands_out(scope):
    block = AttentionBlock(**layer())
    for vectors in block.vectors(scope):
        if vectors.flags.writeable:
            vectors[:] = 0
    fresh = AttentionBlock(**layer())
    for one, other in zip(block.vectors(scope), fresh.vectors(scope), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(block.norms(scope), fresh.norms(scope))


@pytest.mark.parametrize("scope", SCOPES)
def test_single_precision_stays_and_is_close(scope):
    arrays = layer(tokens=30, heads=4, width=32)
    single = {name: arrays[name].astype(np.float32) for name in arrays if name != "residual"}
    single["residual"] = arrays["residual"]
    for function in (mixing_ratio, contribution_norms):
        result = function(**single, scope=scope)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, function(**arrays, scope=scope), atol=1e-5, rtol=1e-4)


def test_nothing_added_to_nothing_has_no_ratio():
    assert np.isnan(mixing_ratio(np.ones((1, 1, 1)), np.zeros((1, 1, 3)), scope="attn_n")).all()


def test_rows_of_norms_become_shares():
    shares = row_normalised(np.array([[1.0, 3.0], [0.0, 2.0]], dtype=np.float32))
    assert shares.dtype == np.float64
    np.testing.assert_array_equal(shares, [[0.25, 0.75], [0, 1]])


@pytest.mark.parametrize("function", [mixing_ratio, contribution_norms])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attention": np.ones((3, 7, 7))}, r"attention\[0, 0\] sums to 7"),
        ({"value": np.full((3, 7, 8), np.inf)}, r"value\[0, 0, 0\] is inf"),
        ({"inputs": np.full((7, 8), np.nan)}, r"inputs\[0, 0\] is nan"),
        ({"output_bias": np.full(8, np.nan)}, r"output_bias\[0\] is nan"),
        (
            {"residual": Residual(after=Norm(np.full(8, np.nan), np.zeros(8), 0.1))},
            r"gain of the normalisation\[0\] is nan",
        ),
        (
            {"residual": Residual(of_output=Norm(np.ones(8), np.full(8, np.inf), 0.1))},
            r"offset of the normalisation\[0\] is inf",
        ),
        (
            {"residual": Residual(after=Norm(np.ones(8), np.zeros(8), -1.0))},
            r"the normalisation has epsilon -1.0",
        ),
        ({"residual": Residual(scale=np.full(8, np.nan))}, r"scale\[0\] is nan"),
        ({"scope": "attn"}, r"scope is 'attn'; it must be one of attn_w, attn_n, .*attnresln_n"),
    ],
)
def test_what_does_not_fit_is_refused(function, change, message):
    with pytest.raises(ValueError, match=message):
        function(**{**layer(), "scope": "attnresln_n", **change})


@pytest.mark.parametrize(
    ("norms", "message"),
    [
        ([[1.0, -1.0], [1, 1]], r"contributions\[0, 1\] is -1"),
        ([[1.0, 1.0], [0, 0]], r"contributions\[1\] are all 0"),
    ],
)
def test_rows_without_shares_are_refused(norms, message):
    with pytest.raises(ValueError, match=message):
        row_normalised(np.array(norms))


def test_a_constant_input_cannot_be_normalised_without_epsilon():
    def ratio(inputs, centring):
        bare = Norm(np.ones(2), np.zeros(2), 0.0, centring)
        residual = Residual(after=bare)
        return mixing_ratio(
            [[[1.0]]], [[[1.0, 2.0]]], inputs=inputs, residual=residual, scope="attnresln_n"
        )

    with pytest.raises(ValueError, match="constant at token 0"):
        ratio([[1.0, 0.0]], centring=True)
    assert ratio([[1.0, 0.0]], centring=False) == 0
    with pytest.raises(ValueError, match="zero at token 0"):
        ratio([[-1.0, -2.0]], centring=False)


def test_weights_have_no_vectors():
    with pytest.raises(ValueError, match="scope is 'attn_w', of weights"):
        AttentionBlock(**layer()).vectors("attn_w")


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_gates_and_projections_belong_to_the_vectors_of_each_query(placement):
    rng = np.random.default_rng(11)
    heads, tokens, head_dim, width = 3, 7, 4, 8
    arrays = layer(tokens, heads, width, placement=placement) | {
        "value": rng.normal(size=(heads, tokens, head_dim)),
        "projection": rng.normal(size=(heads * head_dim, width)),
        "scale": rng.uniform(0.5, 1, size=(heads, tokens)),
        "gate": rng.normal(size=(heads, tokens, head_dim)),
    }
    block = AttentionBlock(**arrays)
    added = plain(**arrays | {"residual": Residual()}, scope="attn_n")
    np.testing.assert_allclose(block.attended, added.sum(axis=1) + arrays["output_bias"])
    for scope in VECTOR_SCOPES:
        vectors = plain(**arrays, scope=scope)
        np.testing.assert_allclose(block.norms(scope), np.linalg.norm(vectors, axis=-1))
        np.testing.assert_allclose(block.ratio(scope), plain_ratio(vectors))
    direction = rng.normal(size=width)
    np.testing.assert_allclose(block.along(direction, 3), added[3] @ direction)
    ones = AttentionBlock(**arrays | {"gate": np.ones_like(arrays["gate"])})
    none = AttentionBlock(**arrays | {"gate": None})
    np.testing.assert_allclose(ones.norms("attn_n"), none.norms("attn_n"))
