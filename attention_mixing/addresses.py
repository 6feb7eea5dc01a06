"""How numbers of measures are addressed: what stands for all, and what a quantity comes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ALL = -1
"""Layer of what is of all layers, text of what is of all texts; head 0 is all heads."""

OTHER_LAYER = "LAYER"
"""Stands for the number of whatever layer in ``subject``."""


def comes_in(declared: Mapping[str, Any], column: str, name: str) -> bool:
    """Tell whether a declared quantity has values of this name.

    ``declared`` are the attributes of :class:`Gives`, and ``measure``; ``column`` is one of them:
    ``quantity``, ``measure``, ``subject`` or ``facet``.
    """
    names = declared[column]
    if column in ("quantity", "measure"):
        return bool(name == names)
    return name in names or (OTHER_LAYER in names and name.isdigit())
