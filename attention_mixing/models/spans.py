"""Tokens of a text with the characters that each stands for, by tokenizers of every kind.

Fast tokenizers tell the characters, but of a mark that they put before a word they tell the
character beside it: such a token stands for none. Those that are written in Python, as of Japanese
models that cut texts by MeCab, do not tell them: their tokens are found again in the text, letter
by letter, whatever the tokenizer makes of case, width, accents and marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from attention_mixing.errors import InputError, quoted

Span = tuple[int, int]
# What vocabularies put before a piece that begins a word, and before one that goes on with it.
MARK = "▁"
MARKS = ("##", MARK)
# How many letters a tokenizer may leave out between two tokens: what is further away is another.
FAR = 32
# In the place of tokens of a text, or of two; no vocabulary has such ids.
FIRST, SECOND = -1, -2


@dataclass(frozen=True)
class Tokens:
    """What a tokenizer makes of a text, or of two.

    Attributes
    ----------
    ids, tokens
        ``[token]``, special ones included.
    spans
        ``[token]``, characters of its text; ``(0, 0)`` of special tokens, and of marks that stand
        for no character.
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
    """Tokenise a text, or two as the tokenizer lays out pairs, special tokens included.

    The tokenizer is fast, or in Python; of the latter a token that is not found in its text
    (:func:`find`) is refused. ``target`` says that the text is one to be written, by a model that
    translates.
    """
    options: dict[str, Any] = {"verbose": False}
    texts = {"text_target": text} if target else {"text": text, "text_pair": pair}
    if not tokenizer.is_fast:
        return _python_tokens(tokenizer, text, pair, texts | options)
    return _fast_tokens(tokenizer, tokenizer(**texts, **options).encodings[0], (text, pair or ""))


def tokenise_all(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], most: int
) -> Iterator[Tokens]:
    """Tokenise texts one by one, in their order, cut to ``most`` tokens, special ones included.

    Tokenizers and refusals are as in :func:`tokenise`.
    """
    options: dict[str, Any] = {"truncation": True, "max_length": most, "verbose": False}
    if tokenizer.is_fast:
        for text, fast in zip(texts, tokenizer(list(texts), **options).encodings, strict=True):
            yield _fast_tokens(tokenizer, fast, (text,))
    else:
        for text in texts:
            yield _python_tokens(tokenizer, text, None, {"text": text} | options)


def _fast_tokens(tokenizer: PreTrainedTokenizerBase, fast: Any, texts: Sequence[str]) -> Tokens:
    words = zip(fast.word_ids, fast.sequence_ids, strict=True)
    parts = [None if word is None else part for word, part in words]
    spans = list(fast.offsets)
    for place in _put_in(tokenizer, fast, parts, texts):
        spans[place] = (0, 0)
    types = fast.type_ids if tells_types(tokenizer) else [0] * len(fast.ids)
    return Tokens(fast.ids, fast.tokens, spans, parts, types, bool(fast.overflowing))


def _put_in(
    tokenizer: PreTrainedTokenizerBase, fast: Any, parts: Sequence[int | None], texts: Sequence[str]
) -> Iterator[int]:
    """Give the places of tokens that are nothing but marks of blanks which the text does not have.

    The tokenizer tells of them the character that the mark was put beside, as of the tokens of that
    character itself; of a blank of the text, the mark stands for it.
    """
    backend = tokenizer.backend_tokenizer
    marks = _marks(backend)
    if not marks:
        return
    known = any(backend.token_to_id(names[0]) is not None for names in marks)
    places = [place for place, part in enumerate(parts) if part is not None]
    for (span, part), group in groupby(places, lambda place: (fast.offsets[place], parts[place])):
        together = [*group]
        names = [fast.tokens[place] for place in together]
        source = unicodedata.normalize("NFKC", texts[part or 0][slice(*span)])
        blanks = sum(one.isspace() or one == MARK for one in source)
        if not source:  # the tokenizer tells of a mark that it is of no character
            continue
        if known:
            found = _found_marks(names, marks)
            for first, count in found[: max(0, len(found) - blanks)]:
                yield from together[first : first + count]
        elif len(names) > 1 and names[0] == tokenizer.unk_token and len(source) == 1 > blanks:
            # The token for what is unknown, of the mark: where a word begins.
            first, before = together[0], together[0] - 1
            if first == 0 or fast.word_ids[before] != fast.word_ids[first]:
                yield first


def mark_before_words(backend: Tokenizer) -> str:
    """Return what a fast tokenizer puts before a text that does not begin with it, as ``▁``."""
    return _cut(backend, "a")[:-1]


