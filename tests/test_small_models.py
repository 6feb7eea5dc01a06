"""The small models learn their task, and see what their design lets them see."""

import numpy as np
import pytest
import torch

from analysis.anatomy.small_models import (
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
    monkeypatch.setattr("analysis.anatomy.small_models.WORDS", WORDS[:3])
    monkeypatch.setattr("analysis.anatomy.small_models.LENGTH", 3)
    monkeypatch.setattr("analysis.anatomy.small_models.HELD_OUT", 2)
    training, held_out = draw_rows(50, seed=0)
    assert training.shape == (50, 3)
    assert not {*map(tuple, training.tolist())} & {*map(tuple, held_out.tolist())}


def test_every_design_learns_to_write_backwards(small):
    assert small.accuracy() > 0.95
    row = small.held_out[0]
    assert words(small.write(row[None])[0]) == words(row)[::-1]


def test_only_an_encoder_lets_later_tokens_change_earlier_outputs(small):
    leak = small.leak()
    if small.kind == "encoder":
        assert leak.keys() == {"leak"}
        assert leak["leak"] > 0.1
    else:
        assert leak["leak"] == 0
    if small.kind == "encoder_decoder":
        assert leak["encoder_leak"] > 0.1


def test_maps_are_weights_and_decoders_have_none_on_what_is_later(small):
    maps = small.attention(small.held_out[:7])
    both = {"encoder", "decoder", "cross"}
    assert maps.keys() == (both if small.kind == "encoder_decoder" else {"attention"})
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
    named, maps = small.tokens(row), small.attention(row[None])
    reading = maps.get("cross", maps.get("attention"))
    axes = [len(named["tokens"]), len(named.get("source", named["tokens"]))]
    assert list(reading.shape[-2:]) == axes
    assert named.get("source", named["tokens"])[:LENGTH] == words(row)
    wrote = ["[MASK]"] * (LENGTH - 1) if small.kind == "encoder" else words(row)[:0:-1]
    assert named["tokens"][-LENGTH + 1 :] == wrote


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
    assert other.accuracy() < 0.05  # so little is not enough
    weights = [dict(small.model.named_parameters()) for small in (first, again, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not all(torch.equal(weights[0][name], weights[2][name]) for name in weights[0])
