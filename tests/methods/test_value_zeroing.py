"""Value zeroing: a case by hand, what must hold, and a BERT whose values are really zeroed."""

import numpy as np
import pytest
import torch
from hypothesis import given
from random_layers import layer, layers, normal, stochastic
from transformers import BertConfig, BertModel

from attention_mixing.methods.layer import Norm, Residual, add_residual, norm_divisor
from attention_mixing.methods.mixing import AttentionBlock
from attention_mixing.methods.value_zeroing import divisor_ratio, value_zeroing
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.layer_weights import weights_of


def feed_forward(width, hidden=5, seed=3):
    """Matrices and biases of a network, and a normalisation after it."""
    return {
        "first": (normal(width, hidden, seed=seed), normal(hidden, seed=seed + 1)),
        "second": (normal(hidden, width, seed=seed + 2), normal(width, seed=seed + 3)),
        "after": Norm(normal(width, seed=seed + 4), normal(width, seed=seed + 5), 1e-12),
    }


def rest_of(arrays, first, second, after):
    """What a layer makes of the output of its attention, tokens of a text or of several."""

    def rest(attended):
        rows = np.stack(
            [add_residual(arrays["inputs"], one, arrays["residual"]) for one in attended]
        )
        hidden = np.tanh(rows @ first[0] + first[1])
        made = hidden @ second[0] + second[1]
        pairs = zip(rows, made, strict=True)
        return np.stack([add_residual(*pair, Residual(after=after)) for pair in pairs])

    return rest


def of_layer(arrays, **changes):
    network = feed_forward(arrays["inputs"].shape[1]) | changes
    return value_zeroing(AttentionBlock(**arrays), rest_of(arrays, **network))


def test_a_layer_of_one_head_by_hand():
    """Two tokens in three dimensions, no biases; the feed-forward network gives nothing."""
    values = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    inputs = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    plain = Norm(np.ones(3), np.zeros(3), 0.0)
    found = of_layer(
        {
            "attention": np.array([[[0.5, 0.5], [0.0, 1.0]]]),
            "value": values,
            "projection": np.eye(3),
            "inputs": inputs,
            "output_bias": np.zeros(3),
            "residual": Residual(after=plain),
        },
        second=(np.zeros((5, 3)), np.zeros(3)),
        after=plain,
    )
    # The first token is (1/2, 1/2, 1), centred (-1, -1, 2) / 6. Without its own value it is
    # (0, 1/2, 1), centred (-1, 0, 1) / 2; without the other's, with the first two exchanged. Both
    # have a cosine of 3 / sqrt(12) with it. The second does not see the first.
    np.testing.assert_allclose(found, [[0.5, 0.5], [0, 1]], atol=1e-12)


@given(layers())
def test_it_is_the_definition_with_cosines_of_whole_outputs(arrays):
    width = arrays["inputs"].shape[1]
    if width < 3:  # normalised vectors of two dimensions are all alike
        return
    rest = rest_of(arrays, **feed_forward(width))

    def output(transformed):
        attended = np.einsum("hqk,hkd->qd", arrays["attention"], transformed)
        return rest(attended[None] + arrays["output_bias"])[0]

    original = output(arrays["value"])
    distance = np.empty_like(arrays["attention"][0])
    for key in range(len(distance)):
        without = arrays["value"].copy()
        without[:, key] = 0
        altered = output(without)
        # 1 - cos of almost the same vectors would be nothing but rounding.
        ends = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in (altered, original))
        distance[:, key] = (np.subtract(*ends) ** 2).sum(axis=1) / 2
    expected = distance / distance.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(of_layer(arrays), expected, atol=1e-6)


def test_a_value_of_zero_changes_nothing():
    arrays = layer()
    arrays["value"][:, 4] = 0
    assert (of_layer(arrays)[:, 4] == 0).all()


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_it_agrees_with_a_bert_whose_values_are_zeroed(activation):
    """The value projection of one layer gives zero for one token, in all heads, bias included."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        hidden_act=activation,
        initializer_range=0.5,
        attn_implementation="eager",
    )
    model = BertModel(config, add_pooling_layer=False).double().eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):  # zero, as they are initialised, could be forgotten
            torch.nn.init.normal_(parameter)
    weights, running = weights_of(model).layers, RunningModel(model)
    tokens = 9
    with torch.no_grad():
        out = model(torch.arange(tokens)[None], output_hidden_states=True, output_attentions=True)
        for index, (module, of) in enumerate(zip(model.encoder.layer, weights, strict=True)):
            inputs, original = out.hidden_states[index], out.hidden_states[index + 1][0]
            distance = torch.empty(tokens, tokens, dtype=torch.float64)
            for key in range(tokens):

                def zero(module, given, value, key=key):
                    value[:, key] = 0
                    return value

                handle = module.attention.self.value.register_forward_hook(zero)
                altered = module(inputs)
                handle.remove()
                altered = (altered[0] if isinstance(altered, tuple) else altered).reshape(
                    tokens, -1
                )
                distance[:, key] = 1 - torch.cosine_similarity(altered, original, dim=-1)
            value = module.attention.self.value(inputs)[0].reshape(tokens, 3, 4).numpy()
            block = AttentionBlock(
                out.attentions[index][0].numpy(),
                value.transpose(1, 0, 2),
                of.projection.weight,
                inputs=inputs[0].numpy(),
                output_bias=of.projection.bias,
                residual=of.attention,
            )
            found = value_zeroing(block, running.rest(index, block.inputs))
            expected = (distance / distance.sum(dim=1, keepdim=True)).numpy()
            np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("centring", [True, False])
def test_what_a_context_is_divided_by_without_a_key_is_that_of_the_context_without_it(centring):
    heads, tokens, width = 3, 6, 4
    weights, value = stochastic((heads, tokens, tokens), 0), normal(heads, tokens, width, seed=1)
    size = heads * width
    norm = Norm(np.ones(size), np.zeros(size), 1e-5, centring)
    found = divisor_ratio(weights, value, norm)
    for key in range(tokens):
        left = weights.copy()
        left[:, :, key] = 0
        whole, without = (
            (each @ value).transpose(1, 0, 2).reshape(tokens, size) for each in (weights, left)
        )
        expected = norm_divisor(whole, norm) / norm_divisor(without, norm)
        np.testing.assert_allclose(found[:, key], expected, rtol=1e-10)
