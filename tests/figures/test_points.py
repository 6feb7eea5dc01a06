"""What points are, and the names that stay in sight beside a figure that scrolls."""

import html
import json
import re

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.figures import front
from analysis.figures.chapter import Chapter
from analysis.figures.curves import curve_grid
from analysis.figures.style import figure_style, say_points
from analysis.figures.svg import names_beside, points, svg
from analysis.prose.messages import words


def drawn(*, named: bool = True):
    with figure_style():
        figure, axis = plt.subplots(figsize=(4, 2), layout=None)
        axis.set_position((0.25, 0.25, 0.5, 0.5))
        axis.set(xlim=(0, 10), ylim=(0, 10))
        if not named:
            axis.set_position((0, 0, 1, 1))
            axis.set_axis_off()
        axis.plot([0, 10], [0, 10], "o")
        say_points(axis, [0, 10], [0, 10], ["first", "last"])
    return figure


def test_a_point_is_said_where_it_is_drawn_and_draws_nothing():
    figure = drawn()
    drawing = svg(figure, "points")
    assert points(figure) == [(75, 25, "last"), (25, 75, "first")]
    silent = drawn()
    for note in list(silent.axes[0].texts):
        note.remove()
    assert svg(silent, "points") == drawing


def test_names_beside_the_panels_reach_from_the_edge_to_the_panels():
    figure = drawn()
    svg(figure, "names")
    # A quarter of four inches, and three of two, at 96 pixels an inch.
    assert names_beside(figure) == (95, 144)
    bare = drawn(named=False)
    svg(bare, "names")
    assert names_beside(bare) is None


ROWS = pd.DataFrame(
    [
        {"experiment": name, "variant": state, "subject": "raw", "layer": layer, "mean": 0.5}
        for name, states in {"a": ("pretrained",), "b": ("pretrained", "finetuned")}.items()
        for state in states
        for layer in (1, 2)
    ]
).assign(low=0.4, high=0.6)


def draw(rows, w):
    figure, data = curve_grid({"a": rows}, w, colours={"raw": "#0072B2"}, by="subject")
    say_points(figure.axes[0], [1], [0.5], ['"<raw>" & more'])
    return figure, data


@pytest.mark.parametrize(("asked", "large"), [("", "b"), ("a", "a"), ("none of them", "b")])
def test_one_experiment_is_large_and_no_row_is_lost(tmp_path, asked, large):
    chapter = Chapter("mixing", "en", str(tmp_path))
    page = front.with_others(chapter, "scopes", draw, ROWS, front=asked).data
    of_front = pd.read_csv(tmp_path / "scopes.csv")
    others = pd.read_csv(tmp_path / "scopes-others.csv")
    assert set(of_front["experiment"]) == {large}
    assert sorted([*of_front["experiment"], *others["experiment"]]) == sorted(ROWS["experiment"])
    fold = page.index('<details class="printed">')
    assert page.index("scopes.svg") < fold < page.index("scopes-others.svg")
    assert words("en", "mixing")["other_experiments"] in page[fold:]


def test_what_is_large_alone_has_no_fold(tmp_path):
    chapter = Chapter("mixing", "en", str(tmp_path))
    alone = ROWS[ROWS["experiment"] == "a"]
    assert "printed" not in front.with_others(chapter, "scopes", draw, alone).data


def test_a_page_is_told_the_points_and_how_wide_the_names_are(tmp_path):
    chapter = Chapter("mixing", "en", str(tmp_path))
    page = chapter.figure("scopes", draw, ROWS[ROWS["experiment"] == "a"]).data
    told = re.search(r'data-points="([^"]*)"', page)
    assert [text for *_, text in json.loads(html.unescape(told[1]))] == ['"<raw>" & more']
    assert re.search(r'data-names="\d+ \d+"', page)
