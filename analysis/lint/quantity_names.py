"""Hold every name of a quantity in rules and in what pages show against what measures give.

A name that no measure gives would make a rule untested and a figure empty, without a word. Rules
are data; the modules of pages are read from their source, as far as a name stands there or in a
constant. What is put together only when it is drawn is held against the same declarations by
:mod:`analysis.results.summary`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from analysis.paths import REPORT, ROOT
from analysis.pipeline.source_code import tree
from analysis.rules.rule import Extreme, Rule, read
from analysis.rules.selection import NAMED, Named, Rows, require_given
from attention_mixing.measures import GROUPS, declared

READERS = ("contrasts", "curves", "of_focus", "of_heads", "overall", "value")


def require_names() -> None:
    """Refuse a rule, figure or notebook that names what no measure gives.

    The message has the first of them, with what is given in its place.
    """
    given = [row for group in GROUPS for row in declared(group)]
    rules = REPORT / "rules.yaml"
    for rule in read(ROOT / rules):
        for named in asked_by(rule):
            require_given(f"{rules}: rule {rule.id}", given, named)
    for folder in ("results", "prose", "figures", "chapters"):
        for path in sorted((ROOT / "analysis" / folder).rglob("*.py")):
            for line, named in drawn_by(path):
                require_given(f"{path.relative_to(ROOT)}:{line}", given, named)


# --- rules ----------------------------------------------------------------------------------------


def asked_by(rule: Rule) -> Iterator[Named]:
    """Give the names of all that a rule reads of measures."""
    for quantity in rule.quantities:
        if quantity.texts is not None and quantity.texts.other is not None:
            yield _rows(quantity.texts.other)
        if quantity.curve is not None and quantity.curve.references is not None:
            yield _rows(quantity.curve, quantity=quantity.curve.references)
        rows = quantity.texts or quantity.curve or quantity.heads
        if rows is not None:
            yield _rows(rows)
    for choice in rule.choices.values():
        yield _rows(choice)


def _rows(rows: Rows, **replaced: str) -> Named:
    where: dict[str, Any] = {"measure": rows.measure, "quantity": rows.quantity, **replaced}
    where |= {str(column): name for column, name in rows.where.items()}
    if isinstance(rows, Extreme):
        where[rows.by] = rows.among
    names = {column: where[column] for column in NAMED if column in where}
    return {c: [n] if isinstance(n, str) else list(n) for c, n in names.items()}


# --- figures and notebooks ------------------------------------------------------------------------


def drawn_by(path: Path) -> Iterator[tuple[int, Named]]:
    """Give line and names of what a module reads of the summary, as its source has them."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.Call(func=ast.Name(id="by_measure"), args=[_, quantities, *_]):
                if names := _names(constant(path, quantities)):
                    yield node.lineno, {"quantity": names}
            case ast.Call(func=ast.Name(id=str(reader)), args=[measure, *_], keywords=keywords):
                if reader not in READERS:
                    continue
                asked = {"measure": measure} | {one.arg: one.value for one in keywords if one.arg}
                yield (
                    node.lineno,
                    {
                        column: names
                        for column, expression in asked.items()
                        if column in NAMED and (names := _names(constant(path, expression)))
                    },
                )
            case (
                ast.Compare(
                    left=ast.Subscript(slice=ast.Constant(value="quantity" | "measure" as column)),
                    comparators=[compared],
                )
                | ast.Call(
                    func=ast.Attribute(
                        value=ast.Subscript(
                            slice=ast.Constant(value="quantity" | "measure" as column)
                        ),
                        attr="isin",
                    ),
                    args=[compared],
                )
            ):
                if names := _names(constant(path, compared)):
                    yield node.lineno, {column: names}


def _names(value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple | dict):
        return []
    return [name for name in names if name] if all(isinstance(n, str) for n in names) else []


@cache
def constants(path: Path) -> dict[str, ast.expr | str]:
    """Names of a module -> what they are assigned, or the module that they are imported from."""
    assigned: dict[str, ast.expr | str] = {}
    for node in tree(path).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                assigned[name] = value
            case ast.ImportFrom(module=str(module), names=aliases):
                assigned |= {alias.asname or alias.name: module for alias in aliases}
    return assigned


def constant(path: Path, node: ast.expr) -> Any:
    """Value of an expression of constants; None where it cannot be told from the source."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            assigned = constants(path).get(name)
            if isinstance(assigned, str):
                module = _module(assigned)
                return constant(module, node) if module and module != path else None
            return None if assigned is None else constant(path, assigned)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            package = constants(path).get(module)
            file = _module(f"{package}.{module}") if isinstance(package, str) else None
            return constant(file, ast.Name(id=name)) if file else None
        case ast.Dict(keys=keys):
            return _all(path, [key for key in keys if key is not None])
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[sequence]):
            return constant(path, sequence)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return _all(path, elements)
    return None


def _all(path: Path, elements: Sequence[ast.expr]) -> list[Any] | None:
    values: list[Any] = []
    for element in elements:
        inner = element.value if isinstance(element, ast.Starred) else element
        value = constant(path, inner)
        if value is None:
            return None
        values += value if isinstance(element, ast.Starred) else [value]
    return values


def _module(name: str) -> Path | None:
    file = ROOT / f"{name.replace('.', '/')}.py"
    return file if file.is_file() else None
