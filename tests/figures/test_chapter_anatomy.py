"""Chapter *anatomy*: figures of the stage's results, and a page with all it asks."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from random_anatomy import write_anatomy

from analysis.figures import anatomy, architectures, attention_steps, small_models, view_pictures
from analysis.figures.anatomy_results import SMALL_MAPS, read_anatomy
from analysis.figures.style import svg
from analysis.figures.words import words
from analysis.rules.judging import judge
from analysis.rules.quantities import Summary
from analysis.rules.rule import read

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ja")
NOTEBOOK = (ROOT / "analysis" / "notebooks" / "anatomy.py").read_text(encoding="utf-8")
DRAWINGS = (
    anatomy.overview,
    attention_steps.projections,
    attention_steps.weights,
    attention_steps.weighted_sum,
    attention_steps.block,
    attention_steps.head_maps,
    small_models.small_maps,
    view_pictures.head_picture,
    view_pictures.model_picture,
    view_pictures.neuron_picture,
)


def anatomy_words(language="en"):
    return words(language, "anatomy")


@pytest.fixture
def make_anatomy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(**sizes):
        write_anatomy(tmp_path / "results" / "anatomy", **sizes)
        return read_anatomy()

    return make


def write_findings(results):
    """Judge the findings of the chapter, which need nothing but the stage's own results."""
    for path in ("summary/model/facts.json", "summary/rules/readings.json"):
        (results / path).parent.mkdir(parents=True, exist_ok=True)
        (results / path).write_text("{}", encoding="utf-8")
    rules = [one for one in read(ROOT / "report" / "rules.yaml") if one.id.startswith("anatomy.")]
    judged = judge(rules, {}, Summary(results, 0.95))
    (results / "rules").mkdir()
    (results / "rules" / "anatomy.json").write_text(json.dumps(judged), encoding="utf-8")


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notebook_gives_all_that_the_page_asks_for(language, make_anatomy, tmp_path):
    make_anatomy(tokens=("[CLS]", "<b>time</b>", "*flies*", "自己", "[SEP]"))
    write_findings(tmp_path / "results")
    directory = tmp_path / "files"
    directory.mkdir()
    source = NOTEBOOK.replace('language = "en"', f"language = {language!r}")
    source = source.replace('directory = "."', f"directory = {str(directory)!r}")
    exec(compile(source, "anatomy", "exec"), {"__name__": "anatomy"})
    page = (ROOT / "report" / language / "anatomy.qmd").read_text(encoding="utf-8")
    numbers = json.loads((directory / "numbers.json").read_text(encoding="utf-8"))
    assert set(re.findall(r"\{\{<\s*var\s+anatomy\.(\S+)", page)) <= set(numbers)
    assert all(numbers.values())
    assert not any(re.search(r"\bnan\b|None|\binf\b", value) for value in numbers.values())
    labels = re.findall(r"^# \| label: (\S+)", NOTEBOOK, re.M)
    assert re.findall(r"embed notebooks/anatomy\.ipynb#(\S+)", page) == labels
    views = {path.name for path in directory.glob("*.html")}
    assert views == {"head_view.html", "model_view.html", "neuron_view.html", "cross_view.html"}


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", DRAWINGS, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize(
    ("language", "sizes"),
    [
        ("ja", {"heads": 7, "width": 2, "head": 7}),
        ("en", {"tokens": ("[CLS]", "[SEP]"), "layers": 1, "heads": 1, "width": 1}),
        ("en", {"tokens": tuple(f"t{i}" for i in range(45)), "layer": 2, "heads": 2, "head": 2}),
    ],
    ids=["a row of heads not full", "smallest", "long"],
)
def test_every_figure_of_the_anatomy_can_be_drawn(draw, sizes, language, make_anatomy):
    figure, data = draw(make_anatomy(**sizes), anatomy_words(language))
    assert svg(figure, "anatomy")[0].startswith("<svg")
    plt.close(figure)
    assert len(data)
    values = data.select_dtypes("number").to_numpy()
    assert np.isfinite(values).all()


