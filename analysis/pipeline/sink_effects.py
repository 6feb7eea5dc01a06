"""What arms of the experiment on sinks come to over seeds and texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.methods.bootstrap import MeanInterval, mean_interval
from attention_mixing.methods.fieller import ratio_of_means
from attention_mixing.settings.measures import Bootstrap

TABLES = ("outcomes", "heads", "keys", "path")  # of the stage arms
PRETRAINED, FREE, CLAMPED = "pretrained", "free", "clamped"
MAIN = "dependence"  # what is asked, at the last layer
# Quantities of texts that are scored; all others are of those whose tokens are replaced.
SCORED = ("right", "loss", "divergence", "length", "spread", "sinks")
ENDS = ("", "_low", "_high")
PARTS = [
    f"{part}{end}"
    for part in ("rise", "removed", "removed_odds", "beyond", "accuracy")
    for end in ENDS
]
NEAREST = 1e-4  # of dependence to 0 and 1, in log-odds

Cells = NDArray[np.float64]
"""``[seed, text]``"""


class ReadWeights(NamedTuple):
    """Weights, their learning rate (0 of none), and in which way they are read."""

    weights: str
    learning_rate: float
    what: str = "free"
    keys: str = ""
    shares: str = ""
    bias: float = 0.0

    @property
    def before(self) -> ReadWeights:
        """What it is compared with.

        Pretrained weights, read in the same way. Where their shares follow what is replaced they
        are as they are, and beside the shares of the free arm they have their own. Of a dose, and
        of what is done to pretrained weights, the same weights as they are.
        """
        if self.what == "biased":
            return ReadWeights(self.weights, self.learning_rate)
        if self.what == "following" or (self.weights, self.shares) == (PRETRAINED, PRETRAINED):
            return ReadWeights(PRETRAINED, 0.0)
        if self.weights == PRETRAINED and self.shares != FREE:
            return ReadWeights(PRETRAINED, 0.0)
        own = PRETRAINED if self.shares == FREE else self.shares
        return self._replace(weights=PRETRAINED, learning_rate=0.0, shares=own)

    @property
    def is_arm(self) -> bool:
        """Whether it says what fine-tuning does, if with an intervention or by shares alone."""
        return self.what != "biased" and (self.weights != PRETRAINED or self.shares == FREE)


def levels(outcomes: pd.DataFrame, bootstrap: Bootstrap) -> pd.DataFrame:
    """Average every quantity, over all seeds and texts and of each seed.

    Parameters
    ----------
    outcomes
        Of one corpus, as the stage *arms* writes them, with the ``seed``.
    bootstrap
        How texts are resampled, and seeds where there are enough.

    Returns
    -------
    DataFrame
        The names of ``outcomes``; ``seed``, null of all of them; ``mean, low, high, texts``.
    """
    tables = []
    scored = outcomes["quantity"].isin(SCORED)
    for same_texts in (outcomes[scored], outcomes[~scored]):
        names = [*ReadWeights._fields, "quantity", "layer", "seed", "text"]
        wide = same_texts.set_index(names)["value"].unstack(["seed", "text"])
        seeds = wide.columns.unique("seed")
        for seed, of_seeds in [(None, [*seeds]), *((seed, [seed]) for seed in seeds)]:
            cells = np.stack([wide[one].to_numpy().T for one in of_seeds])
            found = _interval(cells, bootstrap)._asdict()
            tables.append(wide.index.to_frame(index=False).assign(seed=seed, **found))
    return pd.concat([one.astype({"seed": "Int64"}) for one in tables], ignore_index=True)


def effects(
    outcomes: pd.DataFrame, bootstrap: Bootstrap, *, main_rate: float, asked: float
) -> pd.DataFrame:
    """Compare all weights, in all ways in which they are read, with what they were before.

    Parameters
    ----------
    outcomes, bootstrap
        As in :func:`levels`.
    main_rate
        The learning rate of the arms that pretrained weights are compared with.
    asked
        By how much dependence has to rise in the free arm, with its interval, for it to be asked
        which part of that an arm removes.

    Returns
    -------
    DataFrame
        The fields of :class:`ReadWeights`. ``rise``: dependence at the last layer less that of
        :attr:`ReadWeights.before`. Of arms ``removed``: 1 less the rise by that of the free arm at
        the same learning rate; ``removed_odds``, the same of rises of log-odds, which have no
        ceiling; and ``beyond``: the rise less that of the clamped arm.
        ``accuracy``: less that of the free arm, which is read as it was trained. Each with ``_low``
        and ``_high``; not a number where there is none.
    """
    found, right = _rises(outcomes), _cells(outcomes[outcomes["quantity"] == "right"])
    odds = _rises(outcomes, _log_odds)
    rows: list[dict[str, Any]] = []
    for reading, rise in found.items():
        row: dict[str, Any] = reading._asdict() | _named("rise", rise, bootstrap)
        rate = reading.learning_rate or main_rate
        whole = ReadWeights(FREE, rate)
        clamped = found.get(ReadWeights(CLAMPED, rate, "held", "special", PRETRAINED))
        if reading.is_arm and whole in found:
            if _named("free", found[whole], bootstrap)["free_low"] > asked:
                row |= _removed("removed", rise, found[whole], bootstrap)
                row |= _removed("removed_odds", odds[reading], odds[whole], bootstrap)
        if reading.is_arm and clamped is not None:
            row |= _named("beyond", rise - clamped, bootstrap)
        if reading in right and whole in right:
            gained = right[reading] - right[whole]
            row |= _named("accuracy", gained, bootstrap)
        rows.append(row)
    return pd.DataFrame(rows, columns=[*ReadWeights._fields, *PARTS])


def rises_by_seed(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Average the rises of :func:`effects` over texts: the fields, ``seed``, ``rise``."""
    seeds = sorted(outcomes["seed"].unique())
    rows = [
        (*reading, seed, float(rise))
        for reading, cells in _rises(outcomes).items()
        for seed, rise in zip(seeds, cells.mean(axis=1), strict=True)
    ]
    return pd.DataFrame(rows, columns=[*ReadWeights._fields, "seed", "rise"])


