"""Chapter *claims*: what became of the published claims, in the words of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from pydantic import BaseModel

from analysis.prose.phrases import counted, extent, listed, written
from analysis.rules.conditions import LEARNED
from analysis.rules.rule import SHARE
from analysis.rules.selection import Rows
from analysis.rules.verdicts import OUTCOMES, POWER, WAYS, case_outcome, together
from analysis.runs.kept import run_of
from attention_mixing.messages import Words

# A claim with more effects, one a part and model, lists ranges, and the effects in a fold.
LISTED = 6


class JudgedCase(BaseModel, frozen=True):
    """One measurement of a claim.

    Attributes
    ----------
    experiment, variant
        As results name them; None where there is no model.
    where
        The two in words; empty where there is no model.
    run
        The reference run it is of; None where it is of this run.
    model
        Whose weights it rests on, in words; None for arithmetic.
    label
        What is measured, where a claim has several parts or layers.
    value, low, high
        With its interval, where there is one.
    sample, unit
        How many texts, heads or reference data sets it is over.
    allowed
        Where it has to be, and the effect that is to be seen; None where it is only shown.
    holds
        Whether it is there; None where that is open.
    smaller
        Whether it is not, but has the sign of the effect.
    power, needed, needed_unit
        For the effect, and the sample that would decide an open case.
    stale
        Measures that would give another number today, of a reference run.
    decides
        Whether it counts for the verdict; what was measured under other conditions than the cases
        that decide is only shown.
    """

    experiment: str | None
    variant: str | None
    where: str
    run: str | None
    model: str | None
    label: str | None
    value: float
    low: float | None
    high: float | None
    sample: int | None
    unit: str
    allowed: dict[str, float | bool | None] | None
    holds: bool | None
    smaller: bool = False
    power: float | None
    needed: int | None
    needed_unit: str
    stale: list[str]
    decides: bool

    @property
    def outcome(self) -> str:
        """Outcome of the case for the claim; one that decides nothing is only shown."""
        if not self.decides:
            return "not_tested"
        return case_outcome(self.holds, smaller=self.smaller)


class JudgedModel(BaseModel, frozen=True):
    """Outcome of a claim in one model, weights of one training.

    Attributes
    ----------
    name
        In words.
    encoder, trained
        The pretrained model, and the experiment that trained it further; None if none did.
    """

    name: str
    encoder: str
    trained: str | None
    outcome: str


class RowsOfGroup(Rows):
    """What a case reads, and the group of its measure."""

    group: str


class JudgedClaim(BaseModel, frozen=True):
    """A published claim and its verdict, in the language of the page.

    Attributes
    ----------
    differs
        In which way the conditions are not the published ones; None where they are.
    this_run
        The outcome without the reference runs.
    untested
        Why this run does not test the claim, as a clause; None where it does.
    aside
        Says what that is, where it is another than the outcome.
    otherwise
        Outcomes by other margins, units and tokens; None of what is no claim about models.
    measured
        What its cases read.
    methods
        Whose values its cases are (:class:`analysis.rules.rule.Method`), each with the ``group`` of
        its measure.
    """

    id: str
    kind: str
    statement: str
    source: tuple[str, ...]
    published: str
    chapter: str
    evidence: str
    files: tuple[str, ...]
    rule: str
    differs: str | None
    outcome: str
    this_run: str
    untested: str | None
    aside: str | None
    otherwise: dict[str, str | None] | None
    cases: tuple[JudgedCase, ...]
    models: tuple[JudgedModel, ...]
    measured: tuple[RowsOfGroup, ...]
    methods: tuple[dict[str, str], ...]
    form: str
    needs: str | None
    headline: bool
    cls: bool
    stake: bool

    @property
    def at_stake(self) -> bool:
        """Whether the outcome could tell something: not of algebra, or of truisms."""
        return self.kind == "measured" and self.stake

    @property
    def filed(self) -> str:
        """The kind that it is looked up by: ``stake``, or that of what has nothing at stake."""
        return "stake" if self.at_stake else self.kind

    @property
    def solid(self) -> bool:
        """Whether its sign is drawn filled: it was not tested under other conditions."""
        return self.differs is None

    @property
    def conditions(self) -> str | None:
        """``same`` as published, or ``other``; None where nothing was tested."""
        if self.outcome == "not_tested":
            return None
        return "same" if self.solid else "other"

    @property
    def open(self) -> bool:
        """Whether more would have to be measured to decide it."""
        return self.outcome in ("open", "not_tested")

    @property
    def address(self) -> str:
        """Of its evidence, relative to the directory of a language on the site.

        What only reference runs have measured stands in no figure of a run of other experiments.
        """
        own = f"{self.chapter}.html#{self.evidence}"
        return "provenance.html#sec-reference" if self.kept_alone else own

    @property
    def kept_alone(self) -> bool:
        """Whether only reference runs have measured it, so that its chapter need not show it."""
        return bool(self.cases) and all(case.run is not None for case in self.cases)

    @property
    def held_by(self) -> str | None:
        """The reference run that has all cases that hold, where others do not hold; else None."""
        decided = [case for case in self.cases if case.decides]
        runs = {case.run for case in decided if case.holds}
        return runs.pop() if len(runs) == 1 and not all(case.holds for case in decided) else None

    @property
    def turned(self) -> set[str]:
        """In which other ways it is judged another outcome."""
        ways = self.otherwise or {}
        return {way for way, outcome in ways.items() if outcome not in (self.outcome, None)}

    @property
    def alike(self) -> bool:
        """Whether there are several cases, of which all that decide come out alike."""
        return (
            len(self.cases) > 1 and len({case.outcome for case in self.cases if case.decides}) == 1
        )

    @property
    def units(self) -> Counter[str]:
        """Outcomes and their numbers: of models, or of cases where there is no model."""
        decide = [unit for unit in self.cases if unit.decides]
        return Counter(unit.outcome for unit in self.models or decide)

    @property
    def parts(self) -> dict[str | None, list[JudgedCase]]:
        """Cases by what is measured."""
        parts: dict[str | None, list[JudgedCase]] = {}
        for case in self.cases:
            parts.setdefault(case.label, []).append(case)
        return parts

    @property
    def few(self) -> bool:
        """Whether its effects in all models are few enough to be listed, a line each."""
        return bool(self.models) and len(self.models) * len(self.parts) <= LISTED

    def cases_of(self, model: str, label: str | None) -> list[JudgedCase]:
        """Choose the cases that decide a part of the claim in a model."""
        of_part = self.parts.get(label, ())
        return [case for case in of_part if case.model == model and case.decides]


def by_model(cases: Iterable[JudgedCase]) -> dict[str, str]:
    """Sum up the cases of one part of a claim: model -> outcome, of models with a case."""
    models: dict[str, list[str]] = {}
    for case in cases:
        if case.model is not None and case.decides:
            models.setdefault(case.model, []).append(case.outcome)
    return {model: together(outcomes) for model, outcomes in models.items()}


def claims(judged: Iterable[Mapping[str, Any]], w: Words) -> list[JudgedClaim]:
    """Put the claims into words.

    ``judged`` is as the stage ``rules`` wrote it (:func:`analysis.results.claims.judged_claims`);
    ``w`` are the words of the page, with those of the rules.
    """
    return [_claim(row, w) for row in judged]


def _claim(row: Mapping[str, Any], w: Words) -> JudgedClaim:
    name, about = row["id"], row["claim"]
    values = flat(about["values"], row["form"])
    differs = about["differs"] and w.say(
        "differs",
        published=w[f"conditions_{about['conditions']['name']}"],
        models=w["comma"].join(about["differs"]["models"]),
        experiments=w["comma"].join(about["differs"]["experiments"]),
    )
    why = w.say("untested", reason=row["untested"]) if row["untested"] else None
    texts = {
        "statement": w[f"{name}_statement"],
        "published": w.say(f"{name}_published", **values),
        "rule": w.say(f"{name}_rule", **values),
        "differs": differs,
        "needs": w[f"needs_{about['needs']}"] if about["needs"] else None,
        "untested": why,
        "aside": _aside(row, why, w),
        "cases": [_case(case, w) for case in row["cases"]],
        "models": [{**model, "name": _model_name(model, w)} for model in row["models"]],
    }
    return JudgedClaim.model_validate({**row, **about, **texts})


def _aside(row: Mapping[str, Any], why: str | None, w: Words) -> str | None:
    """Say what becomes of a claim in this run alone, where that is another outcome, and why."""
    if row["claim"]["this_run"] == row["outcome"]:
        return None
    runs = {run_of(case["experiment"]) for case in row["cases"] if case["decides"]}
    deciding = "both" if None in runs else "reference"
    arguments = {"outcome": row["claim"]["this_run"], "deciding": deciding, "why": why or ""}
    return w.say("this_run_alone", **arguments)


def _model_name(model: Mapping[str, str | None], w: Words) -> str:
    """Name the weights of one training."""
    state = "finetuned" if model["trained"] else "pretrained"
    return w.say(f"model_{state}", encoder=model["encoder"], experiment=model["trained"] or "")


def _case(row: Mapping[str, Any], w: Words) -> dict[str, Any]:
    state = w[row["variant"]] if row["variant"] else None
    label = w[f"case_{row['case']}"] if row["case"] else None
    if row["layer"] is not None:
        layer = w["nth_layer"].format(layer=row["layer"])
        label = w["beside"].format(one=label, other=layer) if label else layer
    experiment, run = row["experiment"], run_of(row["experiment"])
    if run is not None:
        experiment = w.say("of_run", experiment=experiment.removeprefix(f"{run}/"), run=run)
    where = w["comma"].join(part for part in (experiment, state) if part)
    model = _model_name(row["model"], w) if row["model"] else None
    return {**row, "where": where, "run": run, "label": label, "model": model}


def flat(values: Any, form: str) -> dict[str, str]:
    """Name published values as words do: ``{a: [1, 2]}`` gives ``a``, ``a_0`` and ``a_1``.

    They are those of a claim in ``report/rules.yaml``; ``form`` is the format of their numbers, and
    whole ones have none.
    """
    if values is None:
        return {}
    if not isinstance(values, dict | list):
        return {"": written(values, ",d" if isinstance(values, int) else form.removeprefix("+"))}
    pairs = values.items() if isinstance(values, dict) else enumerate(values)
    named = {
        f"{key}_{name}" if name else str(key): text
        for key, value in pairs
        for name, text in flat(value, form).items()
    }
    if isinstance(values, list):
        named[""] = ", ".join(named.values())
    return named


def table(claims: Sequence[JudgedClaim]) -> pd.DataFrame:
    """One row a claim and case, or a claim without a case, for the download."""
    about = ["claim", "statement", "source", "published", "verdict", "differs", "this_run"]
    about += ["chapter", "evidence"]
    measured = ["part", "case", "model", "value", "low", "high", "sample", "unit"]
    tested = ["power", "needed", "needed_unit", "holds", "decides"]
    rows = []
    for judged in claims:
        claim = {
            **dict(judged),
            "claim": judged.id,
            "source": " ".join(judged.source),
            "part": None,
        }
        claim["verdict"] = judged.outcome
        rows += [
            {**claim, **dict(case), "part": case.label, "case": case.where} for case in judged.cases
        ] or [claim]
    return pd.DataFrame(rows, columns=[*about, *measured, *tested])


def prose(
    claims: Sequence[JudgedClaim], confidence: float, compared: Collection[str], w: Words
) -> dict[str, str]:
    """Every number and sentence of the page, by name.

    ``compared`` are the encoders of the control (:func:`analysis.runs.kept.control_encoders`).
    """
    cases = [case for claim in claims for case in claim.cases if case.decides]
    return {
        "lead": tested([claim for claim in claims if claim.at_stake], w),
        "kinds": exact(claims, w),
        "conditions": conditions(claims, w),
        "firm": firm(claims, w),
        "training": training(claims, compared, w),
        "confidence": f"{confidence:.0%}",
        "wrong": f"{1 - confidence:.0%}",
        "power": f"{POWER:.0%}",
        "share": f"{SHARE:.0%}",
        "learned": f"{100 * LEARNED:.0f}",
        "cases": counted(len(cases), "case", w),
        "intervals": counted(sum(case.low is not None for case in cases), "case", w),
    }


def tested(claims: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many claims could be tested and what became of them."""
    count = Counter(claim.outcome for claim in claims)
    was_tested = [claim.outcome != "not_tested" for claim in claims]
    counts = [
        w.say("claims_lead_count", outcome=outcome, count=count[outcome])
        for outcome in OUTCOMES[:-1]
        if count[outcome]
    ]
    total = {"outcome": extent(was_tested), "total": len(claims), "tested": sum(was_tested)}
    kept = any(case.run and case.decides for claim in claims for case in claim.cases)
    total |= {"kept": "yes" if kept else "no"}
    return w.say("claims_lead", **total, counts=listed(counts, w))


