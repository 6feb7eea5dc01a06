"""Tables of the chapter *faithfulness*: made of any run, and what papers print beside ours."""

from dataclasses import replace

import pandas as pd
import pytest
from published_ledger import published_values  # noqa: F401
from random_faithfulness import LANGUAGES, results, vocabulary

from analysis.figures import faithfulness_tables


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("experiments", [("a",), ("a", "b", "c")])
def test_every_table_can_be_made_of_any_number_of_experiments(experiments, language):
    w, tables = vocabulary(language), results(experiments)
    for make in ("evidence_table", "paired_table", "published_curves", "published_orders"):
        cells, data = getattr(faithfulness_tables, make)(tables, w)
        assert len(cells)
        assert len(data)
        assert not cells.isna().any(axis=None)


def test_only_experiments_that_know_the_evidence_have_columns():
    w, marked = vocabulary(), results(("a",))
    unmarked = results(("b",), evidence=False)
    both = replace(marked, final=pd.concat([marked.final, unmarked.final]))
    expected, _ = faithfulness_tables.evidence_table(marked, w)
    cells, _ = faithfulness_tables.evidence_table(both, w)
    assert cells.equals(expected)


def test_a_published_order_is_compared_in_its_own_direction():
    """Low sufficiency is good, so the order that holds there falls when it is negated."""
    tables = results()
    chosen = tables.final["measure"] == "sufficiency"
    for method, value in (("alti_rollout", 0.1), ("rollout", 0.4)):
        tables.final.loc[chosen & (tables.final["method"] == method), "mean"] = value
    w = vocabulary()
    cells, _ = faithfulness_tables.published_orders(tables, w)
    row = cells[cells[w["statement"]] == w["alti_sufficient"]].iloc[0]
    assert row["reviews"] == f"0.10, 0.40: {w['same']}"
