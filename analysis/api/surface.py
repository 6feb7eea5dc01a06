"""What a user of the library calls, and what its signatures and docstrings say.

Read off the sources by griffe, so nothing is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import griffe

from attention_mixing.source_code import ROOT

LIBRARY = "attention_mixing"
METHODS = f"{LIBRARY}.methods."

Entry = griffe.Class | griffe.Function
Kind = griffe.DocstringSectionKind


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
