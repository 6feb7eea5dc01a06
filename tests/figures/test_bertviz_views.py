"""Views of BertViz: on their own, without a network, and no token is ever code."""

import json
import re
from importlib.resources import files

import numpy as np
import pytest
from page import Page

from analysis.figures import bertviz_views as views
from analysis.figures.bertviz_views import Attention, View

LANGUAGES = ("en", "ja")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<b>&amp;</b> \"quotes\" 'more' `$x` \\u003c",
    "PYTHON_PARAMS",
    "line\u2028separators\u2029 and\nmore\x00",
    "自己注意 🙂",
]
LAYERS, HEADS, WIDTH = 2, 3, 4


def attention(left=HOSTILE, right=HOSTILE, name=None) -> Attention:
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(len(right)), size=(LAYERS, HEADS, len(left)))
    return Attention(weights, left, right, name)


def drawn(language: str) -> dict[str, View]:
    rng = np.random.default_rng(1)
    queries, keys = rng.standard_normal((2, LAYERS, HEADS, len(HOSTILE), WIDTH))
    subject = HOSTILE[0]
    both = [attention(name="<one>"), attention(right=HOSTILE[:2], name="two")]
    return {
        "head_view": views.head_view([attention()], 2, subject, language),
        "both": views.head_view(both, 1, subject, language),
        "model_view": views.model_view(attention(), subject, language),
        "neuron_view": views.neuron_view(
            attention(), queries, keys, 2, 3, query=1, subject=subject, language=language
        ),
    }


@pytest.fixture(scope="module")
def every_view():
    return {
        (language, name): view for language in LANGUAGES for name, view in drawn(language).items()
    }


def given(page: str) -> dict:
    """What the page hands to the script of the package."""
    return json.loads(re.search(r"^const given = (.*);$", page, re.M)[1])


def test_a_view_asks_for_nothing_but_the_two_shared_scripts(every_view):
    for view in every_view.values():
        page = Page(view.page)
        sources = [one["src"] for one in page.all("script") if "src" in one]
        assert sources == ["../../shared/jquery.min.js", "../../shared/d3.js"]
        for tag, attributes in page.elements:
            if tag != "script":
                assert "src" not in attributes
                assert attributes.get("href", "data:").startswith("data:")
        assert not re.search(r"url\(|@import", view.page)
        # The package names a CDN in its configuration of RequireJS, which the stand-in drops.
        stand_in = view.page.index("const require = {config() {}};")
        assert stand_in < view.page.index("require.config({")
        outside = re.findall(r"https?://\S+", view.page)
        assert all("cdnjs.cloudflare.com" in one or "github.com" in one for one in outside)


def test_no_token_ends_the_script_or_becomes_markup(every_view):
    for view in every_view.values():
        elements = Page(view.page)
        assert len(elements.all("script")) == 5
        assert not elements.all("b")
        data = re.search(r"^const given = (.*);$", view.page, re.M)[1]
        assert data.isascii()
        assert "<" not in data
        assert elements.texts["title"][0].endswith(HOSTILE[0])


def test_the_tool_gets_the_tokens_and_weights_as_they_are(every_view):
    data = attention()
    for name in ("head_view", "model_view"):
        [one] = given(every_view["ja", name].page)["params"]["attention"]
        assert one["left_text"] == one["right_text"] == HOSTILE
        np.testing.assert_allclose(one["attn"], data.weights, atol=5e-5)
    one = given(every_view["ja", "neuron_view"].page)["params"]["attention"]["all"]
    assert np.shape(one["queries"]) == np.shape(one["keys"]) == (LAYERS, HEADS, 5, WIDTH)


def test_layers_and_heads_are_counted_from_one(every_view):
    def params(name):
        return given(every_view["en", name].page)["params"]

    assert params("head_view")["include_layers"] == [1, 2]
    assert params("head_view")["layer"] == 2
    assert params("model_view")["include_heads"] == [1, 2, 3]
    # This one counts from zero, and its page adds one to the words of its lists.
    assert (params("neuron_view")["layer"], params("neuron_view")["head"]) == (1, 2)
    assert "option.text = +option.value + 1" in every_view["en", "neuron_view"].page


def test_every_list_has_a_label_and_the_page_its_language(every_view):
    for (language, _), view in every_view.items():
        page = Page(view.page)
        assert page.all("html")[0]["lang"] == language
        labelled = {one["for"] for one in page.all("label")}
        assert labelled == {one["id"] for one in page.all("select")}
        assert page.texts["h1"] == page.texts["title"]


def test_attentions_can_be_chosen_by_name(every_view):
    page = Page(every_view["en", "both"].page)
    assert [one["value"] for one in page.all("option")] == ["0", "1"]
    assert page.texts["option"] == ["<one>", "two"]


def test_the_scripts_are_the_package_s_own_and_hold_the_words_that_pages_replace(every_view):
    """A new version with other words would leave English words on a Japanese page."""
    joined = ""
    for name in ("head_view", "model_view", "neuron_view"):
        own = (files("bertviz") / f"{name}.js").read_text(encoding="utf-8")
        assert own.replace("PYTHON_PARAMS", "window.bertviz_params") in every_view["ja", name].page
        joined += own.replace("\\u00D7", "\u00d7")
    for word in views._ON_DRAWING:
        assert f"text('{word}')" in joined or f'text("{word}")' in joined
    assert "'Layer ' + config.layers[layerIndex] + \", Head \"" in joined


def test_a_fold_loads_its_view_when_it_is_opened():
    view = drawn("en")["head_view"]
    fold = Page(views.fold(view, "files/anatomy/head_view.html", "en"))
    [frame] = fold.all("iframe")
    assert "src" not in frame
    assert frame["data-src"] == "files/anatomy/head_view.html"
    assert frame["title"] == view.title
    assert "frame.dataset.src" in fold.all("details")[0]["ontoggle"]
    assert fold.all("a")[0]["href"] == "files/anatomy/head_view.html"
