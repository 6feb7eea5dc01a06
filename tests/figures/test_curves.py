"""Curves over layers: legends that explain every line, colours that can be told apart."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from analysis.chapters.faithfulness import figures as faithfulness
from analysis.chapters.geometry import figures as geometry
from analysis.chapters.heads import figures as heads
from analysis.chapters.mixing import figures as mixing
from analysis.chapters.propagation import figures as propagation
from analysis.figures.curves import curve_grid, spread_out
from analysis.figures.style import METHOD_COLOURS, lay_out, method_colour, method_colours
from analysis.prose.messages import words
from analysis.results import explanations

METHODS = {
    "scopes": mixing.SCOPES,
    "rolled out": mixing.ROLLED,
    "propagated": propagation.CURVES,
    "by layer": faithfulness.LAYERED,
    "relevance": explanations.RELEVANCE_RULES,
}
CHARTS = {name: [method_colour(one) for one in drawn] for name, drawn in METHODS.items()} | {
    "kinds": list(mixing.KIND_COLOURS.values()),
    "attended": list(heads.ATTENDED_COLOURS.values()),
    "ways": list(geometry.WAY_COLOURS.values()),
    "change": list(geometry.COLOURS.values()),
}


def oklab(colour: str) -> np.ndarray:
    """Place a colour where distance is how different it looks (Ottosson 2020)."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    axes = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.array(axes) @ np.cbrt(np.array(cones) @ linear)


def test_colours_of_one_chart_can_be_told_apart():
    for chart, colours in CHARTS.items():
        for one, other in combinations(set(colours), 2):
            assert np.linalg.norm(oklab(one) - oklab(other)) > 0.1, (chart, one, other)


def curves(*names: str, layers: int = 3) -> pd.DataFrame:
    rows = [
        {"experiment": "one", "variant": "pretrained", "subject": name, "layer": layer + 1}
        for name in names
        for layer in range(layers)
    ]
    return pd.DataFrame(rows).assign(mean=0.5, low=0.4, high=0.6)


def of_two(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([rows, rows.assign(experiment="two")])


def keys(legend) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


def test_rows_of_different_lines_have_a_legend_each_and_rows_of_the_same_share_one():
    w = words("en", "mixing")
    style = {"colours": method_colours(mixing.SCOPES), "by": "subject"}
    two, one = of_two(curves("attn_w", "attn_n")), of_two(curves("attn_n"))
    apart, _ = curve_grid({"a": two, "b": one}, w, **style)
    same, _ = curve_grid({"a": one, "b": one}, w, **style)
    beside = [keys(legend) for axis in apart.axes if (legend := axis.get_legend())]
    assert beside == [[w["attn_w"], w["attn_n"]], [w["attn_n"]]]
    assert [keys(legend) for legend in apart.legends] == [[]]
    assert not any(axis.get_legend() for axis in same.axes)
    assert [keys(legend) for legend in same.legends] == [[w["attn_n"]]]


def test_lines_of_one_experiment_are_named_at_their_ends_and_in_no_legend():
    w = words("en", "mixing")
    rows = curves("attn_w", "attn_n", "attnres_w").assign(mean=0.5)
    rows.loc[rows["subject"] == "attn_n", "mean"] = 0.9
    style = {"colours": method_colours(mixing.SCOPES), "by": "subject"}
    figure, _ = curve_grid({"a": rows}, w, **style)
    (axis,) = figure.axes
    names = {note.get_text(): note for note in axis.texts}
    assert set(names) == {w[name] for name in ("attn_w", "attn_n", "attnres_w")}
    assert [keys(legend) for legend in figure.legends] == [[]]
    figure.draw_without_rendering()
    extents = [Text.get_window_extent(note) for note in names.values()]
    assert not any(one.overlaps(other) for one, other in combinations(extents, 2))
    assert names[w["attn_n"]].xyann[1] == max(note.xyann[1] for note in names.values())
    for name, note in names.items():
        (label,) = (label for label in mixing.SCOPES if w[label] == name)
        assert to_rgb(note.arrow_patch.get_edgecolor()) == to_rgb(method_colour(label))


@pytest.mark.parametrize("heights", [[0.5], [1, 1, 1], [0, 0.2, 0.9], [0.9, 0.1, 0.12, 0.95], []])
def test_names_move_no_more_than_they_must(heights):
    heights, apart = np.array(heights, float), 0.15
    moved = spread_out(heights, apart)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(moved[order]) >= apart - 1e-9).all()
    assert ((moved >= 0) & (moved <= 1)).all()
    free = (np.abs(heights[:, None] - heights) >= apart * len(heights)) | np.eye(
        len(heights), dtype=bool
    )
    np.testing.assert_allclose(moved[free.all(axis=1)], heights[free.all(axis=1)])


