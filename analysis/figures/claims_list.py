"""The claims as a reader goes through them: the ledger with its filter, the summary, what is open.

Everything is HTML that reads well without a script; ``report/assets/claims-filter.html`` adds the
filter. All texts of the ledger are escaped: they come from a file that a user may edit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from analysis.claims.verdicts import CONSISTENT
from analysis.figures.claim_sources import CITATION, Source
from analysis.figures.claim_words import CHAPTERS
from analysis.figures.claims import Case, Claim, in_order
from analysis.figures.findings.advice import Advice
from analysis.figures.findings.claims import OUTCOMES
from analysis.figures.findings.phrases import span
from analysis.figures.markup import escape
from analysis.figures.style import OUTCOME_COLOURS, OUTCOME_SIGNS
from analysis.figures.words import Words

Sources = Mapping[str, Source]
"""Key -> source."""
# A claim with more parts than this says only how many cases hold before it is unfolded.
SHORT = 6


def sign(outcome: str, solid: bool, name: str = "") -> str:
    """Draw the sign of an outcome, as in the figure: filled as published, else pale.

    Parameters
    ----------
    outcome
        One of :data:`analysis.figures.style.OUTCOME_SIGNS`.
    solid
        Whether it is filled.
    name
        Of the claim; stands beside the sign.
    """
    colour, on_colour = OUTCOME_COLOURS[outcome]
    kind = "none" if colour is None else "solid" if solid else "pale"
    style = "" if colour is None else f' style="--tone: {colour}; --on-tone: {on_colour}"'
    mark = f'<span aria-hidden="true">{OUTCOME_SIGNS[outcome]}</span>'
    return (
        f'<span class="sign sign-{kind}"{style}>{mark}{escape(f" {name}" if name else "")}</span>'
    )


def ledger(found: Sequence[Claim], sources: Sources, w: Words) -> str:
    """Write the filter and one entry a claim, with the id ``claim-NAME``."""
    items = "".join(_entry(one, sources, w) for one in found)
    return (
        f"{_filter(found, sources, w)}"
        f'<ul class="claims" aria-label="{escape(w["ledger"])}">{items}</ul>'
    )


def _filter(found: Sequence[Claim], sources: Sources, w: Words) -> str:
    """Write lists of what there is to choose; the script that they need shows them."""
    by_outcome = Counter(one.outcome for one in found)
    by_verdict = Counter(one.verdict for one in found)
    verdicts = []
    for outcome, members in groupby(OUTCOMES, key=OUTCOMES.__getitem__):
        group = list(members)
        verdicts.append((outcome, w[outcome], by_outcome[outcome]))
        if len(group) > 1:
            verdicts += [
                (name, w["filter_indent"].format(choice=w[f"verdict_{name}"]), by_verdict[name])
                for name in group
            ]
    by_chapter = Counter(one.chapter for one in found)
    chapters = [
        (name, w[f"chapter_{name}"], by_chapter[name]) for name in CHAPTERS if by_chapter[name]
    ]
    by_source = Counter(key for one in found for key in one.source)
    cited = sorted(
        ((key, sources[key].short, count) for key, count in by_source.items()),
        key=lambda option: option[1].casefold(),
    )
    lists = "".join(
        _select(name, options, len(found), w)
        for name, options in (("verdict", verdicts), ("chapter", chapters), ("source", cited))
    )
    count = escape(w["filter_count"])
    return (
        f'<form class="claim-filter" aria-label="{escape(w["filter"])}" hidden>{lists}'
        f'<label>{escape(w["filter_text"])} <input type="search" name="text" autocomplete="off">'
        f'</label><p><output data-count="{count}"></output> '
        f'<button type="reset">{escape(w["filter_reset"])}</button></p></form>'
    )


def _select(name: str, options: Sequence[tuple[str, str, int]], total: int, w: Words) -> str:
    said = [("", w["filter_all"].format(count=total))] + [
        (value, w["filter_option"].format(choice=text, count=count))
        for value, text, count in options
    ]
    shown = "".join(f'<option value="{escape(v)}">{escape(text)}</option>' for v, text in said)
    return f'<label>{escape(w[f"filter_{name}"])} <select name="{name}">{shown}</select></label>'


def _entry(one: Claim, sources: Sources, w: Words) -> str:
    verdict = w[f"verdict_{one.verdict}"]
    kinds = " ".join(dict.fromkeys((one.outcome, one.verdict)))
    cited = w["comma"].join(_cited(key, sources) for key in one.source)
    said = [(w["published"], _text(one.published, sources)), (w["here"], _here(one, w))]
    if one.needs and _is_open(one):
        said.append((w["needs"], escape(one.needs)))
    # Where nothing was measured there is no evidence either.
    evidence = (
        ""
        if one.outcome == "not_tested"
        else f'<span aria-hidden="true"> · </span>{escape(w["evidence"])}{escape(w["colon"])}'
        f"{_evidence(one, w)}"
    )
    return (
        f'<li class="claim" id="{_anchor(one.id)}" data-verdict="{escape(kinds)}" '
        f'data-chapter="{escape(one.chapter)}" data-source="{escape(" ".join(one.source))}">'
        f'<p class="claim-verdict"><a href="#{_anchor(one.id)}">'
        f"{sign(one.outcome, one.solid, one.id)}</a> {escape(verdict)}</p>"
        f'<div><p class="claim-statement">{escape(one.statement)}</p>'
        f'<p class="claim-source">{cited}{evidence}</p>'
        f'<dl class="claim-values">{_said(said)}</dl>{_details(one, w)}</div></li>'
    )


def _anchor(name: str) -> str:
    return f"claim-{escape(name)}"


def _cited(key: str, sources: Sources) -> str:
    """Write a citation as both renderers do, so that hovering over it does the same."""
    source = sources[key]
    if source.title is None:
        return escape(source.short)
    return (
        f'<span class="citation" data-cites="{escape(key)}"><a href="#ref-{escape(key)}" '
        f'role="doc-biblioref" title="{escape(source.title)}">{escape(source.short)}</a></span>'
    )


def _text(text: str, sources: Sources, *, linked: bool = True) -> str:
    """Write a text of the ledger, in which a citation stands as in the sources of the pages."""
    pieces = CITATION.split(text)
    for index, piece in enumerate(pieces):
        if index % 2 == 0:
            pieces[index] = escape(piece)
        else:
            cited = _cited(piece, sources) if linked else escape(sources[piece].short)
            pieces[index] = f"({cited})"
    return "".join(pieces)


def _evidence(one: Claim, w: Words) -> str:
    kind, dash, _ = one.evidence.partition("-")
    where = w[f"chapter_{one.chapter}"]
    what = f" ({w[f'evidence_{kind}']})" if dash else ""
    page = "" if one.chapter == "claims" else f"{one.chapter}.html"
    return f'<a href="{escape(page)}#{escape(one.evidence)}">{escape(where + what)}</a>'


def _said(pairs: Sequence[tuple[str, str]]) -> str:
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{text}</dd></div>" for name, text in pairs)


def _here(one: Claim, w: Words) -> str:
    """Say what was found: a line for every part of the claim, or how many cases hold."""
    if not one.cases:
        return escape(w["nothing"])
    parts = _parts(one)
    if len(parts) > SHORT:
        return escape(tally(one, w))
    lines = "".join(f"<li>{_part(*part, one.form, w)}</li>" for part in parts.items())
    return f'<ul class="claim-parts">{lines}</ul>'


def _parts(one: Claim) -> dict[str | None, list[Case]]:
    """Group the cases by what is measured."""
    parts: dict[str | None, list[Case]] = {}
    for case in one.cases:
        parts.setdefault(case.label, []).append(case)
    return parts


def _part(label: str | None, cases: Sequence[Case], form: str, w: Words) -> str:
    """Write the range of the values and a sign an outcome, with a number if it is not one."""
    if len(cases) == 1 and (cases[0].where or cases[0].low is not None):
        said = _value(cases[0], form, w)
    else:
        values = [case.value for case in cases if case.value is not None]
        said = span(values, form) if values else w["no_value"]
    said = f"{label}{w['colon']}{said}" if label else said
    held = Counter(case.outcome for case in cases)
    signs = " ".join(
        sign(outcome, solid=False, name=str(held[outcome]) if len(cases) > 1 else "")
        + f'<span class="screen-reader-only"> {escape(w[outcome])}</span>'
        for outcome in OUTCOME_SIGNS
        if held[outcome] and outcome != "not_tested"
    )
    return f"{signs} {escape(said)}".strip()


def tally(one: Claim, w: Words) -> str:
    """Say how many cases hold, and between what numbers they lie.

    Parameters
    ----------
    one
        A claim with a case at least.
    w
        Words of the page.
    """
    cases = [case for case in one.cases if case.decides]
    held = Counter(case.outcome for case in cases)
    if len(held) == 1:
        text = w[f"all_{cases[0].outcome}" if len(cases) > 1 else cases[0].outcome]
        text = text.format(count=len(cases))
    else:
        said, count = [], w["part"]
        for outcome in ("holds", "fails", "undecided"):
            if held[outcome]:
                number = count.format(count=held[outcome], all=len(cases))
                said.append(
                    w[f"{'one' if held[outcome] == 1 else 'of'}_{outcome}"].format(count=number)
                )
                count = "{count}"  # of all cases only once
        text = w["of_cases"].format(count=len(cases), outcomes=w["comma"].join(said))
    values = [case.value for case in cases if case.value is not None]
    # Parts of a claim are numbers of different things, of which there is no range.
    if values and len({case.label for case in cases}) == 1:
        text += w["semicolon"] + w["values"].format(values=span(values, one.form))
    return text


def _value(case: Case, form: str, w: Words) -> str:
    if case.value is None:
        return w["no_value"]
    value = span([case.value], form)
    if case.low is None or case.high is None:
        return value
    return w["interval"].format(value=value, range=span([case.low, case.high], form))


def _details(one: Claim, w: Words) -> str:
    """Rule, conditions, every case and the files that were read, in a fold."""
    said = [(w["rule"], escape(one.rule))]
    if one.differs:
        said.append((w["conditions"], escape(one.differs)))
    elif one.conditions:
        said.append((w["conditions"], escape(w["same"])))
    if one.cases:
        said.append((w["cases"], _cases(one, w)))
    if one.needs and not _is_open(one):
        said.append((w["needs"], escape(one.needs)))
    if one.files:
        files = "<br>".join(f"<code>{escape(file)}</code>" for file in one.files)
        hashes = f'<a href="provenance.html#sec-stages">{escape(w["hashes"])}</a>'
        said.append((w["files"], f"{files}<br>{hashes}"))
    many = len(one.cases) > 1
    title = w["details_cases"].format(count=len(one.cases)) if many else w["details"]
    return f"<details><summary>{escape(title)}</summary><dl>{_said(said)}</dl></details>"


def _is_open(one: Claim) -> bool:
    return one.outcome in ("undecided", "not_tested")


def _cases(one: Claim, w: Words) -> str:
    """Write a table of all cases, the parts of the claim one after the other."""
    keys = ("experiment_state", "value", "texts", "verdict")
    head = "".join(f'<th scope="col">{escape(w[key])}</th>' for key in keys)
    bodies = []
    for label, cases in _parts(one).items():
        name = f'<tr><th colspan="4" scope="rowgroup">{escape(label)}</th></tr>' if label else ""
        rows = "".join(
            f"<tr><td>{escape(case.where or w['no_model'])}</td>"
            f"<td>{escape(_value(case, one.form, w))}</td>"
            f"<td>{'' if case.texts is None else format(case.texts, ',')}</td>"
            f"<td>{_verdict(case, w)}</td></tr>"
            for case in cases
        )
        bodies.append(f"<tbody>{name}{rows}</tbody>")
    return (
        f'<div class="table" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"{''.join(bodies)}</table></div>"
    )


def _verdict(case: Case, w: Words) -> str:
    if not case.decides:
        return escape(w["shown"])
    return f"{sign(case.outcome, solid=False)} {escape(w[case.outcome])}"


def summary(found: Sequence[Claim], sources: Sources, w: Words) -> str:
    """Write counts of all claims, and a table of those for the abstract.

    Parameters
    ----------
    found
        All claims.
    sources
        As the text cites them.
    w
        Words of the page.
    """
    by_outcome = Counter(one.outcome for one in found)
    counts = "".join(
        f'<li><a href="claims.html#verdict={outcome}">{sign(outcome, solid=True)} '
        f"<b>{by_outcome[outcome]}</b> "
        f"{escape(w[outcome if by_outcome[outcome] == 1 else f'count_{outcome}'])}</a></li>"
        for outcome in OUTCOME_SIGNS
        if by_outcome[outcome]
    )
    # The roles stay when the style sheet makes cards of the rows on a phone.
    keys = ("claim", "published", "here", "verdict")
    head = "".join(f'<th role="columnheader">{escape(w[key])}</th>' for key in keys)
    rows = "".join(_row(one, sources, w) for one in found if one.headline)
    return (
        f'<ul class="verdict-counts">{counts}</ul><table class="verdicts" role="table">'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table>'
        f'<p class="verdict-note">{escape(w["summary_note"])}</p>'
    )


def _row(one: Claim, sources: Sources, w: Words) -> str:
    cited = w["comma"].join(_listed(key, sources) for key in one.source)
    note = f"<br><small>{escape(w['other_short'])}</small>" if one.verdict in CONSISTENT else ""
    cells = (
        ("claim", f"{escape(one.statement)} <small>{cited}</small>"),
        ("published", _text(one.published, sources, linked=False)),
        ("here", _found(one, w)),
        (
            "verdict",
            f'<a href="claims.html#{_anchor(one.id)}">{sign(one.outcome, one.solid)} '
            f"{escape(w[one.outcome])}</a>{note}",
        ),
    )
    shown = "".join(
        f'<td role="cell" data-name="{escape(w[name])}">{text}</td>' for name, text in cells
    )
    return f'<tr role="row">{shown}</tr>'


def _listed(key: str, sources: Sources) -> str:
    """Write a source on another page than that of the claims, which has them all."""
    source = sources[key]
    if source.title is None:
        return escape(source.short)
    return (
        f'<a href="claims.html#ref-{escape(key)}" title="{escape(source.title)}">'
        f"{escape(source.short)}</a>"
    )


def _found(one: Claim, w: Words) -> str:
    """Say how many cases hold where all come out alike, else what becomes of each part."""
    alike = len({case.outcome for case in one.cases if case.decides}) == 1
    return escape(tally(one, w)) if alike and len(one.cases) > 1 else _here(one, w)


def needs(found: Sequence[Claim], w: Words) -> str:
    """List what would decide the claims that are open, and below it what would repeat the others.

    Claims with the same need stand together.
    """
    still = [one for one in found if _is_open(one)]
    other = [one for one in found if one.verdict in CONSISTENT]
    shown = _needed(still) or f"<p>{escape(w['nothing_open'])}</p>"
    repeated = _needed(other)
    if repeated:
        shown += f"<details><summary>{escape(w['repeat'])}</summary>{repeated}</details>"
    return shown


def _needed(found: Sequence[Claim]) -> str:
    groups: dict[str, list[Claim]] = {}
    for one in found:
        if one.needs:
            groups.setdefault(one.needs, []).append(one)
    items = "".join(f"<li>{_signs(group)} {escape(text)}</li>" for text, group in groups.items())
    return f'<ul class="by-claim">{items}</ul>' if items else ""


def advised(advice: Sequence[Advice], found: Sequence[Claim]) -> str:
    """List what to do, each with the claim that it rests on."""
    known = {one.id: one for one in found}
    items = "".join(
        f"<li>{_signs([known[one.claim]])} {escape(one.sentence)}</li>" for one in advice
    )
    return f'<ul class="by-claim">{items}</ul>'


def _signs(group: Sequence[Claim]) -> str:
    links = " ".join(
        f'<a href="#{_anchor(one.id)}">{sign(one.outcome, one.solid, one.id)}</a>'
        for one in sorted(group, key=lambda one: in_order(one.id))
    )
    return f'<span class="signs">{links}</span>'
