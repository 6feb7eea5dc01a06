"""What is read out of a model is what the model itself computes."""

import gc
import weakref

import numpy as np
import pytest
import torch

from analysis.capture.attention import record_attention, using
from analysis.capture.points import record_points
from analysis.capture.record import deviations, record
from analysis.capture.store import AXES
from analysis.errors import InputError
from analysis.models.architecture import ARCHITECTURES, modules

CPU = {"device": torch.device("cpu"), "precision": "float32"}
KINDS = ("bert", "distilbert", "roberta")


@pytest.fixture(scope="module", params=KINDS)
def model(request, make_model):
    return make_model(request.param)


def read(model, tokenizer, encoded, batch_size=2):
    return [arrays for arrays, _ in record(model, tokenizer, encoded, batch_size=batch_size, **CPU)]


@pytest.fixture(scope="module")
def captured(model, tokenizer, encoded):
    return read(model, tokenizer, encoded)


@pytest.fixture(scope="module")
def eager(model, encoded):
    """The model's own outputs for each text alone, by its own eager attention."""
    wanted = {"output_attentions": True, "output_hidden_states": True}
    with torch.inference_mode(), using(model, "eager"):
        return [model(torch.tensor([e.input_ids]), **wanted) for e in encoded]


def close(ours, theirs, atol=1e-6):
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=atol, rtol=0)


def test_attention_is_that_of_the_model(captured, eager):
    for arrays, output in zip(captured, eager, strict=True):
        close(arrays["attention"], torch.cat(output.attentions))


def test_attention_follows_from_queries_and_keys(captured):
    for arrays in captured:
        query, key = (torch.tensor(arrays[name]) for name in ("query", "key"))
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        close(arrays["attention"], scores.softmax(-1))


def test_context_is_attention_on_values(captured):
    for arrays in captured:
        heads = arrays["attention"] @ arrays["value"]  # [layer, head, token, head_dim]
        layers, count, tokens, width = heads.shape
        joined = heads.transpose(0, 2, 1, 3).reshape(layers, tokens, count * width)
        close(arrays["context"], joined)


def test_context_through_the_projection_is_the_attention_output(model, captured):
    for arrays in captured:
        for layer, projection in enumerate(modules(model, "attention_output")):
            expected = arrays["context"][layer] @ projection.weight.detach().numpy().T
            close(arrays["attention_output"][layer], expected + projection.bias.detach().numpy())


def test_layer_outputs_are_the_hidden_states(captured, eager):
    for arrays, output in zip(captured, eager, strict=True):
        embedding, *layers = output.hidden_states
        close(arrays["embedding"], embedding[0])
        close(arrays["layer_output"], torch.cat(layers))
        close(arrays["layer_output"][-1], output.last_hidden_state[0])


def test_word_embedding_is_the_row_of_the_table(model, captured, encoded):
    table = model.get_input_embeddings().weight.detach().numpy()
    for arrays, text in zip(captured, encoded, strict=True):
        np.testing.assert_array_equal(arrays["word"], table[text.input_ids])


def test_blocks_are_residual_and_normalisation(model, captured):
    """attention_block and layer_output follow from the points before them."""
    layers = (
        model.transformer.layer if model.config.model_type == "distilbert" else model.encoder.layer
    )
    distil = model.config.model_type == "distilbert"
    arrays = {name: torch.tensor(values) for name, values in captured[0].items()}
    before = arrays["embedding"]
    with torch.inference_mode():
        for i, layer in enumerate(layers):
            first = layer.sa_layer_norm if distil else layer.attention.output.LayerNorm
            second = layer.output_layer_norm if distil else layer.output.LayerNorm
            block = first(before + arrays["attention_output"][i])
            close(arrays["attention_block"][i], block)
            close(arrays["layer_output"][i], second(block + arrays["ffn_output"][i]))
            before = arrays["layer_output"][i]


