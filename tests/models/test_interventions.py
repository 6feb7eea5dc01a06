"""Layers that are run again, against the model's own, in families that no line names."""

import json
import sys
from types import MethodType

import numpy as np
import pytest
import torch
from families import FAMILIES, build, given, layers_of_pass, relative
from torch.func import functional_call, jvp
from transformers import AttentionInterface
from transformers.masking_utils import AttentionMaskInterface, eager_mask

from attention_mixing.errors import InputError
from attention_mixing.methods.identity import relative_residual
from attention_mixing.methods.layer import add_residual, norm_divisor
from attention_mixing.methods.mixing import AttentionBlock, row_normalised
from attention_mixing.methods.value_zeroing import divisor_ratio, value_zeroing
from attention_mixing.models.attention import using
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.layer_weights import weights_of

# Encoders and decoders of one attention and one network a layer.
ONE_STREAM = [name for name, (_, steps) in FAMILIES.items() if steps.count("A") == 1]
EXPERTS = ("mixtral", "deepseek_v3", "llama4_text")
# What chooses its experts has a constant, so that others are chosen on the way from 0.
NOT_COMPLETE = ("gpt_oss", "laguna", "afmoe")


@pytest.fixture(scope="module", params=ONE_STREAM)
def family(request):
    model = build(request.param)
    return request.param, model, RunningModel(model), *layers_of_pass(model)


def blocks(model, layers) -> list[AttentionBlock]:
    """Attention blocks of a recorded pass."""
    found = []
    for weights, one in zip(weights_of(model).layers, layers, strict=True):
        call = one.steps[0].call
        value = call.of_heads("value")[0].numpy()
        context = call.context[0].reshape(len(one.entered[0]), -1).numpy()
        found.append(
            AttentionBlock(
                call.of_heads("attention")[0].numpy(),
                value,
                weights.projection.weight,
                inputs=one.entered[0].numpy(),
                output_bias=weights.projection.bias,
                residual=weights.attention,
                scale=call.mass[0].numpy() / norm_divisor(context, weights.context),
                gate=one.steps[0].gate[0].numpy() if weights.gated else None,
            )
        )
    return found


def test_vectors_and_constants_are_the_stream_after_attention(family):
    _, model, _, _, layers, _ = family
    for block, weights, one in zip(
        blocks(model, layers), weights_of(model).layers, layers, strict=True
    ):
        made = one.steps[0].made[0].numpy()
        assert relative(block.attended, made) < 1e-5
        stream = add_residual(block.inputs, made, weights.attention)
        # The vectors of all tokens are the stream but for what belongs to none of them.
        nothing = AttentionBlock(
            block.attention,
            0 * block.value,
            block.projection,
            inputs=0 * block.inputs,
            output_bias=block.output_bias,
            residual=weights.attention,
        )
        constant = nothing.through(block.output_bias[None]) / block.divisor[:, None]
        if (norm := weights.attention.of_output) is not None:
            added = nothing.added_part(block.output_bias[None]) / block.output_divisor[:, None]
            constant = added + norm.offset * weights.attention.scale
        if (norm := weights.attention.after) is not None:
            constant = constant + norm.offset
        assert relative(sum(block.vectors("attnresln_n")) + constant, stream) < 1e-5


def test_what_a_layer_makes_of_its_attention_is_what_it_makes(family):
    _, _, running, _, layers, _ = family
    for number, one in enumerate(layers):
        rest = running.rest(number, one.entered[0].numpy())
        made = one.steps[0].made.numpy()
        assert relative(rest(made), one.left) < 1e-5
        assert relative(rest(made[[0, 0]])[1], one.left[0]) < 1e-5


def without_value(number: int, place: int, name: str) -> None:
    """Register attention that leaves the values of a token out in one of its calls."""
    calls = iter(range(100))

    def attend(module, query, key, value, attention_mask, **options):
        if next(calls) == number:
            value = value.clone()
            value[:, :, place] = 0
        own = sys.modules[type(module).__module__].eager_attention_forward
        return own(module, query, key, value, attention_mask, **options)

    AttentionInterface.register(name, attend)


