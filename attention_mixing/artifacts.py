"""Read what stages have written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NotRequired

import pandas as pd
from pyarrow import ArrowException
from pydantic import TypeAdapter
from safetensors import SafetensorError
from safetensors.numpy import load_file
from typing_extensions import TypedDict

from attention_mixing.errors import ANEW, InputError
from attention_mixing.schemas import MEASURED, UNNAMED

MANIFEST = "manifest.json"  # of what a stage wrote: its schema, and more
# What to do about a file that no stage writes, by the directory that it lies in.
RESTORED = {
    "reference": "restore it with `git checkout HEAD {path}`",
    "runs": "`rm {path}`, and run again",
}


def read_artifact(path: Path, kind: Any = dict[str, Any]) -> Any:
    """Read a table (``.parquet``), arrays by name (``.safetensors``) or JSON, by the ending.

    JSON is read as a ``kind``, a type that pydantic knows. A file that is missing or damaged, or
    holds something else, is refused.
    """
    try:
        match path.suffix:
            case ".parquet":
                return pd.read_parquet(path)
            case ".safetensors":
                return load_file(path)
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except (OSError, ValueError, ArrowException, SafetensorError):
        restored = RESTORED.get(path.parts[0], ANEW)
        raise InputError(f"{path} is missing or corrupted; {restored.format(path=path)}.") from None


def require_measured(directory: Path) -> None:
    """Refuse what measures of another version wrote: ``artifacts/EXPERIMENT/GROUP/SEED``.

    The error says what has changed and what to do. A manifest that is missing or corrupted is
    refused too.
    """
    MEASURED.require(schema_of(directory / MANIFEST), directory, ANEW)


class _Versioned(TypedDict):
    schema: NotRequired[int]


def schema_of(path: Path) -> int:
    """Read which version of its layout a manifest or note, a JSON file, names; 0 for none.

    A file that is missing or corrupted is refused.
    """
    noted: _Versioned = read_artifact(path, _Versioned)
    return noted.get("schema", UNNAMED)
