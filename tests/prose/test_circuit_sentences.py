"""What a claim or finding rests on leads to what that measure recovers of a known truth."""

import json
import re
from contextlib import chdir
from dataclasses import replace

import pytest
from made_claims import case, claim, read

from analysis.chapters.findings.prose import recovered_here
from analysis.prose import ledger
from analysis.prose.messages import sentences, words
from analysis.prose.phrases import NOTHING
from analysis.prose.recovered import recovered
from analysis.results.circuits import circuits_of_run
from attention_mixing.circuits.labels import BASELINES
from attention_mixing.measures import groups

LANGUAGES = ("en", "ja")
ALTI = {"group": "vectors", "quantity": "own_source", "subject": "alti_rollout"}
RATIO = {"group": "vectors", "quantity": "ratio", "subject": "attnresln_n"}
RANDOM = {"group": "explain", "quantity": "roc_auc", "subject": "random"}


@pytest.fixture
def results(circuit_results):
    with chdir(circuit_results.parents[1]):
        return circuits_of_run()


def links(markup) -> list[str]:
    return re.findall(r'href="circuits\.html#measure-([^"]+)"', str(markup))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_measure_leads_to_its_row_with_the_number_of_its_circuits(results, language):
    said = recovered([ALTI, RANDOM], results, words(language))
    assert links(said) == ["model-alti_rollout"]
    found = results.finds("model", "provenance")["alti_rollout"]
    of_baselines = results.table("model", "roc_auc", "finds", "provenance")[[*BASELINES]]
    numbers = {int(number) for number in re.findall(r"\d+", said.striptags())}
    assert numbers == {int(found.sum()), len(found), int(of_baselines.sum().max())}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_count_follows_the_outcomes(results, language):
    worse = results.means.assign(mean=results.means["mean"].where(lambda mean: mean < 0.9, 0.5))
    nothing = replace(results, means=worse)
    said = {recovered([ALTI], outcome, words(language)) for outcome in (results, nothing)}
    assert len(said) == 2


def test_single_layers_stand_before_the_whole_model_and_each_measure_once(results):
    assert links(recovered([ALTI, RATIO, ALTI], results, words("en"))) == [
        "layer-attnresln_n",
        "model-alti_rollout",
    ]


def test_nothing_is_said_without_circuits_or_without_a_measure_that_was_scored(results):
    assert not recovered([ALTI], None, words("en"))
    assert not recovered([RANDOM], results, words("en"))
    assert not recovered([], results, words("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_show_it_in_the_ledger_and_in_the_summary(results, language):
    rows = [
        claim("B2", "holds", case(0.6, True), headline=True, methods=[ALTI]),
        claim("B3", "holds", case(0.6, True), headline=True, methods=[RANDOM]),
    ]
    found, sources, w = read(language, rows)
    for shown, more in ((ledger.ledger, [[], {}]), (ledger.summary, [])):
        assert links(shown(found, sources, results, *more, w)[0]) == ["model-alti_rollout"]
        assert links(shown(found, sources, None, *more, w)[0]) == []


def test_a_page_says_it_of_findings_that_were_tested(results, monkeypatch, tmp_path):
    def finding(name, outcome, method):
        return {"id": f"mixing.{name}", "outcome": outcome, "methods": [method]}

    judged = [finding("depth", "holds", RATIO), finding("own", "not_tested", ALTI)]
    (tmp_path / "mixing.json").write_text(json.dumps(judged), encoding="utf-8")
    monkeypatch.setattr(
        "analysis.chapters.findings.prose.result", lambda *parts: tmp_path / parts[-1]
    )
    monkeypatch.setattr("analysis.chapters.findings.prose.circuits_of_run", lambda: results)
    said = recovered_here("mixing", sentences("en", "mixing"))
    assert links(said.data) == ["layer-attnresln_n"]
    (tmp_path / "mixing.json").write_text(json.dumps(judged[1:]), encoding="utf-8")
    assert recovered_here("mixing", sentences("en", "mixing")) is NOTHING


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_whose_findings_rest_on_a_scored_measure_says_so(results, root, language):
    from analysis.rules.rule import read as read_rules

    rules = read_rules(root / "report" / "rules.yaml")
    by_id = {rule.id: rule for rule in rules}
    resting = {
        rule.chapter
        for rule in rules
        if rule.claim is None
        for method in (*rule.methods, *(by_id[rule.like].methods if rule.like else ()))
        if results.scored_as(groups()[method.measure], method.subject)
    }
    pages = (root / "report" / language).glob("*.qmd")
    saying = {
        name
        for page in pages
        for name in re.findall(r"findings\.ipynb#(\w+)-recovered", page.read_text("utf-8"))
        if name == page.stem
    }
    assert saying == resting
