"""Measure how strongly self-attention mixes the features of tokens.

The package behind the report: corpora, models, capture, methods, figures and the stages of the
pipeline. Imports point one way: ``stages -> {corpora, models, capture, methods, figures} ->
params``; ``methods`` imports nothing of the project but itself.
"""

import gc
import signal
import sys

from analysis.errors import interrupted

# Objects made between two searches for garbage, in stages, workers and notebooks alike. Importing
# torch and transformers makes a great many, as does drawing, and next to none of it is garbage: at
# Python's default of 700, looking through it all is a good part of the time that they take.
gc.set_threshold(100_000)

if sys.argv[0] == "-m":  # Python is looking for the module that it is to run as a command
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # as a shell sets it for a background job
            signal.signal(number, interrupted)
