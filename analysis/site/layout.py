"""What a renderer finds beside the pages of a language: the results of the run, laid out.

The stage ``report`` lays them out in a copy of the pages. In the repository they are laid out
beside the pages themselves, by the scripts that Quarto runs before and after rendering, as
``python -m analysis.site.layout LANGUAGE before`` and ``... after``.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import yaml

from analysis.argument.reproduced import read_argument
from analysis.figures.chapter import FOLDED_FROM
from analysis.paths import (
    CHAPTERS,
    EXPLORER,
    FILES,
    FINDINGS,
    LANGUAGES,
    NOTEBOOK,
    NOTEBOOKS,
    PAGES,
    PROVENANCE,
    REPORT,
    SUMMARY,
)
from analysis.prose.argument import settings as paper_settings
from analysis.prose.messages import words
from analysis.remedies import REMEDIES
from analysis.results.circuits import kept_circuits
from analysis.results.evidence import evidence
from analysis.results.notes import GIVEN
from analysis.runs.parameters import run_parameters
from analysis.site.api import reference
from analysis.site.assets import shared_assets
from analysis.site.citation import authors, cited_as, licence, repository, site_address
from analysis.site.documents import PDFS, documents
from analysis.site.notebook_links import link_from_below
from analysis.site.search import write_index
from analysis.site.source.dialect import CHAPTER
from analysis.site.source.page import front_matter
from analysis.site.source.project import Project
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import InputError, require, told
from attention_mixing.settings.derived import drawn_nonlinear

VARIABLES, EVIDENCE = "_variables.yml", "_evidence.yml"
REFERENCE = "_api.md"  # which the page `api` shows
SHARED = "shared"
LAID_OUT = (NOTEBOOKS, FILES, SHARED, EXPLORER.name, VARIABLES, EVIDENCE, REFERENCE, *PDFS)
"""All that is laid out beside the pages; git and DVC ignore it there."""

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_BRACE = re.compile(r"\\[{}]")  # escaped


def lay_out(
    project: Path, language: str, *, quarto: bool, pdfs: Path | None, alone: bool = False
) -> dict[str, dict[str, str]]:
    """Put all that is laid out into the directory of a project.

    What is there already and the same is left as it is, so that a preview, which watches the
    files, does not begin anew; what an earlier run has left is removed.

    Parameters
    ----------
    project
        For example ``report/en``.
    language
        Language of the pages.
    quarto
        Whether variables are written as Quarto reads them: as Markdown.
    pdfs
        Directory of the PDFs of the pages, which may be made while these are rendered; None where
        there are none, and pages do not link to them.
    alone
        Whether the pages are rendered here alone, so that what the explorer of both languages loads
        lies beside them, and pages link to the other language only where it is published.

    Returns
    -------
    dict
        Numbers of every chapter's prose: chapter -> name -> text.

    Raises
    ------
    InputError
        If a page does not have the number of its place.
    """
    contents = _chapters(language)
    numbers = {
        Path(name).parent.name: read_artifact(path)
        for name, path in contents.items()
        if name.endswith("/numbers.json")
    }
    for chapter, stated in numbers.pop(FINDINGS.name, {}).items():
        numbers.setdefault(chapter, {}).update(stated)
    settings = _settings(project, language, pdfs is not None, alone)
    if note := contents.get(f"{FILES}/{FINDINGS.name}/{GIVEN}.json"):
        settings[GIVEN] = read_artifact(note)
    # A run that left no notes has no date.
    if day := numbers.get("provenance", {}).get("date"):
        settings["date"] = day
    written = {VARIABLES: as_markdown(numbers) if quarto else numbers, EVIDENCE: settings}
    files = {name: as_yaml(content).encode() for name, content in written.items()}
    files |= {f"{SHARED}/{name}": content for name, content in shared_assets(project).items()}
    files[REFERENCE] = _reference(project, language)
    made = {name: pdfs / name for name in PDFS} if pdfs else {}
    copied = contents | {name: path for name, path in made.items() if path.is_file()}
    if alone:
        loaded = (path for path in EXPLORER.rglob("*.js"))
        copied |= {str(Path(EXPLORER.name, path.relative_to(EXPLORER))): path for path in loaded}
    _write(project, files | {name: path.read_bytes() for name, path in copied.items()})
    require_numbers(project)
    return numbers


def require_numbers(project: Path) -> None:
    """Refuse a page whose front matter has another number than that of its place in the sidebar.

    Quarto counts on every page of a website anew, and takes the number of the chapter from there.
    The message has the line that is to stand there.
    """
    for number, name in enumerate(Project.read(project).pages, 1):
        page, line = project / f"{name}.qmd", f"{CHAPTER}: [{number}]"
        if front_matter(page)[0].get(CHAPTER) != [number]:
            raise InputError(
                f"{page} is page {number} of the sidebar; write `{line}` into its front matter, so "
                "that Quarto numbers its figures as the PDF does."
            )


def _chapters(language: str) -> dict[str, Path]:
    """Notebooks, and what they wrote for the pages: name beside the pages -> file."""
    executed = sorted(CHAPTERS.glob(f"[!.]*/{language}"))
    executed += [
        directory for beside in (FINDINGS, PROVENANCE) for directory in beside.glob(language)
    ]
    laid_out = {}
    for name, directory in {directory.parent.name: directory for directory in executed}.items():
        read_artifact(directory / NOTEBOOK)  # a damaged one is named as it lies here
        for path in sorted(filter(Path.is_file, directory.rglob("*"))):
            if path == directory / NOTEBOOK:
                laid_out[f"{NOTEBOOKS}/{name}.ipynb"] = path
            else:
                laid_out[f"{FILES}/{name}/{path.relative_to(directory)}"] = path
    return laid_out


# Languages are laid out side by side, and Python 3.11 makes syntax trees of one thread alone
# ("AST constructor recursion depth mismatch").
_PARSING = Lock()


def _reference(project: Path, language: str) -> bytes:
    """Write the reference of the library, with headings in the words of the pages."""
    words = yaml.safe_load((project / "_quarto.yml").read_text(encoding="utf-8"))["api"]
    with _PARSING:
        return reference(words, language, repository()).encode()


def _settings(project: Path, language: str, has_pdf: bool, alone: bool) -> dict[str, Any]:
    """Tell the pages what this run has, who made it and where it and the other language are."""
    w, params = words(language), run_parameters()
    focus = params.report.focus
    settings: dict[str, Any] = {
        "has": evidence(params.experiments, focus.experiment)
        | {
            "pdf": has_pdf,
            "argued": not read_argument()["missing"],
            "words": bool(focus.words),
            "nonlinear": drawn_nonlinear(params.geometry.nonlinear, focus.experiment),
            "explorer": bool(read_artifact(EXPLORER / "index.json", list[Any])),
            "changed-score": read_artifact(EXPLORER / "score.json", dict[str, Any] | None)
            is not None,
            "kept-circuits": kept_circuits() is not None,
            "unstated-licence": bool(read_artifact(EXPLORER / "unstated.json", list[Any])),
        },
        "paper": paper_settings(read_argument(), language),
        "pdfs": {
            page: name
            for name, pages in documents([path.stem for path in project.glob("*.qmd")]).items()
            for page in pages
        },
        "author": authors(),
        "cited-as": cited_as(),
        "licence": licence(),
        "search-words": {
            **{key: w[key] for key in ("label", "found", "without")},
            "quoted": w["quoted_word"],
        },
        "long-tables": {"from": FOLDED_FROM, "summary": w["rows"]},
    }
    website: dict[str, Any] = {}
    links = []
    common = project.parent / "_common.yml"
    published = (site_address(common) or "").rstrip("/")
    if published:
        settings["site-root"] = published
        website["site-url"] = f"{published}/{language}"
    if published or not alone:
        names = yaml.safe_load(common.read_text(encoding="utf-8"))["language-names"]
        links += language_links(names, language, published if alone else "..")
    # Search engines are told of the addresses, which are absolute where they are known.
    languages = LANGUAGES if published or not alone else ()
    settings["languages"] = [
        {"lang": one, "directory": f"{published or '..'}/{one}"} for one in languages
    ]
    if address := repository():
        website |= {"repo-url": address, "repo-subdir": f"{REPORT}/{language}"}
        website["repo-actions"] = ["source", "issue"]
        links.append({"text": w["repository"], "href": address, "rel": "external"})
    if links:
        website["navbar"] = {"right": links}
    return settings | ({"website": website} if website else {})


def language_links(names: Mapping[str, str], language: str, root: str) -> list[dict[str, str]]:
    """Link to the front pages of the other languages, whose directories lie in ``root``.

    ``names`` of languages are each in itself.
    """
    return [
        {"text": names[other], "href": f"{root}/{other}/index.html"}
        for other in LANGUAGES
        if other != language
    ]


def as_yaml(content: object) -> str:
    """Write YAML in which every text is in quotes.

    Readers differ in what is a text without them: to pandoc, ``Y`` is a truth value.
    """
    return str(yaml.dump(content, Dumper=_Quoting, allow_unicode=True, width=10_000))


class _Quoting(yaml.SafeDumper):
    """Writes texts in quotes."""


_Quoting.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def as_markdown(numbers: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Write numbers so that Quarto, which reads its variables as Markdown, shows them as they are.

    Punctuation is escaped. Once that is read, Quarto looks for shortcodes in each run of letters,
    so every brace is a span of its own: a text never holds the two that begin or end one.
    """
    return {
        chapter: {
            name: _BRACE.sub(r"[\g<0>]{}", _PUNCTUATION.sub(r"\\\g<0>", value))
            for name, value in values.items()
        }
        for chapter, values in numbers.items()
    }


