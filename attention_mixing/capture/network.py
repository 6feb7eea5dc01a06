"""The model of a captured text, whose layers are run again, and what it has read of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from attention_mixing.capture.text import State, Text
from attention_mixing.settings.derived import STREAMS

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from attention_mixing.models.encode import Encoded
    from attention_mixing.models.interventions import RunningModel


def network(of: Text | State) -> RunningModel:
    """Give the model, in the same stream, that a text or a state is of; loaded once in a process.

    A text is in memory or captured.
    """
    held: RunningModel | None = getattr(of, "network", None)  # of a text in memory
    if held is not None:
        return held
    state = of.state if isinstance(of, Text) else of
    return _running(state.model, state.device, state.stream)


def encoded(text: Text) -> Encoded:
    """Give what a model has read of a text, in memory or captured, with its target if any."""
    held: Encoded | None = getattr(text, "encoded", None)
    if held is not None:
        return held
    if not text.stream:
        return encoded_alone(text)
    source, target = (encoded_alone(text.of(stream)) for stream in STREAMS[:2])
    return replace(source, target=target)


def encoded_alone(text: Text) -> Encoded:
    """Give what a model has read of a text, of an encoder-decoder in one stream."""
    from attention_mixing.models.encode import Encoded

    rows = text.tokens
    return Encoded(
        rows["id"].tolist(),
        rows["type"].tolist(),
        rows["token"].tolist(),
        [*zip(rows["start"], rows["end"], strict=True)],
        rows["is_special"].tolist(),
        truncated=bool(text.example.get("truncated")),
    )


@lru_cache(maxsize=6)  # a model before and after fine-tuning, and its streams
def _running(directory: Path, device: str, stream: str) -> RunningModel:
    from attention_mixing.models.interventions import RunningModel  # torch takes seconds to start

    return RunningModel(_captured(directory, device), stream)


@lru_cache(maxsize=2)
def _captured(directory: Path, device: str) -> PreTrainedModel:
    from attention_mixing.models.load import load_captured

    return load_repeatable(load_captured, directory, device)


def load_repeatable(
    load: Callable[[Path], PreTrainedModel], directory: Path, device: str
) -> PreTrainedModel:
    """Load a model, which from now on says the same every time, and put it on the device.

    ``load`` is one of the functions of :mod:`attention_mixing.models.load`, and ``device`` is as
    the parameters name it.
    """
    from attention_mixing.models.device import repeatable, resolve

    repeatable()
    return load(directory).to(resolve(device))  # type: ignore[arg-type]