def test_shapes_are_those_of_the_store(captured, encoded):
    for arrays, text in zip(captured, encoded, strict=True):
        tokens = len(text.input_ids)
        sizes = {"layer": 2, "head": 4, "head_dim": 8, "model_dim": 32}
        sizes |= {"token": tokens, "query": tokens, "key": tokens}
        assert arrays.keys() == AXES.keys()
        for name, axes in AXES.items():
            assert arrays[name].shape == tuple(sizes[axis] for axis in axes), name


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_padding_and_batch_size_change_nothing(model, tokenizer, encoded, captured, batch_size):
    for arrays, other in zip(captured, read(model, tokenizer, encoded, batch_size), strict=True):
        for name in AXES:
            close(arrays[name], other[name], atol=1e-5)


def test_deviations_are_of_float32_and_leave_the_model_alone(model, tokenizer, encoded):
    before = model.config._attn_implementation
    found = deviations(model, tokenizer, encoded, device=CPU["device"])
    assert found.keys() == {"attention", "output", "padding"}
    assert max(found.values()) < 1e-5
    assert model.config._attn_implementation == before


def test_a_wrong_projection_shows_as_deviation(make_model, tokenizer, encoded):
    model = make_model("bert")
    model.encoder.layer[1].attention.output.dense.register_forward_hook(
        lambda module, inputs, output: output + 0.01 * (inputs[0].ndim == 3)
    )
    assert deviations(model, tokenizer, encoded, device=CPU["device"])["output"] > 0.005


def test_logits_come_with_a_head_and_only_then(make_model, tokenizer, encoded):
    bare = [
        logits for _, logits in record(make_model("bert"), tokenizer, encoded, batch_size=2, **CPU)
    ]
    assert bare == [None] * len(encoded)
    for kind in KINDS:
        model = make_model(kind, "ForSequenceClassification", num_labels=3)
        for (arrays, logits), text in zip(
            record(model, tokenizer, encoded, batch_size=2, **CPU), encoded, strict=True
        ):
            with torch.inference_mode():
                expected = model(torch.tensor([text.input_ids])).logits[0]
            close(logits, expected, atol=1e-5)
            assert arrays["layer_output"].shape[0] == 2


def test_a_model_in_training_mode_is_read_without_dropout(make_model, tokenizer, encoded):
    model = make_model("bert")
    expected = read(model, tokenizer, encoded)
    model.train()
    for arrays, again in zip(expected, read(model, tokenizer, encoded), strict=True):
        np.testing.assert_array_equal(arrays["layer_output"], again["layer_output"])


def test_one_layer_keeps_its_axis(make_model, tokenizer, encoded):
    arrays = read(make_model("bert", seed=1), tokenizer, encoded)[0]
    model = make_model("bert")
    model.encoder.layer = model.encoder.layer[:1]
    model.config.num_hidden_layers = 1
    single = read(model, tokenizer, encoded)[0]
    for name, axes in AXES.items():
        assert single[name].ndim == arrays[name].ndim == len(axes)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "t5"])
def test_an_unknown_architecture_is_refused(make_model, tokenizer, encoded, kind):
    model = make_model(kind)
    implementation = model.config._attn_implementation
    with pytest.raises(InputError, match=rf"the model is a {kind}.*bert, roberta"):
        next(record(model, tokenizer, encoded, batch_size=2, **CPU))
    assert model.config._attn_implementation == implementation


def test_every_known_architecture_can_be_looked_up():
    from transformers import AutoConfig

    assert all(AutoConfig.for_model(kind).model_type == kind for kind in ARCHITECTURES)


# --- attention alone, of every architecture -------------------------------------------------------


def recorded_and_own(model, **inputs):
    """Attention calls of one pass, and what the model itself says by eager attention."""
    with torch.inference_mode():
        with record_attention(model) as calls:
            model(**inputs)
        with using(model, "eager"):
            own = model(**inputs, output_attentions=True)
    return calls, own


