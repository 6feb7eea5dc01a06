"""Attributions: methods that turn a text into a matrix, what each token draws on.

:func:`attribution` gives the matrix of a text, :func:`attributions` lists the methods, and
:func:`register` adds one of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attention_mixing.methods.extras import extra

if TYPE_CHECKING:
    from attention_mixing.attributions.matrices import register
    from attention_mixing.attributions.one_text import attribution, attributions
    from attention_mixing.attributions.through import ThroughLayers

# Name -> its module.
_OFFERED = {
    "ThroughLayers": "through",
    "attribution": "one_text",
    "attributions": "one_text",
    "register": "matrices",
}
__all__ = ["ThroughLayers", "attribution", "attributions", "register"]


def __getattr__(name: str) -> Any:
    # They read captured texts, whose packages take seconds to start.
    if name in _OFFERED:
        with extra("models", name):
            module = import_module(f"{__name__}.{_OFFERED[name]}")
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
