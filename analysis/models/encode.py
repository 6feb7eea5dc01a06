"""From texts to tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from analysis.errors import InputError
from analysis.methods.answers import answer_positions, token_span, windows
from analysis.models.architecture import require_positions
from analysis.params.sections import Length

SEPARATOR = " "
"""Between the two texts of a pair, where their characters are counted as those of one text."""
NOT_ASKED = -100
"""Target of a token that a model is not asked for; what the losses of transformers leave out."""
LONGEST_QUESTION = 64
"""Tokens of a question that are read, the first ones; ``max_query_length`` of ``run_squad.py``."""


@dataclass(frozen=True)
class Encoded:
    """What the model reads in one pass, without padding: a text, or a question with a window.

    Attributes
    ----------
    input_ids
        ``[token]``.
    types
        ``[token]``, which of two texts a token belongs to (``token_type_ids``); zeros for a single
        text, and where the tokenizer does not tell.
    tokens
        ``[token]``, as the vocabulary spells them.
    spans
        ``[token]`` of ``(start, end)`` characters of the text; ``(0, 0)`` for special tokens.
    is_special
        ``[token]``, whether a token is [CLS], [SEP] and their like rather than text.
    truncated
        Whether the text was longer than allowed, so that this is not all of it.
    """

    input_ids: list[int]
    types: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    is_special: list[bool]
    truncated: bool

    def table(self) -> pd.DataFrame:
        """Give a row a token: ``position, token, id, type, start, end, is_special``."""
        rows = pd.DataFrame({"position": range(len(self.tokens)), "token": self.tokens})
        rows[["id", "type"]] = np.array([self.input_ids, self.types], dtype=np.int64).T
        rows[["start", "end"]] = np.array(self.spans, dtype=np.int64)
        return rows.assign(is_special=self.is_special)


@dataclass(frozen=True)
class EncodedQuestion:
    """A question with its context, which is read in as many windows as it takes.

    Attributes
    ----------
    windows
        What the model reads, one pass each.
    bounds
        ``[window, 2]``, first context token of each window and one past its last, counted in the
        whole context; see :func:`analysis.methods.answers.windows`.
    first
        Position of the first context token in the model's input, the same in every window.
    offsets
        ``[context token, 2]``, characters of the text.
    positions
        ``[window, 2]``, first and last token of the first gold answer in the model's input; those
        of the first special token, which stands for "no answer", where a window does not hold all
        of it.
    cut
        Whether the question was longer than ``LONGEST_QUESTION``.
    """

    windows: list[Encoded]
    bounds: NDArray[np.int64]
    first: int
    offsets: NDArray[np.int64]
    positions: NDArray[np.int64]
    cut: bool


def encode_windows(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[list[Encoded]]:
    """Tokenise all that the model reads of each text, pass by pass.

    That is the text alone, or of a question all windows of its context.

    Parameters
    ----------
    examples
        Rows of a corpus.
    tokenizer
        Of the model.
    length
        A ``stride`` says that the texts are questions.

    Raises
    ------
    InputError
        As :func:`encode` and :func:`encode_questions`.
    """
    if length.stride is not None:
        return [question.windows for question in encode_questions(examples, tokenizer, length)]
    return [[text] for text in encode(examples["text"].tolist(), tokenizer, length)]


def encode_examples(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[Encoded]:
    """Tokenise what the first pass of :func:`encode_windows` reads of each text."""
    return [windows[0] for windows in encode_windows(examples, tokenizer, length)]


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
    require_positions(length, tokenizer.model_max_length)
    batch = tokenizer(list(texts), truncation=True, max_length=length.max_tokens, verbose=False)
    encoded = []
    for text, fast in enumerate(batch.encodings):
        truncated = bool(fast.overflowing)
        if truncated and length.longer == "refuse":
            raise InputError(
                f"text {text} (counted from 0) has more than length.max_tokens = "
                f"{length.max_tokens} tokens and length.longer is refuse; raise max_tokens or set "
                "longer: truncate."
            )
        special = [word is None for word in fast.word_ids]
        if all(special):
            raise InputError(
                f"text {text} (counted from 0) has no token the model knows of: {texts[text]!r}; "
                "remove it."
            )
        types = _types(fast, tokenizer)
        encoded.append(Encoded(fast.ids, types, fast.tokens, fast.offsets, special, truncated))
    return encoded


def encode_one(
    text: str, pair: str | None, tokenizer: PreTrainedTokenizerBase, most: int
) -> Encoded:
    """Tokenise one text, or two as the tokenizer lays out pairs.

    Parameters
    ----------
    text, pair
        The text, and the second one of a pair.
    tokenizer
        Of the model.
    most
        How many tokens the model takes (:func:`analysis.models.reading.most_tokens`).

    Raises
    ------
    InputError
        If a text is no string that can be written in UTF-8, the vocabulary knows none of its
        tokens, or there are more than the model takes.
    """
    given = {"text": text} if pair is None else {"text": text, "pair": pair}
    for name, value in given.items():
        _require_string(name, value)
    fast = tokenizer(text, pair, verbose=False).encodings[0]
    count = len(fast.ids)
    most = min(tokenizer.model_max_length, most)
    if count > most:
        raise InputError(
            f"the text has {count} tokens, but the model takes at most {most}; shorten the text."
        )
    special = [word is None for word in fast.word_ids]
    # None for a special token, 0 and 1 for those of the two texts.
    parts = fast.sequence_ids
    for part, (name, value) in enumerate(given.items()):
        read = (one for one, belongs in zip(fast.ids, parts, strict=True) if belongs == part)
        if all(one == tokenizer.unk_token_id for one in read):
            raise InputError(
                f"the {name} {value!r} has no token the model knows of; give one with a word in it."
            )
    # Characters of the second text are counted on from those of the first.
    moved = len(text) + len(SEPARATOR)
    spans = [
        (start + moved, end + moved) if part == 1 else (start, end)
        for (start, end), part in zip(fast.offsets, parts, strict=True)
    ]
    types = _types(fast, tokenizer)
    return Encoded(fast.ids, types, fast.tokens, spans, special, truncated=False)


def encode_questions(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[EncodedQuestion]:
    """Tokenise questions with their contexts, long contexts in overlapping windows.

    Question and context are laid out as the tokenizer lays out pairs. ``length.stride`` counts
    tokens from the start of one window to the start of the next, as ``doc_stride`` of
    ``run_squad.py`` does.

    Parameters
    ----------
    examples
        Rows of a corpus of questions.
    tokenizer
        Of the model.
    length
        ``max_tokens`` of a window, question and special tokens included, and ``stride``.

    Raises
    ------
    InputError
        If ``length.max_tokens`` exceeds what the model takes or leaves no room beside a question, a
        context has no token, or the tokenizer puts no token before a question that could stand for
        "no answer".
    """
    require_positions(length, tokenizer.model_max_length)
    return [_encode_question(row, tokenizer, length) for row in examples.itertuples()]


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
        ``[token]`` each.

    Raises
    ------
    InputError
        If the model has fewer types than the tokenizer gives.
    """
    names = input_names(config)
    if "token_type_ids" in names and max(text.types) >= (known := config.type_vocab_size):
        raise InputError(
            f"the tokenizer gives tokens of a second text the type {max(text.types)}, but the "
            f"model knows {known} (type_vocab_size in its config.json); read single texts, or "
            "choose a model with the tokenizer that it was trained with."
        )
    given = (text.input_ids, [1] * len(text.input_ids), text.types)
    return dict(zip(names, given, strict=False))


