"""Chapter *advice*: which measure for which question, by known truth and outcomes of claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from IPython.display import HTML
from markupsafe import Markup

from analysis.prose.claims import JudgedClaim
from analysis.prose.ledger import by_claim
from analysis.prose.messages import page_link, words
from analysis.prose.phrases import extent, listed
from analysis.results.circuits import CircuitAnswer, CircuitResults
from attention_mixing.markup import escape
from attention_mixing.messages import Words


class Advice(NamedTuple):
    """A question, and what its answer rests on.

    Attributes
    ----------
    name
        The message ``NAME_question`` says it.
    chapter
        That measures it.
    claims
        Whose outcomes decide the advice: the message ``advice_CLAIM``.
    asked
        Questions that circuits test (:data:`analysis.results.circuits.QUESTIONS`), whose answers
        are the measures to use.
    by_definition
        Whether the message ``NAME_measure`` names what measures it by definition, and, where
        circuits test nothing of it, ``NAME_truth`` why.
    """

    name: str
    chapter: str
    claims: tuple[str, ...]
    asked: tuple[str, ...] = ()
    by_definition: bool = False


# In the order of the page.
QUESTIONS = (
    Advice("layer", "mixing", ("B8", "B9"), ("layer_amount",)),
    Advice("through", "propagation", ("B7", "A9"), ("model_amount",)),
    Advice("source", "mixing", ("B20",), ("layer_source", "model_source")),
    Advice("prediction", "faithfulness", ("B11", "B1", "B3"), ("prediction", "keys")),
    Advice("near", "geometry", ("B25",), by_definition=True),
    Advice("head", "heads", ("B23",), by_definition=True),
    Advice("change", "features", ("B21",), by_definition=True),
)


def advice_table(
    claims: Sequence[JudgedClaim], circuits: CircuitResults | None, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lay out question, measures and advice; and the same a row a claim, for the download."""
    by_id = {claim.id: claim for claim in claims}
    cells, data = [], []
    for asked in QUESTIONS:
        name, chapter, deciding = asked.name, asked.chapter, asked.claims
        question, measures = w[f"{name}_question"], measures_of(asked, circuits, w)
        advised = {claim: advice_of(by_id[claim], w) for claim in deciding}
        measure = " ".join(Markup(text).striptags() for text in measures)
        link = page_link(chapter, w)
        cells.append(
            {
                w["question"]: HTML(f"{escape(question)}<br><small>{link}</small>"),
                w["measure"]: HTML("".join(f"<p>{text}</p>" for text in measures)),
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


def measures_of(advice: Advice, circuits: CircuitResults | None, w: Words) -> list[str]:
    """Say in sentences of HTML what to measure: by definition, and by the truth of circuits."""
    said = [escape(w[f"{advice.name}_measure"])] if advice.by_definition else []
    if not advice.asked:
        return [*said, f"<small>{escape(w[f'{advice.name}_truth'])}</small>"]
    if circuits is None:
        return said or [escape(w["untested_here"])]
    for question in advice.asked:
        answered = escape(answer_of(circuits.answer(question), w))
        link = f'<a href="circuits.html#tbl-questions">{escape(w[f"asked_{question}"])}</a>'
        said.append(f"<small>{link}</small><br> {answered}")
    return said


def answer_of(answer: CircuitAnswer, w: Words) -> str:
    """Name the measures that pass all circuits of a question, or else those that pass most."""
    names = words(w.language, "circuits")
    measures = answer.answering or answer.closest
    outcome = extent(answer.passed == len(answer.circuits))
    if outcome == "none" and answer.most:
        outcome = "most"
    if answer.baseline and not answer.telling:
        outcome = "baseline"
    return w.say(
        "answer",
        outcome=outcome,
        through=answer.through,
        circuits=len(answer.circuits),
        measures=listed([names[measure] for measure in measures], w),
        passed=answer.most,
        baseline=answer.baseline,
    )


def advice_of(claim: JudgedClaim, w: Words) -> str:
    """Say what follows from a claim, and what becomes of it in this run alone if that differs."""
    outcome = "divided" if claim.outcome in ("smaller", "partly") else claim.outcome
    advice = w.say(f"advice_{claim.id}", outcome=outcome)
    return w.say("advice_aside", advice=advice, aside=claim.aside) if claim.aside else advice
