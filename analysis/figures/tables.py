"""Tables: what is measured, as it is written in the cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from analysis.figures.phrases import written
from attention_mixing.words import Words

Form = str | Callable[..., str]  # a format specification, or what writes a value


def written_table(
    data: pd.DataFrame, forms: Mapping[str, Form], w: Words, missing: str = ""
) -> pd.DataFrame:
    """Write columns under their names in the page's language.

    Parameters
    ----------
    data
        What is written.
    forms
        Column -> how its values are written; the columns in their order.
    w
        Words of the page's language.
    missing
        Stands where there is no value.
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


def intervals(rows: pd.DataFrame, form: str = "z.2f") -> list[str]:
    """Write the mean of each row with its interval."""
    return [
        "{}\u00a0[{},\u00a0{}]".format(*(written(number, form) for number in numbers))
        for numbers in rows[["mean", "low", "high"]].to_numpy()
    ]
