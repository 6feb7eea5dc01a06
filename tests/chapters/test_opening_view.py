"""Views of the explorer that pages link to, and the one that it opens with."""

import json
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.explorer import figures
from analysis.figures.maps import token_rows
from analysis.figures.svg import svg
from analysis.prose.messages import words
from analysis.results.explorer import PAGE, linked_head, view
from attention_mixing import explorer

TOKENS = ["the", "film", "<b>", "映画"]


def run(**experiments):
    """RunParameters parameters of experiments, each with or without targets."""
    written = {name: SimpleNamespace(has_targets=two) for name, two in experiments.items()}
    return SimpleNamespace(written=written)


@pytest.fixture
def showing(here):
    """Note which experiments the explorer shows."""

    def note(*names):
        Path("results", "explorer").mkdir(parents=True)
        Path("results", "explorer", "shown.json").write_text(json.dumps(names), encoding="utf-8")

    return note


def selected(address):
    parts = urlsplit(address)
    assert parts.path == PAGE
    return {key: value for key, (value,) in parse_qs(parts.fragment).items()}


def test_an_address_names_experiment_stream_and_selection(showing):
    showing("reviews", "sources")
    p = run(reviews=False, sources=True)
    assert selected(view(p, "reviews", l=2, h=3)) == {"e": "reviews"} | {
        "l": "2",
        "h": "3",
    }
    assert selected(view(p, "sources-decoder")) == {"e": "sources", "x": "decoder"}


@pytest.mark.parametrize("there", [{"reviews"}, {"reviews", "films"}, set()])
def test_no_page_links_to_texts_that_are_not_shown(showing, there):
    showing(*there)
    p = run(reviews=False, films=False)
    linked = {case for case in p.written if view(p, case) is not None}
    assert linked == there
    for case in p.written:
        told = linked_head(p, case, 4, 3, "4.3 <")
        if case in there:
            address = view(p, case, l=4, h=3)
            assert unescape(told.data) == f'<a href="{address}">4.3 <</a>'
            assert "4.3 <" not in told.data
        else:
            assert told == "4.3 <"


def shown(rule, states):
    rng = np.random.default_rng(0)
    rows = {
        state: {method: rng.dirichlet(np.ones(4)).tolist() for method in ("head", "alti", "flow")}
        for state in states
    }
    rows[states[0]]["flow"] = [None] * 3  # and none of a token that only the other methods know
    return {
        "selection": {"e": "reviews", "x": "", "l": 2, "h": 3, "q": 3, "k": 1},
        "query": "映画",
        "tokens": TOKENS,
        "rows": rows,
        "rule": rule,
        "cost": 0.256,
        "texts": 20,
    }


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("rule", "states"), [("costly", ("pretrained", "finetuned")), ("previous", ("finetuned",))]
)
def test_the_opening_view_is_told_and_drawn_with_its_numbers(language, rule, states):
    w, opened = words(language, "explorer"), shown(rule, states)
    told = figures.notice(opened, w)
    weights = [rows["head"][1] for rows in opened["rows"].values()]
    wanted = ["reviews", "映画", "film", f"{weights[-1]:.1%}"]
    wanted += ["0.26", "20", f"{weights[0]:.1%}"] if rule == "costly" else []
    assert all(one in told for one in wanted)
    figure, data = figures.opening_figure(opened, explorer.said(language), w)
    svg(figure, "opening")
    drawn = [image.get_array() for axis in figure.axes for image in axis.get_images()]
    assert len([one for one in drawn if one.shape == (3, 4)]) == len(states)
    for state, rows in opened["rows"].items():
        of_state = data[data["variant"] == state]
        for method, row in rows.items():
            written = of_state[of_state["method"] == method]["share"]
            assert written.tolist() == [one for one in row if one is not None] or row[0] is None


def test_of_many_tokens_those_are_named_that_a_method_gives_most():
    tokens = [f"word{place}" for place in range(60)]
    rows = pd.DataFrame(np.full((2, 60), 0.001), ["one", "two"], pd.Index(tokens))
    rows.iloc[0, 7], rows.iloc[1, 41], rows.iloc[1, 0] = 0.9, 0.8, np.nan
    figure = token_rows({"": rows}, gap=0.3, margin=0.6, bar="share", vmin=0, vmax=1)
    names = [name.get_text() for name in figure.axes[0].get_xticklabels()]
    assert names == ["word7", "word41"]
    # What stands close has no room beside what is named.
    rows.iloc[1, 41], rows.iloc[1, 8] = 0, 0.8
    figure = token_rows({"": rows}, gap=0.3, margin=0.6, bar="share", vmin=0, vmax=1)
    assert [name.get_text() for name in figure.axes[0].get_xticklabels()] == ["word7"]


ITSELF = {"en": "gives itself", "ja": "自分自身に"}
ANOTHER = {"en": "gives another “film”", "ja": "別の「film」に"}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_token_that_attends_to_itself_is_not_named_as_its_own_key(language):
    w = words(language, "explorer")
    opened = shown("previous", ("finetuned",)) | {"query": "film"}
    same, cross = ({"x": stream, "q": 1, "k": 1} for stream in ("", "cross"))
    itself = figures.notice(opened | {"selection": opened["selection"] | same}, w)
    assert ITSELF[language] in itself and itself.count("film") == 1
    # Between two streams, the same position is another token; so is another one written alike.
    for other in (cross, {"x": "", "q": 3, "k": 1}):
        alike = figures.notice(opened | {"selection": opened["selection"] | other}, w)
        assert ITSELF[language] not in alike and ANOTHER[language] in alike
