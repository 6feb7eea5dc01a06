"""Which processor computes, in which precision, and how it is made to repeat itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attention_mixing.errors import InputError, first_line, quoted

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def resolve(device: str) -> torch.device:
    """Turn ``auto | cpu | cuda | cuda:N | mps`` into the one device that exists and is meant.

    A GPU has its number, so that nothing falls to another: where none is given, 0, or that of the
    process among those that a launcher has started on this machine. A named accelerator that is
    absent is refused; ``auto`` alone may fall to the CPU.
    """
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        device = "cuda" if gpus else "mps" if torch.backends.mps.is_available() else "cpu"
    local = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    resolved = torch.device(local if device == "cuda" else device)
    if resolved.type == "cuda" and resolved.index >= gpus:
        raise InputError(
            f"device is {device} but this machine has {gpus} usable CUDA device"
            f"{'' if gpus == 1 else 's'}; allowed here: auto, cpu"
            f"{', cuda' if gpus else ''}; correct device."
        )
    if resolved.type == "mps" and not torch.backends.mps.is_available():
        raise InputError(
            "device is mps but this machine has no usable Metal device; allowed here: auto, cpu; "
            "correct device."
        )
    return resolved


def usable(device: str | torch.device) -> torch.device:
    """Take a device as torch names it, such as ``cuda``, and try it.

    One that is not there, or does not compute, is refused.
    """
    import torch

    try:
        processor = torch.device(device)
        torch.zeros(1, device=processor).item()  # fails where there is no such device
    except (TypeError, RuntimeError, AssertionError) as error:
        why = first_line(error).partition(". ")[0].rstrip(".")
        raise InputError(
            f"device is {quoted(device)}, which cannot be used here ({why}); "
            "allowed: cpu, or an accelerator of this machine such as cuda; name one that is there."
        ) from None
    return processor


def repeatable() -> None:
    """Allow only algorithms that give the same bits each time.

    On a GPU it is to be called before the first product of matrices.
    """
    import torch

    # cuBLAS reads this once, when its first handle is made.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory that it has not written, and to fill it takes a tenth of the time.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.backends.cudnn.benchmark = False


def deterministic(seed: int) -> None:
    """Seed Python, numpy and torch, and allow only algorithms that give the same bits each time."""
    from transformers import set_seed

    set_seed(seed)
    repeatable()


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Open a context in which forward passes run in a precision; float32 changes nothing.

    The precision is ``float32``, ``bfloat16`` or ``float16``.
    """
    import torch

    dtype = getattr(torch, precision)
    return torch.autocast(device.type, dtype=dtype, enabled=precision != "float32")


@contextmanager
def evaluating(model: PreTrainedModel, device: torch.device) -> Iterator[None]:
    """Have a model on a device in evaluation mode inside the block.

    Afterwards it is where it was before, its modules in the mode that they had.
    """
    before = next(model.parameters()).device
    training = [module for module in model.modules() if module.training]
    model.to(device).eval()  # type: ignore[arg-type]
    try:
        yield
    finally:
        model.to(before)  # type: ignore[arg-type]
        for module in training:
            module.training = True