def input_names(config: PreTrainedConfig) -> tuple[str, ...]:
    """Name what a model is given in a pass, the ids first, by its configuration."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    # DistilBERT has no types.
    return names if getattr(config, "type_vocab_size", 0) else names[:2]


def pad(
    encoded: Sequence[Encoded], config: PreTrainedConfig, device: torch.device | None = None
) -> dict[str, torch.Tensor]:
    """Pad a batch on the right to its longest text: :func:`inputs`, ``[text, token]`` each."""
    batch = pad_rows([inputs(text, config) for text in encoded], config)
    return {name: values.to(device) for name, values in batch.items()}


def pad_rows(
    rows: Sequence[Mapping[str, list[int] | int]], config: PreTrainedConfig
) -> dict[str, torch.Tensor]:
    """Pad rows on the right to the longest, whatever side a tokenizer would pad.

    Parameters
    ----------
    rows
        Of :func:`inputs`, maybe with what a model is to learn: a number a row, or ``labels`` a
        token.
    config
        Of the model.

    Returns
    -------
    dict
        ``[row]`` or ``[row, token]``. The mask is 0 on padding, and no label is asked for there.
    """
    # A model without a padding token never sees the padding either: the mask hides it.
    fillers = {"input_ids": getattr(config, "pad_token_id", None) or 0, "labels": NOT_ASKED}
    return {
        name: torch.tensor([row[name] for row in rows])
        if isinstance(rows[0][name], int)
        else pad_sequence(
            [torch.tensor(row[name]) for row in rows],
            batch_first=True,
            padding_value=fillers.get(name, 0),
        )
        for name in rows[0]
    }


def _require_string(name: str, value: object) -> None:
    if not isinstance(value, str):
        count = f" with {len(value)} entries" if isinstance(value, list | tuple) else ""
        raise InputError(
            f"{name} is of type {type(value).__name__}{count}; allowed: one string; give several "
            "texts one by one, and bytes decoded."
        )
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(
            f"{name} is {value!r}, which is no Unicode that can be written in UTF-8; decode the "
            "bytes that it stems from as UTF-8."
        )


def _types(encoding: Any, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Types of tokens, as far as the tokenizer tells a model of them."""
    told = "token_type_ids" in tokenizer.model_input_names
    return encoding.type_ids if told else [0] * len(encoding.ids)  # type: ignore[no-any-return]


