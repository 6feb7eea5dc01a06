"""Sources of claims, cited as the text of the pages cites them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.paths import REPORT
from analysis.prose.claims import JudgedClaim
from attention_mixing.errors import InputError
from attention_mixing.messages import Words

# As in the text of the pages.
CITATION = re.compile(r"\[@([\w:.-]+)\]")


@dataclass(frozen=True)
class Source:
    """Source of a claim, as the text cites it.

    Attributes
    ----------
    short
        Authors and year, or the name of a study without a paper.
    title
        Title of the paper; None for such a study.
    """

    short: str
    title: str | None


Sources = Mapping[str, Source]
"""Key -> source."""


def sources(claims: Sequence[JudgedClaim], w: Words) -> dict[str, Source]:
    """Find every source that a claim or a text of it names, by its key.

    ``claims`` are all claims; ``w`` has the names of studies without a paper (``study_KEY``).

    Raises
    ------
    InputError
        If the bibliography lacks a key.
    """
    import pypandoc

    path, style = (str(REPORT / name) for name in ("references.bib", "assets/paper.csl"))
    entries = json.loads(pypandoc.convert_file(path, "csljson", format="biblatex"))
    titles = {entry["id"]: entry["title"] for entry in entries}
    studies = {key: f"study_{key}" for claim in claims for key in claim.source}
    unpublished = {key: Source(w[name], None) for key, name in studies.items() if name in w}
    named = {
        key: claim.id
        for claim in claims
        for key in (*claim.source, *CITATION.findall(claim.published))
        if key not in unpublished
    }
    for key, claim in named.items():
        if key not in titles:
            raise InputError(
                f"claim {claim} has the source {key}, which {path} lacks; add it there, or correct "
                "the key in report/rules.yaml"
            )
    citations = "\n\n".join(f"[@{key}]" for key in named)
    options = [f"--bibliography={path}", f"--csl={style}", "--metadata=suppress-bibliography:true"]
    options += ["--citeproc", "--wrap=none"]
    written = pypandoc.convert_text(citations, "plain", "markdown", extra_args=options)
    # (Authors, year)
    short = [" ".join(text.strip("()").rsplit(", ", 1)) for text in written.strip().split("\n\n")]
    cited = zip(named, short, strict=False)  # of no key there is one empty text
    return unpublished | {key: Source(text, titles[key]) for key, text in cited}


def cited(sources: Mapping[str, Source]) -> str:
    """Cite all papers, as Quarto and pandoc read citations."""
    keys = sorted(key for key, source in sources.items() if source.title)
    return f"[{'; '.join(f'@{key}' for key in keys)}]"
