"""The claims as a reader goes through them: the ledger with its filter, the summary, what is open.

``ledger.html`` beside this module is the HTML of it all, which reads well without a script;
``report/assets/claims-filter.html`` adds the filter. All texts of the ledger are escaped: they come
from a file that a user may edit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import HTML
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from analysis.prose.citations import CITATION, Sources
from analysis.prose.claim_views import View, view_of_claim
from analysis.prose.claims import JudgedCase, JudgedClaim, by_model, table
from analysis.prose.messages import chapters, stale_mark
from analysis.prose.phrases import spread, written
from analysis.prose.recovered import recovered
from analysis.results.circuits import CircuitResults
from analysis.rules.verdicts import OUTCOMES
from attention_mixing.markup import escape
from attention_mixing.messages import Words

# A claim with more parts than this says only how many cases hold before it is unfolded.
SHORT = 6
# Whether a claim was tested as published.
CONDITIONS = ("same", "other")
# Of the template. Rows and items keep their lines: as one of half a million characters, the ledger
# costs Quarto, which looks for the label of a cell in the text of those before it, 85 seconds.
_INDENTATION = re.compile(r"(?<=\n)[ ]+|\n(?!\s*<(?:li|tr)\b)")
# What became of a published claim: a colour, that of what is written on it, and a sign, so that the
# colour is never the only one to tell. No sign is one of arithmetic: numbers follow it. Colours are
# Tol's high-contrast scheme, at middle lightness.
OUTCOME_COLOURS = {
    "holds": ("#4477AA", "#FFFFFF"),
    "divided": ("#DDAA33", "#1D232B"),
    "partly": ("#C3C06A", "#1D232B"),
    "smaller": ("#8A5A2B", "#FFFFFF"),
    "fails": ("#B34D5E", "#FFFFFF"),
    "open": ("#6D747D", "#FFFFFF"),
    "not_tested": (None, None),
}
OUTCOME_SIGNS = {
    "holds": "\u2713",
    "divided": "\u25d0",
    "partly": "\u25b3",
    "smaller": "\u25bd",
    "fails": "\u2717",
    "open": "?",
    "not_tested": "\u2205",
}


def ledger(
    claims: Sequence[JudgedClaim],
    sources: Sources,
    circuits: CircuitResults | None,
    index: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
    w: Words,
) -> tuple[str, pd.DataFrame]:
    """Write the filter and one entry a claim, with the id ``claim-NAME``; and all their cases.

    ``index`` is what the explorer shows (:func:`analysis.results.explorer.read_index`), to which
    claims are linked, and ``names`` are its words.
    """
    views = {claim.id: view_of_claim(claim, index) for claim in claims}
    written = _markup(w, sources, circuits, views, names)
    return str(written.ledger(claims, _choices(claims, sources, w))), table(claims)


def tiles(claims: Sequence[JudgedClaim], w: Words) -> tuple[str, pd.DataFrame]:
    """Write a tile for each claim with something at stake, by chapter and verdict, and counts."""
    order = list(OUTCOMES)
    at_stake = sorted(
        (claim for claim in claims if claim.at_stake),
        key=lambda claim: (order.index(claim.outcome), not claim.solid),
    )
    of_chapter = {name: [one for one in at_stake if one.chapter == name] for name in chapters()}
    shown = {name: group for name, group in of_chapter.items() if group}
    count = Counter(claim.conditions for claim in at_stake)
    conditions = [(name, count[name]) for name in CONDITIONS if count[name]]
    data = pd.DataFrame(
        [(name, one.id, one.outcome) for name, group in shown.items() for one in group],
        columns=["chapter", "claim", "verdict"],
    )
    return str(_markup(w).tiles(shown, conditions)), data


def summary(
    claims: Sequence[JudgedClaim], sources: Sources, circuits: CircuitResults | None, w: Words
) -> tuple[str, pd.DataFrame]:
    """Write counts of the measured claims, and a table of those for the abstract.

    Parameters
    ----------
    claims
        All claims; what has nothing at stake is not counted.
    sources
        As the text cites them.
    circuits
        What measures recover where the truth is known; None in a run that does not say.
    """
    at_stake = [claim for claim in claims if claim.at_stake]
    markup = str(_markup(w, sources, circuits).summary(at_stake))
    return markup, table([claim for claim in claims if claim.headline])


def needs(claims: Sequence[JudgedClaim], w: Words) -> str:
    """List what would decide the claims that are open, and below it what would repeat the others.

    Claims with the same need stand together.
    """
    still = _by_need(claim for claim in claims if claim.open)
    other = _by_need(claim for claim in claims if not claim.open and not claim.solid)
    return str(_markup(w).needs(still, other))


def otherwise(claims: Sequence[JudgedClaim], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lay out a row for every tested claim at stake: its verdict, and those of other ways."""
    written = _markup(w)
    judged = [claim for claim in claims if claim.at_stake and claim.outcome != "not_tested"]
    cells: list[dict[str, HTML]] = []
    for claim in judged:
        link = f'<a href="#claim-{escape(claim.id)}" title="{escape(claim.statement)}">'
        row = {w["claim"]: HTML(f"{link}{escape(claim.id)}</a>")}
        row[w["verdict"]] = HTML(str(written.told(claim.outcome, claim.solid)))
        for way, outcome in (claim.otherwise or {}).items():
            cell = "" if outcome is None else str(written.sign(outcome, solid=False))
            if outcome is not None and way in claim.turned:
                cell += f" <b>{escape(w[outcome])}</b>"
            row[w[f"otherwise_{way}"]] = HTML(cell)
        cells.append(row)
    data = [
        {"claim": claim.id, "verdict": claim.outcome, **(claim.otherwise or {})} for claim in judged
    ]
    return pd.DataFrame(cells), pd.DataFrame(data)


