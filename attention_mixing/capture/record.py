"""Run texts through a model and read every array out of it, free of padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from attention_mixing.capture.store import array_name, axes
from attention_mixing.errors import InputError
from attention_mixing.models.attention import Around, unchanged
from attention_mixing.models.batch import pad
from attention_mixing.models.classification import classifies, has_sequence_head
from attention_mixing.models.device import autocast, evaluating
from attention_mixing.models.encode import Encoded
from attention_mixing.models.next_word import NextWord
from attention_mixing.models.passes import Pass, read_passes
from attention_mixing.models.structure import Structure
from attention_mixing.settings.derived import TARGETS


def record(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    *,
    device: torch.device,
    precision: str,
    batch_size: int,
    around: Around = unchanged,
) -> Iterator[tuple[dict[str, NDArray[np.float32]], NDArray[np.float64] | None]]:
    """Read every array of every text, in the order of ``encoded``.

    Parameters
    ----------
    model
        In float32. Left as it was.
    encoded
        ``[text]``, what the model reads.
    device
        Where to compute.
    precision
        ``float32``, ``bfloat16`` or ``float16``, of the forward passes.
    batch_size
        Texts that are read together, padded to the longest.
    around
        Opens an intervention around the pass over a batch; what is read is what it leaves.

    Yields
    ------
    arrays
        ``attention`` ``[layer, head, query, key]``, rows summing to 1, and ``mass`` ``[layer, head,
        query]``, the share of attention that goes to tokens (less than 1 where a model lets a part
        of it go to none); ``visible`` ``[layer, query, key]``, whether some head may see the key;
        ``query``, ``key``, ``value`` ``[layer, head, token, head_dim]``, those of groups for each
        of their heads; ``gate`` ``[layer, head, query, head_dim]``, if the model has gates between
        its heads and their projection; the feature points as in
        :mod:`attention_mixing.models.passes`. Of an encoder-decoder those of each stream, under
        names such as ``cross.attention``, whose keys are the tokens of the source.
    logits
        ``[label]`` if the model has a head that
        :func:`~attention_mixing.models.classification.classifies`, else None.

    Raises
    ------
    InputError
        If a token enters the first layer as a vector of zeros, or a head of classes takes the last
        token of a text for padding.
    """
    with (
        evaluating(model, device),
        torch.inference_mode(),
        read_passes(model) as read,
        autocast(device, precision),
    ):
        for text in encoded:
            _require_last_read(model, text, read.structure)
        for start in range(0, len(encoded), batch_size):
            rows = encoded[start : start + batch_size]
            batch = pad(rows, model.config, device)
            with around(batch):
                read.clear()  # also of what an intervention asks of the same model
                output = model(**batch)
            logits = output.logits.double().cpu().numpy() if classifies(model) else None
            arrays = {stream: _of_stream(read, stream) for stream in read.structure.streams}
            for row, text in enumerate(rows):
                unpadded: dict[str, NDArray[np.float32]] = {}
                for stream, of_stream in arrays.items():
                    lengths = text.lengths(stream)
                    for name, (named, array) in of_stream.items():
                        cut = tuple(slice(lengths.get(axis)) for axis in named)
                        unpadded[array_name(stream, name)] = array[row][cut]
                    if stream != "cross":
                        tokens = text.target if stream in TARGETS else text
                        _require_vectors(unpadded[array_name(stream, "embedding")], tokens)
                yield unpadded, logits[row] if logits is not None else None


def _require_last_read(model: PreTrainedModel, text: Encoded, structure: Structure) -> None:
    """Refuse a text whose last token is passed over by a head of classes that reads the last."""
    ours = isinstance(model, NextWord)  # which asks the mask for the end
    ahead = any(layer.sees_ahead for layer in structure.layers)
    if ours or ahead or not has_sequence_head(model):
        return
    padding = getattr(model.config, "pad_token_id", None)
    if text.input_ids[-1] == padding:
        raise InputError(
            f"a text ends with the token {text.tokens[-1]!r}, which is that of padding too "
            f"(pad_token_id {padding} in config.json), so that the head of the "
            "model passes it over and reads one before it; state another pad_token_id, or give the "
            "model a tokenizer that puts no such token behind a text."
        )


def _require_vectors(entering: NDArray[np.float32], text: Encoded | None) -> None:
    """Refuse a token that brings nothing: what draws on it alone cannot be divided into shares."""
    assert text is not None
    nothing = ~entering.any(axis=-1)
    if nothing.any():
        raise InputError(
            f"the token {text.tokens[nothing.argmax()]!r} enters the model as a vector of zeros, "
            "as one for padding does that was never trained, so that its vectors have no shares; "
            "give the model a padding token that no text has."
        )


def _of_stream(read: Pass, stream: str) -> dict[str, tuple[tuple[str, ...], NDArray[np.float32]]]:
    """Gather the arrays of a batch, ``[batch, ...]``: name -> its other axes, and the array."""
    gathered, gates = {}, read.gates(stream)
    points = read.points(stream) | {"gate": gates}
    for name, named in axes(stream, gated=bool(gates)).items():
        outputs = (
            points[name] if name in points else [call.of_heads(name) for call in read.calls(stream)]
        )
        # Layer by layer off the device: it never holds a second copy of the whole.
        on_cpu = [
            (output if output.dtype == torch.bool else output.float()).cpu() for output in outputs
        ]
        array = (torch.stack(on_cpu, dim=1) if named[0] == "layer" else on_cpu[0]).numpy()
        gathered[name] = named, array
    return gathered
