"""Capture one text in memory, without parameters, corpus or files.

``from attention_mixing.capture import capture_text`` is the shorter way to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from attention_mixing.capture.record import record
from attention_mixing.capture.store import array_name
from attention_mixing.capture.text import Text
from attention_mixing.errors import InputError, quoted, require
from attention_mixing.models.batch import pad
from attention_mixing.models.classification import class_probabilities
from attention_mixing.models.device import usable
from attention_mixing.models.dummy_inputs import most_tokens, structure_of
from attention_mixing.models.encode import (
    SEPARATOR,
    Encoded,
    encode_one,
    with_target,
    written_alone,
)
from attention_mixing.models.interventions import RunningModel
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.next_word import NextWord, choosing, word_ids
from attention_mixing.models.self_check import deviations, require_agreement
from attention_mixing.models.user_models import Loaded, accept, load_named, part_read
from attention_mixing.settings.derived import JOINT, TARGETS

__all__ = ["RecordedText", "capture_text"]

NEXT = 5  # tokens that a language model holds most likely to come next

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from attention_mixing.models.weights import LayerWeights, ModelWeights


class RecordedText(Text):
    """A text in memory, with what measures have found of it so far.

    Attributes
    ----------
    arrays
        As :func:`attention_mixing.capture.store.axes` has them, in float32; of an encoder-decoder
        those of all streams.
    encoded
        What the model read.
    network
        The model, whose layers can be run again.
    head_left_out
        Class of the head that the model has and that is not read: it gives no probabilities of
        classes, such as ``BertForMaskedLM``, or makes them of something else than the first or the
        last token, such as ``ModernBertForSequenceClassification``. What the text makes of it is
        not recorded.
    next_tokens
        Of a language model that is asked to choose among words: what comes next by itself, a table
        of the five likeliest tokens and of the words, the likeliest first, with ``id``, ``token``
        (as the vocabulary spells it), ``written`` and ``probability``; else None.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[np.float32]],
        encoded: Encoded,
        example: pd.Series,
        network: RunningModel,
        head_left_out: str | None,
        next_tokens: pd.DataFrame | None = None,
    ) -> None:
        self.arrays, self.encoded, self.network = arrays, encoded, network
        self.head_left_out, self.next_tokens = head_left_out, next_tokens
        self.tokens, self.example = _tokens(encoded, example, network.stream), example
        self.fields, self._made = {}, {}

    @property
    def stream(self) -> str:  # noqa: D102
        return self.network.stream

    def of(self, stream: str) -> RecordedText:
        """Give the same text in a stream of an encoder-decoder.

        Parameters
        ----------
        stream
            ``encoder``, ``decoder``, ``cross`` or, for both texts, ``joint``.

        Returns
        -------
        RecordedText
            Of the same arrays; the same one each time.

        Raises
        ------
        InputError
            If the model has no such stream.
        """
        streams = structure_of(self.network.model).streams
        require(stream, "streams of the model", [name for name in streams if name])

        def make() -> RecordedText:
            network, example = RunningModel(self.network.model, stream), self.example
            if stream in TARGETS:
                example = example.copy()
                example["text"] = example["target"]
            return RecordedText(self.arrays, self.encoded, example, network, self.head_left_out)

        return self.once(f"stream {stream}", make)

    @cached_property
    def _of_model(self) -> ModelWeights:
        return weights_of(self.network.model)

    @cached_property
    def weights(self) -> list[LayerWeights]:  # noqa: D102
        return self._of_model.of(self.stream)

    @cached_property
    def read(self) -> int:  # noqa: D102
        return self._of_model.read_in(self.stream)

    def __getitem__(self, array: str) -> NDArray[np.float32]:  # noqa: D105
        name = array_name(self.stream, array)
        if name not in self.arrays:
            raise InputError(
                f"there is no array {quoted(name)} of a text; allowed: {', '.join(self.arrays)}; "
                "name one of them."
            )
        return self.arrays[name].copy()

    def layer(self, array: str, layer: int) -> NDArray[np.float32]:
        """Copy one layer (0-based) of an array.

        Parameters
        ----------
        array
            Name, as :func:`attention_mixing.capture.store.axes` has it.
        layer
            Counted from 0.

        Returns
        -------
        NDArray[float32]
            Without the axis of layers.
        """
        return self[array][layer]

    def unmeasured(self) -> RecordedText:
        """Return the same text without what measures have made of it."""
        text = copy(self)
        text.fields, text._made = {}, {}
        return text


