"""The cache on disk: the arrays of each text, two tables and a manifest.

=====================  =========================================================================
``000000.safetensors`` ...  arrays of the text of this id by their names, unpadded; of an
                       encoder-decoder those of each stream (:func:`array_name`)
``tokens.parquet``     a row a token: example_id, position, token, written, id, type, start, end,
                       is_special, is_evidence, and is_target where texts have targets
``examples.parquet``   a row a text: id, text, label, prediction, probability, tokens, truncated;
                       where texts have targets also target, target_tokens, target_truncated and
                       alignment
``weights.*``          of layers and head of the model (:mod:`attention_mixing.models.weights`)
``manifest.json``      schema version, model, sha256 of the files
=====================  =========================================================================

Reading needs numpy, not torch: a measure starts in well under a second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NotRequired

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file
from typing_extensions import TypedDict

from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import ANEW, InputError, free
from attention_mixing.hashing import file_sha256
from attention_mixing.models.weights import ModelWeights, read_weights, write_weights
from attention_mixing.schemas import CAPTURE as SCHEMA
from attention_mixing.settings.derived import STREAMS

AXES: dict[str, tuple[str, ...]] = {
    "visible": ("layer", "query", "key"),
    "mass": ("layer", "head", "query"),
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
# Of a model that has gates between its heads and their projection.
GATED: dict[str, tuple[str, ...]] = {"gate": ("layer", "head", "query", "head_dim")}
# Of the attention of a decoder to a source, whose tokens are the keys. The other two streams of an
# encoder-decoder have what a model of one text has.
CROSS: dict[str, tuple[str, ...]] = {
    **{name: AXES[name] for name in ("visible", "mass", "attention", "query")},
    **dict.fromkeys(("key", "value"), ("layer", "head", "key", "head_dim")),
    "entered": ("layer", "token", "model_dim"),
    **{name: axes for name, axes in AXES.items() if axes == ("layer", "token", "model_dim")},
}


class Manifest(TypedDict):
    """Content of ``manifest.json``.

    Attributes
    ----------
    schema
        Version of the layout of the cache.
    model
        As :func:`attention_mixing.models.source.describe` gives it.
    files
        File name -> sha256.
    intervention
        What was done to the attention of the model while it was read, if anything.
    """

    schema: int
    model: dict[str, Any]
    files: dict[str, str]
    intervention: NotRequired[str]


def captures(directory: Path, seed: str) -> dict[str, Path]:
    """Find the caches of a model: pretrained, and fine-tuned with a seed if it was.

    ``directory`` is that of its captures. The directories that exist are given by ``pretrained``
    and ``finetuned``; if there is none, that is refused.
    """
    directories = {"pretrained": pretrained(directory), "finetuned": finetuned(directory, seed)}
    present = {variant: path for variant, path in directories.items() if path.is_dir()}
    if not present:
        raise InputError(f"{directory} holds no capture; {ANEW}.")
    return present


def pretrained(directory: Path) -> Path:
    """Name the directory of the cache of a model as it is before it is fine-tuned.

    ``directory`` is that of the captures of the model; the cache need not exist.
    """
    return directory / "pretrained"


def finetuned(directory: Path, seed: str) -> Path:
    """Name the directory of the cache of a model that was fine-tuned with a seed.

    ``directory`` is that of the captures of the model; the cache need not exist.
    """
    return directory / "finetuned" / seed


def axes(stream: str, *, gated: bool) -> dict[str, tuple[str, ...]]:
    """List the arrays of a stream by name, and the names of their axes.

    Streams of an encoder-decoder are ``encoder``, ``decoder`` and ``cross``; that of another model
    is empty. A gated model has gates between its heads and their projection.
    """
    return (CROSS if stream == "cross" else AXES) | (GATED if gated else {})


def array_name(stream: str, name: str) -> str:
    """Name an array of a stream of an encoder-decoder; others are called as they are.

    Stream and name are as in :func:`axes`; the result is such as ``cross.attention``.
    """
    return f"{stream}.{name}" if stream in STREAMS else name


def predicted_bytes(
    dtype: str,
    lengths: Iterable[Mapping[str, int]],
    *,
    stream: str = "",
    layers: int,
    heads: int,
    head_dim: int,
    model_dim: int,
) -> int:
    """Predict the size of the arrays of a stream of texts, headers and gates aside.

    Gates take no more than the values.

    Parameters
    ----------
    dtype
        Of the arrays, such as ``float16``.
    lengths
        ``[text]``, lengths of the axes that count tokens.
    stream
        As in :func:`axes`.
    layers, heads
        Of the stream, and of a layer.
    head_dim, model_dim
        Numbers of a query and of the stream.

    Returns
    -------
    int
        Bytes.
    """
    sizes = {"layer": layers, "head": heads, "head_dim": head_dim, "model_dim": model_dim}
    every = axes(stream, gated=False).values()
    entries = sum(
        int(np.prod([local[axis] for axis in named]))
        for local in ({**sizes, **counts} for counts in lengths)
        for named in every
    )
    return entries * np.dtype(dtype).itemsize


def require_space(directory: Path, needed: int) -> None:
    """Refuse to begin what needs more bytes than the disk has free where ``directory`` lies."""
    available = free(directory)
    if needed > available:
        raise InputError(
            f"the capture needs {needed / 2**20:,.0f} MiB but {directory} has "
            f"{available / 2**20:,.0f} MiB free; lower capture.examples or free some "
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
    weights: ModelWeights,
    intervention: str | None = None,
) -> None:
    """Write a cache into ``directory``, which must not exist yet.

    Parameters
    ----------
    directory
        Where to write; give a temporary name and rename it when this returns.
    captured
        ``(example_id, arrays)`` in order; consumed one by one, so memory holds one text.
    dtype
        ``float16`` or ``float32``.
    examples
        Called once everything is captured, for predictions are known only then; gives the table of
        texts.
    tokens
        The table of tokens.
    model
        Facts of the model for the manifest (:func:`attention_mixing.models.source.describe`).
    weights
        Of the model that ran.
    intervention
        Names what was done to its attention (:mod:`attention_mixing.models.clamping`); None for
        nothing.

    Raises
    ------
    InputError
        If a value is no finite number, or does not fit into ``dtype``.
    """
    directory.mkdir(parents=True)
    for example, values in captured:
        stored = {
            name: _stored(array, dtype, f"{name} of text {example}")
            for name, array in values.items()
        }
        save_file(stored, directory / arrays_file(example))
    examples().to_parquet(directory / "examples.parquet", index=False)
    tokens.to_parquet(directory / "tokens.parquet", index=False)
    write_weights(directory, weights)
    manifest: Manifest = {
        "schema": SCHEMA.version,
        "model": model,
        "files": _hashes(directory),
    }
    if intervention is not None:
        manifest["intervention"] = intervention
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (directory / "manifest.json").write_text(text + "\n", encoding="utf-8")


def _hashes(directory: Path) -> dict[str, str]:
    """Sha256 of all files but the manifest, which holds them."""
    files = sorted(path for path in directory.iterdir() if path.name != "manifest.json")
    return {path.name: file_sha256(path) for path in files}


def _stored(array: NDArray[np.float32], dtype: str, what: str) -> NDArray:
    if array.dtype == bool:
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):  # refused below
        stored = np.ascontiguousarray(array.astype(dtype))
    if not np.isfinite(array).all():
        raise InputError(
            f"{what} holds values that are no finite numbers, as the model computed them; set "
            "precision: float32, or choose another model if that is set."
        )
    if not np.isfinite(stored).all():
        raise InputError(f"{what} holds a value that {dtype} cannot; set capture.dtype: float32.")
    return stored


def arrays_file(example: int) -> str:
    """Name the file of the arrays of the text of an ``id``, without its directory."""
    return f"{example:06d}.safetensors"


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
        self.manifest: Manifest = read_artifact(directory / "manifest.json", Manifest)
        SCHEMA.require(self.manifest["schema"], directory, f"delete it and {ANEW}")
        noted = self.manifest["files"]
        hashes = noted if verified else _hashes(directory)
        for name in sorted(noted | hashes):
            if noted.get(name) != hashes.get(name):
                raise InputError(
                    f"{directory / name} is missing, corrupted, or does not have the sha256 of the "
                    f"manifest; delete {directory} and {ANEW}."
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
    def weights(self) -> ModelWeights:
        """Weights of the model that was captured."""
        return read_weights(self.directory)

    def tokens_of(self, example: int, *, target: bool = False) -> pd.DataFrame:
        """Take rows of ``tokens`` of a text or of its target, by ``id``, in order of position."""
        rows = self.tokens[self.tokens["example_id"] == example]
        if "is_target" in rows:
            rows = rows[rows["is_target"] == target].drop(columns="is_target")
        return rows.reset_index(drop=True)

    def array(self, example: int, name: str, layer: int | None = None) -> NDArray[np.float32]:
        """Read one array of a text, by its ``id``, in float32; ``visible`` is of truth values.

        ``name`` is as :func:`axes` has it, with its stream (:func:`array_name`). If a layer is
        asked for, counted from 0, the others are not touched on disk, and there is no axis of
        layers.
        """
        with safe_open(self.directory / arrays_file(example), "np") as arrays:
            stored = arrays.get_slice(name)
            read: NDArray = stored[:] if layer is None else stored[layer]
            return read if read.dtype == bool else read.astype(np.float32)
