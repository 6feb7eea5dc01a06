"""Models that a user hands over: a directory or a name, or a loaded one with its tokenizer."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from transformers import (
    AutoConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from attention_mixing.errors import InputError, first_line
from attention_mixing.models.classification import (
    SEQUENCE_HEAD,
    classifies,
    head_of,
    saved_as,
)
from attention_mixing.models.config import require_computed
from attention_mixing.models.layer_weights import has_readable_head, weights_of
from attention_mixing.models.load import (
    load_encoder,
    load_language_model,
    load_with_its_head,
    require_read,
)
from attention_mixing.models.next_word import WORD_HEAD, choosing, word_ids
from attention_mixing.models.self_check import require_own_values
from attention_mixing.models.source import directory_of
from attention_mixing.models.tokenizer import load_tokenizer, require_fitting
from attention_mixing.models.tokenizer_state import without_sampling

Loaded = tuple[PreTrainedModel, PreTrainedTokenizerBase]


def load_named(model: str | Path, words: Sequence[str] = ()) -> Loaded:
    """Load a model by directory or name, with its head if that gives probabilities of classes.

    It is in evaluation mode and float32, on the CPU. ``model`` is a directory, the id of a hub
    model, or the name of the embedded one; a language model is made to choose among ``words``,
    which are else empty. It is refused if there is none, it cannot be loaded, or it cannot choose
    among them.
    """
    if not isinstance(model, str | Path):
        raise InputError(
            f"model is of type {type(model).__name__}; allowed here: a directory or the id of a "
            "hub model; save a loaded model with save_pretrained, and name its directory."
        )
    directory = directory_of(str(model))
    tokenizer = load_tokenizer(directory)  # tells of a configuration that cannot be read
    config = AutoConfig.from_pretrained(directory, local_files_only=True)
    saved = saved_as(config)
    if words:
        ids = word_ids(tokenizer, words)
        return choosing(load_language_model(directory), ids, words), tokenizer
    # What another class of that kind computes, only its own code says.
    known = hasattr(transformers, saved) or saved.endswith(WORD_HEAD)
    if not known or not saved.endswith(SEQUENCE_HEAD) or config.is_encoder_decoder:
        return load_encoder(directory), tokenizer
    network = load_with_its_head(directory)
    _require_part_read(network, str(directory))
    return network, tokenizer


def accept(model: object, tokenizer: object, device: torch.device) -> Loaded:
    """Accept a model and a tokenizer that are loaded, and leave both as they are.

    Parameters
    ----------
    model
        Of ``transformers``, of a known architecture. Where it is in another precision than
        float32, on another device, in training mode or computes its feed-forward networks in
        chunks, a copy is made that is not.
    tokenizer
        A fast one, which is used as it is; where it splits texts by chance, a copy is made that
        does not.
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
        elif isinstance(getattr(model, "module", None), PreTrainedModel):  # on several devices
            hint = "give its .module"
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
    require_computed(model.config.to_dict(), name)
    tokenizer = without_sampling(tokenizer)
    require_fitting(tokenizer, model.config, f"the tokenizer of {name}")
    _require_plain(model, name)
    accepted = model if _readable(model, device) else _readable_copy(model, device, name)
    _require_part_read(accepted, name)
    return accepted, tokenizer


def part_read(model: PreTrainedModel) -> tuple[PreTrainedModel, str | None]:
    """Choose what of a model is read: all of it, or its base.

    Parameters
    ----------
    model
        Of :func:`load_named` or :func:`accept`.

    Returns
    -------
    read
        The model, if its head gives probabilities of classes and is read
        (:class:`attention_mixing.methods.layer.Classifier`), else its base.
    left_out
        Class of the head that is left out, if there is one.
    """
    if classifies(model) and has_readable_head(model):
        return model, None
    return model.base_model, head_of(model)  # type: ignore[return-value]


def _require_part_read(model: PreTrainedModel, name: str) -> None:
    """Refuse a model of which what is read is not as it computes; messages call it ``name``."""
    if not classifies(model):  # other heads want inputs of their own
        require_read(model.base_model, name)  # type: ignore[arg-type]
        return
    require_own_values(model, name)  # before it is asked what its head does
    weights_of(part_read(model)[0], name)


def _readable(model: PreTrainedModel, device: torch.device) -> bool:
    """Tell whether a model can be read without a change of it."""
    return bool(model.config.return_dict) and not any(
        module.training
        or getattr(module, "chunk_size_feed_forward", 0)
        or any(
            weights.dtype != torch.float32 or weights.device != device
            for weights in module.parameters(recurse=False)
        )
        for module in model.modules()
    )


def _readable_copy(model: PreTrainedModel, device: torch.device, name: str) -> PreTrainedModel:
    try:
        copied = copy.deepcopy(model)
        copied.to(device=device, dtype=torch.float32).eval()  # type: ignore[call-arg]
    except (NotImplementedError, RuntimeError) as error:  # offloaded, pruned, too large
        raise InputError(
            f"{name} cannot be copied to {device} in float32 ({first_line(error)}); load it in "
            "float32, on that device, and call eval()."
        ) from None
    copied.config.return_dict = True
    for module in copied.modules():
        if hasattr(module, "chunk_size_feed_forward"):
            module.chunk_size_feed_forward = 0  # type: ignore[assignment]
    return copied


def _require_plain(model: PreTrainedModel, name: str) -> None:
    """Refuse a model with other modules than its family has, or one that is compiled in place."""
    if model._compiled_call_impl is not None:
        raise InputError(f"{name} is compiled; give it as it was before compile().")
    if any(weights.is_meta for weights in model.parameters()):
        raise InputError(f"{name} has weights that are not in memory; load it without offloading.")
