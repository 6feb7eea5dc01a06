"""Tokens of a text with the characters that each stands for, by tokenizers of every kind.

Fast tokenizers tell the characters. Those that are written in Python, as of Japanese models that
cut texts by MeCab, do not: their tokens are found again in the text, letter by letter, whatever the
tokenizer makes of case, width, accents and marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedTokenizerBase

from analysis.errors import InputError

Span = tuple[int, int]
# What vocabularies put before a piece that goes on with a word, or that begins one.
MARKS = ("##", "▁")
# How many letters a tokenizer may leave out between two tokens: what is further away is another.
FAR = 32


@dataclass(frozen=True)
class Tokens:
    """What a tokenizer makes of a text, or of two.

    Attributes
    ----------
    ids, tokens
        ``[token]``, special ones included.
    spans
        ``[token]``, characters of its text; ``(0, 0)`` of special tokens.
    parts
        ``[token]``, 0 or 1 by the text that it is of, None of a special one.
    types
        ``[token]``, as the tokenizer tells a model which text a token is of; zeros if it does not.
    cut
        Whether there were more tokens than allowed.
    """

    ids: list[int]
    tokens: list[str]
    spans: list[Span]
    parts: list[int | None]
    types: list[int]
    cut: bool

    @property
    def special(self) -> list[bool]:
        """Which tokens are none of a text."""
        return [part is None for part in self.parts]


def tokenise(
    tokenizer: PreTrainedTokenizerBase,
    text: str,
    pair: str | None = None,
    *,
    target: bool = False,
) -> Tokens:
    """Tokenise a text, or two as the tokenizer lays out pairs; ``target`` as one to be written.

    Raises
    ------
    InputError
        If a token of a tokenizer in Python is not found in its text.
    """
    options: dict[str, Any] = {"verbose": False}
    given = {"text_target": text} if target else {"text": text, "text_pair": pair}
    if not tokenizer.is_fast:
        return _found_again(tokenizer, text, pair, given | options)
    return _told(tokenizer, tokenizer(**given, **options).encodings[0])


def tokenise_all(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], most: int
) -> Iterator[Tokens]:
    """Tokenise texts one by one, the first ``most`` tokens of each; raises as :func:`tokenise`."""
    options: dict[str, Any] = {"truncation": True, "max_length": most, "verbose": False}
    if tokenizer.is_fast:
        for fast in tokenizer(list(texts), **options).encodings:
            yield _told(tokenizer, fast)
    else:
        for text in texts:
            yield _found_again(tokenizer, text, None, {"text": text} | options)


def _told(tokenizer: PreTrainedTokenizerBase, fast: Any) -> Tokens:
    words = zip(fast.word_ids, fast.sequence_ids, strict=True)
    parts = [None if word is None else part for word, part in words]
    types = fast.type_ids if _tells_types(tokenizer) else [0] * len(fast.ids)
    return Tokens(fast.ids, fast.tokens, fast.offsets, parts, types, bool(fast.overflowing))


def _tells_types(tokenizer: PreTrainedTokenizerBase) -> bool:
    return "token_type_ids" in tokenizer.model_input_names


def _found_again(
    tokenizer: PreTrainedTokenizerBase, text: str, pair: str | None, given: dict[str, Any]
) -> Tokens:
    made = tokenizer(**given, return_special_tokens_mask=True, return_token_type_ids=True)
    ids: list[int] = made["input_ids"]
    whole = [
        (part, span)
        for part, one in enumerate((text, pair))
        if one is not None
        for span in _spans(tokenizer, one, "text_target" if "text_target" in given else "text")
    ]
    special = [bool(one) for one in made["special_tokens_mask"]]
    ordinary = iter(whole)
    placed = [(None, (0, 0)) if one else next(ordinary) for one in special]
    return Tokens(
        ids,
        tokenizer.convert_ids_to_tokens(ids),  # type: ignore[arg-type]
        [span for _, span in placed],
        [part for part, _ in placed],
        made["token_type_ids"] if _tells_types(tokenizer) else [0] * len(ids),
        cut=next(ordinary, None) is not None,
    )


def _spans(tokenizer: PreTrainedTokenizerBase, text: str, key: str) -> list[Span]:
    """Find the characters of all tokens of a text, word by word where it is cut into words."""
    # Not by tokenize(), which knows sources alone.
    ids = tokenizer(**{key: text}, add_special_tokens=False, verbose=False)["input_ids"]
    tokens: Any = tokenizer.convert_ids_to_tokens(ids)  # type: ignore[arg-type]
    # Of a translator, a source and a target have models of their own.
    models = ("spm_target" if key == "text_target" else "spm_source", "sp_model")
    if pieces := next((getattr(tokenizer, one) for one in models if hasattr(tokenizer, one)), None):
        told = pieces.encode(text, out_type="immutable_proto").pieces
        if tokenizer.convert_tokens_to_ids([one.piece for one in told]) == ids:
            return [(one.begin, one.end) for one in told]
    if not getattr(tokenizer, "do_word_tokenize", False):
        return find(tokens, text, tokenizer.unk_token)
    words = tokenizer.word_tokenizer.tokenize(text, never_split=tokenizer.all_special_tokens)
    pieces = [tokenizer.subword_tokenizer.tokenize(word) for word in words]
    made = [one for of_word in pieces for one in of_word]
    if tokenizer.convert_tokens_to_ids(made) != ids:
        return find(tokens, text, tokenizer.unk_token)
    return [
        (start + before, end + before)
        for (before, behind), of_word in zip(find(words, text), pieces, strict=True)
        for start, end in find(_known(of_word, tokenizer), text[before:behind], tokenizer.unk_token)
    ]


def _known(tokens: Sequence[str], tokenizer: PreTrainedTokenizerBase) -> list[str]:
    """Put the token for what is unknown where the vocabulary has no such piece."""
    ids: list[int] = tokenizer.convert_tokens_to_ids(list(tokens))  # type: ignore[assignment]
    return tokenizer.convert_ids_to_tokens(ids)  # type: ignore[return-value]


def find(tokens: Sequence[str], text: str, unknown: str | None = None) -> list[Span]:
    """Find the characters that tokens stand for, one after the other.

    Parameters
    ----------
    tokens
        In the order of the text, without special ones.
    text
        What was tokenised.
    unknown
        The token for what the vocabulary does not know. It stands for all between its neighbours,
        several in a row for a character each, if there are as many, or each for all of them.

    Raises
    ------
    InputError
        If a token is not found, or behind unknown ones could stand for several places.

    Examples
    --------
    >>> find(["caf", "##e", "[UNK]"], "Café 東京", "[UNK]")
    [(0, 3), (3, 4), (5, 7)]
    """
    letters = [
        (letter, place) for place, one in enumerate(text) for letter in _letters(one)
    ]  # one character may be several letters, and a letter in other characters than it was
    spans: list[Span] = []
    at, waiting = 0, 0  # of the letters; unknown tokens whose end is not known yet

    def close(end: int) -> None:
        nonlocal waiting
        places = list(dict.fromkeys(place for _, place in letters[at:end]))
        if len(places) == waiting:
            spans.extend((place, place + 1) for place in places)
        else:
            span = (places[0], places[-1] + 1) if places else (0, 0)
            spans.extend([span] * waiting)
        waiting = 0

    for token in tokens:
        if token == unknown:
            waiting += 1
            continue
        wanted = [letter for one in _without_marks(token) for letter in _letters(one)]
        if not wanted:  # a mark alone: of a blank, or of an accent
            close(at)
            spans.append((0, 0))
            continue
        start = _next(letters, wanted, at, len(letters) if waiting else at + FAR)
        again = None
        if waiting and start is not None:
            again = _next(letters, wanted, start + 1, len(letters))
        if start is None or again is not None:
            found = "not found" if start is None else "found at several places"
            raise InputError(
                f"the token {token!r} of the tokenizer is {found} in the text {text[:60]!r}, so "
                "that it cannot be traced to characters; give the model directory a tokenizer.json."
            )
        close(start)
        at = start + len(wanted)
        spans.append((letters[start][1], letters[at - 1][1] + 1))
    close(len(letters))
    return spans


def _next(letters: list[tuple[str, int]], wanted: list[str], at: int, most: int) -> int | None:
    """Find where the letters that are wanted come next."""
    for start in range(at, min(most, len(letters) - len(wanted)) + 1):
        if all(letters[start + n][0] == one for n, one in enumerate(wanted)):
            return start
    return None


def _without_marks(token: str) -> str:
    for mark in MARKS:
        token = token.removeprefix(mark)
    return token


def _letters(character: str) -> list[str]:
    """Reduce a character to letters that do not differ in case, width, accents or marks."""
    folded = unicodedata.normalize("NFKD", character).casefold()
    return [
        one
        for one in unicodedata.normalize("NFKD", folded)
        if not one.isspace() and unicodedata.category(one) not in ("Mn", "Cf", "Cc")
    ]
