"""From texts to tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.methods.answers import answer_positions, token_span, windows
from analysis.params import Length

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

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
        ``[token]``, which of two parts a token belongs to, for models that are told
        (``token_type_ids``); zeros for a single text.
    tokens
        ``[token]``, as the vocabulary spells them.
    spans
        ``[token]`` of ``(start, end)`` characters of the text; ``(0, 0)`` for special tokens.
    words
        ``[token]``, index of the word a token belongs to, None for special tokens.
    truncated
        Whether the text was longer than allowed, so that this is not all of it.
    """

    input_ids: list[int]
    types: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    words: list[int | None]
    truncated: bool

    @property
    def is_special(self) -> list[bool]:
        """``[token]``, whether a token is [CLS], [SEP] and their like rather than text."""
        return [word is None for word in self.words]


@dataclass(frozen=True)
class Question:
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


def encode_examples(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[Encoded]:
    """Tokenise what one pass of the model reads of each text.

    That is the text, or of a question with a long context its first window.

    Parameters
    ----------
    examples
        Rows of a corpus.
    tokenizer
        Of the model.
    length
        ``longer: windows`` says that the texts are questions.

    Raises
    ------
    InputError
        As :func:`encode` and :func:`encode_questions`.
    """
    if length.longer == "windows":
        return [question.windows[0] for question in encode_questions(examples, tokenizer, length)]
    return encode(examples["text"].tolist(), tokenizer, length)


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
    _require_positions(tokenizer, length)
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
            Encoded(
                fast.ids,
                fast.type_ids,
                fast.tokens,
                fast.offsets,
                fast.word_ids,
                truncated=len(own) > 1,
            )
        )
    return encoded


