"""The list of claims: every claim is shown, nothing in it is markup, and the filter finds it."""

import re
from pathlib import Path

import pytest
from made_claims import HOSTILE, LANGUAGES, case, claim, read, vocabulary
from page import Page

from analysis.chapters.advice.prose import advice_of
from analysis.prose import ledger
from analysis.prose.citations import Source, cited
from analysis.prose.ledger import OUTCOME_SIGNS
from analysis.prose.phrases import spread
from attention_mixing.errors import InputError

REPORT = Path(__file__).parents[2] / "report"


def entries(claims, sources, w):
    """Markup of the ledger, in a run without circuits."""
    return ledger.ledger(claims, sources, None, [], {}, w)[0]


def summary(claims, sources, w):
    """Markup of the table for the abstract."""
    return ledger.summary(claims, sources, None, w)[0]


# --- the ledger -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_is_listed_once_with_an_id_of_its_own(language):
    page = Page(entries(*read(language)))
    items = [one for one in page.all("li") if one.get("class") == "claim"]
    found, *_ = read(language)
    at_stake, beside = (
        [one.id for one in found if one.at_stake is is_it] for is_it in (True, False)
    )
    assert at_stake and beside
    assert [one["id"] for one in items] == [f"claim-{name}" for name in (*at_stake, *beside)]
    folds = [one for one in page.all("details") if one.get("class") == "claims-beside"]
    assert len(folds) == 1
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert not page.open


def test_no_line_grows_with_the_number_of_claims_or_of_their_cases():
    """To find a label, Quarto takes the square of the length of the lines before it."""
    cases = [case(0.6, True, experiment=f"sst2/reviews{i}") for i in range(200)]
    rows = [claim(f"B{i}", "holds", *cases) for i in range(2, 5)]
    shown = entries(*read(rows=rows))
    assert max(map(len, shown.splitlines())) < 20_000 < len(shown)


def test_an_entry_leads_to_its_evidence_and_its_source():
    links = [one["href"] for one in Page(entries(*read())).all("a")]
    assert "heads.html#fig-families" in links
    assert "heads.html#sec-limits" in links
    assert "#ref-abnar2020" in links
    assert "#ref-clark2019" in links
    assert "#ref-lecture" not in links
    assert "claims.html#claim-A10" in links


def test_what_only_a_reference_run_measured_leads_to_the_account_of_these_runs():
    kept = claim("B2", "holds", case(0.6, True, experiment="sst2/reviews"))
    both = claim("B3", "holds", *kept["cases"], case(0.6, True))
    links = [one["href"] for one in Page(entries(*read(rows=[kept, both]))).all("a")]
    assert links.count("provenance.html#sec-reference") == 1
    assert links.count("heads.html#fig-families") == 1


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([case(0.6, True, experiment="sst2/reviews"), case(0.1, False)], True),
        ([case(0.6, True, experiment="sst2/reviews"), case(0.6, True), case(0.1, False)], False),
        ([case(0.6, True, experiment="sst2/reviews")], False),
        ([case(0.6, True), case(0.1, False, experiment="sst2/reviews")], False),
    ],
    ids=["of one run", "of two runs", "all hold", "of this run"],
)
def test_where_only_a_reference_run_has_what_holds_it_is_named(cases, said):
    text = Page(entries(*read(rows=[claim("B1", "divided", *cases)]))).text
    assert ("All that hold are of the reference run sst2." in text) == said


KEPT = case(0.6, True, experiment="sst2/reviews")
OUTWEIGHED = case(0.55, None, decides=False)


@pytest.mark.parametrize(
    ("verdict", "this_run", "cases", "said"),
    [
        (
            "holds",
            "open",
            [KEPT, OUTWEIGHED],
            "All cases that decide are of reference runs; in this run alone, the claim is open.",
        ),
        (
            "holds",
            "not_tested",
            [KEPT],
            "the claim is not tested here, since this run has no experiment of that kind.",
        ),
        (
            "divided",
            "fails",
            [KEPT, case(0.1, False)],
            "In this run alone, the claim fails.",
        ),
        ("holds", "holds", [KEPT, OUTWEIGHED], None),
    ],
    ids=["outweighed", "measured by reference runs alone", "decided by both", "the same"],
)
def test_where_this_run_alone_says_otherwise_it_stands_beside_the_verdict(
    verdict, this_run, cases, said
):
    given = read(rows=[claim("B11", verdict, *cases, this_run=this_run, headline=True)])
    pages = [entries(*given), summary(*given)]
    (found,), _, w = given
    for text in (*(Page(page).text for page in pages), advice_of(found, w)):
        if said is None:
            assert "this run" not in text
        else:
            assert text.count(said) == 1


