"""What the abstract still asks of the chapter *propagation*."""

from __future__ import annotations

from collections.abc import Sequence

# Two shares that differ by less than this are called alike.
AMOUNT_MARGIN = 0.05
# Rows of flow whose relative entropy is above this are called flat.
FLAT = 0.95


def amount_assumed(rollout: Sequence[float], uniform: Sequence[float]) -> bool:
    """Whether rollout mixes as much as it would with uniform attention."""
    return max(abs(a - b) for a, b in zip(rollout, uniform, strict=True)) < AMOUNT_MARGIN


def flows_are_flat(entropies: Sequence[float]) -> bool:
    """Whether the rows of flow can hardly be told from equal shares, by their entropy over ln n."""
    return min(entropies) > FLAT
