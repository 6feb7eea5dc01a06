"""From the one source of the report to a PDF: pandoc or Quarto writes Typst, Typst sets it.

It is the Typst of the Python package in both cases: its version is pinned, and not every build of
Quarto has one.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import yaml

from analysis.fonts import font_files, joined
from attention_mixing.errors import InputError
from report.paper.assemble import Paper, assemble
from report.preview import dialect
from report.preview.pandoc import convert
from report.preview.project import Project

_HERE = Path(__file__).parent
# Letters of all signs with text equivalents; a character without a glyph is an error.
_STANDARD: Final = "a-2u"
# The standard wants a date. As builds that can be repeated have it: 1970, unless told otherwise.
_TIMESTAMP = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def write_pdf(project: Project, output: Path, quarto: str | None = None) -> None:
    """Write the report of one language as PDF, the same bytes each time.

    Parameters
    ----------
    project
        For example that of ``report/en``.
    output
        File to write.
    quarto
        Path of Quarto; None leaves it to pandoc.

    Raises
    ------
    InputError
        If the pages cannot be resolved, or Typst refuses them, as it does a character that no font
        has.
    """
    paper = assemble(project)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, data in paper.pictures.items():
            (folder / name).write_bytes(data)
        if quarto is None:
            _with_pandoc(project, paper, folder)
        else:
            _with_quarto(quarto, project, paper, folder)
        _copy_fonts(folder / "fonts")
        _compile(folder)
        shutil.copyfile(folder / "report.pdf", output)


def _copy_fonts(folder: Path) -> None:
    """Put what Typst does not hold itself where it looks: Mincho, and the fonts of the figures."""
    import matplotlib
    import pylopdf_fonts_jp

    folder.mkdir()
    signs = (Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("DejaVuSans*.ttf")
    for font in (pylopdf_fonts_jp.serif_path(), *font_files(), *signs):
        shutil.copyfile(font, folder / font.name)


def _metadata(project: Project, paper: Paper) -> dict[str, Any]:
    """Return what both renderers are told of the document."""
    return {
        "title": paper.title,
        "title-text": paper.title.replace("\\", "").replace('"', "”"),
        "short-title": paper.short_title,
        "other-fonts": joined(),
        "byline": " · ".join(project.byline),
        "abstract": paper.description,
        "equation-word": project.word("crossref-eq-prefix"),
        "contents-title": project.word("toc-title-document"),
        "site-only": project.config["site-only"],
        "lang": paper.lang,
        "bibliography": str(project.path("bibliography").resolve()),
        "csl": str(project.path("csl").resolve()),
        "link-citations": True,
        "reference-section-title": project.word("section-title-references"),
    }


def _with_front_matter(paper: Paper, front: dict[str, Any]) -> str:
    header = yaml.safe_dump(front, allow_unicode=True, width=10_000)
    return f"---\n{header}---\n\n{paper.markdown}"


def _with_pandoc(project: Project, paper: Paper, folder: Path) -> None:
    context = {
        "reference_words": {label: project.word(key) for label, key in dialect.REFERENCES.items()},
        "callout_words": {kind: project.word(f"callout-{kind}-title") for kind in dialect.CALLOUTS},
    }
    written = convert(
        _with_front_matter(paper, _metadata(project, paper)),
        where=f"the PDF of {project.directory}",
        options={
            "from": "markdown",
            "to": "typst",
            "standalone": True,
            "fail-if-warnings": True,
            "wrap": "preserve",
            "template": str(_HERE / "paper.typ"),
            "filters": [str(_HERE / "typst.lua"), "citeproc", str(_HERE / "tables.lua")],
        },
        context=context,
    )
    (folder / "report.typ").write_text(written, encoding="utf-8")


def _compile(folder: Path) -> None:
    import typst

    try:
        _, warnings = typst.compile_with_warnings(
            folder / "report.typ",
            output=folder / "report.pdf",
            root=folder,
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=[folder / "fonts"]),
            pdf_standards=_STANDARD,
            timestamp=_TIMESTAMP,
        )
    except typst.TypstError as error:
        raise InputError(f"the PDF failed: Typst says {' '.join(str(error).split())}") from None
    if warnings:
        raise InputError(f"the PDF failed: Typst warns {' '.join(str(warnings[0]).split())}")


def _with_quarto(quarto: str, project: Project, paper: Paper, folder: Path) -> None:
    shutil.copyfile(_HERE / "paper.typ", folder / "paper.typ")
    front = {
        **_metadata(project, paper),
        "format": {
            "typst": {
                "template": "paper.typ",
                "citeproc": True,
                "number-sections": True,
                "syntax-highlighting": "idiomatic",
                "output-ext": "typ",
            }
        },
        "execute": {"enabled": False},
        "language": project.config["language"],
    }
    source = _with_front_matter(paper, front)
    (folder / "report.qmd").write_text(source, encoding="utf-8")
    run = subprocess.run(
        [quarto, "render", "report.qmd", "--to", "typst"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if run.returncode:
        # Without its colours.
        plain = re.sub(r"\x1b\[[\d;]*m", "", run.stderr).strip()
        message = plain.splitlines()[-1] if plain else "no message"
        raise InputError(f"the PDF of {project.directory} failed in quarto render: {message}")
