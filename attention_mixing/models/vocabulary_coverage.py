"""What of a text a model is given at all: what its tokenizer does not know, or makes of it.

An uncased vocabulary of English takes accents off, and reads が as か; one of another alphabet has
letters where it should have words, or one token for all that is unknown. What is measured of such a
text is measured of something else than what its reader sees.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from attention_mixing.models.encode import Encoded

MUCH = 0.1
"""Share of the characters of texts that a model may not see as they are before it is said."""


@dataclass(frozen=True)
class Rendering:
    """How tokens stand for texts, counted in characters that show: neither space nor format.

    Attributes
    ----------
    characters
        Of the text, as far as it was read.
    unknown
        For which the vocabulary has only its token for what is unknown.
    altered
        That a token stands for by others: without accents or marks, in another script. Case, and
        width or composition of a letter, do not count.
    left_out
        For which there is no token.
    words
        Between white space, with a letter or digit in them.
    tokens
        Without special ones.
    """

    characters: int
    unknown: int
    altered: int
    left_out: int
    words: int
    tokens: int

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the characters that are ``unknown``, ``altered`` and ``left_out``."""
        counted = {"unknown": self.unknown, "altered": self.altered, "left_out": self.left_out}
        return {name: count / max(self.characters, 1) for name, count in counted.items()}

    @property
    def lost(self) -> float:
        """Share of the characters that the model does not see as they are."""
        return sum(self.shares.values())


def rendering(
    texts: Sequence[str], encoded: Sequence[Encoded], tokenizer: PreTrainedTokenizerBase
) -> Rendering:
    """Compare what tokens stand for with what they spell; sums over several texts.

    ``encoded`` is what is read of each text, by a fast tokenizer.
    """
    pairs = zip(texts, encoded, strict=True)
    counted = [astuple(_of_text(text, read, tokenizer)) for text, read in pairs]
    return Rendering(*map(sum, zip(*counted, strict=True)))


def _of_text(text: str, read: Encoded, tokenizer: PreTrainedTokenizerBase) -> Rendering:
    unknown = altered = 0
    covered: set[int] = set()
    for (start, end), ids, tokens in _groups(read):
        source = _plain(text[start:end])
        covered.update(range(start, end))
        if tokenizer.unk_token_id in ids:
            unknown += len(source)
        else:
            altered += _count_differences(_folded(source), _folded(_spelled(tokens, tokenizer)))
    # What lies behind the last token of a truncated text was not read.
    passage = text[: max(covered, default=-1) + 1] if read.truncated else text
    characters = len(_plain(passage))
    within = len(
        _plain(character for position, character in enumerate(passage) if position in covered)
    )
    return Rendering(
        characters=characters,
        unknown=unknown,
        altered=altered,
        left_out=characters - within,
        words=sum(any(map(str.isalnum, word)) for word in passage.split()),
        tokens=len(read.is_special) - sum(read.is_special),
    )


def _groups(read: Encoded) -> Iterator[tuple[tuple[int, int], list[int], list[str]]]:
    """Give tokens that stand for the same characters together: parts of one letter, in bytes."""
    ordinary = [position for position, special in enumerate(read.is_special) if not special]
    span: tuple[int, int] | None = None
    ids: list[int] = []
    tokens: list[str] = []
    for position in ordinary:
        start, end = read.spans[position]
        if start == end:  # a mark, which stands for nothing
            continue
        if span is not None and start >= span[1]:
            yield span, ids, tokens
            span, ids, tokens = None, [], []
        span = (start, end) if span is None else (span[0], max(span[1], end))
        ids.append(read.input_ids[position])
        tokens.append(read.tokens[position])
    if span is not None:
        yield span, ids, tokens


def _spelled(tokens: Sequence[str], tokenizer: PreTrainedTokenizerBase) -> str:
    """Write out what tokens say in the middle of a text, without their marks."""
    if not tokenizer.is_fast:
        return tokenizer.convert_tokens_to_string(["a", *tokens])[1:]
    decoder = tokenizer.backend_tokenizer.decoder
    return "".join(tokens) if decoder is None else decoder.decode(["a", *tokens])[1:]


def _count_differences(source: str, spelled: str) -> int:
    """Count the letters that are others; all where there are more or fewer of them."""
    if len(source) != len(spelled):
        return len(source)
    return sum(letter != other for letter, other in zip(source, spelled, strict=True))


def _plain(text: Iterable[str]) -> str:
    """Leave out what does not show, such as spaces, soft hyphens and joiners."""
    return "".join(
        character
        for character in text
        if not character.isspace() and unicodedata.category(character) not in ("Cf", "Cc")
    )


def _folded(text: str) -> str:
    """Make letters alike that differ in case, width or composition alone."""
    return _plain(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))
