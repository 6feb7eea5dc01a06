"""The data of interactive maps: complete, small, and no text of a user that could be code."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.figures.chapter import Chapter
from analysis.figures.interactive import (
    PREFIX,
    SIDE,
    Choice,
    Colouring,
    Line,
    Lines,
    MapData,
    map_script,
)
from analysis.figures.style import CATEGORY_COLOURS, figure_style

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<b>&amp;</b> \"quotes\" 'more' `$x` %{x} \\ \\u003c",
    "line\u2028separators\u2029 and\nmore\r\t\x00",
    "自己注意 🙂 \ud800",
    "__proto__",
]
HEADS, METHODS = ("1.1", "1.2", "2.1"), ("pca", "tsne")
POINTS = len(HOSTILE)


def maps(**changes) -> MapData:
    """Two choices, all their combinations, three colourings and lines of each head."""
    rng = np.random.default_rng(0)
    known = MapData(
        choices=[
            Choice("head", "head", {head: f"head {head}" for head in HEADS}),
            Choice("method", "method", {method: method.upper() for method in METHODS}),
        ],
        coordinates={
            chosen: rng.normal(size=(POINTS, 2)) * 10.0 ** rng.integers(-6, 6)
            for chosen in product(HEADS, METHODS)
        },
        hover=HOSTILE,
        colours=[
            Colouring("position", {(): range(POINTS)}),
            Colouring("norm", {(head,): rng.gamma(2, size=POINTS) for head in HEADS}, by=("head",)),
            Colouring("kind", {(): ["b", "a", None, "b", "b"]}, categories=("a", "b")),
        ],
        groups=("query", "key"),
        group=[0, 0, 1, 1, 1],
        lines=Lines({("1.2",): [Line(0, 3, 0.5, True), Line(1, 4, 0.25)]}, by=("head",)),
    )
    return replace(known, **changes)


def read(data: MapData) -> dict:
    script = map_script(data)
    assert script.startswith(PREFIX)
    assert script.endswith(";\n")
    return json.loads(script.removeprefix(PREFIX).removesuffix(";\n"))


def test_texts_arrive_as_they_were_and_as_nothing_else():
    script = map_script(maps())
    assert script.isascii()
    assert "<" not in script
    assert script.count("\n") == 1
    assert read(maps())["hover"] == HOSTILE


def test_maps_are_where_their_options_say():
    """The last choice turns fastest, as the script of the page counts."""
    content = read(maps())
    assert [one["options"] for one in content["choices"]] == [
        ["head 1.1", "head 1.2", "head 2.1"],
        ["PCA", "TSNE"],
    ]
    assert len(content["maps"]) == len(HEADS) * len(METHODS)
    for number, chosen in enumerate(product(HEADS, METHODS)):
        written = np.reshape(content["maps"][number], (2, POINTS)).T
        given = maps().coordinates[chosen]
        # Shifting and scaling leave ratios of distances as they were, up to the rounding.
        side = np.ptp(given, axis=0).max()
        np.testing.assert_allclose(
            (written - written[0]) / SIDE, (given - given[0]) / side, atol=1.01 / SIDE
        )
        assert written.min() >= 0
        assert written.max() <= SIDE
        assert np.ptp(written, axis=0).max() == SIDE


def test_aligned_maps_keep_their_common_axes():
    small = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])
    data = maps(
        coordinates={(head, "pca"): small + 3 * i for i, head in enumerate(HEADS)},
        aligned=("head",),
    )
    written = np.array([one for one in read(data)["maps"] if one])
    assert (written[0].min(), written[2].max()) == (0, SIDE)
    np.testing.assert_allclose(np.diff(written, axis=0), 3 / 7 * SIDE, atol=1)


def test_points_in_one_place_are_drawn_in_the_middle():
    data = maps(coordinates={("1.1", "pca"): np.full((POINTS, 2), 7.0)})
    assert set(read(data)["maps"][0]) == {SIDE // 2}


def test_missing_combinations_are_said_to_be_missing():
    full = maps()
    some = {chosen: full.coordinates[chosen] for chosen in [("1.1", "pca"), ("2.1", "tsne")]}
    found = [one is not None for one in read(maps(coordinates=some))["maps"]]
    assert found == [True, False, False, False, False, True]


def test_colours_are_numbers_or_categories_of_every_point():
    position, norm, kind = read(maps())["colours"]
    assert position == {
        "label": "position", "categories": None, "palette": [], "by": [],
        "values": [[0, 1, 2, 3, 4]],
    }  # fmt: skip
    assert norm["by"] == [0]
    given = [maps().colours[1].values[(head,)] for head in HEADS]
    np.testing.assert_allclose(norm["values"], given, rtol=1e-3)
    assert kind["categories"] == ["a", "b"]
    assert kind["values"] == [[1, 0, None, 1, 1]]
    assert kind["palette"] == list(CATEGORY_COLOURS[:2])


def test_a_colouring_may_have_colours_of_its_own():
    kinds = Colouring("kind", {(): list("aabba")}, categories=("a", "b"), palette=("#111", "#222"))
    assert read(maps(colours=[kinds]))["colours"][0]["palette"] == ["#111", "#222"]


def test_a_note_belongs_to_one_map():
    assert read(maps())["notes"] is None
    notes = read(maps(notes={("1.1", "tsne"): "as good as it gets"}))["notes"]
    assert notes == [None, "as good as it gets", None, None, None, None]
    with pytest.raises(ValueError, match="notes has values for"):
        read(maps(notes={("9.9", "tsne"): "of no map"}))


def test_symbols_are_those_of_the_groups():
    content = read(maps())
    assert content["groups"] == ["query", "key"]
    assert content["group"] == [0, 0, 1, 1, 1]
    assert len(set(content["symbols"])) >= 2
    assert read(maps(groups=("token",), group=None))["group"] == [0] * POINTS


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.float32("nan")])
def test_a_point_may_have_no_value(missing):
    (colour,) = read(maps(colours=[Colouring("x", {(): [1.5, missing, 2, 3, 4]})]))["colours"]
    assert colour["values"] == [[1.5, None, 2, 3, 4]]


def test_lines_belong_to_their_choices_and_emphasised_ones_are_drawn_last():
    lines = read(maps())["lines"]
    assert lines == {"by": [0], "values": [None, [[1, 4, 0.25, 0], [0, 3, 0.5, 1]], None]}
    assert read(maps(lines=None))["lines"] is None


def test_the_same_map_is_the_same_text():
    assert map_script(maps()) == map_script(maps())


def test_queries_and_keys_of_every_head_fit_into_a_page():
    """72 heads, three methods, two states of the model and 260 points: under 3 MB."""
    rng = np.random.default_rng(0)
    heads = [f"{layer}.{head}" for layer in range(1, 7) for head in range(1, 13)]
    methods, states = ("pca", "umap", "tsne"), ("pretrained", "finetuned")
    data = MapData(
        choices=[
            Choice(name, name, dict.fromkeys(options, "an option"))
            for name, options in (("head", heads), ("method", methods), ("state", states))
        ],
        coordinates={
            chosen: rng.normal(size=(260, 2)) for chosen in product(heads, methods, states)
        },
        hover=["token (query), position 12\nlabel: positive"] * 260,
        colours=[
            Colouring(
                "norm",
                {chosen: rng.normal(size=260) for chosen in product(heads, states)},
                by=("head", "state"),
            )
        ],
    )
    assert len(map_script(data)) < 3_000_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": [0, 0, 1]}, "group has 3 entries"),
        ({"group": [0, 0, 1, 1, 2]}, "from 0 to 1"),
        ({"groups": list("abcdef")}, "6 groups cannot be drawn"),
        ({"colours": []}, "0 colourings"),
        ({"coordinates": {("1.1", "pca"): np.zeros((3, 2))}}, r"have the shape \(3, 2\)"),
        ({"coordinates": {("1.1", "pca"): np.full((POINTS, 2), np.inf)}}, "finite"),
        ({"coordinates": {("1.2", "pca"): np.zeros((POINTS, 2))}}, "the first option of every"),
        ({"coordinates": {("1.1", "umap"): np.zeros((POINTS, 2))}}, "values for .*umap"),
        ({"colours": [Colouring("x", {(): [1, 2]})]}, "'x' has 2 values"),
        ({"colours": [Colouring("x", {(): ["c"] * 5}, categories=("a",))]}, "has the value 'c'"),
        (
            {"colours": [Colouring("x", {(): ["a"] * 5}, categories=tuple("abcdefghi"))]},
            f"at most {len(CATEGORY_COLOURS)}",
        ),
        ({"colours": [Colouring("x", {(): [1] * 5}, by=("layer",))]}, "the choices are head"),
        ({"colours": [Colouring("x", {("1.1",): [1] * 5})]}, "give one option of each of no"),
        ({"colours": [Colouring("x", {(): [1, 2, 3, 4, np.inf]})]}, "not JSON compliant"),
        ({"lines": Lines({("1.1",): [Line(0, 5, 0.1)]}, ("head",))}, "points from 0 to 4"),
        ({"lines": Lines({("1.1",): [Line(0, 1, 1.5)]}, ("head",))}, "weight from 0 to 1"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        map_script(maps(**changes))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_figure_offers_its_interactive_version(tmp_path, language):
    def publish(label, interactive):
        with figure_style():
            figure, _ = plt.subplots(figsize=(1, 1))
        table = pd.DataFrame({"x": [1]})
        return Chapter("features", language, str(tmp_path)).figure(
            label, figure, "alt", table, interactive
        )

    assert 'data-map="files/features/maps.map.js"' in publish("maps", maps()).data
    assert (tmp_path / "maps.map.js").read_text(encoding="utf-8") == map_script(maps())
    assert "button" not in publish("static", None).data
    assert not (tmp_path / "static.map.js").exists()
