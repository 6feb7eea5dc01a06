"""The data of interactive maps: complete, small, and no text of a user that could be code."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.figures.interactive import (
    PREFIX,
    SIDE,
    Choice,
    Colouring,
    MapData,
    map_scripts,
)
from analysis.figures.style import CATEGORY_COLOURS

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<b>&amp;</b> \"quotes\" 'more' `$x` %{x} \\ \\u003c",
    "line\u2028separators\u2029 and\nmore\r\t\x00",
    "自己注意 🙂",
    "__proto__",
]
LAYERS, HEADS, METHODS = ("1", "2"), ("1.1", "1.2", "2.1"), ("pca", "tsne")
POINTS = len(HOSTILE)


def placed(*chosen: tuple[str, str]) -> pd.DataFrame:
    """Maps of heads and methods, each of another size."""
    rng = np.random.default_rng(0)
    maps = [
        pd.DataFrame(
            rng.normal(size=(POINTS, 2)) * 10.0 ** rng.integers(-6, 6), columns=["x", "y"]
        ).assign(head=head, method=method, norm=rng.gamma(2, size=POINTS))
        for head, method in chosen
    ]
    return pd.concat(maps, ignore_index=True).assign(layer="1")


def one_map(head: str, method: str, places: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(places, columns=["x", "y"]).assign(layer="1", head=head, method=method)


def lines(*rows: tuple) -> pd.DataFrame:
    names = ["head", "start", "end", "weight", "emphasised"]
    return pd.DataFrame(rows, columns=names).assign(layer="1")


KIND = Colouring("kind", "kind", categories={"b": "b kind", "a": "a kind"})


def maps(**changes) -> MapData:
    """One layer, and in it two choices, their combinations, three colourings, lines of heads."""
    kinds = ["a", "b", None, "a", "a"]
    points = {"hover": HOSTILE, "position": range(POINTS), "kind": kinds, "group": list("qqkkk")}
    known = MapData(
        choices=[
            Choice("layer", "layer", {"1": "layer 1"}),
            Choice("head", "head", {head: f"head {head}" for head in HEADS}),
            Choice("method", "method", {method: method.upper() for method in METHODS}),
        ],
        points=pd.DataFrame(points),
        maps=placed(*product(HEADS, METHODS)),
        colours=[
            Colouring("position", "position"),
            Colouring("norm", "norm", by=("head", "method")),
            KIND,
        ],
        groups=Colouring("group", "group", categories={"q": "query", "k": "key"}),
        lines=lines(("1.2", 0, 3, 0.5, True), ("1.2", 1, 4, 0.25, False)),
    )
    return replace(known, **changes)


def of_points(*values) -> dict:
    """One colouring, of these values."""
    points = pd.DataFrame({"hover": HOSTILE, "value": values, "group": "q"})
    return {"points": points, "colours": [Colouring("x", "value")]}


def read(data: MapData) -> dict:
    """Content of the script of the one layer."""
    (script,) = map_scripts(data)
    return read_script(script)


def read_script(script: str) -> dict:
    assert script.startswith(PREFIX)
    assert script.endswith(";\n")
    return json.loads(script.removeprefix(PREFIX).removesuffix(";\n"))


def test_texts_arrive_as_they_were_and_as_nothing_else():
    (script,) = map_scripts(maps())
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
        given = placed(*product(HEADS, METHODS)).groupby(["head", "method"]).get_group(chosen)
        given = given[["x", "y"]].to_numpy()
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
    heads = [one_map(head, "pca", small + 3 * i) for i, head in enumerate(HEADS)]
    data = maps(maps=pd.concat(heads), aligned=("head",), colours=[KIND])
    written = np.array([one for one in read(data)["maps"] if one])
    assert (written[0].min(), written[2].max()) == (0, SIDE)
    np.testing.assert_allclose(np.diff(written, axis=0), 3 / 7 * SIDE, atol=1)


def test_points_in_one_place_are_drawn_in_the_middle():
    data = maps(maps=one_map("1.1", "pca", np.full((POINTS, 2), 7.0)), colours=[KIND])
    assert set(read(data)["maps"][0]) == {SIDE // 2}


def test_missing_combinations_are_said_to_be_missing():
    content = read(maps(maps=placed(("1.1", "pca"), ("2.1", "tsne"))))
    there = [True, False, False, False, False, True]
    assert [one is not None for one in content["maps"]] == there
    assert [one is not None for one in content["colours"][1]["values"]] == there


def test_colours_are_numbers_or_categories_of_every_point():
    position, norm, kind = read(maps())["colours"]
    assert position == {
        "label": "position", "categories": None, "palette": [], "by": [],
        "values": [[0, 1, 2, 3, 4]],
    }  # fmt: skip
    assert norm["by"] == [0, 1]
    given = np.reshape(maps().maps["norm"], (-1, POINTS))
    np.testing.assert_allclose(norm["values"], given, rtol=1e-3)
    assert kind["categories"] == ["b kind", "a kind"]
    assert kind["values"] == [[1, 0, None, 1, 1]]
    assert kind["palette"] == list(CATEGORY_COLOURS[:2])


def test_what_depends_on_some_choices_is_written_once_for_their_options():
    by_head = maps().maps.assign(norm=lambda rows: rows["head"].astype(float))
    data = maps(maps=by_head, colours=[Colouring("norm", "norm", by=("head",))])
    (norm,) = read(data)["colours"]
    assert norm["by"] == [0]
    assert norm["values"] == [[float(head)] * POINTS for head in HEADS]


def test_a_note_belongs_to_one_map():
    assert read(maps())["notes"] is None
    notes = read(maps(notes={("1", "1.1", "tsne"): "as good as it gets"}))["notes"]
    assert notes == [None, "as good as it gets", None, None, None, None]


def test_the_options_of_the_first_choice_are_scripts_of_their_own():
    """Each is what it would be alone, and tells all options in their order."""
    names = {layer: f"layer {layer}" for layer in LAYERS}
    places = {"1": placed(*product(HEADS, METHODS)), "2": placed(("2.1", "pca"))}
    drawn = {"1": lines(("1.2", 0, 3, 0.5, True)), "2": lines(("2.1", 1, 4, 0.25, False))}
    alone = [
        maps(
            choices=[Choice("layer", "layer", {layer: names[layer]}), *maps().choices[1:]],
            maps=places[layer].assign(layer=layer),
            lines=drawn[layer].assign(layer=layer),
            notes={(layer, "2.1", "pca"): f"note {layer}"},
        )
        for layer in LAYERS
    ]
    whole = maps(
        choices=[Choice("layer", "layer", names), *maps().choices[1:]],
        maps=pd.concat([one.maps for one in alone], ignore_index=True),
        lines=pd.concat([one.lines for one in alone], ignore_index=True),
        notes={**alone[0].notes, **alone[1].notes},
    )
    parts = [read_script(script) for script in map_scripts(whole)]
    options = {"label": "layer", "options": ["layer 1", "layer 2"]}
    assert parts == [read(one) | {"parts": options} for one in alone]
    assert [one["label"] for one in parts[0]["choices"]] == ["head", "method"]
    assert [len(list(filter(None, one["maps"]))) for one in parts] == [6, 1]


def test_symbols_are_those_of_the_groups():
    content = read(maps())
    assert content["groups"] == ["query", "key"]
    assert content["group"] == [0, 0, 1, 1, 1]
    assert len(set(content["symbols"])) >= 2
    assert read(maps(groups=None))["group"] == [0] * POINTS


@pytest.mark.parametrize("missing", [None, np.float32("nan")])
def test_a_point_may_have_no_value(missing):
    (colour,) = read(maps(**of_points(1.5, missing, 2, 3, 4)))["colours"]
    assert colour["values"] == [[1.5, None, 2, 3, 4]]


def test_lines_belong_to_their_choices_and_emphasised_ones_are_drawn_last():
    written = read(maps())["lines"]
    assert written == {"by": [0], "values": [None, [[1, 4, 0.25, 0], [0, 3, 0.5, 1]], None]}
    assert read(maps(lines=None))["lines"] is None


def test_infinity_is_not_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        map_scripts(maps(**of_points(1, 2, 3, 4, np.inf)))