@pytest.fixture
def padded(tokenizer, texts):
    return dict(
        tokenizer(list(texts), return_tensors="pt", padding=True, return_token_type_ids=False)
    )


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        *((kind, {}) for kind in (*KINDS, "gpt2")),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}),
    ],
    ids=str,
)
def test_padded_batches_equal_the_eager_model(make_model, padded, kind, options):
    calls, own = recorded_and_own(make_model(kind, **options), **padded)
    for call, theirs in zip(calls, own.attentions, strict=True):
        close(call.attention, theirs)
        assert call.query.shape == call.key.shape == call.value.shape
        assert (call.attention.triu(1) == 0).all() == (kind not in KINDS)  # decoders are causal


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_the_model_computes_the_same_while_it_is_recorded(make_model, padded, kind):
    model = make_model(kind)
    with torch.inference_mode():
        before = model(**padded).last_hidden_state
        with record_attention(model):
            during = model(**padded).last_hidden_state
        after = model(**padded).last_hidden_state
    attended = padded["attention_mask"].bool()
    close(during[attended], before[attended], atol=1e-5)
    assert torch.equal(after, before)


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
def test_the_implementation_is_put_back_also_after_an_error(make_model, padded, implementation):
    model = make_model("bert")
    model.set_attn_implementation(implementation)
    with record_attention(model) as calls:
        assert model.config._attn_implementation == "recording"
    assert model.config._attn_implementation == implementation
    with pytest.raises(RuntimeError, match="on purpose"), record_attention(model) as calls:
        raise RuntimeError("on purpose")
    assert model.config._attn_implementation == implementation
    with torch.inference_mode():
        model(**padded)
    assert calls == []


def test_nothing_holds_the_tensors_of_a_pass_after_the_block(make_model, padded):
    model = make_model("bert")
    with torch.inference_mode(), record_attention(model) as calls:
        model(**padded)
    last = weakref.ref(calls[-1])
    del calls
    gc.collect()
    assert last() is None


def test_hooks_are_removed_also_after_an_error(make_model, padded):
    model = make_model("bert")
    with pytest.raises(RuntimeError, match="on purpose"), record_points(model) as points:
        raise RuntimeError("on purpose")
    model(**padded)
    assert not any(points.values())
    assert not any(module._forward_hooks for module in model.modules())


# --- in half precision, and what is no number -----------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_in_half_precision_the_weights_follow_from_what_is_stored(make_model, padded, kind):
    """Queries and keys are rounded, their products are not: a reader finds the same weights."""
    model = make_model(kind, initializer_range=0.6)  # sharp attention: large scores
    with (
        torch.inference_mode(),
        record_attention(model) as calls,
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        model(**padded)
    hidden = padded["attention_mask"][:, None, None, :] == 0
    for call in calls:
        assert call.query.dtype == call.key.dtype == torch.bfloat16
        scores = call.query.double() @ call.key.double().transpose(-1, -2)
        scores = scores / call.query.shape[-1] ** 0.5
        assert scores.abs().max() > 4
        expected = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        close(call.attention, expected, atol=1e-5)


def test_deviations_do_not_depend_on_the_size_of_the_values(make_model, tokenizer, encoded):
    """A model that computes in thousands rounds in thousandths, and is read as well."""
    model = make_model("bert")
    layer = model.encoder.layer[1].attention.output.dense
    with torch.no_grad():
        layer.weight *= 1e4
        layer.bias *= 1e4
    assert deviations(model, tokenizer, encoded, device=CPU["device"])["output"] < 1e-5


def test_values_that_are_no_numbers_are_no_agreement(make_model, tokenizer, encoded):
    model = make_model("bert")
    with torch.no_grad():
        model.encoder.layer[1].output.dense.weight[0, 0] = torch.nan
    assert np.isnan(deviations(model, tokenizer, encoded, device=CPU["device"])["padding"])
