"""Data sets of the Hugging Face hub, pinned to one commit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from attention_mixing import hub
from attention_mixing.corpora import squad
from attention_mixing.corpora.columns import Columns, require_columns, to_corpus
from attention_mixing.corpora.corpus import Corpus
from attention_mixing.corpora.local_files import clause
from attention_mixing.corpora.tables import from_table
from attention_mixing.errors import InputError, quoted
from attention_mixing.settings.sources import HubData, HubSplits, SquadHubData

if TYPE_CHECKING:
    import datasets

_Read = TypeVar("_Read")


def load(data: HubData | SquadHubData, task: str) -> Corpus:
    """Load a hub data set, or a local directory in the layout of one.

    Parameters
    ----------
    data
        Name, config, revision, splits, columns (of questions those of ``rajpurkar/squad_v2``),
        limits and seed. Where ``name`` is a directory of this machine, ``revision`` means nothing
        and the origin says so.
    task
        The task of the experiment.

    Returns
    -------
    Corpus
        Label names are those that the data set declares, where it does.

    Raises
    ------
    InputError
        If the hub cannot be reached, if the data set, config, revision, split or column does not
        exist, or on a text, label or question that cannot be used.
    """
    if isinstance(data, SquadHubData):
        return squad.to_corpus(data, *_load_splits(data, _questions))
    return to_corpus(data, task, *_load_splits(data, partial(_columns, data)))


def require(data: HubSplits) -> None:
    """Refuse data that can be neither fetched nor found in the cache, with how to get at them."""
    if Path(data.name).is_dir() or not (why := hub.unreachable()):
        return
    from huggingface_hub import constants

    cache = Path(os.environ.get("HF_DATASETS_CACHE", Path(constants.HF_HOME, "datasets")))
    # The data of a commit are in a directory named after it: NAME/CONFIG/VERSION/COMMIT.
    if not any(cache.expanduser().glob(f"*/*/*/{data.revision}")):
        raise InputError(
            f"data.name is {quoted(data.name)} at revision {data.revision}, which is not in the "
            f"cache, and the Hugging Face hub cannot be reached ({why}); {hub.remedy()}, or "
            f"{_instead(data)}."
        )


def _instead(data: HubSplits) -> str:
    """Say what to do where the hub is of no use."""
    if isinstance(data, HubData):
        return "save the data set as parquet and use data.source: files"
    return "save the data set in the published layout and use data.source: squad-files"


def _load_splits(
    data: HubSplits, read: Callable[[str, datasets.Dataset], _Read]
) -> tuple[dict[str, _Read], dict[str, str]]:
    """Load the splits that are named, and gather what the origin says of them.

    ``read`` is given how messages name a split, and what was loaded.
    """
    require(data)  # before the import, which takes longer than to ask
    import datasets

    datasets.logging.set_verbosity_error()  # what it takes from its cache is checked below
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    local = Path(data.name).is_dir()
    origin = {
        "source": data.source,
        "name": data.name,
        "revision": "none, a local directory" if local else data.revision,
    }
    contents: dict[str, _Read] = {}
    for key, split in {"train": data.train, "test": data.test}.items():
        if split is None:
            continue
        loaded = _load_split(data, split)
        cached = Path(loaded.cache_files[0]["filename"]).parent.name
        # Without the hub, `datasets` takes the newest revision of its cache.
        if not local and cached != data.revision:
            raise InputError(
                f"data.revision is {data.revision}, but the hub cannot be reached and {cached} is "
                f"newer in the cache of {quoted(data.name)}; name that revision, or move its "
                "directory out of the cache."
            )
        contents[key] = read(f"data.{key} (split {quoted(split)} of {data.name})", loaded)
        origin[key] = split
        if loaded.info.license:
            origin["licence"] = loaded.info.license
    if data.config is not None:
        origin["config"] = data.config
    return contents, origin


def _load_split(data: HubSplits, split: str) -> datasets.Dataset:
    import datasets

    try:
        return datasets.load_dataset(data.name, data.config, revision=data.revision, split=split)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        raise InputError(
            f"data.name is {quoted(data.name)} (config {quoted(data.config)}, split "
            f"{quoted(split)}), which cannot be loaded ({clause(error)}); correct data.name, "
            "data.revision, data.config, data.train or data.test, log in if the data set asks for "
            f"it, or {_instead(data)}."
        ) from None


def _columns(data: HubData, where: str, loaded: datasets.Dataset) -> Columns:
    columns = require_columns(where, loaded.column_names, data)
    names = getattr(loaded.features[data.label], "names", ()) if data.label is not None else ()
    return from_table(where, loaded.select_columns(columns).with_format("arrow")[:], tuple(names))


def _questions(where: str, loaded: datasets.Dataset) -> pd.DataFrame:
    return squad.from_rows(where, loaded.with_format("arrow")[:].to_pylist())