def by_claim(lines: Mapping[str, Sequence[JudgedClaim]], w: Words) -> str:
    """List sentences, each with the claims that it rests on."""
    return str(_markup(w).by_claim(lines))


def _markup(
    w: Words,
    sources: Sources | None = None,
    circuits: CircuitResults | None = None,
    views: Mapping[str, View | None] | None = None,
    names: Mapping[str, str] | None = None,
) -> Any:
    """Macros of the template, in the language of the words; ``views`` are by claim."""
    environment = Environment(autoescape=True, finalize=_escaped, undefined=StrictUndefined)
    template = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    return environment.from_string(_INDENTATION.sub("", template)).make_module(
        {
            "w": w,
            "sources": sources,
            "citation": CITATION,
            "colours": OUTCOME_COLOURS,
            "signs": OUTCOME_SIGNS,
            "short": SHORT,
            "views": views or {},
            "names": names or {},
            "stale": Markup(stale_mark(w)),
            "outcomes": _outcomes,
            "by_model": by_model,
            "extent": extent,
            "recovered": lambda claim: recovered(claim.methods, circuits, w),
            "tally": tally,
            "numbers": _numbers,
            "values": _values,
            "value": _value,
            "bounds": _bounds,
        }
    )


def _escaped(value: Any) -> Markup:
    return value if isinstance(value, Markup) else Markup(escape(value))


def _choices(
    claims: Sequence[JudgedClaim], sources: Sources, w: Words
) -> dict[str, list[tuple[str, str, str]]]:
    """List what the filter chooses by: value, text and numbers of claims of every choice."""
    by_source = {key for claim in claims for key in claim.source}
    cited = sorted(((key, sources[key].short) for key in by_source), key=lambda one: one[1].lower())
    # What of a claim is chosen by, and in what order.
    lists: dict[str, tuple[Callable[[JudgedClaim], Sequence[str | None]], Iterable[Any]]] = {
        "verdict": (lambda claim: (claim.outcome,), [(name, w[name]) for name in OUTCOMES]),
        "kind": (
            lambda claim: (claim.filed,),
            [(kind, w[f"kind_{kind}"]) for kind in sorted({claim.filed for claim in claims})],
        ),
        "conditions": (lambda claim: (claim.conditions,), [(n, w[n]) for n in CONDITIONS]),
        "chapter": (
            lambda claim: (claim.chapter,),
            [
                (name, w[f"chapter_{name}"])
                for name in chapters()
                if any(claim.chapter == name for claim in claims)
            ],
        ),
        "source": (lambda claim: claim.source, cited),
    }
    return {
        name: [
            (value, text, _numbers(claim for claim in claims if value in of(claim)))
            for value, text in options
        ]
        for name, (of, options) in lists.items()
    }


