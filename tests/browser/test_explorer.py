"""The explorer: numbers are those of the model, an address brings a view back, all can be used.

On the page of ``explain``, whose numbers are at hand, and on the site, whose files are loaded.
"""

from __future__ import annotations

import random
import shutil

import numpy as np
import pytest
import tiny_experiment as tiny
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import expect

from attention_mixing.capture import capture_text
from attention_mixing.explain import explain, show
from attention_mixing.explorer.columns import DEPENDENCE, METHODS
from attention_mixing.measures import measure
from attention_mixing.models.source import EMBEDDED_NAME

TEXTS = [("the film was not very good", None), ("bad!", "a dull plot")]
READY = "() => document.querySelector('.explorer[aria-busy=false]')"
# Cells of the table of rows, by token: what is printed, without the name.
CELLS = """() => [...document.querySelectorAll('.rows tbody tr')].map((row) =>
  [...row.querySelectorAll('td')].map((cell) => cell.textContent))"""
COLUMNS = "() => document.querySelector('.explorer').explorer.rows.columns.map(({name}) => name)"
# What a reader sees of it, and what is chosen.
SHOWN = """() => {
  const body = document.querySelector(".explorer .body");
  const chosen = [...body.querySelectorAll("select, input")].map(({value}) => value);
  const pressed = [...body.querySelectorAll("[aria-pressed=true], [aria-selected=true]")];
  return [body.innerText, chosen, pressed.map((one) => one.ariaLabel ?? one.textContent)];
}"""

ALL_COLUMNS = """() => {
  const {explorer} = document.querySelector(".explorer");
  const names = explorer.rows.all.map(({name}) => name).filter((name) => name !== "difference");
  return explorer.select({columns: names.join("~")});
}"""
ASK = "(changes) => document.querySelector('.explorer').explorer.select(changes)"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory, pretrained):
    path = tmp_path_factory.mktemp("explained") / "page.html"
    path.write_text(explain(TEXTS, str(pretrained)).page(), encoding="utf-8")
    return path


@pytest.fixture
def open_file(visit, page_file):
    """Return ``open_file(address, width)``; nothing but the page is asked for."""
    opened = []

    def open_at(address="", width=1280, scheme="light", **options):
        opened.append(visit(page_file.as_uri() + address, width, scheme, **options))
        opened[-1].tab.wait_for_function(READY)
        return opened[-1].tab

    yield open_at
    assert [problem for one in opened for problem in one.problems] == []


@pytest.fixture
def open_page(visit, tmp_path, make_model, tokenizer):
    """Return ``open_page(text, kind)``: its page by a tiny model, or by the embedded one."""

    def open_one(text, kind=None):
        if kind:
            family, _, classifies = kind.partition("-")
            head = "ForSequenceClassification" if classifies else None
            tiny.save(make_model(family, head), tokenizer, tmp_path)
        page = tmp_path / "page.html"
        model = str(tmp_path) if kind else EMBEDDED_NAME
        page.write_text(explain([text], model).page(), encoding="utf-8")
        tab = visit(page.as_uri()).tab
        tab.wait_for_function(READY)
        return tab

    return open_one


SAID = "() => document.querySelector('.rows > p').innerText"


@pytest.mark.parametrize("compared", [False, True])
def test_a_choice_among_words_is_said_as_one(visit, tmp_path, decoder, compared):
    """Beside what the language model would say itself, in both languages."""
    other = None
    if compared:
        other = str(shutil.copytree(decoder, tmp_path / "other"))
    words, page = ("was", "were"), tmp_path / "page.html"
    explained = explain([("The keys", None)], str(decoder), words=words, compare=other)
    page.write_text(explained.page(), encoding="utf-8")
    tab = visit(page.as_uri()).tab
    tab.wait_for_function(READY)
    table = capture_text("The keys", model=decoder, words=words).next_tokens
    english = tab.evaluate(SAID)
    tab.locator("#languages button[lang=ja]").click()
    settled(tab)
    japanese = tab.evaluate(SAID)
    if compared:  # once a model
        assert english.count("Of “was” and “were”, ") == japanese.count("「was」と「were」") == 2
    else:
        assert english.startswith("Of “was” and “were”, “w")
        assert japanese.startswith("「was」と「were」のうちでは「w")
    assert "The model predicts" not in english
    for said, (left, right) in ((english, "“”"), (japanese, "「」")):
        for token in table["written"]:
            assert f"{left}{token}{right}" in said


def test_another_text_of_a_decoder_is_shown_from_its_last_token_too(visit, tmp_path, decoder):
    page = tmp_path / "page.html"
    texts = [("The keys near the cabinet", None), ("The keys", None)]
    page.write_text(explain(texts, str(decoder)).page(), encoding="utf-8")
    tab = visit(page.as_uri()).tab
    tab.wait_for_function(READY)
    chosen = """() => {
      const {selection, shown} = document.querySelector(".explorer").explorer;
      return [selection.query, shown.text.queries.tokens.length - 1];
    }"""
    lasts = []
    for changes in ({}, {"text": 1}, {"query": 0}, {"text": 0}):
        tab.evaluate(ASK, changes)
        query, last = tab.evaluate(chosen)
        assert query == changes.get("query", last)
        lasts.append(last)
    assert 0 < lasts[1] < lasts[0] == lasts[3]


