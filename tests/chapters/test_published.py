"""Published values, and what becomes of them, reach the figures through the rules."""

from published_ledger import published_values, rows  # noqa: F401

from analysis.chapters.faithfulness import figures


def test_curves_have_a_value_for_each_of_six_layers():
    curves = figures.published_curves()
    assert list(curves) == [
        (reference, method)
        for reference in ("blank_out", "input_gradient")
        for method in ("raw", "rollout", "flow")
    ]
    assert all(len(values) == 6 for values in curves.values())


def test_orders_have_a_value_for_each_method_best_first():
    for order in figures.published_orders():
        assert len(order.values) == len(order.methods)
        signed = [-v if order.measure == "sufficiency" else v for v in order.values]
        assert signed == sorted(signed, reverse=True)


def test_an_order_comes_to_what_its_cases_come_to(monkeypatch):
    found = {"comprehensiveness": [False], "sufficiency": [True, False]}
    cases = [
        {"experiment": "a", "case": name, "holds": one, "smaller": False}
        for name, holds in found.items()
        for one in holds
    ]
    monkeypatch.setitem(figures.judged_claims()["B11"], "cases", cases)
    order = figures.PublishedOrder("", "", "", (), (), "B11", ("sufficiency",))
    assert order.outcome("a") == "partly"
    assert order.outcome("b") == "not_tested"
