"""The stage parameters: what later stages read of parameters and rules, and nothing else."""

import json
from pathlib import Path

import pytest
import yaml

from analysis.parameters import load
from analysis.rules.selection import Texts
from analysis.stages.parameters import parameters

ASKED = {"measure": "mixing", "quantity": "ratio", "where": {"subject": "attn_w"}}
CASE = {"texts": ASKED, "holds": {"above": 0.1, "effect": 0.5}}
RULE = {"id": "mixing.ratio", "variants": ["pretrained"], "cases": [CASE]}


@pytest.fixture
def note(root, here):
    """Write the note of some rules, and read what they ask."""
    loaded = load(root / "params.yaml")
    (here / "report").mkdir()

    def noted(*rules: dict) -> str:
        text = yaml.safe_dump(list(rules))
        Path("report", "rules.yaml").write_text(text, encoding="utf-8")
        parameters(loaded)
        return Path("results", "parameters", "asked.json").read_text(encoding="utf-8")

    return noted


def test_what_rules_ask_of_texts_is_noted_once(note):
    other = ASKED | {"minus": {"where": {"subject": "attn_n"}}}
    when = {"texts": ASKED | {"layers": "last"}, "holds": {"above": 0}}
    more = {"id": "features.ratio", "variants": ["pretrained"], "cases": [CASE | {"when": when}]}
    more |= {"numbers": {"less": {"texts": other}}}
    found = json.loads(note(RULE, more))
    questions = [ASKED, other, when["texts"]]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, questions))
    names = [Texts.model_validate(one).name for one in found]
    assert names == sorted(names)


@pytest.mark.parametrize(
    "edited",
    [
        RULE | {"cases": [CASE | {"holds": {"above": 0.2, "effect": 0.4}}]},
        RULE | {"id": "features.ratio"},
        RULE | {"cases": [CASE | {"name": "weights"}], "form": ".0%"},
        RULE | {"cases": [], "numbers": {"ratio": {"texts": ASKED}}},
    ],
    ids=["margin", "chapter", "name", "number"],
)
def test_an_edited_rule_that_asks_nothing_new_leaves_the_note_as_it_was(note, edited):
    assert note(edited) == note(RULE)


def test_a_new_question_is_noted(note):
    new = CASE | {"texts": ASKED | {"layers": "last"}}
    assert note(RULE | {"cases": [new]}) != note(RULE)
