"""The page that ``python -m analysis explain`` writes, opened from a disk and pressed."""

import pytest

from analysis.explain import explain

TEXTS = [("the film was not very good", None), ("bad!", "a dull plot")]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory, pretrained):
    path = tmp_path_factory.mktemp("explained") / "page.html"
    path.write_text(explain(TEXTS, str(pretrained)), encoding="utf-8")
    return path


@pytest.fixture
def page(request, chromium, page_file):
    context = chromium.new_context(locale=getattr(request, "param", "en"))
    opened = context.new_page()
    asked, faults = [], []
    opened.on("request", lambda one: asked.append(one.url))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.goto(page_file.as_uri())
    opened.wait_for_selector("#heads button")
    yield opened
    assert asked == [page_file.as_uri()]
    assert faults == []
    context.close()


@pytest.mark.parametrize("page", ["en", "ja"], indirect=True)
def test_it_speaks_the_readers_language_and_the_other(page):
    titles = {"en": "What a model mixes in a text", "ja": "モデルはテキストの何を混ぜるか"}
    language = page.evaluate("document.documentElement.lang")
    assert page.inner_text("h1") == titles.pop(language)
    (other,) = titles
    page.click(f"#languages [lang={other}]")
    assert page.inner_text("h1") == titles[other]


def test_a_chosen_token_is_what_all_is_about(page):
    button = page.locator("#tokens button", has_text="good")
    button.click()
    assert page.locator("#tokens [aria-pressed=true]").inner_text() == "good"
    assert page.locator("#rows .chosen").all_inner_texts() == ["good"] * 4
    assert page.locator("#lines text.chosen").text_content() == "good"


def test_a_head_is_enlarged(page):
    page.locator("#heads button").nth(5).click()
    assert page.locator("#head-name").inner_text() == page.locator(
        "#heads [aria-pressed=true]"
    ).get_attribute("aria-label")
    assert page.locator("#layer").input_value() == "2"
    before = page.inner_text("#map-read")
    page.hover("#map")
    assert "%" in page.inner_text("#map-read") != before


def test_the_other_text_is_a_pair(page):
    page.select_option("#text", "1")
    page.wait_for_function("document.querySelectorAll('#tokens button').length === 8")
    assert page.locator("#tokens button").all_inner_texts()[:4] == ["[CLS]", "bad", "!", "[SEP]"]


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
