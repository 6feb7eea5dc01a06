"""The small models learn their task, and see what their design lets them see."""

import numpy as np
import pytest
import torch

from analysis.models.small import (
    HELD_OUT,
    KINDS,
    LENGTH,
    VOCABULARY,
    WORDS,
    draw_rows,
    train_small,
    words,
)

STEPS = 150


@pytest.fixture(scope="module", params=KINDS)
def small(request):
    return train_small(request.param, steps=STEPS, seed=3)


def test_rows_are_of_different_words_and_held_out_rows_are_new():
    training, held_out = draw_rows(5000, seed=1)
    assert training.shape == (5000, LENGTH)
    assert held_out.shape == (HELD_OUT, LENGTH)
    for rows in (training, held_out):
        assert all(len(set(row)) == LENGTH for row in rows.tolist())
        assert {VOCABULARY[token] for token in rows.ravel()} == set(WORDS)
    assert not {*map(tuple, training.tolist())} & {*map(tuple, held_out.tolist())}
    np.testing.assert_array_equal(draw_rows(5000, seed=1)[0], training)
    assert (draw_rows(5000, seed=2)[1] != held_out).any()


def test_a_row_that_is_held_out_makes_way_for_another(monkeypatch):
    """With three words there are six rows, so that nearly every row is drawn more than once."""
    monkeypatch.setattr("analysis.models.small.WORDS", WORDS[:3])
    monkeypatch.setattr("analysis.models.small.LENGTH", 3)
    monkeypatch.setattr("analysis.models.small.HELD_OUT", 2)
    training, held_out = draw_rows(50, seed=0)
    assert training.shape == (50, 3)
    assert not {*map(tuple, training.tolist())} & {*map(tuple, held_out.tolist())}


def test_every_design_learns_to_write_backwards(small):
    assert small.accuracy() > 0.95
    row = small.held_out[0]
    assert words(small.write(row[None])[0]) == words(row)[::-1]


def test_nothing_is_written_backwards_without_training():
    for kind in KINDS:
        assert train_small(kind, steps=1, seed=3).accuracy() < 0.05


def test_only_an_encoder_lets_later_tokens_change_earlier_outputs(small):
    leak = small.leak()
    if small.kind == "encoder":
        assert leak.keys() == {"leak"}
        assert leak["leak"] > 0.1
    else:
        assert leak["leak"] == 0
    if small.kind == "encoder_decoder":
        assert leak["encoder_leak"] > 0.1


def test_a_decoder_without_its_mask_leaks():
    small = train_small("decoder", steps=1, seed=0)
    assert small.leak() == {"leak": 0}

    def see_all(module, inputs, options):
        return inputs, options | {"attention_mask": None}

    attention = small.model.transformer.h[0].attn
    attention.register_forward_pre_hook(see_all, with_kwargs=True)
    assert small.leak()["leak"] > 0


def test_maps_are_weights_and_decoders_have_none_on_what_is_later(small):
    rows = small.held_out[:7]
    maps = small.attention(rows)
    inputs = 2 * LENGTH + 1
    shapes = {
        "encoder": {"attention": (inputs, inputs)},
        "decoder": {"attention": (inputs - 1, inputs - 1)},
        "encoder_decoder": dict.fromkeys(("encoder", "decoder", "cross"), (LENGTH, LENGTH)),
    }[small.kind]
    assert {name: array.shape[-2:] for name, array in maps.items()} == shapes
    for name, array in maps.items():
        assert array.shape[:3] == (7, 1, 2)
        np.testing.assert_allclose(array.sum(axis=-1), 1, atol=1e-6)
        later = np.triu(array, k=1)
        if small.kind == "decoder" or name == "decoder":
            assert (later == 0).all()
        else:
            assert (later.max(axis=(-1, -2)) > 0).all()


def test_what_is_written_is_drawn_from_the_mirrored_place(small):
    """The trained heads of the only layer point at the word that comes next."""
    maps = small.attention(small.held_out)
    reading = maps.get("cross", maps.get("attention"))[..., -LENGTH:, :LENGTH]
    best = reading.mean(axis=(0, 1, 2)).argmax(axis=-1)
    np.testing.assert_array_equal(best, np.arange(LENGTH)[::-1])


def test_tokens_name_the_axes_of_the_maps(small):
    row = small.held_out[0]
    named, read = small.tokens(row), words(row)
    written = words(small.write(row[None])[0])
    expected = {
        "encoder": {"tokens": [*read, "[SEP]", *["[MASK]"] * LENGTH]},
        "decoder": {"tokens": [*read, "[SEP]", *written[:-1]]},
        "encoder_decoder": {"source": read, "tokens": ["[SEP]", *written[:-1]]},
    }
    assert named == expected[small.kind]


def test_word_by_word_is_what_one_pass_over_the_answer_says(small):
    """A causal mask makes the outputs of one pass those of all the passes before."""
    rows = torch.tensor(small.held_out[:9])
    written = torch.tensor(small.write(small.held_out[:9]))
    separator = torch.full((9, 1), VOCABULARY.index("[SEP]"))
    with torch.inference_mode():
        match small.kind:
            case "encoder":
                masks = torch.full((9, LENGTH), VOCABULARY.index("[MASK]"))
                logits = small.model(torch.cat([rows, separator, masks], dim=1)).logits
            case "decoder":
                read = torch.cat([rows, separator, written[:, :-1]], dim=1)
                logits = small.model(read).logits
            case "encoder_decoder":
                target = torch.cat([separator, written[:, :-1]], dim=1)
                logits = small.model(rows, decoder_input_ids=target).logits
    np.testing.assert_array_equal(logits[:, -LENGTH:].argmax(-1), written)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_weights(kind):
    threads = torch.get_num_threads()
    first = train_small(kind, steps=4, seed=5)
    torch.set_num_threads(2)
    try:
        again = train_small(kind, steps=4, seed=5)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    other = train_small(kind, steps=4, seed=6)
    weights = [dict(small.model.named_parameters()) for small in (first, again, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not all(torch.equal(weights[0][name], weights[2][name]) for name in weights[0])
