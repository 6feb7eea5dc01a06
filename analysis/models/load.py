"""Load tokenizers and models from a directory of safetensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import torch
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForImageClassification,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from analysis.errors import InputError
from analysis.models.architecture import positions
from analysis.models.source import VOCABULARIES

# What configurations call the dropout before a classification head, and that of the whole model;
# DistilBERT has names of its own.
CLASSIFIER_DROPOUT = ("classifier_dropout", "seq_classif_dropout")
MODEL_DROPOUT = (
    *("hidden_dropout_prob", "attention_probs_dropout_prob"),
    *("dropout", "attention_dropout", "qa_dropout"),
)


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """Load the fast tokenizer of a model; character spans need a fast one."""
    # Without these, transformers makes up a tokenizer that knows no word.
    if not any((path / name).is_file() for name in VOCABULARIES):
        raise InputError(
            f"the model directory {path} holds no tokenizer; allowed: one of "
            f"{', '.join(VOCABULARIES)}; copy the model again, with its tokenizer."
        )
    try:
        config = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(
            path, use_fast=True, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # the tokenizers library raises plain Exception
        raise InputError(
            f"no tokenizer could be loaded from {path} ({_first_line(error)}); the model directory "
            "must hold a config.json of a known architecture, and tokenizer.json or vocab.txt."
        ) from None
    # Older tokenizer files state no limit; the position embeddings always do.
    most = positions(config.to_dict())
    tokenizer.model_max_length = min(tokenizer.model_max_length, most)
    if len(tokenizer) > getattr(config, "vocab_size", len(tokenizer)):
        raise InputError(
            f"the tokenizer in {path} knows {len(tokenizer)} tokens but the model "
            f"{config.vocab_size}: they belong to different models; copy both from one."
        )
    if not tokenizer.is_fast:
        raise InputError(
            f"the tokenizer in {path} has no fast version, so tokens cannot be traced to "
            "characters; add a tokenizer.json to the model directory."
        )
    return tokenizer


def load_encoder(path: Path) -> PreTrainedModel:
    """Load the bare transformer, in evaluation mode and float32."""
    # A pooler feeds heads only; checkpoints of masked language models have none.
    return _load(AutoModel, path, new=("pooler.",))


def load_masked_words(path: Path) -> PreTrainedModel:
    """Load a transformer that tells what a masked word was; a head that is missing is drawn."""
    return _load(AutoModelForMaskedLM, path, new=("cls.", "lm_head.", "vocab_", "pooler."))


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
        return _load(AutoModelForSequenceClassification, path, settings)
    settings["id2label"] = dict(enumerate(label_names))
    settings["label2id"] = {name: i for i, name in enumerate(label_names)}
    new = ("classifier.", "pre_classifier.", "score.", "pooler.")
    return _load(AutoModelForSequenceClassification, path, settings, new=new)


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
    return _load(AutoModelForQuestionAnswering, path, settings, new=new)


def load_finetuned(path: Path, task: str) -> PreTrainedModel:
    """Load what the train stage wrote, with the head of its task."""
    return load_answering(path) if task == "question_answering" else load_classifier(path)


def load_image_classifier(path: Path) -> PreTrainedModel:
    """Load a model that sorts images into classes, its head included."""
    return _load(AutoModelForImageClassification, path)


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
            f"no model could be loaded from {path} ({_first_line(error)}); the directory must hold "
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
    damaged = [key for key, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if damaged:
        raise InputError(
            f"{path} has weights {damaged[0]} that are no finite numbers; copy the model again, or "
            "lower train.learning_rate if it was trained here."
        )
    return model.eval()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
