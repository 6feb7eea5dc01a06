"""Changes of JSON files, such as those of a model."""

import json
from pathlib import Path


def rewrite(directory: Path, file: str = "config.json", **changes: object) -> None:
    """Lay keys over those of a file."""
    path = directory / file
    values = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(values), encoding="utf-8")
