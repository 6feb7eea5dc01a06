"""Read ``params.yaml``, and say in one sentence what is wrong with it."""

from __future__ import annotations

import difflib
import re
from os.path import normpath, pardir
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML, YAMLError

from attention_mixing.errors import InputError, quoted, shortened
from attention_mixing.params.sections import (
    NOT_BLANK,
    Data,
    Encoder,
    Experiment,
    LocalModel,
    LocalSplits,
    Model,
    Params,
    Section,
)
from attention_mixing.schemas import PARAMETERS as SCHEMA
from attention_mixing.schemas import UNNAMED

PARAMS_FILE = Path("params.yaml")
COMPLETE = "reference/quick/params.yaml"  # has every key
RESTORED = f"cp {COMPLETE} {PARAMS_FILE}"
CARRIED_OVER = f"carry your values over into a copy of {COMPLETE}"
# What git leaves in a file of which two commits have versions that it cannot merge.
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?= |$)", re.MULTILINE)
# Keys that take values of several kinds; pydantic has a mistake for each of them.
CHOICES: dict[tuple[int | str, ...], str] = {
    ("device",): "auto, cpu, cuda, cuda:N, mps",
    ("workers",): "auto, a number of processes from 1 to 1024, tcp://HOST:PORT",
    ("geometry", "texts"): "a number of texts, a list of texts such as [0, 3]",
    ("geometry", "nonlinear"): "all, a list of experiments",
    ("heads", "images"): "none, hog, {source: hub, name: ORG/NAME, revision: COMMIT}, "
    "{source: local, name: a name under files}",
}


def read_yaml(given: str) -> Any:
    """Read YAML 1.2, as DVC reads and writes it: ``2e-5`` is a number, and ``Yes`` is a text."""
    return YAML(typ="safe", pure=True).load(given)


