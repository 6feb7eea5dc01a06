"""The ledger as one file for programs: every claim, what was published and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from analysis.paths import REPORT
from analysis.prose.citations import Sources
from analysis.prose.claim_views import view_of_claim
from analysis.prose.claims import JudgedCase, JudgedClaim
from analysis.rules.selection import Where

# Of a case, under the same names.
_ALIKE = ("experiment", "value", "low", "high", "sample", "unit")

Said = dict[str, str]
"""Language -> text."""


class _Exported(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExportedEffect(_Exported):
    """One measurement of a claim.

    Attributes
    ----------
    part
        What is measured, where the claim has several parts or layers.
    model
        Whose weights it rests on; None for arithmetic.
    experiment, state, reference_run
        Where it was measured; no reference run where that is this run.
    value, low, high
        With its interval, where there is one.
    sample, unit
        How many texts, heads or reference data sets it is over.
    outcome
        For the claim; ``not_tested`` where it decides nothing and is only shown.
    """

    part: Said | None
    model: Said | None
    experiment: str | None
    state: str | None
    reference_run: str | None
    value: float
    low: float | None
    high: float | None
    sample: int | None
    unit: str
    outcome: str


class ExportedModel(_Exported):
    """Outcome of a claim in the weights of one training.

    Attributes
    ----------
    encoder, trained
        The pretrained model, and the experiment that trained it further; None if none did.
    """

    name: Said
    encoder: str
    trained: str | None
    outcome: str


class ExportedQuantity(_Exported):
    """What was measured: a quantity of a measure of the library, and of which of its rows."""

    group: str
    measure: str
    quantity: str
    where: Where


class ExportedClaim(_Exported):
    """A claim with its source, effects, outcome and evidence.

    Attributes
    ----------
    source
        Keys of ``sources``.
    published, published_values
        In words, and as numbers.
    conditions
        ``same`` as published, or ``other``; None where nothing was tested.
    page, explorer
        Addresses of the evidence, relative to the directory of a language on the site.
    code, data
        Paths in the repository: of the rule and the chapter; of what the run wrote and was read.
    """

    id: str
    chapter: str
    kind: str
    at_stake: bool
    statement: Said
    source: tuple[str, ...]
    published: Said
    published_values: Any
    rule: Said
    outcome: str
    conditions: str | None
    models: tuple[ExportedModel, ...]
    effects: tuple[ExportedEffect, ...]
    quantities: tuple[ExportedQuantity, ...]
    page: str
    explorer: str | None
    code: tuple[str, ...]
    data: tuple[str, ...]


class ExportedReference(_Exported):
    """A source as it is cited; studies that were not published have no title."""

    cited: Said
    title: str | None


class Ledger(_Exported):
    """All claims and their sources, by key."""

    sources: dict[str, ExportedReference]
    claims: tuple[ExportedClaim, ...]


def exported(
    claims: Mapping[str, Sequence[JudgedClaim]],
    sources: Mapping[str, Sources],
    published: Mapping[str, Any],
    index: Sequence[Mapping[str, Any]],
) -> Ledger:
    """Write the same claims, given in every language, as one ledger.

    ``published`` are the values by claim; ``index`` is what the explorer shows
    (:func:`analysis.results.explorer.read_index`).
    """
    (first, *_) = sources.values()
    return Ledger(
        sources={
            key: ExportedReference(
                cited={language: named[key].short for language, named in sources.items()},
                title=first[key].title,
            )
            for key in sorted(first)
        },
        claims=tuple(
            _claim(dict(zip(claims, said, strict=True)), published, index)
            for said in zip(*claims.values(), strict=True)
        ),
    )


def _claim(
    said: Mapping[str, JudgedClaim],
    published: Mapping[str, Any],
    index: Sequence[Mapping[str, Any]],
) -> ExportedClaim:
    """Write one claim, given in every language."""
    (claim, *_) = said.values()
    view = view_of_claim(claim, index)

    def texts(name: str) -> Said:
        return {language: getattr(one, name) for language, one in said.items()}

    return ExportedClaim(
        id=claim.id,
        chapter=claim.chapter,
        kind=claim.kind,
        at_stake=claim.at_stake,
        statement=texts("statement"),
        source=claim.source,
        published=texts("published"),
        published_values=published[claim.id],
        rule=texts("rule"),
        outcome=claim.outcome,
        conditions=claim.conditions,
        models=tuple(
            ExportedModel(
                name={language: one.models[place].name for language, one in said.items()},
                encoder=model.encoder,
                trained=model.trained,
                outcome=model.outcome,
            )
            for place, model in enumerate(claim.models)
        ),
        effects=tuple(
            _effect({language: one.cases[place] for language, one in said.items()})
            for place in range(len(claim.cases))
        ),
        quantities=tuple(
            ExportedQuantity(
                group=rows.group, measure=rows.measure, quantity=rows.quantity, where=rows.where
            )
            for rows in claim.measured
        ),
        page=claim.address,
        explorer=view.address if view else None,
        code=(f"{REPORT}/rules.yaml", f"analysis/chapters/{claim.chapter}"),
        data=claim.files,
    )


def _effect(said: Mapping[str, JudgedCase]) -> ExportedEffect:
    """Write one measurement, given in every language."""
    (case, *_) = said.values()

    def texts(name: str) -> Said | None:
        if getattr(case, name) is None:
            return None
        return {language: getattr(one, name) for language, one in said.items()}

    return ExportedEffect(
        part=texts("label"),
        model=texts("model"),
        state=case.variant,
        reference_run=case.run,
        outcome=case.outcome,
        **{name: getattr(case, name) for name in _ALIKE},
    )
