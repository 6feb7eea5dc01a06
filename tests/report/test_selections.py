"""What a link to a page selects there, by its address: it is there."""

import pytest
from selections import missing, selecting_what_is_not_there, selections

LANGUAGES = ("en", "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_selects_what_there_is(small_site, language):
    assert selecting_what_is_not_there(small_site, language) == []
    claims = (small_site / language / "claims.html").read_text(encoding="utf-8")
    assert {page for page, _ in selections(claims)} >= {"explorer.html"}


STREAM = {
    "name": "",
    "layers": 2,
    "heads": 3,
    "map": "together",
    "cells": {"attention": ["pretrained", "finetuned"], "mean-loss_change": ["finetuned"]},
    "columns": {"rollout": ["pretrained", "finetuned"], "gradient_norm": ["finetuned"]},
}
INDEX = [
    {
        "name": "reviews",
        "states": ["pretrained", "finetuned"],
        "texts": [{"id": 4}],
        "streams": [STREAM],
    }
]


@pytest.mark.parametrize(
    ("selected", "faults"),
    [
        ("e=reviews&o=gradient_norm", []),
        ("e=reviews&s=both&o=gradient_norm&c=mean-loss_change&t=4&l=2&h=3&v=map", []),
        ("e=reviews&s=pretrained&o=gradient_norm", ["order gradient_norm"]),
        ("o=rollout", ["experiment None"]),
        ("e=reviews&c=mean-family", ["cells mean-family"]),
        ("e=reviews&v=features", ["view features"]),
        ("e=reviews&d=rollout~flow&o=difference", ["compared rollout~flow"]),
        ("e=reviews&o=difference", ["order difference"]),
        ("e=reviews&t=5&l=3&h=4", ["text 5", "layer 3", "head 4"]),
    ],
)
def test_what_a_selection_asks_in_vain_is_named(selected, faults):
    assert missing(selected, INDEX) == faults
