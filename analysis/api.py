"""The reference of the library's functions and classes, which the page ``api`` includes.

Signatures and docstrings are read off the sources by griffe, so nothing is imported. Docstrings are
reStructuredText, which pandoc turns into the Markdown of the pages.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import griffe

from attention_mixing.imports import ROOT

LIBRARY = "attention_mixing"
METHODS = f"{LIBRARY}.methods."
WIDEST = 80  # characters of a signature on one line

Entry = griffe.Class | griffe.Function
Kind = griffe.DocstringSectionKind
_ROLE = re.compile(r'`(~?)([\w.]+)`\{\.interpreted-text role="\w+"\}')


@cache
def library() -> griffe.Module:
    """Read the library, without running it."""
    package = griffe.load(LIBRARY, search_paths=[ROOT], docstring_parser="numpy")
    assert isinstance(package, griffe.Module)
    return package


@cache
def surface() -> dict[str, list[Entry]]:
    """List what a user of the library calls, by module, in the order of its source.

    What a module names in its ``__all__``, every public function and class of a module of methods,
    and the classes of the library that these take, give or raise.
    """
    declared = [entry for module in _modules(library()) for entry in _declared(module)]
    named = (known(path) for entry in declared for path in _named(entry))
    classes = [one for one in named if isinstance(one, griffe.Class)]
    entries = {entry.path: entry for entry in [*declared, *classes]}
    found: dict[str, list[Entry]] = {}
    for entry in sorted(entries.values(), key=lambda one: (one.module.path, one.lineno or 0)):
        found.setdefault(entry.module.path, []).append(entry)
    return found


def _modules(package: griffe.Module) -> Iterator[griffe.Module]:
    yield package
    for module in package.modules.values():
        yield from _modules(module)


def _declared(module: griffe.Module) -> list[Entry]:
    if module.exports is not None:
        offered = [known(f"{module.path}.{name}") for name in module.exports]
    elif module.path.startswith(METHODS):
        offered = [one for name, one in module.members.items() if not name.startswith("_")]
    else:
        offered = []
    return [one for one in offered if isinstance(one, Entry)]


def known(path: str) -> griffe.Object | None:
    """Find an object of the library, where it is defined; None for any other path."""
    if not path.startswith(f"{LIBRARY}."):
        return None
    try:
        found = library()[short(path)]
        return found.final_target if isinstance(found, griffe.Alias) else found
    except (KeyError, griffe.AliasResolutionError):
        return None


def _named(entry: Entry) -> Iterator[str]:
    """Paths of what the types of an entry, and its errors, name."""
    types = [one.annotation for one in _attributes(entry)]
    for one in (entry, *methods(entry)):
        types += [parameter.annotation for parameter in parameters(one)]
        types += [error.annotation for error in section(one, Kind.raises)]
        if isinstance(one, griffe.Function):
            types.append(one.returns)
    for word in (word for one in types for word in _words(one)):
        if isinstance(word, griffe.ExprName):
            yield word.canonical_path


# --- what an entry has ----------------------------------------------------------------------------


def section(described: griffe.Object, kind: Kind) -> list:
    """Items of a docstring's sections of a kind; none where there is no docstring."""
    sections = described.docstring.parsed if described.docstring else []
    return [item for one in sections if one.kind is kind for item in one.value]


def parameters(entry: Entry) -> list[griffe.Parameter]:
    """Parameters of a class or function, without the object that a method is of."""
    of_class = isinstance(entry, griffe.Class) or isinstance(entry.parent, griffe.Class)
    return [one for one in entry.parameters if not (of_class and one.name in ("self", "cls"))]


def methods(entry: Entry) -> list[griffe.Function]:
    """Public methods of a class, those included that it inherits; none of a function."""
    return [one for one in _members(entry).values() if isinstance(one, griffe.Function)]


def _attributes(entry: Entry) -> list[_Attribute]:
    """Attributes of a class that its docstring tells of, its properties and its fields."""
    if isinstance(entry, griffe.Function):
        return []
    own = {name: one for name, one in _members(entry).items() if isinstance(one, griffe.Attribute)}
    found = []
    for told in (item for one in (entry, *entry.mro()) for item in section(one, Kind.attributes)):
        names = told.name.split(", ")
        types = {str(own[name].annotation): own[name].annotation for name in names if name in own}
        (kind,) = types.values() if len(types) == 1 else (None,)
        found.append(_Attribute(names, kind, told.description, entry))
        own = {name: one for name, one in own.items() if name not in names}
    for name, one in own.items():
        if one.docstring or "class-attribute" in one.labels or one.annotation and one.parent is entry:
            told = one.docstring.parsed[0].value if one.docstring else ""
            found.append(_Attribute([name], one.annotation, told, one))
    return found


