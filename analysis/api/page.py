"""The reference of the library as the page ``api`` includes it: Markdown.

Docstrings are reStructuredText, which pandoc turns into it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import griffe

from analysis.api.surface import (
    LIBRARY,
    Entry,
    Kind,
    anchors,
    attributes,
    known,
    methods,
    parameters,
    resolved,
    section,
    short,
    surface,
    words,
)

WIDEST = 80  # characters of a signature on one line
_END = "xEndOfProsex"  # between texts, and no word of any
_ROLE = re.compile(r'`(~?)([\w.]+)`\{\.interpreted-text role="\w+"\}')


@dataclass(frozen=True)
class _Prose:
    """A text in reStructuredText, of an object in whose scope its names are found."""

    text: str
    owner: griffe.Object
    indent: str = ""


Piece = str | _Prose


def reference(headings: Mapping[str, str], language: str, repository: str | None) -> str:
    """Write the reference as Markdown: every module with what a user calls of it.

    Parameters
    ----------
    headings
        Headings of the parts of an entry, such as ``parameters``, by the names of numpydoc.
    language
        Language of the headings; docstrings are English.
    repository
        Address of the repository, to link to sources in it; None for no links.
    """
    from report.source.pandoc import convert

    writer = _Entries(headings, language, repository)
    pieces = list(writer.pages())
    prose = [piece for piece in pieces if isinstance(piece, _Prose)]
    # All in one go: pandoc starts as long as it takes to read all.
    source = "".join(f"{piece.text}\n\n{_END}\n\n" for piece in prose)
    options = {"from": "rst", "to": "markdown", "wrap": "none", "fail-if-warnings": True}
    converted = convert(source, f"the docstrings of {LIBRARY}", options).split(_END)
    texts = iter(converted)
    return "".join(
        piece if isinstance(piece, str) else writer.linked(next(texts).strip(), piece)
        for piece in pieces
    )


class _Entries:
    """Writes modules and what they offer, with headings in a language."""

    def __init__(self, headings: Mapping[str, str], language: str, repository: str | None) -> None:
        self.headings, self.language, self.repository = headings, language, repository
        self.anchors = anchors()

    def pages(self) -> Iterator[Piece]:
        """Write a list of all names, and every module."""
        for path, entries in surface().items():
            names = ", ".join(f"[`{entry.name}`](#{entry.path})" for entry in entries)
            yield f"-   [`{short(path)}`](#{path}): {names}\n"
        for path, entries in surface().items():
            module = known(path)
            assert module
            yield f"\n## `{short(path)}` {{#{path} .unnumbered}}\n\n"
            yield from self._english(self._described(module))
            for entry in entries:
                yield from self._entry(entry, entry.name, entry.path)
                for method in methods(entry):
                    yield from self._entry(
                        method, f"{entry.name}.{method.name}", f"{entry.path}.{method.name}"
                    )

    def _entry(self, entry: Entry, name: str, anchor: str) -> Iterator[Piece]:
        yield f"\n### `{name}` {{#{anchor} .unnumbered .unlisted}}\n\n"
        yield from self._english(
            [
                f"```python\n{signature(entry, name)}\n```\n\n",
                *self._described(entry),
                *self._parameters(entry),
                *self._attributes(entry, anchor),
                *self._given(entry),
                *self._raised(entry),
                *self._described(entry, Kind.admonition, Kind.examples),
                *self._source(entry),
            ]
        )

    def _english(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        yield '::: {lang="en"}\n'
        yield from pieces
        yield ":::\n"

    def _heading(self, name: str) -> str:
        return f'[**{self.headings[name]}**]{{lang="{self.language}"}}'

    def _described(self, entry: griffe.Object, *kinds: Kind) -> Iterator[Piece]:
        """Texts of a docstring before its first section, or its sections of some kinds."""
        for part in entry.docstring.parsed if entry.docstring else []:
            if part.kind not in (kinds or (Kind.text,)):
                continue
            if part.kind is Kind.text:
                yield from (_Prose(part.value, entry), "\n\n")
            elif part.kind is Kind.admonition:
                yield f"{self._heading(str(part.title).lower())}\n\n"
                yield from (_Prose(part.value.contents, entry), "\n\n")
            else:
                yield f"{self._heading('examples')}\n\n"
                for kind, text in part.value:
                    if kind is Kind.text:
                        yield from (_Prose(text, entry), "\n\n")
                    else:
                        yield f"```python\n{text}\n```\n\n"

    def _parameters(self, entry: Entry) -> Iterator[Piece]:
        descriptions = {item.name: item.description for item in section(entry, Kind.parameters)}
        if not descriptions and isinstance(entry, griffe.Class):
            return  # they are its attributes
        if listed := parameters(entry):
            yield f"{self._heading('parameters')}\n\n"
        for parameter in listed:
            yield from self._item(
                f"**`{parameter.name}`**",
                parameter.annotation,
                descriptions.get(parameter.name, ""),
                entry,
            )

    def _attributes(self, entry: Entry, anchor: str) -> Iterator[Piece]:
        if listed := attributes(entry):
            yield f"{self._heading('attributes')}\n\n"
        for attribute in listed:
            names = ", ".join(f"[**`{name}`**]{{#{anchor}.{name}}}" for name in attribute.names)
            yield from self._item(
                names, attribute.annotation, attribute.description, attribute.described_in
            )

    def _given(self, entry: Entry) -> Iterator[Piece]:
        if isinstance(entry, griffe.Class) or str(entry.returns) == "None":
            return
        items = section(entry, Kind.returns) + section(entry, Kind.yields)
        heading = self._heading("yields" if section(entry, Kind.yields) else "returns")
        if len(items) > 1:
            yield f"{heading} {self._type(entry.returns)}\n\n"
            for item in items:
                yield from self._item(
                    f"**`{item.name or item.annotation}`**", None, item.description, entry
                )
        else:
            yield f"{heading}\n\n"
            yield from self._item("", entry.returns, items[0].description if items else "", entry)

    def _raised(self, entry: Entry) -> Iterator[Piece]:
        if errors := section(entry, Kind.raises):
            yield f"{self._heading('raises')}\n\n"
        for error in errors:
            yield from self._item("", error.annotation, error.description, entry)

    def _item(
        self, name: str, kind: str | griffe.Expr | None, description: str, owner: griffe.Object
    ) -> Iterator[Piece]:
        yield f"-   {' '.join(filter(None, (name, self._type(kind))))}"
        if description:
            yield from ("\\\n    ", _Prose(description, owner, indent="    "))
        yield "\n\n"

    def _type(self, expression: str | griffe.Expr | None) -> str:
        """Write a type, with links to classes of the reference."""
        parts: list[tuple[str, str | None]] = []
        for word in words(expression):
            text = word.name if isinstance(word, griffe.ExprName) else str(word).replace("'", '"')
            path = word.canonical_path if isinstance(word, griffe.ExprName) else ""
            anchor = self.anchors.get(path)
            if parts and not (anchor or parts[-1][1]):
                text = parts.pop()[0] + text
            parts.append((text, anchor))
        return "".join(f"[`{text}`](#{to})" if to else f"`{text}`" for text, to in parts)

    def _source(self, entry: Entry) -> Iterator[Piece]:
        if self.repository:
            where = f"{self.repository}/blob/main/{entry.relative_package_filepath}#L{entry.lineno}"
            yield f'[[{self.headings["source"]}]({where})]{{lang="{self.language}"}}\n\n'

    def linked(self, markdown: str, prose: _Prose) -> str:
        """Make links of what a docstring refers to and the page has."""

        def link(role: re.Match[str]) -> str:
            tilde, path = role.groups()
            label = f"`{path.rpartition('.')[2] if tilde else path}`"
            anchor = self.anchors.get(resolved(path, prose.owner) or path)
            return f"[{label}](#{anchor})" if anchor else label

        return textwrap.indent(_ROLE.sub(link, markdown), prose.indent).removeprefix(prose.indent)


def signature(entry: Entry, name: str) -> str:
    """Write how a class or function is called, without types; a class of fields by its name."""
    prefix = "class " if isinstance(entry, griffe.Class) else ""
    if prefix and not section(entry, Kind.parameters):
        return f"{prefix}{name}"
    listed: list[str] = []
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    for parameter in parameters(entry):
        by_name = parameter.kind is griffe.ParameterKind.keyword_only
        if by_name and not any(other.startswith("*") for other in listed):
            listed.append("*")
        if parameter.kind in stars:
            listed.append(stars[parameter.kind] + parameter.name)
        else:
            listed.append(
                parameter.name
                if parameter.default is None
                else f"{parameter.name}={parameter.default}"
            )
    line = f"{prefix}{name}({', '.join(listed)})"
    if len(line) <= WIDEST:
        return line
    return f"{prefix}{name}(\n" + "".join(f"    {argument},\n" for argument in listed) + ")"