def _numbers(claims: Iterable[JudgedClaim]) -> str:
    """Count claims with something at stake and, behind a plus sign, those behind the fold."""
    count = Counter(claim.at_stake for claim in claims)
    return f"{count[True]} + {count[False]}" if count[False] else str(count[True])


def _outcomes(outcomes: Iterable[str]) -> list[tuple[str, int]]:
    """Count outcomes, in the order of the signs."""
    count = Counter(outcomes)
    return [(outcome, count[outcome]) for outcome in OUTCOME_SIGNS if count[outcome]]


def extent(claim: JudgedClaim, w: Words) -> str:
    """Say in how many models a claim holds, and from how many pretrained ones these come."""
    encoders = len({model.encoder for model in claim.models})
    counts = {"held": claim.units["holds"], "of": len(claim.models), "encoders": encoders}
    trained = "no" if encoders == len(claim.models) else "yes"
    return w.say("extent", outcome=claim.outcome, trained=trained, **counts)


def _values(label: str | None, cases: Sequence[JudgedCase], form: str, w: Words) -> str:
    """Say between what numbers the cases of a part of a claim lie, of those that decide if any."""
    cases = [case for case in cases if case.decides] or cases
    if len(cases) == 1 and (cases[0].where or cases[0].low is not None):
        text = _value(cases[0], form, w)
    else:
        values = [case.value for case in cases]
        text = spread(min(values), max(values), form, w)
    return f"{label}{w['colon']}{text}" if label else text


def tally(claim: JudgedClaim, w: Words) -> str:
    """Say in how many models it holds, or in how many cases, and between what numbers these lie.

    The claim has a case at least.
    """
    cases = [case for case in claim.cases if case.decides]
    units, total = claim.units, claim.units.total()
    unit = "model" if claim.models else "case"
    if len(units) == 1:
        (outcome,) = units
        every = w.say(f"every_{unit}", n=total)
        text = w.say(f"all_{outcome}", every=every) if total > 1 else w[outcome]
    else:
        counts = [
            w.say(f"of_{outcome}", n=units[outcome]) for outcome in OUTCOMES if units[outcome]
        ]
        text = w.say(f"of_{unit}", n=total, outcomes=w["comma"].join(counts))
    values = [case.value for case in cases]
    # Parts of a claim are numbers of different things, of which there is no range.
    if len({case.label for case in cases}) == 1:
        text += w["semicolon"] + w["values"].format(
            values=spread(min(values), max(values), claim.form, w)
        )
    return text


def _value(case: JudgedCase, form: str, w: Words) -> str:
    value = written(case.value, form)
    if case.low is None or case.high is None:
        return value
    return w["interval"].format(value=value, range=spread(case.low, case.high, form, w))


def _bounds(case: JudgedCase, form: str, w: Words) -> str:
    """Say where the value of a case has to be."""
    if case.allowed is None:
        return ""
    low, high = (
        None if case.allowed[end] is None else written(float(case.allowed[end] or 0), form)
        for end in ("low", "high")
    )
    if low is None or high is None:
        return w.say("bounds_above", low=low) if low else w.say("bounds_below", high=high)
    if low == high:
        return low
    return w.say(
        "bounds_between" if case.allowed["inside"] else "bounds_outside", low=low, high=high
    )


def _by_need(claims: Iterable[JudgedClaim]) -> dict[str, list[JudgedClaim]]:
    groups: dict[str, list[JudgedClaim]] = {}
    for claim in claims:
        if claim.needs:
            groups.setdefault(claim.needs, []).append(claim)
    return groups
