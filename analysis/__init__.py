"""The pipeline of the report, from stages to pages, on the library ``attention_mixing``."""

import gc
import os
import sys

from attention_mixing.errors import end_when_interrupted

# Objects made between two searches for garbage, in stages, workers and notebooks alike. Importing
# torch and transformers makes a great many, as does drawing, and next to none of it is garbage: at
# Python's default of 700, looking through it all is a good part of the time that they take.
gc.set_threshold(100_000)

# cuBLAS reads it once, when its first handle is made: before any stage asks to be repeatable.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

if sys.argv[0] == "-m":  # Python is looking for the module that it is to run as a command
    end_when_interrupted()
