"""What the vectors of a captured text depend on, by its model, which reads it with tokens replaced.

Matrices of what tokens draw on can be held against it where they are of the same tokens.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from attention_mixing.capture.network import encoded_alone, network
from attention_mixing.capture.text import Text
from attention_mixing.methods.dependence import kept_among_neighbours
from attention_mixing.models.clamping import biased
from attention_mixing.models.dependence import Batch, dependence
from attention_mixing.models.replacements import draw_replacements
from attention_mixing.settings.derived import JOINT, STREAMS, TARGETS

NOTHING = -80.0  # added to a score, in nats: the weight is zero, unless there is no other
BATCH = 64  # texts that are read together; what is measured does not depend on it


class MeasuredShares(NamedTuple):
    """To which shares tokens depend on ordinary tokens, behind every layer.

    Attributes
    ----------
    matrix
        ``[layer, query, key]``, rows summing to 1; not a number where the key is special, so that
        it was not replaced, and where nothing changes the query.
    queries, tokens
        Which of its rows and columns are of ordinary tokens; the queries are the last of the
        tokens.
    """

    matrix: NDArray[np.float64]
    queries: NDArray[np.int64]
    tokens: NDArray[np.int64]

    @property
    def values(self) -> NDArray[np.float64]:
        """Those of ordinary tokens, ``[layer, query, token]``."""
        rows, columns = np.ix_(self.queries, self.tokens)
        return self.matrix[..., rows, columns]


def measured_shares(
    text: Text, *, draws: int, seed: int, without_first: bool = False
) -> MeasuredShares | None:
    """Measure what a text depends on (:func:`attention_mixing.models.dependence.dependence`).

    Tokens are replaced by those of all captured texts; those of a text in memory by its own.

    Parameters
    ----------
    text
        Of an encoder-decoder its encoder, or source and target (stream ``joint``), of which the
        queries are tokens of the target.
    draws, seed
        Of each token, as :func:`attention_mixing.models.replacements.draw_replacements` has them:
        the same in every state of the model.
    without_first
        Whether no query attends to the first token, but where it sees no other; not of an
        encoder-decoder.

    Returns
    -------
    MeasuredShares or None
        None where there is no ordinary token, or none other to put in its place; and of a decoder
        alone, since its tokens depend on the source as well.
    """
    if text.stream in TARGETS:
        return None
    parts = [text.of(stream) for stream in STREAMS[:2]] if text.stream else [text]
    pools = [_pool(part) for part in parts]
    if any(part.special.all() for part in parts) or any(len(np.unique(p)) < 2 for p in pools):
        return None
    encoded = [encoded_alone(part) for part in parts]
    drawn = [
        draw_replacements([part], pool=pool, draws=draws, seed=seed)[0]
        for part, pool in zip(encoded, pools, strict=True)
    ]
    read = replace(encoded[0], target=encoded[1]) if text.stream else encoded[0]
    model = network(text).model
    around = partial(_without_first, model) if without_first else _as_it_is
    (found,) = dependence(
        model,
        [read],
        [np.concatenate(drawn)],
        stream=STREAMS[1] if text.stream == JOINT else text.stream,
        device=model.device,
        batch_size=BATCH,
        around=around,
    )
    tokens = np.flatnonzero(~text.special)
    queries = np.flatnonzero(~parts[1].special) if text.stream == JOINT else tokens
    shares = found.every.shares(kept_among_neighbours(len(tokens), draws))
    matrix = np.full((*shares.shape[:2], len(text.tokens)), np.nan)
    matrix[..., tokens] = shares
    return MeasuredShares(matrix, queries, tokens)


def _as_it_is(replaced: Batch, original: Batch) -> AbstractContextManager[None]:
    return nullcontext()


def _without_first(
    model: PreTrainedModel, replaced: Batch, original: Batch
) -> AbstractContextManager[None]:
    first = torch.zeros_like(original["input_ids"], dtype=torch.bool)
    first[:, 0] = True
    return biased(model, first, NOTHING)


def _pool(text: Text) -> NDArray[np.int64]:
    """List the ordinary tokens of all texts that were captured with a text, each as often as is."""
    state = getattr(text, "state", None)
    rows = text.tokens if state is None else state.capture.tokens  # a text in memory is alone
    if "is_target" in rows:
        rows = rows[rows["is_target"] == (text.stream in TARGETS)]
    return rows.loc[~rows["is_special"].astype(bool), "id"].to_numpy(np.int64)
