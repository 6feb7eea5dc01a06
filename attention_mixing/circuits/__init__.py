"""Transformers written by hand, of which is known what depends on what.

:func:`circuit` writes one as a model of transformers, :func:`truths` tells what truly depends on
what in a text, and :func:`scored` holds measures against it, such as those of the library
(``layer_measures``, ``model_measures``) or one of your own:

>>> def shared_evenly(text, written):
...     tokens = len(text.tokens)
...     return np.full((tokens, tokens), 1 / tokens)
>>> scored({"mine": shared_evenly}, through="model", circuits=["previous"])  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from attention_mixing.methods.extras import extra

# Name -> its module.
_OFFERED = {
    **dict.fromkeys(("CIRCUITS", "OF_PAIRS", "circuit", "draw_text"), "programs"),
    **dict.fromkeys(("truths",), "truth"),
    **dict.fromkeys(("every_output", "pair_truth"), "pairs"),
    **dict.fromkeys(("score", "scored"), "scores"),
    **dict.fromkeys(("layer_measures", "model_measures"), "measures"),
}


def __getattr__(name: str) -> Any:
    # Torch takes seconds to start.
    if name in _OFFERED:
        with extra("models", name):
            return getattr(import_module(f"{__name__}.{_OFFERED[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
