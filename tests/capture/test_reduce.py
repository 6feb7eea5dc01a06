"""Attention that is streamed is the attention that is captured, in order, and nothing is kept."""

import weakref

import numpy as np
import pytest
import torch

from analysis.capture.record import record
from analysis.capture.reduce import BATCHES, reduce_maps

CPU = {"device": torch.device("cpu"), "precision": "float32"}


@pytest.fixture(scope="module")
def many(encoded):
    """Texts of all lengths, in an order that is not theirs, more than are sorted at once."""
    return [encoded[i] for i in np.random.default_rng(0).permutation(3 * list(range(len(encoded))))]


def stream(reduce, model, tokenizer, texts, batch_size=2, threads=2):
    options = {"batch_size": batch_size, "threads": threads, **CPU}
    return list(reduce_maps(reduce, model, tokenizer, texts, **options))


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta"])
def test_maps_are_those_of_the_capture_and_in_order(kind, make_model, tokenizer, many):
    model = make_model(kind)
    captured = record(model, tokenizer, many, batch_size=1, **CPU)
    streamed = stream(lambda place, maps: (place, maps), model, tokenizer, many)
    assert len(many) > 2 * BATCHES  # so that not all are sorted together
    assert [place for place, _ in streamed] == list(range(len(many)))
    for (_, maps), (arrays, _) in zip(streamed, captured, strict=True):
        assert maps.dtype == np.float32
        np.testing.assert_allclose(maps, arrays["attention"], atol=1e-6, rtol=0)


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_batches_change_nothing(batch_size, make_model, tokenizer, many):
    model = make_model("bert")
    plain, other = (
        stream(lambda _, maps: maps.max(axis=-1), model, tokenizer, many, **options)
        for options in ({"threads": 1}, {"batch_size": batch_size, "threads": 3})
    )
    for one, two in zip(plain, other, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-6, rtol=0)


def test_threads_change_not_a_bit(make_model, tokenizer, many):
    model = make_model("bert")
    one, two = (
        stream(lambda _, maps: maps, model, tokenizer, many, threads=threads) for threads in (1, 4)
    )
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_texts_of_similar_length_share_a_batch(make_model, tokenizer, encoded):
    model = make_model("bert")
    widths = []
    model.register_forward_pre_hook(
        lambda _, args, kwargs: widths.append(kwargs["input_ids"].shape), with_kwargs=True
    )
    short, long = (sorted(encoded, key=lambda e: len(e.input_ids))[i] for i in (0, -1))
    stream(lambda _, maps: None, model, tokenizer, [short, long] * 2)
    assert widths == [(2, len(short.input_ids)), (2, len(long.input_ids))]


def test_no_attention_outlives_its_batch(make_model, tokenizer, encoded):
    model = make_model("bert")
    seen = []

    def reduce(place, maps):
        seen.append(weakref.ref(maps))
        return float(maps.max())

    options = {"batch_size": 2, "threads": 2, **CPU}
    for _ in reduce_maps(reduce, model, tokenizer, encoded * 4, **options):
        assert sum(maps() is not None for maps in seen) <= 2
    assert len(seen) == 4 * len(encoded)


def test_an_error_in_a_thread_reaches_the_caller(make_model, tokenizer, encoded):
    def reduce(place, maps):
        raise ValueError(f"text {place}")

    model = make_model("bert")
    before = model.config._attn_implementation
    with pytest.raises(ValueError, match="text"):
        stream(reduce, model, tokenizer, encoded)
    assert model.config._attn_implementation == before
