"""Measure how strongly self-attention mixes the features of tokens.

The library: mathematics on arrays (:mod:`attention_mixing.methods`), reading any running model from
inside (:mod:`~attention_mixing.models`, :mod:`~attention_mixing.capture`), every measure of a text
(:mod:`~attention_mixing.measures`), and one page that explains it
(:mod:`~attention_mixing.explain`). Importing it changes nothing in the process. The pipeline of the
report, ``analysis``, stands on it.
"""
