"""The list of claims: every claim is shown, nothing in it is markup, and the filter finds it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from made_claims import HOSTILE, LANGUAGES, NAMES, case, claim, read, vocabulary

from analysis.figures import claims, claims_list
from analysis.figures.chapter import Chapter
from analysis.figures.phrases import spread
from analysis.figures.style import OUTCOME_SIGNS

REPORT = Path(__file__).parents[2] / "report"


def ledger(*given):
    """Markup of the ledger."""
    return claims_list.ledger(*given)[0]


def summary(*given):
    """Markup of the table for the abstract."""
    return claims_list.summary(*given)[0]


class Page(HTMLParser):
    """Elements of a fragment, each a tag with its attributes, and the text of the whole."""

    VOID = frozenset({"br", "input"})

    def __init__(self, markup):
        super().__init__()
        self.elements, self.open, self.text = [], [], ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attributes for one, attributes in self.elements if one == tag]


# --- the ledger -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_is_listed_once_with_an_id_of_its_own(language):
    page = Page(ledger(*read(language)))
    items = [one for one in page.all("li") if one.get("class") == "claim"]
    assert [one["id"] for one in items] == [f"claim-{name}" for name in NAMES]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert not page.open


def test_the_filter_is_hidden_until_its_script_shows_it():
    (form,) = Page(ledger(*read())).all("form")
    assert "hidden" in form


def test_every_choice_of_the_filter_finds_as_many_claims_as_it_says():
    markup = ledger(*read())
    items = [one for one in Page(markup).all("li") if one.get("class") == "claim"]
    selects = re.findall(r'<select name="(\w+)">(.*?)</select>', markup)
    assert [name for name, _ in selects] == ["verdict", "chapter", "source"]
    for name, options in selects:
        chosen = re.findall(r'<option value="([^"]*)">(.*?)</option>', options)
        for value, text in chosen:
            wanted = Page(value).text
            found = [one for one in items if not wanted or wanted in one[f"data-{name}"].split(" ")]
            assert Page(text).text.endswith(f"({len(found)})")
        values = {Page(value).text for value, _ in chosen}
        assert {token for one in items for token in one[f"data-{name}"].split(" ")} <= values


def test_every_field_of_the_filter_has_a_label():
    markup = ledger(*read())
    labels = re.findall(r"<label>(.*?)</label>", markup, re.S)
    assert len(labels) == 4
    for label in labels:
        assert Page(label).text.split()[0].istitle()
        assert re.search(r"<(select|input)", label)


def test_both_renderers_put_the_filter_into_the_pages():
    shared = (REPORT / "_common.yml").read_text(encoding="utf-8")
    assert "../assets/claims-filter.html" in shared
    assert (REPORT / "assets" / "claims-filter.html").exists()


def test_the_script_of_the_filter_reads_what_the_ledger_writes():
    script = (REPORT / "assets" / "claims-filter.html").read_text(encoding="utf-8")
    markup = ledger(*read())
    for selector in (".claim-filter", "li.claim", "output", "details"):
        assert f'("{selector}")' in script
        name = selector.rpartition(".")[2]
        assert f'class="{name}"' in markup or f"<{name}" in markup
    assert "dataset.count" in script and 'data-count="' in markup
    (output,) = Page(markup).all("output")
    assert set(re.findall(r"\{(\w+)\}", output["data-count"])) == {"shown", "all"}


def test_an_entry_leads_to_its_evidence_and_its_source():
    links = [one["href"] for one in Page(ledger(*read())).all("a")]
    assert "heads.html#fig-families" in links
    assert "heads.html#sec-limits" in links
    assert "#ref-abnar2020" in links
    assert "#ref-clark2019" in links
    assert "#ref-lecture" not in links
    assert "claims.html#claim-A10" in links


def test_evidence_on_the_page_itself_needs_no_file():
    markup = ledger(*read(rows=[claim("A1", "reproduced", chapter="claims")]))
    assert "#fig-families" in [one["href"] for one in Page(markup).all("a")]


def between(low, high):
    return spread(low, high, ".2f", vocabulary())


def entry(**more):
    verdict = more.pop("verdict", "consistent")
    return Page(ledger(*read(rows=[claim("B1", verdict, *more.pop("cases"), **more)])))


def test_one_case_shows_its_value_and_interval():
    text = entry(cases=[case(-0.25, True)]).text
    assert f"✓ holds \u22120.25 ({between(-0.35, -0.15)})" in text


def test_a_value_without_interval_is_shown_as_such():
    cases = [case(0.25, True, "one", low=None, high=None), case(0.5, None, "two")]
    assert "✓ holds one: 0.25?" in entry(cases=cases).text


def test_few_parts_are_shown_with_their_range_and_counts():
    cases = [
        case(0.1, True, "a"),
        case(0.4, True, "a"),
        case(0.9, False, "a"),
        case(0.5, None, "b"),
    ]
    text = entry(cases=cases).text
    assert f"✓ 2 holds ✗ 1 fails a: {between(0.1, 0.9)}" in text
    assert f"? open b: 0.50 ({between(0.4, 0.6)})" in text


def test_many_parts_are_counted():
    cases = [case(i / 10, i > 3, f"part{i}") for i in range(9)]
    assert "5 of 9 cases hold, 4 fail" in entry(cases=cases).text


def test_a_case_that_decides_nothing_is_shown_beside():
    page = entry(cases=[case(0.6, True, "a"), case(0.1, None, "b", decides=False)])
    assert "b: 0.10" in page.text
    assert "open b" not in page.text
    assert "shown beside" in page.text


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        ([True], "holds; value 0.50"),
        ([True, True], "holds in all 2 cases; value 0.50"),
        ([False, False], "fails in all 2 cases; value 0.50"),
        ([None, None], "open in all 2 cases; value 0.50"),
        ([True, False, None], "1 of 3 cases holds, 1 fails, 1 open; value 0.50"),
        ([False, None], "1 of 2 cases fails, 1 open; value 0.50"),
    ],
)
def test_cases_are_counted_in_words(holds, said):
    rows = [claim("B1", "open", *(case(0.5, one) for one in holds))]
    (one,), _, w = read(rows=rows)
    assert claims_list.tally(one, w) == said


def test_cases_are_counted_in_japanese():
    rows = [claim("B1", "partly_consistent", case(0.5, True), case(0.6, None))]
    (one,), _, w = read("ja", rows)
    said = "2 判定単位のうち成り立つもの 1、決まらないもの 1。値は 0.50〜0.60"
    assert claims_list.tally(one, w) == said


def test_parts_have_no_common_range():
    rows = [claim("B1", "consistent", case(0.5, True, "a"), case(70, True, "b"))]
    (one,), _, w = read(rows=rows)
    assert claims_list.tally(one, w) == "holds in all 2 cases"


def test_what_an_open_claim_needs_is_seen_without_unfolding():
    items = ledger(*read()).split('<li class="claim"')[1:]
    for name, item in zip(NAMES, items, strict=True):
        seen = item.partition("<details>")[0]
        assert (f"what {name} takes" in seen) == (name in ("B8", "B9"))


def test_conditions_are_told_in_the_fold():
    text = Page(ledger(*read())).text
    assert text.count("published for a larger model; here tiny on reviews") == 3
    assert text.count("as published, or about any model") == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_the_ledger_is_markup(language):
    rows = [
        claim(
            "B1",
            "inconsistent",
            case(0.5, False, "a", experiment=HOSTILE),
            case(0.5, False, "b"),
            differs={"models": [HOSTILE], "experiments": [HOSTILE]},
            files=[HOSTILE],
            evidence=f"fig-{HOSTILE}",
            headline=True,
        ),
        claim("B2", "open", case(0.5, None)),
    ]
    names = ("B1_statement", "B1_published", "B1_rule", "needs_of_B1", "needs_of_B2")
    told = dict.fromkeys((*names, "conditions_larger", "case_a", "case_b"), HOSTILE)
    found, sources, w = read(language, rows, **told)
    for markup in (
        ledger(found, sources, w),
        summary(found, sources, w),
        claims_list.needs(found, w),
        claims_list.by_claim({HOSTILE: found[:1]}, w),
    ):
        page = Page(markup)
        assert not page.open
        assert not page.all("script")
        assert HOSTILE in page.text
        assert "{{<" not in markup and "**" not in markup and "$x$" not in markup


def test_an_open_case_says_how_many_texts_would_decide_it():
    text = entry(cases=[case(0.5, None, needed=1234)], verdict="open").text
    assert "> 0.50" in text
    assert "? open: 1,234 texts would decide" in text


def test_a_claim_that_rests_on_special_tokens_is_marked():
    text = {cls: entry(cases=[case(0.5, True)], cls=cls).text for cls in (True, False)}
    assert "sentence encoder" in text[True]
    assert "sentence encoder" not in text[False]


# --- summary, needs, advice -----------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_summary_has_the_headlines_and_all_counts(language):
    found, sources, w = read(language)
    markup = summary(found, sources, w)
    page = Page(markup)
    links = [one["href"] for one in page.all("a")]
    assert [link for link in links if "#claim-" in link] == [
        f"claims.html#claim-{name}" for name in ("B2", "B3", "B8", "B9", "B10")
    ]
    assert [link.rpartition("=")[2] for link in links if "verdict=" in link] == list(OUTCOME_SIGNS)
    assert sum(map(int, re.findall(r"<b>(\d+)</b>", markup))) == sum(
        one.kind == "measured" for one in found
    )
    assert not [one for one in page.elements if "id" in one[1]]  # it stands on another page
    assert not [link for link in links if link.startswith("#")]


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (
            [case(0.5, True, "a"), case(0.25, False, "b"), case(0.75, False, "b")],
            f"b: {between(0.25, 0.75)}",
        ),
        (
            [case(0.5, True, "a"), case(0.7, None, "a")],
            f"✓ 1 holds ? 1 open a: {between(0.5, 0.7)}",
        ),
        ([case(0.5, True, "a"), case(0.7, True, "b")], "holds in all 2 cases"),
        (
            [case(0.5, True), case(0.7, False, variant="pretrained")],
            f"✓ 1 holds ✗ 1 fails {between(0.5, 0.7)}",
        ),
        ([case(i / 10, i > 3, f"part{i}") for i in range(9)], "5 of 9 cases hold, 4 fail"),
    ],
)
def test_the_summary_says_which_parts_of_a_claim_hold(cases, said):
    rows = [claim("B1", "partly_consistent", *cases, headline=True)]
    assert said in Page(summary(*read(rows=rows))).text


def test_sources_in_the_summary_lead_to_the_page_that_lists_them():
    links = [one["href"] for one in Page(summary(*read())).all("a")]
    assert "claims.html#ref-abnar2020" in links
    assert not [link for link in links if "ref-lecture" in link]


def test_the_summary_leaves_out_what_there_is_none_of():
    markup = summary(*read(rows=[claim("B1", "reproduced", case(1, True))]))
    assert Page(markup).text.startswith("✓ 1 holds")
    assert markup.count("<b>") == 1


def test_every_cell_of_the_summary_is_named_for_phones():
    page = Page(summary(*read()))
    for cell in page.all("td"):
        assert cell["data-name"] in ("Claim", "Published", "Here", "Verdict")
        assert cell["role"] == "cell"


def test_needs_of_open_claims_come_first_and_the_others_are_folded():
    found, _, w = read()
    open_, _, folded = claims_list.needs(found, w).partition("<details>")
    assert "what B8 takes" in open_ and "what B9 takes" in open_
    assert not re.search("what (B3|B10|A2) takes", open_)
    assert all(f"what {name} takes" in folded for name in ("B2", "B3", "B10"))
    assert "what A2 takes" not in folded  # tested as published


def test_the_same_need_is_listed_once():
    rows = [claim(f"B{i}", "not_tested", needs="of_B9") for i in (9, 10)]
    markup = claims_list.needs(read(rows=rows)[0], vocabulary())
    assert markup.count("what B9 takes") == 1
    assert [one["href"] for one in Page(markup).all("a")] == [
        "claims.html#claim-B9",
        "claims.html#claim-B10",
    ]


def test_nothing_open_needs_nothing():
    found = read(rows=[claim("A1", "reproduced", case(1, True))])[0]
    assert claims_list.needs(found, vocabulary()) == "<p>Nothing is left to decide&#46;</p>"


def test_advice_names_the_claim_that_it_rests_on():
    found, _, w = read()
    advised = [one for one in found if one.id == "B8"]
    markup = claims_list.by_claim({"Measure.": advised}, w)
    assert [one["href"] for one in Page(markup).all("a")] == ["claims.html#claim-B8"]
    assert "? B8" in Page(markup).text


# --- downloads ------------------------------------------------------------------------------------


def test_the_ledger_can_be_downloaded_as_table_and_as_record(tmp_path):
    chapter = Chapter("claims", "en", str(tmp_path))
    found, sources, chapter.words = read()
    (tmp_path / "ledger.json").touch()  # by the notebook
    shown = chapter.table("ledger", claims_list.ledger, found, sources)
    links = [one["href"] for one in Page(shown.data).all("a")]
    assert [link for link in links if link.startswith("files/")] == [
        "files/claims/ledger.csv",
        "files/claims/ledger.json",
        "files/claims/claims_list.py.txt",
    ]
    chapter.close()
    for link in ("ledger.csv", "claims_list.py.txt"):
        assert (tmp_path / link).exists()
    assert len(pd.read_csv(tmp_path / "ledger.csv")) == len(claims.table(found))
