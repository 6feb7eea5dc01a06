"""From values a text to what everybody reads: means over texts, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.measures.definition import ALL, Measure
from analysis.methods.bootstrap import mean_interval, paired_difference
from analysis.params import Bootstrap

KEY = ["by", "variant", "of", "kind", "measure", "layer", "head"]
NAMES = KEY[:5]  # those that are words
NUMBERS = ["mean", "low", "high", "texts", "smallest", "largest"]
COLUMNS = [*KEY, "minus", *NUMBERS, "p"]


def summarise(
    values: pd.DataFrame, measures: Sequence[Measure], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Summarise the values of one experiment, a row a curve's point.

    Parameters
    ----------
    values
        As :func:`analysis.measures.runner.run` writes them.
    measures
        That gave them.
    bootstrap
        How texts are resampled. All values of a measure see the same resamples, and of as many
        texts all measures do.

    Returns
    -------
    DataFrame
        ``KEY``; ``mean`` over the texts for which the value is defined, ``texts`` of them, with
        ``low`` and ``high`` of its interval, the ``smallest`` and ``largest`` value of a text. What
        is measured of heads has rows of their mean, head 0; what is measured of layers, rows of
        theirs, layer -1: of each text first, so that these have intervals too. ``minus`` names what
        is subtracted, text by text, in a contrast, which has a ``p``. What is of all texts together
        has no interval and counts 0 texts.
    """
    frames = []
    for measure in measures:
        own = values[values["by"] == measure.name]
        alone, together = own[own["text"] != ALL], own[own["text"] == ALL]
        if len(together):
            frames.append(together[KEY].assign(mean=together["value"], texts=0, minus=""))
        if alone.empty:
            continue
        keys, matrix = by_text(alone)
        found = mean_interval(matrix, **bootstrap.model_dump())._asdict()
        with np.errstate(invalid="ignore"):  # nowhere defined
            smallest, largest = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
        frames.append(keys.assign(**found, smallest=smallest, largest=largest, minus=""))
        for kind, others in measure.contrasts.items():
            frames += [_contrast(keys, matrix, kind, other, bootstrap) for other in others]
    if not frames:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(frames, ignore_index=True).reindex(columns=COLUMNS)


def by_text(values: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Lay values out, means over heads and over layers included.

    Returns
    -------
    keys
        ``KEY`` of every column, in the order of first appearance.
    matrix
        ``[text, key]`` in the order of ids, so that resamples do not depend on that of texts; nan
        where a text has no value.

    Raises
    ------
    ValueError
        If a text has the same value twice.
    """
    twice = values.duplicated([*KEY, "text"])
    if twice.any():
        raise ValueError(f"a duplicate value: {values[twice].iloc[0].to_dict()}")
    tables = [values]
    headed = values[values["head"] > 0]
    if len(headed):
        tables.append(_averaged(headed, "head", 0))
    # Numbers that measures give themselves for all heads or layers stay theirs.
    layered = pd.concat(tables).drop_duplicates([*KEY, "text"])
    layered = layered[(layered["layer"] != ALL) & (layered["head"] == 0)]
    if len(layered):
        tables.append(_averaged(layered, "layer", ALL))
    everything = pd.concat(tables).drop_duplicates([*KEY, "text"])
    key = everything.groupby(KEY, sort=False, observed=True).ngroup().to_numpy()
    row, texts = pd.factorize(everything["text"], sort=True)
    keys = everything[KEY].iloc[np.unique(key, return_index=True)[1]].reset_index(drop=True)
    matrix = np.full((len(texts), len(keys)), np.nan)
    matrix[row, key] = everything["value"].to_numpy()
    return keys, matrix


def _averaged(values: pd.DataFrame, axis: str, number: int) -> pd.DataFrame:
    """Mean of each text over heads or layers, of those for which the value is defined."""
    rest = [column for column in (*KEY, "text") if column != axis]
    means = values.groupby(rest, sort=False, observed=True)["value"].mean()
    return means.reset_index().assign(**{axis: number})


def _contrast(
    keys: pd.DataFrame,
    matrix: NDArray[np.float64],
    kind: str,
    other: str,
    bootstrap: Bootstrap,
) -> pd.DataFrame:
    """Differences of all methods to one, on the same texts, where both are measured alike."""
    rest = [column for column in KEY if column != "of"]
    keys = keys[keys["kind"] == kind]
    against = keys[keys["of"] == other].reset_index(names="column")[[*rest, "column"]]
    pairs = keys.reset_index(names="own").merge(against, on=rest).query("of != @other")
    difference = paired_difference(
        matrix[:, pairs["own"]], matrix[:, pairs["column"]], **bootstrap.model_dump()
    )._asdict()
    return pairs[KEY].reset_index(drop=True).assign(**difference, minus=other)
