"""Values laid out as an array: what means, contrasts and readings of rules are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.addresses import ALL

KEY = ["measure", "variant", "subject", "facet", "quantity", "clusters", "layer", "head"]
NAMES = KEY[:5]  # those that are words


@dataclass(frozen=True)
class Cube:
    """Values of one experiment.

    Attributes
    ----------
    keys
        ``KEY`` of every column, in the order of first appearance, and whether it was ``measured``;
        else it is a mean over heads (head 0) or layers (layer -1).
    texts
        Ids, ascending, so that resamples do not depend on the order of texts.
    values
        ``[seed, text, key]``; nan where a text has no value.
    taken
        ``[text]`` by measure: whether it was taken of a text.
    """

    keys: pd.DataFrame
    texts: NDArray[np.int64]
    values: NDArray[np.float64]
    taken: dict[str, NDArray[np.bool_]]

    def of(self, measure: str) -> Cube:
        """Choose what a measure gave, of the texts that it was taken of."""
        columns = (self.keys["measure"] == measure).to_numpy(bool)
        texts = self.taken.get(measure, np.zeros(len(self.texts), dtype=bool))
        return Cube(
            self.keys[columns].reset_index(drop=True),
            self.texts[texts],
            self.values[:, texts][:, :, columns],
            {measure: texts[texts]},
        )


def by_text(values: Sequence[pd.DataFrame]) -> Cube:
    """Lay values of texts out, means over heads and over layers included.

    Means are of each text first, over the heads, and then the layers, for which the value is
    defined. What a measure gives of all heads or layers itself stays its own.

    Parameters
    ----------
    values
        Of the model of each seed, as :func:`.runner.run` writes them.
        Texts and keys are those of the first seed.

    Raises
    ------
    ValueError
        If a text has the same value twice.
    """
    tables = []
    for of_seed in values:
        keys, texts, matrix = _table(of_seed[of_seed["text"] != ALL])
        headed = (keys["head"] > 0).to_numpy(bool)
        keys, matrix = _with_means(keys, matrix, headed, "head", 0)
        layered = ((keys["layer"] != ALL) & (keys["head"] == 0)).to_numpy(bool)
        tables.append((*_with_means(keys, matrix, layered, "layer", ALL), texts))
    keys, _, texts = tables[0]
    cube = np.stack([_as_in(keys, texts, *table) for table in tables])
    of_texts = values[0].loc[values[0]["text"] != ALL, ["measure", "text"]]
    taken = {
        str(measure): np.isin(texts, ids)
        for measure, ids in of_texts.groupby("measure", sort=False, observed=True)["text"]
    }
    return Cube(keys, texts, cube, taken)


def of_all(values: Sequence[pd.DataFrame]) -> Cube:
    """Lay out what is of all texts together, which has no means; arguments as of :func:`by_text`.

    Keys are those of any seed.
    """
    tables = []
    for of_seed in values:
        keys, texts, matrix = _table(of_seed[of_seed["text"] == ALL])
        tables.append((keys, matrix, texts))
    keys = pd.concat([keys for keys, _, _ in tables]).drop_duplicates(ignore_index=True)
    texts = np.array([ALL])
    cube = np.stack([_as_in(keys, texts, *table) for table in tables])
    return Cube(keys, texts, cube, {name: texts == ALL for name in keys["measure"].unique()})


def _table(
    values: pd.DataFrame,
) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.float64]]:
    """Keys, texts and ``[text, key]`` of the values of one seed."""
    column = values.groupby(KEY, sort=False, observed=True).ngroup().to_numpy()
    _, first = np.unique(column, return_index=True)
    keys = values[KEY].iloc[first].astype(dict.fromkeys(NAMES, str)).reset_index(drop=True)
    row, texts = pd.factorize(values["text"].to_numpy(), sort=True)
    cell, places = np.unique(row * len(keys) + column, return_index=True)
    if len(cell) < len(values):
        twice = np.setdiff1d(np.arange(len(values)), places)
        raise ValueError(f"a duplicate value: {values.iloc[twice[0]].to_dict()}")
    matrix = np.full((len(texts), len(keys)), np.nan)
    matrix[row, column] = values["value"].to_numpy()
    return keys.assign(measured=True), texts, matrix


def _with_means(
    keys: pd.DataFrame,
    matrix: NDArray[np.float64],
    meaned: NDArray[np.bool_],
    axis: str,
    number: int,
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Add means of some columns over heads or layers, under a ``number`` that stands for all."""
    if not meaned.any():
        return keys, matrix
    rest = [column for column in KEY if column != axis]
    group = keys[meaned].groupby(rest, sort=False).ngroup().to_numpy()
    means = group_means(matrix[:, meaned], group)
    _, first = np.unique(group, return_index=True)
    more = keys[meaned].iloc[first].assign(**{axis: number}, measured=False)
    # Numbers that measures give themselves for all heads or layers stay theirs.
    new = ~pd.MultiIndex.from_frame(more[KEY]).isin(pd.MultiIndex.from_frame(keys[KEY]))
    joined = pd.concat([keys, more[new]], ignore_index=True)
    return joined, np.concatenate([matrix, means[:, new]], axis=1)


def group_means(values: NDArray[np.float64], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Means over the columns of each group, ``[..., column]`` to ``[..., group]``.

    Of those that are defined; nan where none is. Groups are numbered from 0, without gaps.
    """
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 1))
    sorted_values = values[..., order]
    defined = ~np.isnan(sorted_values)
    total = np.add.reduceat(np.where(defined, sorted_values, 0.0), starts, axis=-1)
    count = np.add.reduceat(defined, starts, axis=-1, dtype=np.int64)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _as_in(
    keys: pd.DataFrame,
    texts: NDArray[np.int64],
    own_keys: pd.DataFrame,
    matrix: NDArray[np.float64],
    own_texts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Lay the values of one seed out as those of another."""
    frame = pd.DataFrame(matrix, own_texts, pd.MultiIndex.from_frame(own_keys[KEY]))
    return frame.reindex(index=texts, columns=pd.MultiIndex.from_frame(keys[KEY])).to_numpy()
