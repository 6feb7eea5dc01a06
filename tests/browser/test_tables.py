"""Tables of a page from a disk: numbers to the right, and rows sorted by their headings."""

from __future__ import annotations

import pytest

from browser.conftest import ROOT
from browser.pages import LANGUAGES

ASSETS = ROOT / "report" / "assets"
HEADINGS = ("name", "value", "share", "texts", "power", "verdict")
# In an order that is that of no column; two values are equal, one is missing, and one
# is marked as outdated.
ROWS = (
    ("b10", "0.31\u00a0[0.2, 0.4]", "9%", "1,200", "3.4×10⁻¹⁶ (3–4×10⁻¹⁶)", "✗ fails"),
    ("b9", "−0.5 [−0.6, −0.4]", "100%", "80", "2×10⁻³", "✓ holds"),
    ("a", "0.31 (0.3–0.4)", "8.5 %", "–", "< 1×10⁻⁹", "✗ fails"),
    ("c", "+0.07（+0.01〜+0.2）", "−3%", "1,000,000", "0.2 未満", "? open"),
    ("d", "−12", "0%", "9", "1.5e-5", "✓ holds"),
    ("e", "2.5 †", "12.5%", "36 / 72", "1", "? open"),
)
# Upwards and downwards: equal ones keep their order, and what is missing comes last both times.
IN_ORDER = {
    "name": ("a b9 b10 c d e", "e d c b10 b9 a"),
    "value": ("d b9 c b10 a e", "e b10 a c b9 d"),
    "share": ("c d a b10 e b9", "b9 e b10 a d c"),
    "texts": ("d e b9 b10 c a", "c b10 b9 e d a"),
    "power": ("b10 a d b9 c e", "e c b9 d a b10"),
    "verdict": ("c e b9 d b10 a", "b10 a b9 d c e"),
}
AS_WRITTEN = "b10 b9 a c d e"
NAMES = """(group) => [...document.querySelectorAll(`${group} tr:not(:has([scope=rowgroup]))`)]
  .map((row) => row.cells[0].textContent).join(" ")"""


def written(rows, group: str = "") -> str:
    head = f'<tr><th colspan="6" scope="rowgroup">{group}</th></tr>' if group else ""
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<tbody>{head}{''.join(f'<tr>{one}</tr>' for one in cells)}</tbody>"


@pytest.fixture
def table(visit, tmp_path):
    """Return ``table(*bodies)``, a page with these parts of a table."""

    def shown(*bodies: str, width: int = 1280, **options):
        headings = "".join(f"<th>{one}</th>" for one in HEADINGS)
        script, style = ((ASSETS / one).read_text() for one in ("tables.html", "paper.css"))
        page = tmp_path / "page.html"
        page.write_text(
            f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>x</title>'
            f"<style>{style}</style><main><div class='table'><table><thead><tr>{headings}</tr>"
            f"</thead>{''.join(bodies)}</table></div></main>{script}",
            encoding="utf-8",
        )
        return visit(page.as_uri(), width, **options).tab

    return shown


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_sorts_up_down_and_back(table, heading):
    tab = table(written(ROWS))
    button = tab.get_by_role("button", name=heading)
    cell = tab.get_by_role("columnheader", name=heading)
    upwards, downwards = IN_ORDER[heading]
    for state, order in (
        ("ascending", upwards),
        ("descending", downwards),
        (None, AS_WRITTEN),
    ):
        button.click()
        assert cell.get_attribute("aria-sort") == state
        assert tab.evaluate(NAMES, "tbody") == order


def test_only_one_column_says_that_it_sorts(table):
    tab = table(written(ROWS))
    for heading in ("value", "share"):
        tab.get_by_role("button", name=heading).click()
    assert tab.locator("[aria-sort]").all_inner_texts() == ["share"]


def test_a_keyboard_and_a_finger_sort(table):
    tab = table(written(ROWS), width=390, has_touch=True)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.evaluate(NAMES, "tbody") == IN_ORDER["name"][0]
    button = tab.get_by_role("button", name="value")
    button.tap()
    assert tab.evaluate(NAMES, "tbody") == IN_ORDER["value"][0]
    assert button.bounding_box()["height"] >= 24


def test_numbers_and_their_headings_stand_at_the_right_in_one_line(table):
    tab = table(written(ROWS), width=390)
    ends = tab.evaluate(
        """() => [...document.querySelectorAll("thead th")].map((heading, column) => {
          const cells = [...document.querySelectorAll("tbody tr")].map((row) => row.cells[column]);
          const end = (one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return [...range.getClientRects()].map((box) => Math.round(box.right));
          };
          return [heading, ...cells].map(end).filter((boxes) => boxes.length);
        })"""
    )
    aligned = [len({max(boxes) for boxes in column}) == 1 for column in ends]
    assert aligned == [False, True, True, True, True, False]
    assert {len(boxes) for column in ends for boxes in column[1:]} == {1}


def test_groups_stay_together_and_few_rows_are_not_sorted(table):
    tab = table(written(ROWS[:3], "one"), written(ROWS[3:], "two"))
    tab.get_by_role("button", name="value").click()
    groups = [tab.evaluate(NAMES, f"tbody:nth-of-type({number})") for number in (1, 2)]
    assert groups == ["b9 b10 a", "d c e"]
    firsts = tab.locator("tbody tr:first-child").all_inner_texts()
    assert firsts == ["one", "two"]
    few = table(written(ROWS[:5]))
    assert few.locator("button").count() == 0
    assert few.locator("td.number").count() == 4 * 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_verdict_of_the_ledger_is_broken_on_a_phone(visit, address, language):
    tab = visit(f"{address}/{language}/claims.html", width=390).tab
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    broken = tab.locator("main .outcome").evaluate_all(
        "all => all.filter((one) => one.getClientRects().length > 1 && !one.querySelector('.sign')"
        " || one.offsetHeight > 40).map((one) => one.innerText)"
    )
    assert tab.locator("main .outcome").count() > 40
    assert broken == []
