"""Hashes of files, and of what a module runs."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from pathlib import Path

PROJECT = __name__.partition(".")[0]


def file_sha256(path: Path) -> str:
    """Hash a file without reading it into memory at once.

    Parameters
    ----------
    path
        Of any file.

    Returns
    -------
    str
        In hexadecimal digits.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_sha256(path: Path) -> str:
    """Hash what a module runs, so that an edited comment or docstring changes nothing.

    Parameters
    ----------
    path
        Of a module.

    Returns
    -------
    str
        In hexadecimal digits.
    """
    source = path.read_text(encoding="utf-8")
    return hashlib.sha256(without_comments(source).encode()).hexdigest()


def arithmetic_sha256(path: Path) -> str:
    """Hash what a module computes: what it runs, without what it says and declares.

    An edited message of an error changes nothing, nor does the table ``MEASURES``, which says of
    functions under which names and for what they are taken; nor where in the project what is
    imported stands, for that is hashed itself if it computes.

    Parameters
    ----------
    path
        Of a module.

    Returns
    -------
    str
        In hexadecimal digits.
    """
    source = path.read_text(encoding="utf-8")
    return hashlib.sha256(without_comments(without_names(source)).encode()).hexdigest()


def without_names(source: str) -> str:
    """Blank messages of errors, ``MEASURES``, and imports of the project in a module.

    Parameters
    ----------
    source
        Of a module.

    Returns
    -------
    str
        Source with as many lines.
    """
    lines = [line.encode() for line in source.split("\n")]  # columns of a node count bytes
    for node in ast.walk(ast.parse(source)):
        replacement = b""
        match node:
            case ast.Raise(exc=ast.expr(lineno=first, col_offset=start)):
                pass
            case ast.Assign(targets=[ast.Name(id="MEASURES")], lineno=first, col_offset=start):
                pass
            case ast.ImportFrom(module=str(module), lineno=first, col_offset=start) if (
                module.partition(".")[0] == PROJECT
            ):
                replacement = b"pass" if start else b""  # a block needs a statement
            case _:
                continue
        last_line, end = int(node.end_lineno or first), node.end_col_offset
        rest = lines[last_line - 1][end:]
        lines[first - 1 : last_line] = [
            lines[first - 1][:start] + replacement,
            *[b""] * (last_line - first),
        ]
        lines[last_line - 1] += rest
    return b"\n".join(lines).decode()


def without_comments(source: str) -> str:
    """Leave out comments, docstrings and blank lines of a module.

    What is left is text of the source, not a dump of its syntax tree: such a dump differs between
    versions of Python.

    Parameters
    ----------
    source
        Of a module.

    Returns
    -------
    str
        Source of what runs.
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
