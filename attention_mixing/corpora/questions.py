"""Questions about short passages, a third of which the passage does not answer.

    The Silver Heron was built in Oakford, whereas the Lost Anchor left a shipyard in Redhill. The
    Lost Anchor is registered in Millbrook. It has a black hull. The Grey Lantern has its home port
    in Eastcote.

    Where was the Lost Anchor built?            Redhill
    What is the home port of the Grey Lantern?  Eastcote
    What is the home port of the Silver Heron?  (no answer: said of the other two)
    Where did the Lost Anchor run aground?      (no answer: said of none)

A passage speaks of three of a kind (people, towns, ships) and of two of three facts that are
answered alike (by a town, a year, a name ...): one fact of the first and second of the three, the
other fact of the second and third. So four answers of the right type stand in every passage, two of
them for the fact in question, one or two for the subject in question. Facts are stated and
asked for in words of their own, and a pronoun may stand for the name. What is asked is chosen
after the passage is written: neither passage nor question alone tells whether there is an answer,
nor does how often a name or a fact occurs.

The evidence of an answer is the sentence it stands in, and nothing else. If that sentence says "it"
or "she", the name stands in the one before, which is not counted. Without an answer there is no
evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_mixing.corpora.corpus import Corpus, Span
from attention_mixing.corpora.grammar import Deck, distinct, origin, pick, read_marks, vocabulary
from attention_mixing.corpora.squad import TYPES, lay_out
from attention_mixing.settings.sources import GeneratedData

WORDS = vocabulary(__file__)

TOPICS = tuple((kind, answer) for kind, answers in WORDS["facts"].items() for answer in answers)
# Which subject (0 to 2) has which fact (0 or 1) in a passage.
GIVEN = ((0, 0), (1, 0), (1, 1), (2, 1))
WITHHELD = ((0, 1), (2, 0))
# Entries of GIVEN that share a sentence.
LAYOUTS = (
    ((0,), (1,), (2,), (3,)),
    ((0, 1), (2, 3)),
    ((0, 1), (2,), (3,)),
    ((2, 3), (0,), (1,)),
    ((1, 2), (0,), (3,)),
    ((1, 2), (0, 3)),
)


def load(data: GeneratedData) -> Corpus:
    """Generate the corpus; what is refused is as in :func:`generate`."""
    return lay_out(generate(data), origin(data))


def generate(data: GeneratedData) -> pd.DataFrame:
    """Generate questions, one for each passage.

    Parameters
    ----------
    data
        Sizes and seed.

    Returns
    -------
    pandas.DataFrame
        One row a question, in the order train, validation, test: ``split``; the columns of
        `attention_mixing.corpora.squad`, at most one answer a question, ``id`` such as
        ``test-00012``; ``evidence``, a list of ``[start, end)`` character spans of the context, one
        or none. No passage occurs twice, in one split or in two. Of any 54 questions of a split the
        passage answers 36, gives the fact of others only for 9 and of none for 9; 6 belong to each
        of the nine pairs of subject and type of answer; all within one.

    Raises
    ------
    InputError
        If more questions are asked for than the grammar is known to hold.
    """
    composed = distinct(data, compose, lambda question: question["context"])
    table = pd.DataFrame([{"split": split} | question for split, question in composed])
    number = table.groupby("split").cumcount()
    table["id"] = table["split"] + number.map("-{:05d}".format)
    return table.astype({"split": "str"} | TYPES)


def compose(rng: np.random.Generator, cell: int) -> dict[str, Any]:
    """Write one passage and a question: a row of :func:`generate` without its split and id.

    Of ``cell % 6``, 0 to 3 ask for one of the four facts that the passage gives, 4 for a fact that
    it gives of others only and 5 for one that it gives of none; ``cell // 6 % 9`` is the topic.
    """
    kind, answer_type = TOPICS[cell // 6 % len(TOPICS)]
    names = _people(rng)
    subjects = _subjects(rng, kind, names)
    order = rng.permutation(3)
    facts = [WORDS["facts"][kind][answer_type][i] for i in order]
    answers = _answers(rng, answer_type, names)
    context, spans = _passage(rng, kind, subjects, facts, answers)

    entry = cell % 6
    evidence, answer_spans = [], []
    if entry < len(GIVEN):
        subject, fact = GIVEN[entry]
        evidence, answer_spans = ([span] for span in spans[entry])
    elif entry == len(GIVEN):
        subject, fact = pick(rng, WITHHELD)
    else:
        # Half of the answerable questions are about the second subject, and so are half of these.
        subject, fact = 1, 2
    question = pick(rng, facts[fact]["questions"]).replace("{s}", subjects[subject][0])
    return {
        "title": ", ".join(name for name, _ in subjects),
        "context": context,
        "question": question,
        "answers": [context[start:end] for start, end in answer_spans],
        "answer_starts": [start for start, _ in answer_spans],
        "impossible": not answer_spans,
        "evidence": evidence,
    }


def _people(rng: np.random.Generator) -> Callable[[], tuple[str, str]]:
    """Deal people with their pronouns, no first name or surname twice."""
    first, last = Deck(rng, WORDS["women"] + WORDS["men"]), Deck(rng, WORDS["surnames"])

    def deal() -> tuple[str, str]:
        name = first.deal()
        return f"{name} {last.deal()}", "she" if name in WORDS["women"] else "he"

    return deal


def _subjects(
    rng: np.random.Generator, kind: str, people: Callable[[], tuple[str, str]]
) -> list[tuple[str, str]]:
    """Choose three subjects and their pronouns, some of which have half of their name in common."""
    if kind == "town":
        towns = Deck(rng, WORDS["towns"])
        return [(towns.deal(), "it") for _ in range(3)]
    if kind == "person":
        subjects = [people() for _ in range(3)]
    else:
        first, last = (Deck(rng, words) for words in WORDS["ships"])
        subjects = [(f"the {first.deal()} {last.deal()}", "it") for _ in range(3)]
    if rng.random() < 0.4:
        one, other = rng.permutation(3)[:2]
        name, pronoun = subjects[one]
        shared = subjects[other][0].rpartition(" ")[2]
        subjects[one] = (f"{name.rpartition(' ')[0]} {shared}", pronoun)
    return subjects


def _answers(
    rng: np.random.Generator, answer_type: str, people: Callable[[], tuple[str, str]]
) -> list[str]:
    """Choose one answer for each entry of ``GIVEN``, all different."""
    size = len(GIVEN)
    match answer_type:
        case "name":
            return [people()[0] for _ in range(size)]
        case "year":
            return [str(1850 + year) for year in rng.choice(140, size, replace=False)]
        case "number":
            return [str(3 + number) for number in rng.choice(57, size, replace=False)]
    deck = Deck(rng, WORDS["towns" if answer_type == "town" else "goods"])
    return [deck.deal() for _ in range(size)]


def _passage(
    rng: np.random.Generator,
    kind: str,
    subjects: Sequence[tuple[str, str]],
    facts: Sequence[dict[str, list[str]]],
    answers: Sequence[str],
) -> tuple[str, dict[int, tuple[Span, Span]]]:
    """Write the sentences in random order.

    With the text come, by entry of ``GIVEN``, ``[start, end)`` of its sentence and of its answer.
    """
    # Each sentence is a list of clauses: whom it is about, what is said, which entry of GIVEN.
    sentences: list[list[tuple[int, str, int | None]]] = []
    for entries in pick(rng, LAYOUTS):
        clauses: list[tuple[int, str, int | None]] = []
        for i in rng.permutation(len(entries)):
            subject, fact = GIVEN[entries[i]]
            statement = pick(rng, facts[fact]["statements"])
            marked = statement.replace("{a}", f"<{answers[entries[i]]}>")
            clauses.append((subject, marked, entries[i]))
        sentences.append(clauses)
    remarks = Deck(rng, WORDS["remarks"][kind])
    for _ in range(rng.integers(0, 3)):
        sentences.append([(int(rng.integers(3)), remarks.deal(), None)])

    context = ""
    where: dict[int, tuple[Span, Span]] = {}
    before: set[int] = set()
    for index in rng.permutation(len(sentences)):
        clauses = sentences[index]
        about = {subject for subject, _, _ in clauses}
        name, pronoun = subjects[clauses[0][0]]
        # A pronoun only where the sentence before has the same subject and no other.
        text = pronoun if about == before and len(about) == 1 and rng.random() < 0.7 else name
        text += f" {clauses[0][1]}"
        for subject, clause, _ in clauses[1:]:
            text += (
                f" and {clause}"
                if len(about) == 1
                else f"{pick(rng, WORDS['links'])}{subjects[subject][0]} {clause}"
            )
        plain, spans = read_marks(f"{text[0].upper()}{text[1:]}.")
        start = len(context) + bool(context)
        context = f"{context} {plain}" if context else plain
        marked_entries = [entry for _, _, entry in clauses if entry is not None]
        for entry, (first, last) in zip(marked_entries, spans, strict=True):
            where[entry] = ([start, start + len(plain)], [start + first, start + last])
        before = about
    return context, where
