"""Transformers written by hand, of which is known what depends on what.

:func:`circuit` writes one as a model of transformers, :func:`truths` tells what truly depends on
what in a text.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from attention_mixing.methods.extras import extra

_OFFERED = {"CIRCUITS": "circuits", "circuit": "circuits", "draw_text": "circuits"} | {
    "truths": "truth"
}


def __getattr__(name: str) -> Any:
    # Torch takes seconds to start.
    if name in _OFFERED:
        with extra("models", name):
            return getattr(import_module(f"{__name__}.{_OFFERED[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
