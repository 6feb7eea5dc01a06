"""What the grammars share: vocabularies, choosing words, marking them, filling the splits.

All randomness comes from one ``numpy.random.Generator(PCG64(seed))`` and no choice depends on the
order of a set or on ``hash``, so a seed gives the same texts in every process on every platform.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from attention_mixing.corpora.corpus import SPLITS, Corpus, Span, tabulate
from attention_mixing.errors import InputError
from attention_mixing.settings.sources import GeneratedData
from attention_mixing.yaml_text import read_yaml

T = TypeVar("T")

_CHOICE = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")

LARGEST = 50_000
"""Texts that one corpus may ask for; each grammar has more, as the tests estimate from repeats."""


@dataclass(frozen=True)
class Draft:
    """One generated text, with what the grammar knows about it.

    Attributes
    ----------
    text
        As it is read.
    evidence
        Spans of the words that decide the label, in characters.
    label
        Number of the class.
    attractors
        How many nouns of the other number stand between subject and verb; None if not counted.
    continuation
        Word that comes next; None where none is to be predicted.
    changed, counterfactuals
        Spans of the words of which the grammar knows another form that fits, and for each of them
        the text with that form: minimal pairs.
    """

    text: str
    evidence: list[Span]
    label: int
    attractors: int | None = None
    continuation: str | None = None
    changed: list[Span] = field(default_factory=list)
    counterfactuals: list[str] = field(default_factory=list)


def vocabulary(module: str) -> Any:
    """Read the words and sentence patterns of a module, given its ``__file__``: YAML beside it."""
    return read_yaml(Path(module).with_suffix(".yaml").read_text(encoding="utf-8"))


def pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    """Choose one of ``options``, of which there is at least one, each equally likely."""
    return options[int(rng.integers(len(options)))]


class Deck:
    """Deals the options of an inventory in random order, so that none comes twice in a text."""

    def __init__(self, rng: np.random.Generator, options: Sequence[str]) -> None:
        self._options = options
        self._order = list(rng.permutation(len(options)))

    def deal(self) -> str:
        """Return an option that was not dealt before."""
        return self._options[self._order.pop()]

    def set_aside(self) -> str:
        """Return an option that is neither dealt before nor later; what is dealt stays the same."""
        return self._options[self._order.pop(0)]


def read_marks(marked: str) -> tuple[str, list[Span]]:
    """Take the evidence marks ``<...>`` out of a text.

    With the text come the ``[start, end)`` of the marked words in it, in characters, in order.

    Examples
    --------
    >>> read_marks("It is <never dull>.")
    ('It is never dull.', [[6, 16]])
    """
    text, spans, start = "", [], 0
    for piece in re.split("([<>])", marked):
        if piece == "<":
            start = len(text)
        elif piece == ">":
            spans.append([start, len(text)])
        else:
            text += piece
    return text, spans


def minimal_pairs(
    marked: str, finish: Callable[[str], str] = str
) -> tuple[str, list[Span], list[str]]:
    """Take the choices ``{word|other}`` out of a text.

    Parameters
    ----------
    marked
        Text with evidence marks, as of :func:`read_marks`, and choices.
    finish
        Does to a text without choices what depends on its words.

    Returns
    -------
    marked : str
        The text with the first word of every choice, evidence still marked.
    changed : list of [start, end)
        Where these words stand in it when it is read, in characters.
    counterfactuals : list of str
        For each of them the text with the other word in its place, and all else the same.

    Examples
    --------
    >>> minimal_pairs("The <{key|keys}> to the {box|boxes}")[1:]
    ([[4, 7], [15, 18]], ['The keys to the box', 'The key to the boxes'])
    """
    unmarked = re.sub("[<>]", "", marked)
    _, changed = read_marks(finish(_CHOICE.sub(r"<\1>", unmarked)))
    counterfactuals = []
    for choice in _CHOICE.finditer(unmarked):
        other = unmarked[: choice.start()] + choice[2] + unmarked[choice.end() :]
        counterfactuals.append(finish(_CHOICE.sub(r"\1", other)))
    return finish(_CHOICE.sub(r"\1", marked)), changed, counterfactuals


def distinct(
    data: GeneratedData,
    compose: Callable[[np.random.Generator, int], T],
    text: Callable[[T], str],
) -> Iterator[tuple[str, T]]:
    """Fill all splits with what differs in its text from all others of the corpus.

    Parameters
    ----------
    data
        Grammar, sizes and seed: the same seed gives the same in every process.
    compose
        Writes what stands in the cell ``i``. A split of n asks for the cells 0..n-1 in random
        order; a grammar that derives label (and whatever else it balances) from ``i`` modulo the
        number of combinations is balanced within one in every split.
    text
        Of what was composed.

    Yields
    ------
    tuple
        Its split, train, validation and test one after the other, and what was composed.

    Raises
    ------
    InputError
        If more are asked for than the grammar is known to hold.
    """
    sizes = {split: getattr(data.sizes, split) for split in SPLITS}
    if (total := sum(sizes.values())) > LARGEST:
        raise InputError(
            f"data.sizes asks for {total} texts in all, but the grammar {data.grammar!r} gives "
            f"{LARGEST} at most; lower data.sizes.train, validation or test."
        )
    rng = np.random.Generator(np.random.PCG64(data.seed))
    seen: set[str] = set()
    for split, size in sizes.items():
        for cell in rng.permutation(size):
            composed = compose(rng, int(cell))
            while text(composed) in seen:
                composed = compose(rng, int(cell))
            seen.add(text(composed))
            yield split, composed


def fill(
    data: GeneratedData,
    compose: Callable[[np.random.Generator, int], Draft],
    label_names: tuple[str, ...],
) -> Corpus:
    """Make a corpus of labelled texts.

    ``data``, ``compose`` and what is refused are as in :func:`distinct`.
    """
    drafts = distinct(data, compose, lambda draft: draft.text)
    rows = pd.DataFrame([{"split": split} | vars(draft) for split, draft in drafts])
    return Corpus(tabulate(rows), label_names, origin(data))


def origin(data: GeneratedData) -> dict[str, str]:
    """Say where generated texts are from."""
    return {
        "source": "generated",
        "grammar": data.grammar,
        "seed": str(data.seed),
        "licence": "MIT, as the code that generates the texts",
    }
