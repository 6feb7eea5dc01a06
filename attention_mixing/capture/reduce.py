"""Stream attention maps through a function, so that only what it makes of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from attention_mixing.models.attention import record_attention
from attention_mixing.models.batch import pad
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.encode import Encoded

T = TypeVar("T")
# Texts of this many batches are sorted by length, and what is made of them waits for its turn.
BATCHES = 4


def reduce_maps(
    reduce: Callable[[int, NDArray[np.float32], NDArray[np.bool_]], T],
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
    threads: int,
    stream: str = "",
) -> Iterator[T]:
    """Reduce the attention of every text as soon as it is computed.

    Texts of similar length share a batch, so little is computed on padding. The attention of one
    batch is in memory at a time: four bytes a weight, of all layers.

    Parameters
    ----------
    reduce
        Called with the position of a text in ``encoded``, its attention, ``[layer, head, query,
        key]`` without padding, and which keys each query may see, ``[layer, query, key]``, in
        several threads at once.
    model, encoded, device, precision, batch_size
        As in :func:`attention_mixing.capture.record.record`.
    threads
        How many texts are reduced at once.
    stream
        Of an encoder-decoder, whose attention to its own text is reduced.

    Yields
    ------
    object
        What ``reduce`` returns for each text, in the order of ``encoded``.
    """
    lengths = np.array([text.lengths(stream)["token"] for text in encoded])
    with ExitStack() as stack:
        stack.enter_context(evaluating(model, device))
        layers_of_stream = structure_of(model).of(stream)
        numbers = [layer.attention.attention for layer in layers_of_stream]
        pool = stack.enter_context(ThreadPoolExecutor(threads))
        stack.enter_context(torch.inference_mode())
        calls = stack.enter_context(record_attention(model))
        for first in range(0, len(encoded), BATCHES * batch_size):
            order = first + np.argsort(lengths[first : first + BATCHES * batch_size], kind="stable")
            reduced: dict[int, T] = {}
            for start in range(0, len(order), batch_size):
                rows = order[start : start + batch_size].tolist()
                batch = pad([encoded[row] for row in rows], model.config, device)
                with autocast(device, precision):
                    model(**batch)
                stream_calls = [calls[number] for number in numbers if number is not None]
                layers = [call.of_heads("attention").float().cpu().numpy() for call in stream_calls]
                sights = [call.visible.cpu().numpy() for call in stream_calls]
                calls.clear()
                texts, visible = (
                    _unpadded(of_layers, lengths[rows]) for of_layers in (layers, sights)
                )
                reduced |= zip(rows, pool.map(reduce, rows, texts, visible), strict=True)
            yield from (reduced[row] for row in sorted(reduced))


def _unpadded(layers: Sequence[NDArray], lengths: NDArray[np.int64]) -> Iterator[NDArray]:
    """Stack the layers of each text of a batch, without padding."""
    return (
        np.stack([layer[row, ..., :tokens, :tokens] for layer in layers])
        for row, tokens in enumerate(lengths)
    )
