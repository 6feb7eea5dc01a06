"""What circuits say of measures, beside what rests on a measure in any chapter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from markupsafe import Markup

from analysis.prose.messages import words
from analysis.prose.phrases import listed
from analysis.results.circuits import CircuitResults
from attention_mixing.markup import escape
from attention_mixing.messages import Words


def anchor(through: str, measure: str) -> str:
    """Name the row of a measure in the chapter on circuits."""
    return f"measure-{through}-{measure}"


def recovered(
    methods: Iterable[Mapping[str, str]], results: CircuitResults | None, w: Words
) -> Markup:
    """Count the circuits that measures recover, each with a link to its row.

    ``methods`` are those that a rule reads, as the stage ``rules`` writes them; ``results`` are
    None in a run without circuits. Empty where none of the methods was scored.
    """
    if results is None:
        return Markup()
    named = (results.scored_as(method["group"], method["subject"]) for method in methods)
    scored = dict.fromkeys(filter(None, named))
    names = words(w.language, "circuits")
    clauses: list[str] = []
    for through in ("layer", "model"):
        told = results.as_meant(through)
        measures = [measure for way, measure in scored if way == through]
        links: list[str] = []
        ordered = told.loc[measures].sort_values("found", ascending=False, kind="stable")
        for measure, row in ordered.iterrows():
            said = w.say(
                "recovers",
                first="no" if links else "yes",
                measure=names[str(measure)],
                n=int(row["found"]),
                baseline=int(row["baseline"]),
            )
            links.append(f'<a href="circuits.html#{anchor(through, measure)}">{escape(said)}</a>')
        if links:
            about = {"through": through, "circuits": len(results.circuits)}
            clauses.append(w.say("recovered", measures=listed(links, w), **about))
    if len(clauses) < 2:
        return Markup("".join(clauses))
    return Markup(w.say("recovered_both", first=clauses[0], second=clauses[1]))
