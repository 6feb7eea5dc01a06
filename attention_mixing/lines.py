"""Lines of a file that a user names."""

from __future__ import annotations

import re
from pathlib import Path

from attention_mixing.errors import InputError, first_line, shortened


def read_lines(path: Path, option: str, allowed: str) -> dict[int, str]:
    """Read the lines of a file that hold more than white space, by their numbers from 1.

    A file that cannot be read as UTF-8 is refused: ``option`` is what names it on the command
    line, and ``allowed`` says what it may be.
    """
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{option} is {shortened(path)}, which cannot be read ({first_line(error)}); allowed: "
            f"{allowed}; correct the path."
        ) from None
    # Lines as editors count them; str.splitlines also cuts at U+2028 and the like.
    lines = enumerate(re.split("\r\n|\r|\n", content), start=1)
    return {number: line for number, line in lines if line.strip()}
