"""Tables: numbers as cells show them, what they are over, and what their columns hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from analysis.paths import QUANTITIES, SUMMARY, asked_for
from analysis.prose.phrases import listed, spread, written
from analysis.results.summary import declared
from attention_mixing.messages import Words

Form = str | Callable[..., str]  # a format specification, or what writes a value


# Columns of the summary; what a figure adds to them is its own, and stands in its caption.
COLUMNS = (
    *("group", "experiment", "variant", "measure", "quantity", "subject", "facet", "clusters"),
    *("layer", "head", "minus", "mean", "low", "high", "texts", "seeds", "by_seed"),
    *("smallest", "largest", "p"),
)
# Columns of the table that explains them.
EXPLAINED = (
    *("column", "name", "meaning", "measure", "axes"),
    *("smallest", "largest", "subject", "facet"),
)


def written_table(
    data: pd.DataFrame, forms: Mapping[str, Form], w: Words, missing: str = ""
) -> pd.DataFrame:
    """Write columns under their names in the page's language.

    ``forms`` are how the values of each column are written, the columns in their order; ``missing``
    stands where there is no value.
    """
    cells = {}
    for column, form in forms.items():
        write = form if callable(form) else lambda value, form=form: written(value, form)
        values = data[column].astype(object).map(write, na_action="ignore")
        cells[w[column]] = values.astype(object).fillna(missing)
    return pd.DataFrame(cells)


def by_method(
    rows: pd.DataFrame,
    measures: Sequence[str],
    w: Words,
    keys: Sequence[str] = ("experiment", "variant", "method"),
) -> pd.DataFrame:
    """Put the cells of each measure side by side, one row an experiment, model state and method.

    The rows given have the keys, a ``measure`` and a ``cell``; those made are in the order of the
    first key, then of the second and the third.
    """
    cells = rows.pivot_table("cell", list(keys), "quantity", aggfunc="first", sort=False)
    cells = cells.reset_index()[["experiment", "variant", "method", *measures]]
    for column in ("variant", "method"):
        cells[column] = cells[column].map(w)
    return cells.rename(columns=w)


def intervals(rows: pd.DataFrame) -> list[str]:
    """Write the mean of each row with its interval."""
    return [
        "{}\u00a0[{},\u00a0{}]".format(*(written(number, "z.2f") for number in numbers))
        for numbers in rows[["mean", "low", "high"]].to_numpy()
    ]


def sampled(rows: pd.DataFrame, w: Words) -> str:
    """Name the samples of each experiment, and whether intervals allow for their number.

    Parameters
    ----------
    rows
        Numbers behind a table; those of the summary (:mod:`analysis.results.summary`) count their
        ``texts``, and ``seeds`` where there are several. Where the number of intervals is allowed
        for, ``stands_out`` tells which differences remain.

    Returns
    -------
    str
        Empty where no row was measured over texts.
    """
    if not {"experiment", "texts"} <= set(rows) or not is_numeric_dtype(rows["texts"]):
        return ""
    of_texts = rows[rows["texts"] > 0]
    if of_texts.empty:
        return ""
    counted = of_texts.assign(seeds=of_texts["seeds"].fillna(1) if "seeds" in of_texts else 1)
    grouped = counted.groupby("experiment", sort=False)
    texts = {name: spread(*_ends(group["texts"]), ",d", w) for name, group in grouped}
    # What is of the pretrained model alone was measured once.
    seeds = {name: f"{_ends(group['seeds'])[1]:,}" for name, group in grouped}
    uncorrected = "low" in rows and "stands_out" not in rows
    sentence = w.say("sampled", texts=_per_experiment(texts, w), seeds=_per_experiment(seeds, w))
    return sentence + (w["uncorrected"] if uncorrected else "")


def _ends(counts: pd.Series) -> tuple[int, int]:
    return int(counts.min()), int(counts.max())


def _per_experiment(counts: Mapping[str, str], w: Words) -> str:
    """One number where all have the same, or that of each by its name."""
    same = set(counts.values())
    if len(same) > 1:
        return listed([f"{name} {count}" for name, count in counts.items()], w)
    (count,) = same
    return count if len(counts) == 1 else w.say("each", count=count)


# --- what the columns of a download hold ----------------------------------------------------------


def dictionary(
    columns: Iterable[str], quantities: Iterable[tuple[str, str]], w: Words
) -> pd.DataFrame:
    """Explain the columns of the summary and the quantities that some tables have.

    Parameters
    ----------
    columns
        Of the tables; those of which the chapter has no message are left out.
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
        there can be, and what it comes in: ``subject`` and ``facet``.
    """
    rows: list[dict[str, Any]] = [
        {"column": name, "meaning": w[f"column_{name}"]} for name in explained(columns, w)
    ]
    used_quantities = set(quantities)
    for row in _declared() if used_quantities else ():
        measure, quantity = row["measure"], row["quantity"]
        if (measure, quantity) in used_quantities:
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
                    "subject": " ".join(row["subject"]),
                    "facet": " ".join(row["facet"]),
                }
            )
    return pd.DataFrame(rows, columns=list(EXPLAINED))


def explained(columns: Iterable[str], w: Words) -> list[str]:
    """Choose the columns that a chapter explains: those of the summary first, then its own."""
    used = [*dict.fromkeys(columns)]
    ordered = [name for name in COLUMNS if name in used]
    ordered += [name for name in used if name not in COLUMNS]
    return [name for name in ordered if f"column_{name}" in w]


def _meaning(quantity: str, w: Words) -> str:
    name = f"means_{quantity}"
    return " ".join(w[name if name in w else quantity].split())


def _declared() -> list[dict[str, Any]]:
    """Read what the groups of measures give whose summaries this chapter has read."""
    read = [path.split("/") for path in asked_for() if path.startswith(f"{SUMMARY.as_posix()}/")]
    groups = dict.fromkeys(parts[2] for parts in read)
    summarized = [group for group in groups if (SUMMARY / group / QUANTITIES).is_file()]
    return [row for group in summarized for row in declared(group)]
