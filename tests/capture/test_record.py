"""What is read out of a model is what the model itself computes."""

import weakref

import numpy as np
import pytest
import torch
from families import build, reading
from known_modules import modules

from attention_mixing.capture.record import record
from attention_mixing.capture.store import AXES
from attention_mixing.errors import InputError
from attention_mixing.models.attention import record_attention, using
from attention_mixing.models.encode import with_target
from attention_mixing.models.passes import read_passes

CPU = {"device": torch.device("cpu"), "precision": "float32", "batch_size": 2}
KINDS = ("bert", "distilbert", "roberta")


@pytest.fixture(scope="module", params=KINDS)
def model(request, make_model):
    return make_model(request.param, "ForSequenceClassification", num_labels=3)


def read(model, tokenizer, encoded):
    return [arrays for arrays, _ in record(model, encoded, **CPU)]


@pytest.fixture(scope="module")
def captured(model, tokenizer, encoded):
    """Of padded batches."""
    return read(model, tokenizer, encoded)


@pytest.fixture(scope="module")
def eager(model, encoded):
    """The model's own outputs for each text alone, by its own eager attention."""
    wanted = {"output_attentions": True, "output_hidden_states": True}
    with torch.inference_mode(), using(model, "eager"):
        return [model(torch.tensor([e.input_ids]), **wanted) for e in encoded]


def close(ours, theirs, atol=1e-6):
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=atol, rtol=0)


def test_attention_and_layer_outputs_are_those_of_the_model(captured, eager):
    for arrays, output in zip(captured, eager, strict=True):
        close(arrays["attention"], torch.cat(output.attentions))
        embedding, *layers = output.hidden_states
        close(arrays["embedding"], embedding[0])
        close(arrays["layer_output"], torch.cat(layers))


def test_logits_are_those_of_the_model_if_it_has_a_head(
    model, tokenizer, encoded, eager, make_model
):
    found = record(model, encoded, **CPU)
    for (_, logits), output in zip(found, eager, strict=True):
        close(logits, output.logits[0])
    bare = record(make_model("bert"), encoded, **CPU)
    assert [logits for _, logits in bare] == [None] * len(encoded)


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


def test_word_embedding_is_the_row_of_the_table(model, captured, encoded):
    table = model.get_input_embeddings().weight.detach().numpy()
    for arrays, text in zip(captured, encoded, strict=True):
        np.testing.assert_array_equal(arrays["word"], table[text.input_ids])


def test_a_layer_is_projection_residual_and_normalisation(model, captured):
    """Every point follows from those before it."""
    parts = ("attention_output", "attention_norm", "ffn_norm")
    layers = zip(*(modules(model, part) for part in parts), strict=True)
    arrays = {name: torch.tensor(values) for name, values in captured[0].items()}
    before = arrays["embedding"]
    with torch.inference_mode():
        for i, (projection, first, second) in enumerate(layers):
            close(arrays["attention_output"][i], projection(arrays["context"][i]))
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


def test_a_model_in_training_mode_is_read_without_dropout(make_model, tokenizer, encoded):
    model = make_model("bert")
    expected = read(model, tokenizer, encoded)
    model.train()
    for arrays, again in zip(expected, read(model, tokenizer, encoded), strict=True):
        np.testing.assert_array_equal(arrays["layer_output"], again["layer_output"])


def test_a_layer_that_normalises_before_its_steps_is_read_too(make_model, encoded):
    model = make_model("gpt2")
    text = torch.tensor([encoded[0].input_ids])
    with torch.inference_mode():
        expected = model(text, output_hidden_states=True).hidden_states
        with read_passes(model) as read:
            model(text)
            points, layers = read.points(""), list(read.layers())
    close(points["embedding"][0], expected[0])
    close(points["layer_output"][0], expected[1])
    for block, layer in zip(points["attention_block"], layers, strict=True):
        close(block, layer.entered + layer.steps[0].made)


