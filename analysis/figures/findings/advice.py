"""What the verdicts of the chapter *claims* advise whoever draws pictures of attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analysis.figures.findings.claims import OUTCOMES
from analysis.figures.words import Words

# In the order of the page. What a verdict advises is the message advice_CLAIM_OUTCOME; an outcome
# without one advises nothing.
ADVISED = ("B8", "B1", "B3", "A9", "B7", "B11", "B25", "B23")


class Advice(NamedTuple):
    """What a reader should do, and the claim on whose verdict it rests."""

    claim: str
    sentence: str


def advice(verdicts: Mapping[str, str], w: Words) -> list[Advice]:
    """Say what to do with pictures of attention, as far as the claims have been decided.

    Parameters
    ----------
    verdicts
        Claim -> verdict.
    w
        Words of the page.
    """
    decided = [claim for claim in ADVISED if claim in verdicts]
    names = {claim: f"advice_{claim}_{OUTCOMES[verdicts[claim]]}" for claim in decided}
    return [Advice(claim, w[name]) for claim, name in names.items() if name in w]
