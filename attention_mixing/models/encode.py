"""Texts, texts with targets and questions as tokens of a model, cut to a length or into windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from attention_mixing.errors import InputError, quoted
from attention_mixing.methods.question_answering import answer_positions, token_span, windows
from attention_mixing.models.config import require_positions
from attention_mixing.models.spans import Span, tokenise, tokenise_all
from attention_mixing.settings.derived import TARGETS
from attention_mixing.settings.experiment import Length

SEPARATOR = " "
"""Between the two texts of a pair, where their characters are counted as those of one text."""
BEFORE_WORD = " "
"""Between a text and the word that comes next."""
CONTINUED = "##"
"""Before a piece that goes on with a word, in vocabularies such as BERT's."""
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
        ``[token]`` of ``(start, end)`` characters of the text; ``(0, 0)`` for special tokens, and
        for marks that stand for no character.
    is_special
        ``[token]``, whether a token is [CLS], [SEP] and their like rather than text.
    truncated
        Whether the text was longer than allowed, so that this is not all of it.
    target
        What the decoder of an encoder-decoder reads, the first token being that which it begins
        with; None for a model that reads one text.
    """

    input_ids: list[int]
    types: list[int]
    tokens: list[str]
    spans: list[tuple[int, int]]
    is_special: list[bool]
    truncated: bool
    target: Encoded | None = None

    def lengths(self, stream: str) -> dict[str, int]:
        """Count the tokens along the axes of a stream (:mod:`attention_mixing.capture.store`).

        Parameters
        ----------
        stream
            Of an encoder-decoder ``encoder``, ``decoder`` or ``cross``; else empty.

        Returns
        -------
        dict
            Lengths of the axes ``token``, ``query`` and ``key``.
        """
        source = count = len(self.input_ids)
        if stream in TARGETS:
            assert self.target is not None
            count = len(self.target.input_ids)
        return {"token": count, "query": count, "key": source if stream == "cross" else count}

    def table(self, text: str) -> pd.DataFrame:
        """Lay the tokens of a text out as a table, a row a token.

        Parameters
        ----------
        text
            What was tokenised.

        Returns
        -------
        DataFrame
            ``position, token, written, id, type, start, end, is_special``, where ``token`` is as
            the vocabulary spells it and ``written`` what it stands for (:meth:`written`).
        """
        rows = pd.DataFrame({"position": range(len(self.tokens)), "token": self.tokens})
        rows["written"] = self.written(text)
        rows[["id", "type"]] = np.array([self.input_ids, self.types], dtype=np.int64).T
        rows[["start", "end"]] = np.array(self.spans, dtype=np.int64)
        return rows.assign(is_special=self.is_special)

    def written(self, text: str) -> list[str]:
        """Write out what each token stands for: characters of the text, not of the vocabulary.

        Vocabularies of bytes spell é as Ã©, and have one name for all that they do not know. A
        special token keeps its name, and so does a mark that stands for no character; a piece that
        goes on with a word keeps the ``##`` of its vocabulary; of several tokens for one character
        each says which of them it is.

        Parameters
        ----------
        text
            What was tokenised.

        Returns
        -------
        list of str
            ``[token]``.
        """
        count, written = Counter(self.spans), []
        before: Counter[tuple[int, int]] = Counter()
        for name, span, special in zip(self.tokens, self.spans, self.is_special, strict=True):
            characters = text[slice(*span)].strip()
            if special or not characters:
                written.append(name)
                continue
            before[span] += 1
            if count[span] > 1:
                characters = f"{characters} {before[span]}/{count[span]}"
            written.append(f"{CONTINUED}{characters}" if name.startswith(CONTINUED) else characters)
        return written


def written_alone(token_id: int, tokenizer: PreTrainedTokenizerBase) -> str:
    """Write out what a token stands for that is in no text, as :meth:`Encoded.written` does.

    A token that stands for no whole character keeps its name, and one without a name its number.
    """
    characters = str(tokenizer.decode([token_id])).strip()
    if characters and "\ufffd" not in characters:
        return characters
    return tokenizer.convert_ids_to_tokens([token_id])[0] or str(token_id)


@dataclass(frozen=True)
class EncodedQuestion:
    """A question with its context, which is read in as many windows as it takes.

    Attributes
    ----------
    windows
        What the model reads, one pass each.
    bounds
        ``[window, 2]``, first context token of each window and one past its last, counted in the
        whole context; see :func:`attention_mixing.methods.question_answering.windows`.
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
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig | None = None,
) -> list[list[Encoded]]:
    """Tokenise all that the model reads of each text, pass by pass: ``[text][pass]``.

    That is the text alone, or with its target, or of a question all windows of its context. A
    ``stride`` of ``length`` says that the texts are questions; ``config`` is of an encoder-decoder,
    whose decoder reads the targets, and may else be left out. Refusals are those of :func:`encode`,
    :func:`encode_questions`, :func:`require_targets` and :func:`with_target`.
    """
    if length.stride is not None:
        return [question.windows for question in encode_questions(examples, tokenizer, length)]
    texts = encode(examples["text"].tolist(), tokenizer, length)
    if config is not None:
        require_targets(config, there=bool(examples["target"].notna().any()))
    if config is not None and config.is_encoder_decoder:
        most = length.max_tokens
        texts = [
            with_target(text, target, tokenizer, config, most, longer=length.longer)
            for text, target in zip(texts, examples["target"], strict=True)
        ]
    return [[text] for text in texts]


