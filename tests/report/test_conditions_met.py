"""Whatever a run has, its pages read no number of a finding that has no value in it."""

import json
import re
from functools import cache

import pandas as pd
import pytest
from made_summary import PLAIN, write
from small_report import LANGUAGES, NAMES, REPORT, ROOT, source

from analysis.parameters import load
from analysis.parameters.derived import cases, pairs
from analysis.results import evidence
from analysis.rules.judging import judge
from analysis.rules.rule import read
from analysis.rules.summary import Summary
from analysis.site.source.conditions import shown_parts
from attention_mixing.artifacts import read_artifact
from attention_mixing.measures import summarised
from attention_mixing.settings.experiment import Experiment

RULES = read(REPORT / "rules.yaml")
KEPT = ROOT / "reference" / "quick"
ALL = load(KEPT / "params.yaml").experiments
# Experiments that a run has, and whether their texts have special tokens.
RUNS = [
    *(((name,), True) for name in ALL),
    *(((name,), False) for name in ("sentences", "verbs")),
    (("reviews", "verbs"), True),
    (("questions", "translation"), True),
    (tuple(ALL), True),
]
SPECIAL = re.compile(r"special|cls|sep\b|sep_|mask")


@cache
def kept() -> pd.DataFrame:
    """Rows of the committed run, with the names of all columns of a summary."""
    table = read_artifact(KEPT / "summary.parquet").astype(
        dict.fromkeys(
            ("experiment", "group", "measure", "subject", "facet", "quantity", "minus"), str
        )
    )
    return table.assign(**{name: one for name, one in PLAIN.items() if name not in table})


def rows(names, special: bool) -> pd.DataFrame:
    table = kept()[kept()["experiment"].isin(names)]
    if special:
        return table
    texts = table[["subject", "facet", "quantity", "minus"]]
    on_special = texts.apply(lambda column: column.str.contains(SPECIAL)).any(axis=1)
    # Quantities that rules ask of texts bear no names.
    asked = {
        texts.name
        for rule in RULES
        for one in rule.quantities
        if (texts := one.texts) is not None and SPECIAL.search(texts.model_dump_json())
    }
    return table[~on_special & ~table["reading"].isin(asked)]


def read_by(page: str, language: str, met) -> set[str]:
    """Variables of what is shown of a page."""
    text = source(language, page)
    parts = "".join(text[start:end] for start, end in shown_parts(text, met))
    return set(re.findall(r"\{\{< var ([\w.-]+) >\}\}", parts))


@pytest.mark.parametrize(("experiments", "special"), RUNS, ids=str)
def test_no_part_that_is_shown_reads_a_number_without_a_value(
    experiments, special, here, monkeypatch
):
    of_run: dict[str, Experiment] = {name: ALL[name] for name in experiments}
    every = cases(of_run) | pairs(of_run)
    table = rows(every, special)
    for group in summarised():
        write(here, group, [table[table["group"] == group].drop(columns="group")])
    model = here / "results" / "summary" / "model"
    model.mkdir(parents=True)
    facts = json.loads((KEPT / "facts.json").read_text(encoding="utf-8"))
    (model / "facts.json").write_text(json.dumps({name: facts[name] for name in every}))
    for other in ("anatomy", "circuits"):
        (here / "results" / other).symlink_to(ROOT / "tests" / "report" / "made" / other)
    # These are of texts, which are not kept.
    monkeypatch.setattr(evidence, "mapped_texts", lambda _: ["one"])
    monkeypatch.setattr(evidence, "table", lambda *_: pd.DataFrame({"asked": [False]}))
    monkeypatch.setattr(evidence, "other_runs", list)
    monkeypatch.setattr(evidence, "control_run", lambda: None)
    has = evidence.evidence(cases(of_run), experiments[0])
    summary = Summary(here / "results", 0.95)
    findings = [rule for rule in RULES if rule.claim is None and rule.chapter != "anatomy"]
    claims = [rule for rule in RULES if rule.claim is not None]
    given = {
        f"{judged['chapter']}.{judged['id'].partition('.')[2]}-{number}": value is not None
        for judged in judge([*claims, *findings], every, summary)
        if "claim" not in judged
        for number, value in judged["numbers"].items()
    }

    def met(key: str) -> bool:
        kind, _, name = key.partition(".")
        return given[name] if kind == "given" else has.get(name, False)

    assert sum(given.values()) > 40
    assert not {
        (language, page, name)
        for language in LANGUAGES
        for page in NAMES
        for name in read_by(page, language, met)
        if not given.get(re.sub(r"_(pretrained|finetuned)$", "", name), True)
    }
