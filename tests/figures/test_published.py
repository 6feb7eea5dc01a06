"""Published values, and what becomes of them, reach the figures through the rules."""

import json
import re
from pathlib import Path

import pytest
from published_ledger import rows

from analysis.figures import published

FIGURES = Path(published.__file__).parent


@pytest.fixture
def ledger(tmp_path, monkeypatch) -> Path:
    """The claims of a run, as the stage rules leaves them."""
    path = tmp_path / "results" / "rules" / "claims.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(list(rows().values())), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    published.record.cache_clear()
    yield path
    published.record.cache_clear()


def test_what_the_ledger_says_is_what_is_shown(ledger):
    assert published.published("B13")["bert"] == -0.938
    changed = ledger.read_text(encoding="utf-8").replace("-0.938", "-0.5")
    ledger.write_text(changed, encoding="utf-8")
    published.record.cache_clear()
    assert published.published("B13")["bert"] == -0.5


def test_curves_have_a_value_for_each_of_six_layers(ledger):
    curves = published.published_curves()
    assert list(curves) == [
        (reference, method)
        for reference in ("blank_out", "input_gradient")
        for method in ("raw", "rollout", "flow")
    ]
    assert all(len(values) == 6 for values in curves.values())


def test_orders_have_a_value_for_each_method_best_first(ledger):
    for order in published.published_orders():
        assert len(order.values) == len(order.methods)
        signed = [-v if order.measure == "sufficiency" else v for v in order.values]
        assert signed == sorted(signed, reverse=True)


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ([True], "holds"),
        ([True, False], "partly"),
        ([True, None], "open"),
        ([False], "fails"),
        ([None], "open"),
    ],
)
def test_an_order_comes_to_what_its_claim_comes_to(monkeypatch, holds, expected):
    of_claim = [{"experiment": "a", "case": "sufficiency", "holds": one} for one in holds]
    other = {"experiment": "a", "case": "comprehensiveness", "holds": False}
    monkeypatch.setattr(published, "record", lambda: {"B11": {"cases": [*of_claim, other]}})
    order = published.PublishedOrder("", "", "", (), (), "B11", ("sufficiency",))
    assert order.outcome("a") == expected
    assert order.outcome("b") == "not_tested"


def test_whatever_the_figures_ask_the_ledger_for_is_there():
    for path in FIGURES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for claim in re.findall(r"""published\(['"]([AB]\d+)['"]\)""", text):
            assert rows()[claim]["claim"]["values"] is not None, f"{path.name} asks for {claim}"
