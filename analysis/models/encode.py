"""From texts to tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.errors import InputError
from analysis.params import Length

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Encoded:
    """One text as the model reads it, without padding.

    Attributes
    ----------
    input_ids
        ``[token]``.
    tokens
        ``[token]``, as the vocabulary spells them.
    spans
        ``[token]`` of ``(start, end)`` characters of the text; ``(0, 0)`` for special tokens.
    words
        ``[token]``, index of the word a token belongs to, None for special tokens.
    truncated
        Whether the text was longer than allowed.
    """

    input_ids: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    words: list[int | None]
    truncated: bool

    @property
    def is_special(self) -> list[bool]:
        """``[token]``, whether a token is [CLS], [SEP] and their like rather than text."""
        return [word is None for word in self.words]


def encode(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[Encoded]:
    """Tokenise texts, cutting or refusing what is too long.

    Raises
    ------
    InputError
        If ``length.max_tokens`` exceeds what the model takes, a text is longer while
        ``length.longer`` is ``refuse``, or a text has no token of its own.
    """
    if length.max_tokens > tokenizer.model_max_length:
        raise InputError(
            f"length.max_tokens is {length.max_tokens} but the model takes at most "
            f"{tokenizer.model_max_length} tokens; lower it."
        )
    batch = tokenizer(
        list(texts),
        truncation=True,
        max_length=length.max_tokens,
        return_offsets_mapping=True,
        return_overflowing_tokens=True,
        verbose=False,
    )
    # A long text comes back in several pieces; the first one is what the model reads.
    pieces: dict[int, list[int]] = {}
    for piece, text in enumerate(batch["overflow_to_sample_mapping"]):
        pieces.setdefault(text, []).append(piece)
    encoded = []
    for text, own in pieces.items():
        if len(own) > 1 and length.longer == "refuse":
            raise InputError(
                f"text {text} (counted from 0) has more than length.max_tokens = "
                f"{length.max_tokens} tokens and length.longer is refuse; raise max_tokens or set "
                "longer: truncate."
            )
        fast = batch.encodings[own[0]]
        if all(word is None for word in fast.word_ids):
            raise InputError(
                f"text {text} (counted from 0) has no token the model knows of: {texts[text]!r}; "
                "remove it."
            )
        encoded.append(
            Encoded(fast.ids, fast.tokens, fast.offsets, fast.word_ids, truncated=len(own) > 1)
        )
    return encoded


def pad(
    encoded: Sequence[Encoded], tokenizer: PreTrainedTokenizerBase
) -> dict[str, list[list[int]]]:
    """Pad a batch on the right to its longest text: ``input_ids`` and ``attention_mask``."""
    longest = max(len(e.input_ids) for e in encoded)
    # A model without a padding token never sees the padding either: the mask hides it.
    filler = tokenizer.pad_token_id or 0
    return {
        "input_ids": [e.input_ids + [filler] * (longest - len(e.input_ids)) for e in encoded],
        "attention_mask": [
            [1] * len(e.input_ids) + [0] * (longest - len(e.input_ids)) for e in encoded
        ],
    }
