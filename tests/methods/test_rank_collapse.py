"""Rank collapse: norms by hand, invariances, and layers with parts removed against torch."""

from types import MethodType

import numpy as np
import pytest
import torch
from random_layers import normal
from transformers import BertConfig, BertModel

from analysis.methods.rank_collapse import composite_norm, encoder_layer, relative_residual
from analysis.models.layers import weights_of


def test_the_composite_norm_by_hand():
    # Columns sum to 4 and 6 in magnitude, rows to 3 and 7.
    norm = composite_norm(np.array([[[1.0, -2.0], [-3.0, 4.0]]]))
    np.testing.assert_allclose(norm, [np.sqrt(6 * 7)])


def test_the_composite_norm_is_that_of_the_norms_of_numpy():
    matrices = normal(3, 5, 8)
    products = [np.linalg.norm(each, 1) * np.linalg.norm(each, np.inf) for each in matrices]
    np.testing.assert_allclose(composite_norm(matrices), np.sqrt(products))


def test_the_residual_by_hand():
    # The mean is (2, 2); columns and rows of what is left sum to 2, those of the whole to 4.
    np.testing.assert_allclose(relative_residual(np.array([[[3.0, 1.0], [1.0, 3.0]]])), [2 / 4])


def test_equal_tokens_leave_no_residual_and_tokens_of_mean_zero_nothing_else():
    equal = np.tile(normal(8), (5, 1))
    centred = normal(5, 8)
    centred -= centred.mean(axis=0)
    np.testing.assert_allclose(relative_residual(np.stack([equal, centred])), [0, 1], atol=1e-15)


def test_rank_one_is_not_enough_if_tokens_differ_in_length():
    assert relative_residual(np.outer([1.0, 2.0], normal(8))[None]) > 0.1


def test_what_is_zero_everywhere_has_no_share():
    assert np.isnan(relative_residual(np.zeros((1, 3, 4))))


def test_size_and_order_of_tokens_and_coordinates_do_not_matter():
    features = normal(2, 6, 4)
    share = relative_residual(features)
    np.testing.assert_allclose(relative_residual(-3 * features), share)
    np.testing.assert_allclose(relative_residual(features[:, ::-1, ::-1]), share)


# --- layers ---------------------------------------------------------------------------------------

TOKENS = 7


def bert(layers, spread):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30,
        hidden_size=12,
        num_hidden_layers=layers,
        num_attention_heads=3,
        intermediate_size=20,
        initializer_range=spread,
    )
    return BertModel(config, add_pooling_layer=False).double().eval()


def hidden_states(model):
    found = model(torch.arange(TOKENS)[None], output_hidden_states=True).hidden_states
    return torch.cat(found).detach().numpy()


def layers(model):
    return weights_of(model).layers


def features(model, **parts):
    """Input of the first layer and output of every layer, by our function."""
    found = [hidden_states(model)[0]]
    for layer in layers(model):
        found.append(encoder_layer(found[-1], **vars(layer), heads=3, **parts))
    return np.stack(found)


def without_residual(self, states, _):
    return self.LayerNorm(self.dense(states))


@pytest.mark.parametrize("feed_forward", [True, False])
@pytest.mark.parametrize("skip", [True, False])
def test_layers_agree_with_a_bert_whose_parts_are_replaced(skip, feed_forward):
    model = bert(layers=3, spread=0.5)
    ours = features(model, skip=skip, feed_forward=feed_forward)
    for layer in model.encoder.layer:
        if not skip:
            output = layer.attention.output
            output.forward = MethodType(without_residual, output)
        if not feed_forward:
            layer.intermediate.forward = lambda states: states
            layer.output.forward = lambda states, _: states
    np.testing.assert_allclose(ours, hidden_states(model), atol=1e-10)


def test_attention_alone_leaves_equal_tokens_equal():
    equal = np.tile(normal(12, seed=4), (TOKENS, 1))
    first = layers(bert(layers=1, spread=0.5))[0]
    after = encoder_layer(equal, **vars(first), heads=3, skip=False, feed_forward=False)
    assert relative_residual(after[None]) < 1e-14


def test_attention_alone_collapses_faster_from_layer_to_layer_and_not_with_skip_connections():
    model = bert(layers=3, spread=0.2)
    alone = relative_residual(features(model, skip=False, feed_forward=False))
    factors = alone[:-1] / alone[1:]
    assert factors[0] < factors[1] < factors[2]
    kept = relative_residual(features(model, skip=True, feed_forward=False))
    assert kept[-1] > 0.5 * kept[0]
