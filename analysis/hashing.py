"""Hashes of files, and of what a module runs."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from pathlib import Path


def file_sha256(path: Path) -> str:
    """Hash a file without reading it into memory at once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_sha256(path: Path) -> str:
    """Hash what a module runs, so that an edited comment or docstring changes nothing."""
    source = path.read_text(encoding="utf-8")
    return hashlib.sha256(without_comments(source).encode()).hexdigest()


def without_comments(source: str) -> str:
    """Source of a module without comments, docstrings and blank lines.

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
