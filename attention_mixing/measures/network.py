"""The model of a text, for measures that run its layers again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attention_mixing.capture.text import State, Text

if TYPE_CHECKING:
    from attention_mixing.models.running import RunningModel


def network(of: Text | State) -> RunningModel:
    """Give the model that a text or a state is of; loaded once in a process."""
    held: RunningModel | None = getattr(of, "network", None)  # of a text in memory
    if held is not None:
        return held
    from attention_mixing.models.running import running  # torch takes seconds to start

    state = of.state if isinstance(of, Text) else of
    return running(state.model, state.device, state.stream)
