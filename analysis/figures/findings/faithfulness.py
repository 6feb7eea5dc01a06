"""What the front page finds about methods of explanation."""

from __future__ import annotations

import pandas as pd

KNOW_NOTHING = ("random", "uniform")


def best_method(auc: pd.DataFrame) -> str:
    """Name the method with the largest mean over experiments."""
    judged = auc[~auc["of"].isin(KNOW_NOTHING)]
    return str(judged.groupby("of", sort=False)["mean"].mean().idxmax())


def below_chance(auc: pd.DataFrame) -> list[str]:
    """Names of the methods that rank the evidence worse than chance in every experiment."""
    highest = auc.groupby("of", sort=False)["high"].max()
    return list(highest.index[highest < 0.5])
