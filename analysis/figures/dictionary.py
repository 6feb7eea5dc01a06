"""What the names in a chapter's downloads mean, as a table beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from analysis.figures.results import declared
from attention_mixing.artifacts import QUANTITIES
from attention_mixing.paths import SUMMARY, asked_for
from attention_mixing.words import Words

# Columns of the summary; what a figure adds to them is its own, and stands in its caption.
COLUMNS = (
    *("group", "experiment", "variant", "measure", "quantity", "of", "kind", "clusters"),
    *("layer", "head", "minus", "mean", "low", "high", "texts", "seeds", "by_seed"),
    *("smallest", "largest", "p", "code"),
)
# Columns of the table that explains them.
EXPLAINED = (
    *("column", "name", "meaning", "measure", "axes"),
    *("smallest", "largest", "of", "kind"),
)


def dictionary(
    columns: Iterable[str], quantities: Iterable[tuple[str, str]], w: Words
) -> pd.DataFrame:
    """Explain the columns of the summary and the quantities that some tables have.

    Parameters
    ----------
    columns
        Of the tables; those that are none of :data:`COLUMNS` are left out.
    quantities
        Names of a measure and of a quantity that it gives.
    w
        Words of the chapter: messages ``column_NAME``; of a quantity its label, ``NAME``, or
        ``means_NAME`` where that is too short.

    Returns
    -------
    DataFrame
        A row a name: ``column`` that it stands in, ``name``, ``meaning``; of a quantity also the
        ``measure`` that gives it, its ``axes``, the ``smallest`` and the ``largest`` value that
        there can be, and the methods, scopes or points (``of``) and kinds that it comes in.
    """
    there = set(columns)
    rows: list[dict[str, Any]] = [
        {"column": name, "meaning": w[f"column_{name}"]} for name in COLUMNS if name in there
    ]
    wanted = set(quantities)
    for row in _declared() if wanted else ():
        measure, quantity = row["measure"], row["quantity"]
        if (measure, quantity) in wanted:
            smallest, largest = row["range"]
            rows.append(
                {
                    "column": "quantity",
                    "name": quantity,
                    "meaning": _meaning(quantity, w),
                    "measure": measure,
                    "axes": " ".join(row["axes"]),
                    "smallest": smallest,
                    "largest": largest,
                    "of": " ".join(row["of"]),
                    "kind": " ".join(row["kind"]),
                }
            )
    return pd.DataFrame(rows, columns=list(EXPLAINED))


def _meaning(quantity: str, w: Words) -> str:
    name = f"means_{quantity}"
    return " ".join(w[name if name in w else quantity].split())


def _declared() -> list[dict[str, Any]]:
    """Read what the groups of measures give whose summaries this chapter has read."""
    read = [path.split("/") for path in asked_for() if path.startswith(f"{SUMMARY.as_posix()}/")]
    groups = dict.fromkeys(parts[2] for parts in read)
    there = [group for group in groups if (SUMMARY / group / QUANTITIES).is_file()]
    return [row for group in there for row in declared(group)]
