"""Chapter *anatomy*: figures of the stage's results, sentences by rule, a page with all it asks."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from random_anatomy import write_anatomy

from analysis.figures import anatomy, attention_steps, small_models, view_pictures
from analysis.figures.anatomy_results import SMALL_MAPS, read_anatomy, scientific
from analysis.figures.findings import anatomy as findings
from analysis.figures.findings.phrases import span
from analysis.figures.style import svg
from analysis.figures.words import words

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
    return words(language, "anatomy", "attention_steps", "small_models", "view_pictures")


@pytest.fixture
def make_anatomy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(**sizes):
        write_anatomy(tmp_path / "results" / "anatomy", **sizes)
        return read_anatomy()

    return make


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notebook_gives_all_that_the_page_asks_for(language, make_anatomy, tmp_path):
    make_anatomy(tokens=("[CLS]", "<b>time</b>", "*flies*", "自己", "[SEP]"))
    directory = tmp_path / "files"
    directory.mkdir()
    source = NOTEBOOK.replace('language = "en"', f"language = {language!r}")
    source = source.replace('directory = "."', f"directory = {str(directory)!r}")
    exec(compile(source, "anatomy", "exec"), {"__name__": "anatomy"})
    page = (ROOT / "report" / language / "anatomy.qmd").read_text(encoding="utf-8")
    numbers = json.loads((directory / "numbers.json").read_text(encoding="utf-8"))
    assert set(re.findall(r"\{\{<\s*var\s+anatomy\.(\S+)", page)) == set(numbers)
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


def test_a_text_of_special_tokens_has_a_token_to_show(make_anatomy):
    assert make_anatomy(tokens=("[CLS]", "[SEP]")).query == 0


def test_first_and_last_token_of_the_text_are_special(make_anatomy):
    shown = make_anatomy(tokens=("[CLS]", "a", "b", "[SEP]"))
    assert shown.special.tolist() == [True, False, False, True]


def test_masked_cells_are_blank(make_anatomy):
    shown = make_anatomy()
    figure, _ = small_models.small_maps(shown, anatomy_words())
    masks = [np.ma.getmaskarray(axis.images[0].get_array()) for axis in figure.axes]
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
    assert isinstance(cells, pd.DataFrame)


def test_zero_is_written_as_zero():
    assert scientific(0.0) == "0"
    assert scientific(1.25e-7) == "1.2e\u221207"


# --- sentences ------------------------------------------------------------------------------------


def steps(*shares):
    return [{"deviation": share * 4, "largest": 4.0} for share in shares]


def models(encoder=1.0, decoder=0.0, accuracy=(1.0, 1.0, 1.0), mirror=(0.9, 0.9, 0.9)):
    leaks = {"encoder": encoder, "decoder": decoder, "encoder_decoder": 0.0}
    return {
        name: {"leak": leak, "accuracy": a, "mirror": m, "held_out": 200}
        for (name, leak), a, m in zip(leaks.items(), accuracy, mirror, strict=True)
    }


def said(finding, *values) -> dict[str, str]:
    texts = {
        language: finding(*values, words(language, "findings_anatomy")) for language in LANGUAGES
    }
    for text in texts.values():
        assert text
        assert not re.search(r"\bnan\b|None|[{}]|\binf\b", text)
        assert not text.endswith((".", "。"))  # the page has it
    return texts


@pytest.mark.parametrize(
    ("small", "en", "ja"),
    [
        (models(12.96), "(by up to 13.0 here), a decoder's not at all", "最大 13.0"),
        (models(0.0), "in none of the small models", "エンコーダでさえ"),
        (models(2.0, 1e-3), "move by up to 1e\u221203", "マスクは効いていない"),
    ],
)
def test_the_lead_tells_who_sees_what_comes_later(small, en, ja):
    texts = said(findings.lead, steps(1e-8, 5e-7), small)
    assert "5e\u221207" in texts["en"]
    assert "5e\u221207" in texts["ja"]
    assert en in texts["en"]
    assert ja in texts["ja"]


@pytest.mark.parametrize(
    ("off", "en", "ja"),
    [
        (5e-7, "with nothing left out", "上の式に尽きる"),
        (5e-5, "fewer digits", "説明できない"),
    ],
)
def test_deviations_are_called_rounding_only_if_they_are(off, en, ja):
    texts = said(findings.exactness, steps(1e-9, off))
    assert en in texts["en"]
    assert ja in texts["ja"]


@pytest.mark.parametrize(
    ("sharp", "soft", "en", "ja"),
    [
        (0.95, 0.60, "hardly anything for the other keys", "ほとんど何も残らない"),
        (0.70, 0.60, "would be 0.70 instead of 0.60", "ではなく 0.70 になる"),
        (0.62, 0.60, "hardly an effect", "影響はほとんどない"),
    ],
)
def test_the_scale_is_said_to_do_what_it_does(sharp, soft, en, ja):
    found = {
        "score_std_unscaled": 9.7,
        "score_std_scaled": 1.7,
        "largest_weight_unscaled": sharp,
        "largest_weight_scaled": soft,
    }
    texts = said(findings.scale, found)
    assert en in texts["en"]
    assert ja in texts["ja"]
    assert "9.7 before and 1.7 after" in texts["en"]


def test_strongest_keys_are_named_in_their_order():
    shares = {"special": 0.25, "self": 0.5, "previous": 0.25, "next": 0.0, "other": 0.0}
    texts = said(findings.heads, shares, 0.4)
    assert "the token itself for 50%, a special token for 25%" in texts["en"]
    assert "next" not in texts["en"]
    assert "自分自身が 50%" in texts["ja"]
    assert "40%" in texts["ja"]


def test_models_that_have_not_learned_are_named():
    assert "All three" in said(findings.learned, models())["en"]
    texts = said(findings.learned, models(accuracy=(1.0, 0.2, 0.5)))
    assert span([0.2, 1.0]) in texts["en"]
    assert "the decoder and the model with both sides did not" in texts["en"]
    assert "デコーダ、両方をもつモデルは" in texts["ja"]


@pytest.mark.parametrize(
    ("mirror", "en", "ja"),
    [
        ((0.9, 0.8, 0.95), f"alignment: {span([0.8, 0.95])}", "対応づけそのもの"),
        ((0.9, 0.2, 0.9), "not all of these models", "一度に読み取っているわけではない"),
    ],
)
def test_reading_the_mirrored_word_is_told_by_the_least(mirror, en, ja):
    texts = said(findings.mirror, models(mirror=mirror))
    assert en in texts["en"]
    assert ja in texts["ja"]


@pytest.mark.parametrize(
    ("length", "en", "ja"),
    [
        (0.37, ("The residual, which", "37% as long"), ("残差の方である", "37%")),
        (
            1.5,
            ("What attention adds is the longer", "150% as long"),
            ("足すベクトルの方が", "150%"),
        ),
    ],
)
def test_the_residual_is_compared_with_what_attention_adds(length, en, ja):
    texts = said(findings.residual, length)
    assert all(part in texts["en"] for part in en)
    assert all(part in texts["ja"] for part in ja)


@pytest.mark.parametrize(
    ("encoder", "decoder", "en", "ja"),
    [
        (
            12.96,
            0.0,
            "encoder's earlier logits move by up to 13.0, the decoder's do not move at all",
            "エンコーダでは最大 13.0 動き、デコーダでは動かない",
        ),
        (
            0.0,
            1e-3,
            "encoder's earlier logits do not move at all, the decoder's move by up to 1e\u221203",
            "エンコーダでは動かず、デコーダでは最大 1e\u221203 動く",
        ),
    ],
)
def test_who_leaks_is_told_of_each(encoder, decoder, en, ja):
    texts = said(findings.leak, models(encoder, decoder))
    assert en in texts["en"]
    assert ja in texts["ja"]


def test_the_largest_deviation_is_a_share_of_its_own_step():
    found = [{"deviation": 2.0, "largest": 8.0}, {"deviation": 1.0, "largest": 2.0}]
    assert findings.largest_deviation(found) == 0.5