def test_value_zeroing_is_that_of_a_model_whose_values_are_zeroed(family):
    _, model, running, structure, layers, ids = family
    AttentionMaskInterface.register("without a value", eager_mask)
    number = len(layers) - 1
    block = blocks(model, layers)[number]
    call, weights = layers[number].steps[0].call, weights_of(model).layers[number]
    ratio = None
    if weights.context is not None:
        summed = call.of_heads("attention")[0] * call.mass[0][..., None]
        ratio = divisor_ratio(summed.numpy(), call.of_heads("value")[0].numpy(), weights.context)
    found = value_zeroing(block, running.rest(number, block.inputs), ratio)
    distance = np.zeros_like(found)
    for place in range(len(ids)):
        without_value(number, place, "without a value")
        left = []
        module = model.get_submodule(structure.layers[number].path)

        def keep(module, inputs, output, left=left):
            left.append(output if isinstance(output, torch.Tensor) else output[0])

        with torch.inference_mode(), using(model, "without a value"):
            with module.register_forward_hook(keep):
                model(**given(model, 11, 6))
        altered, original = left[-1][0].double(), layers[number].left[0].double()
        distance[:, place] = 1 - torch.cosine_similarity(altered, original, dim=-1).numpy()
    expected = row_normalised(np.maximum(distance, 0))
    np.testing.assert_allclose(found, expected, atol=2e-3)


def scaled_network(model, step, rows, node):
    """What a network makes of its input times a number, its biases times the same."""
    for path in step.modules:
        module = model.get_submodule(path)
        biases = {
            name: node * value if value.ndim == 1 and name.endswith("bias") else value
            for name, value in module.named_parameters()
        }
        made = functional_call(module, biases, (rows,))
        rows = made if isinstance(made, torch.Tensor) else made[0]
    return rows


@pytest.mark.parametrize(
    "name", [name for name in ONE_STREAM if name not in (*EXPERTS, *NOT_COMPLETE)]
)
def test_shares_are_integrated_gradients_with_biases_that_grow_alike(name):
    """The integral is taken point by point, through the whole network."""
    model = build(name)
    running = RunningModel(model)
    step = running.layers[-1].steps[-1]
    stream, parts = np.random.default_rng(0).normal(size=(2, 5, 48)).astype(np.float32)
    shares = running.shares(len(running.layers) - 1, stream)(parts[None])[0]
    read = torch.tensor(stream)[None]
    if step.before:
        read = model.get_submodule(step.before)(read).detach()
    model.double()
    read, parts = read.double(), torch.tensor(parts)[None].double()
    nodes, weights = np.polynomial.legendre.leggauss(80)
    expected = 0
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        _, slope = jvp(
            lambda rows, node=node: scaled_network(model, step, rows, node),
            (node * read,),
            (parts,),
        )
        expected = expected + weight * slope[0].detach()
    assert relative(shares, expected) < (1e-5 if name != "opt" else 1e-2)  # a kink for each number


@pytest.mark.parametrize("name", EXPERTS)
def test_shares_of_experts_add_up_to_what_they_make(name):
    running = RunningModel(build(name))
    assert running.can_share()
    step = running.layers[-1].steps[-1]
    stream, part = np.random.default_rng(0).normal(size=(2, 5, 48)).astype(np.float32)
    given = running.model.get_submodule(step.before)(torch.tensor(stream)[None]).detach().numpy()
    shares = running.shares(len(running.layers) - 1, stream)
    both = shares(np.concatenate([given - part, part[None]]))
    assert relative(both.sum(axis=0), running.network_output(2, stream)) < 1e-5


@pytest.mark.parametrize("name", NOT_COMPLETE)
def test_a_network_whose_shares_do_not_add_up_has_none(name):
    running = RunningModel(build(name))
    assert not running.can_share()
    with pytest.raises(InputError, match="do not add up to its output"):
        # Of many tokens: the choice of experts has to differ for some of them.
        running.shares(2, np.random.default_rng(0).normal(size=(99, 48)).astype(np.float32))


def test_nothing_taken_away_is_the_model_itself(family):
    _, _, running, _, layers, ids = family
    found = running.features(ids, 0 * ids, skip=True, feed_forward=True)
    for ours, one in zip(found, layers, strict=True):
        assert relative(ours, one.left[0].double()) < 1e-5


