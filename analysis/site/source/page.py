"""One page: its front matter, and its text with every shortcode taken out.

A shortcode is replaced by a word that means nothing to Markdown, and its value travels beside the
text. Pandoc parses the page first and the values are put in afterwards, so that nothing that comes
from data (a sentence with `**`, `$` or `<b>`, a figure) is ever read as Markdown.
"""

import inspect
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import yaml

from analysis.site.source import dialect
from analysis.site.source.conditions import shown_parts
from analysis.site.source.project import Project
from attention_mixing.errors import InputError

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
SHORTCODE = re.compile(r"\{\{<(.*?)>\}\}", re.DOTALL)
"""A shortcode; its group is what `Resolver.resolve` is given."""

# Also known to filters/insertions.lua.
PLACEHOLDER = "xInsertion{}x"

# Of a shortcode: text, the outputs of a notebook cell, each a pair of format (`html` or `markdown`)
# and content, or such a pair for a file that is laid out beside the page, of the format `laid-out`.
Value = str | list[tuple[str, str]]


@dataclass(frozen=True)
class Page:
    """A page of the project.

    Attributes
    ----------
    name
        File name without suffix.
    meta
        Front matter.
    markdown
        What is shown of the text after the front matter; the i-th shortcode is the word
        `PLACEHOLDER.format(i)`.
    insertions
        Value of each shortcode.
    notebooks
        Those that the page embeds, as their paths beside it.
    """

    name: str
    meta: dict[str, Any]
    markdown: str
    insertions: list[Value]
    notebooks: list[str]

    @classmethod
    def read(cls, project: Project, name: str) -> "Page":
        """Read a page and resolve its shortcodes.

        Raises
        ------
        InputError
            If the front matter, a condition or a shortcode is unknown or a value is missing; names
            the line.
        """
        path = project.directory / f"{name}.qmd"
        source = path.read_text(encoding="utf-8")
        meta, text = front_matter(path)
        if unknown := set(meta) - dialect.FRONT_MATTER:
            raise InputError(
                f"{path}: the preview does not know the front matter {', '.join(sorted(unknown))}; "
                f"known are {', '.join(sorted(dialect.FRONT_MATTER))}"
            )
        resolver = Resolver(project, meta)
        try:
            parts = shown_parts(source, resolver.is_true)
        except InputError as error:
            raise InputError(f"{path}:{error}") from None
        insertions: list[Value] = []
        pieces = []
        for start, end in parts:
            position = max(start, text)
            for shortcode in SHORTCODE.finditer(source, position, end):
                line = source.count("\n", 0, shortcode.start()) + 1
                pieces += [
                    source[position : shortcode.start()],
                    PLACEHOLDER.format(len(insertions)),
                ]
                insertions.append(resolver.resolve(shortcode[1], where=f"{path}:{line}"))
                position = shortcode.end()
            pieces.append(source[position:end])
        return cls(name, meta, "".join(pieces), insertions, sorted(resolver.embedded))


def front_matter(path: Path) -> tuple[dict[str, Any], int]:
    """Read the front matter of a page; also gives where the text after it begins.

    A page without it is refused.
    """
    match = _FRONT_MATTER.match(path.read_text(encoding="utf-8"))
    if not match:
        raise InputError(f"{path} does not begin with front matter (--- title: ... ---)")
    return yaml.safe_load(match[1]), match.end()


