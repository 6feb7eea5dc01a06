"""Draw tokens to put in the place of those of a text.

What is drawn depends on the seed and on the text alone, so that it is the same for every model, and
whichever texts are read beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_mixing.errors import InputError
from attention_mixing.models.batch import pad
from attention_mixing.models.device import evaluating
from attention_mixing.models.encode import Encoded

__all__ = ["draw_likely_replacements", "draw_replacements"]

Ids = NDArray[np.int64]
Place = tuple[str, int]
"""Which of what a model is given, ``input_ids`` or ``decoder_input_ids``, and where in it."""


def draw_replacements(
    texts: Sequence[Encoded], *, pool: ArrayLike | None = None, draws: int = 4, seed: int = 0
) -> list[Ids]:
    """Draw replacements of every ordinary token from a pool.

    Parameters
    ----------
    texts
        What is read.
    pool
        Ids, each as likely as it is often there, such as ``range(vocabulary)``; None for the
        ordinary tokens of the texts, of those of targets for these.
    draws
        Of each token.
    seed
        Of the draws.

    Returns
    -------
    list
        ``[text][token, draw]``, never the token itself; those of a target behind those of its
        source.

    Raises
    ------
    InputError
        If the pool has nothing but a token that is to be replaced.
    """
    pools = {}
    for name in ("input_ids", "decoder_input_ids"):
        here = [i for text in texts for at, i in _ordinary_ids(text) if at == name]
        pools[name] = np.asarray(here if pool is None else pool, dtype=np.int64)
    replacements = []
    for text in texts:
        generator = _generator(text, seed)
        drawn = np.empty((len(ordinary(text)), draws), np.int64)
        for row, (name, token) in zip(drawn, _ordinary_ids(text), strict=True):
            others = pools[name][pools[name] != token]
            if not len(others):
                raise InputError(
                    f"the pool has no token but {token}, which is to be replaced; allowed: at "
                    "least two different tokens; draw from more texts or from the vocabulary."
                )
            row[:] = generator.choice(others, draws)
        replacements.append(drawn)
    return replacements


def draw_likely_replacements(
    texts: Sequence[Encoded],
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    draws: int = 4,
    seed: int = 0,
    device: torch.device,
    batch_size: int,
) -> list[Ids]:
    """Draw replacements of every ordinary token as a model of masked words holds them likely.

    Parameters
    ----------
    texts
        What is read, without targets.
    model
        Which tells masked words and has the vocabulary of the texts. Left as it was.
    tokenizer
        Knows the mask, and which tokens are special and never drawn.
    draws, seed
        As in :func:`draw_replacements`.
    device, batch_size
        As in :func:`attention_mixing.models.predict.predict`; a text is read once a token.

    Returns
    -------
    list
        ``[text][token, draw]``, never the token itself.

    Raises
    ------
    InputError
        If the tokenizer has no mask.
    """
    mask = tokenizer.mask_token_id
    if mask is None:
        raise InputError(
            f"the tokenizer {type(tokenizer).__name__} has no mask; allowed: that of a model of "
            "masked words; draw from a pool instead."
        )
    replacements = []
    with evaluating(model, device), torch.inference_mode():
        for text in tqdm(texts, "draw", disable=None, unit="text"):
            original, places = pad([text], model.config, device), ordinary(text)
            drawn = np.empty((len(places), draws), np.int64)
            generator = _generator(text, seed)
            for start in range(0, len(places), batch_size):
                some = places[start : start + batch_size]
                batch = replaced(original, some, np.full((len(some), 1), mask))
                positions = torch.tensor([position for _, position in some], device=device)
                logits = model(**batch).logits[range(len(some)), positions].double()
                logits[:, tokenizer.all_special_ids] = -torch.inf
                logits[range(len(some)), original["input_ids"][0, positions]] = -torch.inf
                chances = logits.softmax(dim=-1).cpu().numpy()
                for row, p in enumerate(chances, start):
                    drawn[row] = generator.choice(len(p), draws, p=p)
            replacements.append(drawn)
    return replacements


def ordinary(text: Encoded, stream: str = "") -> list[Place]:
    """List the places of ordinary tokens of a text, and of its target behind them.

    The stream ``encoder`` has no target.
    """
    return [
        (name, position)
        for name, part in _parts(text, stream).items()
        for position, special in enumerate(part.is_special)
        if not special
    ]


def replaced(
    original: Mapping[str, Tensor], places: Sequence[Place], ids: Ids
) -> dict[str, Tensor]:
    """Put tokens in the places of others, one at a time.

    ``original`` is a batch of one text, and ``ids`` are ``[place, draw]``; what comes of it has a
    row a place and draw, in this order.
    """
    rows = {name: values.repeat(ids.size, 1) for name, values in original.items()}
    draws = ids.shape[1]
    for number, (name, position) in enumerate(places):
        some = slice(number * draws, (number + 1) * draws)
        rows[name][some, position] = torch.as_tensor(ids[number]).to(rows[name])
    return rows


def _parts(text: Encoded, stream: str = "") -> dict[str, Encoded]:
    """Give a text, and its target if it has one, by what the model is given of them."""
    if text.target is None or stream == "encoder":
        return {"input_ids": text}
    return {"input_ids": text, "decoder_input_ids": text.target}


def _ordinary_ids(text: Encoded) -> list[tuple[str, int]]:
    """List the ids of ordinary tokens, each with what it is given in."""
    parts = _parts(text)
    return [(name, parts[name].input_ids[position]) for name, position in ordinary(text)]


def _generator(text: Encoded, seed: int) -> np.random.Generator:
    ids = [part.input_ids for part in _parts(text).values()]
    return np.random.default_rng([seed, *chain(*ids)])
