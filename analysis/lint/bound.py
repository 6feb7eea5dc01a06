"""What the paper says: of kept evidence it has to hold, and numbers are bound, never typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import yaml

from analysis.argument.evidence import Evidence
from analysis.argument.numbers import asked, read
from analysis.argument.page import PAGES, said
from analysis.argument.reproduced import faults
from analysis.paths import LANGUAGES, REPORT, ROOT
from attention_mixing.errors import InputError

WORDS: dict[str, dict[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "bound_words.yaml").read_text(encoding="utf-8")
)
# A block of findings, whose fence may be longer than those inside.
_BLOCK = re.compile(r"^(?P<fence>:{3,}) \{\.finding.*?\}$(?P<text>.*?)^(?P=fence)$", re.M | re.S)
# What is bound, or is no word: spans, notation, addresses, names.
_APART = re.compile(
    r'\[[^\[\]]*\]\{(?:(?:when|(?:\.interval )?n)="[^"]*"|\.term)\}|\{\{<.*?>\}\}|\$[^$]+\$'
    r"|`[^`]+`|\]\([^)]*\)|@[\w-]+|\{[#.][^}]*\}|\bSQuAD 2\.0"
)


def unbound(source: str, language: str) -> Iterator[tuple[int, str]]:
    """Say which numbers, quantifiers, units and comparatives of findings are typed by hand.

    Gives the line of each, and a sentence.
    """
    for block in _BLOCK.finditer(source):
        text = _APART.sub(lambda apart: re.sub(r"[^\n]", " ", apart[0]), block["text"])
        for kind, pattern in WORDS[language].items():
            for found in re.finditer(pattern, text):
                line = source.count("\n", 0, block.start("text") + found.start()) + 1
                yield (
                    line,
                    f"“{found[0]}” is a typed {kind}; bind it ([...]{{when=...}}, []{{n=...}}).",
                )


def lint() -> Iterator[str]:
    """Look at the pages that say what is claimed, and give a line a finding."""
    evidence, content = Evidence(), asked(REPORT / "paper.yaml")
    kept = read(content, evidence)
    used = {other for one in content.numbers.values() for other in one.difference or ()}
    for language, page_name in product(LANGUAGES, PAGES):
        path = ROOT / REPORT / language / f"{page_name}.qmd"
        source, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        page = said(source)
        used |= page.used
        for line, sentence in unbound(source, language):
            yield f"{name}:{line}: {sentence}"
        try:
            untrue = faults(kept, evidence, page)
        except InputError as error:
            untrue = [str(error)]
        yield from (f"{name}: {fault}; look at what it says." for fault in untrue)
    for number in sorted(kept.keys() - used - content.drawn):
        yield f"report/paper.yaml: {number} is used by no page; remove it."
