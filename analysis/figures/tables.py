"""Tables: what is measured, as it is written in the cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from analysis.figures.phrases import written
from analysis.figures.words import Words

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


def intervals(rows: pd.DataFrame, form: str = "z.2f") -> list[str]:
    """Write the mean of each row with its interval."""
    return [
        "{}\u00a0[{},\u00a0{}]".format(*(written(number, form) for number in numbers))
        for numbers in rows[["mean", "low", "high"]].to_numpy()
    ]
