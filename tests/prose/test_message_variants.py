"""Findings can be said in both languages, whatever the outcome and the numbers."""

import re
from itertools import product
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from analysis.prose.messages import MESSAGES, sentences, words

SECTION = "\n## Sentences of the notebook\n"
FILES = sorted(
    path.relative_to(MESSAGES / "en" / "messages").as_posix()
    for path in (MESSAGES / "en" / "messages").rglob("*.ftl")
    if path.parent.name == "findings" or SECTION in path.read_text(encoding="utf-8")
)
WHOLE_SENTENCES = {"advice", "claims_cited", "geometry_change_shares"}


class Choices(Visitor):
    """Arguments of a message and of those it refers to, each with the values that choose by it."""

    def __init__(self, message, messages):
        self.values = {}
        self._messages = messages
        self.visit(message)

    def visit_VariableReference(self, node):
        self.values.setdefault(node.id.name, set())

    def visit_MessageReference(self, node):
        if node.id.name in self._messages:  # else it is of another file, such as a shared word
            self.visit(self._messages[node.id.name])

    def visit_SelectExpression(self, node):
        chosen = self.values.setdefault(node.selector.id.name, set())
        for variant in node.variants:
            if isinstance(variant.key, ast.NumberLiteral) or variant.key.name in ("one", "other"):
                chosen |= {0, 1, 2}
            else:
                chosen.add(variant.key.name)
        self.generic_visit(node)


def parsed(file, language):
    """Sentences of a file by their names."""
    said = (MESSAGES / language / "messages" / file).read_text(encoding="utf-8")
    if not file.startswith("findings/"):
        said = said.partition(SECTION)[2].partition("\n## ")[0]
    body = FluentParser().parse(said).body
    return {entry.id.name: entry for entry in body if isinstance(entry, ast.Message)}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("file", FILES)
def test_every_variant_of_a_finding_can_be_said(file, language):
    page = Path(file).stem
    w = sentences(language, page) if file.startswith("findings/") else words(language, page)
    messages = parsed(file, language)
    assert messages
    for name, message in messages.items():
        choices = Choices(message, messages).values
        for values in product(*(chosen or {"…"} for chosen in choices.values())):
            text = w.say(name, **dict(zip(choices, values, strict=True)))
            assert text.strip()
            assert not {"{", "}", "$"} & set(text)
            assert not re.search(r" 。|、。|\.\.", text)
            # The page has the stop.
            assert text[-1] not in ".。" or {page, name} & WHOLE_SENTENCES
            if any(map(str.isalpha, text)):  # else it only joins what it is given
                assert bool(re.search("[ぁ-んァ-ヶ一-龠]", text)) == (language == "ja")
