"""Say over how many texts, and models of how many seeds, the numbers of a table were measured."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from pandas.api.types import is_numeric_dtype

from analysis.figures.phrases import listed
from analysis.figures.words import Words


def sampled(rows: pd.DataFrame, w: Words) -> str:
    """Name the samples of each experiment, and whether intervals allow for their number.

    Parameters
    ----------
    rows
        Numbers behind a table; those of the summary (:mod:`analysis.figures.results`) count their
        ``texts``, and ``seeds`` where there are several. Intervals that were widened for their
        number come with ``stands_out``.
    w
        Words of the page's language.

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
    most = counted.groupby("experiment", sort=False)[["texts", "seeds"]].max().astype(int)
    texts, seeds = (_each(most[column].to_dict(), w) for column in ("texts", "seeds"))
    alone = "low" in rows and "stands_out" not in rows
    return w.say("sampled", texts=texts, seeds=seeds) + (w["uncorrected"] if alone else "")


def _each(counts: Mapping[str, int], w: Words) -> str:
    """One number where all have the same, or that of each by its name."""
    same = set(counts.values())
    if len(same) > 1:
        return listed([f"{name} {count:,}" for name, count in counts.items()], w)
    (count,) = same
    return f"{count:,}" if len(counts) == 1 else w.say("each", count=f"{count:,}")
