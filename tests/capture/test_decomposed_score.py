"""Scores of attention are the sum of what their sources make of them, whatever the model."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from families import FAMILIES, build, reading

from attention_mixing.capture import capture_text
from attention_mixing.capture.score_parts import (
    NotASum,
    Writer,
    changed_score,
    decomposed_score,
    taken_apart,
)
from attention_mixing.circuits.programs import circuit
from attention_mixing.circuits.scores import draw_texts
from attention_mixing.errors import InputError
from attention_mixing.methods.score_parts import score_parts
from attention_mixing.models.dummy_inputs import structure_of

# They normalise their queries and keys, or make keys of something that is normalised in between.
NOT_LINEAR = {"qwen3", "olmo2", "llama4_text", "deepseek_v3", "laguna", "afmoe"}
SENTENCE = "The old man the boats."


def text_for(model):
    encoded = reading(11)
    return replace(encoded, target=reading(6, 1)) if model.config.is_encoder_decoder else encoded


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in NOT_LINEAR])
def test_parts_add_up_to_the_score_in_every_head(family):
    model = build(family)
    structure = structure_of(model)
    for stream in structure.streams:
        for number in (0, len(structure.of(stream)) - 1):
            of = taken_apart(model, text_for(model), stream, number)
            seen = of.added > np.finfo(np.float32).min / 2
            _, queries, keys = seen.shape
            for query, key in np.ndindex(queries, keys):
                parts = score_parts(of.query[:, :, query], of.key[:, :, key], of.scale)
                whole = (parts.sum(axis=(1, 2)) + of.added[:, query, key])[seen[:, query, key]]
                score = of.scores[:, query, key][seen[:, query, key]]
                largest = np.abs(of.scores[seen]).max()
                assert np.abs(whole - score).max(initial=0) <= 1e-5 * largest


@pytest.mark.parametrize("family", sorted(NOT_LINEAR))
def test_queries_that_are_not_linear_in_the_stream_are_refused(family):
    model = build(family)
    with pytest.raises(NotASum, match=r"otherwise than by a linear map of its stream"):
        taken_apart(model, text_for(model), "", 1)


def test_scores_that_are_capped_are_refused():
    """Gemma 2 bends scores towards a bound, which shows where they are large."""
    model = build("gemma2", attn_logit_softcapping=0.5)
    with torch.no_grad():
        for layer in model.layers:
            layer.self_attn.q_proj.weight *= 30
    with pytest.raises(NotASum, match=r"does more to its scores"):
        taken_apart(model, text_for(model), "", 1)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_induction_head_reads_what_the_first_layer_wrote_to_the_key(norm):
    """By construction: the letter of the query, and the letter before the key."""
    written = circuit("two_hops", norm=norm, seed=0)
    for symbols in draw_texts(3, 0):
        text = written.capture(symbols)
        query = len(symbols)
        (matching,) = np.nonzero(text["attention"][1, 0, query] > 0.1)
        for key in matching[matching > 0]:
            largest = decomposed_score(text, 1, query, key).largest(0, 2)
            assert largest["query"][0] == Writer("embedding", name="word_embeddings")
            assert largest["key"][0] == Writer("head", layer=1, head=1)
            score = decomposed_score(text, 1, query, key).score[0]
            np.testing.assert_allclose(largest["part"][0], score, rtol=1e-6)
            assert abs(largest["part"][1]) < 1e-6 * abs(score)


def test_what_a_source_does_is_missing_without_it():
    """The maps of the attention itself, given the stream without the source."""
    model, layer = build("bert"), 2
    text = text_for(model)
    of = taken_apart(model, text, "", layer)
    attention = model.encoder.layer[layer].attention.self
    with torch.no_grad():
        *_, stream, _ = model(
            torch.tensor([text.input_ids]), output_hidden_states=True
        ).hidden_states
        whole = score_parts(
            of.query.sum(axis=0)[None, :, 4], of.key.sum(axis=0)[None, :, 7], of.scale
        )
        for number in range(1, len(of.query_sources)):
            query = attention.query.weight.double() @ without(model, text, layer, number)[4]
            query += attention.query.bias
            key = attention.key(stream[0, 7]).double()
            cut = (query * key).reshape(4, -1).sum(dim=-1).numpy() * of.scale
            parts = score_parts(of.query[:, :, 4], of.key[:, :, 7], of.scale)
            lost = parts[:, number].sum(axis=-1)
            np.testing.assert_allclose(whole[:, 0, 0] - cut, lost, atol=1e-5)


def without(model, text, layer, number):
    """The stream of the last layer, less what one source has written to it, by hand."""
    with torch.no_grad():
        hidden = model(torch.tensor([text.input_ids]), output_hidden_states=True).hidden_states
        removed = torch.zeros_like(hidden[0])
        source = taken_apart(model, text, "", layer).query_sources[number]
        seen = torch.arange(hidden[0].shape[1])[None]
        if source.kind == "embedding":
            tables = {
                "word_embeddings": torch.tensor([text.input_ids]),
                "position_embeddings": seen,
                "token_type_embeddings": torch.zeros_like(seen),
            }
            embeddings = model.embeddings
            removed = getattr(embeddings, source.name)(tables[source.name])
            total = sum(getattr(embeddings, name)(ids) for name, ids in tables.items())
            removed = scaled(removed, total, embeddings.LayerNorm)
        for index, block in enumerate(model.encoder.layer[:layer], 1):
            attention, stream = block.attention, hidden[index - 1]
            value = attention.self.value(stream).reshape(1, -1, 4, 12).transpose(1, 2)
            query, key = (
                getattr(attention.self, name)(stream).reshape(1, -1, 4, 12).transpose(1, 2)
                for name in ("query", "key")
            )
            context = (query @ key.transpose(-1, -2) / 12**0.5).softmax(dim=-1) @ value
            made = attention.output.dense(context.transpose(1, 2).reshape(stream.shape))
            if source.kind == "head" and source.layer == index:
                only = torch.zeros_like(context)
                only[:, source.head - 1] = context[:, source.head - 1]
                only = only.transpose(1, 2).reshape(stream.shape)
                removed = removed + only @ attention.output.dense.weight.T
            total = stream + made
            removed = scaled(removed, total, attention.output.LayerNorm)
            between = attention.output.LayerNorm(total)
            network = block.output.dense(block.intermediate(between))
            if source.kind == "network" and source.layer == index:
                removed = removed + network
            removed = scaled(removed, between + network, block.output.LayerNorm)
        return (hidden[layer] - removed)[0].double()


def scaled(part, total, norm):
    """A part of what is normalised, behind the normalisation."""
    divisor = (total.var(dim=-1, keepdim=True, correction=0) + norm.eps).sqrt()
    return (part - part.mean(dim=-1, keepdim=True)) / divisor * norm.weight


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "t5"])
def test_parts_of_a_change_add_up_to_it(family, tokenizer):
    """Of a model and one whose weights have all moved; what all keys have alike is left out."""
    texts = []
    for moved in (0.0, 0.1):
        model = build(family)
        torch.manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(moved * torch.randn_like(parameter))
        given = {"target": "the film was bad"} if model.config.is_encoder_decoder else {}
        text = capture_text("a dull plot, but good", model=(model, tokenizer), **given)
        texts.append(text.of("cross") if given else text)
    layer, query, key = 1, 3, 2
    found = changed_score(*texts, layer, query, key)
    for text, score in zip(texts, (found.before, found.after), strict=True):
        seen = text["visible"][layer, query].astype(bool)
        products = [
            decomposed_score(text, layer, query, int(k)).score for k in np.flatnonzero(seen)
        ]
        at_key = decomposed_score(text, layer, query, key).score
        np.testing.assert_allclose(score, at_key - np.mean(products, axis=0), atol=1e-12)
    whole = found.by_query.sum(axis=0) + found.by_key.sum(axis=0) + found.position
    np.testing.assert_allclose(whole, found.after - found.before, atol=1e-5)
    assert np.abs(found.after - found.before).max() > 0.1


def test_scores_of_models_that_are_put_together_otherwise_are_not_compared(tokenizer):
    texts = [
        capture_text("a dull plot", model=(build(family), tokenizer)) for family in ("bert", "gpt2")
    ]
    with pytest.raises(InputError, match="put together otherwise"):
        changed_score(*texts, 1, 2, 1)


def test_embeddings_that_are_added_up_are_told_apart():
    text = capture_text(SENTENCE, model="all-MiniLM-L6-v2")
    found = decomposed_score(text, 0, 2, 3)
    names = [source.name for source in found.query_sources]
    assert names == ["", "word_embeddings", "token_type_embeddings", "position_embeddings"]
    query, key = text["query"][0, :, 2], text["key"][0, :, 3]
    np.testing.assert_allclose(found.score, (query * key).sum(axis=-1) / 32**0.5, atol=1e-5)
    np.testing.assert_allclose(
        found.parts.sum(axis=(1, 2)) + found.position, found.score, atol=1e-5
    )


@pytest.mark.parametrize(
    ("layer", "query", "key", "message"),
    [
        (6, 0, 0, r"layer is 6; allowed: 0 to 5"),
        (0, -1, 0, r"query is -1; allowed: 0 to 7"),
        (0, 0, 9, r"key is 9; allowed: 0 to 7"),
    ],
)
def test_what_is_not_there_is_refused(layer, query, key, message):
    text = capture_text(SENTENCE, model="all-MiniLM-L6-v2")
    with pytest.raises(InputError, match=message):
        decomposed_score(text, layer, query, key)
