"""Read ``params.yaml``, and say what is wrong with it, a sentence for each fault."""

from __future__ import annotations

import re
from os.path import normpath, pardir
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from ruamel.yaml import YAMLError

from analysis.parameters.faults import COMPLETE, faults
from analysis.parameters.sections import Params
from attention_mixing.errors import InputError, quoted
from attention_mixing.schemas import PARAMETERS as SCHEMA
from attention_mixing.schemas import UNNAMED
from attention_mixing.settings.experiment import Encoder, Experiment
from attention_mixing.settings.sinks import SinkCorpus
from attention_mixing.settings.sources import HubModel, LocalModel, LocalSplits
from attention_mixing.yaml_text import read_yaml

PARAMS_FILE = Path("params.yaml")
RESTORED = (
    f"`cp {COMPLETE} {PARAMS_FILE}`, which replaces your experiments and settings by the committed "
    "ones"
)
CARRIED_OVER = f"carry your values over into a copy of {COMPLETE}"
# What git leaves in a file of which two commits have versions that it cannot merge.
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?= |$)", re.MULTILINE)

_Read = TypeVar("_Read", Experiment, SinkCorpus)


def read_mapping(path: Path, restored: str = "") -> dict[Any, Any]:
    """Read a YAML file that holds a mapping, by its path from the root of the repository.

    Any other file is refused in one sentence: what was found in which line, and what to do.
    ``restored`` is a command after which one can run again, and what is lost by it; by default,
    that of git.
    """
    # Also of a file with conflicts.
    restored = restored or f"`git checkout HEAD {path}`, which undoes your changes of it"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}); run from the root of the repository, or "
            f"{restored}, and run again."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8, or {restored}, and "
            "run again."
        ) from None
    if marker := CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        raise InputError(
            f"{path} has a conflict marker of git ({marker[0]}) at line {line}; keep one of the "
            f"versions, or {restored}, and run again."
        )
    try:
        content = read_yaml(text)
    except (RecursionError, YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", error))
        raise InputError(
            f"{path} is not valid YAML{where}: {' '.join(problem.split())}; correct it, or "
            f"{restored}, and run again."
        ) from None
    if not isinstance(content, dict):
        raise InputError(
            f"{path} holds {type(content).__name__}, not a mapping; {restored}, and run again."
        )
    return content


def load(path: Path = PARAMS_FILE) -> Params:
    """Read and validate a parameter file.

    Raises
    ------
    InputError
        A sentence for each fault, in lines of their own: which key, what was found, what is
        allowed, what to do. Of a file that was written for another schema, and does not fit, also
        what has changed since. Whether values fit each other is asked of a section whose own are
        right.
    """
    raw = read_mapping(path, RESTORED if path == PARAMS_FILE else "")
    schema = written_for(path, raw.pop("schema", UNNAMED))
    try:
        params = Params.model_validate(raw)
    except ValidationError as error:
        lines = [f"{path}: {fault}" for fault in faults(error, raw)]
        if schema < SCHEMA.version:
            lines.insert(0, f"{SCHEMA.since(schema, path)}; {CARRIED_OVER}.")
        raise InputError("\n".join(lines)) from None
    if path == PARAMS_FILE:  # those of a kept run are not run here
        _require_inside(params.files)
        for name in ("dependence", "sinks"):  # which kept runs may lack
            if getattr(params, name) is None:
                raise InputError(f"{path}: {name} is missing; see {COMPLETE}, which has every key.")
    return params


def written_for(path: Path, schema: Any) -> int:
    """Read the schema that a parameter file names; one that is none, or is newer, is refused."""
    if type(schema) is not int or schema < UNNAMED:
        raise InputError(
            f"{path}: schema is {quoted(schema)}; allowed: {SCHEMA.version}; correct it."
        )
    if schema > SCHEMA.version:
        raise InputError(f"{SCHEMA.newer(schema, path)}, or {CARRIED_OVER}.")
    return schema


def _require_inside(files: dict[str, str]) -> None:
    """Refuse relative paths that leave the repository."""
    for name, path in files.items():
        if Path(normpath(path)).parts[:1] == (pardir,):
            raise InputError(
                f"{PARAMS_FILE}: files.{name} is {quoted(path)}, which leads out of the "
                "repository, but experiments that DVC queues run in a copy of it elsewhere; write "
                "the path in full, as `realpath` prints it."
            )


def located(params: Params, name: str) -> Experiment:
    """Return an experiment with the names of local files replaced by their paths.

    Parameters
    ----------
    params
        All parameters.
    name
        Of the experiment.
    """
    return _located(params, params.experiments[name])


def located_corpus(params: Params, corpus: SinkCorpus) -> SinkCorpus:
    """Return a corpus of the experiment on sinks, as :func:`located` does an experiment.

    Parameters
    ----------
    params
        All parameters.
    corpus
        One of ``params.sinks.corpora``.
    """
    return _located(params, corpus)


def _located(params: Params, section: _Read) -> _Read:
    model, data = section.model, section.data
    if isinstance(model, LocalModel):
        model = model.model_copy(update={"name": params.files[model.name]})
    if isinstance(data, LocalSplits):
        named = {"train": data.train, "test": data.test}
        paths = {split: name and params.files[name] for split, name in named.items()}
        data = data.model_copy(update=paths)
    return section.model_copy(update={"model": model, "data": data})


def located_images(params: Params) -> Literal["none", "hog"] | HubModel | LocalModel:
    """Return ``heads.images``, a name of a local model replaced by its path.

    Parameters
    ----------
    params
        All parameters.
    """
    images = params.heads.images
    if isinstance(images, LocalModel):
        return images.model_copy(update={"name": params.files[images.name]})
    return images


def located_texts(params: Params, encoder: Encoder) -> Encoder:
    """Return an encoder to train with the name of its texts replaced by their path.

    Parameters
    ----------
    params
        All parameters.
    encoder
        One of ``params.encoders``.
    """
    return encoder.model_copy(update={"texts": params.files[encoder.texts]})