def _encode_question(
    row: Any, tokenizer: PreTrainedTokenizerBase, length: Length
) -> EncodedQuestion:
    moved = int(row.context_start)
    # Between the two stands a line break.
    pair = tokenizer(row.text[: moved - 1], row.text[moved:], verbose=False).encodings[0]
    # None for a special token, 0 and 1 for those of the two texts.
    parts: list[int | None] = pair.sequence_ids
    asked = [place for place, part in enumerate(parts) if part == 0]
    read = [place for place, part in enumerate(parts) if part == 1]
    if not read:
        raise InputError(
            f"question {row.question_id!r}: its context has no token the model knows of; remove it."
        )
    if parts[0] is not None:
        raise InputError(
            "the tokenizer puts no token before a question, so that none could stand for "
            '"no answer"; choose an encoder such as BERT.'
        )
    asked, cut = asked[:LONGEST_QUESTION], asked[LONGEST_QUESTION:]
    taken = len(asked) + parts.count(None)
    if taken >= length.max_tokens:
        raise InputError(
            f"length.max_tokens is {length.max_tokens}, but question {row.question_id!r} takes "
            f"{taken} tokens with its special tokens, so that no token of its context fits in; "
            "raise it."
        )
    room = length.max_tokens - taken
    bounds = windows(len(read), room, stride=length.stride or room)

    # Characters of the context are counted on from those of the question.
    spans = pair.offsets
    for place in read:
        start, end = spans[place]
        spans[place] = (start + moved, end + moved)
    offsets = np.array([spans[place] for place in read], dtype=np.int64)
    special = [word is None for word in pair.word_ids]
    types = _types(pair, tokenizer)
    whole: tuple[list[Any], ...] = (pair.ids, types, pair.tokens, spans, special)

    def window(start: int, end: int) -> Encoded:
        left_out = {*cut, *read[:start], *read[end:]}
        kept = [place for place in range(len(parts)) if place not in left_out]
        ids, types, tokens, spans, special = ([column[place] for place in kept] for column in whole)
        return Encoded(ids, types, tokens, spans, special, truncated=len(bounds) > 1)

    span = None
    if len(row.answers):
        start = int(row.answer_starts[0])
        span = token_span(offsets, start, start + len(row.answers[0]))
    first = read[0] - len(cut)
    answers = answer_positions(bounds, span)
    return EncodedQuestion(
        [window(start, end) for start, end in bounds.tolist()],
        bounds,
        first,
        offsets,
        np.where(answers < 0, 0, answers + first),
        cut=bool(cut),
    )
