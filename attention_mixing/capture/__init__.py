"""Reading a model from inside, and the cache on disk.

``record`` turns texts into arrays, ``store`` writes and reads the cache. To read it, only ``store``
is needed, and no torch. :func:`capture_text` reads one text into memory.
"""

from importlib import import_module
from typing import Any

from attention_mixing.methods.extras import extra


def __getattr__(name: str) -> Any:
    # Torch takes seconds to start; stages that read the cache do without it.
    if name == "capture_text":
        with extra("models", name):
            return import_module("attention_mixing.capture.one_text").capture_text
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
