"""Published values reach the figures through the ledger."""

import json
import re
from pathlib import Path

import pytest
from published_ledger import values

from analysis.figures import published

FIGURES = Path(published.__file__).parent


@pytest.fixture
def ledger(tmp_path, monkeypatch) -> Path:
    """The ledger of a run, as the stage claims leaves it."""
    rows = [{"id": name, "values": each, "verdict": "undecided"} for name, each in values().items()]
    (tmp_path / "ledger").mkdir()
    path = tmp_path / "ledger" / "claims.json"
    path.write_text(json.dumps({"claims": rows}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    published._values.cache_clear()
    yield path
    published._values.cache_clear()


def test_what_the_ledger_says_is_what_is_shown(ledger):
    assert published.published("B13")["bert"] == -0.938
    changed = ledger.read_text(encoding="utf-8").replace("-0.938", "-0.5")
    ledger.write_text(changed, encoding="utf-8")
    published._values.cache_clear()
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


def test_whatever_the_figures_ask_the_ledger_for_is_there():
    for path in FIGURES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for claim in re.findall(r"""published\(['"]([AB]\d+)['"]\)""", text):
            assert values()[claim] is not None, f"{path.name} asks for {claim}"
