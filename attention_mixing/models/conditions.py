"""What is done to the attention to some keys while a model reads: held, zeroed or raised.

Which keys these are, and whose shares they are held at, follows from the text that is read, the
same in training as afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel

from attention_mixing.methods.matched_keys import matched_keys, summed
from attention_mixing.models.attention import record_attention
from attention_mixing.models.batch import pad
from attention_mixing.models.clamping import biased, clamped, shares, values_zeroed
from attention_mixing.models.encode import Encoded
from attention_mixing.models.mean_readout import MeanReadout

__all__ = ["Condition", "KeySet", "Reader", "What", "Whose"]

What = Literal["free", "following", "held", "zeroed", "biased"]
"""Nothing; shares are those of the text that is read, or of that before a token was replaced;
values are 0; something is added to the scores."""
KeySet = Literal["", "special", "first", "last", "mass", "move"]
"""None; all special tokens, the first and the last of them; ordinary ones that weigh as much in the
pretrained model as the special ones, as far as any do, and whose weight moves as far by free
fine-tuning."""
Whose = Literal["", "pretrained", "free", "other_text", "mean"]
"""No shares; those of the pretrained and of the freely fine-tuned model on the text; those of the
pretrained model on another text, and their mean."""

SETS: tuple[KeySet, ...] = get_args(KeySet)[1:]
MEANED = 64  # texts whose shares are averaged


@dataclass(frozen=True)
class Condition:
    """What is done while a model reads.

    Attributes
    ----------
    what, keys, shares
        Which intervention, on which keys, and at whose shares they are held.
    bias
        What is added to their scores, in nats.
    """

    what: What = "free"
    keys: KeySet = ""
    shares: Whose = ""
    bias: float = 0.0


FREE = Condition()


class Reader:
    """Opens interventions, knowing the models and texts that they are made of.

    Attributes
    ----------
    pretrained
        The model before it is fine-tuned.
    free
        The one that was fine-tuned freely; None as long as there is none, which keys of the set
        ``move`` and shares of ``free`` need.
    """

    def __init__(self, pretrained: MeanReadout, texts: Sequence[Encoded], seed: int) -> None:
        """Take a model, and texts whose shares others may be given.

        Parameters
        ----------
        pretrained
            Of one text; in evaluation mode. Left as it was.
        texts
            Those that are trained on, with special tokens; at least two.
        seed
            Of which text stands for another.
        """
        self.pretrained = pretrained
        self.free: MeanReadout | None = None
        self.texts, self.seed = texts, seed
        self._chosen: dict[tuple[str, tuple[int, ...]], NDArray[np.bool_]] = {}
        self._means: dict[str, list[Tensor | None]] = {}

    def opened(
        self,
        model: PreTrainedModel,
        condition: Condition,
        texts: Sequence[Encoded],
        batch: Mapping[str, Tensor],
        before: Mapping[str, Tensor] | None = None,
    ) -> AbstractContextManager[Any]:
        """Open an intervention around a pass of a model over a batch.

        Parameters
        ----------
        model
            What reads.
        condition
            What is done.
        texts
            What is read, or one text of which the whole batch is made by replacing tokens.
        batch
            The same as the model is given it.
        before
            One text, as it was before tokens were replaced, where shares are held at those of it;
            without, the texts are as they were.

        Raises
        ------
        InputError
            As :func:`attention_mixing.models.clamping.clamped`.
        """
        if condition.what == "free":
            return nullcontext()
        keys = self.keys(condition.keys, texts, batch)
        if condition.what == "zeroed":
            return values_zeroed(model, keys)
        if condition.what == "biased":
            return biased(model, keys, condition.bias)
        read = batch if before is None or condition.what == "following" else before
        return clamped(model, keys, self._held(condition, texts, read, keys))

    def keys(self, name: KeySet, texts: Sequence[Encoded], batch: Mapping[str, Tensor]) -> Tensor:
        """Lay out a set of keys of texts, ``[text, set, key]`` of truth values, with one set."""
        ids = batch["input_ids"]
        members = torch.zeros(len(texts), 1, ids.shape[1], dtype=torch.bool, device=ids.device)
        for row, text in zip(members, texts, strict=True):
            row[0, : len(text.input_ids)] = torch.from_numpy(self.chosen(name, text))
        return members

    def chosen(self, name: KeySet, text: Encoded) -> NDArray[np.bool_]:
        """Choose a set of keys of a text, ``[key]``."""
        key = (name, tuple(text.input_ids))
        if key not in self._chosen:
            self._chosen[key] = self._choose(name, text)
        return self._chosen[key]

    def weights_of(self, name: KeySet, text: Encoded) -> tuple[float, float]:
        """Compute how a set of keys is matched.

        Returns
        -------
        tuple
            Its mean share of the attention of ordinary tokens in the pretrained model, and by how
            much it moves by free fine-tuning, in either direction; not a number without that.
        """
        keys = self.chosen(name, text)
        moved = self._moved(text) if self.free is not None else None
        return (
            summed(self._weights(self.pretrained, text), keys),
            np.nan if moved is None else summed(moved, keys),
        )

    def _choose(self, name: KeySet, text: Encoded) -> NDArray[np.bool_]:
        special = np.array(text.is_special)
        if name in ("first", "last"):
            places = np.flatnonzero(special)
            return np.arange(len(special)) == places[0 if name == "first" else -1]
        if name == "special":
            return special
        rows = self._moved(text) if name == "move" else self._weights(self.pretrained, text)
        return matched_keys(rows, special, ~special)

    def _moved(self, text: Encoded) -> NDArray[np.float32]:
        assert self.free is not None  # it is trained before what needs it
        return self._weights(self.free, text) - self._weights(self.pretrained, text)

    @torch.no_grad()
    def _weights(self, model: PreTrainedModel, text: Encoded) -> NDArray[np.float32]:
        """Read the attention of ordinary tokens, ``[layer, head, query, key]``."""
        device = next(model.parameters()).device
        with record_attention(model) as calls:
            model(**pad([text], model.config, device))
        queries = torch.from_numpy(~np.array(text.is_special))
        read: NDArray[np.float32] = np.stack([one.weights[0].cpu() for one in calls])
        return read[:, :, queries]

    def _held(
        self,
        condition: Condition,
        texts: Sequence[Encoded],
        read: Mapping[str, Tensor],
        keys: Tensor,
    ) -> list[Tensor | None]:
        if condition.shares == "other_text":
            return self._of_other_texts(condition.keys, texts, read["input_ids"])
        if condition.shares == "mean":
            return self._mean(condition.keys, read["input_ids"].device)
        model = self.free if condition.shares == "free" else self.pretrained
        assert model is not None
        return shares(model, read, keys)

    def _mean(self, name: KeySet, device: torch.device) -> list[Tensor | None]:
        """Average shares by attention and head over texts and ordinary tokens."""
        if name not in self._means:
            sums: list[Tensor] = []
            count = 0
            for text in self.texts[:MEANED]:
                batch = pad([text], self.pretrained.config, device)
                ordinary = ~torch.tensor(text.is_special, device=device)
                found = shares(self.pretrained, batch, self.keys(name, [text], batch))
                here = [one[:, :, ordinary].sum(2, keepdim=True) for one in _all(found)]
                sums = here if not sums else [a + b for a, b in zip(sums, here, strict=True)]
                count += int(ordinary.sum())
            self._means[name] = [one / count for one in sums]
        return self._means[name]

    def _of_other_texts(
        self, name: KeySet, texts: Sequence[Encoded], ids: Tensor
    ) -> list[Tensor | None]:
        """Read shares off another text each, whose ordinary tokens are taken in any order."""
        others, rows = [], torch.zeros(len(texts), ids.shape[1], dtype=torch.long)
        for row, text in zip(rows, texts, strict=True):
            other, places = self._other(text)
            others.append(other)
            row[: len(places)] = torch.from_numpy(places)
        batch = pad(others, self.pretrained.config, ids.device)
        found = _all(shares(self.pretrained, batch, self.keys(name, others, batch)))
        index = rows[:, None, :, None].to(ids.device)
        return [one.gather(2, index.expand(-1, one.shape[1], -1, 1)) for one in found]

    def _other(self, text: Encoded) -> tuple[Encoded, NDArray[np.int64]]:
        """Choose a text in the place of another, and which of its tokens stands for each.

        That depends on the seed and the text alone, so that it is the same for all models.
        """
        rng = np.random.default_rng([self.seed, *text.input_ids])
        other = text
        while other.input_ids == text.input_ids:
            other = self.texts[int(rng.integers(len(self.texts)))]
        special, others = np.array(text.is_special), np.array(other.is_special)
        places = np.empty(len(special), np.int64)
        places[~special] = np.resize(rng.permutation(np.flatnonzero(~others)), (~special).sum())
        places[special] = np.resize(np.flatnonzero(others), special.sum())
        return other, places


def _all(found: Sequence[Tensor | None]) -> list[Tensor]:
    return [one for one in found if one is not None]