# --- attention alone ------------------------------------------------------------------------------


@pytest.fixture
def bert(make_model):
    return make_model("bert")


@pytest.fixture
def padded(tokenizer, texts):
    return dict(
        tokenizer(list(texts), return_tensors="pt", padding=True, return_token_type_ids=False)
    )


def test_the_model_is_put_back_also_after_an_error(bert, padded):
    before = bert.config._attn_implementation
    with (
        pytest.raises(RuntimeError, match="on purpose"),
        read_passes(bert) as read,
    ):
        raise RuntimeError("on purpose")
    assert bert.config._attn_implementation == before
    with torch.inference_mode():
        bert(**padded)
    assert read.attention == read.word == []
    assert not any((*read.inputs.values(), *read.outputs.values()))


def test_nothing_holds_the_tensors_of_a_pass_after_the_block(bert, padded):
    with torch.inference_mode(), record_attention(bert) as calls:
        bert(**padded)
    last = weakref.ref(calls[-1])
    del calls
    assert last() is None


def test_in_half_precision_the_weights_follow_from_what_is_stored(make_model, padded):
    """Queries and keys are rounded, their products are not: a reader finds the same weights."""
    model = make_model("bert", initializer_range=0.6)  # sharp attention: large scores
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


def test_gates_of_a_padded_batch_are_those_of_each_text(encoded):
    model = build("afmoe", vocab_size=1000)
    together = read(model, None, encoded)
    for arrays, text in zip(together, encoded, strict=True):
        (alone,) = read(model, None, [text])
        tokens = len(text.input_ids)
        assert arrays["gate"].shape == (3, 4, tokens, 16)
        close(arrays["gate"], alone["gate"], atol=1e-3)
        context = arrays["attention"] @ arrays["value"] * arrays["gate"]
        close(context.transpose(0, 2, 1, 3).reshape(3, tokens, -1), arrays["context"], atol=1e-5)


@pytest.mark.parametrize("family", ["llama", "bart"])
def test_a_token_without_a_vector_is_refused(family, tokenizer, encoded):
    """As one that is for padding as well stays at zero in a model that is trained from nothing."""
    model = build(family)
    model.get_input_embeddings().weight.data[encoded[0].input_ids[1]] = 0
    texts = encoded[:1]
    if family == "bart":
        texts = [with_target(texts[0], "the film", tokenizer, model.config, 40)]
        for stack in (model.encoder, model.decoder):
            stack.embed_positions.weight.data.zero_()
            stack.layernorm_embedding = torch.nn.Identity()
    device = torch.device("cpu")
    with pytest.raises(InputError, match=f"the token '{texts[0].tokens[1]}' enters the model as"):
        next(record(model, texts, device=device, precision="float32", batch_size=1))


def test_a_text_that_ends_with_padding_is_not_read_at_its_end():
    """Its head takes the last token that is not padding, wherever the other may come from."""
    model = build("llama", "ForSequenceClassification", pad_token_id=7)
    ends_otherwise, ends_so = reading(6), reading(6)
    ends_otherwise.input_ids[-2:], ends_so.input_ids[-2:] = [7, 8], [8, 7]
    how = {"device": torch.device("cpu"), "precision": "float32", "batch_size": 2}
    ((arrays, logits),) = record(model, [ends_otherwise], **how)
    with torch.inference_mode():
        last = model.model.norm(torch.tensor(arrays["layer_output"][-1][-1]))
        np.testing.assert_allclose(logits, model.score(last).numpy(), rtol=1e-4)
    with pytest.raises(InputError, match=r"\(pad_token_id 7 in config\.json\), so that the head"):
        next(record(model, [ends_otherwise, ends_so], **how))
    next(record(model.model, [ends_so], **how))
    encoder = build("bert", "ForSequenceClassification", pad_token_id=7)
    next(record(encoder, [ends_so], **how))
