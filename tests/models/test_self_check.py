"""What is read out of a model is compared with what it computes itself."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from analysis.errors import InputError
from analysis.methods.whole_layer import ACTIVATIONS
from analysis.models import architecture
from analysis.models.self_check import (
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
    assert found.keys() == {"attention", "output", "layer", "padding", "outcome"}
    assert max(found.values()) < 1e-5
    require_own_values(model, "tiny")
    assert model.config._attn_implementation == before


@pytest.mark.parametrize("scale", [1, 1e4])
def test_a_wrong_projection_shows_as_a_share_of_the_values(bert, encoded, scale):
    """A model that computes in thousands rounds in thousandths, and is read as well."""
    layer = bert.encoder.layer[1].attention.output.dense
    with torch.no_grad():
        layer.weight *= scale
    assert deviations(bert, encoded, device=CPU)["output"] < 1e-5
    layer.register_forward_hook(lambda _, given, output: output * 1.01)
    found = deviations(bert, encoded, device=CPU)
    assert found["output"] == pytest.approx(0.01 / 1.01, rel=1e-3)


class PreNorm(nn.Module):
    """The output of attention as a model has it that normalises before, not after, its layers."""

    def __init__(self, block):
        super().__init__()
        self.dense, self.LayerNorm, self.dropout = block.dense, block.LayerNorm, block.dropout

    def forward(self, hidden_states, input_tensor):
        return self.dense(hidden_states) + input_tensor


def test_another_layer_under_the_name_of_a_known_one_is_seen(bert):
    """Nothing of its attention differs: only the sums do."""
    changed = copy.deepcopy(bert)
    changed.encoder.layer[0].attention.output = PreNorm(changed.encoder.layer[0].attention.output)
    require_own_values(bert, "tiny")
    with pytest.raises(InputError, match=r"read out of tiny differs .* \(layer\)"):
        require_own_values(changed, "tiny")


def test_a_causal_encoder_is_seen(make_model):
    with pytest.raises(InputError, match=r"read out of tiny differs .* \(attention\)"):
        require_own_values(make_model("bert", is_decoder=True), "tiny")


def test_what_a_module_does_beside_its_weights_is_seen(make_model):
    """As adapters do that put another forward, or a hook, on a plain linear layer."""
    model = make_model("bert")
    value = model.encoder.layer[0].attention.self.value
    plain = value.forward
    value.forward = lambda x: plain(x) + x
    with pytest.raises(InputError, match=r"differs .* \(layer\)"):
        require_own_values(model, "tiny")
    value.forward = plain
    with model.encoder.layer[1].output.dense.register_forward_hook(lambda *given: 3 * given[2]):
        with pytest.raises(InputError, match=r"differs .* \(layer\)"):
            require_own_values(model, "tiny")
    require_own_values(model, "tiny")


def test_another_activation_than_the_configuration_names_is_seen(make_model):
    model = make_model("bert")
    model.encoder.layer[0].intermediate.intermediate_act_fn = nn.Tanh()
    with pytest.raises(InputError, match=r"differs .* \(layer\)"):
        require_own_values(model, "tiny")


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_known_activations_are_those_that_measures_compute(make_model, encoded, activation):
    assert set(ACTIVATIONS) == set(architecture.ACTIVATIONS)
    model = make_model("bert", hidden_act=activation, initializer_range=0.4)
    assert max(deviations(model, encoded, device=CPU).values()) < 1e-5


def test_a_model_that_does_not_run_is_one_sentence(make_model):
    model = make_model("bert")
    model.encoder.layer[1] = model.encoder.layer[0]
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