def test_what_no_experiment_has_leaves_no_empty_frame():
    seen, other = curves("raw"), curves("raw").assign(experiment="two", mean=np.nan, low=np.nan)
    rows = {"share": pd.concat([seen, other])}
    figure, _ = curve_grid(rows, words("en", "mixing"), colours={"raw": "#0072B2"}, by="subject")
    frames = [[spine.get_visible() for spine in axis.spines.values()] for axis in figure.axes]
    assert any(frames[0])
    assert not any(frames[1])


def test_layers_of_a_deep_model_have_room_for_their_numbers():
    drawn, _ = curve_grid(
        {"a": curves("attn_w", layers=24)},
        words("en", "mixing"),
        colours={"attn_w": METHOD_COLOURS["attn_w"]},
        by="subject",
    )
    assert len(drawn.axes[0].get_xticks()) <= 8


def test_seeds_are_points_at_the_layer_of_their_mean_and_explained():
    w = words("en", "mixing")
    style = {"colours": method_colours(mixing.SCOPES), "by": "subject"}
    rows = curves("attn_w").assign(by_seed=["0.4 0.6", "", "0.3 0.5 0.7"])
    figure, _ = curve_grid({"a": rows}, w, **style)
    _, points = figure.axes[0].lines
    assert list(zip(*points.get_data(), strict=True)) == [
        *((1, 0.4), (1, 0.6)),
        *((3, 0.3), (3, 0.5), (3, 0.7)),
    ]
    assert w["one_seed"] in keys(figure.legends[0])
    without, _ = curve_grid({"a": rows.assign(by_seed="")}, w, **style)
    assert w["one_seed"] not in keys(without.legends[0])


@pytest.mark.parametrize("count", [1, 6, 7, 11])
def test_many_experiments_go_on_below_and_share_their_scales(count):
    names = [f"experiment-{number}" for number in range(count)]
    parts = [
        curves("attn_w").assign(experiment=name, mean=number) for number, name in enumerate(names)
    ]
    rows = {label: pd.concat(parts) for label in ("a", "b")}
    style = {"colours": method_colours(mixing.SCOPES), "by": "subject", "limits": None}
    figure, _ = curve_grid(rows, words("en", "mixing"), **style)
    titles = {axis.get_title("left"): axis for axis in figure.axes}
    assert [title for title in titles if title] == names
    assert len(figure.axes) == 2 * count
    assert len({axis.get_ylim() for axis in figure.axes}) == 1
    lay_out(figure)
    places = [axis.get_position() for axis in figure.axes]
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))
    # Six beside each other, at most, leave every name its room.
    assert min(place.width for place in places) > 0.12 or count < 6


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (0.5, ["", ""]),
        (np.nan, ["", "no value"]),
        (0.0, ["", "0 in all layers"]),
        # Never less than the value.
        (0.0121, ["", "at most 0.013"]),
    ],
)
def test_a_panel_in_which_no_line_is_seen_says_so(mean, said):
    seen, other = curves("raw"), curves("raw").assign(experiment="two", mean=mean, low=mean)
    rows = {"share": pd.concat([seen, other.assign(high=mean)])}
    figure, _ = curve_grid(rows, words("en", "mixing"), colours={"raw": "#0072B2"}, by="subject")
    texts = ["".join(text.get_text() for text in axis.texts) for axis in figure.axes]
    assert texts == said


def test_labels_of_rows_do_not_run_into_each_other():
    long = {
        "en": "largest magnitude at the first token of a text",
        "ja": "最大値が先頭のトークンにある割合",
    }
    for language, label in long.items():
        rows = {f"{label}{end}": curves("raw") for end in ("", " 2", " 3")}
        colours = {"raw": "#0072B2"}
        figure, _ = curve_grid(rows, words(language, "mixing"), colours=colours, by="subject")
        lay_out(figure)
        renderer = figure.canvas.get_renderer()
        boxes = [axis.yaxis.label.get_window_extent(renderer) for axis in figure.axes]
        for upper, lower in pairwise(boxes):
            assert upper.y0 > lower.y1