def require_targets(config: PreTrainedConfig, *, there: bool) -> None:
    """Refuse an encoder-decoder for texts without targets, and another model for those with them.

    ``there`` says whether the texts have targets; the message says what the model reads.
    """
    if config.is_encoder_decoder and not there:
        raise InputError(
            f"the model is an encoder-decoder ({config.model_type}) and reads a text with its "
            "target, but the texts have none; name their column with data.target, give "
            "data.targets, or choose an encoder or a decoder."
        )
    if there and not config.is_encoder_decoder:
        raise InputError(
            f"the texts have targets, but the model ({config.model_type}) reads one text: it is no "
            "encoder-decoder; leave the targets out, or choose such a model, as T5."
        )


def encode_examples(
    examples: pd.DataFrame,
    tokenizer: PreTrainedTokenizerBase,
    length: Length,
    config: PreTrainedConfig | None = None,
) -> list[Encoded]:
    """Tokenise what the first pass of :func:`encode_windows` reads of each text, ``[text]``.

    Arguments and refusals are those of :func:`encode_windows`.
    """
    return [windows[0] for windows in encode_windows(examples, tokenizer, length, config)]


def encode(
    texts: Sequence[str], tokenizer: PreTrainedTokenizerBase, length: Length
) -> list[Encoded]:
    """Tokenise texts, cutting or refusing what is too long.

    ``length`` has ``max_tokens``, special tokens included, and whether a ``longer`` text is cut.
    Refused are ``length.max_tokens`` that exceed what the model takes, a text that is longer while
    ``length.longer`` is ``refuse``, and a text that has no token of its own.
    """
    require_positions(length, tokenizer.model_max_length)
    encoded = []
    for text, read in enumerate(tokenise_all(tokenizer, texts, length.max_tokens)):
        if read.cut and length.longer == "refuse":
            raise InputError(
                f"text {text} (counted from 0) has more than length.max_tokens = "
                f"{length.max_tokens} tokens and length.longer is refuse; raise max_tokens or set "
                "longer: truncate."
            )
        if all(read.special):
            raise InputError(
                f"text {text} (counted from 0) has no token the model knows of: "
                f"{quoted(texts[text])}; remove it."
            )
        encoded.append(
            Encoded(read.ids, read.types, read.tokens, read.spans, read.special, read.cut)
        )
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
        How many tokens the model takes (:func:`attention_mixing.models.dummy_inputs.most_tokens`).

    Returns
    -------
    Encoded
        Of a pair, characters of the second text are counted on from those of the first, behind
        :data:`SEPARATOR`.

    Raises
    ------
    InputError
        If a text is no string that can be written in UTF-8, the vocabulary knows none of its
        tokens, or there are more than the model takes.
    """
    texts = {"text": text} if pair is None else {"text": text, "pair": pair}
    for name, value in texts.items():
        _require_string(name, value)
    read = tokenise(tokenizer, text, pair)
    count = len(read.ids)
    most = min(tokenizer.model_max_length, most)
    if count > most:
        raise InputError(
            f"the text has {count} tokens, but the model takes at most {most}; shorten the text."
        )
    for part, (name, value) in enumerate(texts.items()):
        ids = (
            token for token, belongs in zip(read.ids, read.parts, strict=True) if belongs == part
        )
        if all(token == tokenizer.unk_token_id for token in ids):
            raise InputError(
                f"the {name} {quoted(value)} has no token the model knows of; give one with a word "
                "in it."
            )
    # Characters of the second text are counted on from those of the first.
    moved = len(text) + len(SEPARATOR)
    spans = [
        _moved(span, moved) if part == 1 else span
        for span, part in zip(read.spans, read.parts, strict=True)
    ]
    return Encoded(read.ids, read.types, read.tokens, spans, read.special, truncated=False)


def with_target(
    source: Encoded,
    target: str,
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    most: int,
    *,
    longer: str | None = "refuse",
) -> Encoded:
    """Add what a decoder reads of a target: the token that it begins with, and all but the last.

    As transformers shifts ``labels`` to the right.

    Parameters
    ----------
    source
        What the encoder reads.
    target
        A string.
    tokenizer, config
        Of the model.
    most
        How many tokens the decoder takes, and what becomes of a longer target (``longer``).

    Returns
    -------
    Encoded
        ``source``, with its ``target``.

    Raises
    ------
    InputError
        If the model does not say what its decoder begins with, or the target is no string that can
        be written in UTF-8, unknown to the vocabulary, or too long.
    """
    _require_string("target", target)
    if (start := config.decoder_start_token_id) is None:
        raise InputError(
            "the configuration of the model has no decoder_start_token_id, with which its decoder "
            "begins; state it there, or choose another model."
        )
    read = tokenise(tokenizer, target, target=True)
    if len(read.ids) > most and longer == "refuse":
        raise InputError(
            f"the target has {len(read.ids)} tokens, but the model takes at most {most}; shorten "
            "it."
        )
    unknown = tokenizer.unk_token_id
    if all(
        special or token == unknown for token, special in zip(read.ids, read.special, strict=True)
    ):
        raise InputError(
            f"the target {quoted(target)} has no token the model knows of; give one with a word in "
            "it."
        )
    cut = slice(0, min(len(read.ids), most) - 1)
    shifted = Encoded(
        [start, *read.ids[cut]],
        [0, *read.types[cut]],
        [*tokenizer.convert_ids_to_tokens([start]), *read.tokens[cut]],
        [(0, 0), *read.spans[cut]],
        [True, *read.special[cut]],
        truncated=len(read.ids) > most,
    )
    return replace(source, target=shifted)


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

    Returns
    -------
    list of EncodedQuestion
        ``[question]``.

    Raises
    ------
    InputError
        If ``length.max_tokens`` exceeds what the model takes or leaves no room beside a question, a
        context has no token, or the tokenizer puts no token before a question that could stand for
        "no answer".
    """
    require_positions(length, tokenizer.model_max_length)
    return [_encode_question(row, tokenizer, length) for row in examples.itertuples()]


