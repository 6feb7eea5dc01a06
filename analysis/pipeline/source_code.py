"""What a module of this repository imports and runs, read off its source without running it."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from analysis.paths import ROOT


@cache
def closure(*start: Path) -> frozenset[Path]:
    """Find all files of this repository that a run of ``start`` may import, itself included.

    Packages that are imported on the way are among them.
    """
    reached: set[Path] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += [*imported(path), *_packages(path)]
    return frozenset(reached)


def _packages(path: Path) -> list[Path]:
    """List what running a module of a package runs first."""
    inits = [folder / "__init__.py" for folder in path.relative_to(ROOT).parents]
    return [ROOT / init for init in inits if (ROOT / init).is_file()]


@cache
def imported(path: Path) -> frozenset[Path]:
    """Find the files of this repository that a module imports directly, inside functions too."""
    names: set[str | None] = set()
    for node in run_nodes(tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):  # by their whole names: no import is relative
            names.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return frozenset(file for name in names if (file := _file(str(name))) is not None)


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk over a node and what runs below it: not over imports that only a type checker reads."""
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.If) and getattr(inner.test, "id", "") == "TYPE_CHECKING":
            continue
        yield inner
        waiting += ast.iter_child_nodes(inner)


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file, once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(name: str) -> Path | None:
    """File of a module of this repository; None for a package's attribute or a library."""
    path = ROOT / name.replace(".", "/")
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def code_sha256(path: Path) -> str:
    """Hash what a module runs, in hexadecimal digits: no edited comment or docstring changes it."""
    source = path.read_text(encoding="utf-8")
    return hashlib.sha256(without_comments(source).encode()).hexdigest()


def without_comments(source: str) -> str:
    """Leave out comments, docstrings and blank lines of a module.

    What is left is text of the source, not a dump of its syntax tree: such a dump differs between
    versions of Python.
    """
    lines = source.split("\n")
    idle = set()  # rows on which nothing runs, unless something is left of them
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        row, column = token.start[0] - 1, token.start[1]
        if token.type == tokenize.COMMENT:
            lines[row] = lines[row][:column].rstrip()
        if token.type in (tokenize.COMMENT, tokenize.NL):
            idle.add(row)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                lines[first - 1 : last] = [""] * (last - first + 1)
                idle.update(range(first - 1, last))
    return "\n".join(line for row, line in enumerate(lines) if line.strip() or row not in idle)
