"""Chapter *advice*: which measure for which question, as the claims have come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from IPython.display import HTML

from analysis.prose.claims import JudgedClaim
from analysis.prose.ledger import by_claim
from analysis.prose.messages import page_link
from attention_mixing.markup import escape
from attention_mixing.words import Words


class Advice(NamedTuple):
    """A question, and what its answer rests on.

    Attributes
    ----------
    name
        The messages ``NAME_question`` and ``NAME_measure`` say it.
    chapter
        That measures it.
    claims
        Whose outcomes decide the advice: the message ``advice_CLAIM``.
    """

    name: str
    chapter: str
    claims: tuple[str, ...]


# In the order of the page.
QUESTIONS = (
    Advice("layer", "mixing", ("B8", "B9")),
    Advice("through", "propagation", ("B7", "A9")),
    Advice("source", "mixing", ("B20",)),
    Advice("prediction", "faithfulness", ("B11", "B1", "B3")),
    Advice("near", "geometry", ("B25",)),
    Advice("head", "heads", ("B23",)),
    Advice("change", "features", ("B21",)),
)


def advice_table(claims: Sequence[JudgedClaim], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lay out question, measure and advice; and the same a row a claim, for the download."""
    by_id = {claim.id: claim for claim in claims}
    cells, data = [], []
    for name, chapter, deciding in QUESTIONS:
        question, measure = w[f"{name}_question"], w[f"{name}_measure"]
        advised = {claim: advice_of(by_id[claim], w) for claim in deciding}
        link = page_link(chapter, w)
        cells.append(
            {
                w["question"]: HTML(f"{escape(question)}<br><small>{link}</small>"),
                w["measure"]: measure,
                w["advice"]: HTML(
                    by_claim({advised[claim]: [by_id[claim]] for claim in deciding}, w)
                ),
            }
        )
        data += [
            {"question": question, "measure": measure, "claim": claim}
            | {"outcome": by_id[claim].outcome, "advice": advised[claim]}
            for claim in deciding
        ]
    return pd.DataFrame(cells), pd.DataFrame(data)


def advice_of(claim: JudgedClaim, w: Words) -> str:
    """Say what follows from a claim, and what becomes of it in this run alone if that differs."""
    outcome = {"smaller": "fails", "partly": "divided"}.get(claim.outcome, claim.outcome)
    advice = w.say(f"advice_{claim.id}", outcome=outcome, why=claim.untested or "")
    return w.say("advice_aside", advice=advice, aside=claim.aside) if claim.aside else advice
