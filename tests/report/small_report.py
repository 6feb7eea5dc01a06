"""A small report with every construct of the dialect, and a reader of what is rendered."""

import json
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import yaml

from analysis.site.layout import as_yaml, language_links
from analysis.site.paper.assemble import Document
from analysis.site.source.pandoc import convert
from attention_mixing.markup import escape

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "report"
LANGUAGES = ("en", "ja")
NAMES = sorted({page.stem for page in REPORT.glob("*/*.qmd")})
PAGES = [(language, name) for language in LANGUAGES for name in NAMES]
# `report` is not installed; the command line finds it from the root of the repository.
sys.path.insert(0, str(ROOT))

# Shortcodes that Quarto knows and does not know, escaped, without an end, and the end alone.
HOSTILE = (
    "<script>alert(1)</script> **bold** $x$ {{< var x >}} {{< env HOME >}}{{{< pagebreak >}}} "
    "{{</* meta title */>}} {{< include x.qmd {{<env PATH>}} >}} 1. &amp; -- ... >}} <b> {{<"
)
ESCAPED = escape(HOSTILE)

INDEX, PAPER, SECOND = (
    Path(__file__).with_name("pages").joinpath(f"{name}.qmd").read_text(encoding="utf-8")
    for name in ("index", "paper", "second")
)
# A site that has both PDFs.
WITH_PAPER = {
    "index": INDEX,
    "paper": PAPER,
    "second": SECOND.replace("number-offset: [2]", "number-offset: [3]")
    + "\n[論文](paper.qmd)の[問い](paper.qmd#sec-question)に答える。\n",
    "third": '---\nnumber-offset: [4]\ntitle: "三枚目"\n---\n\n## 終節 {#sec-last}\n\n文。\n',
}


def drawing(name: str) -> str:
    """Return an output as the figures write it: an image with its text, and where it came from."""
    return (
        f'<div class="plot"><img src="files/measure/{name}.svg" alt="{name}: {ESCAPED}"></div>\n\n'
        f'<p class="sources"><a href="files/{name}.csv">CSV</a></p>'
    )