def read_mapping(path: Path, restored: str = "") -> dict[Any, Any]:
    """Read a YAML file that holds a mapping, by its path from the root of the repository.

    Any other file is refused in one sentence: what was found in which line, and what to do.
    ``restored`` is a command after which one can run again; by default, that of git.
    """
    restored = restored or f"git checkout HEAD {path}"  # also of a file with conflicts
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}); run from the root of the repository, or "
            f"`{restored}`, and run again."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8, or `{restored}`, and "
            "run again."
        ) from None
    if marker := CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        raise InputError(
            f"{path} has a conflict marker of git ({marker[0]}) at line {line}; keep one of the "
            f"versions, or `{restored}`, and run again."
        )
    try:
        content = read_yaml(text)
    except (RecursionError, YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", error))
        raise InputError(
            f"{path} is not valid YAML{where}: {' '.join(problem.split())}; correct it, or "
            f"`{restored}`, and run again."
        ) from None
    if not isinstance(content, dict):
        raise InputError(
            f"{path} holds {type(content).__name__}, not a mapping; `{restored}`, and run again."
        )
    return content


def load(path: Path = PARAMS_FILE) -> Params:
    """Read and validate a parameter file.

    Raises
    ------
    InputError
        One sentence: which key, what was found, what is allowed, what to do. Of a file that was
        written for another schema, and does not fit, also what has changed since.
    """
    raw = read_mapping(path, RESTORED if path == PARAMS_FILE else "")
    schema = written_for(path, raw.pop("schema", UNNAMED))
    try:
        params = Params.model_validate(raw)
    except ValidationError as error:
        message = f"{path}: {explain(error, raw)}"
        if schema < SCHEMA.version:
            message = f"{SCHEMA.since(schema, path)}; {CARRIED_OVER}, for {explain(error, raw)}"
        raise InputError(message) from None
    if path == PARAMS_FILE:  # those of a kept run are not run here
        _require_inside(params.files)
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
    experiment = params.experiments[name]
    model, data = experiment.model, experiment.data
    if isinstance(model, LocalModel):
        model = model.model_copy(update={"name": params.files[model.name]})
    if isinstance(data, LocalSplits):
        named = {"train": data.train, "test": data.test}
        paths = {split: name and params.files[name] for split, name in named.items()}
        data = data.model_copy(update=paths)
    return experiment.model_copy(update={"model": model, "data": data})


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


def explain(error: ValidationError, raw: dict[Any, Any]) -> str:
    """Turn the first mistake of a pydantic report into one sentence.

    It says which key is wrong, what is allowed, and what to do. ``raw`` is what stands in the file.
    """
    # An unknown key is the likeliest cause of a missing one, so it is told first.
    mistakes = sorted(error.errors(), key=lambda mistake: mistake["type"] != "unknown_keys")
    first = mistakes[0]
    location = _place(first["loc"])
    path = _path(location)
    key, value = ".".join(path), first.get("input")
    unknown = [
        shortened(".".join([*_path(mistake["loc"]), str(name)]))
        for mistake in mistakes
        if mistake["type"] == "unknown_keys"
        for name in mistake["ctx"]["unknown"]
    ]
    missing = [
        ".".join(_path(mistake["loc"])) for mistake in mistakes if mistake["type"] == "missing"
    ]
    lack = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    others = len({_place(mistake["loc"]) for mistake in mistakes}) - 1
    more = f" ({others} more after this one)" if others else ""
    match first["type"]:
        case "missing" if location == first["loc"]:
            return f"{lack}; see {COMPLETE}, which has every key."
        case _ if location in CHOICES:
            value = raw
            for step in location:
                value = value[step]
            return f"{key} is {quoted(value)}; allowed: {CHOICES[location]}; correct it{more}."
        case "unknown_keys" if len(unknown) == 1:
            (name,), keys = first["ctx"]["unknown"], first["ctx"]["known"]
            near = difflib.get_close_matches(str(name), keys, n=1)
            hint = f"did you mean {near[0]}" if near else f"allowed there: {', '.join(keys)}"
            return f"{unknown[0]} is not a known key; {hint}; correct or remove it{more}."
        case "unknown_keys":
            also = f", and {lack}" if missing else ""
            return (
                f"{', '.join(unknown)} are no known keys{also}; see {COMPLETE}, "
                "which has every key."
            )
        case "value_error":
            reason = shortened(first["ctx"]["error"])
            return f"{key} {reason}{more}.".lstrip()
        case "union_tag_invalid" | "union_tag_not_found":
            allowed = first["ctx"].get("expected_tags") or ", ".join(map(repr, _sources(path[-1])))
            source = value.get("source") if isinstance(value, dict) else value
            return f"{key}.source is {quoted(source)}; allowed: {allowed}; correct it{more}."
        case "string_pattern_mismatch" if path[-1] == "[key]":
            return (
                f"{shortened('.'.join(path[:-1]))} is not a usable name; allowed: lower-case "
                f"letters, digits and hyphens, beginning with a letter; rename it{more}."
            )
        case "string_pattern_mismatch" if first["ctx"]["pattern"] == NOT_BLANK:
            return f"{key} is {quoted(value)}; allowed: a text with a word in it; correct it{more}."
        case "string_pattern_mismatch" if path[-1] == "revision":
            return (
                f"{key} is {quoted(value)}; allowed: a full commit hash of 40 hexadecimal digits, "
                f"so that the run can be repeated; copy it from the hub page{more}."
            )
        case _:
            allowed = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
            return f"{key} is {quoted(value)}; allowed: {allowed}; correct it and run again{more}."


def _path(location: tuple[int | str, ...]) -> list[str]:
    """Keys that lead to a place, as they stand in the file."""
    path = list(map(str, location))
    if len(path) > 3 and path[0] == "experiments" and path[2] in ("model", "data"):
        del path[3]  # pydantic puts the source there
    return path


def _place(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Key that a mistake is of: one of :data:`CHOICES` whichever of its kinds was tried."""
    return next((key for key in CHOICES if location[: len(key)] == key), location)


def _sources(section: int | str) -> dict[str, type[Section]]:
    """Sections that ``model`` or ``data`` may be, by their ``source``."""
    union = (Model if section == "model" else Data).__args__[0]  # type: ignore[attr-defined]
    return {kind.model_fields["source"].annotation.__args__[0]: kind for kind in union.__args__}
