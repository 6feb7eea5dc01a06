"""Findings can be said in both languages, whatever the outcome and the numbers."""

import re
from itertools import product
from pathlib import Path

import pytest

from analysis.lint.written import chosen_by, messages_of
from analysis.prose.messages import MESSAGES, sentences, words

SECTION = "\n## Sentences of the notebook\n"
FILES = sorted(
    path.relative_to(MESSAGES / "en" / "messages").as_posix()
    for path in (MESSAGES / "en" / "messages").rglob("*.ftl")
    if path.parent.name == "findings" or SECTION in path.read_text(encoding="utf-8")
)
WHOLE_SENTENCES = {"advice", "claims_cited", "geometry_change_shares"}


def parsed(file, language):
    """Sentences of a file by their names."""
    said = (MESSAGES / language / "messages" / file).read_text(encoding="utf-8")
    if not file.startswith("findings/"):
        said = said.partition(SECTION)[2].partition("\n## ")[0]
    return messages_of(said)


def options(chosen):
    """What may be given where one of these outcomes is chosen."""
    return [one for key in chosen for one in ((0, 1, 2) if key == "a number" else (key,))] or ["…"]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("file", FILES)
def test_every_variant_of_a_finding_can_be_said(file, language):
    page = Path(file).stem
    w = sentences(language, page) if file.startswith("findings/") else words(language, page)
    messages = parsed(file, language)
    assert messages
    for name, message in messages.items():
        choices = chosen_by(message, messages)
        for values in product(*map(options, choices.values())):
            arguments = dict(zip(choices, values, strict=True))
            for said in (name, *(f"{name}.{one}" for one in w.attributes(name))):
                text = w.say(said, **arguments)
                assert text.strip()
                assert not {"{", "}", "$"} & set(text)
                assert not re.search(r" 。|、。|\.\.", text)
                # The page has the stop.
                assert text[-1] not in ".。" or {page, name} & WHOLE_SENTENCES
                if any(map(str.isalpha, text)):  # else it only joins what it is given
                    assert bool(re.search("[ぁ-んァ-ヶ一-龠]", text)) == (language == "ja")
