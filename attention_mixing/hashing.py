"""Hashes of files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """Hash a file, in hexadecimal digits, without reading it into memory at once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
