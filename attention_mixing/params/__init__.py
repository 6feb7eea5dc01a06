"""The typed, frozen model of ``params.yaml``.

Every stage validates the whole file before it works. Unknown keys are refused, numbers are never
read out of strings, and each mistake is reported in a sentence of its own.
"""

from attention_mixing.params.file import (
    PARAMS_FILE,
    load,
    located,
    located_images,
    located_texts,
)
from attention_mixing.params.sections import Bootstrap, Experiment, Params

__all__ = [
    "PARAMS_FILE",
    "Bootstrap",
    "Experiment",
    "Params",
    "load",
    "located",
    "located_images",
    "located_texts",
]
