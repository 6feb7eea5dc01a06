"""The model of a captured text, whose layers are run again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from attention_mixing.capture.text import State, Text

if TYPE_CHECKING:
    from transformers import PreTrainedModel

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
