"""The pages in both languages: the same skeleton, and free of the traps of their sources."""

import re

import pandas as pd
import pytest
import yaml
from small_report import (
    LANGUAGES,
    NAMES,
    PAGES,
    REPORT,
    ROOT,
    config,
    listed_pages,
    read_page,
    source,
)

from analysis.results.evidence import evidence
from report.preview.conditions import opening_bracket, shown_parts


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]+`", "", text, flags=re.M | re.S)


def found(pattern: str, text: str) -> list[str]:
    return re.findall(pattern, text, re.M)


# Parity -----------------------------------------------------------------------------------------


def test_both_languages_list_the_pages_in_the_same_order_and_name_the_same_words():
    assert listed_pages("en") == listed_pages("ja")
    assert config("en")["language"].keys() == config("ja")["language"].keys()


SKELETON = {
    "levels": r"^(#+) .*\{#",
    "labels": r"\{#([a-z]+-[\w-]+)",
    "embeds": r"\{\{<\s*embed\s+(\S+)",
    "divs": r"^:::+ *\{\.(.+?)\}",
}
# Word order differs between the languages, so of these only the set is compared.
USED = {
    "variables": r"\{\{<\s*var\s+(\S+)",
    "references": r"@([a-z]+-[\w-]+)",
    "citations": r"@([a-z]+\d{4}\w*)",
    "conditions": r"((?:when|unless)-meta=\S+)\}",
    "links": r"\]\((\w+\.qmd[^)]*|report\.pdf)\)",
}


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_skeleton_and_use_the_same(name):
    english, japanese = (source(language, name) for language in LANGUAGES)
    for kind, pattern in SKELETON.items():
        assert found(pattern, english) == found(pattern, japanese), kind
    for kind, pattern in USED.items():
        assert set(found(pattern, english)) == set(found(pattern, japanese)), kind


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_every_section_has_an_id(language, name):
    prose = without_code(source(language, name))
    # Headings within callouts and tabsets are titles, not sections.
    prose = re.sub(r"^:::+ *\{\.(callout|panel).*?^:::+$", "", prose, flags=re.M | re.S)
    assert not [line for line in found(r"^##+ .*$", prose) if "{#sec-" not in line]


# Traps ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_references_stand_in_brackets(language, name):
    """`図@fig-aを` is no reference to pandoc and ` @fig-aを` swallows the kana: `[@fig-a]`."""
    prose = re.sub(r"\[[^\]]*\]", "", without_code(source(language, name)))
    assert not found(r"@(?:fig|tbl|eq|sec|lst)-\S+", prose)


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_conditional_spans_keep_their_spaces(language, name):
    """Spaces at its ends are lost, and `[@fig-a][x]{...}` is a link: its brackets would show."""
    prose = without_code(source(language, name))
    assert not found(r".{0,20}\]\[.{0,20}", prose)
    assert not found(r".{0,20}\s\]\{\.content-visible", prose)
    for closing in re.finditer(r"\]\{\.content-visible", prose):
        assert not prose[opening_bracket(prose, closing.start()) + 1].isspace()


def test_readme_has_no_emphasis_that_commonmark_leaves_open():
    """`**「強調」**です` shows its asterisks on code hosts; write `「**強調**」です`."""
    readme = ROOT / "README.ja.md"
    assert not found(r"\*\*[「『（].*", readme.read_text(encoding="utf-8"))


def conditions() -> set[str]:
    """Names of what pages may ask for, from a run that has nothing."""
    nothing = pd.DataFrame({"mean": [], "asked": [], "experiment": [], "variant": []})
    with pytest.MonkeyPatch.context() as patch:
        for reader in ("curves", "overall", "table"):
            patch.setattr(f"{evidence.__module__}.{reader}", lambda *_, **__: nothing)
        patch.setattr(f"{evidence.__module__}.other_runs", list)
        return set(evidence({}, ""))


CONDITIONS = conditions() | {"explorer", "pdf", "words"}  # which the layout adds


def test_every_condition_is_asked_for_by_both_languages():
    for language in LANGUAGES:
        text = "".join(source(language, name) for name in NAMES)
        assert set(found(r"(?:when|unless)-meta=\"has\.([\w-]+)\"", text)) == CONDITIONS


# Part of a definition, not of a result: counts, what guessing gives, a tenth as 10%.
ALLOWED_NUMBERS = {"0", "1", "2", "0.5", "10"}
ALLOWED_NAMES = ["SQuAD 2.0"]


def numerals(text: str) -> set[str]:
    """Return the numbers that are typed in the prose of a source."""
    for ignored in (
        r"\A---\nnumber-offset: \[\d+\]$",  # number of the page, which is its place in the sidebar
        r"^```.*?^```$",  # code
        r"`[^`\n]+`",
        r"\$\$.*?\$\$",  # mathematics
        r"\$[^$\n]+\$",
        r"\{\{<.*?>\}\}",  # variables
        r"\]\([^)]*\)",  # targets of links
        r"\{[#.=][^}]*\}",  # attributes
        r"@[\w:-]+",  # citations and references
        r"^ *\d+\. ",  # items of a list
        *map(re.escape, ALLOWED_NAMES),
    ):
        text = re.sub(ignored, " ", text, flags=re.M | re.S)
    # A digit within a name (GPT-2, L6) belongs to the name.
    return set(re.findall(r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)\d+(?:[.,]\d+)*", text))


@pytest.mark.parametrize(("language", "name"), PAGES)
def test_no_result_is_typed(language, name):
    """A numeral in prose comes from a variable, so that it cannot outlive the run it came from.

    Numerals in code, formulas, links, citations and names are left alone, and so are the few
    constants in `ALLOWED_NUMBERS`. Number words (three layers, 三層) are not looked at: use them
    for what is true by definition, never for a result.
    """
    assert numerals(source(language, name)) <= ALLOWED_NUMBERS


# Experiments are called as a run calls them ------------------------------------------------------

EXPERIMENTS = "|".join(yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))["experiments"])
# No English word is one of these in a Japanese sentence, unless it names a grammar.
TYPED = {
    "en": rf"\b[Ee]xperiments? [*`“]?(?:{EXPERIMENTS})\b",
    "ja": rf"(?<!文法 )(?<![\w-])(?:{EXPERIMENTS})(?![\w-])",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_names_an_experiment(language):
    """A run may have others; their names come from its results."""
    for path in (REPORT / language).rglob("*.*"):
        if path.suffix not in {".qmd", ".ftl"}:
            continue
        text = re.sub(r"^\w[\w-]* = ", "", path.read_text(encoding="utf-8"), flags=re.M)
        typed = found(
            TYPED[language], re.sub(r"\{[^\n]*?\}|\]\(\S+?\)|@[\w-]+", "", without_code(text))
        )
        assert not typed, path


def test_no_figure_is_of_an_experiment_by_name():
    rooms = ("figures", "prose", "results", "notebooks")
    for path in (path for room in rooms for path in (ROOT / "analysis" / room).glob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert not found(rf"experiment.*[\"'](?:{EXPERIMENTS})[\"']", source), path


# Links ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evidence", [True, False], ids=["all", "nothing"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_references_and_links_have_somewhere_to_land(language, evidence):
    """With all that the pages can show, and without what a run need not have."""
    shown = {}
    for name in NAMES:
        text = without_code(source(language, name))
        parts = shown_parts(text, lambda key: evidence)
        shown[name] = "".join(text[start:end] for start, end in parts)
    labels = {name: set(found(r"\{#([\w-]+)", text)) for name, text in shown.items()}
    for name, text in shown.items():
        referred = set(found(r"@((?:fig|tbl|sec|eq|lst)-[\w-]+)", text))
        assert referred <= set().union(*labels.values())
        for page, anchor in found(r"\]\((?:(\w+)\.qmd)?(?:#([\w-]+))?\)", text):
            assert not anchor or anchor in labels[page or name]
            assert (page or name) in NAMES


def test_the_choice_of_language_needs_no_script():
    page = read_page(REPORT / "index.html")
    assert [link.attributes["href"] for link in page.all("a")] == [
        f"{language}/index.html" for language in LANGUAGES
    ]
