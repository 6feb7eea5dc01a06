"""What happens in one forward pass: calls of modules and of attention, and sums in between.

A pass is traced with the identity of every tensor, so that nothing has to be guessed from values:
which module made a tensor, which took it, and of what it is a sum. Only a short text is traced;
passes of real texts are read by hooks, at the places that were found.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import PreTrainedModel

from attention_mixing.models.attention import AttentionCall, record_attention

# Storage, place in it, count of numbers, and how often they were written to.
Key = tuple[int, int, int, int]


@dataclass(frozen=True)
class Call:
    """A call of a module.

    Attributes
    ----------
    path, module
        Where it is in the model; "" is the model itself.
    inputs
        The tensors of numbers among its arguments, in their order.
    output
        What it returned, of several tensors the first.
    first, last
        When it began and ended, counted in events.
    """

    path: str
    module: nn.Module
    inputs: tuple[Tensor, ...]
    output: Tensor
    first: int
    last: int

    def contains(self, event: int) -> bool:
        """Tell whether an event, as :meth:`Trace.event` counts them, lies within the call."""
        return self.first < event < self.last


@dataclass(frozen=True)
class Operation:
    """An operation on tensors, and what identified its operands when it began.

    Attributes
    ----------
    name
        As torch has it, without its overload and the mark of a write in place.
    operands
        Its arguments by position.
    keys
        Keys of those that are tensors (:func:`key`), else None.
    options
        Its arguments by name.
    """

    name: str
    operands: tuple[Any, ...]
    keys: tuple[Key | None, ...]
    options: dict[str, Any]


@dataclass
class Trace:
    """What happened in a pass.

    Attributes
    ----------
    calls
        In the order in which they ended.
    attention, attended
        Calls of the attention function, and when each was made, counted in events.
    made
        By which operation tensors were made.
    """

    calls: list[Call] = field(default_factory=list)
    attention: list[AttentionCall] = field(default_factory=list)
    attended: list[int] = field(default_factory=list)
    made: dict[Key, Operation] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)  # so that no storage is used a second time
    events: int = 0

    def event(self) -> int:
        """Count an event."""
        self.events += 1
        return self.events


def key(tensor: Tensor, writes: int = 0) -> Key:
    """Identify the values of a tensor, whatever its shape.

    By storage, place in it, count of numbers, and how often they were written to; ``writes`` to it
    are under way and not counted yet.
    """
    position = tensor.untyped_storage().data_ptr(), int(tensor.storage_offset())
    # One of an earlier pass in inference mode, which the model has kept, can no more be written to.
    written = 0 if tensor.is_inference() else tensor._version
    return (*position, tensor.numel(), written + writes)


def trace(model: PreTrainedModel, arguments: Mapping[str, Tensor]) -> Trace:
    """Run a model on a short text and note what happens: calls, attention and operations.

    The model is to be in evaluation mode, and is left as it was. Whatever it raises is raised.
    """
    record = Trace()

    def note(call: AttentionCall) -> None:
        record.attention.append(call)
        record.attended.append(record.event())

    with ExitStack() as stack:
        for path, module in model.named_modules():
            opened: list[int] = []
            stack.enter_context(
                module.register_forward_pre_hook(
                    partial(_note_start, record, opened), with_kwargs=True
                )
            )
            stack.enter_context(
                module.register_forward_hook(
                    partial(_note_end, record, opened, path), with_kwargs=True
                )
            )
        stack.enter_context(record_attention(model, note))
        with torch.no_grad(), _Operations(record):
            model(**arguments)
    return record


def _note_start(
    record: Trace, opened: list[int], module: nn.Module, args: Any, kwargs: Any
) -> None:
    opened.append(record.event())


def _note_end(
    record: Trace,
    opened: list[int],
    path: str,
    module: nn.Module,
    args: tuple,
    kwargs: dict[str, Any],
    output: Any,
) -> None:
    first, last = opened.pop(), record.event()
    returned = _tensors([output] if isinstance(output, Tensor) else list(_values(output)))
    if returned:
        inputs = _tensors([*args, *kwargs.values()])
        record.kept.append((inputs, returned))
        record.calls.append(Call(path, module, inputs, returned[0], first, last))


def _values(output: Any) -> Any:
    if isinstance(output, Mapping):
        return output.values()
    return output if isinstance(output, tuple | list) else ()


def _tensors(values: list[Any]) -> tuple[Tensor, ...]:
    return tuple(v for v in values if isinstance(v, Tensor) and v.is_floating_point())


class _Operations(TorchDispatchMode):
    """Notes which operations make tensors of numbers."""

    def __init__(self, record: Trace) -> None:
        super().__init__()
        self.record = record

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        operands = tuple(args)
        keys = tuple(key(a) if isinstance(a, Tensor) else None for a in operands)
        output = func(*args, **(kwargs or {}))
        if isinstance(output, Tensor) and output.is_floating_point():
            # A write counts only after the operation has returned.
            result = key(output, writes=int(any(output is operand for operand in operands)))
            if result not in keys:  # a view is the tensor itself
                name = func.name().removeprefix("aten::").split(".")[0].removesuffix("_")
                self.record.made[result] = Operation(name, operands, keys, kwargs or {})
                self.record.kept.append((operands, output))
        return output
