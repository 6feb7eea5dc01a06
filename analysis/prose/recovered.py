"""What a measure that a claim or finding rests on recovers where the truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from markupsafe import Markup

from analysis.prose.messages import words
from analysis.prose.phrases import listed
from analysis.results.circuits import CircuitResults
from attention_mixing.markup import escape
from attention_mixing.words import Words


def anchor(through: str, measure: str) -> str:
    """Name the row of a measure in the chapter on circuits."""
    return f"measure-{through}-{measure}"


def recovered(
    methods: Iterable[Mapping[str, str]], results: CircuitResults | None, w: Words
) -> Markup:
    """Count the circuits that measures recover, each with a link to its row.

    Parameters
    ----------
    methods
        That a rule reads, as the stage ``rules`` writes them.
    results
        Of the circuits; None in a run without them.
    w
        Words of the page's language.

    Returns
    -------
    Markup
        Empty where none of the methods was scored.
    """
    if results is None:
        return Markup()
    scored = dict.fromkeys(filter(None, (results.scored_as(**method) for method in methods)))
    names = words(w.language, "circuits")
    clauses: list[str] = []
    for through in ("layer", "model"):
        found = results.finds(through).sum()
        measures = [measure for way, measure in scored if way == through]
        links: list[str] = []
        for measure, count in found[measures].sort_values(ascending=False, kind="stable").items():
            said = w.say(
                "recovers", first="no" if links else "yes", measure=names[measure], n=int(count)
            )
            links.append(f'<a href="circuits.html#{anchor(through, measure)}">{escape(said)}</a>')
        if links:
            about = {"through": through, "circuits": len(results.circuits)}
            clauses.append(w.say("recovered", measures=listed(links, w), **about))
    if len(clauses) < 2:
        return Markup("".join(clauses))
    return Markup(w.say("recovered_both", first=clauses[0], second=clauses[1]))
