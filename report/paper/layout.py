"""How tables and long names of a fragment fit into a line of the paper."""

import re
import unicodedata
from collections.abc import Iterable

from report.paper.tree import BLOCKS, Node, span, summary

# What may be broken where it has no spaces: paths, hashes, names of parameters.
_LONG = 18
_BREAK = "\u200b"
_NARROW = re.compile(r"[!-~]+")
# Stands for the sign of a verdict with the space after it, which no line may end with; half ems.
_SIGN, _SIGN_WIDTH = "\ue000", 3
# Points: sizes of type that a table may have, and what a line has room for.
_SIZES = (8.5, 8, 7.5, 7, 6.5, 6)
_LINE = 160 * 72 / 25.4
# A table of so many rows is kept on one page.
_SHORT = 8


def table_layout(count: int, rows: list[tuple[bool, list[Node]]]) -> str:
    """First arguments of `sheet` in paper.typ: size of type, columns, and whether pages may break.

    Parameters
    ----------
    count
        Number of columns.
    rows
        As `table_rows` returns them.
    """
    breaks = "true" if len(rows) > _SHORT else "false"
    return f"{_columns(count, rows)}, breakable: {breaks}"


def breakable(text: str) -> str:
    """Mark by a space of width zero where a long path, hash or name may be broken."""

    def cut(run: re.Match[str]) -> str:
        parts = re.findall(r"[^/_.,:@=-]*[/_.,:@=-]+|[^/_.,:@=-]+", run[0])
        pieces = [part[i : i + _LONG] for part in parts for i in range(0, len(part), _LONG)]
        return _BREAK.join(pieces) if len(run[0]) > _LONG else run[0]

    return _NARROW.sub(cut, text)


def _columns(count: int, rows: list[tuple[bool, list[Node]]]) -> str:
    """Size of type and widths of columns with which a table fits into a line.

    Where all lines fit unbroken, in type that is not too small, a column is as wide as it likes.
    Else each has room for its widest word, and what is left goes to those that want more.
    """
    least, most = [1] * count, [1] * count
    for _, row in rows:
        index = 0
        for cell in row:
            if span(cell, "colspan") == 1:
                text = _lines(cell).replace(f"{_SIGN} ", _SIGN)
                words = re.split(rf"[ \n{_BREAK}]+", breakable(text))
                least[index] = max(least[index], *map(_width, words))
                most[index] = max(most[index], *(_width(one, None) for one in text.split("\n")))
            index += span(cell, "colspan")

    def fitting(widths: list[int], sizes: Iterable[float]) -> float | None:
        # Widths are half ems; a column has one and a half of them on either side.
        needed = sum(widths) + 3 * count
        return next((size for size in sizes if needed <= _LINE / (size / 2)), None)

    size = fitting(most, _SIZES[:3])
    if size:
        return f"{size}pt, {count}"
    size = fitting(least, _SIZES[2:] if len(rows) > _SHORT else _SIZES) or _SIZES[-1]
    left = max(_LINE / (size / 2) - sum(least) - 3 * count, 0)
    wanted = sum(most) - sum(least)
    widths = (low + 3 + left * (high - low) / wanted for low, high in zip(least, most, strict=True))
    return f"{size}pt, ({', '.join(f'{width:.1f}fr' for width in widths)},)"


def _lines(node: Node | str) -> str:
    """Text with a line break where a browser shows one."""
    if isinstance(node, str):
        return re.sub(r"\s+", " ", node)
    if node.dropped:
        return "".join(_lines(one) + " " for one in summary(node))
    if "sign" in node.classes:
        return _SIGN
    inside = "".join(_lines(child) for child in node.children)
    return f"\n{inside}\n" if node.tag in BLOCKS | {"br", "li"} else inside


def _width(text: str, wide_at_most: int | None = 14) -> int:
    """Width in half ems; lines may end between wide characters, but not after every one."""
    wide = 2 * sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    signs = _SIGN_WIDTH * text.count(_SIGN)
    if wide_at_most is None:
        return wide + signs + len(text.replace(_SIGN, "")) - wide // 2
    return (
        signs
        + min(wide, wide_at_most)
        + max((len(run) for run in _NARROW.findall(text)), default=0)
    )
