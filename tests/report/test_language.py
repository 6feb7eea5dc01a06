"""Words and turns that a native reader stumbles over are not written, in either language."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from small_report import LANGUAGES, REPORT, ROOT

from analysis.prose.messages import words
from analysis.rules.rule import read

BETTER = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
BESIDE = {
    # Documentation and comments of the code are shown by pages.
    "en": [
        *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
        *sorted((ROOT / "attention_mixing").rglob("*.py")),
        *sorted((ROOT / "analysis").rglob("*.py")),
    ],
    "ja": [ROOT / "README.ja.md", ROOT / "attention_mixing" / "explorer" / "ja.ftl"],
}
NO_PROSE = re.compile(
    r"```.*?```|\$\$.*?\$\$|`[^`\n]*`|\]\([^)]*\)|\{\{<.*?>\}\}|\[@[^\]]*\]"
    r"|「[^」]*」"  # words of others
    r'|\[[^\]]*\]\{lang="\w+"\}',  # terms of the other language, in the glossary
    re.S,
)
KANA = re.compile(r"[\u3041-\u30ff]")


def prose(language: str) -> Iterator[tuple[Path, str]]:
    """Pages, messages, READMEs: each with its text, without code, formulas and links."""
    written = [path for end in ("qmd", "ftl") for path in (REPORT / language).rglob(f"*.{end}")]
    for path in [*BESIDE[language], *written]:
        yield path.relative_to(ROOT), NO_PROSE.sub("", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_thing_has_one_word_and_no_phrase_reads_translated(language):
    stumbles = [
        f"{path}: {line.strip()[:100]} ({better})"
        for path, text in prose(language)
        for better, phrase in BETTER[language].items()
        for line in text.splitlines()
        if re.search(phrase, line)
    ]
    assert not stumbles, "\n".join(stumbles)


@pytest.mark.parametrize(
    "path", sorted((REPORT / "en" / "messages").glob("*.ftl")), ids=lambda path: path.stem
)
def test_messages_are_in_the_language_of_the_page(path):
    """Alternative texts are sentences, so that the Japanese ones have kana."""
    assert not KANA.search(path.read_text(encoding="utf-8"))
    japanese = words("ja", path.stem)
    assert all(KANA.search(japanese[name]) for name in japanese if name.startswith("alt_"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_the_argument_has_more_than_two_measured_numbers(language):
    """Each variant of a message stands alone."""
    numbers = {name for rule in read(REPORT / "rules.yaml") for name in rule.numbers}
    crowded = []
    for path in (REPORT / language / "messages" / "findings").glob("*.ftl"):
        variants = re.split(r"\n(?=\w)|\n\s+\*?\[\w+\]", path.read_text(encoding="utf-8"))
        for sentence in re.split(r"\.(?=\s|$)|[。;；]", "。".join(variants)):
            said = re.findall(r"\{ ?\$(\w+?)(?:_range|_low|_high)? ?\}", sentence)
            if sum(name in numbers for name in said) > 2:
                crowded.append(f"{path.name}: {' '.join(sentence.split())[:120]}")
    assert not crowded, "\n".join(crowded)
