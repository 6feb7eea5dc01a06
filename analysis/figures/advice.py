"""What the verdicts of the chapter *claims* advise whoever draws pictures of attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analysis.figures.words import Words

# In the order of the page. What an outcome advises is the message advice_CLAIM_OUTCOME; an outcome
# without one advises nothing.
ADVISED = ("B8", "B1", "B3", "A9", "B7", "B11", "B25", "B23")


class Advice(NamedTuple):
    """What a reader should do, and the claim on which it rests."""

    claim: str
    sentence: str


def advice(outcomes: Mapping[str, str], w: Words) -> list[Advice]:
    """Say what to do with pictures of attention, as far as the claims have been decided.

    Parameters
    ----------
    outcomes
        Claim -> outcome.
    w
        Words of the page.
    """
    decided = [claim for claim in ADVISED if claim in outcomes]
    names = {claim: f"advice_{claim}_{outcomes[claim]}" for claim in decided}
    return [Advice(claim, w[name]) for claim, name in names.items() if name in w]
