"""The view that a claim is linked to: of an experiment that tested it and has what is named."""

from urllib.parse import parse_qs, urlsplit

import pytest
from made_claims import case, claim, read

from analysis.prose.claim_views import view_of_claim
from attention_mixing import explorer
from attention_mixing.measures import groups

STATES = ["pretrained", "finetuned"]


def stream(name="", columns=("raw", "rollout", "flow"), cells=("attention",), **more):
    return {
        "name": name,
        "columns": dict.fromkeys(columns, STATES),
        "cells": dict.fromkeys(cells, STATES),
        **more,
    }


def shown(name, *streams, states=STATES):
    return {"name": name, "states": list(states), "streams": list(streams)}


def rows(measure, quantity, **where):
    return {"group": groups()[measure], "measure": measure, "quantity": quantity, "where": where}


def judged(*measured, cases=None, methods=()):
    """A claim with what its cases read, and (quantity, method) of its methods."""
    cases = [case(0.6, True)] if cases is None else cases
    of = [{"group": "explain", "quantity": quantity, "subject": name} for quantity, name in methods]
    row = claim("B1", "holds", *cases, methods=of, measured=list(measured))
    ((only,), _, _) = read(rows=[row])
    return only


def selected(view):
    return {key: value for key, (value,) in parse_qs(urlsplit(view.address).fragment).items()}


GRADIENT = judged(
    rows("faithfulness", "gradient", subject="rollout", facet="max"),
    methods=[("gradient", "rollout"), ("gradient", "raw")],
)


def test_it_is_of_an_experiment_that_has_the_columns():
    with_it = shown("reviews", stream(columns=("raw", "rollout", "gradient_norm")))
    view = view_of_claim(GRADIENT, [shown("sentences", stream()), with_it])
    assert selected(view) == {
        "e": "reviews",
        "s": "finetuned",
        "d": "rollout~raw",
        "o": "gradient_norm",
    }
    assert view.names == ("column_rollout", "column_raw", "column_gradient_norm")


@pytest.mark.parametrize(
    "index",
    [
        [],
        [shown("reviews", stream())],
        [shown("reviews", stream(columns=("raw", "gradient_norm")))],
        # Tested in another experiment than the one that has them.
        [shown("sentences", stream(columns=("raw", "rollout", "gradient_norm")))],
    ],
    ids=["nothing shown", "no truth", "no subject", "another experiment"],
)
def test_without_what_it_is_about_there_is_no_link(index):
    assert view_of_claim(GRADIENT, index) is None


def test_a_column_that_another_state_has_does_not_count():
    there = stream() | {"columns": {"rollout": STATES, "gradient_norm": ["pretrained"]}}
    assert view_of_claim(GRADIENT, [shown("reviews", there)]) is None


@pytest.mark.parametrize(
    ("measured", "cell"),
    [
        (rows("heads", "previous"), "mean-previous"),
        (rows("head_ablation", "score_change"), "mean-loss_change"),
        (rows("sinks", "sink", facet="first"), "first"),
        (rows("heads", "without_pattern", subject="0.5"), "mean-family"),
    ],
)
def test_numbers_of_heads_are_the_quantity_of_the_claim(measured, cell):
    index = [shown("reviews", stream(cells=("attention", cell)))]
    view = view_of_claim(judged(measured), index)
    assert selected(view)["c"] == cell
    assert view_of_claim(judged(measured), [shown("reviews", stream())]) is None


def test_source_and_target_together_are_the_stream_between_them():
    joint = judged(
        rows("two_streams", "alignment_error", subject="raw"),
        cases=[case(0.6, True, experiment="books", variant="pretrained")],
        methods=[("alignment_error", "raw")],
    )
    index = [shown("books", stream("encoder"), stream("cross"), states=STATES[:1])]
    assert selected(view_of_claim(joint, index)) == {"e": "books", "x": "cross", "o": "raw"}


def test_what_only_a_reference_run_tested_has_no_view():
    kept = judged(rows("heads", "previous"), cases=[case(0.6, True, experiment="sst2/reviews")])
    assert view_of_claim(kept, [shown("reviews", stream(cells=("mean-previous",)))]) is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_a_link_shows_has_a_name(language):
    said = explorer.said(language)
    index = [shown("reviews", stream(columns=("raw", "rollout", "gradient_norm")))]
    assert all(said[name] for name in view_of_claim(GRADIENT, index).names)
