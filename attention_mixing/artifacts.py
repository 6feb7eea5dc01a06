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

from attention_mixing.errors import InputError
from attention_mixing.schemas import ANEW, MEASURED, UNNAMED

MANIFEST = "manifest.json"  # of what a stage wrote: its schema, and more
# What to do about a file that no stage writes, by the directory that it lies in.
RESTORED = {
    "reference": "restore it with `git checkout HEAD {path}`",
    "runs": "`rm {path}`, and run again",
}


def read_artifact(path: Path, kind: Any = dict[str, Any]) -> Any:
    """Read a table, arrays or JSON, by the end of the name.

    Parameters
    ----------
    path
        Of a table, ``.parquet``, of arrays, ``.safetensors``, or of JSON.
    kind
        What JSON must hold, as a type that pydantic knows.

    Returns
    -------
    DataFrame, dict or object
        A table, arrays by name, or what ``kind`` asks for.

    Raises
    ------
    InputError
        If the file is missing or damaged, or holds something else.
    """
    try:
        match path.suffix:
            case ".parquet":
                return pd.read_parquet(path)
            case ".safetensors":
                return load_file(path)
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except (OSError, ValueError, ArrowException, SafetensorError):
        restored = RESTORED.get(path.parts[0], "restore it with `dvc checkout`, or run `dvc repro`")
        raise InputError(f"{path} is missing or corrupted; {restored.format(path=path)}.") from None


def require_measured(directory: Path) -> None:
    """Refuse what measures of another version wrote: ``artifacts/EXPERIMENT/GROUP/SEED``.

    Parameters
    ----------
    directory
        What a group of measures wrote.

    Raises
    ------
    InputError
        With what has changed and what to do; also if the manifest is missing or corrupted.
    """
    MEASURED.require(schema_of(directory / MANIFEST), directory, ANEW)


class _Versioned(TypedDict):
    schema: NotRequired[int]


def schema_of(path: Path) -> int:
    """Read which version of its layout a JSON file names; 0 for none.

    Parameters
    ----------
    path
        Of a manifest or note.

    Raises
    ------
    InputError
        If the file is missing or corrupted.
    """
    noted: _Versioned = read_artifact(path, _Versioned)
    return noted.get("schema", UNNAMED)
