"""Capture one text in memory, without parameters, corpus or files."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
import transformers
from numpy.typing import NDArray
from transformers import AutoConfig

from analysis.capture.record import record
from analysis.capture.text import Text
from analysis.errors import InputError, first_line
from analysis.models.classes import SEQUENCE_HEAD, class_probabilities, head_left_out, saved_as
from analysis.models.encode import SEPARATOR, Encoded, encode_one
from analysis.models.layers import weights_of
from analysis.models.load import (
    Loaded,
    accept,
    load_classifier,
    load_encoder,
    load_language_model,
)
from analysis.models.next_word import choosing, word_ids
from analysis.models.reading import most_tokens
from analysis.models.running import RunningModel
from analysis.models.source import directory_of
from analysis.models.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class RecordedText(Text):
    """A text in memory, with what measures have found of it so far.

    Attributes
    ----------
    arrays
        As :data:`analysis.capture.store.AXES` and ``GATED`` have them, in float32.
    encoded
        What the model read.
    weights
        Of every layer of the model.
    network
        The model, whose layers can be run again.
    head_left_out
        Class of the head that the model has and that gives no probabilities of classes, such as
        ``BertForMaskedLM``; what the text makes of it is not recorded.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[np.float32]],
        encoded: Encoded,
        example: pd.Series,
        network: RunningModel,
        head_left_out: str | None,
    ) -> None:
        self.arrays, self.encoded, self.network = arrays, encoded, network
        weights = weights_of(network.model)
        self.weights, self.read = weights.layers, weights.read
        self.head_left_out = head_left_out
        self.tokens, self.example = encoded.table(), example
        self.fields, self._made = {}, {}

    def __getitem__(self, array: str) -> NDArray[np.float32]:  # noqa: D105
        if array not in self.arrays:
            raise InputError(
                f"there is no array {array!r} of a text; allowed: {', '.join(self.arrays)}; name "
                "one of them."
            )
        return self.arrays[array].copy()

    def layer(self, array: str, layer: int) -> NDArray[np.float32]:
        """Copy one layer (0-based) of an array."""
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
        left as it is. With a classification head, the text has a ``prediction`` and its
        ``probability``; other heads are left out (:attr:`RecordedText.head_left_out`).
    pair
        A second string, for models that read two.
    words
        Of a language model, two or more words of one token each: its ``prediction`` is which of
        them comes next (:func:`analysis.models.next_word.choosing`).
    device
        Of torch, such as ``cuda``.

    Returns
    -------
    RecordedText
        ``text["attention"]`` is ``[layer, head, query, key]``, ``text.tokens`` a table.

    Raises
    ------
    InputError
        If the model cannot be loaded, is wrapped, compiled or of no supported family, the device
        cannot be used, or the text is no string, unknown to the model or too long; as ``choosing``
        and :func:`analysis.models.next_word.word_ids` do.
    """
    processor = _usable(device)
    if isinstance(model, str | Path):
        network, tokenizer = load(model, words)
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
    return read_text(text, pair, network, tokenizer)


def read_text(
    text: str,
    pair: str | None,
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
) -> RecordedText:
    """Read one text out of a model that :func:`load` or :func:`accept` gave, where it is."""
    left_out = head_left_out(network)
    read: PreTrainedModel = network.base_model if left_out else network  # type: ignore[assignment]
    encoded = encode_one(text, pair, tokenizer, most_tokens(read))
    ((arrays, logits),) = record(
        read,
        [encoded],
        device=network.device,
        precision="float32",
        batch_size=1,
    )
    whole = text if pair is None else f"{text}{SEPARATOR}{pair}"
    example = {"id": 0, "text": whole, "tokens": len(encoded.input_ids)}
    if logits is not None:
        probabilities = class_probabilities(logits, network.config)
        example |= {"prediction": int(probabilities.argmax()), "probability": probabilities.max()}
    return RecordedText(arrays, encoded, pd.Series(example), RunningModel(read), left_out)


def _usable(device: str | torch.device) -> torch.device:
    try:
        processor = torch.device(device)
        torch.zeros(1, device=processor).item()  # fails where there is no such device
    except (TypeError, RuntimeError, AssertionError) as error:
        why = first_line(error).partition(". ")[0].rstrip(".")
        raise InputError(
            f"device is {device!r}, which cannot be used here ({why}); "
            "allowed: cpu, or an accelerator of this machine such as cuda; name one that is there."
        ) from None
    return processor


def load(model: str | Path, words: Sequence[str] = ()) -> Loaded:
    """Load a model by directory or name, with its head if that gives probabilities of classes.

    With ``words``, load a language model as what chooses among them.
    """
    if not isinstance(model, str | Path):
        raise InputError(
            f"model is of type {type(model).__name__}; allowed here: a directory or the id of a "
            "hub model; save a loaded model with save_pretrained, and name its directory."
        )
    directory = directory_of(str(model))
    tokenizer = load_tokenizer(directory)  # tells of a configuration that cannot be read
    saved = saved_as(AutoConfig.from_pretrained(directory, local_files_only=True))
    if words:
        ids = word_ids(tokenizer, words)
        return choosing(load_language_model(directory), ids, words), tokenizer
    # What another class of that kind computes, only its own code says.
    classifier = saved.endswith(SEQUENCE_HEAD) and hasattr(transformers, saved)
    network = load_classifier(directory) if classifier else load_encoder(directory)
    return network, tokenizer
