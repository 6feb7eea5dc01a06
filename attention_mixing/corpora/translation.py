"""Sentences and their translations, with known which word stands for which.

    often the small cats see an old tree .
    mirani petitani na arbuo antiko vidas ofte .

Both languages are written word by word, so that all that an alignment has to say is known. In the
other one the verb stands behind the object, which "na" announces, the adjective behind its noun and
the adverb at the end; there are no articles, plurals take "ni", and an adjective takes the ending
and the number of its noun, which its own word does not tell.

A link from a word of the target to the word of the source that it translates is *sure*. *Possible*
are, besides, those to what its form depends on, an adjective's to the noun, and of "na", which
translates nothing, to the noun that it announces and to the verb.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from attention_mixing.corpora.corpus import Corpus, tabulate
from attention_mixing.corpora.grammar import Deck, distinct, origin, pick, vocabulary
from attention_mixing.settings.sources import GeneratedData

WORDS = vocabulary(__file__)
MARK, PLURAL, STOP = "na", "ni", "."

Role = tuple[str, int]
"""What a word is of a sentence: ``noun``, ``verb``, ...; of the subject (0) or the object (1)."""


@dataclass(frozen=True)
class Translated:
    """A sentence of both languages.

    Attributes
    ----------
    source, target
        Words, in their order.
    sure, possible
        Pairs of places, in the target and in the source.
    """

    source: list[str]
    target: list[str]
    sure: list[tuple[int, int]]
    possible: list[tuple[int, int]]


def load(data: GeneratedData) -> Corpus:
    """Generate distinct sentences with their translations, without labels.

    ``target`` is the translation; ``alignment`` has a row for each link: characters of the target,
    characters of the text, and 1 if it is sure, else 0. More texts than the grammar is known to
    hold are refused.
    """
    rows = [
        {
            "split": split,
            "text": " ".join(sentence.source),
            "target": " ".join(sentence.target),
            "alignment": _links(sentence),
        }
        for split, sentence in distinct(data, compose, lambda drawn: " ".join(drawn.source))
    ]
    return Corpus(tabulate(pd.DataFrame(rows)), (), origin(data))


def compose(rng: np.random.Generator, cell: int) -> Translated:
    """Write one sentence; subject, object and number are drawn, whatever the cell."""
    nouns = Deck(rng, tuple(WORDS["nouns"]))
    phrases = [_phrase(rng, nouns.deal(), number) for number in rng.integers(2, size=2).tolist()]
    verb = pick(rng, tuple(WORDS["verbs"]))
    several, predicate = WORDS["verbs"][verb]
    adverb = pick(rng, tuple(WORDS["adverbs"]))
    source: list[tuple[Role, str]] = [(("adverb", 0), adverb)]
    for which, (phrase, plural, *_) in enumerate(phrases):
        source += [((role, which), word) for role, word in phrase]
        if not which:
            source.append((("verb", 0), several if plural else verb))
    source.append((("stop", 0), STOP))
    target: list[tuple[Role, str]] = []
    for which, (_, _, noun, adjective) in enumerate(phrases):
        if which:
            target.append((("mark", which), MARK))
        target.append((("noun", which), noun))
        if adjective:
            target.append((("adjective", which), adjective))
    target += [
        (("verb", 0), predicate),
        (("adverb", 0), WORDS["adverbs"][adverb]),
        (("stop", 0), STOP),
    ]
    places = {role: position for position, (role, _) in enumerate(source)}
    sure, possible = [], []
    for position, (role, _) in enumerate(target):
        kind, which = role
        if role in places:
            sure.append((position, places[role]))
        if kind in ("adjective", "mark"):
            possible.append((position, places["noun", which]))
        if kind == "mark":
            possible.append((position, places["verb", 0]))
    return Translated(
        [word for _, word in source], [word for _, word in target], sure, [*sure, *possible]
    )


def _phrase(
    rng: np.random.Generator, noun: str, plural: int
) -> tuple[list[tuple[str, str]], int, str, str]:
    """Write a noun with its article, and an adjective in two of three, in both languages."""
    plural_form, stem = WORDS["nouns"][noun]
    adjective = pick(rng, tuple(WORDS["adjectives"])) if rng.random() < 2 / 3 else ""
    words = [("adjective", adjective)] if adjective else []
    words.append(("noun", plural_form if plural else noun))
    article = pick(rng, ("the", "some" if plural else "a"))
    if article == "a" and words[0][1][0] in "aeiou":
        article = "an"
    ending = PLURAL if plural else ""
    agreeing = f"{WORDS['adjectives'][adjective]}{stem[-1]}{ending}" if adjective else ""
    return [("article", article), *words], plural, f"{stem}{ending}", agreeing


def _links(sentence: Translated) -> list[list[int]]:
    starts = [
        np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
        for words in (sentence.target, sentence.source)
    ]
    sure = {*sentence.sure}
    return [
        [
            int(start)
            for words, at, position in zip(
                (sentence.target, sentence.source), starts, link, strict=True
            )
            for start in (at[position], at[position] + len(words[position]))
        ]
        + [int(link in sure)]
        for link in sorted({*sentence.possible})
    ]
