"""What was captured, text by text: arrays with names, tokens, label and prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.artifacts import MANIFEST, require_measured
from attention_mixing.capture.store import Capture, array_name
from attention_mixing.capture.token_scores import Fields, TokenScores, read_fields
from attention_mixing.errors import ANEW, InputError
from attention_mixing.methods.attention import reached
from attention_mixing.methods.words import number_words
from attention_mixing.models.weights import LayerWeights
from attention_mixing.settings.derived import JOINT, STREAMS, TARGETS

Made = TypeVar("Made")


@dataclass(frozen=True)
class State:
    """A model before or after fine-tuning, and the texts that were captured from it.

    Workers are handed one instead of arrays; they open its files when they first read them.

    Attributes
    ----------
    variant
        ``pretrained`` or ``finetuned``.
    captured, model
        Directories of the capture and of the model.
    measured
        Directories of groups of measures that may hold fields of its texts.
    only
        Ids of the texts that are asked about; None for all.
    device
        Where the model computes, for measures that run its layers again.
    stream
        Of an encoder-decoder ``encoder``, ``decoder``, ``cross``, or ``joint``: source and target
        one behind the other, of which :meth:`Text.of` gives the streams.
    """

    variant: str
    captured: Path
    model: Path
    measured: tuple[Path, ...] = field(default=(), kw_only=True)
    only: tuple[int, ...] | None = field(default=None, kw_only=True)
    device: str = field(default="cpu", kw_only=True)
    stream: str = field(default="", kw_only=True)

    @cached_property
    def capture(self) -> Capture:
        """The cache, whose files were verified before this state was made."""
        return Capture(self.captured, verified=True)

    @property
    def weights(self) -> list[LayerWeights]:
        """Weights of every layer of the stream, the lowest first."""
        return self.capture.weights.of(self.stream)

    @property
    def examples(self) -> pd.DataFrame:
        """One row a text, in the order of capture."""
        rows = self.capture.examples
        if self.stream in TARGETS:
            counts = {name: rows[f"target_{name}"] for name in ("tokens", "truncated")}
            rows = rows.assign(text=rows["target"], **counts)
        return rows if self.only is None else rows[rows["id"].isin(self.only)]

    def text(self, example: int) -> Text:
        """Open one text.

        Parameters
        ----------
        example
            ``id`` of the text.

        Returns
        -------
        Text
            Of the stream of this state.
        """
        return Text(self, int(example))

    def of(self, stream: str) -> State:
        """Give the same state of the model, seen in a stream.

        Parameters
        ----------
        stream
            As :class:`State` has it.

        Returns
        -------
        State
            Of the same capture, which is opened once; the same one each time.
        """
        if stream not in self._streams:
            self._streams[stream] = replace(self, stream=stream)
            self._streams[stream].__dict__["capture"] = self.capture  # which is open
        return self._streams[stream]

    @cached_property
    def _streams(self) -> dict[str, State]:
        return {}

    def __getstate__(self) -> dict[str, Any]:  # noqa: D105
        opened = ("capture", "_streams")
        return {name: value for name, value in self.__dict__.items() if name not in opened}


class Text:
    """One captured text; arrays are read when first asked for, unpadded and in float32.

    ``text["attention"]`` is ``[layer, head, query, key]``; which arrays there are, and their axes,
    says :func:`attention_mixing.capture.store.axes`. Several measures may read what was read, so it
    is kept as long as the text is, and cannot be written to.

    Attributes
    ----------
    fields
        Measure -> what it has left with the text, as far as that is known in memory.
    """

    def __init__(self, state: State, example: int) -> None:
        self.state = state
        self.id = example
        self.fields: dict[str, Fields] = {}
        self._arrays: dict[str, NDArray[np.float32]] = {}
        self._made: dict[str, Any] = {}

    def __getitem__(self, array: str) -> NDArray[np.float32]:  # noqa: D105
        if array not in self._arrays:
            read = self.state.capture.array(self.id, array_name(self.stream, array))
            read.setflags(write=False)
            self._arrays[array] = read
        return self._arrays[array]

    def layer(self, array: str, layer: int) -> NDArray[np.float32]:
        """Read one layer (0-based) of an array, and no other from the disk.

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
        if array in self._arrays:
            return self._arrays[array][layer]
        return self.state.capture.array(self.id, array_name(self.stream, array), layer)

    @property
    def stream(self) -> str:
        """Name of the stream of an encoder-decoder (:class:`State`); empty for other models."""
        return self.state.stream

    def of(self, stream: str) -> Text:
        """Give the same text in a stream of an encoder-decoder.

        Parameters
        ----------
        stream
            As :class:`State` has it.

        Returns
        -------
        Text
            The same one each time.
        """
        return self.once(f"stream {stream}", lambda: self.state.of(stream).text(self.id))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Make something that several measures need of the text, when the first asks for it.

        Parameters
        ----------
        name
            Under which it is kept.
        make
            Called once.

        Returns
        -------
        object
            As ``make`` returned it.
        """
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @cached_property
    def weights(self) -> list[LayerWeights]:
        """Weights of every layer of the model, or of the stream."""
        return self.state.weights

    @cached_property
    def visible(self) -> NDArray[np.bool_] | None:
        """Which keys each query may see, ``[layer, query, key]``; None if all see all."""
        visible = self["visible"].astype(bool)
        return None if visible.all() else visible

    @property
    def causal(self) -> bool:
        """Whether every token sees none but itself and earlier ones."""
        return self.visible is not None and not np.triu(self.visible, 1).any()

    def sight(self, layer: int) -> NDArray[np.bool_] | None:
        """Tell which keys each query of a layer may see.

        Parameters
        ----------
        layer
            Counted from 0.

        Returns
        -------
        NDArray[bool] or None
            ``[query, key]``; None if all see all.
        """
        return None if self.visible is None else self.visible[layer]

    @cached_property
    def reached(self) -> NDArray[np.bool_] | None:
        """Which input tokens a token can stem from, ``[layer, token, token]``; None for all."""
        return None if self.visible is None else reached(self.visible)

    @cached_property
    def read(self) -> int:
        """Row of the token that a prediction is read from: 0, or -1 for the last one."""
        return self.state.capture.weights.read_in(self.stream)

    @cached_property
    def gate(self) -> NDArray[np.float32] | None:
        """What the context of the heads is multiplied with, ``[layer, head, query, head_dim]``.

        None in a model without such gates.
        """
        return self["gate"] if any(layer.gated for layer in self.weights) else None

    @property
    def ids(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the model was given: ids of the tokens, and their types, ``[token]``."""
        return self.tokens["id"].to_numpy(), self.tokens["type"].to_numpy()

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """One row a token, as :mod:`attention_mixing.capture.store` has it."""
        capture = self.state.capture
        if self.stream == JOINT:
            parts = [
                capture.tokens_of(self.id, target=target).assign(is_target=target)
                for target in (False, True)
            ]
            return pd.concat(parts, ignore_index=True)
        return capture.tokens_of(self.id, target=self.stream in TARGETS)

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Number of the word that each token belongs to, ``[token]``.

        :mod:`attention_mixing.methods.words` brings matrices and scores of tokens to these words.
        Those of a target follow those of its source.
        """
        if self.stream == JOINT:
            source, target = (self.of(stream).words for stream in STREAMS[:2])
            return np.append(source, source.max() + 1 + target)
        spans = [*zip(self.tokens["start"], self.tokens["end"], strict=True)]
        return number_words(str(self.example["text"]), spans, self.special)

    @property
    def shown_tokens(self) -> pd.DataFrame:
        """The same for pages, where ``token`` is what a token stands for."""
        tokens = self.tokens
        return tokens.assign(token=tokens["written"]).drop(columns="written")

    @cached_property
    def special(self) -> NDArray[np.bool_]:
        """Which tokens are special, ``[token]``."""
        return self.tokens["is_special"].to_numpy(bool)

    @cached_property
    def example(self) -> pd.Series:
        """Its row of the table of texts: ``text, label, prediction, probability, tokens``."""
        rows = self.state.examples
        return rows[rows["id"] == self.id].iloc[0]

    def field(self, measure: str) -> dict[str, NDArray]:
        """Read the arrays that a measure has left with this text.

        Parameters
        ----------
        measure
            Its name.

        Returns
        -------
        dict
            Name -> array.

        Raises
        ------
        InputError
            If the measure has left nothing, or it is damaged, of another text or of another
            version.
        """
        return self._fields_of(measure).arrays

    def token_scores(self, measure: str) -> list[TokenScores]:
        """Read the token scores that a measure has left with this text.

        Parameters
        ----------
        measure
            Its name.

        Returns
        -------
        list of TokenScores
            In the order of methods and rows.

        Raises
        ------
        InputError
            As :meth:`field`.
        """
        return self._fields_of(measure).token_scores

    def has(self, measure: str) -> bool:
        """Tell whether a measure has left something with this text.

        Parameters
        ----------
        measure
            Its name.

        Returns
        -------
        bool
            Whether :meth:`field` finds a file, or it is known in memory.
        """
        name = self._name(measure)
        return measure in self.fields or any((d / name).is_file() for d in self.state.measured)

    def _fields_of(self, measure: str) -> Fields:
        if measure not in self.fields:
            self.fields[measure] = self._read(measure)
        return self.fields[measure]

    def _name(self, measure: str) -> Path:
        return Path("fields", measure, self.state.variant, f"{self.id:06d}.safetensors")

    def _read(self, measure: str) -> Fields:
        name = self._name(measure)
        for directory in self.state.measured:
            if (directory / name).is_file():
                # What is being measured has no manifest yet.
                if (directory / MANIFEST).is_file():
                    require_measured(directory)
                fields = read_fields(directory / name)
                arrays = [
                    *fields.arrays.values(),
                    *(scores.scores for scores in fields.token_scores),
                ]
                if any(array.shape[-1] != len(self.tokens) for array in arrays):
                    raise InputError(
                        f"{directory / name} is not of the texts that are captured now; {ANEW}."
                    )
                return fields
        looked = " or ".join(str(directory) for directory in self.state.measured)
        raise InputError(f"{looked} holds no {name}; delete it and {ANEW}.")
