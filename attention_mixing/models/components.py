"""What single modules are, asked of them by calling them: linear maps and normalisations."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from attention_mixing.methods.layer import Linear, Norm

# Share of the largest value: float32 sums of a few hundred terms in another order, and differences.
TOLERANCE = 1e-4
ROWS = 8  # vectors that a module is tried on


def close(ours: Tensor, theirs: Tensor, tolerance: float = TOLERANCE) -> bool:
    """Tell whether two arrays are the same but for rounding.

    ``tolerance`` is the difference allowed, as a share of the largest value of ``theirs``. Also
    False where the shapes differ or ``theirs`` has a value that is not finite.
    """
    if ours.shape != theirs.shape or not theirs.isfinite().all():
        return False
    return bool((ours - theirs).abs().max() <= tolerance * theirs.abs().max())


@torch.no_grad()
def is_linear(module: nn.Module, width: int) -> bool:
    """Tell whether a module with weights is a linear map of vectors of a width, plus a constant.

    The module is called, and left as it was. Also False for one without weights, or one that takes
    other arguments.
    """
    if next(module.parameters(), None) is None:  # dropout, which does nothing here
        return False
    first, second = vectors(width, module, 0), vectors(width, module, 1)
    try:
        at_zero, both = module(torch.zeros_like(first)), module(first + 2 * second)
        apart = module(first) + 2 * module(second) - 2 * at_zero
    except Exception:  # wants other arguments; each module breaks in its own way
        return False
    return isinstance(both, Tensor) and both.ndim == 3 and close(apart, both)


@torch.no_grad()
def linear(module: nn.Module, width: int) -> Linear:
    """Return the weights of a module that :func:`is_linear`, whatever it is built of.

    ``width`` is that of a vector that it takes.
    """
    rows = vectors(width, module, 0)
    if isinstance(module, nn.Linear | Conv1D):
        matrix = module.weight.T if isinstance(module, nn.Linear) else module.weight
        constant = rows.new_zeros(matrix.shape[1]) if module.bias is None else module.bias
        # An adapter or a hook may do more than the weights say.
        if close(rows @ matrix + constant, module(rows), 1e-5):
            return _arrays(matrix, constant)
    constant = module(rows.new_zeros(1, 1, width))[0, 0]
    return _arrays(module(torch.eye(width).to(rows)[None])[0] - constant, constant)


def apply_linear(weights: Linear, rows: Tensor) -> Tensor:
    """Apply a linear map to vectors, in their precision and on their device.

    From ``[..., in]`` to ``[..., out]``.
    """
    matrix, constant = (torch.as_tensor(array).to(rows) for array in weights)
    return rows @ matrix + constant


def _arrays(matrix: Tensor, constant: Tensor) -> Linear:
    return Linear(
        *(np.array(tensor.detach().cpu().numpy(), order="C") for tensor in (matrix, constant))
    )


@torch.no_grad()
def norm(module: nn.Module, width: int) -> Norm | None:
    r"""Return the normalisation that a module is, None if it is none.

    The module is called, with vectors of a width, and left as it was. At large inputs
    :math:`\varepsilon` does not count and only directions do: the offset is what :math:`u` and
    :math:`-u` have in common, and whether the mean is subtracted shows when a constant is added. At
    tiny inputs only :math:`\varepsilon` divides.
    """
    if any(True for _ in module.children()):
        return None
    rows = vectors(width, module, 0)
    try:
        large, other, moved, again, tiny, usual = (
            module(inputs) for inputs in (1e3 * rows, -1e3 * rows, 1e3 * (rows + 2), 2e3 * rows,
                                      1e-7 * rows, rows + 0.5)
        )  # fmt: skip
    except Exception:  # as above
        return None
    if not isinstance(large, Tensor) or large.shape != rows.shape:
        return None
    if not close(again, large, 1e-3):
        return None
    offset = (large + other).mean(dim=(0, 1)) / 2
    centring = close(moved, large, 1e-3)
    direction = _centred(rows, centring) / _root_mean_square(_centred(rows, centring))
    gain = ((large - offset) * direction).sum(dim=(0, 1)) / direction.square().sum(dim=(0, 1))
    lengths = [(output - offset).norm(dim=-1, keepdim=True) for output in (tiny, large)]
    normed = _root_mean_square(_centred(1e-7 * rows, centring))
    # Both divide the same vector: by its own length, and by that with epsilon.
    eps = float(((normed * lengths[1] / lengths[0]).square() - normed.square()).mean().clamp(min=0))
    read = _centred(rows + 0.5, centring)
    divisor = (read.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    if not close(read / divisor * gain + offset, usual):
        return None
    if isinstance(module, nn.LayerNorm) and module.bias is not None:
        # Its own numbers are not rounded; a hook or an adapter may do more than they say.
        if close(gain, module.weight) and close(offset, module.bias):
            gain, offset, eps = module.weight, module.bias, module.eps
    weight, bias = (output.detach().cpu().numpy().copy() for output in (gain, offset))
    return Norm(weight, bias, eps, centring)


def vectors(width: int, module: nn.Module, seed: int) -> Tensor:
    """Draw vectors that a module can be tried on, ``[1, ROWS, width]``, normally distributed.

    They have the precision and the device of its weights.
    """
    like = next(module.parameters(), torch.zeros(()))
    rows = torch.randn(1, ROWS, width, generator=torch.Generator().manual_seed(seed))
    return rows.to(dtype=like.dtype, device=like.device)


def _centred(rows: Tensor, centring: bool) -> Tensor:
    return rows - rows.mean(dim=-1, keepdim=True) if centring else rows


def _root_mean_square(rows: Tensor) -> Tensor:
    return rows.square().mean(dim=-1, keepdim=True).sqrt()