def _rises(
    outcomes: pd.DataFrame, scale: Callable[[Cells], Cells] = lambda cells: cells
) -> dict[ReadWeights, Cells]:
    """Subtract from dependence at the last layer what it is compared with, of all texts."""
    asked = outcomes[outcomes["quantity"] == MAIN]
    read = _cells(asked[asked["layer"] == asked["layer"].max()])
    read = {reading: scale(cells) for reading, cells in read.items()}
    return {
        reading: cells - read[reading.before]
        for reading, cells in read.items()
        if reading != reading.before
    }


def _log_odds(cells: Cells) -> Cells:
    share = cells.clip(NEAREST, 1 - NEAREST)
    return np.asarray(np.log(share / (1 - share)))


def _removed(name: str, rise: Cells, free: Cells, bootstrap: Bootstrap) -> dict[str, float]:
    """Compute which part of the rise of the free arm is gone, with the interval of Fieller."""
    ratio = ratio_of_means(rise, free, confidence=bootstrap.confidence)
    bounds = (ratio.ratio, ratio.high, ratio.low)
    return {f"{name}{end}": 1 - bound for end, bound in zip(ENDS, bounds, strict=True)}


def _cells(rows: pd.DataFrame) -> dict[ReadWeights, Cells]:
    names = [*ReadWeights._fields, "seed", "text"]
    table = rows.set_index(names)["value"].unstack("text")
    seeds = rows["seed"].nunique()
    return {
        ReadWeights(*key): found.to_numpy()
        for key, found in table.groupby(level=[*ReadWeights._fields], sort=False)
        if len(found) == seeds
    }


def _named(name: str, cells: Cells, bootstrap: Bootstrap) -> dict[str, float]:
    found = _interval(cells, bootstrap)
    return {f"{name}{end}": float(value) for end, value in zip(ENDS, found[:3], strict=True)}


def _interval(cells: NDArray[np.float64], bootstrap: Bootstrap) -> MeanInterval:
    """Average ``[seed, text, ...]``."""
    return mean_interval(
        cells,
        resamples=bootstrap.resamples,
        confidence=bootstrap.confidence,
        seed=bootstrap.seed,
    )
