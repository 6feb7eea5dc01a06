"""Norm-based mixing against the plain n x n x d definition, a real BERT layer and hand cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.methods.mixing import (
    ACTIVATIONS,
    FEED_FORWARD_SCOPES,
    SCOPES,
    AttentionBlock,
    FeedForward,
    alti,
    contribution_norms,
    feed_forward_ratios,
    globenc,
    mixing_ratio,
    row_normalised,
    transformed_values,
)
from analysis.methods.rollout import attention_rollout

WEIGHT_SCOPES = ("attn_w", "attnres_w")
VECTOR_SCOPES = ("attn_n", "attnres_n", "attnresln_n")


def layer(tokens=7, heads=3, width=8, seed=0, causal=False):
    """Arrays of a random layer as the functions take them."""
    rng = np.random.default_rng(seed)
    attention = rng.gamma(0.5, size=(heads, tokens, tokens)) + 1e-6
    if causal:
        attention = np.tril(attention)
    return {
        "attention": attention / attention.sum(axis=-1, keepdims=True),
        "transformed": rng.normal(size=(heads, tokens, width)),
        "inputs": rng.normal(size=(tokens, width)) + 0.5,
        "output_bias": rng.normal(size=width),
        "layer_norm": (rng.normal(1, 0.3, size=width), 1e-12),
    }


def plain(attention, transformed, *, inputs, output_bias, layer_norm, scope):
    """Every contribution as a vector, ``[query, key, model_dim]``: the definition, nothing saved.

    Weights are vectors of one dimension.
    """
    tokens = np.arange(attention.shape[-1])
    if scope in WEIGHT_SCOPES:
        mean = attention.mean(axis=0)
        mixed = mean if scope == "attn_w" else 0.5 * mean + 0.5 * np.eye(len(mean))
        return mixed[:, :, None]
    vectors = (attention[:, :, :, None] * transformed[:, None, :, :]).sum(axis=0)
    if scope != "attn_n":
        vectors[tokens, tokens] += inputs
    if scope == "attnresln_n":
        weight, eps = layer_norm
        true_input = vectors.sum(axis=1) + output_bias
        divisor = np.sqrt(np.var(true_input, axis=-1) + eps)
        vectors = vectors - vectors.mean(axis=-1, keepdims=True)
        vectors = vectors / divisor[:, None, None] * weight
    return vectors


def plain_ratio(vectors):
    own = vectors[np.arange(len(vectors)), np.arange(len(vectors))]
    kept = np.linalg.norm(own, axis=-1)
    mixed = np.linalg.norm(vectors.sum(axis=1) - own, axis=-1)
    return mixed / (mixed + kept)


@st.composite
def layers(draw):
    return layer(
        tokens=draw(st.integers(1, 40)),
        heads=draw(st.integers(1, 4)),
        width=draw(st.integers(2, 9)),
        seed=draw(st.integers(0, 10_000)),
        causal=draw(st.booleans()),
    )


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


def test_layer_norm_solved_by_hand():
    attention = [[[0.5, 0.5], [0.0, 1.0]]]
    transformed = [[[6.0, 0.0], [0.0, 8.0]]]
    # Input of the layer normalisation: (3, 4) + (0, 1) + bias (0, 2) = (3, 7), deviation 2, and
    # (0, 8) + (0, 0) + (0, 2) = (0, 10), deviation 5.
    norms = contribution_norms(
        attention,
        transformed,
        inputs=[[0.0, 1.0], [0.0, 0.0]],
        output_bias=[0.0, 2.0],
        layer_norm=([1.0, 3.0], 0.0),
        scope="attnresln_n",
    )
    # (3, 1) centred is (1, -1), weighted (1, -3); (0, 4) gives (-2, 6); (0, 8) gives (-4, 12).
    root = np.sqrt(10)
    np.testing.assert_allclose(norms, [[root / 2, 2 * root / 2], [0, 4 * root / 5]])


@pytest.mark.parametrize("scope", VECTOR_SCOPES)
def test_heads_that_cancel_leave_nothing(scope):
    """A Gram matrix holds squares: alone it would leave 1e-8 of the vectors here, not 1e-16."""
    arrays = layer(tokens=6, heads=2)
    arrays["attention"][1] = arrays["attention"][0]
    arrays["transformed"][1] = -arrays["transformed"][0] * (1 + 1e-12)
    vectors = plain(**arrays, scope=scope)
    np.testing.assert_allclose(
        contribution_norms(**arrays, scope=scope),
        np.linalg.norm(vectors, axis=-1),
        atol=1e-14,
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


@pytest.mark.parametrize("scope", SCOPES)
def test_one_token_mixes_nothing(scope):
    arrays = layer(tokens=1)
    assert mixing_ratio(**arrays, scope=scope).tolist() == [0.0]
    vectors = plain(**arrays, scope=scope)
    np.testing.assert_allclose(
        contribution_norms(**arrays, scope=scope), np.linalg.norm(vectors, axis=-1)
    )


@pytest.mark.parametrize("scope", SCOPES)
def test_causal_attention_gives_nothing_to_the_future(scope):
    arrays = layer(causal=True)
    assert (np.triu(contribution_norms(**arrays, scope=scope), 1) == 0).all()
    assert mixing_ratio(**arrays, scope=scope)[0] == 0


@pytest.mark.parametrize("scope", SCOPES)
def test_renaming_tokens_renames_the_result(scope):
    arrays = layer()
    order = np.random.default_rng(1).permutation(7)
    renamed = arrays | {
        "attention": arrays["attention"][:, order][:, :, order],
        "transformed": arrays["transformed"][:, order],
        "inputs": arrays["inputs"][order],
    }
    np.testing.assert_allclose(
        mixing_ratio(**renamed, scope=scope), mixing_ratio(**arrays, scope=scope)[order]
    )
    np.testing.assert_allclose(
        contribution_norms(**renamed, scope=scope),
        contribution_norms(**arrays, scope=scope)[order][:, order],
    )


@pytest.mark.parametrize("scope", SCOPES)
def test_single_precision_stays_and_is_close(scope):
    arrays = layer(tokens=30, heads=4, width=32)
    weight, eps = arrays["layer_norm"]
    single = {name: arrays[name].astype(np.float32) for name in arrays if name != "layer_norm"}
    single["layer_norm"] = (weight.astype(np.float32), eps)
    for function in (mixing_ratio, contribution_norms):
        result = function(**single, scope=scope)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, function(**arrays, scope=scope), atol=1e-5, rtol=1e-4)


def test_one_block_serves_every_scope():
    arrays = layer(tokens=20)
    block = AttentionBlock(**arrays)
    for scope in SCOPES:
        np.testing.assert_array_equal(block.ratio(scope), mixing_ratio(**arrays, scope=scope))
        np.testing.assert_array_equal(block.norms(scope), contribution_norms(**arrays, scope=scope))


def test_arguments_are_left_as_they_are():
    arrays = layer()
    before = {name: np.copy(arrays[name]) for name in arrays if name != "layer_norm"}
    for scope in SCOPES:
        mixing_ratio(**arrays, scope=scope)
        contribution_norms(**arrays, scope=scope)
    for name, array in before.items():
        np.testing.assert_array_equal(arrays[name], array)


def test_nothing_added_to_nothing_has_no_ratio():
    ratio = mixing_ratio(np.full((1, 2, 2), 0.5), np.zeros((1, 2, 3)), scope="attn_n")
    assert np.isnan(ratio).all()


def test_rows_of_norms_become_shares():
    shares = row_normalised(np.array([[1.0, 3.0], [0.0, 2.0]], dtype=np.float32))
    assert shares.dtype == np.float64
    np.testing.assert_array_equal(shares, [[0.25, 0.75], [0, 1]])


def second_norm(width=8, seed=5):
    return np.random.default_rng(seed).normal(1, 0.3, size=width), 1e-12


def second_input(tokens=7, width=8, seed=6):
    return np.random.default_rng(seed).normal(2, 3, size=(tokens, width))


@given(given_layer=layers())
def test_globenc_is_that_of_the_definition(given_layer):
    tokens, width = given_layer["inputs"].shape
    weight, eps = second_norm(width)
    divided = second_input(tokens, width)
    vectors = plain(**given_layer, scope="attnresln_n")
    vectors = vectors - vectors.mean(axis=-1, keepdims=True)
    vectors = vectors * weight / np.sqrt(divided.var(axis=-1) + eps)[:, None, None]
    norms = globenc(
        AttentionBlock(**given_layer), second_layer_norm=(weight, eps), second_input=divided
    )
    np.testing.assert_allclose(norms, np.linalg.norm(vectors, axis=-1), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tokens", [1, 7, 21])
def test_alti_is_that_of_the_definition(tokens, causal):
    arrays = layer(tokens=tokens, causal=causal, width=24)
    vectors = plain(**arrays, scope="attnresln_n")
    output = vectors.sum(axis=1) + np.random.default_rng(8).normal(0, 0.1, size=(tokens, 24))
    nearer = np.abs(output).sum(-1)[:, None] - np.abs(output[:, None] - vectors).sum(-1)
    shares = np.maximum(nearer, 0) / np.maximum(nearer, 0).sum(axis=-1, keepdims=True)
    result = alti(AttentionBlock(**arrays), output)
    np.testing.assert_allclose(result, shares, atol=1e-9, rtol=0)
    np.testing.assert_allclose(result.sum(axis=-1), 1, atol=1e-12)
    if causal:
        assert (np.triu(result, 1) == 0).all()


def test_alti_solved_by_hand():
    # Inputs of the layer normalisation are (1, -1) and (2, -2): deviations 1 and 2.
    block = AttentionBlock(
        [[[0.5, 0.5], [0.0, 1.0]]],
        [[[1.0, -1.0], [-0.5, 0.5]]],
        inputs=[[0.75, -0.75], [2.5, -2.5]],
        layer_norm=([1.0, 1.0], 0.0),
    )
    # T_0(0) = (1.25, -1.25) misses (1, -1) by 0.5 of 2: 1.5. T_0(1) = (-0.25, 0.25) leads away.
    np.testing.assert_allclose(alti(block, [[1.0, -1.0], [1.0, -1.0]]), [[1, 0], [0, 1]])
    # With the output (-1, 1) it is token 1 that leads there.
    np.testing.assert_allclose(alti(block, [[-1.0, 1.0], [1.0, -1.0]]), [[0, 1], [0, 1]])
    # A bias takes the output of token 0 to (1, 1): T_0(0) misses by 0.25 + 2.25, T_0(1) by 1.25 +
    # 0.75, neither is nearer than 0, at a distance of 2.
    with pytest.raises(ValueError, match=r"contributions\[0\] are all 0"):
        alti(block, [[1.0, 1.0], [1.0, -1.0]])


def test_alti_shares_solved_by_hand():
    # Token 0 is 3/4 itself and 1/4 the other, in the same direction: shares are the lengths.
    block = AttentionBlock(
        [[[0.5, 0.5], [0.0, 1.0]]],
        [[[1.0, -1.0], [0.5, -0.5]]],
        inputs=[[0.25, -0.25], [0.5, -0.5]],
        layer_norm=([1.0, 1.0], 0.0),
    )
    np.testing.assert_allclose(alti(block, [[1.0, -1.0], [1.0, -1.0]]), [[0.75, 0.25], [0, 1]])


def network(activation, width=8, hidden=12, seed=9):
    rng = np.random.default_rng(seed)
    return FeedForward(
        weight_in=rng.normal(size=(width, hidden)),
        bias_in=rng.normal(size=hidden),
        weight_out=rng.normal(size=(hidden, width)),
        activation=activation,
        layer_norm=second_norm(width),
    )


def derivative(activation, at):
    """Derivative of an activation by torch, which knows them by itself."""
    import torch
    from transformers.activations import ACT2FN

    points = torch.tensor(at, requires_grad=True)
    ACT2FN[activation](points).sum().backward()
    return points.grad.numpy()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_feed_forward_is_integrated_gradients_of_every_part(activation):
    """The integral is taken numerically, for the vector of every key."""
    arrays, ffn = layer(), network(activation)
    vectors = plain(**arrays, scope="attnresln_n")
    block_output = vectors.sum(axis=1) + np.random.default_rng(3).normal(size=(7, 8))
    nodes, shares = np.polynomial.legendre.leggauss(80)
    nodes, shares = (nodes + 1) / 2, shares / 2
    preactivation = block_output @ ffn.weight_in + ffn.bias_in
    slope = sum(
        share * derivative(activation, node * preactivation)
        for node, share in zip(nodes, shares, strict=True)
    )
    through = (vectors @ ffn.weight_in * slope[:, None]) @ ffn.weight_out
    kept = through + vectors
    normalised = (kept - kept.mean(axis=-1, keepdims=True)) * ffn.layer_norm[0]
    normalised /= np.random.default_rng(4).uniform(1, 9, size=(7, 1, 1))  # any divisor will do
    ratios = feed_forward_ratios(AttentionBlock(**arrays), ffn, block_output=block_output)
    assert tuple(ratios) == FEED_FORWARD_SCOPES
    for ratio, expected in zip(ratios.values(), (through, kept, normalised), strict=True):
        np.testing.assert_allclose(ratio, plain_ratio(expected), atol=1e-9, rtol=0)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_slope_times_input_is_the_activation(activation):
    import torch
    from transformers.activations import ACT2FN

    points = np.linspace(-8, 8, 161)
    expected = ACT2FN[activation](torch.tensor(points)).numpy()
    np.testing.assert_allclose(ACTIVATIONS[activation](points) * points, expected, atol=1e-14)
    assert ACTIVATIONS[activation](points.astype(np.float32)).dtype == np.float32


@pytest.fixture(scope="module")
def bert_layer(make_model):
    """The second layer of a tiny BERT in float64, and every array of it for 9 tokens."""
    import torch

    model = make_model("bert", attn_implementation="eager").double()
    bert = model.encoder.layer[1]
    torch.manual_seed(3)
    with torch.no_grad():  # new models have no biases and weights of 1 in layer normalisation
        for parameter in bert.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    hidden = torch.randn(9, 32, dtype=torch.float64)
    seen = {}
    modules = {
        "block_output": bert.attention.output,
        "ffn_output": bert.output.dense,
        "output": bert,
        "weights": bert.attention.self,
        "value": bert.attention.self.value,
        "attention_output": bert.attention.output.dense,
    }
    for name, module in modules.items():
        module.register_forward_hook(
            lambda module, inputs, output, name=name: seen.__setitem__(name, output)
        )
    with torch.inference_mode():
        bert(hidden[None])
    attention = seen.pop("weights")[1][0]
    arrays = {name: (x[0] if isinstance(x, tuple) else x) for name, x in seen.items()}
    arrays = {name: x.reshape(9, 32).numpy() for name, x in arrays.items()}
    value = arrays["value"].reshape(9, 4, 8).transpose(1, 0, 2)
    weights = {name: x.detach().numpy() for name, x in bert.named_parameters()}
    first = weights["attention.output.LayerNorm.weight"], bert.attention.output.LayerNorm.eps
    block = AttentionBlock(
        attention.numpy(),
        transformed_values(value, weights["attention.output.dense.weight"].T),
        inputs=hidden.numpy(),
        output_bias=weights["attention.output.dense.bias"],
        layer_norm=first,
    )
    ffn = FeedForward(
        weight_in=weights["intermediate.dense.weight"].T,
        bias_in=weights["intermediate.dense.bias"],
        weight_out=weights["output.dense.weight"].T,
        activation=model.config.hidden_act,
        layer_norm=(weights["output.LayerNorm.weight"], bert.output.LayerNorm.eps),
    )
    return block, ffn, arrays, weights


def test_parts_and_biases_add_up_to_what_bert_computes(bert_layer):
    block, _, arrays, weights = bert_layer
    bias = weights["attention.output.dense.bias"]
    np.testing.assert_allclose(
        sum(block.vectors("attn_n")) + bias, arrays["attention_output"], atol=1e-12
    )
    true_input = arrays["attention_output"] + block.inputs
    weight, eps = block.layer_norm
    biases = (bias - bias.mean()) * weight / np.sqrt(true_input.var(axis=-1) + eps)[:, None]
    biases = biases + weights["attention.output.LayerNorm.bias"]
    np.testing.assert_allclose(
        sum(block.vectors("attnresln_n")) + biases, arrays["block_output"], atol=1e-12
    )


def test_every_matrix_of_a_real_layer_rolls_out(bert_layer):
    block, ffn, arrays, _ = bert_layer
    enc = globenc(
        block,
        second_layer_norm=ffn.layer_norm,
        second_input=arrays["block_output"] + arrays["ffn_output"],
    )
    matrices = [row_normalised(block.norms(scope)) for scope in SCOPES]
    matrices += [row_normalised(enc), alti(block, arrays["block_output"])]
    for matrix in matrices:
        rollout = attention_rollout([matrix, matrix], residual=0)
        np.testing.assert_allclose(rollout[1], matrix @ matrix, atol=1e-12)


def test_feed_forward_parts_and_biases_add_up_to_what_bert_computes(bert_layer):
    block, ffn, arrays, weights = bert_layer
    parts = block.vectors("attnresln_n")
    preactivation = arrays["block_output"] @ ffn.weight_in + ffn.bias_in
    slope = ACTIVATIONS[ffn.activation](preactivation)
    through = [(part @ ffn.weight_in * slope) @ ffn.weight_out for part in parts]
    # What is no token's: the part of the attention block's output that its biases make, and b_in.
    biased = (arrays["block_output"] - sum(parts)) @ ffn.weight_in + ffn.bias_in
    total = sum(through) + (biased * slope) @ ffn.weight_out + weights["output.dense.bias"]
    np.testing.assert_allclose(total, arrays["ffn_output"], atol=1e-11)

    kept = [a + b for a, b in zip(parts, through, strict=True)]
    weight, eps = ffn.layer_norm
    divided = arrays["block_output"] + arrays["ffn_output"]
    divisor = np.sqrt(divided.var(axis=-1) + eps)[:, None]
    normalised = [(x - x.mean(-1, keepdims=True)) * weight / divisor for x in kept]
    nothing = divided - sum(kept)
    nothing = (nothing - nothing.mean(-1, keepdims=True)) * weight
    np.testing.assert_allclose(
        sum(normalised) + nothing / divisor + weights["output.LayerNorm.bias"],
        arrays["output"],
        atol=1e-11,
    )

    ratios = feed_forward_ratios(block, ffn, block_output=arrays["block_output"])
    for ratio, vectors in zip(ratios.values(), (through, kept, normalised), strict=True):
        preserving, mixing = (np.linalg.norm(x, axis=-1) for x in vectors)
        np.testing.assert_allclose(ratio, mixing / (mixing + preserving), atol=1e-12)


def test_one_token_mixes_nothing_in_the_whole_layer():
    arrays = layer(tokens=1)
    ratios = feed_forward_ratios(
        AttentionBlock(**arrays),
        network("gelu"),
        block_output=np.ones((1, 8)),
    )
    assert [ratio.tolist() for ratio in ratios.values()] == [[0.0]] * 3
    assert alti(AttentionBlock(**arrays), plain(**arrays, scope="attnresln_n")[0]) == [[1.0]]


def test_scopes_come_out_in_the_published_order():
    """Each component that counts shows less mixing (Kobayashi et al. 2021)."""
    import torch

    from analysis.capture.record import record
    from analysis.models.encode import encode
    from analysis.models.load import load_encoder, load_tokenizer
    from analysis.models.source import locate
    from analysis.params import EmbeddedModel, Length

    path = locate(EmbeddedModel(source="embedded", name="all-MiniLM-L6-v2")).path
    tokenizer, model = load_tokenizer(path), load_encoder(path)
    sentence = "The animal did not cross the street because it was too tired."
    encoded = encode([sentence], tokenizer, Length(max_tokens=40, longer="refuse"))
    device = torch.device("cpu")
    ((arrays, _),) = record(
        model, tokenizer, encoded, device=device, precision="float32", batch_size=1
    )
    inputs = [arrays["embedding"], *arrays["layer_output"][:-1]]
    ratios = {scope: [] for scope in SCOPES}
    for index, bert in enumerate(model.base_model.encoder.layer):
        output = bert.attention.output
        block = AttentionBlock(
            arrays["attention"][index],
            transformed_values(arrays["value"][index], output.dense.weight.detach().numpy().T),
            inputs=inputs[index],
            output_bias=output.dense.bias.detach().numpy(),
            layer_norm=(output.LayerNorm.weight.detach().numpy(), output.LayerNorm.eps),
        )
        for scope in SCOPES:
            ratios[scope].append(block.ratio(scope))
    means = [np.mean(ratios[scope]) for scope in SCOPES]
    assert means == sorted(means, reverse=True)
    assert len(set(means)) == len(SCOPES)


@pytest.mark.parametrize("function", [mixing_ratio, contribution_norms])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attention": np.full((3, 7, 6), 1 / 6)}, r"attention has shape \(3, 7, 6\)"),
        ({"attention": np.full((2, 7, 7), 1 / 7)}, r"attention has shape \(2, 7, 7\)"),
        ({"attention": np.full((3, 7, 7), np.nan)}, r"attention\[0, 0, 0\] is nan"),
        ({"attention": np.ones((3, 7, 7))}, r"attention\[0, 0\] sums to 7"),
        ({"attention": np.eye(7) * np.full((3, 1, 1), -1)}, r"attention\[0, 0, 0\] is -1"),
        ({"transformed": np.ones((3, 7))}, r"transformed has shape \(3, 7\)"),
        ({"transformed": np.ones((3, 0, 8))}, r"transformed has shape .*nothing empty"),
        ({"transformed": np.full((3, 7, 8), np.inf)}, r"transformed\[0, 0, 0\] is inf"),
        ({"inputs": np.ones((8, 7))}, r"inputs has shape \(8, 7\).*\(7, 8\)"),
        ({"inputs": np.full((7, 8), np.nan)}, r"inputs\[0, 0\] is nan"),
        ({"output_bias": np.ones(7)}, r"output_bias has shape \(7,\)"),
        ({"layer_norm": (np.ones(7), 1e-12)}, r"layer_norm weight has shape \(7,\)"),
        ({"layer_norm": (np.ones(8), -1.0)}, r"layer_norm has epsilon -1.0"),
        ({"layer_norm": (np.ones(8), float("nan"))}, r"layer_norm has epsilon nan"),
        ({"scope": "attn"}, r"scope is 'attn'; it must be one of attn_w, attn_n, .*attnresln_n"),
        ({"inputs": None}, r"scope attnresln_n needs inputs"),
        ({"scope": "attnres_n", "inputs": None}, r"scope attnres_n needs inputs"),
        ({"layer_norm": None}, r"scope attnresln_n needs layer_norm"),
    ],
)
def test_what_does_not_fit_is_refused(function, change, message):
    with pytest.raises(ValueError, match=message):
        function(**{**layer(), "scope": "attnresln_n", **change})


@pytest.mark.parametrize(
    ("norms", "message"),
    [
        ([[1.0, -1.0], [1, 1]], r"contributions\[0, 1\] is -1"),
        ([[1.0, np.nan], [1, 1]], r"contributions\[0, 1\] is nan"),
        ([[1.0, 1.0], [0, 0]], r"contributions\[1\] are all 0"),
    ],
)
def test_rows_without_shares_are_refused(norms, message):
    with pytest.raises(ValueError, match=message):
        row_normalised(norms)


def test_a_constant_input_cannot_be_normalised_without_epsilon():
    with pytest.raises(ValueError, match="constant at token 0"):
        mixing_ratio(
            [[[1.0]]],
            [[[1.0, 2.0]]],
            inputs=[[1.0, 0.0]],
            layer_norm=([1.0, 1.0], 0.0),
            scope="attnresln_n",
        )


def test_values_and_projection_must_match():
    with pytest.raises(ValueError, match=r"value has shape \(2, 3, 4\) and projection \(9, 8\)"):
        transformed_values(np.ones((2, 3, 4)), np.ones((9, 8)))


@pytest.mark.parametrize("missing", ["inputs", "layer_norm"])
@pytest.mark.parametrize(
    "function",
    [
        lambda block: alti(block, np.ones((7, 8))),
        lambda block: globenc(block, second_layer_norm=second_norm(), second_input=second_input()),
        lambda block: feed_forward_ratios(block, network("gelu"), block_output=np.ones((7, 8))),
        lambda block: block.vectors("attnresln_n"),
    ],
)
def test_what_goes_beyond_attention_needs_its_whole_block(function, missing):
    with pytest.raises(ValueError, match=f"needs {missing}"):
        function(AttentionBlock(**{**layer(), missing: None}))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda block: block.vectors("attn_w"), "scope is 'attn_w', of weights"),
        (lambda block: alti(block, np.ones((8, 7))), r"output has shape \(8, 7\)"),
        (lambda block: alti(block, np.full((7, 8), np.nan)), r"output\[0, 0\] is nan"),
        (
            lambda block: globenc(block, second_layer_norm=second_norm(), second_input=[[1.0]]),
            r"second_input has shape \(1, 1\)",
        ),
        (
            lambda block: globenc(
                block, second_layer_norm=second_norm(9), second_input=second_input()
            ),
            r"layer_norm weight has shape \(9,\)",
        ),
        (
            lambda block: feed_forward_ratios(block, network("swish"), block_output=0),
            "activation is 'swish'; it must be one of gelu, gelu_new, relu",
        ),
        (
            lambda block: feed_forward_ratios(block, network("relu", width=9), block_output=0),
            r"weight_in has shape \(9, 12\); .*\(8, 12\)",
        ),
        (
            lambda block: feed_forward_ratios(block, network("relu"), block_output=np.ones(8)),
            r"block_output has shape \(8,\)",
        ),
    ],
)
def test_what_does_not_fit_the_block_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(AttentionBlock(**layer()))
