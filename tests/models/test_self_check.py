"""What is read out of a model is compared with what it computes itself."""

import copy

import numpy as np
import pytest
import torch
from families import FAMILIES, build, reading
from refusals import refusal
from torch import nn

from attention_mixing.capture.gradients import gradients
from attention_mixing.errors import InputError
from attention_mixing.models.batch import inputs, pad
from attention_mixing.models.dummy_inputs import dummy_texts, structure_of
from attention_mixing.models.head_ablation import ablate_heads, measure_classes
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.predict import predict
from attention_mixing.models.self_check import (
    TOLERANCE,
    deviations,
    require_agreement,
    require_own_values,
    require_unpadded,
)

CPU = torch.device("cpu")
AGREEING = {"attention": 1e-7, "output": 0.0, "outcome": TOLERANCE}


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
        with pytest.raises(InputError, match=r"networks mix tokens beside attention"):
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


def test_a_head_that_needs_padding_is_told_so():
    model = build("llama", "ForSequenceClassification", pad_token_id=None, eos_token_id=[1, 2])
    said = refusal(require_own_values, model, "tiny")
    assert "reads a text alone and not two together" in said
    assert said.endswith("state pad_token_id in its config.json.")
    model.config.pad_token_id = 0
    require_own_values(model, "tiny")


@pytest.mark.parametrize("window", range(1, 20))
def test_windows_are_read_wherever_they_end(window):
    """One of eight to fifteen is seen with nine tokens, and not with five."""
    model = build("modernbert", local_attention=window)
    require_own_values(model, "tiny")
    assert weights_of(model).read == 0


@pytest.mark.parametrize("family", ["gpt2", "llama", "bert", "bart", "opt"])
@pytest.mark.parametrize("padding", [0, 50, 61, 62, 63])
def test_any_number_may_be_that_of_padding(family, padding):
    """Of 64 places; in RoBERTa alone, tokens have those behind that number."""
    places = {"gpt2": "n_positions"}.get(family, "max_position_embeddings")
    model = build(family, pad_token_id=padding, **{places: 64})
    assert [len(text.input_ids) for text in dummy_texts(model)] == [9, 5]
    require_own_values(model, "tiny")
    assert weights_of(model).read == (0 if family in ("bert", "bart") else -1)


def test_tokens_of_padding_that_see_nothing_are_not_compared():
    """A window shows them padding alone, of which each implementation makes something else."""
    texts = [reading(3), reading(30, seed=1)]
    assert max(deviations(build("mistral"), texts, device=CPU).values()) < 1e-5


# --- texts that are padded ------------------------------------------------------------------------

CLASSIFIED = {"head": "ForSequenceClassification"}
AFTER_PADDING = "what it computes depends on how far texts are padded; read texts one by one"


@pytest.fixture(scope="module")
def long_context():
    return build("phi3", **CLASSIFIED)


def test_a_pass_that_depends_on_the_padded_length_is_seen(long_context):
    """Not by short texts, such as those that every model is tried on."""
    require_own_values(long_context, "tiny")
    for lengths, alike in (((10, 14), True), ((20, 30), True), ((10, 30), False)):
        texts = [reading(length, seed) for seed, length in enumerate(lengths)]
        found = deviations(long_context, texts, device=CPU)
        assert (found.pop("padding") < 1e-5) == alike
        assert max(found.values()) < 1e-5


def by_prediction(model, texts):
    predict(model, texts, device=CPU, precision="bfloat16", batch_size=2)


def by_gradients(model, texts):
    list(gradients(model, texts, targets=[1, 1], device=CPU, batch_size=2))


def by_ablation(model, texts):
    each = [[text] for text in texts]
    ablate_heads(model, each, measure_classes([1, 1]), device=CPU, batch_size=2)


@pytest.mark.parametrize("door", [by_prediction, by_gradients, by_ablation])
def test_a_batch_that_moves_its_texts_is_refused(long_context, door):
    assert AFTER_PADDING in refusal(door, long_context, [reading(10), reading(30)])
    door(long_context, [reading(10), reading(10, seed=1)])


@pytest.mark.parametrize(
    "family", [name for name in FAMILIES if "decoder_start_token_id" not in FAMILIES[name][0]]
)
def test_other_batches_are_not(family):
    model = build(family)
    require_unpadded(model, [inputs(reading(n), model.config) for n in (15, 3, 9)])


@pytest.mark.parametrize("count", [1, 2])
def test_a_text_that_is_left_undecided_is_read_as_the_others(make_model, encoded, count):
    """Fine-tuned on films, a model told one of 200 reviews by logits near zero, and was refused.

    Such logits are what rounding leaves of large parts that cancel.
    """
    model = make_model("bert", "ForSequenceClassification")
    batch = pad(encoded[:1], model.config, CPU)
    with torch.no_grad():
        model.classifier.weight *= 100
        model.classifier.bias -= model(**batch).logits[0]
        assert model(**batch).logits.abs().max() < 1e-3
    require_agreement(deviations(model, encoded[:count], device=CPU), "tiny")
    require_unpadded(model, [inputs(text, model.config) for text in encoded[:2]])


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
