"""The ledger as one file: it has a schema, both languages and the numbers of the page."""

import json
import re
from html import unescape

import pytest
from made_claims import LANGUAGES, case, claim, read, record
from pydantic import ValidationError

from analysis.chapters.claims.export import Ledger, exported
from analysis.prose.ledger import ledger
from analysis.prose.phrases import spread, written


def in_both(rows=None):
    """Return what the page has in each language, and the file as a program reads it."""
    read_in = {language: read(language, rows) for language in LANGUAGES}
    whole = exported(
        {language: claims for language, (claims, _, _) in read_in.items()},
        {language: sources for language, (_, sources, _) in read_in.items()},
        {row["id"]: row["claim"]["values"] for row in rows or record()},
        [],
    )
    return read_in, json.loads(whole.model_dump_json())


def test_it_is_of_its_schema_and_of_nothing_else():
    _, whole = in_both()
    assert Ledger.model_validate(whole).model_dump(mode="json") == whole
    whole["claims"][0]["verdict"] = "holds"
    with pytest.raises(ValidationError, match="verdict"):
        Ledger.model_validate(whole)


def test_every_claim_is_there_in_both_languages_with_its_sources():
    read_in, whole = in_both()
    assert [one["id"] for one in whole["claims"]] == [row["id"] for row in record()]
    for one in whole["claims"]:
        for language, (claims, _, _) in read_in.items():
            (shown,) = [claim for claim in claims if claim.id == one["id"]]
            assert one["statement"][language] == shown.statement
            assert one["published"][language] == shown.published
            assert one["rule"][language] == shown.rule
            assert one["outcome"] == shown.outcome
        assert one["source"] and {*one["source"]} <= whole["sources"].keys()
    assert whole["sources"]["lecture"]["cited"] == {"en": "the lecture", "ja": "講義"}


def test_its_numbers_are_those_of_the_page():
    read_in, whole = in_both()
    claims, sources, w = read_in["en"]
    markup, _ = ledger(claims, sources, None, [], {}, w)
    _, *entries = re.split(r'<li class="claim" id="claim-(\w+)"', unescape(markup))
    shown = dict(zip(entries[::2], entries[1::2], strict=True))
    assert any(one["effects"] for one in whole["claims"])
    for one in whole["claims"]:
        for effect in one["effects"]:
            value = written(effect["value"], ".2f")
            if effect["low"] is not None:
                ends = spread(effect["low"], effect["high"], ".2f", w)
                value = w["interval"].format(value=value, range=ends)
            assert value in shown[one["id"]], (one["id"], effect)


def test_effects_name_their_model_and_evidence_has_an_address():
    rows = [
        claim("B2", "holds", case(0.6, True), case(0.5, None, decides=False)),
        claim("B3", "holds", case(0.6, True, experiment="sst2/reviews")),
    ]
    _, whole = in_both(rows)
    here, kept = whole["claims"]
    assert [one["outcome"] for one in here["effects"]] == ["holds", "not_tested"]
    names = [one["name"] for one in here["models"]]
    assert [one["model"] for one in here["effects"]] == [*names, *names]
    assert (here["page"], kept["page"]) == (
        "heads.html#fig-families",
        "provenance.html#sec-reference",
    )
    assert kept["effects"][0]["reference_run"] == "sst2"
    assert here["data"] == ["results/summary/heads"] and "report/rules.yaml" in here["code"]
