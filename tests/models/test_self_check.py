"""What is read out of a model is compared with what it computes itself."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from attention_mixing.errors import InputError
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.self_check import (
    TOLERANCE,
    deviations,
    require_agreement,
    require_own_values,
)

CPU = torch.device("cpu")
AGREEING = {"attention": 1e-7, "output": 0.0, "padding": TOLERANCE}


@pytest.fixture
def bert(make_model):
    return make_model("bert")


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "xlm-roberta", "camembert"])
@pytest.mark.parametrize("head", [None, "ForSequenceClassification", "ForQuestionAnswering"])
def test_known_architectures_agree_and_are_left_alone(make_model, encoded, kind, head):
    model = make_model(kind, head)
    before = model.config._attn_implementation
    found = deviations(model, encoded, device=CPU)
    assert found.keys() == {"attention", "output", "layer", "network", "padding", "outcome"}
    assert max(found.values()) < 1e-5
    require_own_values(model, "tiny")
    assert model.config._attn_implementation == before


@pytest.mark.parametrize("scale", [1, 1e4])
def test_large_values_are_read_as_well(bert, encoded, scale):
    """A model that computes in thousands rounds in thousandths."""
    with torch.no_grad():
        bert.encoder.layer[1].attention.output.dense.weight *= scale
    assert deviations(bert, encoded, device=CPU)["output"] < 1e-5


class PreNorm(nn.Module):
    """The output of attention as a model has it that normalises before, not after, its layers."""

    def __init__(self, block):
        super().__init__()
        self.dense, self.LayerNorm, self.dropout = block.dense, block.LayerNorm, block.dropout

    def forward(self, hidden_states, input_tensor):
        return self.dense(hidden_states) + input_tensor


def test_another_layer_under_the_name_of_a_known_one_is_read_as_it_is(bert):
    """Nothing of its attention differs: only the sums do."""
    changed = copy.deepcopy(bert)
    changed.encoder.layer[0].attention.output = PreNorm(changed.encoder.layer[0].attention.output)
    require_own_values(bert, "tiny")
    require_own_values(changed, "tiny")
    first, second = structure_of(changed).layers
    assert first.attention.after is None
    assert second.attention.after.endswith("1.attention.output.LayerNorm")
    first, second = weights_of(changed).layers
    assert first.attention.after is None
    assert second.attention.after is not None


def matrices(model):
    running = RunningModel(model)
    return [running.matrices(layer) for layer in range(2)]


def test_what_a_module_does_beside_its_weights_is_read(make_model):
    """As adapters do that put another forward, or a hook, on a plain linear layer."""
    model = make_model("bert")
    value = model.encoder.layer[0].attention.self.value
    plain, before = value.forward, matrices(model)
    value.forward = lambda x: plain(x) + x
    require_own_values(model, "tiny")
    moved = matrices(model)[0]["value"] - before[0]["value"]
    np.testing.assert_allclose(moved, np.eye(len(moved)), atol=1e-6)
    with model.encoder.layer[1].output.dense.register_forward_hook(lambda *given: 3 * given[2]):
        require_own_values(model, "tiny")
        network = matrices(model)[1]["ffn_output"]
    np.testing.assert_allclose(network, 3 * before[1]["ffn_output"], atol=1e-5)


def test_what_a_normalisation_does_beside_its_weights_is_read(make_model):
    model = make_model("bert")
    before = weights_of(model).layers[0].attention.after
    norm = model.encoder.layer[0].attention.output.LayerNorm
    with norm.register_forward_hook(lambda *given: 3 * given[2]):
        require_own_values(model, "tiny")
        after = weights_of(model).layers[0].attention.after
    np.testing.assert_allclose(after.gain, 3 * before.gain, rtol=1e-4)
    assert after.eps == pytest.approx(before.eps, rel=1e-2)


def test_what_is_done_to_the_stream_outside_the_sums_is_refused(bert):
    with bert.encoder.layer[1].register_forward_hook(lambda *given: 3 * given[2]):
        with pytest.raises(InputError, match=r"not read: encoder\.layer\.1 adds nothing to its"):
            require_own_values(bert, "tiny")


def test_what_is_done_between_layers_is_seen(bert):
    hook = bert.encoder.layer[1].register_forward_pre_hook(lambda _, given: (3 * given[0],))
    with hook, pytest.raises(InputError, match=r"read out of tiny differs .* \(layer\)"):
        require_own_values(bert, "tiny")


def test_a_network_that_mixes_tokens_is_seen(bert):
    def mean(module, given, output):
        return output + output.mean(dim=1, keepdim=True)

    with bert.encoder.layer[1].intermediate.register_forward_hook(mean):
        with pytest.raises(InputError, match=r"read out of tiny differs .* \(network\)"):
            require_own_values(bert, "tiny")


def test_a_causal_encoder_is_read_as_one(make_model):
    model = make_model("bert", is_decoder=True)
    require_own_values(model, "tiny")
    assert weights_of(model, "tiny").read == -1


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu", "silu"])
def test_networks_are_read_whatever_stands_in_them(make_model, encoded, activation):
    model = make_model("bert", hidden_act=activation, initializer_range=0.4)
    assert max(deviations(model, encoded, device=CPU).values()) < 1e-5
    assert RunningModel(model).can_share()


def test_layers_may_share_a_module(make_model):
    model = make_model("bert")
    model.encoder.layer[1] = model.encoder.layer[0]
    require_own_values(model, "tiny")
    assert len({layer.path for layer in structure_of(model).layers}) == 1
    assert len(weights_of(model).layers) == 2


def test_a_model_that_does_not_run_is_one_sentence(make_model):
    model = make_model("bert")
    model.encoder.layer[1].attention = None
    with pytest.raises(InputError, match="tiny cannot be read while it runs"):
        require_own_values(model, "tiny")


def test_values_that_are_no_numbers_are_no_agreement(bert, encoded):
    with torch.no_grad():
        bert.encoder.layer[1].output.dense.weight[0, 0] = torch.nan
    assert np.isnan(deviations(bert, encoded, device=CPU)["padding"])


def test_parts_that_are_all_zero_agree(bert, encoded):
    with torch.no_grad():
        bert.encoder.layer[0].attention.output.dense.weight.zero_()
        bert.encoder.layer[0].attention.output.dense.bias.zero_()
    assert max(deviations(bert, encoded, device=CPU).values()) < 1e-5


def test_another_architecture_is_refused_and_rounding_is_not():
    require_agreement(AGREEING, "tiny")
    for part in AGREEING:
        with pytest.raises(InputError, match=r"tiny differs .* by 0\.02 of .*choose another model"):
            require_agreement(AGREEING | {part: 0.02}, "tiny")
        with pytest.raises(InputError, match="are not finite, even in float32; choose another"):
            require_agreement(AGREEING | {part: np.nan}, "tiny")
