"""A summary as its stage writes it, of made-up numbers."""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.paths import GROUP_OF, QUANTITIES
from analysis.pipeline.stage import write_json
from attention_mixing.artifacts import MANIFEST
from attention_mixing.measures import declared, groups
from attention_mixing.schemas import SUMMARY

# What a row has that says nothing else.
PLAIN = (
    {"experiment": "a", "variant": "pretrained", "clusters": 0, "layer": -1, "head": 0}
    | {"texts": 3, "seeds": 1}
    | dict.fromkeys(("measure", "subject", "facet", "quantity", "minus", "by_seed"), "")
    | {"reading": ""}
    | {"mean": 0.5, "low": 0.4, "high": 0.6}
    | dict.fromkeys(("smallest", "largest", "p"), np.nan)
)


def rows(**columns) -> pd.DataFrame:
    """Rows of a summary, one for each combination of what the columns are given."""
    given = [[one] if isinstance(one, str | int | float) else one for one in columns.values()]
    return pd.DataFrame(product(*given), columns=list(columns)).assign(
        **{name: one for name, one in PLAIN.items() if name not in columns}
    )


def write(directory: Path, group: str, tables: Sequence[pd.DataFrame]) -> None:
    """Write the curves of a group of measures below the directory of a run."""
    target = directory / "results" / "summary" / group
    target.mkdir(parents=True, exist_ok=True)
    table = pd.concat(tables, ignore_index=True) if tables else rows(quantity=())
    table.to_parquet(target / "curves.parquet", index=False)
    (target / QUANTITIES).write_text(json.dumps(declared(group)), encoding="utf-8")
    write_json(target.with_name(GROUP_OF), groups())
    write_json(target / MANIFEST, {"schema": SUMMARY.version})
