"""Number of the subject, to be read off a masked verb (Linzen, Dupoux, Goldberg 2016).

    The keys to the old cabinet near the window [MASK] on the table.

Between subject and verb stand up to four modifiers with one noun each. As in the paper, those whose
number is not the subject's are attractors. Nothing else tells the number: the articles are "the",
relative clauses are object relatives in the past tense ("that the doctor saw"), and what follows
the mask fits "was" as well as "were". Subjects and attractors come from the same vocabulary.

The evidence of a text is the subject noun, and nothing else. In its minimal pairs one noun has the
other number, the subject or another.

For a language model the sentence ends before the verb, which is the word that comes next:

    The keys to the old cabinet near the window | were on the table.
"""

from __future__ import annotations

from dataclasses import replace

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

LABEL_NAMES = ("singular", "plural")
VERBS = ("was", "were")
MASK = "[MASK]"
MOST_ATTRACTORS = 4

WORDS = vocabulary(__file__)


def load(data: GeneratedData, task: str) -> Corpus:
    """Generate sentences with a masked verb, or without it, labelled 0 singular or 1 plural.

    Parameters
    ----------
    data
        Sizes of the splits and seed.
    task
        With ``language_modelling`` the sentences end before the verb; no two of them are the same
        up to there, and labels are called by the verbs.

    Returns
    -------
    Corpus
        Distinct sentences with 0 to 4 attractors. In every split the ten combinations of label and
        number of attractors are balanced within one; ``attractors`` holds that number.

    Raises
    ------
    InputError
        If more texts are asked for than the grammar is known to hold.

    References
    ----------
    Linzen, Dupoux, Goldberg (2016), *Assessing the Ability of LSTMs to Learn Syntax-Sensitive
    Dependencies*, TACL 4.
    """
    if task == "language_modelling":
        return fill(data, compose_beginning, VERBS)
    return fill(data, compose, LABEL_NAMES)


def compose_beginning(rng: np.random.Generator, cell: int) -> Draft:
    """Write one sentence as :func:`compose`, up to its verb, and what comes then."""
    whole = compose(rng, cell)
    beginning, rest = whole.text.split(f" {MASK} ")
    return replace(
        whole,
        text=beginning,
        continuation=f"{VERBS[whole.label]} {rest}",
        counterfactuals=[text.partition(f" {MASK} ")[0] for text in whole.counterfactuals],
    )


def compose(rng: np.random.Generator, cell: int) -> Draft:
    """Write one sentence, for text ``cell``: label ``cell % 2``, attractors ``cell // 2 % 5``."""
    label, attractors = cell % 2, cell // 2 % (MOST_ATTRACTORS + 1)
    # Nouns of the subject's own number come in too, or the number of modifiers would be a cue.
    modifiers = int(rng.integers(attractors, MOST_ATTRACTORS + 1))
    numbers = [1 - label] * attractors + [label] * (modifiers - attractors)
    numbers = [numbers[i] for i in rng.permutation(modifiers)]

    nouns = {kind: Deck(rng, tuple(forms)) for kind, forms in WORDS["nouns"].items()}

    def noun_phrase(kind: str, number: int, marked: bool = False) -> str:
        singular = nouns[kind].deal()
        plural = WORDS["nouns"][kind][singular]
        noun = f"{{{plural}|{singular}}}" if number else f"{{{singular}|{plural}}}"
        noun = f"<{noun}>" if marked else noun
        return f"{pick(rng, WORDS['adjectives'][kind])} {noun}" if rng.random() < 0.5 else noun

    subject = pick(rng, tuple(nouns))
    words = [f"{pick(rng, WORDS['leads'])}the", noun_phrase(subject, label, marked=True)]
    for (modifier, kinds), number in zip(_modifiers(rng, modifiers), numbers, strict=True):
        words.append(modifier.replace("{noun}", noun_phrase(pick(rng, kinds), number)))
    sentence = f"{' '.join(words)} {MASK} {pick(rng, WORDS['rests'][subject])}."
    marked, changed, counterfactuals = minimal_pairs(sentence[0].upper() + sentence[1:])
    text, evidence = read_marks(marked)
    return Draft(
        text, evidence, label, attractors, changed=changed, counterfactuals=counterfactuals
    )


def _modifiers(rng: np.random.Generator, size: int) -> list[tuple[str, list[str]]]:
    """Choose distinct modifiers with their kinds of noun, at most one of them a relative clause.

    Two relative clauses in a row ("that the man saw that the nurse liked") are hard to read, and
    which noun the second one belongs to is anybody's guess.
    """
    beside, relative = (list(WORDS[kind].items()) for kind in ("beside", "relative"))
    chosen = [beside[i] for i in rng.permutation(len(beside))[:size]]
    if size and rng.random() < 0.5:
        chosen[rng.integers(size)] = pick(rng, relative)
    return chosen
