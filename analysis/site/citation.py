"""How to cite the report, CITATION.cff and the same for BibTeX, and where it is published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

CITATION = Path("CITATION.cff")
COMMON = Path("report", "_common.yml")  # what the pages of both languages have in common


def citation() -> str:
    """``CITATION.cff`` as a block of code in Markdown."""
    return f"```yaml\n{CITATION.read_text(encoding='utf-8').strip()}\n```"


def authors() -> list[str]:
    """Names of the authors, as a page shows them."""
    return [
        author.get("name") or f"{author['given-names']} {author['family-names']}"
        for author in _content()["authors"]
    ]


def cited_as() -> str:
    """Return a reference to the report in one line: authors, year, title, version, address."""
    content = _content()
    released = f" ({str(content['date-released'])[:4]})" if "date-released" in content else ""
    by = f"{', '.join(authors())}{released}"
    address = content.get("doi") or content.get("repository-code") or content.get("url")
    parts = (by, content["title"], f"Version {content['version']}", address)
    return ". ".join(str(part) for part in parts if part)


def licence() -> str:
    """Name of the licence, as SPDX has it."""
    return str(_content()["license"])


def repository() -> str | None:
    """Address of the repository; None where the file names none."""
    return _content().get("repository-code")


def site_address(common: Path = COMMON) -> str | None:
    """Address at which the site is published, ``site-url``; None where it stays on this machine."""
    settings = yaml.safe_load(common.read_text(encoding="utf-8"))
    return settings["website"].get("site-url")


def _content() -> dict[str, Any]:
    return dict(yaml.safe_load(CITATION.read_text(encoding="utf-8")))


def bibtex() -> str:
    """Entry for BibTeX, made of ``CITATION.cff``, as a block of code in Markdown."""
    return f"```bibtex\n{entry(_content())}\n```"


def entry(content: dict[str, Any]) -> str:
    """Write the content of a citation file as an entry of BibTeX.

    Fields that the file does not have are left out. A title stands in double braces, or its
    capitals would be lost; so does the name of a group, or it would be taken apart.
    """
    authors = " and ".join(_author(author) for author in content["authors"])
    fields = {
        "author": authors,
        "title": f"{{{content['title']}}}",
        "year": str(content.get("date-released", ""))[:4],
        "version": content.get("version", ""),
        "doi": content.get("doi", ""),
        "url": content.get("repository-code", content.get("url", "")),
        "license": content.get("license", ""),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return "@software{attention-mixing-report,\n" + ",\n".join(lines) + "\n}"


def _author(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{author['name']}}}"
    return f"{author['family-names']}, {author['given-names']}"
