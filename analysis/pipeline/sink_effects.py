"""What arms of the experiment on sinks come to over seeds and texts."""

from __future__ import annotations

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
PARTS = [f"{part}{end}" for part in ("rise", "removed", "beyond", "accuracy") for end in ENDS]

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
        the same learning rate; and ``beyond``: the rise less that of the clamped arm.
        ``accuracy``: less that of the free arm, which is read as it was trained. Each with ``_low``
        and ``_high``; not a number where there is none.
    """
    read, right = _dependence(outcomes), _cells(outcomes[outcomes["quantity"] == "right"])
    rises = {
        reading: cells - read[reading.before]
        for reading, cells in read.items()
        if reading != reading.before
    }
    rows: list[dict[str, Any]] = []
    for reading, rise in rises.items():
        row: dict[str, Any] = reading._asdict() | _named("rise", rise, bootstrap)
        rate = reading.learning_rate or main_rate
        free = rises.get(ReadWeights(FREE, rate))
        clamped = rises.get(ReadWeights(CLAMPED, rate, "held", "special", PRETRAINED))
        if reading.is_arm and free is not None:
            if _named("free", free, bootstrap)["free_low"] > asked:
                ratio = ratio_of_means(rise, free, confidence=bootstrap.confidence)
                bounds = (ratio.ratio, ratio.high, ratio.low)
                row |= dict(zip(PARTS[3:6], (1 - bound for bound in bounds), strict=True))
        if reading.is_arm and clamped is not None:
            row |= _named("beyond", rise - clamped, bootstrap)
        if reading in right and ReadWeights(FREE, rate) in right:
            gained = right[reading] - right[ReadWeights(FREE, rate)]
            row |= _named("accuracy", gained, bootstrap)
        rows.append(row)
    return pd.DataFrame(rows, columns=[*ReadWeights._fields, *PARTS])


def _dependence(outcomes: pd.DataFrame) -> dict[ReadWeights, Cells]:
    """Take what is asked of all texts."""
    asked = outcomes[outcomes["quantity"] == MAIN]
    return _cells(asked[asked["layer"] == asked["layer"].max()])


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
