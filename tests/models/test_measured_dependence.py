"""Measured dependence is that of texts read one by one, and exact on circuits."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from families import build, reading

from attention_mixing.circuits import CIRCUITS, circuit, draw_text, truths
from attention_mixing.circuits.by_hand import NORMS
from attention_mixing.circuits.parts import SYMBOLS
from attention_mixing.errors import InputError
from attention_mixing.methods.dependence import kept_among_neighbours
from attention_mixing.models.batch import pad
from attention_mixing.models.clamping import clamped, shares
from attention_mixing.models.dependence import dependence, passes
from attention_mixing.models.encode import encode_one
from attention_mixing.models.replacements import draw_likely_replacements, draw_replacements

READING = {"device": torch.device("cpu"), "batch_size": 8}


def with_special(text, *positions):
    special = [position in positions for position in range(len(text.input_ids))]
    return replace(text, is_special=special)


@pytest.fixture
def two_texts():
    return [with_special(reading(7, 1), 0, 6), with_special(reading(5, 2), 0, 4)]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", CIRCUITS)
def test_of_a_circuit_it_is_exact(name, norm):
    """From symbols to logits, and through the first layer, whose inputs are those of symbols."""
    written = circuit(name, norm=norm)
    text = draw_text(np.random.default_rng(3))
    true = truths(written, text)
    encoded = encode_one(" ".join(text), None, written.tokenizer, 7)
    symbols = np.array(written.tokenizer.convert_tokens_to_ids(list(SYMBOLS)))
    others = [symbols[symbols != token] for token in encoded.input_ids[1:]]
    (found,) = dependence(written.model, [encoded], [np.stack(others)], **READING)
    assert found.tokens.tolist() == [*range(1, 7)]
    kept = kept_among_neighbours(6, 3)
    for ours, theirs in ((found.logits, true.model), (found.layers, true.layers[0])):
        shares_found, depends = ours.shares(kept), ours.dependence(kept)
        if ours is found.layers:
            shares_found, depends = shares_found[0], depends[0]
        changes = ~np.isnan(theirs.share[1:, 1:]).any(axis=1)
        assert changes.any()
        np.testing.assert_allclose(
            shares_found[changes], theirs.share[1:, 1:][changes], rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(depends[changes], theirs.mixing[1:][changes], atol=1e-9)


def one_by_one(model, text, ids, around=None):
    """Mean squared changes of the last hidden state, a pass a text, ``[vector, token]``."""
    given = pad([text], model.config)
    places = [i for i, special in enumerate(text.is_special) if not special]

    @torch.no_grad()
    def last(batch):
        if around is None:
            return model(**batch)[0][0]
        with around(batch, given):
            return model(**batch)[0][0]

    own, columns = last(given), []
    for place, row in zip(places, ids, strict=True):
        changes = []
        for token in row:
            batch = copy.deepcopy(given)
            batch["input_ids"][0, place] = int(token)
            changes.append((last(batch) - own)[places].square().sum(-1))
        columns.append(torch.stack(changes).mean(0))
    return torch.stack(columns, dim=1).numpy()


@pytest.mark.parametrize("batch_size", [1, 8, 100])
def test_it_is_that_of_texts_read_one_by_one(two_texts, batch_size):
    model = build("bert")
    drawn = draw_replacements(two_texts, draws=3)
    options = READING | {"batch_size": batch_size}
    found = dependence(model, two_texts, drawn, **options)
    for text, ids, of_text in zip(two_texts, drawn, found, strict=True):
        expected = one_by_one(model, text, ids)
        np.testing.assert_allclose(of_text.layers.squared[-1], expected, rtol=1e-3, atol=1e-6)
        assert of_text.layers.squared.shape == (3, *expected.shape)
        assert (of_text.layers.of_mean <= of_text.layers.squared + 1e-9).all()
        np.testing.assert_allclose(of_text.layers.shares().sum(-1), 1)
        assert of_text.logits is of_text.prediction is None
    assert passes(drawn) == 2 + 3 * 5 + 3 * 3


@pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral", "gpt_oss"])
def test_in_a_decoder_nothing_depends_on_what_comes_later(kind):
    model = build(kind, "ForCausalLM")
    texts = [reading(6)]
    (found,) = dependence(model, texts, draw_replacements(texts, pool=range(3, 120)), **READING)
    for changes in (found.layers, found.logits):
        later = np.triu(changes.shares(), k=1)
        assert later.max() < 1e-9
        assert np.abs(changes.dependence()[..., 0]).max() < 1e-9  # of the first token on itself
        assert changes.dependence()[..., -1].min() > 1e-4


@pytest.mark.parametrize(("kind", "head"), [("bart", ""), ("t5", "ForSeq2SeqLM")])
def test_both_streams_of_an_encoder_decoder(kind, head):
    model = build(kind, head)
    text = replace(with_special(reading(6, 1), 5), target=with_special(reading(4, 2), 0))
    drawn = draw_replacements([text], pool=range(3, 120), draws=2)
    assert drawn[0].shape == (5 + 3, 2)
    (encoder,) = dependence(model, [text], drawn, stream="encoder", **READING)
    (decoder,) = dependence(model, [text], drawn, stream="decoder", **READING)
    assert encoder.layers.squared.shape == (3, 5, 5)
    assert encoder.logits is None
    assert decoder.layers.squared.shape == (3, 3, 8)
    assert decoder.tokens.tolist() == [0, 1, 2, 3, 4, 1, 2, 3]
    assert (decoder.logits is None) == (not head)
    shares_found = decoder.layers.shares()
    assert np.triu(shares_found[..., 5:], k=1).max() < 1e-9
    assert (shares_found[..., :5] > 1e-9).all()
    alone = shares_found[:, 0, 5]  # by the first token of the target, and else by the source
    np.testing.assert_allclose(decoder.layers.dependence()[:, 0], 1 - alone)


def test_a_prediction_has_shares_and_layers_that_share_a_module_are_told_apart(two_texts):
    model = build("albert", "ForSequenceClassification", num_labels=3)
    found = dependence(model, two_texts, draw_replacements(two_texts), **READING)
    for of_text, tokens in zip(found, (5, 3), strict=True):
        assert of_text.prediction.shares().shape == (1, tokens)
        np.testing.assert_allclose(of_text.prediction.shares().sum(), 1)
        assert of_text.layers.squared.shape == (3, tokens, tokens)
        assert (np.diff(of_text.layers.squared, axis=0) != 0).all()


def test_a_target_follows_the_replaced_text_or_is_held(two_texts):
    """A model that follows its own shares is as it was; held at those of before, another."""
    model = build("bert")
    frozen = copy.deepcopy(model)
    drawn = draw_replacements(two_texts, pool=range(3, 120))

    def keys(batch):
        places = torch.arange(batch["input_ids"].shape[1])
        return ((places == 0) | (places == places[-1]))[None]

    def following(replaced, original):
        return clamped(model, keys(replaced), shares(frozen, replaced, keys(replaced)))

    def held(replaced, original):
        return clamped(model, keys(original), shares(frozen, original, keys(original)))

    plain, follows, holds = (
        dependence(model, two_texts, drawn, **READING, **around)
        for around in ({}, {"around": following}, {"around": held})
    )
    for text, ids, *found in zip(two_texts, drawn, plain, follows, holds, strict=True):
        own, followed, kept = (of_text.layers.squared for of_text in found)
        np.testing.assert_allclose(followed, own, rtol=1e-3, atol=1e-6)
        assert np.abs(kept / own - 1).max() > 1e-2
        expected = one_by_one(model, text, ids, held)
        np.testing.assert_allclose(kept[-1], expected, rtol=1e-3, atol=1e-6)


def test_draws_are_of_the_seed_and_the_text_alone(two_texts):
    pool = [*range(3, 60), 7, 7]
    both = draw_replacements(two_texts, pool=pool, seed=1)
    (alone,) = draw_replacements(two_texts[1:], pool=pool, seed=1)
    np.testing.assert_array_equal(both[1], alone)
    (other,) = draw_replacements(two_texts[1:], pool=pool, seed=2)
    assert (alone != other).any()
    for text, ids in zip(two_texts, both, strict=True):
        tokens = np.array(text.input_ids)[1:-1]
        assert ids.shape == (len(tokens), 4)
        assert (ids != tokens[:, None]).all()
        assert np.isin(ids, pool).all()


def test_a_model_of_masked_words_draws_what_it_holds_likely(make_model, tokenizer, encoded):
    model = make_model("bert", "ForMaskedLM", initializer_range=0.5)
    text = encoded[0]
    (drawn,) = draw_likely_replacements([text], model, tokenizer, draws=2000, **READING)
    place = 2
    ids = pad([text], model.config)
    own, ids["input_ids"][0, place] = text.input_ids[place], tokenizer.mask_token_id
    with torch.no_grad():
        chances = model(**ids).logits[0, place].double().softmax(-1).numpy()
    chances[[own, *tokenizer.all_special_ids]] = 0
    chances /= chances.sum()
    often = np.bincount(drawn[place - 1], minlength=len(chances)) / 2000
    np.testing.assert_allclose(often, chances, atol=0.05)
    assert not often[chances == 0].any()


def test_replacements_of_other_texts_are_refused(two_texts):
    model = build("bert")
    drawn = draw_replacements(two_texts)
    with pytest.raises(InputError, match=r"text 0 are \[3, 4\]; allowed: \[5, draws\]"):
        dependence(model, two_texts, drawn[::-1], **READING)
    with pytest.raises(InputError, match="the pool has no token but"):
        draw_replacements(two_texts, pool=two_texts[0].input_ids[1:2])