def capture_text(
    text: str,
    *,
    model: str | Path | Loaded,
    pair: str | None = None,
    target: str | None = None,
    words: Sequence[str] = (),
    device: str | torch.device = "cpu",
) -> RecordedText:
    """Read every array of one text out of a model.

    Parameters
    ----------
    text
        One string, of which the model's vocabulary knows a token.
    model
        A model directory, the id of a hub model (``ID`` or ``ID@REVISION``), ``all-MiniLM-L6-v2``
        for the embedded one, or a loaded model with its tokenizer, which is read in float32 and
        left as it is. With a classification head that reads one token, the text has a
        ``prediction`` and its ``probability``; other heads are left out
        (:attr:`RecordedText.head_left_out`).
    pair
        A second string, for models that read two.
    target
        Of an encoder-decoder, which needs one: what its decoder reads.
    words
        Of a language model, two or more words of one token each: its ``prediction`` is which of
        them comes next (:func:`attention_mixing.models.next_word.choosing`), and
        :attr:`RecordedText.next_tokens` what comes next by the model itself.
    device
        Of torch, such as ``cuda``.

    Returns
    -------
    RecordedText
        ``text["attention"]`` is ``[layer, head, query, key]``, ``text.tokens`` a table. Of an
        encoder-decoder, ``text.of("encoder")``, ``of("decoder")`` and ``of("cross")`` have these.

    Raises
    ------
    InputError
        If the model cannot be loaded, is wrapped, compiled or of no supported family, the device
        cannot be used, or the text is no string, unknown to the model or too long; as ``choosing``
        and :func:`attention_mixing.models.next_word.word_ids` do.
    """
    processor = usable(device)
    if isinstance(model, str | Path):
        network, tokenizer = load_named(model, words)
        network.to(processor)  # type: ignore[arg-type]
    else:
        if not isinstance(model, tuple | list) or len(model) != 2:
            raise InputError(
                f"model is of type {type(model).__name__}; allowed: a directory, the id of a hub "
                "model, or a loaded model with its tokenizer; give (model, tokenizer)."
            )
        network, tokenizer = accept(*model, processor)
        if words:
            network = choosing(network, word_ids(tokenizer, words), words)
    return read_text(text, pair, network, tokenizer, target)


def read_text(
    text: str,
    pair: str | None,
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    target: str | None = None,
) -> RecordedText:
    """Read one text out of a model of :mod:`attention_mixing.models.user_models`, where it is.

    The texts, and what comes of them, are as in :func:`capture_text`; a text that is not as the
    model takes it, or by which the model is not read as it computes, is refused.
    """
    read, left_out = part_read(network)
    two = network.config.is_encoder_decoder
    if two != (target is not None) or (two and pair is not None):
        what = "a text and its target" if two else "no target"
        raise InputError(
            f"target is {quoted(target)} and pair {quoted(pair)}, but the model "
            f"{type(network).__name__} reads {what}; give these."
        )
    encoded = encode_one(text, pair, tokenizer, most_tokens(read))
    if target is not None:
        encoded = with_target(encoded, target, tokenizer, read.config, most_tokens(read))
    name = f"the model {type(network).__name__}"
    require_agreement(deviations(read, [encoded], device=network.device), name)
    ((arrays, logits),) = record(
        read,
        [encoded],
        device=network.device,
        precision="float32",
        batch_size=1,
    )
    whole = text if pair is None else f"{text}{SEPARATOR}{pair}"
    example = {"id": 0, "text": whole, "tokens": len(encoded.input_ids)}
    if target is not None:
        example |= {"source": text, "target": target}
    if logits is not None:
        probabilities = class_probabilities(logits, network.config)
        example |= {"prediction": int(probabilities.argmax()), "probability": probabilities.max()}
    running = RunningModel(read, JOINT if two else "")
    next_tokens = None
    if isinstance(read, NextWord) and read.language_head is not None:
        next_tokens = _next_tokens(read, read.language_head.words, encoded, tokenizer)
    return RecordedText(arrays, encoded, pd.Series(example), running, left_out, next_tokens)


def _next_tokens(
    network: NextWord, words: Sequence[int], encoded: Encoded, tokenizer: PreTrainedTokenizerBase
) -> pd.DataFrame:
    """List what comes next by a language model, as :attr:`RecordedText.next_tokens` has it."""
    batch = pad([encoded], network.config, network.device)
    probabilities = network.next_tokens(**batch)[0].cpu().numpy()
    order = np.argsort(-probabilities, kind="stable")
    listed = [*order[:NEXT], *(token for token in order[NEXT:] if token in words)]
    ids = [int(token) for token in listed]
    spelled = [tokenizer.convert_ids_to_tokens(token) for token in ids]
    written = [written_alone(token, tokenizer) for token in ids]
    columns = {"id": ids, "token": spelled, "written": written}
    return pd.DataFrame(columns | {"probability": probabilities[ids]})


def _tokens(encoded: Encoded, example: pd.Series, stream: str) -> pd.DataFrame:
    """Give the tokens of a stream, a row each."""
    if encoded.target is None:
        return encoded.table(example["text"])
    if stream == "encoder":
        return encoded.table(example["source"])
    target = encoded.target.table(example["target"])
    if stream in TARGETS:
        return target
    source = encoded.table(example["source"])
    parts = [source.assign(is_target=False), target.assign(is_target=True)]
    return pd.concat(parts, ignore_index=True)
