"""What goes beyond attention, against its definition and real BERT."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_layers import PLACEMENTS, layer, layers, norm, normal, plain, plain_norm, plain_ratio

from attention_mixing.methods.layer import Norm, Residual, after_norm, apply_norm, norm_divisor
from attention_mixing.methods.mixing import AttentionBlock
from attention_mixing.methods.whole_layer import FEED_FORWARD_SCOPES, feed_forward_ratios, globenc


def second_input(tokens=7, width=8, seed=6):
    return np.random.default_rng(seed).normal(2, 3, size=(tokens, width))


@pytest.mark.parametrize("centring", [True, False])
def test_a_norm_is_joined_with_the_matrix_behind_it(centring):
    rows, weight, joined = second_input(), second_input(8, 3), norm(8, 5, centring)
    divided = rows @ after_norm(joined, weight) / norm_divisor(rows, joined)[:, None]
    whole = apply_norm(rows, joined) @ weight
    np.testing.assert_allclose(divided + joined.offset @ weight, whole, atol=1e-9, rtol=0)


@given(layers(), st.sampled_from([None, True, False]))
def test_globenc_is_that_of_the_definition(given_layer, centring):
    tokens, width = given_layer["inputs"].shape
    after = None if centring is None else norm(width, 5, centring)
    divided = second_input(tokens, width)
    vectors, _ = plain_norm(plain(**given_layer, scope="attnresln_n"), divided, after)
    norms = globenc(AttentionBlock(**given_layer), after_network=after, second_input=divided)
    np.testing.assert_allclose(norms, np.linalg.norm(vectors, axis=-1), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("centring", [True, False])
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_parts_are_followed_through_a_network_and_what_is_after_it(placement, centring, beside):
    """The network is linear here, so that its shares are what it makes of every part."""
    arrays = layer(placement=placement, centring=centring)
    residual = PLACEMENTS[placement](8, centring)
    matrix, bias = normal(8, 8, seed=30), normal(8, seed=31)
    parts = plain(**arrays, scope="attnresln_n")
    block_output = parts.sum(axis=1) + normal(7, 8, seed=3)
    stream = arrays["inputs"] if beside else block_output
    read = np.zeros_like(parts)
    read[range(7), range(7)] = arrays["inputs"]
    given, whole = plain_norm(read if beside else parts, stream, residual.before)
    made = whole @ matrix + bias
    through, _ = plain_norm(given @ matrix, made, residual.of_output)
    through = through * residual.scale
    kept = through + parts
    total, _ = plain_norm(kept, normal(7, 8, seed=4), residual.after)  # any divisor will do
    ratios = feed_forward_ratios(
        AttentionBlock(**arrays),
        shares=lambda rows: rows @ matrix,
        residual=residual,
        block_output=block_output,
        network_output=made,
        beside=beside,
    )
    assert tuple(ratios) == FEED_FORWARD_SCOPES
    for ratio, expected in zip(ratios.values(), (through, kept, total), strict=True):
        np.testing.assert_allclose(ratio, plain_ratio(expected), atol=1e-9, rtol=0)


def test_what_is_normalised_has_to_be_given():
    arrays = layer()
    with pytest.raises(ValueError, match="network_output is None; it must be given"):
        feed_forward_ratios(
            AttentionBlock(**arrays),
            shares=lambda rows: rows,
            residual=PLACEMENTS["of output"](8, True),
            block_output=arrays["inputs"],
        )


def test_parts_and_biases_add_up_to_what_bert_computes(make_model):
    import torch

    bert = make_model("bert", attn_implementation="eager").double().encoder.layer[1].attention
    torch.manual_seed(3)
    with torch.no_grad():  # new models have no biases and weights of 1 in layer normalisation
        for parameter in bert.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        hidden = torch.randn(1, 9, 32, dtype=torch.float64)
        computed, attention = (array[0].numpy() for array in bert(hidden)[:2])
        value = bert.self.value(hidden).reshape(9, 4, 8).transpose(0, 1).numpy()
    weights = {name: array.detach().numpy() for name, array in bert.output.named_parameters()}
    bias, gain, eps = weights["dense.bias"], weights["LayerNorm.weight"], bert.output.LayerNorm.eps
    block = AttentionBlock(
        attention,
        value,
        weights["dense.weight"].T,
        inputs=hidden[0].numpy(),
        output_bias=bias,
        residual=Residual(after=Norm(gain, weights["LayerNorm.bias"], eps)),
    )
    variance = (sum(block.vectors("attnres_n")) + bias).var(axis=-1)
    biases = (bias - bias.mean()) * gain / np.sqrt(variance + eps)[:, None]
    parts = sum(block.vectors("attnresln_n"))
    np.testing.assert_allclose(parts + biases + weights["LayerNorm.bias"], computed, atol=1e-12)
