"""Measure how strongly self-attention mixes the features of tokens.

The package behind the report: corpora, models, capture, methods, figures and the stages of the
pipeline. Imports point one way: ``stages -> {corpora, models, capture, methods, figures} ->
params``; ``methods`` imports nothing of the project but itself.
"""

import gc

# Objects made between two searches for garbage, in stages, workers and notebooks alike. torch and
# transformers make a million while they are imported: at Python's default of 700, a quarter of that
# time goes into looking through them, and a tenth of that of drawing.
gc.set_threshold(100_000)
