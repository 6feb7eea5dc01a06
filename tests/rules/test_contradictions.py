"""No two pages judge one quantity differently, and no sentence tells what a run did not measure."""

import json
import math
from collections import defaultdict
from itertools import combinations

import pandas as pd
import pytest
from made_rules import ROOT

from analysis.chapters.findings.prose import sentence
from analysis.parameters import load
from analysis.paths import GROUP_OF, QUICK
from analysis.pipeline.stage import write_json
from analysis.prose.messages import sentences, stating
from analysis.rules.conditions import covers
from analysis.rules.judging import judge
from analysis.rules.rule import Effect, read
from analysis.rules.summary import Summary
from analysis.rules.verdicts import OUTCOMES
from analysis.runs.kept import kept_experiment
from analysis.stages.rules import asked_of
from attention_mixing.artifacts import MANIFEST
from attention_mixing.measures import groups
from attention_mixing.schemas import SUMMARY

REFERENCE = ROOT / "reference"
# What the chapter on anatomy reads is kept of no run.
RULES = [rule for rule in read(ROOT / "report" / "rules.yaml") if rule.chapter != "anatomy"]
BY_ID = {rule.id: rule for rule in RULES}
# The first asks whether a method is nearly perfect where faithfulness.chance asks whether it beats
# chance, the second of language models what heads.carry asks of classifiers and answers.
OTHERWISE = {"faithfulness.solved", "heads.next-words"}


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> dict[str, dict[str, dict]]:
    """Every rule in every committed run alone, by run and rule."""
    results = tmp_path_factory.mktemp("results")
    quick, runs = REFERENCE / QUICK, [path.parent for path in REFERENCE.glob("*/run.json")]
    summary = results / "summary"
    for group, rows in pd.read_parquet(quick / "summary.parquet").groupby("group", observed=True):
        (summary / str(group)).mkdir(parents=True)
        rows.drop(columns="group").to_parquet(summary / str(group) / "curves.parquet")
        write_json(summary / str(group) / MANIFEST, {"schema": SUMMARY.version})
    write_json(summary / GROUP_OF, groups())
    (summary / "model").mkdir()
    (summary / "model" / "facts.json").write_bytes((quick / "facts.json").read_bytes())
    confidence = load(quick / "params.yaml").bootstrap.confidence
    opened = Summary(results, confidence, [run for run in runs if run != quick])
    found = {}
    for run in runs:
        experiments = {
            name if run == quick else kept_experiment(run.name, name): experiment
            for name, experiment in asked_of(load(run / "params.yaml")).items()
        }
        found[run.name] = {one["id"]: one for one in judge(RULES, experiments, opened)}
    return found


def test_no_finding_of_the_committed_run_is_left_untested(judged):
    asked = [rule.id for rule in RULES if rule.claim is None and (rule.cases or rule.like)]
    assert asked
    assert [name for name in asked if judged[QUICK][name]["outcome"] == "not_tested"] == []


def quantity(case) -> str | None:
    """What a case measures, of whatever experiments and states; a difference either way is one."""
    rows = case.texts or case.curve or case.heads
    if case.holds is None or case.arithmetic is not None:
        return None
    if case.fact is not None:
        return case.fact.model_dump_json()
    other = case.texts and case.texts.other
    sides = [rows, other] if other else [rows]
    one_state = len({side.where.get("variant") for side in sides}) == 1
    named = []
    for side in sides:
        where = {
            column: one
            for column, one in side.where.items()
            if column != "measure" and not (one_state and column == "variant")
        }
        given = side.model_dump_json(exclude={"minus", "divided_by", "where"})
        named.append(given + json.dumps(where, sort_keys=True))
    if case.texts and case.texts.minus:
        named.sort()
    return json.dumps([named, bool(case.texts and case.texts.divided_by)])


def by_quantity() -> list[list[tuple]]:
    """Cases of different rules that measure the same, each with its rule."""
    found = defaultdict(list)
    for rule in RULES:
        for case in rule.cases:
            if rule.id not in OTHERWISE and (name := quantity(case)) is not None:
                found[name].append((rule, case))
    return [cases for cases in found.values() if len({rule.id for rule, _ in cases}) > 1]


def test_one_quantity_has_one_margin():
    """In either direction, unless a claim has the margin of what was published."""
    compared = 0
    for cases in by_quantity():
        for (rule, case), (other, beside) in combinations(cases, 2):
            published = any(isinstance(one.holds.effect, Effect) for one in (case, beside))
            if rule.id != other.id and not published:
                assert margin(case) == margin(beside), (rule.id, other.id)
                compared += 1
    assert compared > 5


def margin(case) -> set[float]:
    """Bounds of a case, without their signs."""
    return {abs(end) for end in case.holds.allowed[:2] if math.isfinite(end)}


def test_one_quantity_is_judged_of_the_same_cases(judged):
    """Findings alike; a claim may be published for fewer models and states than a page tells of."""
    compared = 0
    for cases in by_quantity():
        asked = defaultdict(set)
        for rule, case in cases:
            asked[rule.id] |= measured(rule, case, judged[QUICK][rule.id]["cases"])
        for rule, other in combinations(asked, 2):
            claims = {one for one in (rule, other) if BY_ID[one].claim}
            if len(claims) < 2:
                missed = asked[rule] ^ asked[other]
                if claims:
                    missed = asked[claims.pop()] - (asked[rule] & asked[other])
                assert not missed, (rule, other)
                compared += 1
    assert compared > 5


def measured(rule, case, cases) -> set[tuple[str, str]]:
    """Experiments and model states of a case of a rule; others may go by its name."""
    state = case.texts.where.get("variant") if case.texts else None
    experiments = asked_of(load(REFERENCE / QUICK / "params.yaml"))
    return {
        (one["experiment"], state or one["variant"])
        for one in cases
        if one["case"] == case.name
        and covers(case.over or rule.over, experiments[one["experiment"]])
    }


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_sentence_of_a_run_rests_on_what_the_run_measured(judged, language):
    """Where a part of a rule was not measured, its sentence chooses by the part, or by others."""
    unmeasured, ignored = 0, []
    told = {chapter: sentences(language, chapter) for chapter in stating()}
    for run, found in judged.items():
        for rule in (one for one in RULES if one.claim is None):
            one, w = found[rule.id], told[rule.chapter]
            if one["outcome"] == "not_tested" or None in one["numbers"].values():
                continue  # is not said of a reference run
            for part in decided(rule):
                if one["parts"][part] == "not_tested":
                    tested = SAID - {"not_tested"}
                    whole = {sentence(one | {"outcome": o, "models": []}, w) for o in tested}
                    parts = [one["parts"] | {part: other} for other in SAID]
                    chosen = {sentence(one | {"parts": other}, w) for other in parts}
                    if len(whole) > 1 and len(chosen) == 1:
                        ignored.append((run, rule.id, part))
                    unmeasured += 1
    assert not ignored
    assert unmeasured > 2


# An effect that is too small is said as one that is not there, with a clause of its own.
SAID = set(OUTCOMES) - {"smaller"}


def decided(rule) -> set[str]:
    """Names of the parts of a rule, and of the one that it is like, that decide something.

    Without those of decoders, which the sentences of runs of encoders need not tell.
    """
    rules = [BY_ID[name] for name in (rule.id, rule.like) if name]
    cases = [case for one in rules for case in one.cases if case.name and case.holds]
    return {case.name for case in cases if not (case.over and case.over.causal)}