def _cut(backend: Tokenizer, text: str) -> str:
    """Write a text as it comes to the model of a tokenizer."""
    if backend.normalizer is not None:
        text = backend.normalizer.normalize_str(text)
    if backend.pre_tokenizer is not None:
        text = "".join(piece for piece, _ in backend.pre_tokenizer.pre_tokenize_str(text))
    return text


def _marks(backend: Tokenizer) -> list[list[str]]:
    """List the marks of blanks as tokens may spell them: whole, by letters, and in bytes."""
    before = mark_before_words(backend)
    between = _cut(backend, "a a")[len(before) + 1 : -1]
    cut = backend.pre_tokenizer
    # Inside a text, where the normaliser puts nothing.
    inside = "a" if cut is None else "".join(piece for piece, _ in cut.pre_tokenize_str("a"))
    marks = sorted({before, between, inside[:-1]} - {""}, key=len, reverse=True)
    in_bytes = ([f"<0x{byte:02X}>" for byte in mark.encode()] for mark in marks)
    return [*([mark] for mark in marks), *in_bytes, *([*mark] for mark in marks if len(mark) > 1)]


def _found_marks(names: Sequence[str], marks: Sequence[list[str]]) -> list[tuple[int, int]]:
    """Find marks among tokens: the first token of each, and how many they are."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(names):
        count = next((len(mark) for mark in marks if names[at : at + len(mark)] == mark), 0)
        if count:
            found.append((at, count))
        at += count or 1
    return found


def tells_types(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Tell whether a tokenizer tells a model which of two texts a token is of."""
    return "token_type_ids" in tokenizer.model_input_names


def _python_tokens(
    tokenizer: PreTrainedTokenizerBase, text: str, pair: str | None, arguments: dict[str, Any]
) -> Tokens:
    encoding = tokenizer(**arguments, return_token_type_ids=True)
    ids: list[int] = encoding["input_ids"]
    key = "text_target" if "text_target" in arguments else "text"
    spans = [_spans(tokenizer, string, key) for string in (text, pair) if string is not None]
    added = tokenizer.num_special_tokens_to_add(pair=pair is not None)
    count = len(ids) - added - sum(map(len, spans[1:]))
    # The tokenizer lays out signs of the texts. A mask of special tokens may count one of a text.
    signs = [[FIRST] * count, *([SECOND] * len(text_spans) for text_spans in spans[1:])]
    ordinary = {FIRST: iter(spans[0]), SECOND: iter(spans[-1])}
    laid_out: list[int] = tokenizer.build_inputs_with_special_tokens(*signs)  # type: ignore[operator]
    return Tokens(
        ids,
        _names(tokenizer, ids, key),
        [next(ordinary[sign]) if sign in ordinary else (0, 0) for sign in laid_out],
        [{FIRST: 0, SECOND: 1}.get(sign) for sign in laid_out],
        encoding["token_type_ids"] if tells_types(tokenizer) else [0] * len(ids),
        cut=count < len(spans[0]),
    )


def _names(tokenizer: PreTrainedTokenizerBase, ids: list[int], key: str) -> list[str]:
    """Name tokens; of a translator, sources may have a vocabulary of their own."""
    if key == "text" and getattr(tokenizer, "separate_vocabs", False):
        names = {token_id: name for name, token_id in tokenizer.get_vocab().items()}
        return [names[token_id] for token_id in ids]
    return tokenizer.convert_ids_to_tokens(ids)  # type: ignore[return-value, arg-type]


def _spans(tokenizer: PreTrainedTokenizerBase, text: str, key: str) -> list[Span]:
    """Find the characters of all tokens of a text, word by word where it is cut into words."""
    # Not by tokenize(), which knows sources alone.
    ids = tokenizer(**{key: text}, add_special_tokens=False, verbose=False)["input_ids"]
    tokens, unknown = _names(tokenizer, ids, key), tokenizer.unk_token
    # Of a translator, a source and a target have models of their own.
    models = ("spm_target" if key == "text_target" else "spm_source", "sp_model")
    if pieces := next(
        (getattr(tokenizer, attribute) for attribute in models if hasattr(tokenizer, attribute)),
        None,
    ):
        # Before a source may stand the language that it is to be translated into.
        codes, rest = getattr(tokenizer, "remove_language_code", lambda text: ([], text))(text)
        before = len(text) - len(rest)
        piece_list = pieces.encode(rest, out_type="immutable_proto").pieces
        names = [*codes, *(piece.piece for piece in piece_list)]
        if len(names) == len(tokens) and all(
            token in (name, unknown) for token, name in zip(tokens, names, strict=True)
        ):
            piece_spans = [
                _piece_span(piece, rest, is_byte=pieces.is_byte(piece.id)) for piece in piece_list
            ]
            moved = [(start + before, end + before) for start, end in piece_spans]
            return [(0, before)] * len(codes) + moved
    if not getattr(tokenizer, "do_word_tokenize", False):
        return find(tokens, text, unknown)
    words = tokenizer.word_tokenizer.tokenize(text, never_split=tokenizer.all_special_tokens)
    pieces = [tokenizer.subword_tokenizer.tokenize(word) for word in words]
    parts = [piece for of_word in pieces for piece in of_word]
    if tokenizer.convert_tokens_to_ids(parts) != ids:
        return find(tokens, text, unknown)
    return [
        (start + before, end + before)
        for (before, behind), word, of_word in zip(
            find(words, text, marks=()), words, pieces, strict=True
        )
        for start, end in _word_spans(word, of_word, text[before:behind], tokenizer)
    ]


