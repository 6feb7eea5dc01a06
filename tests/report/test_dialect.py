"""Every construct in the sources is one that the preview knows."""

import re
from pathlib import Path

import pytest
import yaml
from small_report import INDEX, REPORT, SECOND

from report.preview import dialect
from report.preview.page import Resolver

PAGES = sorted(REPORT.glob("*/*.qmd"))

KNOWN: dict[str, frozenset[str]] = {
    "shortcode": frozenset(Resolver.SHORTCODES),
    "div class": dialect.DIV_CLASSES | {dialect.CONDITIONAL},
    "span class": dialect.SPAN_CLASSES | {dialect.CONDITIONAL},
    "condition": frozenset({"when-meta", "unless-meta"}),
    # Entries of the glossary are linked as glossary.qmd#term-NAME, never numbered.
    "label": frozenset(dialect.REFERENCES) | {"term"},
    "reference": frozenset(dialect.REFERENCES),
    "front matter": dialect.FRONT_MATTER,
    "raw": frozenset(),
}


def constructs(source: str) -> dict[str, set[str]]:
    """Collect what a source uses, by kind of construct.

    This reads the text itself, not what pandoc makes of it, so that the check does not share a
    blind spot with the preview.
    """
    _, front_matter, body = source.split("---\n", 2)
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`(?!\{)|\$\$.*?\$\$", "", body, flags=re.M | re.S)
    attributes = {
        "div class": re.findall(r"^:::+ *\{(.*?)\}", prose, re.M),
        "span class": re.findall(r"\]\{(.*?)\}", prose),
    }
    return {
        "shortcode": set(re.findall(r"\{\{<\s*([\w-]+)", body)),
        "label": set(re.findall(r"\{#([a-z]+)-", body)),
        "reference": set(re.findall(r"@([a-z]+)-", prose)),
        "front matter": set(yaml.safe_load(front_matter)),
        "condition": set(re.findall(r"\b((?:when|unless)-\w+)=", prose)),
        "raw": set(re.findall(r"`\{=(\w+)\}|^<([a-z]\w*)", prose, re.M)),
        **{
            kind: {name for one in found for name in re.findall(r"(?<!\S)\.([\w-]+)", one)}
            for kind, found in attributes.items()
        },
        # ::: name, without braces, is a class too.
    } | {"bare div": set(re.findall(r"^:::+ *(\w+)", prose, re.M))}


def unknown(source: str) -> dict[str, set[str]]:
    """Return what of the constructs of a source is not part of the dialect."""
    rest = {
        kind: names - KNOWN.get(kind, frozenset()) for kind, names in constructs(source).items()
    }
    return {kind: names for kind, names in rest.items() if names}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_pages_use_only_what_the_preview_knows(page: Path):
    assert not unknown(page.read_text(encoding="utf-8"))


def test_the_example_of_the_tests_holds_every_construct():
    """What the preview claims to know is tried; callouts differ by their word only."""
    callouts = {f"callout-{kind}" for kind in dialect.CALLOUTS}
    index, second = constructs(INDEX), constructs(SECOND)
    for kind, known in KNOWN.items():
        assert known - callouts <= index[kind] | second[kind]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("{{< video a.mp4 >}}", "shortcode", "video"),
        ("::: {.column-margin}\nx\n:::", "div class", "column-margin"),
        ("::: aside\nx\n:::", "bare div", "aside"),
        ("[x]{.smallcaps}", "span class", "smallcaps"),
        ('[x]{.content-visible when-format="html"}', "condition", "when-format"),
        ("## T {#thm-a}", "label", "thm"),
        ("[@thm-a]", "reference", "thm"),
    ],
)
def test_an_unknown_construct_is_found(text, kind, name):
    assert unknown(f"---\ntitle: x\n---\n{text}\n") == {kind: {name}}


def test_unknown_front_matter_is_found():
    assert unknown("---\ntitle: x\nformat: pdf\n---\n") == {"front matter": {"format"}}
