"""Tables of the chapter *faithfulness*: made of any run, and what papers print beside ours."""

import pytest
from published_ledger import published_values  # noqa: F401
from random_faithfulness import LANGUAGES, results, vocabulary

from analysis.figures import faithfulness_tables, published


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("experiments", [("a",), ("a", "b", "c")])
def test_every_table_can_be_made_of_any_number_of_experiments(experiments, language):
    w, tables = vocabulary(language), results(experiments)
    for make, *given in (
        (faithfulness_tables.evidence_table, tables.found),
        (faithfulness_tables.paired_table, tables.paired),
        (faithfulness_tables.published_curves, tables.layers),
        (faithfulness_tables.published_orders, tables.final, tables.layers),
    ):
        cells, data = make(*given, w)
        assert len(cells)
        assert len(data)
        assert not cells.isna().any(axis=None)


def test_texts_without_a_difference_are_counted_where_there_are_any():
    w, paired = vocabulary(), results().paired
    cells, _ = faithfulness_tables.paired_table(paired, w)
    assert w["undefined"] not in cells
    paired.loc[paired["of"] == "flow", "dropped"] = 2
    cells, _ = faithfulness_tables.paired_table(paired, w)
    assert cells.set_index(w["method"])[w["undefined"]][w["flow"]] == 2


def test_a_published_order_has_the_outcome_of_its_claim(monkeypatch):
    """Not of the means alone, which may differ by chance."""
    tables, w = results(), vocabulary()
    of_claim = {"experiment": "reviews", "case": "sufficiency", "holds": None}
    monkeypatch.setitem(published.record()["B11"], "cases", [of_claim])
    for method, value in (("alti_rollout", 0.1), ("rollout", 0.4)):
        chosen = (tables.final["measure"] == "sufficiency") & (tables.final["of"] == method)
        tables.final.loc[chosen, "mean"] = value
    cells, _ = faithfulness_tables.published_orders(tables.final, tables.layers, w)
    row = cells[cells[w["statement"]] == w["alti_sufficient"]].iloc[0]
    assert row["reviews"] == f"0.10, 0.40: {w['order_open']}"
