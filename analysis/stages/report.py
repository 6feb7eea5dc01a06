"""Render both languages of the site, with Quarto when it is installed, else with pandoc."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import yaml
from tqdm import tqdm

from analysis.parameters import Params
from analysis.paths import LANGUAGES, PAGES, REPORT
from analysis.pipeline.stage import replacing, run
from analysis.site.documents import PDFS, documents
from analysis.site.layout import LAID_OUT, lay_out
from attention_mixing.errors import InputError


def report(params: Params) -> None:
    """Write ``results/pages/LANGUAGE`` from ``report/LANGUAGE`` and what the notebooks made.

    Beside them lie the paper and the supplement to it as PDFs, ``paper.pdf`` and
    ``supplement.pdf``.
    """
    from analysis.site.source.cache import only_used

    quarto = find_quarto(params.report.renderer)
    with replacing(PAGES) as pages, only_used(), ThreadPoolExecutor(len(LANGUAGES)) as pool:
        pages.mkdir()
        rendered = pool.map(lambda name: render(name, pages / name, quarto), LANGUAGES)
        list(tqdm(rendered, "render", total=len(LANGUAGES), disable=None, unit="language"))


def render(language: str, site: Path, quarto: str | None) -> None:
    """Write the pages of a language into ``site``, by Quarto at a path or by pandoc.

    Raises
    ------
    InputError
        If a page holds what cannot be rendered; it is named as it lies in ``report/``.
    """
    from analysis.site import preview
    from analysis.site.paper import write_pdf
    from analysis.site.search import write_index
    from analysis.site.source.project import Project

    # Pages and PDFs are rendered at the same time and say by what, by the shortcode `env`.
    environment = os.environ | {"REPORT_RENDERER": renderer_name(quarto)}
    with tempfile.TemporaryDirectory() as scratch:
        project, pdfs = copy_pages(language, Path(scratch)), Path(scratch)
        try:
            numbers = lay_out(project, language, quarto=quarto is not None, pdfs=pdfs)
            source = replace(Project.read(project, environment), variables=numbers)
            with ThreadPoolExecutor() as pool:
                written = [
                    pool.submit(write_pdf, source, pdfs / name, names)
                    for name, names in documents(source.pages).items()
                ]
                if quarto is None:
                    preview.render(source, site)
                else:
                    _render_with_quarto(quarto, project, site, environment)
                for pdf in written:
                    pdf.result()
        except InputError as error:
            # Somebody has to edit the page, so it is named as it lies there.
            raise InputError(str(error).replace(f"{scratch}/", "")) from error
        for name in PDFS:
            shutil.copyfile(pdfs / name, site / name)
        write_index(site, source.pages)


def copy_pages(language: str, directory: Path) -> Path:
    """Copy the pages of a language, and what both share; return the directory of the pages."""
    others = (other for other in LANGUAGES if other != language)
    unwanted = shutil.ignore_patterns(*others, "_site", ".quarto", *LAID_OUT)
    shutil.copytree(REPORT, directory / "report", ignore=unwanted)
    return directory / "report" / language


def find_quarto(renderer: str) -> str | None:
    """Path of Quarto, or None where pandoc is to render.

    Raises
    ------
    InputError
        If Quarto is asked for by name and not installed, or older than the pages require.
    """
    if renderer == "pandoc":
        return None
    quarto, required = shutil.which("quarto"), required_quarto()
    if quarto and _numbers(quarto_version(quarto)) >= _numbers(required):
        return quarto
    if renderer == "quarto":
        installed = (
            f"that on the PATH is {quarto_version(quarto)}" if quarto else "none is on the PATH"
        )
        raise InputError(
            f"report.renderer is quarto, the pages require Quarto {required} or newer, and "
            f"{installed}; install such a version, or set report.renderer to auto or pandoc."
        )
    return None


def required_quarto() -> str:
    """Version of Quarto that the pages require at least, such as ``1.9``."""
    common = yaml.safe_load((REPORT / "_common.yml").read_text(encoding="utf-8"))
    return str(common["quarto-required"]).removeprefix(">=")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def quarto_version(quarto: str) -> str:
    """Version of Quarto at a path."""
    command = [quarto, "--version"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.strip()


def renderer_name(quarto: str | None) -> str:
    """Name and version of Quarto at a path, or of pandoc where there is none."""
    if quarto is None:
        import pypandoc

        return f"pandoc {pypandoc.get_pandoc_version()}"
    return f"Quarto {quarto_version(quarto)}"


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
        raise InputError(f"quarto render {project} failed{_fault(done.stderr)}")
    shutil.copytree(project / "_site", site)


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PROGRESS = re.compile(r"^\[ *\d+/\d+\] (.*)", re.MULTILINE)
# Ours begin with a small letter; a fault ends where the stack that led to it begins.
_FAULT = re.compile(r"^error: (.*?)(?=^WARN|^stack t|^$|\Z)", re.MULTILINE | re.DOTALL | re.I)


def _fault(told: str) -> str:
    """Fault in what Quarto told while it rendered, after the page that it was at."""
    plain = _COLOUR.sub("", told)
    pages, faults = _PROGRESS.findall(plain), _FAULT.findall(plain)
    return (
        (f" at {pages[-1]}" if pages else "")
        + ": "
        + " ".join((faults[0] if faults else plain[-2000:]).split())
    )


if __name__ == "__main__":
    run(report)
