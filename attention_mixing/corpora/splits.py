"""Which texts are of train, validation and test: drawn in the proportions of their classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from attention_mixing.corpora.corpus import SPLITS
from attention_mixing.errors import InputError, quoted
from attention_mixing.settings.sources import GivenData


def draw_splits(
    data: GivenData,
    tables: dict[str, pd.DataFrame],
    stratum: str,
    hold_out: Callable[
        [pd.DataFrame, float, np.random.Generator], tuple[pd.DataFrame, pd.DataFrame]
    ],
    shuffle_test: bool = True,
) -> pd.DataFrame:
    """Draw the rows of every split; those of validation come from ``train``, never from ``test``.

    Where no test rows are given, ``data.test_fraction`` of all rows is set aside first.

    Parameters
    ----------
    data
        Seed, limits and validation fraction are read from it. ``limits.train`` bounds what is drawn
        from ``train`` before the validation rows are split off.
    tables
        ``train`` and ``test``, or one of them: one row a text.
    stratum
        Column, such as the label, in whose proportions limits draw.
    hold_out
        Splits rows in two, both shuffled, the second with that share of them.
    shuffle_test
        Whether the test rows are shuffled or keep their order.

    Returns
    -------
    pandas.DataFrame
        The rows with their ``split``, in the order train, validation, test.

    Raises
    ------
    InputError
        If a limit is too low, or as ``hold_out``.
    """
    # A stream of its own for each: another train file or limit leaves the test texts alone.
    of_train, of_test = (
        np.random.Generator(np.random.PCG64([data.seed, SPLITS.index(split)]))
        for split in ("train", "test")
    )
    splits = {}
    if data.test_fraction is not None:
        train, test = hold_out(tables["train"], data.test_fraction, of_test)
        tables = {"train": train, "test": test}
    if "train" in tables:
        train = tables["train"]
        train = train.iloc[_drawn(train[stratum], data.limits.train, "train", of_train)]
        splits["train"], splits["validation"] = hold_out(train, data.validation_fraction, of_train)
    test = tables["test"]
    indices = _drawn(test[stratum], data.limits.test, "test", of_test)
    splits["test"] = test.iloc[of_test.permutation(indices) if shuffle_test else indices]
    return pd.concat([rows.assign(split=split) for split, rows in splits.items()])


def hold_out_by_class(
    table: pd.DataFrame, fraction: float, rng: np.random.Generator, names: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split rows in two, each class in the same proportion.

    Parameters
    ----------
    table
        Rows with a ``label``, a number of a class.
    fraction
        Share of the rows to be held out; of every class one row at least is, and one is not.
    rng
        Source of random numbers.
    names
        Of the classes, for messages; empty without labels.

    Returns
    -------
    train, held_out : pandas.DataFrame
        Both shuffled.

    Raises
    ------
    InputError
        If a class has a single row.
    """
    training, held_out = [], []
    for label in np.unique(table["label"]):
        members = rng.permutation(np.flatnonzero(table["label"] == label))
        if len(members) < 2:
            of_class = f" of the class {quoted(names[label])}" if names else ""
            raise InputError(
                f"data.train gives {len(members)} text{of_class} (what is set aside for the test "
                "and data.limits.train applied); allowed: at least 2, one to train on and one to "
                "validate on; add texts or raise the limit."
            )
        size = min(max(round(fraction * len(members)), 1), len(members) - 1)
        held_out.append(members[:size])
        training.append(members[size:])
    train, validation = (
        table.iloc[rng.permutation(np.concatenate(rows))] for rows in (training, held_out)
    )
    return train, validation


def repetitions(examples: pd.DataFrame) -> dict[str, str]:
    """Count rows that repeat an earlier text of their source, and texts that both sources hold.

    Train and validation are one source: what repeats between them repeats inside ``train``. The
    numbers are texts.
    """
    from_test = examples["split"] == "test"
    test = set(examples.loc[from_test, "text"])
    rest = set(examples.loc[~from_test, "text"])
    return {
        "duplicates": str(len(examples) - len(test) - len(rest)),
        "shared_between_splits": str(len(test & rest)),
    }


def _drawn(
    values: pd.Series, limit: int | None, split: str, rng: np.random.Generator
) -> np.ndarray:
    """Draw at most ``limit`` rows in the proportions of their values.

    Parameters
    ----------
    values
        One a row: a class, or whether a question is unanswerable.
    limit
        None draws all.
    split
        How messages name the limit.
    rng
        Source of random numbers.

    Returns
    -------
    array of int [drawn]
        Row numbers in increasing order.

    Raises
    ------
    InputError
        If the limit is below the number of different values.
    """
    if limit is None or limit >= len(values):
        return np.arange(len(values))
    _, strata, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if limit < len(sizes):
        raise InputError(
            f"data.limits.{split} is {limit}, but there are {len(sizes)} classes; allowed: at "
            "least one text a class, or null for all texts; raise it."
        )
    # Largest remainders, but no class is left out.
    shares = sizes * limit / sizes.sum()
    quotas = np.maximum(np.floor(shares).astype(np.int64), 1)
    while (gap := limit - quotas.sum()) != 0:
        remainders = shares - quotas
        if gap > 0:
            quotas[np.argmax(remainders)] += 1
        else:
            quotas[np.argmin(np.where(quotas > 1, remainders, np.inf))] -= 1
    indices = [
        rng.permutation(np.flatnonzero(strata == stratum))[:quota]
        for stratum, quota in enumerate(quotas)
    ]
    return np.sort(np.concatenate(indices))
