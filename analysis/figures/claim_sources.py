"""Chapter *claims*: where claims come from, as the text cites it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import InputError
from analysis.figures.claims import Claim
from analysis.figures.words import Words
from analysis.paths import REPORT

# As in the text of the pages.
CITATION = re.compile(r"\[@([\w:.-]+)\]")


@dataclass(frozen=True)
class Source:
    """Where a claim comes from, as the text cites it.

    Attributes
    ----------
    short
        Authors and year, or the name of a study without a paper.
    title
        Of the paper; None for such a study.
    """

    short: str
    title: str | None


def sources(
    found: Sequence[Claim],
    w: Words,
    path: Path = REPORT / "references.bib",
) -> dict[str, Source]:
    """Find every source that a claim or a text of it names.

    Parameters
    ----------
    found
        All claims.
    w
        With the names of studies without a paper (``study_KEY``).
    path
        Of the bibliography.

    Returns
    -------
    dict
        Key -> source.

    Raises
    ------
    InputError
        If the bibliography lacks a key.
    """
    import pypandoc

    written = pypandoc.convert_file(str(path), "csljson", format="biblatex")
    entries = {entry["id"]: entry for entry in json.loads(written)}
    studies = {key: f"study_{key}" for one in found for key in one.source}
    known = {key: Source(w[name], None) for key, name in studies.items() if name in w}
    cited = {
        key: one.id
        for one in found
        for key in (*one.source, *CITATION.findall(one.published))
        if key not in known
    }
    for key, claim in cited.items():
        if key not in entries:
            raise InputError(
                f"claim {claim} has the source {key}, which {path} lacks; add it there, or correct "
                "the key in report/rules.yaml"
            )
    short = {key: _short(entries[key]) for key in cited}
    for text, count in Counter(short.values()).items():
        # Papers of the same people in the same year.
        if count > 1:
            group = [key for key in entries if short.get(key) == text]
            short |= {key: text + letter for key, letter in zip(group, "abcdefgh", strict=False)}
    return known | {key: Source(text, entries[key]["title"]) for key, text in short.items()}


def cited(sources: Mapping[str, Source]) -> str:
    """Cite all papers, as Quarto and pandoc read citations."""
    keys = sorted(key for key, source in sources.items() if source.title)
    return f"[{'; '.join(f'@{key}' for key in keys)}]"


def _short(entry: Mapping[str, Any]) -> str:
    """Write authors as the text of the report does (report/assets/paper.csl), and the year."""
    names = [
        " ".join(
            part
            for part in (one.get("non-dropping-particle"), one.get("family") or one.get("literal"))
            if part
        )
        for one in entry.get("author", [])
    ]
    authors = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    year = entry["issued"]["date-parts"][0][0] if "issued" in entry else ""
    return " ".join(str(part) for part in (authors, year) if part)
