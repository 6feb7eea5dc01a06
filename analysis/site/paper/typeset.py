"""From a document to a PDF: pandoc writes Typst, Typst sets it.

All that does so comes with the environment, in pinned versions, so that the PDF is the same with
Quarto and without.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from analysis.fonts import font_files, joined
from analysis.site.paper.assemble import Document, assemble
from analysis.site.source.pandoc import convert
from analysis.site.source.project import Project
from attention_mixing.errors import InputError

_HERE = Path(__file__).parent
# Letters of all signs with text equivalents; a character without a glyph is an error.
_STANDARD: Final = "a-2u"
# The standard wants a date. As builds that can be repeated have it: 1970, unless told otherwise.
_TIMESTAMP = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def write_pdf(project: Project, output: Path, names: Sequence[str]) -> None:
    """Write pages of one language, such as ``report/en``, as a PDF, the same bytes each time.

    It is an article where one page is named, and has chapters where there are several, which are
    named in the order of the sidebar.

    Raises
    ------
    InputError
        If the pages cannot be resolved, or Typst refuses them, as it does a character that no font
        has.
    """
    document = assemble(project, names)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, data in document.pictures.items():
            (folder / name).write_bytes(data)
        typeset = _as_typst(project, document, f"{output.name} of {project.directory}")
        (folder / "document.typ").write_text(typeset, encoding="utf-8")
        _copy_fonts(folder / "fonts")
        _compile(folder, output.name)
        _compress(folder / "document.pdf", output)


def _copy_fonts(folder: Path) -> None:
    """Put what Typst does not hold itself where it looks: Mincho, and the fonts of the figures."""
    import matplotlib
    import pylopdf_fonts_jp

    folder.mkdir()
    signs = (Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("DejaVuSans*.ttf")
    for font in (pylopdf_fonts_jp.serif_path(), *font_files(), *signs):
        shutil.copyfile(font, folder / font.name)


def _metadata(project: Project, document: Document) -> dict[str, Any]:
    """Return what the template and pandoc are told of the document."""
    titles = [document.title, document.subtitle] if document.subtitle else [document.title]
    return {
        "title": document.title,
        "subtitle": document.subtitle,
        "title-text": " · ".join(titles).replace("\\", "").replace('"', "”"),
        "short-title": " · ".join([project.website["title"], *titles[1:]]),
        "other-fonts": joined(),
        "byline": " · ".join(project.byline),
        "equation-word": project.word("crossref-eq-prefix"),
        "contents-title": project.word("toc-title-document"),
        "site-only": project.config["site-only"],
        "lang": document.lang,
        "bibliography": str(project.path("bibliography").resolve()),
        "csl": str(project.path("csl").resolve()),
        "link-citations": True,
    }


def _as_typst(project: Project, document: Document, where: str) -> str:
    context = {
        "reference_words": project.reference_words,
        "callout_words": project.callout_words,
    }
    metadata = yaml.safe_dump(_metadata(project, document), allow_unicode=True, width=10_000)
    opening = convert(f"---\n{metadata}---\n", where, {"from": "markdown", "to": "json"})
    return convert(
        json.dumps({**document.content, "meta": json.loads(opening)["meta"]}),
        where,
        options={
            "from": "json",
            "to": "typst",
            "standalone": True,
            "fail-if-warnings": True,
            "wrap": "preserve",
            "template": str(_HERE / "paper.typ"),
            "filters": [str(_HERE / "typst.lua"), "citeproc"],
        },
        context=context,
    )


def _compile(folder: Path, name: str) -> None:
    import typst

    try:
        _, warnings = typst.compile_with_warnings(
            folder / "document.typ",
            output=folder / "document.pdf",
            root=folder,
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=[folder / "fonts"]),
            pdf_standards=_STANDARD,
            timestamp=_TIMESTAMP,
        )
    except typst.TypstError as error:
        raise InputError(f"{name} failed: Typst says {' '.join(str(error).split())}") from None
    if warnings:
        raise InputError(f"{name} failed: Typst warns {' '.join(str(warnings[0]).split())}")


def _compress(pdf: Path, output: Path) -> None:
    """Save a PDF with small objects, such as tags, in compressed streams: half of it or less."""
    import pikepdf

    with pikepdf.open(pdf) as document:
        document.save(
            output,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
            deterministic_id=True,
        )
