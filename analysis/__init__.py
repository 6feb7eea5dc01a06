"""Measure how strongly self-attention mixes the features of tokens.

The package behind the report: corpora, models, capture, methods, figures and the stages of the
pipeline. Imports point one way: ``stages -> {corpora, models, capture, methods, figures} ->
params``; ``methods`` imports nothing of the project but itself.
"""
