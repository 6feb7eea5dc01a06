"""Render both languages of the site, with Quarto when it is installed, else with pandoc."""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import yaml

from analysis.artifacts import read_artifact
from analysis.errors import InputError
from analysis.figures.chapter import FOLDED_FROM
from analysis.figures.citation import authors
from analysis.figures.evidence import evidence
from analysis.figures.words import words
from analysis.params import Params
from analysis.paths import CHAPTERS, LANGUAGES, NOTEBOOK, PAGES, PROVENANCE, REPORT
from analysis.stage import replacing, run

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_BRACE = re.compile(r"\\[{}]")  # escaped


def report(params: Params) -> None:
    """Write ``results/pages/LANGUAGE`` from ``report/LANGUAGE`` and what the notebooks made.

    They hold the same as one PDF, ``report.pdf``.
    """
    quarto = find_quarto(params.report.renderer)
    with replacing(PAGES) as pages, ThreadPoolExecutor(len(LANGUAGES)) as pool:
        pages.mkdir()
        list(pool.map(lambda name: render(params, name, pages / name, quarto), LANGUAGES))


def render(params: Params, language: str, site: Path, quarto: str | None) -> None:
    """Write the pages of a language into ``site``, by Quarto at a path or by pandoc."""
    from report import preview
    from report.paper import write_pdf
    from report.preview.project import Project
    from report.preview.search import write_index

    # Pages and PDF are rendered at the same time and say by what, by the shortcode `env`.
    environment = os.environ | {"REPORT_RENDERER": renderer_name(quarto)}
    with tempfile.TemporaryDirectory() as scratch:
        project, paper = assemble(language, Path(scratch)), Path(scratch) / "report.pdf"
        numbers = read_numbers(project)
        # A run that left no notes has no date.
        date = {"date": day} if (day := numbers.get("provenance", {}).get("date")) else {}
        # Quarto reads a variable as Markdown; the preview, and everyone else, as text.
        written = {
            "variables": numbers if quarto is None else as_markdown(numbers),
            "evidence": {
                "has": evidence(params.experiments, params.report.focus.experiment),
                "author": authors(),
                **date,
                "search-words": {key: words(language)[key] for key in ("label", "found")},
                "long-tables": {"from": FOLDED_FROM, "summary": words(language)["rows"]},
            },
        }
        for name, content in written.items():
            (project / f"_{name}.yml").write_text(as_yaml(content), encoding="utf-8")
        number_chapters(project)
        try:
            source = replace(Project.read(project, environment), variables=numbers)
            with ThreadPoolExecutor() as pool:
                pdf = pool.submit(write_pdf, source, paper, quarto)
                if quarto is None:
                    preview.render(project, site, environment)
                else:
                    _render_with_quarto(quarto, project, site, environment)
                pdf.result()
        except InputError as error:
            # Somebody has to edit the page, so it is named as it lies there.
            raise InputError(str(error).replace(f"{scratch}/", "")) from error
        shutil.copyfile(paper, site / "report.pdf")
        write_index(site, source.pages)


def assemble(language: str, directory: Path) -> Path:
    """Put a project for the renderers together: the pages, and below them every chapter's files."""
    unwanted = shutil.ignore_patterns(*(one for one in LANGUAGES if one != language), "_site")
    shutil.copytree(REPORT, directory / "report", ignore=unwanted)
    project = directory / "report" / language
    (project / "notebooks").mkdir()
    executed = [*sorted(CHAPTERS.glob(f"[!.]*/{language}")), *PROVENANCE.glob(language)]
    for name, made in {made.parent.name: made for made in executed}.items():
        read_artifact(made / NOTEBOOK)  # a damaged one is named as it lies here
        shutil.copyfile(made / NOTEBOOK, project / "notebooks" / f"{name}.ipynb")
        without = shutil.ignore_patterns(NOTEBOOK)
        shutil.copytree(made, project / "files" / name, ignore=without)
    return project


def number_chapters(project: Path) -> None:
    """Tell Quarto, which counts on every page of a website anew, which chapter a page is."""
    from report.preview.dialect import CHAPTER
    from report.preview.project import Project

    for number, name in enumerate(Project.read(project).pages, 1):
        page = project / f"{name}.qmd"
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("\n", f"\n{CHAPTER}: [{number}]\n", 1), encoding="utf-8")


def find_quarto(renderer: str) -> str | None:
    """Path of Quarto, or None where pandoc is to render.

    Raises
    ------
    InputError
        If Quarto is asked for by name and not installed.
    """
    found = shutil.which("quarto")
    if renderer == "quarto" and found is None:
        raise InputError(
            "report.renderer is quarto but no quarto is on the PATH; install Quarto 1.9 or set "
            "report.renderer to auto or pandoc."
        )
    return None if renderer == "pandoc" else found


def renderer_name(quarto: str | None) -> str:
    """Name and version of Quarto at a path, or of pandoc where there is none."""
    if quarto is None:
        import pypandoc

        return f"pandoc {pypandoc.get_pandoc_version()}"
    version = subprocess.run(
        [quarto, "--version"], capture_output=True, encoding="utf-8", check=True
    ).stdout
    return f"Quarto {version.strip()}"


def read_numbers(project: Path) -> dict[str, dict[str, str]]:
    """Numbers of every chapter's prose: chapter -> name -> text."""
    return {
        path.parent.name: read_artifact(path)
        for path in sorted(project.glob("files/*/numbers.json"))
    }


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


def _render_with_quarto(
    quarto: str, project: Path, site: Path, environment: Mapping[str, str]
) -> None:
    done = subprocess.run(
        [quarto, "render", str(project)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise InputError(f"quarto render {project} failed: {done.stderr.strip()[-2000:]}")
    shutil.copytree(project / "_site", site)


if __name__ == "__main__":
    run(report)
