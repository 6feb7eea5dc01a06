"""Words and turns that a native reader stumbles over are not written, in either language."""

import re
from pathlib import Path

import pytest

from analysis.rules.rule import read

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "report"

# What the report calls otherwise, or what only a translation would say.
ENGLISH = {
    r"\bAs to\b": "a fronted topic; make it the subject",
    r"\bat their word\b": "over-counts",
    r"\bnothing to say\b": "nothing relevant to attend to",
    r"\b[Ww]hoever\b": "name the reader or the effect",
    r"\bthat number is arithmetic\b": "this follows from the definition",
    r"\blooks right is none\b": "plausibility is not such a test",
    r"\bno weak form\b": "“open” is not weak support",
    r"\bOutright hold\b": "put the subject first",
    r"\ba way of its own\b": "a separate path",
    r"\bcould be any others\b": "have no effect",
    r"\bhardly an\b": "no clear",
    r"\bthe way from the nearest\b": "ranks among the nearest",
    r"\bDoes the data ask\b": "do unsupervised clusters recover them",
    r"\bin no time\b": "name the time",
    r"\bspeaks? for (them|itself|a number)\b": "name the evidence",
    r"\bplanted (words|evidence) found\b": "say which method ranks them",
    r"\bNone says how\b": "these intervals do not extend to",
    r"\binasmuch\b|\btherein\b|\bthereof\b|\bwherein\b": "plain words",
}
JAPANESE = {
    "事例": "判定単位",
    "公表(?!されていない)": "既報、報告値、原論文の条件",
    "特徴を読む点": "観測点",
    "機械(?!学習|翻訳)": "計算機",
    "埋め込まれた根拠": "仕込んだ根拠",
    "本文のトークン": "通常のトークン",
    "額面どおり": "過大に見積もる",
    "[をはがもど](語る|語らない|語って)": "示す、反映する、判断できない",
    "算術にすぎない": "定義から決まる",
    "；": "句点か接続詞",
    "[一二三四五六七八九]分の[一二三四五六七八九]|[一二三四五六七八九]割": "0.5、30%、1/3",
    "(?<![部半自充])分か[るりらっ]": "わかる",
    "(?<![自その])他[のにはと](?!方)": "ほか",
    "言え[るなば]": "いえる",
    "閾値": "しきい値",
    r"\d ?%?[–—]\d": "範囲は 〜",
    r"(?<![\d.])0 個": "なかった",
    r"(\d+) 層のうち \1 層": "すべての層",
}


def written(language):
    """Pages, words and READMEs of a language, line by line; code, formulas and links left out."""
    readme = {"en": ["README.md", "CONTRIBUTING.md"], "ja": ["README.ja.md"]}[language]
    files = [*(ROOT / name for name in readme), *(REPORT / language).rglob("*.qmd")]
    for path in [*files, *(REPORT / language / "messages").glob("*.ftl")]:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.S)
        text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|\{\{<.*?>\}\}|\[@[^\]]*\]", "", text)
        # The terms of the other language, in the glossary.
        text = re.sub(r"\[[^\]]*\]\{lang=\"\w+\"\}", "", text)
        for line in text.splitlines():
            yield path.relative_to(ROOT), line


@pytest.mark.parametrize(("language", "lint"), [("en", ENGLISH), ("ja", JAPANESE)])
def test_no_phrase_is_written_that_reads_translated(language, lint):
    stumbles = [
        f"{path}: {line.strip()[:100]} ({better})"
        for path, line in written(language)
        for phrase, better in lint.items()
        if re.search(phrase, line)
    ]
    assert not stumbles, "\n".join(stumbles)


def test_the_code_is_written_in_the_same_english():
    """Documentation and comments of the code, which pages show."""
    stumbles = []
    for path in (ROOT / "analysis").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found = [phrase for phrase in ENGLISH if re.search(phrase, text)]
        stumbles += [f"{path.relative_to(ROOT)}: {phrase}" for phrase in found]
    assert not stumbles, "\n".join(stumbles)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_sentence_of_the_argument_has_more_than_two_measured_numbers(language):
    """Each variant of a message stands alone."""
    numbers = {name for rule in read(REPORT / "rules.yaml") for name in rule.numbers}
    crowded = []
    for path in (REPORT / language / "messages").glob("*.ftl"):
        stated = path.read_text(encoding="utf-8").partition("\n## Findings\n")[2]
        for message in re.split(r"\n(?=\w)", stated.partition("\n## ")[0]):
            for variant in re.split(r"\n\s+\*?\[\w+\]", message):
                for sentence in re.split(r"\.(?=\s|$)|[。;；]", variant):
                    said = re.findall(r"\{ ?\$(\w+?)(?:_range|_low|_high)? ?\}", sentence)
                    if sum(name in numbers for name in said) > 2:
                        crowded.append(f"{path.name}: {' '.join(sentence.split())[:120]}")
    assert not crowded, "\n".join(crowded)