def between(low, high):
    return spread(low, high, ".2f", vocabulary())


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([case(-0.25, True)], [f"✓ holds \u22120.25 ({between(-0.35, -0.15)})", "> 0.50"]),
        (
            [case(0.25, True, "one", low=None, high=None), case(0.5, None, "two")],
            ["✓ holds 0.25 tiny, fine-tuned on reviews, one"],
        ),
        (
            [case(n, n < 0.5, "a") for n in (0.1, 0.4, 0.9)] + [case(0.5, None, "b")],
            [
                f"△ in part {between(0.1, 0.9)} tiny, fine-tuned on reviews, a",
                f"? open 0.50 ({between(0.4, 0.6)}) tiny, fine-tuned on reviews, b",
            ],
        ),
        (
            [case(0.6, True, "a"), case(0.1, None, "b", decides=False)],
            ["✓ holds 0.60", "shown beside"],
        ),
        # The range is that of the cases that decide.
        (
            [case(0.6, True, "a"), case(0.7, True, "a"), case(0.1, None, "a", decides=False)],
            [f"✓ holds {between(0.6, 0.7)}"],
        ),
        ([case(0.5, None, needed=1234)], ["? open: 1,234 texts would decide"]),
    ],
    ids=["one", "without interval", "parts", "one decides nothing", "range", "open"],
)
def test_an_entry_shows_the_values_of_its_cases(cases, said):
    text = Page(entries(*read(rows=[claim("B1", "holds", *cases)]))).text
    for expected in said:
        assert expected in text


def of_models(*outcomes):
    names = ("reviews", "agreement", "questions")
    return [
        {"encoder": "tiny", "trained": name, "outcome": outcome}
        for name, outcome in zip(names, outcomes, strict=False)
    ]


@pytest.mark.parametrize(
    ("cases", "models", "said"),
    [
        ([(0.5, True)], ["holds"], "holds; value 0.50"),
        ([(0.5, None), (0.5, None)], ["open", "open"], "open in both models; value 0.50"),
        (
            [(0.5, True), (0.4, False), (0.3, None)],
            ["holds", "fails", "open"],
            f"holds in 1, fails in 1, open in 1 of 3 models; value {between(0.3, 0.5)}",
        ),
        # Numbers of different parts have no common range.
        ([(0.5, True, "a"), (70, True, "b")], [], "holds in both cases"),
        # More texts of a model are no other model.
        ([(0.5, True), (0.6, True)], ["holds"], f"holds; value {between(0.5, 0.6)}"),
    ],
)
def test_models_are_counted_in_words_or_cases_where_there_is_none(cases, models, said):
    rows = [claim("B1", "open", *(case(*given) for given in cases), models=of_models(*models))]
    (one,), _, w = read(rows=rows)
    assert ledger.tally(one, w) == said


def test_an_entry_says_in_how_many_models_of_how_many_pretrained_ones_it_holds():
    trained = of_models("holds", "fails", "holds")
    rows = [
        claim("B1", "divided", case(0.6, True), models=trained),
        claim("B2", "holds", case(0.6, True), models=trained[:1]),
        claim("B3", "holds", case(0.6, True), models=[trained[0] | {"trained": None}]),
        claim("A1", "holds", case(0.6, True, experiment=None, variant=None), models=[]),
    ]
    found, _, w = read(rows=rows)
    told = [ledger.extent(one, w) for one in found if one.models]
    assert told[0] == "2 of 3 models, trained from one pretrained model"
    assert told[1:] == ["1 of 1 model"] * 2