def settled(tab):
    """Wait until what was chosen is drawn."""
    tab.evaluate("() => document.querySelector('.explorer').explorer.ready")


def test_cells_are_the_numbers_of_measure(open_file, pretrained):
    """At random places, as they are printed."""
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    rows = measure(text, "rows").fields["rows"]
    rows |= measure(text, "measured_rows").fields["measured_rows"]
    layers, heads, tokens, _ = text["attention"].shape
    choose = random.Random(0)
    tab = open_file()
    tab.evaluate(ALL_COLUMNS)
    compared = 0
    while compared < 200:
        layer, head, query = (choose.randrange(most) for most in (layers, heads, tokens))
        selection = {"layer": layer + 1, "head": head + 1, "query": query}
        tab.evaluate("(s) => document.querySelector('.explorer').explorer.select(s)", selection)
        settled(tab)
        names, cells = tab.evaluate(COLUMNS), tab.evaluate(CELLS)
        known = {"head": text["attention"][layer, head, query]}
        known |= {method: rows[method][layer, query] for method in (*METHODS, DEPENDENCE)}
        assert set(names) == set(known)
        for key in range(tokens):
            for name, printed in zip(names, cells[key], strict=True):
                if printed == "–":
                    assert np.isnan(known[name][key])
                    continue
                # Half a digit, and half a step of what is packed.
                half = 0.5 / 10 ** len(printed.partition(".")[2]) if printed != "0" else 0
                assert abs(float(printed) - 100 * known[name][key]) <= half + 1e-3
                compared += 1


def test_the_address_brings_a_view_back(open_file):
    tab = open_file()
    tab.evaluate(
        "(s) => document.querySelector('.explorer').explorer.select(s)",
        {"text": 1, "query": 2, "key": 3, "layer": 1, "head": 2, "cells": "previous"}
        | {"view": "lines", "compared": "rollout~flow", "order": "difference", "scale": "shared"},
    )
    settled(tab)
    address = tab.evaluate("location.hash")
    shown = tab.evaluate(SHOWN)
    again = open_file(address)
    settled(again)
    assert again.evaluate("location.hash") == address
    assert again.evaluate(SHOWN) == shown
    # And from within a page that is open.
    tab.evaluate("location.hash = '#e=nothing'")
    expect(tab.locator(".failure")).to_contain_text("nothing")
    tab.evaluate("(address) => { location.hash = address }", address)
    expect(tab.locator(".failure")).to_be_hidden()
    settled(tab)
    assert tab.evaluate(SHOWN) == shown


def test_the_head_that_reads_the_token_before_is_found_in_one_step(open_file, pretrained):
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    before = np.diagonal(text["attention"], -1, axis1=-2, axis2=-1).mean(axis=-1)
    layer, head = np.unravel_index(before.argmax(), before.shape)
    tab = open_file()
    tab.locator(".heads select").select_option("previous")
    settled(tab)
    first = tab.locator(".ranking button").first
    assert first.inner_text().split() == [f"{layer + 1}.{head + 1}", f"{100 * before.max():.1f}%"]
    first.click()
    settled(tab)
    pressed = tab.locator(".grid [aria-pressed=true]")
    assert pressed.get_attribute("data-layer") == str(layer + 1)
    assert pressed.get_attribute("data-head") == str(head + 1)


def test_where_two_methods_differ_most_comes_first(open_file, pretrained):
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    rows = measure(text, "rows").fields["rows"]
    difference = rows["rollout"][-1, 3] - rows["flow"][-1, 3]
    tab = open_file()
    tab.evaluate(ASK, {"layer": 1, "head": 1, "query": 3})
    one, other = tab.locator(".comparison select").all()
    one.select_option("rollout")
    other.select_option("flow")
    settled(tab)
    places = tab.locator(".rows tbody tr").evaluate_all("rows => rows.map((r) => r.dataset.token)")
    assert int(places[0]) == np.abs(difference).argmax()
    largest = float(tab.evaluate(CELLS)[0][0].replace("−", "-"))
    assert largest == pytest.approx(100 * difference[int(places[0])], abs=0.051)


