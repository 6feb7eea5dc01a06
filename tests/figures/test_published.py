"""Published values, and what becomes of them, reach the figures through the rules."""

import json
import re
from pathlib import Path

import pytest
from published_ledger import rows

from analysis.figures import published
from analysis.figures.findings import published_scores
from analysis.figures.words import words

FIGURES = Path(published.__file__).parent


@pytest.fixture
def ledger(tmp_path, monkeypatch) -> Path:
    """The claims of a run, as the stage rules leaves them."""
    path = tmp_path / "results" / "rules" / "claims.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(list(rows().values())), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    published._claims.cache_clear()
    yield path
    published._claims.cache_clear()


def test_what_the_ledger_says_is_what_is_shown(ledger):
    assert published.published("B13")["bert"] == -0.938
    changed = ledger.read_text(encoding="utf-8").replace("-0.938", "-0.5")
    ledger.write_text(changed, encoding="utf-8")
    published._claims.cache_clear()
    assert published.published("B13")["bert"] == -0.5


def test_curves_have_a_value_for_each_of_six_layers(ledger):
    curves = published.published_curves()
    assert [(c.reference, c.method) for c in curves] == [
        (reference, method)
        for reference in ("blank_out", "input_gradient")
        for method in ("raw", "rollout", "flow")
    ]
    assert all(len(curve.values) == 6 for curve in curves)


def test_orders_have_a_value_for_each_method_best_first(ledger):
    for order in published.published_orders():
        assert len(order.values) == len(order.methods)
        signed = [-v if order.measure == "sufficiency" else v for v in order.values]
        assert signed == sorted(signed, reverse=True)


@pytest.mark.parametrize(
    ("language", "given", "told"),
    [
        ("en", "72.96 exact and 76.29 F1", "which are the published totals but for rounding"),
        ("ja", "完全一致 72.96、F1 76.29", "丸め誤差を除いて、公表された全体の値と一致する"),
    ],
)
def test_published_totals_are_the_weighted_means_of_their_parts(ledger, language, given, told):
    text = published_scores.totals(words(language, "findings_published_scores"))
    assert given in text
    assert text.endswith(told)


@pytest.mark.parametrize("label", ["exact_match", "f1"])
@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "which differ from the published totals by up to 1 points"),
        ("ja", "公表された全体の値と最大 1 ポイント異なる"),
    ],
)
def test_published_totals_that_do_not_follow_are_told(ledger, label, language, told):
    record = json.loads(ledger.read_text(encoding="utf-8"))
    (of_totals,) = (claim for claim in record if claim["id"] == "A1")
    for case in of_totals["cases"]:
        if case["case"] == label:
            case |= {"value": case["value"] + 1, "holds": False}
    ledger.write_text(json.dumps(record), encoding="utf-8")
    published._claims.cache_clear()
    assert published_scores.totals(words(language, "findings_published_scores")).endswith(told)


def test_whatever_the_figures_ask_the_ledger_for_is_there():
    for path in FIGURES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for claim in re.findall(r"""published\(['"]([AB]\d+)['"]\)""", text):
            assert rows()[claim]["claim"]["values"] is not None, f"{path.name} asks for {claim}"
