"""Short film reviews in which the order of the words decides the label.

A review is neutral matter (plot, running time) around one or two blocks that judge the film. A
block may hold an opinion that is overruled (the other half of a contrast, somebody else's view,
another film) beside the opinion that decides. Every opinion comes as plain praise or blame or as
the negated opposite ("anything but dull"). All sentences serve both labels, so praise and
blame occur under both, and a bag of words sees little more than which of them is more frequent.

The evidence of a text is every deciding opinion together with its negator, and nothing else. In its
minimal pairs one opinion, deciding or overruled, has a word of the other label in place of its own;
a negator stays.
"""

from __future__ import annotations

import re

import numpy as np

from attention_mixing.corpora.corpus import Corpus
from attention_mixing.corpora.grammar import (
    Deck,
    Draft,
    fill,
    minimal_pairs,
    pick,
    read_marks,
    vocabulary,
)
from attention_mixing.settings.sources import GeneratedData

LABEL_NAMES = ("negative", "positive")
LENGTHS = (12, 45)  # words of the shortest and the longest review
WORDS = vocabulary(__file__)

# Share of the reviews that consist of these blocks, in this order. The shares set how far a bag of
# words gets: it is right where praise or blame stands alone, and helpless in the other blocks.
REVIEWS = (
    (0.30, ("plain",)),
    (0.10, ("negated",)),
    (0.10, ("contrast",)),
    (0.10, ("distraction",)),
    (0.20, ("contrast", "seconding")),
    (0.20, ("distraction", "seconding")),
)


def load(data: GeneratedData) -> Corpus:
    """Generate film reviews, labelled 0 negative or 1 positive.

    Texts are distinct, of 12 to 45 words, and balanced within one in every split. More texts than
    the grammar is known to hold are refused.
    """
    return fill(data, compose, LABEL_NAMES)


def compose(rng: np.random.Generator, cell: int) -> Draft:
    """Write one review; its label is ``cell % 2``."""
    label = cell % 2
    shares = [share for share, _ in REVIEWS]
    while True:
        _, blocks = REVIEWS[rng.choice(len(REVIEWS), p=shares)]
        templates = [pick(rng, WORDS["blocks"][block]) for block in blocks]
        if rng.random() < 0.6:
            templates.insert(0, pick(rng, WORDS["openings"]))
        if rng.random() < 0.5:
            templates.append(pick(rng, WORDS["closings"]))
        marked, changed, counterfactuals = minimal_pairs(_write(rng, templates, label), _articles)
        text, evidence = read_marks(marked)
        if LENGTHS[0] <= len(text.split()) <= LENGTHS[1]:
            return Draft(text, evidence, label, changed=changed, counterfactuals=counterfactuals)


def _write(rng: np.random.Generator, templates: list[str], label: int) -> str:
    """Fill in the fields of all sentences, no word twice in a review; opinions are choices."""
    negatable, extreme, verbs = (
        [Deck(rng, WORDS[kind][name]) for name in LABEL_NAMES]
        for kind in ("negatable", "extreme", "verbs")
    )
    decks = {name: Deck(rng, words) for name, words in WORDS["fields"].items()}

    def choice(kind: list[Deck], polarity: int) -> str:
        return f"{{{kind[polarity].deal()}|{kind[1 - polarity].set_aside()}}}"

    def opinion(polarity: int, form: str) -> str:
        if form == "verb":
            return choice(verbs, polarity)
        if form == "not":
            return choice(negatable, 1 - polarity)
        if form == "negated" or (form == "" and rng.random() < 0.35):
            return f"{pick(rng, WORDS['negators'])} {choice(negatable, 1 - polarity)}"
        return choice(extreme if rng.random() < 0.3 else negatable, polarity)

    def field(match: re.Match[str]) -> str:
        name, _, form = match[1].partition(":")
        if name == "decides":
            words = opinion(label, form)
            return words if form == "not" else f"<{words}>"
        if name == "overruled":
            return opinion(1 - label, form)
        if name == "minutes":
            return str(rng.integers(81, 160))
        if name == "place":
            return pick(rng, WORDS["places"])
        return decks[name].deal()

    sentences = [re.sub(r"\{([a-z:]+)\}", field, template) for template in templates]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _articles(review: str) -> str:
    """Write "an" before a vowel."""
    return re.sub(r"\b([Aa]) (?=<?[aeiou])", r"\1n ", review)
