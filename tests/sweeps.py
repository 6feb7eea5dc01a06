"""Sweeps that take long over all kinds, of which ``make test`` takes one."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(kinds: Iterable[Any]) -> list[Any]:
    """Mark the first kind as that which stands for all."""
    first, *others = kinds
    return [pytest.param(first, marks=pytest.mark.sampled), *others]
