"""Attention that is streamed is the attention that is captured, in order, and nothing is kept."""

import weakref

import numpy as np
import pytest
import torch

from attention_mixing.capture.record import record
from attention_mixing.capture.reduce import BATCHES, reduce_maps
from attention_mixing.models.dummy_inputs import structure_of

CPU = {"device": torch.device("cpu"), "precision": "float32"}


@pytest.fixture(scope="module")
def model(make_model):
    return make_model("bert")


@pytest.fixture(scope="module")
def many(encoded):
    """Texts of all lengths, in an order that is not theirs, more than are sorted at once."""
    order = np.random.default_rng(0).permutation(3 * list(range(len(encoded))))
    assert len(order) > 3 * BATCHES
    return [encoded[place] for place in order]


def stream(reduce, model, texts, batch_size=2, threads=2):
    options = {"batch_size": batch_size, "threads": threads, **CPU}
    return reduce_maps(reduce, model, texts, **options)


@pytest.mark.parametrize(("batch_size", "threads"), [(1, 2), (3, 4), (100, 1)])
def test_maps_are_those_of_the_capture_and_in_order(model, many, batch_size, threads):
    captured = record(model, many, batch_size=1, **CPU)
    place_and_maps = stream(lambda *given: given, model, many, batch_size, threads)
    places, streamed, seen = zip(*place_and_maps, strict=True)
    assert all(sight.all() for sight in seen)
    assert places == tuple(range(len(many)))
    for maps, (arrays, _) in zip(streamed, captured, strict=True):
        assert maps.dtype == np.float32
        np.testing.assert_allclose(maps, arrays["attention"], atol=1e-6, rtol=0)


def test_texts_of_similar_length_share_a_batch(make_model, encoded):
    model = make_model("bert")
    structure_of(model)  # reads passes of its own
    widths = []
    model.register_forward_pre_hook(
        lambda _, args, kwargs: widths.append(kwargs["input_ids"].shape), with_kwargs=True
    )
    short, long = (sorted(encoded, key=lambda e: len(e.input_ids))[i] for i in (0, -1))
    list(stream(lambda *_: None, model, [short, long] * 2))
    assert widths == [(2, len(short.input_ids)), (2, len(long.input_ids))]


def test_no_attention_outlives_its_batch(model, encoded):
    seen = []

    def reduce(place, maps, visible):
        seen.append(weakref.ref(maps))
        return float(maps.max())

    for _ in stream(reduce, model, encoded * 4):
        assert sum(maps() is not None for maps in seen) <= 2
    assert len(seen) == 4 * len(encoded)
