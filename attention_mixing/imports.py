"""Which modules of this repository a module runs, read from its source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def closure(*start: Path) -> frozenset[Path]:
    """Find all files of this repository that a run of ``start`` may import, itself included.

    Parameters
    ----------
    start
        Modules of this repository.

    Returns
    -------
    frozenset of Path
        Packages that are imported on the way included.
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
    """Find the files of this repository that a module imports, inside functions too.

    Parameters
    ----------
    path
        Of a module.

    Returns
    -------
    frozenset of Path
        Direct imports only.
    """
    names: set[str | None] = set()
    for node in run_nodes(tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):  # by their whole names: no import is relative
            names.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return frozenset(file for name in names if (file := _file(str(name))) is not None)


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk over what runs: not over imports that only a type checker reads.

    Parameters
    ----------
    node
        Of a syntax tree.

    Yields
    ------
    AST
        Every node below it, itself included.
    """
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.If) and getattr(inner.test, "id", "") == "TYPE_CHECKING":
            continue
        yield inner
        waiting += ast.iter_child_nodes(inner)


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file, once.

    Parameters
    ----------
    path
        Of a module.

    Returns
    -------
    Module
        Its syntax tree.
    """
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(name: str) -> Path | None:
    """File of a module of this repository; None for a package's attribute or a library."""
    path = ROOT / name.replace(".", "/")
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)
