"""Which modules of this repository a module runs, read from its source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("analysis", "report")


@cache
def closure(*start: Path) -> frozenset[Path]:
    """All files of this repository that a run of ``start`` may import, itself included."""
    reached: set[Path] = set()
    waiting = [*start, *(init for path in start for init in _packages(path))]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += imported(path)
    return frozenset(reached)


def _packages(path: Path) -> list[Path]:
    """List what running a module of a package runs first."""
    folders = [path.parent, *path.parent.parents]
    inits = [folder / "__init__.py" for folder in folders if folder.is_relative_to(ROOT)]
    return [init for init in inits if init.is_file()]


def imported(path: Path) -> set[Path]:
    """Files of this repository that a module imports, inside functions too."""
    found: set[Path] = set()
    for node in run_nodes(tree(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = path.relative_to(ROOT).parts[: -node.level]
                base = ".".join([*package, *([base] if base else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            # Importing a.b.c also runs a/__init__.py and a/b/__init__.py.
            steps = (".".join(parts[: i + 1]) for i in range(len(parts)))
            found |= {file for step in steps if (file := _file(step)) is not None}
    return found


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk over what runs: not over imports that only a type checker reads."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        yield from run_nodes(child)


@cache
def tree(path: Path) -> ast.Module:
    """Syntax of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(name: str) -> Path | None:
    """File of a module of this repository; None for a package's attribute or a library."""
    path = ROOT / name.replace(".", "/")
    if not name.startswith(PACKAGES):
        return None
    if path.with_suffix(".py").is_file():
        return path.with_suffix(".py")
    return path / "__init__.py" if (path / "__init__.py").is_file() else None