def test_cells_show_the_maps_of_all_heads(open_file):
    tab = open_file()
    tab.locator(".heads select").select_option("map")
    settled(tab)
    assert "c=map" in tab.evaluate("location.hash")
    places, painted = tab.evaluate(
        """() => {
          const {heads, shown} = document.querySelector(".explorer").explorer;
          const {shape, values} = shown.maps[shown.states[0]];
          const {canvas} = heads;
          const context = canvas.getContext("2d");
          const {data, width} = context.getImageData(0, 0, canvas.width, canvas.height);
          const painted = [];
          for (let pixel = 0; pixel < data.length / 4; pixel++)
            if (data[4 * pixel + 3]) painted.push([pixel % width, Math.floor(pixel / width)]);
          return [{shape, values: [...values]}, painted];
        }"""
    )
    layers, heads, *_ = places["shape"]
    values = np.reshape(places["values"], places["shape"])
    # Those of a head fill its square in one direction, and touch both ends of it.
    assert np.ptp(values, axis=2).max(axis=-1) == pytest.approx(
        np.full((layers, heads), 2), abs=1e-3
    )
    cells = {(y // 40, x // 40) for x, y in painted}
    assert cells == set(np.ndindex(layers, heads))
    for (layer, head, point), _ in np.ndenumerate(values[..., 0]):
        x, y = values[layer, head, point]
        near = [40 * head + 18 * (x + 1) + 1, 40 * (layer + 1) - 18 * (y + 1) - 2]
        assert np.abs(np.subtract(painted, near)).max(axis=-1).min() <= 2


def test_rows_of_a_long_text_come_as_the_reader_scrolls(open_page):
    tab = open_page(("film " * 62, None))
    tab.evaluate(ASK, {"query": 2, "key": 1})
    rows = tab.locator(".rows tbody tr")
    assert rows.count() < 64
    tab.locator(".rows .frame").evaluate("frame => frame.scrollTo(0, frame.scrollHeight)")
    expect(rows).to_have_count(64)
    # A key that is chosen is always there.
    tab.evaluate("() => document.querySelector('.explorer').explorer.select({key: 63})")
    settled(tab)
    assert rows.count() == 64
    assert rows.nth(63).get_attribute("class") == "chosen"


def test_a_key_shows_how_its_weight_comes_about(open_file, pretrained):
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    tab = open_file()
    tab.evaluate(ASK, {"layer": len(text["attention"]), "head": 1, "query": 0, "key": None})
    tab.locator(".rows tbody .token").nth(4).click()
    settled(tab)
    told = tab.locator(".product p").inner_text()
    layer = len(text["attention"]) - 1
    product = text["query"][layer, 0, 0] @ text["key"][layer, 0, 4]
    assert f"sum to {product:.2f}".replace("-", "−") in told
    assert f"{100 * text['attention'][layer, 0, 0, 4]:.1f}%" in told
    assert tab.locator(".strip td").count() == 3 * text["query"].shape[-1]


def test_keys_of_the_keyboard_walk_over_heads(open_file):
    tab = open_file()
    tab.evaluate(ASK, {"layer": 2, "head": 1})
    tab.locator(".grid [aria-pressed=true]").focus()
    tab.keyboard.press("ArrowRight")
    settled(tab)
    tab.keyboard.press("ArrowUp")
    settled(tab)
    chosen = tab.evaluate("() => document.querySelector('.explorer').explorer.selection")
    assert (chosen["layer"], chosen["head"]) == (1, 2)
    assert tab.evaluate("document.activeElement.ariaPressed") == "true"


@pytest.mark.parametrize("locale", ["en", "ja"])
def test_it_speaks_the_readers_language_and_the_other(open_file, locale):
    titles = {"en": "What a model mixes in a text", "ja": "モデルはテキストの何を混ぜるか"}
    tab = open_file(locale=locale)
    assert tab.inner_text("h1") == titles.pop(locale)
    (other,) = titles
    heading = tab.inner_text(".rows h2")
    tab.click(f"#languages [lang={other}]")
    assert tab.inner_text("h1") == titles[other]
    assert tab.inner_text(".rows h2") != heading


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_it_fits_and_can_be_read_by_all(open_file, width, scheme):
    tab = open_file(width=width, scheme=scheme, has_touch=width < 500)
    views = tab.locator(".views-of-phone button")
    for number in range(views.count() if width < 500 else 1):
        if width < 500:
            views.nth(number).tap()
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        found = Axe().run(tab).response["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_every_control_can_be_used(open_file):
    tab = open_file()
    for select in tab.locator(".explorer select:visible").all():
        for index in range(select.locator("option").count()):
            select.select_option(index=index)
            settled(tab)
        select.select_option(index=0)
    for view in ("map", "lines"):
        tab.locator(f"[data-view={view}][role=tab]").click()
        settled(tab)
        for button in tab.locator(".middle button:visible, .rows thead button").all():
            if button.is_visible():
                button.click()
                settled(tab)
    tab.locator(".as-text summary").click()
    expect(tab.locator(".as-text dd").first).to_be_visible()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("#e=nothing&t=1&q=5", "nothing"),
        ("#t=42", "42"),
        ("#l=99", "99"),
        ("#x=nowhere", "nowhere"),
        ("#s=later", "later"),
        ("#v=toString", "toString"),
        ("#k=-1", ""),
        ("#k=1.5&q=1.5", ""),
        ("#k=98&q=99", "99, 98"),
        ("#k=", ""),
        ("#v=features&p=-1", "features"),
        ("#c=some", "some"),
        ("#d=nothing~flow&o=other", "nothing~flow, other"),
    ],
)
def test_an_address_of_what_there_is_not_shows_the_nearest_view(open_file, address, told):
    name = open_file().evaluate("document.querySelector('.explorer').explorer.index[0].name")
    tab = open_file(address if "e=" in address else f"{address}&e={name}")
    failure = tab.locator(".failure")
    if told:
        expect(failure).to_contain_text(f"“{told}”")
    else:
        expect(failure).to_be_hidden()
    assert "NaN" not in tab.inner_text(".explorer .body")
    assert "“”" not in tab.inner_text(".explorer .body")
    # The address is that of what is shown.
    again = open_file(tab.evaluate("location.hash"))
    expect(again.locator(".failure")).to_be_hidden()
    assert again.evaluate(SHOWN)[1:] == tab.evaluate(SHOWN)[1:]


def test_it_can_be_used_in_the_frame_of_a_notebook(visit, tmp_path, pretrained):
    page = tmp_path / "notebook.html"
    framed = show(TEXTS[0][0], model=str(pretrained))
    page.write_text(f"<!DOCTYPE html>{framed._repr_html_()}", encoding="utf-8")
    opened = visit(page.as_uri())
    frame = opened.tab.frames[1]
    frame.wait_for_function(READY)
    heading = frame.inner_text(".rows h2")
    frame.locator(".bar-of-text .token").nth(3).click()
    expect(frame.locator(".rows h2")).not_to_have_text(heading)
    expect(frame.locator(".bar-of-text .token").nth(3)).to_have_attribute("aria-pressed", "true")
    assert opened.problems == []


def test_the_keyboard_goes_on_where_it_was(open_file):
    tab = open_file()
    tab.evaluate(ASK, {"query": 0})
    stops = """() => [...document.querySelectorAll(".explorer *")]
      .filter((one) => one.tabIndex >= 0 && one.offsetParent).length"""
    assert tab.evaluate(stops) < 60
    for place in (".rows tbody .token >> nth=2", ".rows thead button >> nth=1"):
        button = tab.locator(place)
        button.focus()
        name = button.get_attribute("data-focus")
        tab.keyboard.press("Enter")
        settled(tab)
        assert tab.evaluate("document.activeElement.dataset.focus") == name
    tab.locator(".bar-of-text [tabindex='0']").focus()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    settled(tab)
    assert tab.evaluate("document.querySelector('.explorer').explorer.selection.query") == 1
    assert tab.evaluate("document.activeElement.dataset.focus") == "bar-1"


def test_what_is_drawn_is_of_one_selection(visit, address):
    """Also while a file is awaited, and when it cannot be had; then it is asked for again."""
    opened = visit(f"{address}/en/explorer.html")
    tab = opened.tab
    tab.wait_for_function(READY)
    drawn = """() => {
      const {wanted, selection, shown} = document.querySelector(".explorer").explorer;
      return [wanted.head, selection.head, shown.selection.head];
    }"""
    tab.evaluate(ASK, {"layer": 1, "head": 3})
    tab.route("**/head-1-1-*.js", lambda route: route.abort())
    tab.evaluate(ASK, {"layer": 1, "head": 1})
    expect(tab.locator(".failure")).to_contain_text("head-1-1-")
    tab.set_viewport_size({"width": 1000, "height": 900})
    tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert tab.evaluate(drawn) == [3, 3, 3]
    text = tab.locator(".bar-of-text select.long")
    name = text.input_value()
    tab.route("**/text-*.js", lambda route: route.abort())
    other = text.evaluate("select => [...select.options].find((one) => !one.selected).value")
    text.select_option(other)
    settled(tab)
    expect(tab.locator(".failure")).to_contain_text(f"text-{other}")
    assert text.input_value() == name
    tab.unroute("**/text-*.js")
    assert tab.locator(".grid [aria-pressed=true]").get_attribute("data-head") == "3"
    tab.unroute("**/head-1-1-*.js")
    tab.evaluate(ASK, {"layer": 1, "head": 1})
    assert tab.evaluate(drawn) == [1, 1, 1]
    expect(tab.locator(".failure")).to_be_hidden()
    # A file that comes too late, or not at all, is no matter of what is shown by then.
    held = []
    tab.route("**/head-1-2-*.js", lambda route: held.append(route))
    tab.evaluate("() => { document.querySelector('.explorer').explorer.select({head: 2}) }")
    tab.evaluate(ASK, {"layer": 1, "head": 1})
    for route in held:
        route.abort()
    tab.wait_for_timeout(100)
    expect(tab.locator(".failure")).to_be_hidden()
    assert tab.evaluate(drawn) == [1, 1, 1]
    # Where nothing can be shown, nothing can be pressed.
    tab.route("**/text-*.js", lambda route: route.abort())
    tab.reload()
    expect(tab.locator(".failure")).to_contain_text("could not be loaded")
    expect(tab.locator(".explorer .body")).to_be_hidden()


def require_level(tab):
    """Lines of a head begin at the height of their tokens."""
    tab.locator("[role=tab][data-view=lines]").click()
    settled(tab)
    tokens = tab.locator(".lines figure >> nth=0 >> ol:first-child li").evaluate_all(
        """items => items.map((item) => {
          const {top, height} = item.getBoundingClientRect();
          return top + height / 2;
        })"""
    )
    lines = tab.locator(".lines figure >> nth=0 >> line").evaluate_all(
        """lines => lines.map((line) => {
          const {top, height} = line.ownerSVGElement.getBoundingClientRect();
          const whole = line.ownerSVGElement.viewBox.baseVal.height;
          const y = Number(line.getAttribute("y1"));
          return [y, top + (height * y) / whole];
        })"""
    )
    assert lines
    for y, drawn in lines:
        assert drawn == pytest.approx(tokens[int(y // 20)], abs=1.5)


def test_lines_are_level_with_their_tokens(open_file):
    require_level(open_file())


def test_what_a_decoder_cannot_see_is_not_less_than_uniform(open_page):
    tab = open_page(TEXTS[0], "gpt2")
    tab.evaluate(ALL_COLUMNS)
    tab.evaluate(ASK, {"query": 1, "scale": "uniform"})
    cells = tab.evaluate(CELLS)
    names = tab.evaluate(COLUMNS)
    written = np.array(
        [
            [np.nan if cell == "–" else float(cell.replace("−", "-")) for cell in row]
            for row in cells
        ]
    )
    assert np.nanmax(np.abs(written[2:])) == 0
    # Beside those of the two that it sees of which a column tells, shares sum to nothing.
    assert np.abs(np.nansum(written[:2], axis=0)).max() <= 0.2
    untold = np.isnan(written[:2]).any(axis=0)
    assert [name for name, is_untold in zip(names, untold, strict=True) if is_untold] == [
        DEPENDENCE
    ]


def test_a_link_within_the_page_leaves_the_view_as_it_is(open_file):
    tab = open_file()
    tab.evaluate(ASK, {"query": 3, "layer": 1, "head": 2})
    shown = tab.evaluate(SHOWN)
    tab.evaluate("location.hash = '#note'")
    tab.wait_for_timeout(100)
    settled(tab)
    assert tab.evaluate("location.hash") == "#note"
    assert tab.evaluate(SHOWN) == shown
    tab.go_back()
    settled(tab)
    assert tab.evaluate(SHOWN) == shown


def test_weights_of_cross_attention_are_on_the_source(open_page):
    tab = open_page(("a dull plot", "the film"), "t5")
    for scale, total in (("own", 100), ("uniform", 0)):
        tab.evaluate(ASK, {"stream": "cross", "scale": scale})
        tab.evaluate(ALL_COLUMNS)
        names, cells = tab.evaluate(COLUMNS), tab.evaluate(CELLS)
        sources = tab.evaluate("document.querySelector('.explorer').explorer.shown.text.sources")
        assert 0 < sources < len(cells)
        for name in ("head", "raw"):
            column = [row[names.index(name)].replace("−", "-") for row in cells]
            assert sum(map(float, column[:sources])) == pytest.approx(
                total, abs=0.05 * sources + 0.1
            )
            assert set(column[sources:]) == {"–"}


def test_what_the_reader_chose_is_there_again_where_it_can_be(open_page):
    tab = open_page(("a dull plot", "the film"), "t5")
    chosen = """() => {
      const {view, cells} = document.querySelector(".explorer").explorer.selection;
      return [view, cells];
    }"""
    tab.evaluate(ASK, {"stream": "encoder", "view": "map", "cells": "map"})
    assert tab.evaluate(chosen) == ["map", "map"]
    tab.evaluate(ASK, {"stream": "cross"})
    assert tab.evaluate(chosen) == ["lines", "attention"]
    tab.evaluate(ASK, {"stream": "encoder"})
    assert tab.evaluate(chosen) == ["map", "map"]


def test_the_site_goes_on_from_where_the_reader_was(visit, address):
    opened = visit(f"{address}/en/explorer.html")
    tab = opened.tab
    tab.wait_for_function(READY)
    index = tab.evaluate("document.querySelector('.explorer').explorer.index")
    two = next(one["name"] for one in index if len(one["states"]) == 2)
    one = next(one["name"] for one in index if len(one["states"]) == 1)
    select = tab.locator(".bar-of-text select").first
    chosen = "document.querySelector('.explorer').explorer.selection"
    tab.evaluate(ASK, {"experiment": two})
    tab.locator("[data-state=pretrained]").click()
    settled(tab)
    tab.locator(".bar-of-text .token").nth(2).click()
    settled(tab)
    # A model of one state leaves the reader's choice as it was.
    select.select_option(one)
    settled(tab)
    select.select_option(two)
    settled(tab)
    assert tab.evaluate(f"{chosen}.state") == "pretrained"
    # Back goes from view to view, and what is said above it goes along.
    tab.go_back()
    tab.wait_for_function(f"() => {chosen}.experiment === '{one}'")
    tab.go_back()
    tab.wait_for_function(f"() => {chosen}.experiment === '{two}' && {chosen}.query === 2")
    settled(tab)
    token = tab.locator(".bar-of-text .token").nth(2).inner_text()
    expect(tab.locator(".notice")).to_contain_text(f"“{token}” gives")
    link = tab.get_by_role("link", name="日本語").first
    link.focus()
    other = link.get_attribute("href")
    assert other.endswith(tab.evaluate("location.hash"))
    # The site has styles of its own for lists and pictures.
    require_level(tab)
    assert opened.problems == []


def test_the_site_loads_a_view_in_few_small_files(visit, address):
    opened = visit(f"{address}/en/explorer.html")
    tab = opened.tab
    tab.wait_for_function(READY)
    files = tab.evaluate(
        "() => performance.getEntriesByType('resource').filter(({name}) => "
        "name.includes('/explorer/')).map((one) => [one.name, one.decodedBodySize])"
    )
    sizes = {name.split("/explorer/")[1]: size for name, size in files}
    assert sum(sizes.values()) < 600_000
    assert max(sizes.values()) < 300_000
    # As on a slow machine, where what comes late is seen to come.
    tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    tab.reload()
    tab.wait_for_function(READY)
    moved = tab.evaluate(
        """() => new Promise((done) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
          }).observe({type: "layout-shift", buffered: true});
          setTimeout(() => done(sum), 500);
        })"""
    )
    assert moved < 0.02
    assert opened.problems == []


# --- sizes, and what is seen without scrolling ----------------------------------------------------

SMALL_LETTERS = """() => [...document.querySelectorAll(".explorer *")].filter((one) =>
  one.checkVisibility() && [...one.childNodes].some((child) =>
    child.nodeType === Node.TEXT_NODE && child.data.trim())
  && parseFloat(getComputedStyle(one).fontSize) < 11)
  .map((one) => one.outerHTML.slice(0, 120))"""
# Bottom and right edge of what the finding is about, in each of the three views.
FINDING = """() => ["notice", "grid [aria-pressed=true]", "middle .plane", "rows tr.chosen"]
  .map((name) => document.querySelector(`.explorer .${name}`).getBoundingClientRect())
  .map(({top, bottom, left, right}) => [top, bottom, left, right])"""


def require_first_sight(tab, width=1280, height=800):
    """The views begin near the top, and what the finding is about is in view in each of them."""
    tab.set_viewport_size({"width": width, "height": height})
    tab.wait_for_timeout(200)  # views take the new size
    assert tab.locator(".views").bounding_box()["y"] < 250
    for top, bottom, left, right in tab.evaluate(FINDING):
        assert 0 <= top < bottom <= height
        assert 0 <= left < right <= width


def test_a_page_of_any_text_says_and_shows_what_it_found(open_file):
    tab = open_file()
    require_first_sight(tab)
    query, key = tab.evaluate(
        """() => {
          const {selection, shown: {text}} = document.querySelector(".explorer").explorer;
          return [text.queries.tokens[selection.query], text.keys.tokens[selection.key]];
        }"""
    )
    assert not {"[CLS]", "[SEP]"} & {query, key}
    said = tab.inner_text(".notice")
    assert f"“{query}” gives " in said
    assert f"“{key}”" in said


def test_a_token_that_reads_itself_is_told_so(open_file):
    tab = open_file()
    tab.evaluate(ASK, {"query": 2, "key": 2})
    assert tab.inner_text(".notice").rstrip(".").endswith("to itself")


def test_cells_and_letters_are_large_enough(open_file):
    tab = open_file("#c=previous")
    for large, least in (("", 34), ("heads", 70)):
        tab.evaluate(ASK, {"large": large})
        sizes = tab.locator(".grid button").evaluate_all(
            "cells => cells.map((one) => [one.offsetWidth, one.offsetHeight])"
        )
        assert np.min(sizes) >= least
        assert tab.evaluate(SMALL_LETTERS) == []


def test_twelve_heads_fit_on_a_phone(open_page):
    tab = open_page(("a dull plot", None))
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.locator(".views-of-phone button").first.click()
    frame = tab.locator(".grid-frame")
    assert frame.locator("button").count() == 6 * 12
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert tab.evaluate(SMALL_LETTERS) == []


def test_a_colour_stands_for_the_same_number_in_every_view(open_file):
    """Also where all numbers of a view are small; none is white."""
    tab = open_file()
    coloured = """() => {
      const {heads, shown} = document.querySelector(".explorer").explorer;
      return ["self", "first"].map((name) => {
        const numbers = heads.numbers(shown, name);
        return [0, 0.2, 1].map((value) => numbers.shade(value));
      });
    }"""
    one, other = tab.evaluate(coloured)
    assert one == other
    assert " 0%" in one[0]
    assert " 15%" in one[1]
    assert " 75%" in one[2]


@pytest.fixture
def open_two(visit, tmp_path, make_model, tokenizer):
    """Return ``open_two(text)``: its page by two models."""

    def open_one(text):
        paths = []
        for name, spread in (("one", 0.2), ("other", 0.4)):
            tiny.save(make_model("bert", initializer_range=spread), tokenizer, tmp_path / name)
            paths.append(str(tmp_path / name))
        page = tmp_path / "page.html"
        page.write_text(explain([text], paths[0], compare=paths[1]).page(), encoding="utf-8")
        tab = visit(page.as_uri()).tab
        tab.wait_for_function(READY)
        return tab, paths

    return open_one


NUMBERS = (
    "() => document.querySelector('.explorer').explorer.heads.buttons.map((one) => one.ariaLabel)"
)


def test_of_two_models_each_and_their_change_can_be_chosen(open_two):
    tab, paths = open_two(TEXTS[0])
    tab.evaluate(ASK, {"cells": "previous"})
    states = tab.locator(".heads .choices button")
    assert states.all_inner_texts() == ["one", "other", "change"]
    named = tab.locator(".bar-of-text .states button")
    assert named.nth(0).get_attribute("title") == paths[0]  # as it was given
    found = []
    for index in range(3):
        states.nth(index).click()
        settled(tab)
        found.append(tab.evaluate(NUMBERS))
        ranked = tab.inner_text(".heads h3")
        assert ("change of weight on the token before" in ranked) == (index == 2)
        assert (paths[min(index, 1)] in ranked) == (index < 2)
    numbers = [
        [float(one.split(": ")[-1].split("%")[0].split()[0].replace("−", "-")) for one in of]
        for of in found
    ]
    one, other, change = np.array(numbers)
    np.testing.assert_allclose(other - one, change, atol=0.16)


def test_heads_are_laid_over_each_other(open_file):
    """By the mouse and by the keyboard; lines of each have their own colour."""
    tab = open_file("#v=lines")
    tab.evaluate(ASK, {"layer": 1, "head": 1})
    cell = tab.locator(".grid button[data-layer='2'][data-head='1']")
    strokes = """() => {
      const lines = [...document.querySelectorAll(".lines line")];
      return new Set(lines.map((one) => getComputedStyle(one).stroke)).size;
    }"""
    assert tab.evaluate(strokes) == 1
    cell.click(modifiers=["Control"])
    settled(tab)
    assert tab.evaluate(strokes) == 2
    assert "i=2.1" in tab.evaluate("location.hash")
    assert "laid over" in cell.get_attribute("aria-label")
    cell.focus()
    tab.keyboard.press("Shift+Enter")
    settled(tab)
    assert tab.evaluate(strokes) == 1
    assert tab.locator(".grid [aria-pressed=true]").get_attribute("data-layer") == "1"


def test_of_a_pair_the_lines_from_one_sentence_to_the_other_can_be_chosen(open_file):
    tab = open_file("#t=1&v=lines")
    (first, second) = tab.evaluate(
        "() => document.querySelector('.explorer').explorer.shown.text.sides"
    )
    tab.evaluate(ASK, {"sides": "ab"})
    ends = tab.locator(".lines line").evaluate_all(
        """lines => lines.map((one) =>
          ["y1", "y2"].map((name) => one.getAttribute(name) / 20 - 0.5))"""
    )
    assert ends
    for query, key in ends:
        assert first[0] <= query <= first[1]
        assert second[0] <= key <= second[1]
    tab.evaluate(ASK, {"text": 0})
    expect(tab.get_by_label("sentences")).to_be_hidden()
    assert tab.locator(".lines line").count() > 0


def test_a_head_at_large_is_a_matrix_lines_and_a_map(open_file):
    tab = open_file()
    tab.locator(".grid [aria-pressed=true]").dblclick()
    settled(tab)
    for view in (".matrix canvas", ".lines svg", ".plane canvas"):
        expect(tab.locator(view).first).to_be_visible()
    expect(tab.locator(".grid")).to_be_hidden()
    box = tab.locator(".matrix canvas").bounding_box()
    tokens = tab.evaluate("() => document.querySelector('.explorer').explorer.shown.text.sources")
    cell = (box["width"] - 86) / tokens
    assert cell >= 11
    tab.mouse.click(box["x"] + 84 + 2.5 * cell, box["y"] + 84 + 1.5 * cell)
    settled(tab)
    chosen = tab.evaluate("() => document.querySelector('.explorer').explorer.selection")
    assert (chosen["query"], chosen["key"]) == (1, 2)
    tab.locator(".middle .enlarge").click()
    settled(tab)
    expect(tab.locator(".grid")).to_be_visible()


def test_columns_fit_and_can_be_chosen(open_file):
    tab = open_file()
    over = """() => {
      const {frame} = document.querySelector(".explorer").explorer.rows;
      return frame.scrollWidth - frame.clientWidth;
    }"""
    counts = []
    for width in (390, 800, 1280, 1920):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.wait_for_timeout(200)
        assert tab.evaluate(over) <= 0
        counts.append(len(tab.evaluate(COLUMNS)))
    assert counts[0] < counts[-1]
    tab.locator(".chooser summary").click()
    names = tab.evaluate(COLUMNS)
    tab.locator(".chooser label").filter(has_text="rollout").first.click()
    settled(tab)
    assert tab.evaluate(COLUMNS) == [name for name in names if name != "rollout"]
    assert "n=" in tab.evaluate("location.hash")
    tab.locator(".chooser button").click()
    settled(tab)
    assert tab.evaluate(COLUMNS) == names


def test_what_a_prediction_owes_is_compared_by_its_shares(open_page):
    tab = open_page(("the film was not very good", None), "bert-classifier")
    tab.evaluate(ASK, {"compared": "head~gradient_norm", "order": "difference"})
    columns = tab.evaluate(
        """() => Object.fromEntries(document.querySelector(".explorer").explorer.rows.columns
          .map(({name, values}) => [name, values[0]]))"""
    )
    gradient = np.array(columns["gradient_norm"])
    expected = np.array(columns["head"]) - gradient / gradient.sum()
    np.testing.assert_allclose(columns["difference"], expected, atol=1e-6)


def test_no_number_that_is_there_is_written_as_none(open_file):
    written = open_file().evaluate(
        "() => [[0.123456, 0.05, 0.00003, 0.000001, 0].map((one) => ofHundred(one, false)),"
        " [0.003, -0.00312, 0.00003, 12.345, 0].map(digits)]"
    )
    assert written == [
        ["12.3", "5.00", "0.003", "0", "0"],
        ["0.00300", "−0.00312", "3.0e−5", "12.3", "0"],
    ]


def test_a_map_comes_nearer_and_tokens_are_found_on_it(open_file):
    tab = open_file("#v=map")
    panels = "document.querySelector('.explorer').explorer.views.map.panels"
    tab.get_by_role("button", name="Zoom in").click()
    assert tab.evaluate(f"{panels}.zoom.scale") > 1
    at = f"(point) => {panels}.panels[0].at(point)"
    box = tab.locator(".plane canvas").bounding_box()
    chosen = tab.evaluate(f"{panels}.panels[0].content.labels.find((one) => one.strong).point")
    x, y = tab.evaluate(at, chosen)
    assert 0 <= x <= box["width"]
    assert 0 <= y <= box["height"]
    tab.get_by_role("button", name="The whole map").click()
    assert tab.evaluate(f"{panels}.zoom.scale") == 1
    tab.get_by_label("find a token").fill("FILM")
    assert tab.inner_text(".nearness output") == "2 found"  # as a query and as a key
    assert "film" in tab.locator(".plane .labels").inner_text()


def test_what_is_chosen_on_a_map_is_never_pale(open_file):
    tab = open_file("#v=map")
    opacities = tab.evaluate(
        """() => {
          const {panels} = document.querySelector(".explorer").explorer.views.map;
          const [panel] = panels.panels;
          panel.content.trusted = false;
          panels.repaint();
          const {canvas, at, content} = panel;
          const context = canvas.getContext("2d");
          const opacityOf = (point) => {
            const [x, y] = at(point).map((one) => Math.round(2 * one));
            return context.getImageData(x, y, 1, 1).data[3];
          };
          const marked = new Set(content.labels.map(({point}) => point));
          const filled = [...content.points.keys()].filter((one) => !content.points[one].hollow);
          return [true, false].map((is) =>
            filled.filter((point) => marked.has(point) === is).map(opacityOf));
        }"""
    )
    assert min(opacities[0]) == 255
    assert min(opacities[1]) < 150
    assert tab.locator(".plane").evaluate("one => getComputedStyle(one).filter") == "none"


@pytest.mark.parametrize("view", ["heads", "pictures", "rows"])
def test_a_picture_is_of_the_whole_view_at_twice_its_size(open_file, tmp_path, view):
    tab = open_file()
    column = tab.locator(f".views > [data-view={view}]")
    width = column.bounding_box()["width"]
    with tab.expect_download() as download:
        column.locator(".save-picture").click()
    path = tmp_path / "picture.png"
    download.value.save_as(path)
    image = np.asarray(Image.open(path).convert("L"), float)
    assert image.shape[1] == pytest.approx(2 * (width + 32), abs=4)
    # Its title says something, and so does what is below.
    assert image[:80].std() > 5
    assert image[300:].std() > 5
    assert tab.locator(".in-picture").count() == 0


def test_the_command_for_a_text_of_ones_own_is_there(open_file, pretrained):
    command = open_file().inner_text(".own code")
    assert command.startswith("attention-mixing explain ")
    assert command.endswith(f"--model {pretrained}")


def test_on_a_phone_nothing_scrolls_within_the_page(open_file):
    tab = open_file(width=390, has_touch=True)
    for view in tab.locator(".views-of-phone button").all():
        view.tap()
        scrolling = tab.evaluate(
            """() => [...document.querySelectorAll(".explorer *")].filter((one) =>
              one.checkVisibility() && one.scrollHeight > one.clientHeight + 1 && one.clientHeight
                && /auto|scroll/.test(getComputedStyle(one).overflowY))
              .map((one) => one.className)"""
        )
        assert scrolling == []
        tab.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
        expect(tab.locator(".views-of-phone")).to_be_in_viewport()


def test_the_opening_of_the_site_is_seen_at_first_sight(visit, address, renderer):
    if renderer == "quarto":
        pytest.skip("beside Quarto's list of pages there is room for two views")
    tab = visit(f"{address}/en/explorer.html").tab
    tab.wait_for_function(READY)
    require_first_sight(tab)
    title = tab.locator("#title-block-header").bounding_box()
    assert title["height"] < 40
