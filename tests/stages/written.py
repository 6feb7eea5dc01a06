"""What stages have written below a directory."""

import hashlib
from pathlib import Path


def hashes(directory: Path) -> dict[str, str]:
    """Path of each artifact and result -> SHA-256."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("artifacts", "results")
        for path in sorted((directory / part).rglob("*"))
        if path.is_file()
    }
