"""Attributions: methods that turn a text into a matrix, what each token draws on.

:func:`attribution` gives the matrix of a text, :func:`attributions` lists the methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attention_mixing.methods.extras import extra

if TYPE_CHECKING:
    from attention_mixing.attributions.one_text import attribution, attributions
    from attention_mixing.attributions.through import ThroughLayers

__all__ = ["ThroughLayers", "attribution", "attributions"]


def __getattr__(name: str) -> Any:
    # They read captured texts, whose packages take seconds to start.
    if name in __all__:
        with extra("models", name):
            from attention_mixing.attributions import one_text

            return getattr(one_text, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