@dataclass(frozen=True)
class _Attribute:
    """Attributes of a class that are told of together."""

    names: list[str]
    annotation: str | griffe.Expr | None
    description: str
    described_in: griffe.Object


def _members(entry: Entry) -> dict[str, griffe.Object]:
    """Public members of a class; of several of a name the first that has a docstring."""
    found: dict[str, griffe.Object] = {}
    for one in (entry, *entry.mro()) if isinstance(entry, griffe.Class) else ():
        for name, member in one.members.items():
            described = name in found and found[name].docstring
            if isinstance(member, griffe.Object) and not (name.startswith("_") or described):
                found[name] = member
    return found


def _words(expression: str | griffe.Expr | None) -> Iterator[str | griffe.ExprName]:
    """Words of a type, with what a name of the library stands for in the place of that name."""
    if isinstance(expression, str):
        yield expression
    elif expression is not None:
        for part in expression.iterate(flat=True):
            named = known(part.canonical_path) if isinstance(part, griffe.ExprName) else None
            # A call makes what is no alias, such as a variable of types.
            if isinstance(named, griffe.Attribute) and not isinstance(named.value, griffe.ExprCall):
                yield from _words(named.value)
            else:
                yield part


# --- the page -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Prose:
    """A text in reStructuredText, of an object in whose scope its names are found."""

    text: str
    owner: griffe.Object
    indent: str = ""


Piece = str | _Prose


def reference(words: Mapping[str, str], language: str, repository: str | None) -> str:
    """Write the reference as Markdown: every module with what a user calls of it.

    Parameters
    ----------
    words
        Headings of the parts of an entry, such as ``parameters``, by the names of numpydoc.
    language
        Of these headings; docstrings are English.
    repository
        Address of the repository, to link to sources in it; None for no links.
    """
    from report.preview.pandoc import convert

    writer = _Writer(words, language, repository)
    pieces = list(writer.pages())
    told = [piece for piece in pieces if isinstance(piece, _Prose)]
    # All in one go: pandoc starts as long as it takes to read all.
    source = "".join(f"{piece.text}\n\n{_END}\n\n" for piece in told)
    options = {"from": "rst", "to": "markdown", "wrap": "none", "fail-if-warnings": True}
    converted = convert(source, f"the docstrings of {LIBRARY}", options).split(_END)
    texts = iter(converted)
    return "".join(
        piece if isinstance(piece, str) else writer.linked(next(texts).strip(), piece)
        for piece in pieces
    )


_END = "xEndOfProsex"


