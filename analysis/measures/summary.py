"""From values of texts to what everybody reads: means over texts and seeds, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.measures.definition import ALL, Ends, Measure
from analysis.methods.bootstrap import mean_interval, paired_difference
from analysis.params import Bootstrap

KEY = ["measure", "variant", "of", "kind", "quantity", "clusters", "layer", "head"]
NAMES = KEY[:5]  # those that are words
NUMBERS = ["mean", "low", "high", "texts", "seeds", "smallest", "largest"]
UNKNOWN = (np.nan, np.nan)
COLUMNS = [*KEY, "minus", *NUMBERS, "p", "by_seed"]


def summarise(
    values: Sequence[pd.DataFrame], measures: Sequence[Measure], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Summarise the values of one experiment, a row a curve's point.

    Parameters
    ----------
    values
        Of the model of each seed, as :func:`analysis.measures.runner.run` writes them.
    measures
        That gave them.
    bootstrap
        How texts are resampled. All values of a measure see the same resamples, and of as many
        texts all measures do.

    Returns
    -------
    DataFrame
        ``KEY``; ``mean`` over the texts for which the value is defined, ``texts`` of them, and over
        ``seeds``, with ``low`` and ``high`` of its interval, the ``smallest`` and ``largest`` value
        of a text; ``by_seed`` are the means of the seeds, if there are several. What
        is measured of heads has rows of their mean, head 0; what is measured of layers, rows of
        theirs, layer -1: of each text first, so that these have intervals too. ``minus`` names what
        is subtracted, text by text, in a contrast, which has a ``p``. What is of all texts together
        has no interval and counts 0 texts. What is of the pretrained model alone was measured with
        the first seed, and counts 1.
    """
    frames = []
    for measure in measures:
        own = [one[one["measure"] == measure.name] for one in values]
        together = pd.concat([one[one["text"] == ALL].assign(seed=n) for n, one in enumerate(own)])
        if len(together):
            frames.append(_of_all(together))
        alone = [one[one["text"] != ALL] for one in own]
        if alone[0].empty:
            continue
        keys, cube = by_text(alone)
        ranges = saturating([measure])
        ends = [ranges.get(quantity, UNKNOWN) for quantity in keys["quantity"]]
        within = np.array(ends, np.float64).T
        found = mean_interval(cube, **bootstrap.model_dump(), within=within)._asdict()
        with np.errstate(invalid="ignore"):  # nowhere defined
            smallest, largest = (f.reduce(f.reduce(cube)) for f in (np.fmin, np.fmax))
        keyed = keys.assign(**found, smallest=smallest, largest=largest, minus="")
        frames.append(keyed.assign(**_by_seed(cube)))
        for kind, others in measure.contrasts.items():
            frames += [_contrast(keys, cube, kind, other, bootstrap) for other in others]
    if not frames:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(frames, ignore_index=True).reindex(columns=COLUMNS)


def saturating(measures: Iterable[Measure]) -> dict[str, Ends]:
    """Ranges of the quantities of which all texts of a sample may have an end by chance."""
    declared = (quantity for measure in measures for quantity in measure.gives)
    return {one.quantity: one.range for one in declared if one.saturates}


def by_text(
    values: Sequence[pd.DataFrame],
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Lay values out, means over heads and over layers included.

    Parameters
    ----------
    values
        Of the model of each seed.

    Returns
    -------
    keys
        ``KEY`` of every column, in the order of first appearance.
    cube
        ``[seed, text, key]``, texts in the order of ids, so that resamples do not depend on that of
        texts; nan where a text has no value.

    Raises
    ------
    ValueError
        If a text has the same value twice.
    """
    tables = [_wide(one) for one in values]
    first = tables[0]
    like = {"index": first.index, "columns": first.columns}
    cube = np.stack([first, *(one.reindex(**like) for one in tables[1:])])
    return first.columns.to_frame(index=False), cube


def _wide(values: pd.DataFrame) -> pd.DataFrame:
    """Give every text a row and every key a column."""
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
    keys = everything[KEY].iloc[np.unique(key, return_index=True)[1]]
    matrix = np.full((len(texts), len(keys)), np.nan)
    matrix[row, key] = everything["value"].to_numpy()
    return pd.DataFrame(matrix, texts, pd.MultiIndex.from_frame(keys))


def _of_all(together: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of what is of all texts together."""
    wide = together.set_index([*KEY, "seed"])["value"].unstack("seed")
    wide = wide.reindex(pd.MultiIndex.from_frame(together[KEY].drop_duplicates()))
    cube = wide.to_numpy().T[:, None]
    keys = wide.index.to_frame(index=False)
    return keys.assign(mean=wide.mean(axis=1).to_numpy(), texts=0, minus="", **_by_seed(cube))


def _by_seed(cube: NDArray[np.float64]) -> dict[str, Any]:
    """Count the seeds of every key, and list their means where there are several."""
    means = np.stack([pd.DataFrame(of_texts).mean() for of_texts in cube])
    seeds = (~np.isnan(means)).sum(axis=0)
    lists = [list(own) if several > 1 else [] for own, several in zip(means.T, seeds, strict=True)]
    return {"seeds": seeds, "by_seed": lists}


def _averaged(values: pd.DataFrame, axis: str, number: int) -> pd.DataFrame:
    """Mean of each text over heads or layers, of those for which the value is defined."""
    rest = [column for column in (*KEY, "text") if column != axis]
    means = values.groupby(rest, sort=False, observed=True)["value"].mean()
    return means.reset_index().assign(**{axis: number})


def _contrast(
    keys: pd.DataFrame,
    cube: NDArray[np.float64],
    kind: str,
    other: str,
    bootstrap: Bootstrap,
) -> pd.DataFrame:
    """Differences of all methods to one, on the same texts, where both are measured alike."""
    rest = [column for column in KEY if column != "of"]
    keys = keys[keys["kind"] == kind]
    against = keys[keys["of"] == other].reset_index(names="column")[[*rest, "column"]]
    pairs = keys.reset_index(names="own").merge(against, on=rest).query("of != @other")
    own, less = cube[:, :, pairs["own"]], cube[:, :, pairs["column"]]
    difference = paired_difference(own, less, **bootstrap.model_dump())._asdict()
    found = pairs[KEY].reset_index(drop=True).assign(**difference, minus=other)
    return found.assign(**_by_seed(own - less))
