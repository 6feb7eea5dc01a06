"""Read what stages have written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import ArrowException
from pydantic import TypeAdapter
from safetensors import SafetensorError
from safetensors.numpy import load_file

from analysis.errors import InputError
from analysis.paths import REFERENCE, RUNS

# What to do about a file that no stage writes, by the directory that it lies in.
RESTORED = {
    REFERENCE.name: "restore it with `git checkout HEAD {path}`",
    RUNS.name: "`rm {path}`, and run again",
}


def read_artifact(path: Path, kind: Any = dict[str, Any]) -> Any:
    """Read a table, arrays or JSON, by the end of the name.

    Parameters
    ----------
    path
        Of a table, ``.parquet``, of arrays, ``.safetensors``, or of JSON.
    kind
        What JSON must hold, as a type that pydantic knows.

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
