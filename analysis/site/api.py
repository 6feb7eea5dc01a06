"""The reference of the library as the page ``api`` shows it: Markdown.

What a user of the library calls, and what its signatures and docstrings say, griffe reads off the
sources, so nothing is imported. Docstrings are reStructuredText, which pandoc turns into it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import griffe

from analysis.paths import ROOT

LIBRARY = "attention_mixing"
METHODS = f"{LIBRARY}.methods."

Entry = griffe.Class | griffe.Function
Kind = griffe.DocstringSectionKind
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

    ``headings`` are those of the parts of an entry, such as ``parameters``, by the names of
    numpydoc, and ``language`` is theirs; docstrings are English. Sources link to ``repository``, an
    address; None for no links.
    """
    from analysis.site.source.pandoc import convert

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
    classes = [member for member in named if isinstance(member, griffe.Class)]
    entries = {entry.path: entry for entry in [*declared, *classes]}
    by_module: dict[str, list[Entry]] = {}
    for entry in sorted(entries.values(), key=lambda entry: (entry.module.path, entry.lineno or 0)):
        by_module.setdefault(entry.module.path, []).append(entry)
    return by_module


def _modules(package: griffe.Module) -> Iterator[griffe.Module]:
    yield package
    for module in package.modules.values():
        yield from _modules(module)


def _declared(module: griffe.Module) -> list[Entry]:
    if module.exports is not None:
        offered = [known(f"{module.path}.{name}") for name in module.exports]
    elif module.path.startswith(METHODS):
        public = (member for name, member in module.members.items() if not name.startswith("_"))
        offered = [member for member in public if isinstance(member, griffe.Object)]
    else:
        offered = []
    return [member for member in offered if isinstance(member, Entry)]


def known(path: str) -> griffe.Object | None:
    """Find an object of the library, where it is defined; None for any other path."""
    if not path.startswith(f"{LIBRARY}."):
        return None
    try:
        member = library()[short(path)]
        return member.final_target if isinstance(member, griffe.Alias) else member
    except (KeyError, griffe.AliasResolutionError):
        return None


def _named(entry: Entry) -> Iterator[str]:
    """Paths of what the types of an entry, and its errors, name."""
    types = [attribute.annotation for attribute in attributes(entry)]
    for member in (entry, *methods(entry)):
        types += [parameter.annotation for parameter in parameters(member)]
        types += [error.annotation for error in section(member, Kind.raises)]
        if isinstance(member, griffe.Function):
            types.append(member.returns)
    for word in (word for annotation in types for word in words(annotation)):
        if isinstance(word, griffe.ExprName):
            yield word.canonical_path


def section(described: griffe.Object, kind: Kind) -> list:
    """Items of a docstring's sections of a kind; none where there is no docstring."""
    sections = described.docstring.parsed if described.docstring else []
    return [item for parsed in sections if parsed.kind is kind for item in parsed.value]


def parameters(entry: Entry) -> list[griffe.Parameter]:
    """Parameters of a class or function, without the object that a method is of."""
    of_class = isinstance(entry, griffe.Class) or isinstance(entry.parent, griffe.Class)
    return [
        parameter
        for parameter in entry.parameters
        if not (of_class and parameter.name in ("self", "cls"))
    ]


def methods(entry: Entry) -> list[griffe.Function]:
    """Public methods of a class, those included that it inherits; none of a function."""
    return [member for member in _members(entry).values() if isinstance(member, griffe.Function)]


def attributes(entry: Entry) -> list[Attributes]:
    """Attributes of a class that its docstring tells of, its properties and its fields."""
    if isinstance(entry, griffe.Function):
        return []
    undescribed = {
        name: member
        for name, member in _members(entry).items()
        if isinstance(member, griffe.Attribute)
    }
    listed = []
    for owner in (entry, *entry.mro()):
        for described in section(owner, Kind.attributes):
            names = described.name.split(", ")
            members = [undescribed.pop(name) for name in names if name in undescribed]
            types = {str(member.annotation): member.annotation for member in members}
            (kind,) = types.values() if len(types) == 1 else (None,)
            listed.append(Attributes(names, kind, described.description, owner))
    for name, member in undescribed.items():
        if member.docstring or member.annotation:
            text = member.docstring.parsed[0].value if member.docstring else ""
            listed.append(Attributes([name], member.annotation, text, member))
    return listed


@dataclass(frozen=True)
class Attributes:
    """Attributes of a class that are told of together."""

    names: list[str]
    annotation: str | griffe.Expr | None
    description: str
    described_in: griffe.Object


def _members(entry: Entry) -> dict[str, griffe.Object]:
    """Public members of a class; of several of a name the first that has a docstring."""
    members: dict[str, griffe.Object] = {}
    for owner in (entry, *entry.mro()) if isinstance(entry, griffe.Class) else ():
        for name, member in owner.members.items():
            described = name in members and members[name].docstring
            if isinstance(member, griffe.Object) and not (name.startswith("_") or described):
                members[name] = member
    return members


def words(expression: str | griffe.Expr | None) -> Iterator[str | griffe.Expr]:
    """Words of a type, with what a name of the library stands for in the place of that name."""
    if isinstance(expression, str):
        yield expression
    elif expression is not None:
        for piece in expression.iterate(flat=True):
            named = known(piece.canonical_path) if isinstance(piece, griffe.ExprName) else None
            # A call makes what is no alias, such as a variable of types.
            if isinstance(named, griffe.Attribute) and not isinstance(named.value, griffe.ExprCall):
                yield from words(named.value)
            else:
                yield piece


@cache
def anchors() -> dict[str, str]:
    """Anchors of the page, by every path under which what is there can be referred to."""
    targets: dict[str, str] = {}
    for path, entries in surface().items():
        targets[path] = path
        package = path.rpartition(".")[0]
        for entry in entries:
            targets[entry.path] = entry.path
            # Packages hand on what their modules offer.
            targets.setdefault(f"{package}.{entry.name}", entry.path)
            within = [method.name for method in methods(entry)]
            within += [name for attribute in attributes(entry) for name in attribute.names]
            for name in within:
                targets[f"{entry.path}.{name}"] = f"{entry.path}.{name}"
    return targets


def resolved(path: str, owner: griffe.Object) -> str | None:
    """Path of what a docstring refers to, as Sphinx finds it; None for what is not there."""
    first, _, rest = path.partition(".")
    scopes = [f"{owner.path}.{path}", path]
    try:
        scopes.insert(1, ".".join(filter(None, (owner.resolve(first), rest))))
    except griffe.NameResolutionError:
        pass
    return next((scope for scope in scopes if scope in anchors() or known(scope)), None)


def short(path: str) -> str:
    """Path within the library."""
    return path.removeprefix(f"{LIBRARY}.")
