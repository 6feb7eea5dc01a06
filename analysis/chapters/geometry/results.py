"""What fine-tuning changed of the score that the explorer opens with."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from analysis.paths import EXPLORER, result
from attention_mixing.artifacts import read_artifact

# From this share of the change on, it is that of one side; a margin of ours.
OF_ONE_SIDE = 0.75
SIDES = ("query", "key")


class ChangeOfScore(NamedTuple):
    """A change of a score, as :func:`analysis.site.score.change_of_score` gives it.

    Attributes
    ----------
    about
        All but its sources.
    sources
        ``side, kind, layer, embedding, change``, a row a source.
    """

    about: dict[str, Any]
    sources: pd.DataFrame

    @property
    def whole(self) -> float:
        """By how much the score has changed."""
        return float(self.about["after"] - self.about["before"])

    @property
    def shares(self) -> dict[str, float]:
        """Share of what came by sources that came by each side."""
        by_side = self.sources.groupby("side")["change"].sum()
        return {side: float(by_side[side] / by_side.sum()) for side in SIDES}

    @property
    def side(self) -> str:
        """Side by which most of it came: ``query``, ``key``, or ``both``."""
        return next((side for side, share in self.shares.items() if share >= OF_ONE_SIDE), "both")

    @property
    def largest(self) -> pd.Series:
        """The source that has changed most."""
        row: pd.Series = self.sources.loc[self.sources["change"].abs().idxmax()]
        return row


def read_change() -> ChangeOfScore | None:
    """Read what the stage *explorer* has found; None where it has no such change."""
    found = read_artifact(result(EXPLORER.name, "score.json"), dict[str, Any] | None)
    if found is None:
        return None
    about = {name: value for name, value in found.items() if name != "sources"}
    return ChangeOfScore(about, pd.DataFrame(found["sources"]))
