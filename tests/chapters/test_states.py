"""Before fine-tuning and after it are two populations: no number of a figure is of both."""

import re
from itertools import product

import made_summary
import pytest

from analysis.chapters.geometry import figures
from analysis.prose.messages import words

STATES = {"pretrained": 0.2, "finetuned": 0.8}
NUMBER = re.compile(r"\d\.\d+")


@pytest.fixture
def two_states(here):
    """Every quantity of geometry is .2 in all models before, and .8 after."""
    ways = [
        f"{scope}{rank}_{way}"
        for scope, rank, way in product(("", "apart_", "all_"), figures.RANKS, ("before", "after"))
    ]
    tables = []
    for state, mean in STATES.items():
        about = {"experiment": ["a", "b", "c"], "variant": state}
        distances = made_summary.rows(measure="geometry", quantity=ways, **about)
        choices = {"subject": list(figures.CHOICES), "quantity": ["c", "correlation", "at_edge"]}
        scales = [made_summary.rows(measure="scale_choices", **choices, **about)]
        scales.append(scales[0].assign(layer=1, head=1))
        tables += [one.assign(mean=mean) for one in (distances, *scales)]
    made_summary.write(here, "queries-keys", tables)


@pytest.mark.parametrize("table", [figures.distance_table, figures.scale_table])
def test_a_table_has_a_row_a_state_and_no_number_between_them(table, two_states):
    w = words("en", "geometry")
    cells, _ = table(w)
    states = cells[w["state"]]
    assert set(states) == {w[state] for state in STATES}
    for state, mean in STATES.items():
        rows = cells[states == w[state]].astype(str)
        found = {number for cell in rows.to_numpy().ravel() for number in NUMBER.findall(cell)}
        assert found == {f"{mean:.2f}"}
