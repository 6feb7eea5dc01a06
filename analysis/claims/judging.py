"""One claim against the results of every experiment: its row of the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis.claims import conditions
from analysis.claims.ledger import Case, Claim, Words, fill
from analysis.claims.quantities import Evidence, Found, Summary, allowed, computed, files
from analysis.claims.verdicts import holds, verdict
from analysis.params import Experiment


class _Asked(NamedTuple):
    """One case of one experiment and variant, both None for arithmetic, and what was found."""

    case: Case
    experiment: str | None
    variant: str | None
    found: Found


def judge(claim: Claim, experiments: Mapping[str, Experiment], summary: Summary) -> dict[str, Any]:
    """Compute the cases of a claim and its verdict.

    Where experiments have the published conditions, they alone decide; the others are shown beside.

    Parameters
    ----------
    claim
        A row of ``report/claims.yaml``.
    experiments
        Of ``params.yaml``.
    summary
        Of all of them.

    Returns
    -------
    dict
        As ``results/ledger/claims.json`` holds it.
    """
    asked = list(_ask(claim, experiments, summary))
    fit = [
        one.experiment is None or conditions.same(claim, experiments[one.experiment])
        for one in asked
    ]
    same = any(fit)
    cases = [_row(claim, one, fits=fits or not same) for one, fits in zip(asked, fit, strict=True)]
    told = None if same else [one.experiment for one in asked if one.experiment is not None]
    return {
        **claim.model_dump(include={"id", "part", "headline", "statement", "source"}),
        "published": {
            language: fill(getattr(claim.published, language), claim) for language in ("en", "ja")
        },
        "values": claim.published.values,
        "chapter": claim.chapter,
        "evidence": claim.evidence,
        "files": files(claim),
        "rule": {language: fill(getattr(claim.rule, language), claim) for language in ("en", "ja")},
        "conditions": None if not cases else "same" if same else "other",
        "differs": conditions.differs(claim, told or (), experiments),
        "verdict": verdict(_parts(claim, asked, cases), same=same),
        "cases": cases,
        "form": claim.form,
        "needs": claim.needs.model_dump() if claim.needs else None,
    }


def _parts(
    claim: Claim, asked: Sequence[_Asked], rows: Sequence[Mapping[str, Any]]
) -> list[list[bool | None]]:
    """Collect what becomes of the cases that decide, for each part of the claim."""
    return [
        [
            row["holds"]
            for one, row in zip(asked, rows, strict=True)
            if one.case is case and row["decides"]
        ]
        for case in (claim.test.cases if claim.test else ())
    ]


def _ask(claim: Claim, experiments: Mapping[str, Experiment], summary: Summary) -> Iterator[_Asked]:
    if claim.test is None:
        return
    for case in claim.test.cases:
        if case.arithmetic is not None:
            yield _Asked(case, None, None, computed(case.arithmetic, claim))
            continue
        over = case.over or claim.test.over
        for name, one in experiments.items():
            if not conditions.covers(over, one):
                continue
            for variant in claim.test.variants:
                if variant == "finetuned" and one.train is None:
                    continue
                one_of_them = None if variant == "both" else variant
                evidence = Evidence(summary, name, one_of_them, claim)
                for found in evidence.of(case):
                    yield _Asked(case, name, one_of_them, found)


def _row(claim: Claim, asked: _Asked, *, fits: bool) -> dict[str, Any]:
    rule = asked.case.rule
    return {
        "experiment": asked.experiment,
        "variant": asked.variant,
        "label": _label(asked.case.label, asked.found.layer),
        **asked.found.reading._asdict(),
        "decides": rule is not None and fits,  # the others are shown beside
        "holds": None if rule is None else holds(asked.found.reading, allowed(rule, claim)),
    }


def _label(words: Words | None, layer: int | None) -> dict[str, str] | None:
    """Name a case, and the layer where it has one for each."""
    if layer is None:
        return words.model_dump() if words else None
    if words is None:
        return {"en": f"layer {layer}", "ja": f"第 {layer} 層"}
    return {"en": f"{words.en}, layer {layer}", "ja": f"{words.ja}、第 {layer} 層"}