def _require_string(name: str, value: object) -> None:
    if not isinstance(value, str):
        count = f" with {len(value)} entries" if isinstance(value, list | tuple) else ""
        raise InputError(
            f"{name} is of type {type(value).__name__}{count}; allowed: one string; give several "
            "texts one by one, and bytes decoded."
        )
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(
            f"{name} is {quoted(value)}, which is no Unicode that can be written in UTF-8; decode "
            "the bytes that it stems from as UTF-8."
        )


def _moved(span: Span, by: int) -> Span:
    """Count characters on; a mark that stands for none stays where it is."""
    start, end = span
    return span if span == (0, 0) else (start + by, end + by)


def _places(spans: Sequence[Span], end: int) -> list[Span]:
    """Give marks, which stand for no character, the place before the next one; else the ``end``."""
    places: list[Span] = []
    following = end
    for span in reversed(spans):
        if span != (0, 0):
            following = span[0]
        places.append((following, following) if span == (0, 0) else span)
    return places[::-1]


def _encode_question(
    row: Any, tokenizer: PreTrainedTokenizerBase, length: Length
) -> EncodedQuestion:
    moved = int(row.context_start)
    # Between the two stands a line break.
    pair = tokenise(tokenizer, row.text[: moved - 1], row.text[moved:])
    parts = pair.parts
    question = [position for position, part in enumerate(parts) if part == 0]
    read = [position for position, part in enumerate(parts) if part == 1]
    if not read:
        raise InputError(
            f"question {quoted(row.question_id)}: its context has no token the model knows of; "
            "remove it."
        )
    if parts[0] is not None:
        raise InputError(
            "the tokenizer puts no token before a question, so that none could stand for "
            '"no answer"; choose an encoder such as BERT.'
        )
    question, cut = question[:LONGEST_QUESTION], question[LONGEST_QUESTION:]
    taken = len(question) + parts.count(None)
    if taken >= length.max_tokens:
        raise InputError(
            f"length.max_tokens is {length.max_tokens}, but question {quoted(row.question_id)} "
            f"takes {taken} tokens with its special tokens, so that no token of its context fits "
            "in; raise it."
        )
    room = length.max_tokens - taken
    bounds = windows(len(read), room, stride=length.stride or room)

    # Characters of the context are counted on from those of the question.
    spans = list(pair.spans)
    for position in read:
        spans[position] = _moved(spans[position], moved)
    placed = _places([spans[position] for position in read], len(row.text))
    offsets = np.array(placed, dtype=np.int64)
    whole: tuple[list[Any], ...] = (pair.ids, pair.types, pair.tokens, spans, pair.special)

    def window(start: int, end: int) -> Encoded:
        left_out = {*cut, *read[:start], *read[end:]}
        positions = [position for position in range(len(parts)) if position not in left_out]
        ids, types, tokens, spans, special = (
            [column[position] for position in positions] for column in whole
        )
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
