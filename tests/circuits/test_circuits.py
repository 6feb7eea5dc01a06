"""Circuits do what they are said to do, in any basis, wherever their layers normalise."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
import torch

from attention_mixing.circuits import CIRCUITS, circuit, draw_text, layer_measures, truths
from attention_mixing.circuits.by_hand import MODEL_DIM, NORMS
from attention_mixing.circuits.labels import BY_KEYS, OF_OTHERS
from attention_mixing.circuits.truth import beside, depends_by_program
from attention_mixing.errors import InputError
from attention_mixing.measures import measure

TEXTS = 6
EVERY = [(name, norm) for name in CIRCUITS for norm in NORMS]


@pytest.fixture
def texts():
    generator = np.random.default_rng(0)
    return [draw_text(generator) for _ in range(TEXTS)]


def logits(written, text):
    ids = written.tokenizer(" ".join(text), return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        return written.model(ids).logits[0].numpy()


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_logits_are_those_of_another_token_where_the_program_says_the_same(name, norm, texts):
    written = circuit(name, norm=norm)
    said = [
        (answer, row)
        for text in texts
        for answer, row in zip(
            written.circuit.run(written.circuit.start(text)), logits(written, text), strict=True
        )
    ]
    for (answer, row), (other_answer, other_row) in combinations(said, 2):
        distance = np.abs(row - other_row).max()
        assert distance < 1e-9 if answer == other_answer else distance > 1e-2


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_what_depends_on_what_is_what_the_program_says(name, norm, texts):
    written = circuit(name, norm=norm)
    for text in texts:
        seen = truths(written, text)
        said = depends_by_program(written.circuit, text)
        for truth, depends in zip((*seen.layers, seen.model), said, strict=True):
            np.testing.assert_array_equal(truth.depends, depends)


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_a_basis_changes_no_truth(name, norm, texts):
    shares = [truths(circuit(name, norm=norm, seed=seed), texts[0]) for seed in (0, 1)]
    for truth, turned in zip(*((*each.layers, each.model) for each in shares), strict=True):
        np.testing.assert_allclose(truth.share, turned.share, rtol=1e-9, atol=1e-12)


def test_a_basis_changes_every_coordinate():
    tables = [circuit("previous", seed=seed).model.get_input_embeddings() for seed in (0, 1)]
    rows = [table.weight[1:].detach().numpy() for table in tables]
    assert np.abs(rows[0] - rows[1]).min() > 0
    for table in rows:
        np.testing.assert_allclose(table @ table.T, np.eye(len(table)) * MODEL_DIM / 2, atol=1e-9)
        np.testing.assert_allclose(table.sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
def test_shares_of_a_copy_are_half_and_half(norm, texts):
    """By hand: a token and the one before it fill two slots of the same size."""
    share = truths(circuit("previous", norm=norm), texts[0]).model.share
    expected = (np.eye(7) + np.eye(7, k=-1)) / 2
    expected[1] = np.eye(7)[1]  # whose previous token is the beginning, which is never another
    assert np.isnan(share[0]).all()
    np.testing.assert_allclose(share[1:], expected[1:], atol=1e-12)


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_gains_of_norms_change_nothing_that_the_program_says(name, norm, texts):
    written = circuit(name, norm=norm, norm_gains=True)
    norms = [each for each in written.model.modules() if isinstance(each, torch.nn.LayerNorm)]
    gained = [each for each in norms if each.weight.std() > 0.1 and each.bias.norm() > 1]
    # But for that of the embeddings in pre-norm circuits.
    assert len(gained) == 1 + 2 * len(written.circuit.layers)
    for text in texts[:3]:
        seen = truths(written, text)
        said = depends_by_program(written.circuit, text)
        for truth, depends in zip((*seen.layers, seen.model), said, strict=True):
            np.testing.assert_array_equal(truth.depends, depends)
    if norm == "pre":  # nothing stands between a norm and what takes its gain back
        plain = truths(circuit(name, norm=norm), text)
        for one, other in zip(
            (*seen.layers, seen.model), (*plain.layers, plain.model), strict=True
        ):
            np.testing.assert_allclose(one.share, other.share, atol=1e-12)


def test_shares_of_a_copy_through_a_layer_are_those_of_its_gains(texts):
    """By hand: both slots have the same size, and each norm stretches each by its gain."""
    written = circuit("previous", norm_gains=True)
    layer = written.model.base_model.encoder.layer[0]
    entering = written.model.base_model.embeddings.LayerNorm
    norms = (layer.attention.output.LayerNorm, layer.output.LayerNorm)
    # The coordinates of a slot are those that the readout has of it.
    labels = written.model.classifier.weight.detach().numpy()
    of_token, of_brought = (np.flatnonzero(rows.any(axis=0)) for rows in (labels[:5], labels[5:]))
    stretch = {
        name: np.prod([norm.weight[own[0]].item() for norm in (entering, *norms)])
        for name, own in (("token", of_token), ("brought", of_brought))
    }
    squared = np.array([stretch["token"], stretch["brought"]]) ** 2
    kept, brought = squared / squared.sum()
    share = truths(written, texts[0]).layers[0].share
    expected = kept * np.eye(7) + brought * np.eye(7, k=-1)
    np.testing.assert_allclose(share[2:], expected[2:], atol=1e-12)
    assert kept != pytest.approx(1 / 2, abs=0.01)


def test_globenc_follows_both_norms_of_a_layer_and_attnres_n_none(texts):
    """By hand: what is brought, beside what a token is, is stretched by the gains of both."""
    written = circuit("previous", norm_gains=True)
    text = written.capture(texts[0])
    layer = written.model.base_model.encoder.layer[0]
    norms = (layer.attention.output.LayerNorm, layer.output.LayerNorm)
    gains = np.prod([norm.weight.detach().numpy() for norm in norms], axis=0)
    of_brought = written.model.classifier.weight[5:].detach().numpy().any(axis=0)
    stream = text["embedding"]
    stretched = gains[of_brought][0] * np.linalg.norm(stream, axis=-1)
    stretched /= np.linalg.norm(gains * stream, axis=-1)
    matrices = {name: layer_measures()[name](text, written)[0] for name in ("attnres_n", "globenc")}
    beside = {name: np.diag(each, -1) / np.diag(each)[1:] for name, each in matrices.items()}
    ratio = beside["globenc"][1:] / beside["attnres_n"][1:]
    np.testing.assert_allclose(ratio, stretched[2:], rtol=1e-4)
    assert ratio[0] != pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", ["two_hops", "loud_sink"])
def test_gains_change_no_lengths_where_what_reads_takes_them_back(name, texts):
    plain, gained = (circuit(name, norm="pre", norm_gains=gains) for gains in (False, True))
    for method in ("attnres_n", "attnresln_n", "globenc"):
        of_layers = layer_measures()[method]
        lengths = [of_layers(each.capture(texts[0]), each) for each in (plain, gained)]
        np.testing.assert_allclose(*lengths, atol=1e-5)


def content_of(name, text):
    """By hand: which symbols are brought to each, ``[query][tokens]``, counted from 1."""
    places = range(1, len(text) + 1)
    letter = dict(zip(places, (symbol[0] for symbol in text), strict=True))
    before = {place: max(place - 1, 1) for place in places}  # the first has none but itself
    brought = {
        **dict.fromkeys(("previous", "loud_sink"), lambda i: {i, before[i]}),
        **dict.fromkeys(("uniform", "relay"), lambda i: {*places}),
        "lookup": lambda i: {j for j in places if letter[j] == letter[i]},
        "two_hops": lambda i: {j for j in places if letter[before[j]] == letter[i]},
    }
    return [brought.get(name, lambda i: {i})(place) for place in places]


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_what_is_brought_is_what_values_carry(name, norm, texts):
    for text in texts[:3]:
        depends = truths(circuit(name, norm=norm), text, "provenance").model.depends
        found = [{*np.flatnonzero(row).tolist()} for row in depends[1:]]
        assert found == content_of(name, text)


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_keys_have_an_effect_where_symbols_decide_attention(name, norm, texts):
    written = circuit(name, norm=norm)
    rows = [" ".join(text) for text in beside(texts[0])]
    attention = np.stack([written.capture(row.split())["attention"] for row in rows])
    moves = np.abs(attention - attention[0]).max() > 1e-6
    keys = truths(written, texts[0], "keys").model
    assert keys.depends.any() == moves
    assert not keys.depends[:, 0].any()  # the beginning is never another
    if name == "key_alone":  # by hand: one digit 1 more or less, of a level of 1 / (1 + ones)
        ones = np.array([symbol[1] == "1" for symbol in texts[0]])
        levels = 1 / (1 + ones.sum() + np.where(ones, -1, 1))
        squared = (levels - 1 / (1 + ones.sum())) ** 2
        # But for the last norm, which divides by a length that the level is a part of.
        np.testing.assert_allclose(keys.share[1:, 1:], [squared / squared.sum()] * 6, atol=0.01)


@pytest.mark.parametrize("norm", NORMS)
def test_both_ways_together_are_the_effect_where_there_is_one_alone(norm, texts):
    """Attention by position: all is brought. A level that keys divide: each token keeps itself."""
    effect, brought = (
        truths(circuit("previous", norm=norm), texts[0], way).model
        for way in ("effect", "provenance")
    )
    np.testing.assert_allclose(effect.share, brought.share, atol=1e-12)
    alone = truths(circuit("key_alone", norm=norm), texts[0], "provenance").model
    np.testing.assert_allclose(alone.share[1:], np.eye(7)[1:], atol=1e-12)


def test_only_the_effect_is_told_of_softer_attention(texts):
    with pytest.raises(InputError, match=r"gain of 10; allowed: 'effect'"):
        truths(circuit("lookup", gain=10.0), texts[0], "keys")
    with pytest.raises(InputError, match="effect, provenance, keys"):
        truths(circuit("lookup"), texts[0], "values")


@pytest.mark.parametrize(("name", "norm"), EVERY)
def test_a_circuit_is_captured_and_measured_as_any_model(name, norm, texts):
    text = circuit(name, norm=norm).capture(texts[0])
    assert list(text.tokens["token"]) == ["<s>", *texts[0]]
    np.testing.assert_allclose(text["attention"].sum(axis=-1), 1, atol=1e-6)
    assert not measure(text, "propagation").values.empty


@pytest.mark.parametrize("norm_gains", [False, True])
@pytest.mark.parametrize("name", ["relay", "two_hops"])
def test_programs_are_those_of_longer_texts_too(name, norm_gains):
    text = draw_text(np.random.default_rng(4), places=13)
    written = circuit(name, places=13, norm_gains=norm_gains)
    seen = truths(written, text)
    said = depends_by_program(written.circuit, text)
    assert seen.model.share.shape == (13, 13)
    for truth, depends in zip((*seen.layers, seen.model), said, strict=True):
        np.testing.assert_array_equal(truth.depends, depends)


@pytest.mark.parametrize("places", [1, 32])
def test_a_text_has_no_more_tokens_than_positions(places):
    with pytest.raises(InputError, match=rf"places is {places}; allowed: 2 to 31"):
        circuit("previous", places=places)


def test_circuits_of_others_are_those_whose_logits_depend_on_others(texts):
    found = {
        name
        for name in CIRCUITS
        if np.nanmax(truths(circuit(name), texts[0]).model.mixing[1:]) > 1e-6
    }
    assert found == {*OF_OTHERS}
    keys = {
        name for name in CIRCUITS if truths(circuit(name), texts[0], "keys").model.depends.any()
    }
    assert keys == {*BY_KEYS}


def test_texts_beside_a_text_differ_in_one_symbol(texts):
    others = beside(texts[0])
    assert others[0] == texts[0]
    assert len({tuple(other) for other in others}) == len(others) == 1 + 6 * 3
    assert all(sum(map(str.__ne__, other, texts[0])) == 1 for other in others[1:])


def test_half_of_the_circuits_depend_on_more_than_vectors_carry():
    assert sum(not each.carried for each in CIRCUITS.values()) * 2 >= len(CIRCUITS) >= 10


@pytest.mark.parametrize("asked", [{"name": "none"}, {"name": "previous", "norm": "both"}])
def test_what_there_is_not_is_refused_with_what_there_is(asked):
    with pytest.raises(InputError, match=r"previous|post"):
        circuit(**asked)


@pytest.mark.parametrize("gain", [0, -1.0, float("nan")])
def test_a_gain_that_is_none_is_refused(gain):
    with pytest.raises(InputError, match="above 0"):
        circuit("previous", gain=gain)


@pytest.mark.parametrize("text", [[], ["zz"], ["a0 b1"], ["a0"] * 7])
def test_what_is_no_text_of_circuits_is_refused_at_every_door(text):
    written = circuit("previous")
    for door in (written.capture, written.circuit.start, partial(truths, written)):
        with pytest.raises(InputError, match=r"1 to 6|a0, a1, b0, b1"):
            door(text)