def exact(claims: Sequence[JudgedClaim], w: Words) -> str:
    """Count what is true by algebra and what is arithmetic of published numbers, apart."""
    numbers: dict[str, str | int] = {}
    for kind in ("algebra", "arithmetic"):
        judged = [claim for claim in claims if claim.kind == kind and claim.outcome != "not_tested"]
        held = [claim.outcome == "holds" for claim in judged]
        numbers |= {kind: len(held), f"{kind}_held": sum(held)}
        numbers[f"{kind}_outcome"] = extent(held) if held else "untested"
    return w.say("claims_kinds", **numbers)


def firm(claims: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many verdicts on claims about models are the same in whatever way they are judged."""
    judged = [claim for claim in claims if claim.at_stake and claim.outcome != "not_tested"]
    turned = {way: sum(way in claim.turned for claim in judged) for way in WAYS}
    tokens = [(claim.otherwise or {})["tokens"] for claim in judged]
    counts = {"total": len(judged), "same": sum(not claim.turned for claim in judged)}
    counts["measured"] = sum(outcome is not None for outcome in tokens)
    return w.say("claims_firm", **counts, **turned)


def training(claims: Sequence[JudgedClaim], compared: Collection[str], w: Words) -> str:
    """Name the claims that hold in one of the ``compared`` encoders and fail in another."""
    turned: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        of = {
            model.encoder: model.outcome
            for model in claim.models
            if model.encoder in compared and not model.trained
        }
        if {"holds", "fails"} <= {*of.values()}:
            holds, fails = (
                listed([name for name in of if of[name] == outcome], w)
                for outcome in ("holds", "fails")
            )
            turned.setdefault((holds, fails), []).append(claim.id)
    groups = [
        w.say("claims_training_in", claims=listed(ids, w), n=len(ids), holds=holds, fails=fails)
        for (holds, fails), ids in turned.items()
    ]
    return w.say("claims_training", n=len(groups), groups=w["between_groups"].join(groups))


def conditions(claims: Sequence[JudgedClaim], w: Words) -> str:
    """Say how many claims were tested as published, and how many under other conditions."""
    count = Counter(claim.conditions for claim in claims if claim.at_stake)
    same, other = count["same"], count["other"]
    outcome = "both" if same and other else "same" if same else "other" if other else "none"
    return w.say("claims_conditions", outcome=outcome, same=same, other=other)
