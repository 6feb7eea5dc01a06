"""What a classifier says when tokens are taken away from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attention_mixing.errors import InputError
from attention_mixing.settings.measures import REMOVALS, Removal

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    from attention_mixing.models.encode import Encoded


def ablate(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[Encoded],
    removals: Sequence[Sequence[Collection[int]]],
    *,
    removal: Removal,
    device: torch.device,
    batch_size: int,
) -> list[NDArray[np.float64]]:
    """Class probabilities of every text for every set of positions taken away.

    A token goes with all that the model is given of it, its type included. Variants that come out
    as the same tokens are computed once. Only variants of the same length share a batch, so nothing
    is padded: in the model's own implementation (``sdpa``) that is the fastest path. Always in the
    precision of the weights: bfloat16 leaves a handful of distinct losses to a text, and so ranks
    of its rounding.

    Parameters
    ----------
    model
        With a classification head.
    tokenizer
        Knows what stands for a token that is taken away.
    texts
        ``[text]``, with special tokens.
    removals
        ``[text][variant]``, sets of positions in the text; an empty set gives the plain prediction.
        Special tokens are removed if they are named: leave them out.
    removal
        ``mask`` and ``unknown`` put the [MASK] or [UNK] token in the place of a token, so that all
        others keep their position; ``delete`` closes the gap.
    device, batch_size
        As in :func:`attention_mixing.models.predict.predict`.

    Returns
    -------
    list of NDArray[float64]
        ``[variant, label]`` for each text; nan for a variant without any token left, which no model
        reads.

    Raises
    ------
    InputError
        If the tokenizer lacks the token that ``removal`` puts in.
    """
    from attention_mixing.models.batch import inputs

    filler = filler_of(tokenizer, model.config, removal)
    # A variant as bytes is its own key: four bytes a number, where tuples take eight or more.
    numbers: dict[bytes, int] = {}
    rows_of_texts = []
    for text, sets in zip(texts, removals, strict=True):
        arguments = np.array(list(inputs(text, model.config).values()), dtype=np.int32)
        variants = (_without(arguments, positions, filler) for positions in sets)
        rows_of_texts.append([numbers.setdefault(variant, len(numbers)) for variant in variants])
    probabilities = _probabilities(model, list(numbers), device, batch_size)
    return [probabilities[np.array(rows, dtype=np.intp)] for rows in rows_of_texts]


def possible(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig) -> list[Removal]:
    """List in order the :data:`REMOVALS` for which a tokenizer, and the model, have tokens.

    Decoders lack a mask.
    """
    fillers = _fillers(tokenizer, config)
    return [removal for removal in REMOVALS if fillers.get(removal, 0) is not None]


def filler_of(
    tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig, removal: Removal
) -> int | None:
    """Look up the id of what stands in the place of a removed token; None if nothing does.

    A removal whose token the tokenizer, or the model, lacks is refused.
    """
    allowed = possible(tokenizer, config)
    if removal not in allowed:
        raise InputError(
            f"removal is {removal} but the tokenizer has no token for it; allowed with this model: "
            f"{', '.join(allowed)}; correct removal."
        )
    return _fillers(tokenizer, config).get(removal)


def _fillers(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig) -> dict[str, int | None]:
    """Tokens by which others are replaced; nothing takes the place of one that is deleted."""
    fillers = {"mask": tokenizer.mask_token_id, "unknown": tokenizer.unk_token_id}
    # One that was only added to the tokenizer may be beyond what the model has.
    return {
        removal: None if token is None or token >= config.vocab_size else token
        for removal, token in fillers.items()
    }


def _without(rows: NDArray[np.int32], positions: Collection[int], filler: int | None) -> bytes:
    """Take positions out of what a model is given, ``[input, token]``, the ids first."""
    removed = np.array(sorted(positions), dtype=np.intp)
    if filler is None:
        return np.delete(rows, removed, axis=1).tobytes()
    filled = rows.copy()
    filled[0, removed] = filler
    return filled.tobytes()


def _probabilities(
    model: PreTrainedModel, variants: Sequence[bytes], device: torch.device, batch_size: int
) -> NDArray[np.float64]:
    """Class probabilities of token sequences, ``[variant, label]``."""
    import torch
    from tqdm import tqdm

    from attention_mixing.models.batch import input_names
    from attention_mixing.models.classification import class_probabilities
    from attention_mixing.models.device import evaluating

    names = input_names(model.config)
    logits = np.full((len(variants), int(model.config.num_labels or 0)), np.nan)
    batches = _same_length(variants, batch_size)
    with evaluating(model, device), torch.inference_mode():
        for rows in tqdm(batches, "ablate", disable=None, unit="batch"):
            stacked = np.stack([np.frombuffer(variants[row], dtype=np.int32) for row in rows])
            batch = torch.tensor(stacked, dtype=torch.long, device=device)
            batch = batch.unflatten(1, (len(names), -1)).unbind(1)
            output = model(**dict(zip(names, batch, strict=True)))
            logits[rows] = output.logits.double().cpu().numpy()
    return class_probabilities(logits, model.config)


def _same_length(variants: Sequence[bytes], batch_size: int) -> list[NDArray[np.intp]]:
    """Rows of each batch, shortest first; those without any token are in none."""
    lengths = np.array([len(variant) for variant in variants])
    batches = []
    for length in np.unique(lengths[lengths > 0]):
        rows = np.flatnonzero(lengths == length)
        batches += [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]
    return batches