def test_effects_of_many_models_are_ranges_before_a_table_of_all(monkeypatch):
    cases = [
        case(0.6, True, "a", model={"encoder": "tiny", "trained": None}),
        case(0.1, False, "b", model={"encoder": "tiny", "trained": None}),
        case(0.6, True, "a", "agreement", model={"encoder": "tiny", "trained": "agreement"}),
    ]
    models = [
        {"encoder": "tiny", "trained": None, "outcome": "partly"},
        {"encoder": "tiny", "trained": "agreement", "outcome": "holds"},
    ]
    rows = [claim("B1", "divided", *cases, models=models)]
    few = Page(entries(*read(rows=rows)))
    assert "claim-models" not in [one.get("class") for one in few.all("details")]
    monkeypatch.setattr("analysis.prose.claims.LISTED", 3)
    page = Page(entries(*read(rows=rows)))
    assert "claim-models" in [one.get("class") for one in page.all("details")]
    text = "".join(page.text.split())
    assert f"✓2holdsa:{between(0.6, 0.6)}".replace(" ", "") in text
    one, other = (
        f"{value}({between(*ends)})" for value, ends in ((0.6, (0.5, 0.7)), (0.1, (0, 0.2)))
    )
    one, other = "0.60" + one[3:], "0.10" + other[3:]
    assert f"tiny,aspretrained✓holds{one}✗fails{other}△inpart".replace(" ", "") in text
    assert f"tiny,fine-tunedonagreement✓holds{one}✓holds".replace(" ", "") in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_the_ledger_is_markup(language):
    rows = [
        claim(
            "B1",
            "fails",
            case(0.5, False, "a", experiment=HOSTILE),
            case(0.5, False, "b"),
            differs={"models": [HOSTILE], "experiments": [HOSTILE]},
            files=[HOSTILE],
            evidence=f"fig-{HOSTILE}",
            headline=True,
            other=True,
        ),
        claim("B2", "open", case(0.5, None)),
    ]
    names = ("B1_statement", "B1_published", "B1_rule", "needs_of_B1", "needs_of_B2")
    told = dict.fromkeys((*names, "conditions_larger", "case_a", "case_b"), HOSTILE)
    found, sources, w = read(language, rows, **told)
    for markup in (
        entries(found, sources, w),
        summary(found, sources, w),
        ledger.needs(found, w),
        ledger.by_claim({HOSTILE: found[:1]}, w),
    ):
        page = Page(markup)
        assert not page.open
        assert not page.all("script")
        assert HOSTILE in page.text
        assert "{{<" not in markup and "**" not in markup and "$x$" not in markup


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
    became = {one.outcome for one in found if one.kind == "measured"}
    counted = [re.search(r"verdict=(\w+)&kind=stake", link)[1] for link in links if "=" in link]
    assert counted == [outcome for outcome in OUTCOME_SIGNS if outcome in became]
    assert sum(map(int, re.findall(r"<b>(\d+)</b>", markup))) == sum(
        one.kind == "measured" for one in found
    )
    assert not [one for one in page.elements if "id" in one[1]]  # it stands on another page
    assert not [link for link in links if link.startswith("#")]


def test_needs_of_open_claims_come_first_and_the_others_are_folded():
    found, _, w = read()
    open_, _, folded = ledger.needs(found, w).partition("<details>")
    assert "what B8 takes" in open_ and "what B9 takes" in open_
    assert not re.search("what (B3|B10|A2) takes", open_)
    assert all(f"what {name} takes" in folded for name in ("B2", "B3", "B10"))
    assert "what A2 takes" not in folded  # tested as published


def test_the_same_need_is_listed_once():
    rows = [claim(f"B{i}", "not_tested", needs="of_B9") for i in (9, 10)]
    markup = ledger.needs(read(rows=rows)[0], vocabulary())
    assert markup.count("what B9 takes") == 1
    assert [one["href"] for one in Page(markup).all("a")] == [
        "claims.html#claim-B9",
        "claims.html#claim-B10",
    ]


# --- downloads ------------------------------------------------------------------------------------


def test_every_paper_that_claims_come_from_is_cited_on_their_page():
    """An entry of the ledger leads to #ref-KEY, which is there because the page cites it."""
    _, sources, w = read()
    said = w["claims_cited"].format(cited=cited(sources))
    papers = {key for key, source in sources.items() if source.title}
    assert papers and papers == set(re.findall(r"@(\w+)", said))


def test_sources_are_named_as_the_text_cites_them():
    _, sources, _ = read()
    assert sources["abnar2020"].short == "Abnar & Zuidema 2020"
    assert sources["yeh2023"].short == "Yeh et al. 2024"
    assert sources["lecture"] == Source("the lecture", None)
    assert "clark2019" in sources  # cited in a published value


def test_papers_of_the_same_people_and_year_are_told_apart():
    _, sources, _ = read(rows=[claim("B1", "not_tested", source=["chefer2021b", "chefer2021a"])])
    # By title, as the style of the text has it.
    assert sources["chefer2021a"].short == "Chefer et al. 2021b"
    assert sources["chefer2021b"].short == "Chefer et al. 2021a"


def test_a_source_that_the_bibliography_lacks_is_named():
    with pytest.raises(InputError, match="claim B1 has the source nobody1999, which"):
        read(rows=[claim("B1", "not_tested", source=["nobody1999"])])


def test_no_sign_reads_as_arithmetic_with_the_number_behind_it():
    """``✓ 3 < 1`` is three that hold and one that is smaller."""
    assert not set("<>=≤≥~≈±+-−×/÷|") & set("".join(OUTCOME_SIGNS.values()))
    assert len({*OUTCOME_SIGNS.values()}) == len(OUTCOME_SIGNS)
