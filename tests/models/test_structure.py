"""How models are put together is read off them: families that no line of the project names."""

import numpy as np
import pytest
import torch
import transformers
from families import FAMILIES, GROUPED, PLAIN, build, given, relative

from attention_mixing.methods.alti_logit import SECANTS
from attention_mixing.methods.layer import apply_norm
from attention_mixing.models.attention import using
from attention_mixing.models.components import linear
from attention_mixing.models.dummy_inputs import most_tokens, structure_of
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.passes import Pass, read_passes, streams
from attention_mixing.models.structure import Unreadable, read_structure


def read(model):
    return read_structure(model, given(model, 9, 5), given(model, 7, 4))


def written(step) -> str:
    return (
        ("<" if step.before else "")
        + ("F" if step.attention is None else "A")
        + ("." * len(step.context))
        + ("^" if step.gated else "")
        + ("~" if step.of_output else "")
        + (f"*{step.scale}" if step.scale != 1 else "")
        + (">" if step.after else "")
        + ("|" if step.beside else "")
    )


def passed(model, structure) -> Pass:
    """What is read of a pass of a text that the structure was not read off."""
    from attention_mixing.models import dummy_inputs

    dummy_inputs._READ[model] = structure
    with torch.inference_mode(), read_passes(model) as found:
        model(**given(model, 11, 6))
        found.layers_read = list(found.layers())
    return found


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    model = build(request.param)
    structure = read(model)
    return request.param, model, structure, passed(model, structure)


def test_steps_are_those_of_the_family(family):
    name, _, structure, _ = family
    # The last layer of a decoder that looks at a source counts as two.
    last = structure.layers[-2 if structure.layers[-1].stream == "cross" else -1 :]
    steps = [step for layer in last for step in layer.steps]
    assert " ".join(map(written, steps)) == FAMILIES[name][1]


def test_steps_add_up_to_what_leaves_the_layer(family):
    _, model, structure, found = family
    with torch.inference_mode():
        for layer, one in zip(structure.layers, found.layers_read, strict=True):
            *_, (_, stream) = streams(model, layer, one)
            assert relative(stream, one.left) < 1e-5


def test_values_by_weights_through_the_projection_are_what_attention_makes(family):
    _, model, structure, found = family
    for layer, one in zip(structure.layers, found.layers_read, strict=True):
        for step, of_step in zip(layer.steps, one.steps, strict=True):
            if (call := of_step.call) is None:
                continue
            weights = linear(model.get_submodule(step.modules[-1]), of_step.given.shape[-1])
            matrix, constant = map(torch.tensor, weights)
            heads = call.attention.shape[1]
            value = call.value.repeat_interleave(heads // call.value.shape[1], dim=1)
            through = of_step.given.reshape(call.context.shape) / call.context
            if not step.context and not step.gated:
                through = torch.ones_like(through)
            blocks = matrix.reshape(heads, -1, matrix.shape[1])
            # What each key brings to each query, key by key and head by head.
            brought = torch.einsum("bhij,bhjd,bihd,hdm->bijm", call.weights, value, through, blocks)
            assert relative(brought.sum(dim=2) + constant, of_step.made) < 1e-5


def test_weights_are_those_that_the_model_tells(family):
    _, model, _, found = family
    arguments = given(model, 11, 6)
    with torch.inference_mode(), using(model, "eager"):
        output = model(**arguments, output_attentions=True)
    if model.config.is_encoder_decoder:
        pairs = zip(output.decoder_attentions, output.cross_attentions, strict=True)
        theirs = [*output.encoder_attentions, *(one for pair in pairs for one in pair)]
    else:
        theirs = output.attentions
    for call, own in zip(found.attention, theirs, strict=True):
        torch.testing.assert_close(call.attention, own, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["bert", "roberta", "electra", "albert", "ernie", "data2vec-text", "distilbert"]
)
def test_heads_of_classifiers_are_read_off_them(make_model, name):
    make = build if name in FAMILIES else make_model
    model = make(name, "ForSequenceClassification", num_labels=3)
    with torch.no_grad():
        weights = weights_of(model)
        final, dense, activation, output = weights.classifier
        assert (final, weights.read) == (None, 0)
        with read_passes(model) as found:
            logits = model(torch.arange(3, 14)[None]).logits[0].numpy()
            *_, last = found.layers()
    before = last.left[0, 0].numpy() @ dense.weight + dense.bias
    active = before * SECANTS[activation](before.astype(np.float64))
    np.testing.assert_allclose(active @ output.weight + output.bias, logits, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "gpt_neox", "opt"])
