"""The cache on disk: safetensors shards, two tables and a manifest.

=====================  =========================================================================
``shard-00000.safetensors`` ...  tensors named ``"{example_id:06d}/{array}"``, unpadded
``tokens.parquet``     a row a token: example_id, position, token, start, end, word, is_special,
                       is_evidence
``examples.parquet``   a row a text: id, text, label, prediction, probability, tokens, truncated,
                       shard
``manifest.json``      schema version, model, arrays with axis names and dtype, sizes and sha256
=====================  =========================================================================

Reading needs numpy, not torch: a measure starts in well under a second.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from analysis.errors import InputError
from analysis.hashing import file_sha256

SCHEMA = 2
VARIANTS = ("pretrained", "finetuned")
SHARD_BYTES = 256 * 2**20

AXES: dict[str, tuple[str, ...]] = {
    "attention": ("layer", "head", "query", "key"),
    "query": ("layer", "head", "token", "head_dim"),
    "key": ("layer", "head", "token", "head_dim"),
    "value": ("layer", "head", "token", "head_dim"),
    "word": ("token", "model_dim"),
    "embedding": ("token", "model_dim"),
    "context": ("layer", "token", "model_dim"),
    "attention_output": ("layer", "token", "model_dim"),
    "attention_block": ("layer", "token", "model_dim"),
    "ffn_output": ("layer", "token", "model_dim"),
    "layer_output": ("layer", "token", "model_dim"),
}


def variants(directory: Path) -> list[str]:
    """Variants of a model captured below ``directory``, the pretrained one first.

    Raises
    ------
    InputError
        If there is none.
    """
    found = [name for name in VARIANTS if (directory / name).is_dir()]
    if not found:
        raise InputError(f"{directory} holds no capture; make it with `dvc repro`.")
    return found


def predicted_bytes(
    dtype: str,
    lengths: Iterable[int],
    *,
    layers: int,
    heads: int,
    head_dim: int,
    model_dim: int,
) -> int:
    """Size of the shards of texts with these numbers of tokens, in bytes, headers aside."""
    sizes = {"layer": layers, "head": heads, "head_dim": head_dim, "model_dim": model_dim}
    entries = 0
    for tokens in lengths:
        local = {**sizes, "token": tokens, "query": tokens, "key": tokens}
        entries += sum(int(np.prod([local[axis] for axis in axes])) for axes in AXES.values())
    return entries * np.dtype(dtype).itemsize


def require_space(directory: Path, needed: int) -> None:
    """Refuse to begin what the disk cannot hold.

    Raises
    ------
    InputError
        If less than ``needed`` bytes are free where ``directory`` lies.
    """
    existing = next(p for p in (directory, *directory.absolute().parents) if p.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise InputError(
            f"the capture needs {needed / 2**20:,.0f} MiB but {existing} has "
            f"{free / 2**20:,.0f} MiB free; lower capture.examples or free some "
            "space."
        )


def write(
    directory: Path,
    captured: Iterable[tuple[int, Mapping[str, NDArray[np.float32]]]],
    *,
    dtype: str,
    examples: Callable[[], pd.DataFrame],
    tokens: pd.DataFrame,
    model: dict[str, Any],
    shard_bytes: int = SHARD_BYTES,
) -> dict[str, Any]:
    """Write a cache into ``directory``, which must not exist yet.

    Parameters
    ----------
    directory
        Where to write; give a temporary name and rename it when this returns.
    captured
        ``(example_id, arrays)`` in order; consumed one by one, so memory holds one shard.
    dtype
        ``float16`` or ``float32``.
    examples
        Called once everything is captured, for predictions are known only then; gives the table of
        texts, which gets its ``shard`` column here.
    tokens
        The table of tokens.
    model
        Facts of the model for the manifest (:func:`analysis.models.source.describe`).
    shard_bytes
        A shard is closed when it reaches this size.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    InputError
        If a value is no finite number, or does not fit into ``dtype``.
    """
    directory.mkdir(parents=True)
    names: list[str] = []
    shard: dict[str, NDArray] = {}
    shards: list[dict[str, Any]] = []
    shard_of: dict[int, int] = {}

    def close() -> None:
        path = directory / f"shard-{len(shards):05d}.safetensors"
        save_file(shard, path)
        shards.append(
            {"file": path.name, "bytes": path.stat().st_size, "sha256": file_sha256(path)}
        )
        shard.clear()

    for example, values in captured:
        names = list(values)
        for name, array in values.items():
            with np.errstate(over="ignore"):  # refused below
                stored = np.ascontiguousarray(array.astype(dtype))
            if not np.isfinite(array).all():
                raise InputError(
                    f"{name} of text {example} holds values that are no finite numbers, as the "
                    "model computed them; set precision: float32, or choose another model if that "
                    "is set."
                )
            if not np.isfinite(stored).all():
                raise InputError(
                    f"{name} of text {example} holds a value that {dtype} cannot; set "
                    "capture.dtype: float32."
                )
            shard[f"{example:06d}/{name}"] = stored
        shard_of[example] = len(shards)
        if sum(tensor.nbytes for tensor in shard.values()) >= shard_bytes:
            close()
    if shard:
        close()

    texts = examples()
    texts = texts.assign(shard=texts["id"].map(shard_of))
    tables = {}
    for name, table in (("examples", texts), ("tokens", tokens)):
        path = directory / f"{name}.parquet"
        table.to_parquet(path, index=False)
        tables[path.name] = file_sha256(path)
    manifest = {
        "schema": SCHEMA,
        "model": model,
        "arrays": {name: {"axes": AXES[name], "dtype": dtype} for name in names},
        "examples": len(texts),
        "tokens": len(tokens),
        "shards": shards,
        "tables": tables,
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (directory / "manifest.json").write_text(text + "\n", encoding="utf-8")
    return manifest


class Capture:
    """A cache opened for reading; arrays are memory-mapped and read when asked for.

    Parameters
    ----------
    directory
        What :func:`write` wrote.
    verified
        Whether its files have been compared with their sha256 already.

    Raises
    ------
    InputError
        If the directory is missing or incomplete, of another schema, or a file does not have the
        sha256 that the manifest states.
    """

    def __init__(self, directory: Path, *, verified: bool = False) -> None:
        self.directory = directory
        try:
            text = (directory / "manifest.json").read_text(encoding="utf-8")
            self.manifest: dict[str, Any] = json.loads(text)
            schema = self.manifest["schema"]
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"{directory} holds no complete capture (no manifest.json); make it with "
                "`dvc repro`."
            ) from None
        except (ValueError, KeyError, TypeError):
            raise self._corrupted("manifest.json") from None
        if schema != SCHEMA:
            raise InputError(
                f"{directory} has capture schema {schema}, this code reads {SCHEMA}; delete it and "
                "run `dvc repro`."
            )
        hashes = {s["file"]: s["sha256"] for s in self.manifest["shards"]}
        for name, expected in () if verified else (hashes | self.manifest["tables"]).items():
            path = directory / name
            if not path.is_file() or file_sha256(path) != expected:
                raise self._corrupted(name)
        self._open: dict[int, Any] = {}

    def _corrupted(self, name: str) -> InputError:
        return InputError(
            f"{self.directory / name} is missing, corrupted, or does not have the sha256 of the "
            f"manifest; delete {self.directory} and run `dvc repro` (or `dvc checkout`)."
        )

    @cached_property
    def examples(self) -> pd.DataFrame:
        """One row a text, in the order of capture."""
        return pd.read_parquet(self.directory / "examples.parquet")

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """One row a token of every text."""
        return pd.read_parquet(self.directory / "tokens.parquet")

    @cached_property
    def _shard_of(self) -> dict[int, int]:
        return dict(zip(self.examples["id"], self.examples["shard"], strict=True))

    def tokens_of(self, example: int) -> pd.DataFrame:
        """Rows of ``tokens`` of one text, in order of position."""
        return self.tokens[self.tokens["example_id"] == example].reset_index(drop=True)

    def array(self, example: int, name: str, layer: int | None = None) -> NDArray[np.float32]:
        """Read one array of one text, in float32.

        Parameters
        ----------
        example
            ``id`` of the text.
        name
            One of the manifest's arrays.
        layer
            Read this layer only (0-based), without touching the others on disk.
        """
        if name not in self.manifest["arrays"]:
            raise InputError(
                f"{self.directory} holds no array {name!r}, only "
                f"{', '.join(self.manifest['arrays'])}; delete it and run `dvc repro`."
            )
        shard = self._shard_of[example]
        if shard not in self._open:
            path = self.directory / self.manifest["shards"][shard]["file"]
            self._open[shard] = safe_open(path, "np")
        key = f"{example:06d}/{name}"
        if layer is None:
            return self._open[shard].get_tensor(key).astype(np.float32)
        return self._open[shard].get_slice(key)[layer].astype(np.float32)