def test_layers_given_what_they_are_given_pay_the_attention_that_they_pay(family):
    _, _, running, _, layers, ids = family
    entered = np.stack([one.entered[0].numpy() for one in layers])
    found = running.attention(ids, 0 * ids, entered)
    for ours, one in zip(found, layers, strict=True):
        assert relative(ours, one.steps[0].call.of_heads("attention")[0]) < 1e-6
    # Each by itself: another input of the first layer changes no other one.
    entered[0] = np.random.default_rng(1).normal(size=entered[0].shape)
    again = running.attention(ids, 0 * ids, entered)
    assert relative(again[0], found[0]) > 1e-3
    np.testing.assert_array_equal(again[1:], found[1:])


def test_a_structure_is_told_in_plain_values(family):
    name, model, running, _, _, _ = family
    found, steps = running.described(), FAMILIES[name][1]
    assert found["layers"] == 3
    assert found["heads"] == 4
    assert found["groups"] == (getattr(model.config, "num_key_value_heads", None) or 4)
    assert found["beside"] == ("|" in steps)
    places = {"<": "before", "~": "of_output", ">": "after"}
    marks = {"+".join(place for mark, place in places.items() if mark in s) for s in steps.split()}
    assert marks <= set(found["norms"])
    assert json.loads(json.dumps(found)) == found


def test_networks_are_told_apart():
    kinds = {"bert": ["plain"], "llama": ["gated"], "modernbert": ["gated"], "mixtral": ["other"]}
    for name, kind in kinds.items():
        assert RunningModel(build(name)).described()["networks"] == kind


# --- parts of layers ------------------------------------------------------------------------------


def without_stream(self, states, _):
    return self.LayerNorm(self.dense(states))


def llama_layer(skip, feed_forward):
    def forward(self, hidden_states, **options):
        made, _ = self.self_attn(hidden_states=self.input_layernorm(hidden_states), **options)
        rows = made + hidden_states if skip else made
        return rows + self.mlp(self.post_attention_layernorm(rows)) if feed_forward else rows

    return forward


def gemma_layer(skip, feed_forward):
    def forward(self, hidden_states, position_embeddings=None, **options):
        made, _ = self.self_attn(
            hidden_states=self.input_layernorm(hidden_states),
            position_embeddings=position_embeddings,
            **options,
        )
        made = self.post_attention_layernorm(made)
        rows = made + hidden_states if skip else made
        if not feed_forward:
            return rows
        network = self.mlp(self.pre_feedforward_layernorm(rows))
        return rows + self.post_feedforward_layernorm(network)

    return forward


@pytest.mark.parametrize("feed_forward", [True, False])
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("name", ["bert", "llama", "gemma2"])
def test_layers_without_parts_are_those_of_a_model_whose_parts_are_replaced(
    name, skip, feed_forward
):
    model = build(name)
    ids = given(model, 11, 6)["input_ids"][0].numpy()
    ours = RunningModel(model).features(ids, 0 * ids, skip=skip, feed_forward=feed_forward)
    model.double()
    layers = model.encoder.layer if name == "bert" else model.layers
    left = []
    for layer in layers:
        if name != "bert":
            written = {"llama": llama_layer, "gemma2": gemma_layer}[name](skip, feed_forward)
            layer.forward = MethodType(written, layer)
        else:
            if not skip:
                layer.attention.output.forward = MethodType(without_stream, layer.attention.output)
            if not feed_forward:
                layer.intermediate.forward = lambda states: states
                layer.output.forward = lambda states, _: states
        layer.register_forward_hook(lambda module, inputs, output: left.append(output))
    with torch.inference_mode():
        model(**given(model, 11, 6))
    for one, output in zip(ours, left, strict=True):
        theirs = output if isinstance(output, torch.Tensor) else output[0]
        assert relative(one, theirs[0] if theirs.ndim == 3 else theirs) < 1e-6


def test_attention_alone_collapses_faster_from_layer_to_layer_and_not_with_skip_connections():
    model = build("bert", initializer_range=0.2)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.1)
    ids, running = given(model, 7, 0)["input_ids"][0].numpy(), RunningModel(model)

    def residual(**parts):
        return relative_residual(running.features(ids, 0 * ids, **parts))

    alone = residual(skip=False, feed_forward=False)
    factors = alone[:-1] / alone[1:]
    assert factors[0] < factors[1]
    kept = residual(skip=True, feed_forward=False)
    assert kept[-1] > 0.5 * kept[0]
