"""Page *run*: what was measured in this run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.figures.tables import Form, written_table
from analysis.prose.phrases import written
from analysis.rules.conditions import baseline, reached
from analysis.runs.parameters import RunParameters
from attention_mixing.messages import Words
from attention_mixing.models.source import name_of


def experiments_table(
    params: RunParameters, experiments: Mapping[str, Mapping[str, Any]], w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Model, what was measured and the score of each experiment; no scores if none is trained."""
    rows: list[dict[str, Any]] = []
    for name, experiment in params.experiments.items():
        known = experiments[name]
        row: dict[str, Any] = {"experiment": name, "model": name_of(experiment.model)}
        row |= {part: known["structure"][part] for part in ("layers", "heads")}
        row |= {"captured": known["capture"]["examples"], "tokens": known["capture"]["tokens"]}
        if score := known["evaluate"]:
            row |= {"score": reached(score), "baseline": baseline(score, known["corpus"])}
        rows.append(row)
    data = pd.DataFrame(rows)
    cells = data.copy()
    forms: dict[str, Form] = dict.fromkeys(("experiment", "model", "layers", "heads"), str)
    forms |= dict.fromkeys(("captured", "tokens"), ",d")
    if "score" in data:
        cells["score"] = [
            f"{written(reached, '.0%')} ({written(otherwise, '.0%')})" if reached == reached else ""
            for reached, otherwise in data[["score", "baseline"]].to_numpy()
        ]
        forms["score"] = str
    return written_table(cells, forms, w), data
