"""Sweeps that take long over all kinds, of which ``make test`` takes one."""

from collections.abc import Iterable

import pytest


def sampled(kinds: Iterable[str]) -> list:
    """Mark the first kind as that which stands for all."""
    first, *others = kinds
    return [pytest.param(first, marks=pytest.mark.sampled), *others]
