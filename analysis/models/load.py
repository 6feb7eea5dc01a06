"""Load models from a directory of safetensors, or take those that are loaded.

Whatever comes in is compared with what it was saved as and with what it computes itself: its
tensors with those that the model uses, the arrays that are read with its own forward pass.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForImageClassification,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from analysis.errors import InputError, first_line
from analysis.models.architecture import modules
from analysis.models.classes import classifies
from analysis.models.self_check import require_own_values
from analysis.models.tokenizer import require_fitting
from analysis.models.weights import PARTS

# Modules of the heads of the known encoders, by their names in files. A head that a model is loaded
# without cannot change what it computes; any other tensor without a place in the model could.
HEADS = (
    *("classifier", "pre_classifier", "qa_outputs", "pooler"),
    *("cls", "lm_head", "vocab_transform", "vocab_layer_norm", "vocab_projector"),
)
# What configurations call the dropout before a classification head, and that of the whole model;
# DistilBERT has names of its own.
CLASSIFIER_DROPOUT = ("classifier_dropout", "seq_classif_dropout")
MODEL_DROPOUT = (
    *("hidden_dropout_prob", "attention_probs_dropout_prob"),
    *("dropout", "attention_dropout", "qa_dropout"),
)


def load_encoder(path: Path) -> PreTrainedModel:
    """Load the bare transformer, in evaluation mode and float32."""
    # A pooler feeds heads only; checkpoints of masked language models have none.
    return _load_text(AutoModel, path, new=("pooler.",))


def load_masked_words(path: Path) -> PreTrainedModel:
    """Load a transformer that tells what a masked word was; a head that is missing is drawn."""
    return _load_text(AutoModelForMaskedLM, path, new=("cls.", "lm_head.", "vocab_", "pooler."))


def load_classifier(
    path: Path, label_names: tuple[str, ...] | None = None, dropout: float | None = None
) -> PreTrainedModel:
    """Load a transformer with a linear classification head.

    Parameters
    ----------
    path
        Model directory.
    label_names
        Names of the classes, for a new head (a head for as many classes is kept); None takes the
        head that the directory holds.
    dropout
        Before the head; None keeps the model's own.
    """
    settings: dict[str, object] = dict.fromkeys(CLASSIFIER_DROPOUT, dropout)
    if label_names is None:
        return _load_text(AutoModelForSequenceClassification, path, settings)
    # Whatever the encoder was trained for before.
    settings["problem_type"] = "single_label_classification"
    settings["id2label"] = dict(enumerate(label_names))
    settings["label2id"] = {name: i for i, name in enumerate(label_names)}
    new = ("classifier.", "pre_classifier.", "score.", "pooler.")
    model = _load_text(AutoModelForSequenceClassification, path, settings, new=new)
    saved_as = _saved_as(path)
    if "For" in saved_as and not saved_as.endswith("ForSequenceClassification"):
        _draw_anew(model, "classifier")
    return model


def load_answering(
    path: Path, new_head: bool = False, dropout: float | None = None
) -> PreTrainedModel:
    """Load a transformer that tells for every token how likely an answer starts or ends there.

    Parameters
    ----------
    path
        Model directory.
    new_head
        Whether a head is drawn where the directory holds none; one that it holds is kept.
    dropout
        Of the whole model, attention and head included; None keeps the model's own.
    """
    new = ("qa_outputs.",) if new_head else ()
    settings = dict.fromkeys(MODEL_DROPOUT, dropout)
    return _load_text(AutoModelForQuestionAnswering, path, settings, new=new)


def load_finetuned(path: Path, task: str) -> PreTrainedModel:
    """Load what the train stage wrote, with the head of its task."""
    return load_answering(path) if task == "question_answering" else load_classifier(path)


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
    require_own_values(model, str(path))
    return model


def _load(
    auto_class: type,
    path: Path,
    settings: Mapping[str, object] = MappingProxyType({}),
    *,
    new: tuple[str, ...] = (),
) -> PreTrainedModel:
    """Load a model in evaluation mode.

    Parameters
    ----------
    auto_class, path
        Class of the head, and directory.
    settings
        What to change of the configuration; None leaves, and what a configuration lacks is left
        out.
    new
        Modules that may be missing in the directory, or be of another size.
    """
    # A new head is intended; the notices about it, and a bar for a tenth of a second of
    # loading, would only alarm.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        for name, value in settings.items():
            if value is not None and hasattr(config, name):
                setattr(config, name, value)
        # Saves memory and changes no number, but a hook would see a layer in pieces.
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
    except Exception as error:  # each architecture breaks in its own way over odd settings
        raise InputError(
            f"no model could be loaded from {path} ({first_line(error)}); the directory must hold "
            "a config.json of a known architecture and its *.safetensors."
        ) from None
    # What is missing would be drawn at random, and a model of chance pass for the one named.
    random = {*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])}
    base = f"{model.base_model_prefix}."
    absent = sorted(key for key in random if not key.removeprefix(base).startswith(new))
    if absent:
        raise InputError(
            f"the weights in {path} lack {absent[0]}, or have it in another size "
            f"({len(absent)} such tensors); name a complete model."
        )
    _require_all_used(path, model, report["unexpected_keys"], new)
    damaged = [key for key, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if damaged:
        raise InputError(
            f"{path} has weights {damaged[0]} that are no finite numbers; copy the model again, or "
            "lower train.learning_rate if it was trained here."
        )
    return model.eval()


def _require_all_used(
    path: Path, model: PreTrainedModel, keys: Iterable[str], new: tuple[str, ...]
) -> None:
    """Refuse tensors that have no place in the model, unless they are of a head it is without."""
    present = {name for part in (model, model.base_model) for name, _ in part.named_children()}
    left_out = {name for name in HEADS if name not in present or f"{name}.".startswith(new)}
    base = f"{model.base_model_prefix}."
    unused = sorted(key for key in keys if key.removeprefix(base).split(".")[0] not in left_out)
    if unused:
        shown = ", ".join(unused[:3]) + (", ..." if len(unused) > 3 else "")
        raise InputError(
            f"the weights in {path} hold {shown} ({len(unused)} such tensors), which "
            f"{type(model).__name__} of transformers has no place for: the model would compute "
            "something else than when it was saved; merge adapters and save it again, or choose "
            "another model."
        )


def _saved_as(path: Path) -> str:
    """Name of the class that a model was saved from; empty where its configuration has none."""
    config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    return (config.architectures or [""])[0]


def _draw_anew(model: PreTrainedModel, head: str) -> None:
    """Draw a head that was loaded from one of another task, a tagger's, which has the same name."""
    module = model.get_submodule(head)
    for parameter in module.parameters():
        # transformers leaves alone what a file has filled
        parameter._is_hf_initialized = False  # type: ignore[attr-defined]
    module.apply(model._init_weights)


