"""Maps of the chapter *features*: small, large and interactive, of any run."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from random_features import LANGUAGES, RUNS, results, vocabulary

from analysis.figures import feature_maps, features
from analysis.figures.interactive import map_script
from analysis.figures.style import CATEGORY_COLOURS


def of_method(maps, variant, method):
    return maps[(maps["variant"] == variant) & (maps["method"] == method)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_maps_can_be_made_of_every_run(run, language):
    found, w = results(**run), vocabulary(language)
    maps, texts = found.maps["reviews"], found.texts["reviews"]
    for figure, data in (
        feature_maps.feature_maps(of_method(maps, maps["variant"].iloc[-1], "umap"), w),
        feature_maps.close_up(maps, texts, "reviews", w),
    ):
        assert figure.axes
        assert len(data)
        plt.close(figure)
    assert map_script(feature_maps.map_data(maps, texts, w))


def test_every_map_prints_its_own_trust_figures():
    found = results(("reviews",))
    maps = of_method(found.maps["reviews"], "finetuned", "tsne")
    figure, data = feature_maps.feature_maps(maps, vocabulary())
    printed = [axis.get_xlabel() for axis in figure.axes if axis.get_xlabel().startswith("T")]
    plt.close(figure)
    rows = found.trust.query("variant == 'finetuned' and of == 'tsne'")
    by_place = rows.pivot(index=["point", "layer"], columns="measure", values="mean")
    assert len(printed) == len(by_place) == 2 + 2 * 3
    for figures in by_place[list(features.TRUST)].to_numpy():
        short = [f"{figure:.2f}".removeprefix("0") for figure in figures]
        assert "T {}  C {}\nO {}  S {}".format(*short) in printed
    assert set(features.TRUST) <= set(data.columns)
    assert len(data) == len(by_place) * 10


def test_a_map_without_a_seed_has_no_spread():
    maps = of_method(results().maps["reviews"], "pretrained", "pca")
    figure, _ = feature_maps.feature_maps(maps, vocabulary())
    labels = [axis.get_xlabel() for axis in figure.axes if axis.get_xlabel().startswith("T")]
    plt.close(figure)
    assert labels
    assert not [label for label in labels if "S" in label]


def test_the_longest_token_of_each_text_is_followed():
    tokens = results(texts=9).maps["reviews"].iloc[: 9 * 5]
    chosen = feature_maps.followed(tokens)
    assert list(chosen["example_id"]) == [7, 8, 9]
    assert set(chosen["token"]) == {"longest"}
    assert feature_maps.followed(tokens[tokens["is_special"]]).empty


def test_evidence_is_marked_in_the_text_and_nothing_else_is_markup():
    found = results()
    listed = {n: feature_maps.texts_list(found.maps[n], found.texts[n]) for n in found.texts}
    assert "<mark>" in listed["reviews"]
    assert "<mark>" not in listed["plain"]
    assert not any("<longest>" in markup for markup in listed.values())


def test_the_interactive_map_has_every_map_and_keeps_tokens_in_their_place():
    found, w = results(("reviews",)), vocabulary()
    table = found.maps["reviews"]
    data = feature_maps.map_data(table, found.texts["reviews"], w)
    point, method, variant = data.choices
    keys = [choice.name for choice in data.choices]
    by_map = data.maps.groupby(keys)
    assert (
        by_map.ngroups
        == (len(point.options) * len(method.options) * len(variant.options))
        == (2 + 2 * 3) * 3 * 2
    )
    points = ("context", "attention_output", "ffn_output")
    layers = [f"{point}-{layer}" for layer in (1, 2) for point in points]
    assert list(point.options) == ["word-0", "embedding-0", *layers]
    chosen = of_method(table, "finetuned", "pca").query("point == 'context' and layer == 2")
    shown = by_map.get_group(("context-2", "pca", "finetuned"))
    pd.testing.assert_frame_equal(shown[["x", "y"]], chosen[["x", "y"]])
    for token, hover in zip(chosen.itertuples(), data.points["hover"], strict=True):
        number = token.example_id - 6
        assert hover == f"{token.token}\ntext {number}, position {token.position}"
    assert list(data.points["kind"]).count("evidence") == 2


def test_more_texts_than_colours_are_a_number_on_the_interactive_map():
    w = vocabulary()
    found = results(texts=len(CATEGORY_COLOURS) + 1)
    many = feature_maps.map_data(found.maps["reviews"], found.texts["reviews"], w)
    text = next(colouring for colouring in many.colours if colouring.label == w["text"])
    assert not text.categories
