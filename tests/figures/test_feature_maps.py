"""Maps of the chapter *features*: small, large and interactive, of any run."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from random_features import LANGUAGES, RUNS, results, vocabulary

from analysis.figures import feature_maps, features
from analysis.figures.interactive import map_script
from analysis.figures.style import CATEGORY_COLOURS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_maps_can_be_made_of_every_run(run, language):
    found, w = results(**run), vocabulary(language)
    for figure, data in (
        feature_maps.feature_maps(found, "reviews", found.states("reviews")[-1], "umap", w),
        feature_maps.close_up(found, "reviews", w),
    ):
        assert figure.axes
        assert len(data)
        plt.close(figure)
    assert map_script(feature_maps.map_data(found, "reviews", w))


def test_every_map_prints_its_own_trust_figures():
    found = results(("reviews",))
    w = vocabulary()
    figure, data = feature_maps.feature_maps(found, "reviews", "finetuned", "tsne", w)
    printed = [axis.get_xlabel() for axis in figure.axes if axis.get_xlabel().startswith("T")]
    plt.close(figure)
    rows = found.trust.query("variant == 'finetuned' and method == 'tsne'")
    assert len(printed) == len(rows) == len(found.places("reviews"))
    for row in rows.itertuples():
        short = [f"{getattr(row, name):.2f}".removeprefix("0") for name in features.TRUST]
        assert "T {}  C {}\nO {}  S {}".format(*short) in printed
    assert set(features.TRUST) <= set(data.columns)
    assert len(data) == len(rows) * 10


def test_a_map_without_a_seed_has_no_spread():
    figure, _ = feature_maps.feature_maps(results(), "reviews", "pretrained", "pca", vocabulary())
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
    assert "<mark>" in feature_maps.texts_list(found, "reviews")
    for name in found.texts:
        assert "<longest>" not in feature_maps.texts_list(found, name)
    assert "<mark>" not in feature_maps.texts_list(found, "plain")


def test_the_interactive_map_has_every_map_and_keeps_tokens_in_their_place():
    found, w = results(("reviews",)), vocabulary()
    data = feature_maps.map_data(found, "reviews", w)
    point, method, variant = data.choices
    assert (
        len(data.coordinates)
        == (len(point.options) * len(method.options) * len(variant.options))
        == len(found.places("reviews")) * 3 * 2
    )
    assert list(point.options) == [f"{p}-{layer}" for p, layer in found.places("reviews")]
    table = found.maps["reviews"]
    chosen = table.query("variant == 'finetuned' and method == 'pca' and point == 'context'")
    chosen = chosen[chosen["layer"] == 2]
    np.testing.assert_array_equal(
        data.coordinates["context-2", "pca", "finetuned"], chosen[["x", "y"]]
    )
    for token, hover in zip(chosen.itertuples(), data.hover, strict=True):
        number = token.example_id - 6
        assert hover == f"{token.token}\ntext {number}, position {token.position}"
    kind = next(colouring for colouring in data.colours if colouring.label == w["kind"])
    assert list(kind.values[()]).count(w["evidence"]) == 2


def test_more_texts_than_colours_are_a_number_on_the_interactive_map():
    w = vocabulary()
    many = feature_maps.map_data(results(texts=len(CATEGORY_COLOURS) + 1), "reviews", w)
    text = next(colouring for colouring in many.colours if colouring.label == w["text"])
    assert not text.categories
