"""The parameters of a run: ``params.yaml``, and what a profile makes of it.

Every stage validates the whole file before it works. Unknown keys are refused, numbers are never
read out of strings, and each mistake is reported in a sentence of its own.
"""

from analysis.parameters.file import (
    PARAMS_FILE,
    load,
    located,
    located_corpus,
    located_images,
    located_texts,
)
from analysis.parameters.sections import Params

__all__ = [
    "PARAMS_FILE",
    "Params",
    "load",
    "located",
    "located_corpus",
    "located_images",
    "located_texts",
]
