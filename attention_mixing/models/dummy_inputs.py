"""How a model is put together and how many tokens it takes, seen in passes over made-up texts."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_mixing.errors import InputError
from attention_mixing.models.batch import pad, target_vocabulary
from attention_mixing.models.config import positions
from attention_mixing.models.encode import Encoded
from attention_mixing.models.structure import Structure, Unreadable, read_structure

# Tokens of the made-up texts that a model is tried on; of different lengths, to be padded.
LENGTHS = (9, 5)
SHORTER = 2  # tokens that a made-up target has less than its text

_READ: WeakKeyDictionary[PreTrainedModel, Structure] = WeakKeyDictionary()
_MOST: WeakKeyDictionary[PreTrainedModel, int] = WeakKeyDictionary()


def structure_of(model: PreTrainedModel, name: str = "the model") -> Structure:
    """Read how a model is put together, once for each model.

    The model, which messages call ``name``, is to be in float32 and evaluation mode. One that is
    put together in a way that is not read is refused.
    """
    return _READ[model] if model in _READ else read_anew(model, name)


def read_anew(model: PreTrainedModel, name: str = "the model") -> Structure:
    """Read how a model is put together now, whether or not it was read before.

    Arguments and refusals are those of :func:`structure_of`.
    """
    try:
        with torch.inference_mode(False):  # in which tensors have no versions
            read = read_structure(model, *dummy_inputs(model))
    except Unreadable as why:
        raise InputError(
            f"{name} is put together in a way that is not read: {why}; choose another model."
        ) from None
    _READ[model] = read
    return read


def dummy_inputs(model: PreTrainedModel) -> list[dict[str, Tensor]]:
    """Make the arguments of two passes, over texts of different lengths, to try a model with."""
    return [pad([text], model.config, _device(model)) for text in dummy_texts(model)]


def most_tokens(model: PreTrainedModel) -> int:
    """Count the tokens that a model takes at most, special tokens included.

    These are its places, less those before that of the first token: RoBERTa counts places from
    behind that of padding. Where they begin is seen in a pass over one token, for which every model
    has a place, whatever the model is called.
    """
    if model not in _MOST:
        places = positions(model.config.to_dict())
        firsts = [0]

        def note(module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
            if isinstance(args[0], Tensor):  # and not the shape of a text, which begins at 0
                firsts.append(int(args[0].min()))

        words = model.get_input_embeddings()
        with ExitStack() as hooks, torch.inference_mode():
            for module in model.modules():
                if (
                    isinstance(module, nn.Embedding)
                    and module is not words
                    and module.num_embeddings == places
                ):
                    hooks.enter_context(module.register_forward_hook(note))
            model(**pad([_dummy_text(model, 1, 1)], model.config, _device(model)))
        _MOST[model] = places - max(firsts)
    return _MOST[model]


def dummy_texts(model: PreTrainedModel) -> list[Encoded]:
    """Make two texts of tokens from all over the vocabulary of a model, without padding.

    They differ in length where the model has places for more than a few tokens. For an
    encoder-decoder each has a target, of another length.
    """
    most = most_tokens(model)
    return [
        _dummy_text(model, count, max(1, count - SHORTER))
        for count in (min(length, most) for length in LENGTHS)
    ]


def _dummy_text(model: PreTrainedModel, count: int, target_count: int) -> Encoded:
    """Make a text of so many tokens, with a target where the model reads one."""
    vocabulary = model.config.vocab_size
    text = _made_up(model, count, vocabulary)
    if not model.config.is_encoder_decoder:
        return text
    return replace(text, target=_made_up(model, target_count, target_vocabulary(model.config)))


def _made_up(model: PreTrainedModel, count: int, vocabulary: int) -> Encoded:
    padding = getattr(model.config, "pad_token_id", None)
    spread = np.linspace(0, vocabulary - 1, count).round().astype(int)
    ids = [abs(token_id - 1) if token_id == padding else token_id for token_id in spread.tolist()]
    every = range(count)
    return Encoded(
        ids,
        types=[0 for _ in every],
        tokens=["" for _ in every],
        spans=[(0, 0) for _ in every],
        is_special=[False for _ in every],
        truncated=False,
    )


def _device(model: PreTrainedModel) -> torch.device:
    return next(model.parameters()).device
