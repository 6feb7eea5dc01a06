"""Files of texts on this machine: which are read, as UTF-8, JSON in them, and how many rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from attention_mixing.errors import InputError, quoted, shortened
from attention_mixing.hashing import file_sha256
from attention_mixing.settings.sources import LocalSplits

_Read = TypeVar("_Read")
ROWS = 10_000_000  # of one file; each takes 200 bytes of memory besides its text


def read_splits(
    data: LocalSplits, read: Callable[[str, Path], _Read]
) -> tuple[dict[str, _Read], dict[str, str]]:
    """Read the local files of a corpus, paths being relative to the current directory.

    ``read`` is given how messages name a file (its key and what the user gave) and its path. Gives
    what was read, by split, those without a file left out; and what the origin says: each path as
    given with its size in bytes and its sha256. A file that cannot be read is refused, and what
    ``read`` refuses.
    """
    contents: dict[str, _Read] = {}
    origin: dict[str, str] = {"source": data.source}
    for split, file in {"train": data.train, "test": data.test}.items():
        if file is None:
            continue
        where, path = f"data.{split} ({file})", Path(file)
        try:
            contents[split] = read(where, path)
            origin[split] = file
            origin[f"{split}_bytes"] = str(path.stat().st_size)
            origin[f"{split}_sha256"] = file_sha256(path)
        except OSError as error:
            raise InputError(
                f"{where} cannot be read ({error.strerror or error}); paths are relative to the "
                f"directory of the run ({Path.cwd()}), and it must be a file."
            ) from None
    return contents, origin


def read_text(where: str, path: Path) -> str:
    """Read a whole file as UTF-8, without the byte order mark that some programs put first.

    Anything else is refused, with the line and the byte, and so is what :func:`require_few`
    refuses.
    """
    raw = path.read_bytes()
    require_few(where, raw.count(b"\n"))
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(
            f"{where}, line {line}: not UTF-8 (byte {error.start} of the file); save it as UTF-8."
        ) from None


def require_few(where: str, rows: int) -> None:
    """Refuse a file of more than ``ROWS`` rows, which it is better not to begin to read."""
    if rows > ROWS:
        raise InputError(
            f"{where} has {rows:,} rows; allowed: at most {ROWS:,}, as all are held in memory, "
            "whatever data.limits says; save a part of them and name that file."
        )


def from_json(text: str) -> Any:
    """Parse JSON, every key of an object once; the standard library keeps the last of several.

    A ``ValueError`` says in a clause what is wrong, also with deep nesting or an integer of 4,300
    digits.
    """
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(clause(error).partition("; use sys.")[0]) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(entries := dict(pairs)) < len(pairs):
        ((key, times),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {quoted(key)} occurs {times} times in {quoted(entries)}")
    return entries


def clause(error: Exception) -> str:
    """Fit what a library says into a sentence of ours: one line, no full stops."""
    return shortened(" ".join(str(error).split()).rstrip(".").replace(". ", "; "))