def _piece_span(piece: Any, text: str, *, is_byte: bool) -> Span:
    """Find the characters of a piece of SentencePiece.

    Of a character that is several letters or bytes, as ﬁ, it tells the last piece alone.
    """
    spelled = 1 if is_byte else len(_token_letters(piece.piece))
    letters = sum(len(_letters(character)) for character in text[piece.begin : piece.end])
    return piece.begin, piece.end + (letters < spelled)


def _word_spans(
    word: str, pieces: Sequence[str], text: str, tokenizer: PreTrainedTokenizerBase
) -> list[Span]:
    """Find the characters of the pieces of a word; in as many as it has letters, it is cut there.

    Where the vocabulary has no such piece stands its token for what is unknown.
    """
    if len(pieces) == len(word) > 1:
        return find([*word], text, marks=())
    ids: list[int] = tokenizer.convert_tokens_to_ids(list(pieces))  # type: ignore[assignment]
    spelled: Any = tokenizer.convert_ids_to_tokens(ids)
    return find(spelled, text, tokenizer.unk_token)


def find(
    tokens: Sequence[str],
    text: str,
    unknown: str | None = None,
    *,
    marks: Sequence[str] = MARKS,
) -> list[Span]:
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
    marks
        What tokens may begin with that is not of the text.

    Returns
    -------
    list of tuple of int
        ``[token]`` of ``(start, end)``; ``(0, 0)`` for a mark alone.

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
        (letter, position)
        for position, character in enumerate(text)
        for letter in _letters(character)
    ]  # one character may be several letters, and a letter in other characters than it was
    spans: list[Span] = [(0, 0)] * len(tokens)
    at = 0  # of the letters
    waiting: list[int] = []  # unknown tokens whose end is not known yet

    def close(end: int) -> None:
        places = list(dict.fromkeys(position for _, position in letters[at:end]))
        if len(places) == len(waiting):
            for token, position in zip(waiting, places, strict=True):
                spans[token] = (position, _character_end(text, position))
        elif places:
            for token in waiting:
                spans[token] = (places[0], _character_end(text, places[-1]))
        waiting.clear()

    for number, token in enumerate(tokens):
        if token == unknown:
            waiting.append(number)
            continue
        letters_of_token = _token_letters(token, marks)
        if not letters_of_token:  # a mark alone: of a blank, or of an accent
            continue
        start = _next_match(letters, letters_of_token, at, len(letters) if waiting else at + FAR)
        again = None
        if waiting and start is not None:
            again = _next_match(letters, letters_of_token, start + 1, len(letters))
        if start is None or again is not None:
            fault = "not found" if start is None else "found at several places"
            raise InputError(
                f"the token {token!r} of the tokenizer is {fault} in the text {quoted(text)}, so "
                "that it cannot be traced to characters; give the model directory a tokenizer.json."
            )
        close(start)
        at = start + len(letters_of_token)
        spans[number] = (letters[start][1], _character_end(text, letters[at - 1][1]))
    close(len(letters))
    return spans


def _next_match(
    letters: list[tuple[str, int]], sought: list[str], at: int, most: int
) -> int | None:
    """Find where the letters that are wanted come next."""
    for start in range(at, min(most, len(letters) - len(sought)) + 1):
        if all(letters[start + n][0] == letter for n, letter in enumerate(sought)):
            return start
    return None


def _token_letters(token: str, marks: Sequence[str] = MARKS) -> list[str]:
    """Letters of a token, without the marks of its vocabulary."""
    for mark in marks:
        token = token.removeprefix(mark)
    return [letter for character in token for letter in _letters(character)]


def _character_end(text: str, position: int) -> int:
    """Find where a character ends, with the marks on it that the text writes behind it."""
    end = position + 1
    while end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end


def _letters(character: str) -> list[str]:
    """Reduce a character to letters that do not differ in case, width, accents or marks."""
    folded = unicodedata.normalize("NFKD", character).casefold()
    return [
        letter
        for letter in unicodedata.normalize("NFKD", folded)
        if not letter.isspace() and unicodedata.category(letter) not in ("Mn", "Cf", "Cc")
    ]
