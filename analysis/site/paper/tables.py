"""How tables and long names of a fragment fit into a line of the paper."""

import re
import unicodedata

from analysis.site.source.tree import BLOCKS, Node, span, summary

# What may be broken where it has no spaces: paths, hashes, names of parameters.
_LONG = 18
_BREAK = "\u200b"
_NARROW = re.compile(r"[!-~]+")
# Stands for the sign of a verdict with the space after it, which no line may end with; half ems.
_SIGN, _SIGN_WIDTH = "\ue000", 3
# Points: sizes of type that a table may have, the last ones for one that fits in no other, and what
# a line has room for.
_SIZES = (8.5, 8, 7.5, 7, 6.5, 6)
_LINE = 160 * 72 / 25.4
# Half ems that a column has on its two sides.
_GAPS = 3
# A table of so many rows is kept on one page.
_SHORT = 8

Rows = list[tuple[bool, list[Node]]]
"""Rows of a table, each with whether it belongs to the head."""


def fit_into_line(rows: Rows) -> tuple[Rows, str]:
    """Rows of a table that fits into a line, and the first arguments of its `sheet` in paper.typ.

    Where a table is too wide for type that is read with ease, its columns become its rows. Where
    all lines fit unbroken, a column is as wide as it likes. Else each has room for its widest word,
    and what is left goes to those that want more. `rows` are as `table_rows` returns them.
    """
    layouts = [rows, *_turned(rows)]
    for size in _SIZES:
        for layout in layouts:
            if columns := _columns(layout, size):
                return layout, columns
    return rows, _columns(rows, _SIZES[-1], forced=True)


def breakable(text: str) -> str:
    """Mark by a space of width zero where a long path, hash or name may be broken."""

    def cut(run: re.Match[str]) -> str:
        parts = re.findall(r"[^/_.,:@=-]*[/_.,:@=-]+|[^/_.,:@=-]+", run[0])
        pieces = [part[i : i + _LONG] for part in parts for i in range(0, len(part), _LONG)]
        return _BREAK.join(pieces) if len(run[0]) > _LONG else run[0]

    return _NARROW.sub(cut, text)


def _turned(rows: Rows) -> list[Rows]:
    """Return the table with its columns as rows, where every cell is one of a column and a row."""
    (heading, _), *others = rows
    whole = all(
        span(cell, name) == 1 for _, row in rows for cell in row for name in ("colspan", "rowspan")
    )
    if not whole or not heading or any(is_heading for is_heading, _ in others):
        return []
    columns = zip(*(row for _, row in rows), strict=True)
    return [[(index == 0, list(column)) for index, column in enumerate(columns)]]


def _columns(rows: Rows, size: float, *, forced: bool = False) -> str:
    """Size of type, columns and whether pages may break a table; empty if it does not fit."""
    least, most = _widths(rows)
    long = len(rows) > _SHORT
    breaks = f"breakable: {'true' if long else 'false'}"
    room = _LINE / (size / 2) - _GAPS * len(most)
    if sum(most) <= room:
        return f"{size}pt, {len(most)}, {breaks}"
    # A long table whose lines are broken is never in the largest type, to stay short.
    if not forced and (sum(least) > room or (long and size == _SIZES[0])):
        return ""
    share = max(room - sum(least), 0) / max(sum(most) - sum(least), 1)
    widths = (low + _GAPS + share * (high - low) for low, high in zip(least, most, strict=True))
    return f"{size}pt, ({', '.join(f'{width:.1f}fr' for width in widths)},), {breaks}"


def _widths(rows: Rows) -> tuple[list[int], list[int]]:
    """Half ems that every column needs for its widest word, and for its widest line."""
    count = max(sum(span(cell, "colspan") for cell in row) for _, row in rows)
    least, most = [1] * count, [1] * count
    for _, row in rows:
        index = 0
        for cell in row:
            if span(cell, "colspan") == 1:
                text = _lines(cell).replace(f"{_SIGN} ", _SIGN)
                words = re.split(rf"[ \n{_BREAK}]+", breakable(text))
                least[index] = max(least[index], *map(_width, words))
                most[index] = max(most[index], *(_width(line, None) for line in text.split("\n")))
            index += span(cell, "colspan")
    return least, most


def _lines(node: Node | str) -> str:
    """Text with a line break where a browser shows one."""
    if isinstance(node, str):
        return re.sub(r"\s+", " ", node)
    if node.dropped:
        return "".join(_lines(child) + " " for child in summary(node))
    if "sign" in node.classes:
        return _SIGN
    inside = "".join(_lines(child) for child in node.children)
    return f"\n{inside}\n" if node.tag in BLOCKS | {"br", "li"} else inside


def _width(text: str, wide_at_most: int | None = 10) -> int:
    """Width in half ems; lines may end between wide characters, but not after every one."""
    wide = 2 * sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    signs = _SIGN_WIDTH * text.count(_SIGN)
    if wide_at_most is None:
        return wide + signs + len(text.replace(_SIGN, "")) - wide // 2
    return signs + max(min(wide, wide_at_most), *map(len, _NARROW.findall(text)), 0)