def take(
    model: object, tokenizer: object, device: torch.device
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Take a model and a tokenizer that are loaded, and leave both as they are.

    Parameters
    ----------
    model
        Of ``transformers``, of a known architecture. Where it is in another precision than
        float32, on another device, in training mode or computes its feed-forward networks in
        chunks, a copy is made that is not.
    tokenizer
        A fast one.
    device
        Where the model is to compute.

    Returns
    -------
    model, tokenizer
        To be read.

    Raises
    ------
    InputError
        If the model is wrapped, compiled, carries an adapter, is of no known architecture or is
        not read as it computes; if the two do not belong together.
    """
    if not isinstance(model, PreTrainedModel):
        hint = "give the model of transformers itself"
        if hasattr(model, "merge_and_unload"):
            hint = "merge its adapter first, with merge_and_unload()"
        elif hasattr(model, "_orig_mod"):
            hint = "give it as it was before torch.compile"
        raise InputError(
            f"the model is a {type(model).__module__}.{type(model).__name__}, which cannot be read "
            f"from inside; allowed: a PreTrainedModel of transformers; {hint}."
        )
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise InputError(
            f"the tokenizer is a {type(tokenizer).__name__}; allowed: a fast tokenizer of "
            "transformers; load it with AutoTokenizer.from_pretrained."
        )
    name = f"the model {type(model).__name__}"
    require_fitting(tokenizer, model.config, "the tokenizer")
    _require_plain(model, name)
    chunked = any(getattr(part, "chunk_size_feed_forward", 0) for part in model.modules())
    there = all(
        parameter.dtype == torch.float32 and parameter.device == device
        for parameter in model.parameters()
    )
    network = model
    if chunked or model.training or not there:
        network = copy.deepcopy(model)
        network.to(device=device, dtype=torch.float32).eval()  # type: ignore[call-arg]
        for part in network.modules():
            if hasattr(part, "chunk_size_feed_forward"):
                part.chunk_size_feed_forward = 0  # type: ignore[assignment]
    # Other heads are left out, and want inputs of their own.
    read = network if classifies(network) else network.base_model
    require_own_values(read, name)  # type: ignore[arg-type]
    return network, tokenizer


def _require_plain(model: PreTrainedModel, name: str) -> None:
    """Refuse a model with other modules than its family has, or one that is compiled in place."""
    if model._compiled_call_impl is not None:
        raise InputError(f"{name} is compiled; give it as it was before compile().")
    kinds = {part: nn.LayerNorm if part.endswith("norm") else nn.Linear for part in PARTS}
    for part, kind in kinds.items():
        for module in modules(model, part):
            if type(module) is not kind:
                raise InputError(
                    f"{name} has a {type(module).__module__}.{type(module).__name__} as "
                    f"{part} where its family has a {kind.__name__}; merge adapters and undo "
                    "quantisation first."
                )
