"""Chapter *anatomy*: its figures show the arithmetic that the stage has done, in any model."""

from contextlib import chdir
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import tiny_experiment as tiny

from analysis.anatomy import small_models
from analysis.chapters.anatomy import bertviz, figures
from analysis.chapters.anatomy.results import SMALL_MAPS, read_anatomy
from analysis.figures.svg import svg
from analysis.prose.messages import words
from analysis.stages.anatomy import anatomy as run_stage

LANGUAGES = ("en", "ja")
W = words("en", "anatomy")
DRAWINGS = (
    figures.overview,
    figures.projections,
    figures.weights,
    figures.weighted_sum,
    figures.block,
    figures.head_maps,
    bertviz.head_picture,
    bertviz.model_picture,
    bertviz.neuron_picture,
)
# The text and what is shown of it, and the sizes of the model.
RUNS = {
    "a row of heads not full": (
        {"text": "the actor was good", "layer": 2, "head": 7},
        {"hidden_size": 14, "num_attention_heads": 7},
    ),
    "smallest": (
        {"text": "a"},
        {"hidden_size": 2, "num_attention_heads": 1, "num_hidden_layers": 1},
    ),
    "long": ({"text": "a film was bad , " * 7, "head": 2}, {}),
}


@pytest.fixture(scope="module")
def make_anatomy(tmp_path_factory, tokenizer, make_model):
    """Return ``make_anatomy(run)``: what the stage gives for one of ``RUNS``, made once."""
    from transformers import AutoModel

    made = {}
    train_once = cache(small_models.train_small)

    def make(run="a row of heads not full"):
        if run not in made:
            shown, sizes = RUNS[run]
            config = make_model("bert", initializer_range=0.3).config
            config.update(sizes)
            section = {"layer": 1, "head": 1, "small": {"steps": 1, "seed": 0}} | shown
            with chdir(tmp_path_factory.mktemp("anatomy")), pytest.MonkeyPatch.context() as patch:
                tiny.save(AutoModel.from_config(config), tokenizer, "tiny-bert")
                patch.setattr(small_models, "train_small", train_once)
                run_stage(tiny.parameters("sentences", anatomy=section))
                made[run] = read_anatomy()
        return made[run]

    return make


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("run", "language"), [*zip(RUNS, ("en", "ja", "en"), strict=True)])
def test_every_figure_of_the_anatomy_can_be_drawn_and_stays_small(run, language, make_anatomy):
    shown, w = make_anatomy(run), words(language, "anatomy")
    for draw in DRAWINGS:
        figure, data = draw(shown, w)
        assert len(svg(figure, draw.__name__)) < 400_000
        assert len(data)
        assert np.isfinite(data.select_dtypes("number").to_numpy()).all()


def test_the_parts_of_the_weighted_sum_add_up(make_anatomy):
    shown = make_anatomy()
    _, data = figures.weighted_sum(shown, W)
    products = data[data["panel"] == "weighted"]
    layer, head = shown.place
    width = shown.record["head_dimension"]
    expected = shown.arrays["context"][layer, shown.query, head * width : (head + 1) * width]
    np.testing.assert_allclose(
        products.groupby("column")["value"].sum().to_numpy(), expected, rtol=1e-4, atol=1e-6
    )


def test_the_products_of_the_neuron_view_add_up_to_the_score(make_anatomy):
    shown = make_anatomy()
    _, data = bertviz.neuron_picture(shown, W)
    by_key = data.groupby("key")
    np.testing.assert_allclose(
        by_key["product"].sum() / np.sqrt(shown.record["head_dimension"]),
        by_key["score"].first(),
        rtol=1e-4,
        atol=1e-6,
    )


def test_without_the_scale_weights_are_those_of_plain_dot_products(make_anatomy):
    shown = make_anatomy()
    dots = shown.of_head("query") @ shown.of_head("key").T
    exponentials = np.exp(dots - dots.max(axis=1, keepdims=True))
    expected = exponentials / exponentials.sum(axis=1, keepdims=True)
    _, data = figures.weights(shown, W)
    drawn = data.loc[data["panel"] == "unscaled", "value"].to_numpy()
    np.testing.assert_allclose(drawn.reshape(dots.shape), expected, rtol=1e-4)


def test_the_token_shown_looks_hardest_at_another(make_anatomy):
    shown = make_anatomy("long")
    attention = np.zeros_like(shown.arrays["attention"])
    weights = attention[shown.place]
    weights[3, 2] = 0.7
    weights[2, 2] = 1.0  # at itself
    weights[0, 1] = 0.9  # a special token
    assert replace(shown, arrays={"attention": attention}).query == 3


def test_masked_cells_have_no_value(make_anatomy):
    figure, data = figures.small_maps(make_anatomy(), W)
    assert len(data)
    assert svg(figure, "small").startswith("<svg")
    maps = [axis.images[0] for axis in figure.axes if axis.images]
    masks = [np.ma.getmaskarray(one.get_array()) for one in maps]
    for name, mask in zip(SMALL_MAPS, masks[: len(SMALL_MAPS)], strict=True):
        upper = np.triu(np.ones(mask.shape, dtype=bool), k=1)
        decoder = name.endswith("/decoder") or name == "decoder/attention"
        np.testing.assert_array_equal(mask, upper if decoder else False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_of_the_anatomy_have_every_step_and_model(language, make_anatomy):
    shown, w = make_anatomy(), words(language, "anatomy")
    cells, data = figures.deviation_table(shown, w)
    assert len(cells) == len(data) == 6
    assert all("×10⁻" in cell for cell in cells[w["deviation"]])
    cells, data = figures.small_table(shown, w)
    assert list(data["architecture"]) == [*figures.ARCHITECTURES, "side_encoder"]
    sees_later = [cell != "0" for cell in cells[w["leak"]]]
    assert sees_later == [True, False, False, True]
    assert cells[w["accuracy"]].iloc[-1] == ""