def encode_questions(
    examples: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[Question]:
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
    _require_positions(tokenizer, length)
    if examples.empty:
        return []
    starts = examples["context_start"].astype(int).tolist()
    texts = examples["text"].tolist()
    contexts = [text[start:] for text, start in zip(texts, starts, strict=True)]
    # Several questions are asked of a context; it is tokenised once.
    places = {context: place for place, context in enumerate(dict.fromkeys(contexts))}
    read_contexts = [_Piece.of(encoding) for encoding in _bare(list(places), tokenizer)]
    for context, identifier in zip(contexts, examples["question_id"], strict=True):
        if not read_contexts[places[context]].ids:
            raise InputError(
                f"question {identifier!r}: its context has no token the model knows of; remove it."
            )
    # Between the two stands a line break.
    read_questions = _bare([t[: s - 1] for t, s in zip(texts, starts, strict=True)], tokenizer)
    layout = _Layout.of(tokenizer, contexts[0])
    encoded = []
    rows = zip(examples.itertuples(), contexts, read_questions, strict=True)
    for row, text, encoding in rows:
        whole, context = _Piece.of(encoding), read_contexts[places[text]]
        question = whole.part(0, LONGEST_QUESTION)
        room = length.max_tokens - layout.specials - len(question.ids)
        if room < 1:
            raise InputError(
                f"length.max_tokens is {length.max_tokens}, but question {row.question_id!r} takes "
                f"{length.max_tokens - room} tokens with its special tokens, so that no token of "
                "its context fits in; raise it."
            )
        answer = (list(row.answers), list(row.answer_starts))
        encoded.append(
            _question(
                layout,
                question,
                context.moved(int(row.context_start), words=question.words_used),
                windows(len(context.ids), room, stride=length.stride or room),
                answer,
                cut=len(whole.ids) > LONGEST_QUESTION,
            )
        )
    return encoded


def pad(
    encoded: Sequence[Encoded], tokenizer: PreTrainedTokenizerBase
) -> dict[str, list[list[int]]]:
    """Pad a batch on the right to its longest text.

    Returns
    -------
    dict
        ``input_ids``, ``attention_mask`` and, for a model that has types, ``token_type_ids``:
        ``[text, token]`` each.
    """
    longest = max(len(e.input_ids) for e in encoded)
    gaps = [longest - len(e.input_ids) for e in encoded]
    # A model without a padding token never sees the padding either: the mask hides it.
    filler = tokenizer.pad_token_id or 0
    batch = {
        "input_ids": [e.input_ids + [filler] * gap for e, gap in zip(encoded, gaps, strict=True)],
        "attention_mask": [[1] * (longest - gap) + [0] * gap for gap in gaps],
    }
    if "token_type_ids" in tokenizer.model_input_names:
        batch["token_type_ids"] = [
            e.types + [tokenizer.pad_token_type_id] * gap
            for e, gap in zip(encoded, gaps, strict=True)
        ]
    return batch


def _require_positions(tokenizer: PreTrainedTokenizerBase, length: Length) -> None:
    if length.max_tokens > tokenizer.model_max_length:
        longer = "; a longer context is read in windows" if length.longer == "windows" else ""
        raise InputError(
            f"length.max_tokens is {length.max_tokens} but the model takes at most "
            f"{tokenizer.model_max_length} tokens; lower it{longer}."
        )


@dataclass(frozen=True)
class _Piece:
    """Tokens of a question or a context, without special tokens."""

    ids: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    words: list[int | None]

    @classmethod
    def of(cls, encoding: Any) -> _Piece:
        return cls(encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids)

    @property
    def words_used(self) -> int:
        return max((word for word in self.words if word is not None), default=-1) + 1

    def part(self, start: int, end: int) -> _Piece:
        some = slice(start, end)
        return _Piece(self.ids[some], self.tokens[some], self.spans[some], self.words[some])

    def moved(self, characters: int, *, words: int) -> _Piece:
        """Count characters and words on from what stands before."""
        return _Piece(
            self.ids,
            self.tokens,
            [(start + characters, end + characters) for start, end in self.spans],
            [None if word is None else word + words for word in self.words],
        )


@dataclass(frozen=True)
class _Layout:
    """Special tokens before, between and behind question and context, and the types of all."""

    before: tuple[list[int], list[int], list[str]]
    between: tuple[list[int], list[int], list[str]]
    behind: tuple[list[int], list[int], list[str]]
    types: tuple[int, int]

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, text: str) -> _Layout:
        """Read it off a pair that the tokenizer lays out; ``text`` has a token at least."""
        pair = tokenizer([text], [text], verbose=False).encodings[0]
        # None for a special token, 0 and 1 for those of the two texts.
        owner: list[int | None] = pair.sequence_ids
        first, second, length = owner.index(0), owner.index(1), owner.count(0)
        if not first:
            raise InputError(
                "the tokenizer puts no token before a question, so that none could stand for "
                '"no answer"; choose an encoder such as BERT.'
            )

        def specials(start: int, end: int) -> tuple[list[int], list[int], list[str]]:
            return pair.ids[start:end], pair.type_ids[start:end], pair.tokens[start:end]

        return cls(
            specials(0, first),
            specials(first + length, second),
            specials(second + length, len(owner)),
            (pair.type_ids[first], pair.type_ids[second]),
        )

    @property
    def specials(self) -> int:
        return sum(len(ids) for ids, _, _ in (self.before, self.between, self.behind))

    def lay_out(self, question: _Piece, context: _Piece, *, truncated: bool) -> Encoded:
        ids: list[int] = []
        types: list[int] = []
        tokens: list[str] = []
        spans: list[tuple[int, int]] = []
        words: list[int | None] = []
        texts = ((question, self.types[0]), (context, self.types[1]), None)
        for special, following in zip((self.before, self.between, self.behind), texts, strict=True):
            ids += special[0]
            types += special[1]
            tokens += special[2]
            spans += [(0, 0)] * len(special[0])
            words += [None] * len(special[0])
            if following is not None:
                piece, kind = following
                ids += piece.ids
                types += [kind] * len(piece.ids)
                tokens += piece.tokens
                spans += piece.spans
                words += piece.words
        return Encoded(ids, types, tokens, spans, words, truncated)


def _bare(texts: list[str], tokenizer: PreTrainedTokenizerBase) -> list[Any]:
    return tokenizer(texts, add_special_tokens=False, verbose=False).encodings


def _question(
    layout: _Layout,
    question: _Piece,
    context: _Piece,
    bounds: NDArray[np.int64],
    answer: tuple[list[str], list[int]],
    *,
    cut: bool,
) -> Question:
    offsets = np.array(context.spans, dtype=np.int64)
    span = None
    if answer[0]:
        start = int(answer[1][0])
        span = token_span(offsets, start, start + len(answer[0][0]))
    first = len(layout.before[0]) + len(question.ids) + len(layout.between[0])
    positions = answer_positions(bounds, span)
    return Question(
        [
            layout.lay_out(question, context.part(start, end), truncated=len(bounds) > 1)
            for start, end in bounds.tolist()
        ],
        bounds,
        first,
        offsets,
        np.where(positions < 0, 0, positions + first),
        cut,
    )