def _write(project: Path, contents: Mapping[str, bytes]) -> None:
    """Make what is laid out in a directory these contents, by their names, and nothing else."""
    for name, content in contents.items():
        path = project / name
        if not (path.is_file() and path.read_bytes() == content):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for entry in LAID_OUT:
        for path in (project / entry, *(project / entry).rglob("*")):
            if path.is_file() and path.relative_to(project).as_posix() not in contents:
                path.unlink()


def before(project: Path, language: str) -> None:
    """Lay out beside the pages what Quarto is about to render.

    Raises
    ------
    InputError
        If there was no run.
    """
    for results in (SUMMARY, CHAPTERS, FINDINGS, PROVENANCE):
        if not results.is_dir():
            raise InputError(
                f"{results}, which the pages show, is not there; run `make repro` first."
            )
    made = PAGES / language
    pdfs = made if all((made / name).is_file() for name in PDFS) else None
    lay_out(project, language, quarto=True, pdfs=pdfs, alone=True)


def after(project: Path, language: str) -> None:
    """Write the index of the search over the pages that Quarto has rendered up to now.

    For a front page that is not among them it leaves one that leads to another page. Notebooks
    there show and link to what the pages do.
    """
    site = project / "_site"
    for notebook in sorted((site / NOTEBOOKS).glob("*.ipynb")):
        link_from_below(notebook)
    rendered = {
        page.stem
        for page in site.glob("*.html")
        if "quarto-document-content" in page.read_text(encoding="utf-8")
    }
    write_index(site, [name for name in Project.read(project).pages if name in rendered])


STEPS = {"before": before, "after": after}

if __name__ == "__main__":
    with told(REMEDIES):
        if len(sys.argv) != 3:
            raise InputError(
                f"analysis.site.layout is given {' '.join(sys.argv[1:]) or 'nothing'}; allowed: "
                f"one of the languages ({', '.join(LANGUAGES)}) and one of the steps "
                f"({', '.join(STEPS)})."
            )
        for argument, (kind, allowed) in zip(
            sys.argv[1:], {"languages": LANGUAGES, "steps": STEPS}.items(), strict=True
        ):
            require(argument, kind, allowed)
        STEPS[sys.argv[2]](REPORT / sys.argv[1], sys.argv[1])