def test_heads_that_read_the_last_token_are_read_off_them(name):
    model = build(name, "ForSequenceClassification", num_labels=3, pad_token_id=0)
    with torch.no_grad():
        weights = weights_of(model)
        with read_passes(model) as found:
            logits = model(**given(model, 11, 6)).logits[0].numpy()
            *_, last = found.layers()
    final, dense, activation, output = weights.classifier
    assert (dense, activation, weights.read) == (None, None, -1)
    rows = apply_norm(last.left[0].numpy(), final)
    np.testing.assert_allclose(rows[-1] @ output.weight + output.bias, logits, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "places", "most"), [("bert", 5, 5), ("roberta", 8, 6)])
def test_a_model_of_fewer_places_than_it_is_tried_with_is_read(name, places, most):
    settings = FAMILIES[name][0] | {"max_position_embeddings": places, "pad_token_id": 1}
    model = transformers.AutoModel.from_config(
        transformers.AutoConfig.for_model(name, **settings), attn_implementation="eager"
    ).eval()
    assert structure_of(model).layers
    assert most_tokens(model) == most


@pytest.mark.parametrize(
    ("name", "most"), [("bert", 64), ("roberta", 63), ("opt", 64), ("llama", 64)]
)
def test_a_model_takes_as_many_tokens_as_it_has_places_for(name, most):
    """RoBERTa has places before that of the first token."""
    model = build(name)
    assert most_tokens(model) == most
    ids = torch.full((1, most), 5)
    with torch.inference_mode():
        model(input_ids=ids)
        if name in ("bert", "roberta"):
            with pytest.raises((IndexError, RuntimeError)):
                model(input_ids=torch.full((1, most + 1), 5))


@pytest.mark.parametrize("family", ["deberta-v2", "falcon", "bloom", "mpnet"])
def test_attention_outside_the_interface_is_told(family):
    config = transformers.AutoConfig.for_model(family, **PLAIN)
    model = transformers.AutoModel.from_config(config).eval()
    with pytest.raises(Unreadable, match="not computed through the attention interface"):
        read(model)


@pytest.mark.parametrize(
    ("family", "more"),
    [("recurrent_gemma", {}), ("lfm2", {"layer_types": ["conv", "full_attention", "conv"]})],
)
def test_hybrids_are_refused_by_the_name_of_a_layer(family, more):
    """Layers without attention mix tokens too: by a recurrence, or a convolution."""
    config = transformers.AutoConfig.for_model(family, **GROUPED, **more)
    model = transformers.AutoModel.from_config(config).eval()
    with pytest.raises(Unreadable, match=r"layers\.0 \(\w+\) has no attention that is computed"):
        read(model)


def test_tied_layers_and_zero_projections_are_no_riddle():
    """Tensors are told apart by what made them, not by their values."""
    model = build("llama")
    with torch.no_grad():
        for layer in model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.load_state_dict(model.layers[0].mlp.state_dict())
    assert {" ".join(map(written, layer.steps)) for layer in read(model).layers} == {"<A <F"}


def test_text_that_changes_the_sums_is_told():
    model = build("bert")

    def more_for_long_texts(module, inputs, output):
        return output + inputs[1] if output.shape[1] > 8 else output

    with model.encoder.layer[1].output.register_forward_hook(more_for_long_texts):
        with pytest.raises(Unreadable):
            read(model)