def test_figures_of_a_real_size_stay_small(make_anatomy):
    tokens = ("[CLS]", *"time flies like an arrow".split(), "[SEP]")
    shown = make_anatomy(tokens=tokens, layers=6, heads=12, width=32, head=9)
    for draw in DRAWINGS:
        figure, _ = draw(shown, anatomy_words())
        assert len(svg(figure, draw.__name__)[0]) < 400_000
        plt.close(figure)


def test_the_parts_of_the_weighted_sum_add_up(make_anatomy):
    shown = make_anatomy()
    figure, data = attention_steps.weighted_sum(shown, anatomy_words())
    plt.close(figure)
    products = data[data["panel"] == "weighted"]
    layer, head = shown.place
    width = shown.found["head_dimension"]
    expected = shown.arrays["context"][layer, shown.query, head * width : (head + 1) * width]
    np.testing.assert_allclose(
        products.groupby("column")["value"].sum().to_numpy(), expected, rtol=1e-4, atol=1e-6
    )


def test_the_products_of_the_neuron_view_add_up_to_the_score(make_anatomy):
    shown = make_anatomy()
    figure, data = view_pictures.neuron_picture(shown, anatomy_words())
    plt.close(figure)
    by_key = data.groupby("key")
    np.testing.assert_allclose(
        by_key["product"].sum() / np.sqrt(shown.found["head_dimension"]),
        by_key["score"].first(),
        rtol=1e-4,
        atol=1e-6,
    )


def test_without_the_scale_weights_are_those_of_plain_dot_products(make_anatomy):
    shown = make_anatomy()
    dots = shown.of_head("query") @ shown.of_head("key").T
    exponentials = np.exp(dots - dots.max(axis=1, keepdims=True))
    expected = exponentials / exponentials.sum(axis=1, keepdims=True)
    figure, data = attention_steps.weights(shown, anatomy_words())
    plt.close(figure)
    drawn = data.loc[data["panel"] == "unscaled", "value"].to_numpy()
    np.testing.assert_allclose(drawn.reshape(dots.shape), expected, rtol=1e-4)


def test_the_token_shown_looks_hardest_at_another(make_anatomy):
    shown = make_anatomy(tokens=("[CLS]", "a", "b", "c", "[SEP]"))
    weights = shown.of_head("attention")
    weights[:] = 0.2
    weights[3] = [0.1, 0.0, 0.7, 0.1, 0.1]
    weights[2] = [0.0, 0.0, 1.0, 0.0, 0.0]  # at itself
    weights[0] = [0.0, 0.9, 0.1, 0.0, 0.0]  # a special token
    assert shown.query == 3


def test_masked_cells_have_no_value(make_anatomy):
    shown = make_anatomy()
    figure, _ = small_models.small_maps(shown, anatomy_words())
    maps = [axis.images[0] for axis in figure.axes if axis.images]
    masks = [np.ma.getmaskarray(one.get_array()) for one in maps]
    plt.close(figure)
    names = list(SMALL_MAPS)
    for name, mask in zip(names, masks[: len(names)], strict=True):
        upper = np.triu(np.ones(mask.shape, dtype=bool), k=1)
        decoder = name.endswith("/decoder") or name == "decoder/attention"
        np.testing.assert_array_equal(mask, upper if decoder else False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_of_the_anatomy_have_every_step_and_model(language, make_anatomy):
    shown, w = make_anatomy(), anatomy_words(language)
    cells, data = attention_steps.deviation_table(shown, w)
    assert len(cells) == len(data) == 6
    assert set(cells[w["deviation"]]) == {"1.0e\u221207"}
    cells, data = small_models.small_table(shown, w)
    assert list(data["architecture"]) == [*small_models.ARCHITECTURES, "side_encoder"]
    assert list(cells[w["leak"]]) == ["3.00", "0", "0", "0.50"]
    assert list(cells[w["accuracy"]]) == ["100.0%"] * 3 + [""]


def test_only_the_decoder_of_both_reads_from_an_encoder():
    figure, edges = architectures.architectures(words("en", "anatomy"))
    plt.close(figure)
    assert edges[edges["reads"] == "encoder"][["model", "part"]].to_numpy().tolist() == [
        ["both", "cross"]
    ]
    assert set(edges.loc[edges["part"] == "cross", "model"]) == {"both"}
