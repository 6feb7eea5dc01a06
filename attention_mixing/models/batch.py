"""From tokens to the tensors that a model is given, padded to the longest text of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedConfig

from attention_mixing.errors import InputError
from attention_mixing.models.encode import Encoded

NOT_ASKED = -100
"""Target of a token that a model is not asked for; what the losses of transformers leave out."""


def inputs(text: Encoded, config: PreTrainedConfig) -> dict[str, list[int]]:
    """Lay out all that a model is given in a pass over one text.

    Parameters
    ----------
    text
        What is read.
    config
        Of the model, which says whether tokens have types.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask`` and, for a model that has types, ``token_type_ids``:
        ``[token]`` each; of a target ``decoder_input_ids`` and ``decoder_attention_mask``.

    Raises
    ------
    InputError
        If the model has fewer types than the tokenizer gives, or a text a token that it has not.
    """
    names = input_names(config)
    require_known(text.input_ids, text.tokens, config.vocab_size)
    if "token_type_ids" in names and max(text.types) >= (type_count := config.type_vocab_size):
        raise InputError(
            f"the tokenizer gives tokens of a second text the type {max(text.types)}, but the "
            f"model knows {type_count} (type_vocab_size in its config.json); read single texts, or "
            "choose a model with the tokenizer that it was trained with."
        )
    values = (text.input_ids, [1] * len(text.input_ids), text.types)
    named = dict(zip(names, values, strict=False))
    if text.target is not None:
        ids = text.target.input_ids
        require_known(ids, text.target.tokens, target_vocabulary(config))
        named |= {"decoder_input_ids": ids, "decoder_attention_mask": [1] * len(ids)}
    return named


def require_known(ids: Sequence[int], tokens: Sequence[str], vocabulary: int) -> None:
    """Refuse tokens of which a model has no embedding: of a ``vocabulary`` of so many."""
    if (most := max(ids, default=0)) >= vocabulary:
        raise InputError(
            f"a text has the token {tokens[list(ids).index(most)]!r} of the id {most}, but the "
            f"model has those up to {vocabulary - 1}; leave it out of the text, or choose a model "
            "that was trained with it."
        )


def target_vocabulary(config: PreTrainedConfig) -> int:
    """Count the tokens that a decoder has; some translators have vocabularies of two sizes."""
    return getattr(config, "decoder_vocab_size", None) or config.vocab_size


def input_names(config: PreTrainedConfig) -> tuple[str, ...]:
    """Name what a model is given in a pass, the ids first, by its configuration.

    ``input_ids``, ``attention_mask`` and, for a model that has types, ``token_type_ids``.
    """
    names = ("input_ids", "attention_mask", "token_type_ids")
    # DistilBERT has no types.
    return names if getattr(config, "type_vocab_size", 0) else names[:2]


def pad(
    encoded: Sequence[Encoded], config: PreTrainedConfig, device: torch.device | None = None
) -> dict[str, torch.Tensor]:
    """Pad a batch on the right to its longest text: :func:`inputs` of all, ``[text, token]`` each.

    The tensors are on the CPU where ``device`` is None. Refusals are those of :func:`inputs`.
    """
    return pad_rows([inputs(text, config) for text in encoded], config, device)


def pad_rows(
    rows: Sequence[Mapping[str, list[int] | int]],
    config: PreTrainedConfig,
    device: torch.device | None = None,
) -> dict[str, torch.Tensor]:
    """Pad rows on the right to the longest, whatever side a tokenizer would pad.

    The rows are of :func:`inputs`, maybe with what a model is to learn: a number a row, or
    ``labels`` a token. Of each name ``[row]`` or ``[row, token]``; the mask is 0 on padding, and no
    label is asked for there. ``device`` is as in :func:`pad`.
    """
    # A model without a padding token never sees the padding either: the mask hides it.
    padding = getattr(config, "pad_token_id", None) or 0
    fillers = {"input_ids": padding, "decoder_input_ids": padding, "labels": NOT_ASKED}
    batch = {
        name: torch.tensor([row[name] for row in rows])
        if isinstance(rows[0][name], int)
        else pad_sequence(
            [torch.tensor(row[name]) for row in rows],
            batch_first=True,
            padding_value=fillers.get(name, 0),
        )
        for name in rows[0]
    }
    return {name: values.to(device) for name, values in batch.items()}
