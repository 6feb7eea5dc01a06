"""Say over how many texts, and models of how many seeds, the numbers of a table were measured."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from pandas.api.types import is_numeric_dtype

from analysis.figures.phrases import listed, spread
from attention_mixing.words import Words


def sampled(rows: pd.DataFrame, w: Words) -> str:
    """Name the samples of each experiment, and whether intervals allow for their number.

    Parameters
    ----------
    rows
        Numbers behind a table; those of the summary (:mod:`analysis.figures.results`) count their
        ``texts``, and ``seeds`` where there are several. Where the number of intervals is allowed
        for, ``stands_out`` tells which differences remain.
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
    grouped = counted.groupby("experiment", sort=False)
    texts = {name: spread(*_ends(own["texts"]), ",d", w) for name, own in grouped}
    # What is of the pretrained model alone was measured once.
    seeds = {name: f"{_ends(own['seeds'])[1]:,}" for name, own in grouped}
    uncorrected = "low" in rows and "stands_out" not in rows
    said = w.say("sampled", texts=_each(texts, w), seeds=_each(seeds, w))
    return said + (w["uncorrected"] if uncorrected else "")


def _ends(counts: pd.Series) -> tuple[int, int]:
    return int(counts.min()), int(counts.max())


def _each(counts: Mapping[str, str], w: Words) -> str:
    """One number where all have the same, or that of each by its name."""
    same = set(counts.values())
    if len(same) > 1:
        return listed([f"{name} {count}" for name, count in counts.items()], w)
    (count,) = same
    return count if len(counts) == 1 else w.say("each", count=count)
