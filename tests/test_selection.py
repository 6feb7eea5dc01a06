"""Which rows are meant, and the name of what is asked of texts."""

import numpy as np
import pandas as pd
import pytest

from analysis.rules.selection import Depth, Texts, at, choose, curve_rows

TABLE = pd.DataFrame(
    {
        "subject": ["a", "b", "a", ""],
        "clusters": [0, 5, 5, 0],
        "minus": ["", "", "b", ""],
        "reading": ["", "", "", "asked"],
    }
)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({}, [0, 1, 2, 3]),
        ({"subject": "a"}, [0, 2]),
        ({"subject": ["a", "b"]}, [0, 1, 2]),
        ({"subject": ["a", "b"], "clusters": 5}, [1, 2]),
        ({"subject": "c"}, []),
    ],
)
@pytest.mark.parametrize("kept_as", ["str", "category", "object"])
def test_rows_have_one_of_the_values_in_every_column(where, rows, kept_as):
    assert list(choose(TABLE.astype({"subject": kept_as}), where).index) == rows


def test_a_point_of_a_curve_is_neither_contrast_nor_reading():
    assert list(TABLE[curve_rows(TABLE)].index) == [0, 1]


@pytest.mark.parametrize(
    ("layers", "meant"),
    [
        ("all", [1, 2, 3, 4, 5, 6]),
        ("first", [1]),
        ("middle", [3]),
        ("last", [6]),
        ("last_two", [5, 6]),
        ("all_but_last_two", [1, 2, 3, 4]),
        (Depth.model_validate({"from": 6, "to": 10, "of": 12}), [3, 4, 5]),
        (Depth.model_validate({"from": 4, "to": 6, "of": 6}), [4, 5, 6]),
        (Depth.model_validate({"from": 5, "to": 5, "of": 6}), [5]),
    ],
)
def test_layers_are_meant_by_their_place_in_the_model(layers, meant):
    numbers = np.arange(1, 7)
    assert numbers[at(numbers, layers, 6)].tolist() == meant


def test_a_question_has_one_name_however_it_is_written():
    """And what is written down of it is the same question again."""
    depth = {"from": 1, "to": 5, "of": 6}
    question = {"measure": "mixing", "quantity": "ratio", "where": {"subject": "a", "facet": "all"}}
    question |= {"layers": depth, "minus": {"layers": "first"}}
    turned = dict(reversed(question.items())) | {"where": {"facet": "all", "subject": "a"}}
    turned |= {"over_layers": "mean"}
    first, second = Texts.model_validate(question), Texts.model_validate(turned)
    assert first.name == second.name
    assert Texts.model_validate(first.written) == first
    assert first.name != Texts.model_validate(question | {"layers": "all"}).name