class _Writer:
    """Writes entries, in the words of a language."""

    def __init__(self, words: Mapping[str, str], language: str, repository: str | None) -> None:
        self.words, self.language, self.repository = words, language, repository
        self.anchors = anchors()

    def pages(self) -> Iterator[Piece]:
        """Write a list of all names, and every module."""
        for path, entries in surface().items():
            names = ", ".join(f"[`{one.name}`](#{one.path})" for one in entries)
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
        return f'[**{self.words[name]}**]{{lang="{self.language}"}}'

    def _described(self, entry: griffe.Object, *kinds: Kind) -> Iterator[Piece]:
        """Texts of a docstring before its first section, or its sections of some kinds."""
        for one in entry.docstring.parsed if entry.docstring else []:
            if one.kind not in (kinds or (Kind.text,)):
                continue
            if one.kind is Kind.text:
                yield from (_Prose(one.value, entry), "\n\n")
            elif one.kind is Kind.admonition:
                yield f"{self._heading(str(one.title).lower())}\n\n"
                yield from (_Prose(one.value.contents, entry), "\n\n")
            else:
                yield f"{self._heading('examples')}\n\n"
                for kind, text in one.value:
                    if kind is Kind.text:
                        yield from (_Prose(text, entry), "\n\n")
                    else:
                        yield f"```python\n{text}\n```\n\n"

    def _parameters(self, entry: Entry) -> Iterator[Piece]:
        told = {one.name: one.description for one in section(entry, Kind.parameters)}
        if not told and isinstance(entry, griffe.Class):
            return  # they are its attributes
        if listed := parameters(entry):
            yield f"{self._heading('parameters')}\n\n"
        for one in listed:
            yield from self._item(f"**`{one.name}`**", one.annotation, told.get(one.name, ""), entry)

    def _attributes(self, entry: Entry, anchor: str) -> Iterator[Piece]:
        if listed := _attributes(entry):
            yield f"{self._heading('attributes')}\n\n"
        for one in listed:
            names = ", ".join(f"[**`{name}`**]{{#{anchor}.{name}}}" for name in one.names)
            yield from self._item(names, one.annotation, one.description, one.described_in)

    def _given(self, entry: Entry) -> Iterator[Piece]:
        if isinstance(entry, griffe.Class) or str(entry.returns) == "None":
            return
        told = section(entry, Kind.returns) + section(entry, Kind.yields)
        heading = self._heading("yields" if section(entry, Kind.yields) else "returns")
        if len(told) > 1:
            yield f"{heading} {self._type(entry.returns)}\n\n"
            for one in told:
                yield from self._item(f"**`{one.name or one.annotation}`**", None, one.description, entry)
        else:
            yield f"{heading}\n\n"
            yield from self._item("", entry.returns, told[0].description if told else "", entry)

    def _raised(self, entry: Entry) -> Iterator[Piece]:
        if told := section(entry, Kind.raises):
            yield f"{self._heading('raises')}\n\n"
        for one in told:
            yield from self._item("", one.annotation, one.description, entry)

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
        for word in _words(expression):
            text = word.name if isinstance(word, griffe.ExprName) else word.replace("'", '"')
            path = word.canonical_path if isinstance(word, griffe.ExprName) else ""
            anchor = self.anchors.get(path)
            if parts and not (anchor or parts[-1][1]):
                text = parts.pop()[0] + text
            parts.append((text, anchor))
        return "".join(f"[`{text}`](#{to})" if to else f"`{text}`" for text, to in parts)

    def _source(self, entry: Entry) -> Iterator[Piece]:
        if self.repository:
            path = f"{entry.module.path.replace('.', '/')}"
            path += "/__init__.py" if entry.module.is_package else ".py"
            where = f"{self.repository}/blob/main/{path}#L{entry.lineno}"
            yield f'[[{self.words["source"]}]({where})]{{lang="{self.language}"}}\n\n'

    def linked(self, markdown: str, prose: _Prose) -> str:
        """Make links of what a docstring refers to and the page has."""

        def link(role: re.Match[str]) -> str:
            short, path = role.groups()
            shown = f"`{path.rpartition('.')[2] if short else path}`"
            anchor = self.anchors.get(resolved(path, prose.owner) or path)
            return f"[{shown}](#{anchor})" if anchor else shown

        return textwrap.indent(_ROLE.sub(link, markdown), prose.indent).removeprefix(prose.indent)


@cache
def anchors() -> dict[str, str]:
    """Anchors of the page, by every path under which what is there can be referred to."""
    found: dict[str, str] = {}
    for path, entries in surface().items():
        found[path] = path
        package = path.rpartition(".")[0]
        for entry in entries:
            found[entry.path] = entry.path
            # Packages hand on what their modules offer.
            found.setdefault(f"{package}.{entry.name}", entry.path)
            within = [one.name for one in methods(entry)]
            within += [name for one in _attributes(entry) for name in one.names]
            for name in within:
                found[f"{entry.path}.{name}"] = f"{entry.path}.{name}"
    return found


def resolved(path: str, owner: griffe.Object) -> str | None:
    """Path of what a docstring refers to, as Sphinx finds it; None for what is not there."""
    first, _, rest = path.partition(".")
    scopes = [f"{owner.path}.{path}", path]
    try:
        scopes.insert(1, ".".join(filter(None, (owner.resolve(first), rest))))
    except griffe.NameResolutionError:
        pass
    return next((one for one in scopes if one in anchors() or known(one)), None)


def short(path: str) -> str:
    """Path within the library."""
    return path.removeprefix(f"{LIBRARY}.")


def signature(entry: Entry, name: str) -> str:
    """Write how a class or function is called, without types; a class of fields by its name."""
    prefix = "class " if isinstance(entry, griffe.Class) else ""
    if prefix and not section(entry, Kind.parameters):
        return f"{prefix}{name}"
    listed = []
    kinds = griffe.ParameterKind
    given = parameters(entry)
    for place, one in enumerate(given):
        before = given[place - 1].kind if place else None
        if one.kind is kinds.keyword_only and before not in (kinds.keyword_only, kinds.var_positional):
            listed.append("*")
        stars = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(one.kind, "")
        plain = one.default is None or stars
        listed.append(f"{stars}{one.name}" + ("" if plain else f"={one.default}"))
    line = f"{prefix}{name}({', '.join(listed)})"
    if len(line) <= WIDEST:
        return line
    return f"{prefix}{name}(\n" + "".join(f"    {one},\n" for one in listed) + ")"