def write_notebook(path: Path, cells: dict[str, dict[str, str]]) -> None:
    """Write an executed notebook: label of each cell and what it shows."""
    notebook = nbformat.v4.new_notebook()
    for label, shown in cells.items():
        # With the space that code formatters put after #.
        cell = nbformat.v4.new_code_cell(f"# | label: {label}\nshow()")
        cell.outputs = [nbformat.v4.new_output("display_data", data=shown)]
        notebook.cells.append(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def source(language: str, name: str) -> str:
    """Read a page of the report."""
    return (REPORT / language / f"{name}.qmd").read_text(encoding="utf-8")


def config(language: str) -> dict:
    """Read what the site of a language is configured by."""
    return yaml.safe_load((REPORT / language / "_quarto.yml").read_text(encoding="utf-8"))


def common() -> dict:
    """Read what the sites of both languages are configured by."""
    return yaml.safe_load((REPORT / "_common.yml").read_text(encoding="utf-8"))


def sidebar(settings: dict) -> dict:
    """Sidebar of a site."""
    return settings["website"]["sidebar"]


# What the stage tells the pages beside what a run has.
TOLD = {
    "author": ["著者"],
    "licence": "MIT",
    "cited-as": "著者. 報告書. Version 1.",
    "languages": [{"lang": one, "directory": f"../{one}"} for one in LANGUAGES],
    "paper": {
        "numbers": {"share": {"text": "41 %", "title": "値の出どころ"}},
        "broken": [],
        "missing": [],
        "note": "この実行とは異なる。",
    },
    "pdfs": {"paper": "paper.pdf", "second": "supplement.pdf", "third": "supplement.pdf"},
    "long-tables": {"from": 16, "summary": "{rows} 行"},
    "search-words": {
        "label": "検索",
        "found": "{found} 件",
        "without": "{words} なし：",
        "quoted": "「{word}」",
    },
}


def write_project(directory: Path, pages: dict[str, str], language: str = "ja") -> Path:
    """Write a project that has the configuration of the real one and other pages."""
    for shared in ("assets", "filters", "references.bib"):
        copy = shutil.copytree if (REPORT / shared).is_dir() else shutil.copyfile
        copy(REPORT / shared, directory / shared)
    project = directory / language
    project.mkdir()
    settings, shared = config(language), common()
    sidebar(settings)["contents"] = [f"{name}.qmd" for name in pages]
    sidebar(shared)["contents"] = []
    (project / "_quarto.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    (directory / "_common.yml").write_text(yaml.safe_dump(shared), encoding="utf-8")
    variables = {"measure": {"share": "0.41", "hostile": HOSTILE}}
    (project / "_variables.yml").write_text(as_yaml(variables), encoding="utf-8")
    evidence = {
        "has": {"trained": True, "questions": False, "pdf": True},
        **TOLD,
        "website": {"navbar": {"right": language_links(shared["language-names"], language, "..")}},
    }
    (project / "_evidence.yml").write_text(yaml.safe_dump(evidence), encoding="utf-8")
    for name, text in pages.items():
        (project / f"{name}.qmd").write_text(text, encoding="utf-8")
    table = f"<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>{ESCAPED}</td></tr></table>"
    write_notebook(
        project / "notebooks" / "chapter.ipynb",
        {
            "rollout": {"text/html": drawing("rollout"), "text/plain": "<HTML object>"},
            "map": {"text/html": drawing("map")},
            "scores": {"text/html": f'<div class="table">{table}</div>'},
            "words": {"text/markdown": "言葉で **強く** 述べる。"},
            "links": {
                "text/html": '<p><a href="#sec-numbers">ここ</a>と'
                '<a href="second.html#sec-other">よそ</a></p>'
            },
        },
    )
    (project / "shared").mkdir()
    shutil.copyfile(REPORT / "assets" / "icon.svg", project / "shared" / "icon.svg")
    shutil.copyfile(ROOT / "docs" / "site.png", project / "shared" / "card.png")
    drawn = project / "files" / "measure"
    drawn.mkdir(parents=True)
    for name in ("rollout", "map"):
        shutil.copyfile(REPORT / "assets" / "icon.svg", drawn / f"{name}.svg")
    (project / "files" / "map.csv").write_text("x,y\n", encoding="utf-8")
    return project


def write_quarto_project(directory: Path, pages: dict[str, str]) -> Path:
    """Write the same project, with its variables as Quarto needs them."""
    from analysis.site.layout import as_markdown

    project = write_project(directory, pages)
    variables = as_markdown({"measure": {"share": "0.41", "hostile": HOSTILE}})
    (project / "_variables.yml").write_text(as_yaml(variables), encoding="utf-8")
    return project


class Element:
    """One element of a page, with its text as a reader sees it."""

    def __init__(self, tag: str, attributes: dict[str, str], parent: "Element | None") -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []
        self.parent = parent

    def __iter__(self):
        """Walk over the element and all below it."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    @property
    def text(self) -> str:
        """Text of the element, white space collapsed, hidden annotations of formulas left out."""
        pieces = [
            child if isinstance(child, str) else child.text
            for child in self.children
            if isinstance(child, str) or child.tag not in {"annotation", "script", "style"}
        ]
        return " ".join("".join(pieces).replace("\u00a0", " ").split())

    def all(self, tag: str | None = None, **attributes: str) -> list["Element"]:
        """Find elements; `class_` matches one of several classes."""
        classes = attributes.pop("class_", "").split()
        return [
            one
            for one in self
            if (tag is None or one.tag == tag)
            and set(classes) <= set(one.attributes.get("class", "").split())
            and attributes.items() <= one.attributes.items()
        ]

    def one(self, tag: str | None = None, **attributes: str) -> "Element":
        """Find the only element that matches."""
        (found,) = self.all(tag, **attributes)
        return found


class _Reader(HTMLParser):
    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = Element("document", {}, None)

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {key: value or "" for key, value in attrs}, self.open)
        self.open.children.append(element)
        if tag not in self.VOID:
            self.open = element

    def handle_endtag(self, tag):
        if tag in self.VOID:  # <br />
            return
        while self.open.parent and self.open.tag != tag:
            self.open = self.open.parent
        self.open = self.open.parent or self.root

    def handle_data(self, data):
        self.open.children.append(data)


def read_page(path: Path) -> Element:
    """Parse a rendered page."""
    return parse_page(path.read_text(encoding="utf-8"))


def parse_page(text: str) -> Element:
    """Parse the HTML of a page, or of a part of one."""
    reader = _Reader()
    reader.feed(text)
    return reader.root


def as_markdown(document: Document) -> str:
    """Document in a form that can be read."""
    options = {"from": "json", "to": "markdown", "wrap": "preserve"}
    return convert(json.dumps(document.content), "the test", options)