@dataclass(frozen=True)
class Resolver:
    """Finds the values of the shortcodes of a page, which has `meta` as front matter.

    It notes the notebooks that are embedded.
    """

    project: Project
    meta: dict[str, Any]
    embedded: set[str] = field(init=False, default_factory=set)
    # A page embeds many cells of one notebook.
    _cells: Callable[[Path], dict[str, list[dict[str, Any]]]] = field(
        init=False, default_factory=lambda: cache(_read_cells)
    )

    def resolve(self, shortcode: str, where: str) -> Value:
        """Resolve what stands between `{{<` and `>}}`.

        Raises
        ------
        InputError
            If the shortcode is unknown or its value is missing; begins with `where`.
        """
        name, *arguments = shlex.split(shortcode) or [""]
        if name not in self.SHORTCODES:
            raise InputError(
                f"{where}: the preview does not know the shortcode {name!r}; "
                f"known are {', '.join(sorted(self.SHORTCODES))}"
            )
        handler = self.SHORTCODES[name]
        try:
            inspect.signature(handler).bind(self, *arguments)
        except TypeError:
            raise InputError(
                f"{where}: the shortcode {name} cannot take {len(arguments)} arguments"
            ) from None
        try:
            return handler(self, *arguments)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def is_true(self, key: str) -> bool:
        """Whether the condition that the metadata hold under `key` is met.

        Raises
        ------
        InputError
            If there is no such key, or its value is neither true nor false.
        """
        value = _find({**self.project.config, **self.meta}, key, "the metadata")
        if not isinstance(value, bool):
            raise InputError(f"{key} in the metadata is {value!r}, neither true nor false")
        return value

    def _var(self, key: str) -> str:
        return _lookup(self.project.variables, key, "_variables.yml")

    def _env(self, name: str, default: str | None = None) -> str:
        value = self.project.environment.get(name, default)
        if value is None:
            raise InputError(f"the environment has no {name} and the page names no default")
        return value

    def _meta(self, key: str) -> str:
        return _lookup({**self.project.config, **self.meta}, key, "the metadata")

    def _embed(self, target: str) -> list[tuple[str, str]]:
        name, _, label = target.partition("#")
        self.embedded.add(name)
        notebook = self.project.directory / name
        cells = self._cells(notebook)
        if label not in cells:
            raise InputError(
                f"{notebook} has no cell {label!r}; "
                f"its labels are {', '.join(sorted(cells)) or 'none'}"
            )
        return _shown(cells[label], f"cell {label!r} of {notebook}")

    def _laid_out(self, name: str) -> list[tuple[str, str]]:
        file = self.project.directory / name
        if not file.is_file():
            raise InputError(f"the file {file} does not exist; run the pipeline first")
        return [("laid-out", file.read_text(encoding="utf-8"))]

    SHORTCODES: ClassVar[dict[str, Callable[..., Value]]] = {
        "var": _var,
        "env": _env,
        "meta": _meta,
        "embed": _embed,
        "laid-out": _laid_out,
    }


def _find(mapping: dict[str, Any], key: str, source: str) -> Any:
    value: Any = mapping
    for step in key.split("."):
        if not isinstance(value, dict) or step not in value:
            raise InputError(f"{source} has no {key}")
        value = value[step]
    return value


def _lookup(mapping: dict[str, Any], key: str, source: str) -> str:
    value = _find(mapping, key, source)
    if isinstance(value, dict | list):
        raise InputError(f"{key} in {source} is not a single value")
    return str(value)


def _read_cells(notebook: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the outputs of every labelled cell of a notebook."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"the notebook {notebook} does not exist; run the pipeline first"
        ) from None
    cells = {}
    for cell in content["cells"]:
        label = re.search(r"^# *\| *label: *(\S+)", "".join(cell["source"]), re.MULTILINE)
        if cell["cell_type"] == "code" and label:
            cells[label[1]] = cell["outputs"]
    return cells


def _shown(outputs: list[dict[str, Any]], cell: str) -> list[tuple[str, str]]:
    """Return format and content of what a cell of a notebook shows."""
    pieces = []
    for output in outputs:
        if output["output_type"] == "stream":
            continue
        data = output.get("data", {})
        for mime, kind in (("text/html", "html"), ("text/markdown", "markdown")):
            if mime in data:
                pieces.append((kind, "".join(data[mime])))
                break
        else:
            raise InputError(f"{cell} shows neither HTML nor Markdown")
    if not pieces:
        raise InputError(f"{cell} shows nothing; was it executed?")
    return pieces
