"""One page: its front matter, and its text with every shortcode taken out.

A shortcode is replaced by a word that means nothing to Markdown, and its value travels beside the
text. Pandoc parses the page first and the values are put in afterwards, so that nothing that comes
from data (a sentence with `**`, `$` or `<b>`, a figure) is ever read as Markdown.
"""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from analysis.errors import InputError
from report.preview import dialect
from report.preview.project import Project

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{<(.*?)>\}\}", re.DOTALL)

# Also known to filters/insertions.lua.
PLACEHOLDER = "xInsertion{}x"


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
        Text after the front matter; the i-th shortcode is the word `PLACEHOLDER.format(i)`.
    insertions
        Value of each shortcode: text, or the outputs of a notebook cell, each a pair of format
        (`html` or `markdown`) and content.
    """

    name: str
    meta: dict[str, Any]
    markdown: str
    insertions: list[str | list[tuple[str, str]]]

    @classmethod
    def read(cls, project: Project, name: str) -> "Page":
        """Read a page and resolve its shortcodes.

        Raises
        ------
        InputError
            If the front matter or a shortcode is unknown or a value is missing; names the line.
        """
        path = project.directory / f"{name}.qmd"
        source = path.read_text(encoding="utf-8")
        match = _FRONT_MATTER.match(source)
        if not match:
            raise InputError(f"{path} does not begin with front matter (--- title: ... ---)")
        meta = yaml.safe_load(match[1])
        if unknown := set(meta) - dialect.FRONT_MATTER:
            raise InputError(
                f"{path}: the preview does not know the front matter {', '.join(sorted(unknown))}; "
                f"known are {', '.join(sorted(dialect.FRONT_MATTER))}"
            )
        resolver = Resolver(project, meta)
        body = source[match.end() :]

        def replace(shortcode: re.Match[str]) -> str:
            line = source.count("\n", 0, match.end() + shortcode.start()) + 1
            resolver.resolve(shortcode[1], where=f"{path}:{line}")
            return PLACEHOLDER.format(len(resolver.values) - 1)

        markdown = _SHORTCODE.sub(replace, body)
        return cls(name, meta, markdown, resolver.values)


@dataclass
class Resolver:
    """Finds the values of shortcodes, in the order in which they are asked for."""

    project: Project
    meta: dict[str, Any]
    values: list[str | list[tuple[str, str]]] = field(default_factory=list)

    def resolve(self, shortcode: str, where: str) -> str | list[tuple[str, str]]:
        """Resolve what stands between `{{<` and `>}}` and remember the value."""
        name, *arguments = shlex.split(shortcode) or [""]
        handlers: dict[str, Callable[..., str | list[tuple[str, str]]]] = {
            "var": self._var,
            "env": self._env,
            "meta": self._meta,
            "embed": self._embed,
        }
        if name not in handlers:
            raise InputError(
                f"{where}: the preview does not know the shortcode {name!r}; "
                f"known are {', '.join(sorted(dialect.SHORTCODES))}"
            )
        try:
            value = handlers[name](*arguments)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        except TypeError:
            raise InputError(
                f"{where}: the shortcode {name} cannot take {len(arguments)} arguments"
            ) from None
        self.values.append(value)
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
        notebook, _, label = target.partition("#")
        return _outputs(self.project.directory / notebook, label)


def _lookup(mapping: dict[str, Any], key: str, source: str) -> str:
    value: Any = mapping
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            raise InputError(f"{source} has no {key}")
        value = value[part]
    if isinstance(value, dict | list):
        raise InputError(f"{key} in {source} is not a single value")
    return str(value)


def _cells(notebook: Path) -> dict[str, list[dict[str, Any]]]:
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


def _outputs(notebook: Path, label: str) -> list[tuple[str, str]]:
    """Return what the cell `label` of a notebook shows."""
    cells = _cells(notebook)
    if label not in cells:
        raise InputError(
            f"{notebook} has no cell {label!r}; its labels are {', '.join(sorted(cells)) or 'none'}"
        )
    shown = []
    for output in cells[label]:
        if output["output_type"] == "stream":
            continue
        data = output.get("data", {})
        for mime, kind in (("text/html", "html"), ("text/markdown", "markdown")):
            if mime in data:
                shown.append((kind, "".join(data[mime])))
                break
        else:
            raise InputError(f"cell {label!r} of {notebook} shows neither HTML nor Markdown")
    if not shown:
        raise InputError(f"cell {label!r} of {notebook} shows nothing; was it executed?")
    return shown
