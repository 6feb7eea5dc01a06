"""Which measures we expected to find what circuits depend on, from ``expected.yaml`` beside it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pandas as pd

from attention_mixing.attributions.catalogue import chosen
from attention_mixing.circuits.measures import layer_measures, model_measures
from attention_mixing.circuits.programs import CIRCUITS
from attention_mixing.yaml_text import read_yaml

LATER = chosen("attn_lrp", "barrier_flow", "decompx", "expected_gradients", "left_out_unknown")
"""Measures that came when it had been seen what the others find: nothing was expected."""


def expected() -> pd.DataFrame:
    """List what was expected of measures of the library on every circuit.

    ``through, circuit, measure, expected``, in the order of the circuits and of the measures;
    without those of :data:`LATER`.
    """
    text = (files(__package__) / "expected.yaml").read_text(encoding="utf-8")
    written: dict[str, Any] = read_yaml(text)
    rows = []
    for through, measures in (("layer", layer_measures()), ("model", model_measures())):
        for name in CIRCUITS:
            # In rows of several names where there are many.
            named = pd.Series(written[name][through], dtype=object).explode().tolist()
            rows += [
                (through, name, measure, measure in named)
                for measure in measures
                if measure not in LATER
            ]
    return pd.DataFrame(rows, columns=["through", "circuit", "measure", "expected"])
