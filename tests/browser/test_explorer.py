"""The explorer: numbers are those of the model, an address brings a view back, all can be used.

On the page of ``explain``, whose numbers are at hand, and on the site, whose files are loaded.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from analysis.capture import capture_text
from analysis.explain import explain
from analysis.measures import measure
from analysis.measures.rows import METHODS
from analysis.models.source import EMBEDDED_NAME

TEXTS = [("the film was not very good", None), ("bad!", "a dull plot")]
READY = "() => document.querySelector('.explorer[aria-busy=false]')"
# Cells of the table of rows, by token: what is printed, without the name.
CELLS = """() => [...document.querySelectorAll('.rows tbody tr')].map((row) =>
  [...row.querySelectorAll('td')].map((cell) => cell.textContent))"""
COLUMNS = "() => document.querySelector('.explorer').explorer.rows.shown.map(({name}) => name)"
# What a reader sees of it, and what is chosen.
SHOWN = """() => {
  const body = document.querySelector(".explorer .body");
  const chosen = [...body.querySelectorAll("select, input")].map(({value}) => value);
  const pressed = [...body.querySelectorAll("[aria-pressed=true], [aria-selected=true]")];
  return [body.innerText, chosen, pressed.map((one) => one.ariaLabel ?? one.textContent)];
}"""


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


def settled(tab):
    """Wait until what was chosen is drawn."""
    tab.evaluate("() => document.querySelector('.explorer').explorer.ready")


def test_cells_are_the_numbers_of_measure(open_file, pretrained):
    """At random places, as they are printed: to a tenth of a percent."""
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    rows = measure(text, "rows").fields["rows"]
    layers, heads, tokens, _ = text["attention"].shape
    choose = random.Random(0)
    tab = open_file()
    compared = 0
    while compared < 200:
        layer, head, query = (choose.randrange(most) for most in (layers, heads, tokens))
        selection = {"l": layer + 1, "h": head + 1, "q": query}
        tab.evaluate("(s) => document.querySelector('.explorer').explorer.select(s)", selection)
        settled(tab)
        names, cells = tab.evaluate(COLUMNS), tab.evaluate(CELLS)
        known = {"head": text["attention"][layer, head, query]}
        known |= {method: rows[method][layer, query] for method in METHODS}
        assert set(names) == set(known)
        for key in range(tokens):
            for name, printed in zip(names, cells[key], strict=True):
                # Half a digit, and half a step of what is packed.
                assert abs(float(printed) - 100 * known[name][key]) <= 0.05 + 1e-3
                compared += 1


def test_the_address_brings_a_view_back(open_file):
    tab = open_file()
    tab.evaluate(
        "(s) => document.querySelector('.explorer').explorer.select(s)",
        {"t": 1, "q": 2, "k": 3, "l": 1, "h": 2, "c": "previous", "v": "lines", "d": "rollout~flow",
         "o": "difference", "g": "shared"},
    )  # fmt: skip
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
    tab = open_file("#e=&q=3")
    tab.locator(".bar-of-text .token").nth(3).click()
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


def test_rows_of_a_long_text_come_as_the_reader_scrolls(visit, tmp_path):
    page = tmp_path / "long.html"
    page.write_text(explain([("film " * 62, None)], EMBEDDED_NAME).page(), encoding="utf-8")
    tab = visit(page.as_uri()).tab
    tab.wait_for_function(READY)
    rows = tab.locator(".rows tbody tr")
    assert rows.count() < 64
    tab.locator(".rows .frame").evaluate("frame => frame.scrollTo(0, frame.scrollHeight)")
    expect(rows).to_have_count(64)
    # A key that is chosen is always there.
    tab.evaluate("() => document.querySelector('.explorer').explorer.select({k: 63})")
    settled(tab)
    assert rows.count() == 64
    assert rows.nth(63).get_attribute("class") == "chosen"


def test_a_key_shows_how_its_weight_comes_about(open_file, pretrained):
    text = capture_text(TEXTS[0][0], model=str(pretrained))
    tab = open_file()
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
    tab.locator(".grid [aria-pressed=true]").focus()
    tab.keyboard.press("ArrowRight")
    settled(tab)
    tab.keyboard.press("ArrowUp")
    settled(tab)
    chosen = tab.evaluate("() => document.querySelector('.explorer').explorer.selection")
    assert (chosen["l"], chosen["h"]) == (1, 2)
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
