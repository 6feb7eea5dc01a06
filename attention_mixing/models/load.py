"""Load models from a directory of safetensors.

Whatever is loaded is compared with what it was saved as and with what it computes itself: its
tensors with those that the model uses, the arrays that are read with its own forward pass.

Every loader takes a model directory and gives a model in evaluation mode and float32. It refuses a
directory that holds no such model whole, an encoder-decoder for a head that reads one text, and,
unless it says otherwise, a model of texts that is not read as it computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForImageClassification,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.utils import logging

from attention_mixing.errors import InputError, available_memory, first_line, refusal
from attention_mixing.models.classification import SEQUENCE_HEAD, saved_as
from attention_mixing.models.layer_weights import weights_of
from attention_mixing.models.next_word import WORD_HEAD, AutoModelForNextWord
from attention_mixing.models.self_check import require_own_values
from attention_mixing.models.source import weight_files

GIB = 2**30

# Modules of the heads of the known encoders, by their names in files. A head that a model is loaded
# without cannot change what it computes; any other tensor without a place in the model could.
HEADS = (
    *("classifier", "pre_classifier", "qa_outputs", "pooler"),
    *("cls", "lm_head", "vocab_transform", "vocab_layer_norm", "vocab_projector", "score"),
    "final_logits_bias",
)
# Constants of older files, by how their names end: numbers of places, the type of a single text,
# and what masks added to a score that is not to count.
CONSTANTS: dict[str, Callable[[Tensor], bool]] = {
    ".position_ids": lambda places: places.flatten().equal(torch.arange(places.numel())),
    ".token_type_ids": lambda types: not types.any(),
    ".masked_bias": lambda lowest: lowest.numel() == 1 and float(lowest) <= -1e4,
}
# What configurations call the dropout before a classification head, and that of the whole model.
CLASSIFIER_DROPOUT = ("classifier_dropout", "seq_classif_dropout")
MODEL_DROPOUT = (
    *("hidden_dropout_prob", "attention_probs_dropout_prob"),
    *("dropout", "attention_dropout", "qa_dropout", "activation_dropout", "dropout_rate"),
    *("resid_pdrop", "embd_pdrop", "attn_pdrop"),
)


class _AutoModelWithItsHead:
    """What loads a model with the classification head that it was saved with."""

    @staticmethod
    def from_pretrained(path: Path, *, config: PreTrainedConfig, **options: Any) -> Any:
        words = saved_as(config).endswith(WORD_HEAD)
        kind = AutoModelForNextWord if words else AutoModelForSequenceClassification
        return kind.from_pretrained(path, config=config, **options)


def load_encoder(path: Path) -> PreTrainedModel:
    """Load the bare transformer, without a head."""
    # A pooler feeds heads only; checkpoints of masked language models have none.
    return _load_text(AutoModel, path, new=("pooler.",))


def load_captured(path: Path) -> PreTrainedModel:
    """Load the bare transformer of a capture, which was compared with its own passes before."""
    return _load(AutoModel, path, new=("pooler.",))


def load_masked_words(path: Path) -> PreTrainedModel:
    """Load a transformer that tells what a masked word was; a head that is missing is drawn."""
    return _load_text(AutoModelForMaskedLM, path, new=("cls.", "lm_head.", "vocab_", "pooler."))


def load_language_model(path: Path, dropout: float | None = None) -> PreTrainedModel:
    """Load a transformer that tells the next word; ``dropout`` is as in :func:`load_answering`."""
    return _load_text(AutoModelForCausalLM, path, dict.fromkeys(MODEL_DROPOUT, dropout))


def load_translator(path: Path, dropout: float | None = None) -> PreTrainedModel:
    """Load an encoder-decoder that writes a target; ``dropout`` is as in :func:`load_answering`."""
    return _load_text(AutoModelForSeq2SeqLM, path, dict.fromkeys(MODEL_DROPOUT, dropout))


def load_classifier(
    path: Path, label_names: tuple[str, ...] | None = None, dropout: float | None = None
) -> PreTrainedModel:
    """Load a transformer with a linear classification head.

    ``label_names`` are the classes of a new head, or of one for as many that is there; None takes
    the head that is there. ``dropout`` is that before the head; None keeps the model's own.
    """
    settings: dict[str, object] = dict.fromkeys(CLASSIFIER_DROPOUT, dropout)
    if label_names is None:
        return _load_text(_AutoModelWithItsHead, path, settings)
    # Whatever the encoder was trained for before.
    settings["problem_type"] = "single_label_classification"
    settings["id2label"] = dict(enumerate(label_names))
    settings["label2id"] = {name: i for i, name in enumerate(label_names)}
    new = ("classifier.", "pre_classifier.", "score.", "pooler.")
    model = _load_text(AutoModelForSequenceClassification, path, settings, new=new)
    # A tagger's head has the same name and, with as many labels, the same shape.
    saved = saved_as(model.config)
    if "For" in saved and not saved.endswith(SEQUENCE_HEAD):
        for head in {"classifier", "score"} & dict(model.named_children()).keys():
            _draw_anew(model, head)
    return model


def load_with_its_head(path: Path) -> PreTrainedModel:
    """Load a transformer with the classification head it was saved with, whatever that does.

    What of it can be read, the caller tries.
    """
    return _load(_AutoModelWithItsHead, path)


def load_answering(
    path: Path, new_head: bool = False, dropout: float | None = None
) -> PreTrainedModel:
    """Load a transformer that tells for every token how likely an answer starts or ends there.

    ``new_head`` draws a head where the directory holds none; one that it holds is kept.
    ``dropout`` is that of the whole model, attention and head included; None keeps the model's own.
    """
    new = ("qa_outputs.",) if new_head else ()
    settings: dict[str, object] = dict.fromkeys(MODEL_DROPOUT, dropout)
    if new_head:  # an encoder that sorted texts into classes remembers their number
        settings["id2label"] = {0: "start", 1: "end"}
    return _load_text(AutoModelForQuestionAnswering, path, settings, new=new)


def load_finetuned(path: Path, task: str) -> PreTrainedModel:
    """Load what the train stage wrote, with the head of its task; an encoder-decoder without one.

    Tasks other than ``question_answering`` and ``sequence_to_sequence`` have a model that
    classifies.
    """
    loaders = {"question_answering": load_answering, "sequence_to_sequence": load_encoder}
    return loaders.get(task, load_classifier)(path)


def load_image_classifier(path: Path) -> PreTrainedModel:
    """Load a model that sorts images into classes, its head included."""
    return _load(AutoModelForImageClassification, path)


def _load_text(
    auto_class: type,
    path: Path,
    settings: Mapping[str, object] = MappingProxyType({}),
    *,
    new: tuple[str, ...] = (),
) -> PreTrainedModel:
    """Load a model of texts as :func:`_load`, and compare what is read with what it computes."""
    model = _load(auto_class, path, settings, new=new)
    require_read(model, str(path))
    return model


def require_read(model: PreTrainedModel, name: str) -> None:
    """Refuse a model that is not read as it computes, or that measures cannot take apart.

    It has to be in float32 and evaluation mode; messages call it ``name``.
    """
    require_own_values(model, name)
    weights_of(model, name)


def require_kind(path: Path, name: str) -> PreTrainedModel:
    """Try a model of which only ``config.json`` is here, by two layers with random weights.

    These are returned. Refused is a model that transformers does not have, or as by
    :func:`require_read`; messages call it ``name``.
    """
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        config.num_hidden_layers = min(2, config.num_hidden_layers)
        model: PreTrainedModel = AutoModel.from_config(config).eval()
    except Exception as error:  # as in _load
        raise InputError(
            f"{name} cannot be built from its config.json ({first_line(error)}); {_remedy(error)}."
        ) from None
    require_read(model, name)
    return model


def _load(
    auto_class: type,
    path: Path,
    settings: Mapping[str, object] = MappingProxyType({}),
    *,
    new: tuple[str, ...] = (),
) -> PreTrainedModel:
    """Load a model in evaluation mode.

    ``settings`` change its configuration: None leaves, and what a configuration lacks is left out.
    Modules of ``new`` may be missing in the directory, or be of another size.
    """
    # A new head is intended; the notices about it, and a bar for a tenth of a second of
    # loading, would only alarm.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    _require_memory(path)
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        if config.is_encoder_decoder and auto_class not in (AutoModel, AutoModelForSeq2SeqLM):
            raise InputError(
                f"{path} holds an encoder-decoder ({config.model_type}), which reads a text and "
                "its target, where a model of one text is read; choose an encoder or a decoder, or "
                "give the texts targets and the model no other head."
            )
        # Those of this project know by what it was saved which models they load.
        if type(config) not in getattr(auto_class, "_model_mapping", [type(config)]):
            raise InputError(
                f"{path} holds a model of type {config.model_type}, of which transformers has no "
                f"class for {auto_class.__name__}; choose another model, or another task."
            )
        for name, value in settings.items():
            if value is not None and hasattr(config, name):
                setattr(config, name, value)
        # These change no number; but a hook would see a layer in pieces, and a caller no names.
        config.return_dict = True
        if getattr(config, "chunk_size_feed_forward", 0):
            config.chunk_size_feed_forward = 0
        model, report = auto_class.from_pretrained(  # type: ignore[attr-defined]
            path,
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
    except InputError:
        raise
    except Exception as error:  # each architecture breaks in its own way over odd settings
        if refusal(error):  # no fault of the model, as where memory runs out
            raise
        raise InputError(
            f"no model could be loaded from {path} ({first_line(error)}); {_remedy(error)}."
        ) from None
    # What is missing would be drawn at random, and a model of chance pass for the one named.
    random = {*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])}
    base = f"{model.base_model_prefix}."
    absent = sorted(key for key in random if not key.removeprefix(base).startswith(new))
    if absent and not _computed(model, absent):
        raise InputError(
            f"the weights in {path} lack {absent[0]}, or have it in another size "
            f"({len(absent)} in all); name a complete model."
        )
    _require_all_used(path, model, report["unexpected_keys"], new)
    damaged = [key for key, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if damaged:
        raise InputError(
            f"{path} has weights {damaged[0]} that are not finite; copy the model again, or lower "
            "train.learning_rate if it was trained here."
        )
    return model.eval()


def _remedy(error: Exception) -> str:
    """Say what to do about a model that transformers does not make."""
    if isinstance(error, SafetensorError):
        return "the file of its weights is damaged; copy the model again"
    if isinstance(error, ImportError):
        return "install what it names, or choose another model"
    return (
        "the directory must hold a config.json of a known architecture and its *.safetensors; "
        "correct what it names, copy the model again, or choose one that this version of "
        "transformers has"
    )


def _computed(model: PreTrainedModel, names: Iterable[str]) -> bool:
    """Tell whether tensors are not drawn but computed, and so never saved: sines of positions."""
    fresh: PreTrainedModel = type(model)(model.config)
    tensors, fresh_tensors = model.state_dict(), fresh.state_dict()
    # Of normalisations all numbers are alike before they are trained.
    return all(
        name in fresh_tensors
        and tensors[name].equal(fresh_tensors[name])
        and len(tensors[name].unique()) > 1
        for name in names
    )


def _require_all_used(
    path: Path, model: PreTrainedModel, keys: Iterable[str], new: tuple[str, ...]
) -> None:
    """Refuse tensors that have no place in the model, unless no pass of it could use them.

    These are of a head that the model is without or that is drawn anew: one of transformers, or any
    other beside an encoder whose tensors have its prefix. Or they are constants that older versions
    saved, and have the values that the model computes with.
    """
    base, parts = f"{model.base_model_prefix}.", {*dict(model.base_model.named_children())}
    present = {*dict(model.named_children()), *parts}
    left_out = {name for name in HEADS if name not in present or f"{name}.".startswith(new)}
    prefixed = any(key.startswith(base) for key in _stored(path))

    def harmless(key: str) -> bool:
        beside = prefixed and not key.startswith(base) and parts.isdisjoint(key.split("."))
        top = key.removeprefix(base).split(".")[0]
        return (
            top in left_out
            or (beside and top not in present - left_out)
            or _is_constant(path, model, key)
        )

    unused = sorted(key for key in keys if not harmless(key))
    if unused:
        listed = ", ".join(unused[:3]) + (", ..." if len(unused) > 3 else "")
        raise InputError(
            f"the weights in {path} hold {listed} ({len(unused)} in all), which "
            f"{type(model).__name__} of transformers has no place for: the model would compute "
            "something else than when it was saved; merge adapters and save it again, or choose "
            "another model."
        )


def _is_constant(path: Path, model: PreTrainedModel, key: str) -> bool:
    """Tell whether a tensor of a directory is one of :data:`CONSTANTS`, or a buffer as it is."""
    saved = _tensor(path, key)
    if saved is None:
        return False
    base = f"{model.base_model_prefix}."
    buffers = {name.removeprefix(base): buffer for name, buffer in model.named_buffers()}
    own = buffers.get(key.removeprefix(base))
    if own is not None and own.shape == saved.shape and own.cpu().to(saved).equal(saved):
        return True
    return any(key.endswith(name) and holds(saved) for name, holds in CONSTANTS.items())


def _tensor(path: Path, key: str) -> Tensor | None:
    """Read one tensor of a directory; None where no file has one of that name."""
    for file in _tensor_files(path):
        with safe_open(file, "pt") as tensors:
            if key in tensors.keys():
                return tensors.get_tensor(key)  # type: ignore[no-any-return]
    return None


def _stored(path: Path) -> dict[str, list[int]]:
    """Read the names and shapes of the tensors in a directory, from the heads of its files."""
    shapes: dict[str, list[int]] = {}
    for file in _tensor_files(path):
        with safe_open(file, "pt") as tensors:
            shapes |= {name: tensors.get_slice(name).get_shape() for name in tensors.keys()}
    return shapes


def _tensor_files(path: Path) -> list[Path]:
    """List the files of tensors that are loaded; one that an index names may be missing."""
    return [file for file in weight_files(path) if file.suffix == ".safetensors" and file.is_file()]


def _require_memory(path: Path) -> None:
    """Refuse weights that do not fit into memory in float32, in which all is computed."""
    try:
        needed = 4 * sum(map(math.prod, _stored(path).values()))
    except SafetensorError:  # damaged, as is said when it is loaded
        return
    available = available_memory()
    if needed > available:
        raise InputError(
            f"the weights in {path} take {needed / GIB:.1f} GiB in float32, in which everything is "
            f"computed, and {available / GIB:.1f} GiB of memory are free; use a machine with more, "
            "or choose a smaller model."
        )


def _draw_anew(model: PreTrainedModel, head: str) -> None:
    """Draw a head at random in the place of the one that was loaded."""
    module = model.get_submodule(head)
    for parameter in module.parameters():
        # transformers leaves alone what a file has filled
        parameter._is_hf_initialized = False  # type: ignore[attr-defined]
    module.apply(model._init_weights)
