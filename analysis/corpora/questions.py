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
them for the fact that is asked for, one or two for the one it is asked of. Facts are stated and
asked for in words of their own, and a pronoun may stand for the name. What is asked is chosen
after the passage is written: neither passage nor question alone tells whether there is an answer,
nor does how often a name or a fact occurs.

The evidence of an answer is the sentence it stands in, and nothing else. If that sentence says "it"
or "she", the name stands in the one before, which is not counted. Without an answer there is no
evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.corpora.corpus import SPLITS, Corpus, Span
from analysis.corpora.grammar import LARGEST, Deck, pick, read_marks
from analysis.corpora.squad import COLUMNS, lay_out
from analysis.errors import InputError
from analysis.params import GeneratedData
from analysis.params.sections import SplitSizes

WOMEN = (
    "Anna", "Mary", "Helen", "Laura", "Clara", "Emma", "Julia", "Martha", "Alice", "Rosa", "Nina",
    "Ruth", "Sarah", "Grace", "Eva",
)  # fmt: skip
MEN = (
    "Paul", "Peter", "Thomas", "Henry", "Martin", "Oscar", "Simon", "Arthur", "David", "Victor",
    "Felix", "Hugo", "Daniel", "Leo", "Max",
)  # fmt: skip
SURNAMES = (
    "Reed", "Lang", "Stone", "Fisher", "Walker", "Brooks", "Hale", "Porter", "Wood", "Gray",
    "Marsh", "Bell", "Lane", "Frost", "Parker", "Shaw", "Miller", "Hunt", "Webb", "Cole",
)  # fmt: skip
TOWNS = (
    "Oakford", "Redhill", "Millbrook", "Eastcote", "Ashfield", "Stonebridge", "Kingsport",
    "Westbury", "Fairview", "Northgate", "Riverton", "Lakeside", "Brookfield", "Thornton",
    "Greenfield", "Summerhill", "Highgate", "Whitcombe", "Newport", "Blackwater", "Longford",
    "Springdale", "Hartley", "Coldwater",
)  # fmt: skip
SHIPS = (
    ("Silver", "Grey", "Lost", "Golden", "Royal", "Northern", "Black", "Blue", "Iron", "Lucky"),
    ("Heron", "Anchor", "Lantern", "Swan", "Crown", "Star", "Falcon", "Rose", "Arrow", "Whale"),
)
GOODS = (
    "honey", "wool", "salt", "cheese", "glass", "paper", "tea", "silk", "wine", "timber", "soap",
    "leather", "copper", "rice", "sugar", "coal", "cotton", "butter", "fish", "bread",
)  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """What can be said and asked: ``{a}`` is the answer, ``{s}`` what it is asked of."""

    statements: tuple[str, ...]
    questions: tuple[str, ...]


# Kind of subject -> type of answer -> three facts that none of the others implies or rules out.
FACTS = {
    "person": {
        "town": (
            Fact(
                ("was born in {a}", "came into the world in {a}", "is a native of {a}"),
                ("Where was {s} born?", "What is the birthplace of {s}?"),
            ),
            Fact(
                ("went to university in {a}", "took a degree in {a}", "was a student in {a}"),
                ("Where did {s} study?", "In which town did {s} go to university?"),
            ),
            Fact(
                ("got married in {a}", "celebrated a wedding in {a}", "exchanged rings in {a}"),
                ("Where was the wedding of {s}?", "In which town did {s} marry?"),
            ),
        ),
        "year": (
            Fact(
                ("won a medal in {a}", "was decorated in {a}", "received a medal in {a}"),
                ("When was {s} awarded a medal?", "In which year was {s} decorated?"),
            ),
            Fact(
                ("published a novel in {a}", "brought out a novel in {a}", "had a book out in {a}"),
                ("When did {s} publish a novel?", "In which year did the book by {s} come out?"),
            ),
            Fact(
                ("bought a house in {a}", "became a home owner in {a}", "purchased a home in {a}"),
                ("When did {s} buy a house?", "In which year did {s} become a home owner?"),
            ),
        ),
        "name": (
            Fact(
                ("was taught by {a}", "learned the trade from {a}", "was a pupil of {a}"),
                ("Who was the teacher of {s}?", "Who taught {s}?"),
            ),
            Fact(
                ("rents a room from {a}", "is a tenant of {a}", "lodges with {a}"),
                ("Who is the landlord of {s}?", "From whom does {s} rent a room?"),
            ),
            Fact(
                ("plays chess with {a}", "meets {a} for chess", "has {a} as a partner at chess"),
                ("Who plays chess with {s}?", "Who is the opponent of {s} at chess?"),
            ),
        ),
    },
    "town": {
        "number": (
            Fact(
                ("has {a} schools", "sends its children to {a} schools"),
                ("How many schools are there in {s}?", "How many places to learn does {s} have?"),
            ),
            Fact(
                ("has {a} bridges", "crosses its river by {a} bridges"),
                ("How many bridges are there in {s}?", "How many bridges does {s} have?"),
            ),
            Fact(
                ("has {a} churches", "prays in {a} churches"),
                ("How many churches are there in {s}?", "How many houses of God does {s} have?"),
            ),
        ),
        "goods": (
            Fact(
                ("exports {a}", "sells {a} abroad", "ships {a} to foreign markets"),
                ("What does {s} export?", "What does {s} sell to other countries?"),
            ),
            Fact(
                ("imports {a}", "buys {a} abroad", "gets {a} from foreign markets"),
                ("What does {s} import?", "What does {s} buy from other countries?"),
            ),
            Fact(
                ("holds a festival of {a}", "honours {a} with a museum", "has a museum of {a}"),
                ("What is celebrated in {s}?", "What does {s} honour?"),
            ),
        ),
        "name": (
            Fact(
                ("was founded by {a}", "owes its existence to {a}", "had {a} as its founder"),
                ("Who founded {s}?", "Who was the founder of {s}?"),
            ),
            Fact(
                ("has a town hall by {a}", "had its town hall built by {a}"),
                ("Who built the town hall of {s}?", "Who is the architect of the hall in {s}?"),
            ),
            Fact(
                ("is governed by {a}", "has {a} as its mayor", "elected {a} as its mayor"),
                ("Who is the mayor of {s}?", "Who governs {s}?"),
            ),
        ),
    },
    "ship": {
        "town": (
            Fact(
                ("was built in {a}", "left a shipyard in {a}", "was constructed in {a}"),
                ("Where was {s} built?", "In which town was {s} constructed?"),
            ),
            Fact(
                ("has its home port in {a}", "is registered in {a}", "is at home in {a}"),
                ("What is the home port of {s}?", "Where is {s} registered?"),
            ),
            Fact(
                ("ran aground near {a}", "struck a rock off {a}", "hit the rocks near {a}"),
                ("Where did {s} run aground?", "Near which town did {s} strike a rock?"),
            ),
        ),
        "year": (
            Fact(
                ("was repainted in {a}", "received a new coat of paint in {a}"),
                ("When was {s} painted again?", "In which year did {s} get a coat of paint?"),
            ),
            Fact(
                ("caught fire in {a}", "was damaged by flames in {a}", "burned in {a}"),
                ("When was there a fire on {s}?", "In which year did {s} burn?"),
            ),
            Fact(
                ("changed hands in {a}", "was sold in {a}", "got a new owner in {a}"),
                ("When was {s} sold?", "In which year did {s} change hands?"),
            ),
        ),
        "name": (
            Fact(
                ("is commanded by {a}", "sails under {a}", "has {a} as its captain"),
                ("Who is the captain of {s}?", "Who commands {s}?"),
            ),
            Fact(
                ("belongs to {a}", "is the property of {a}", "is owned by {a}"),
                ("Who is the owner of {s}?", "Whom does {s} belong to?"),
            ),
            Fact(
                ("was designed by {a}", "was drawn by {a}", "has {a} as its designer"),
                ("Who designed {s}?", "Who was the designer of {s}?"),
            ),
        ),
    },
}
# Answer nothing; hold no town, year, number, goods or name.
REMARKS = {
    "person": (
        "likes long walks in the rain", "never wears a hat", "speaks very softly",
        "collects old maps", "cannot swim", "laughs easily", "gets up early",
    ),
    "town": (
        "lies at the foot of a hill", "has mild winters", "is a quiet place",
        "looks best in autumn", "is hard to reach by train", "has seen better days",
    ),
    "ship": (
        "has a black hull", "is faster than it looks", "is said to be haunted",
        "rolls in heavy weather", "looks best at sunset", "has a wooden deck",
    ),
}  # fmt: skip
LINKS = (", while ", ", whereas ", ", and ")

TOPICS = tuple((kind, answer) for kind, answers in FACTS.items() for answer in answers)
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

CASES = ("answered", "of another", "absent")
"""Whether a passage answers the question, gives that fact of others only, or of none."""


@dataclass(frozen=True)
class Question:
    """One generated passage with its question.

    Attributes
    ----------
    title
        The three that the passage speaks of.
    context, question
        The texts.
    answer
        ``[start, end)`` of the answer in the context, None without one.
    evidence
        The sentence of the answer, ``[[start, end)]``; empty without one.
    candidates
        All answers of that type in the context, the right one among them.
    case
        One of ``CASES``.
    """

    title: str
    context: str
    question: str
    answer: Span | None
    evidence: list[Span]
    candidates: list[Span]
    case: str


def load(data: GeneratedData) -> Corpus:
    """Generate the corpus.

    Parameters
    ----------
    data
        Sizes and seed.

    Raises
    ------
    InputError
        As :func:`generate`.
    """
    origin = {
        "source": "generated",
        "grammar": data.grammar,
        "seed": str(data.seed),
        "licence": "MIT, as the code that generates the texts",
    }
    return lay_out(generate(data.sizes, data.seed), origin)


def generate(sizes: SplitSizes, seed: int) -> pd.DataFrame:
    """Generate questions, one for each passage.

    Parameters
    ----------
    sizes
        Questions of each split.
    seed
        Of all random choices: the same seed gives the same table in every process.

    Returns
    -------
    pandas.DataFrame
        One row a question, in the order train, validation, test: ``split``; the columns of
        `analysis.corpora.squad`, at most one answer a question, ``id`` such as ``test-00012``;
        ``evidence``, a list of ``[start, end)`` character spans of the context, one or none;
        ``case``, one of ``CASES``. No passage occurs twice, in one split or in two. Of any 54
        questions of a split 36 are answerable, 9 are of the case "of another" and 9 "absent", 6
        belong to each of the nine pairs of subject and type of answer; all within one.

    Raises
    ------
    InputError
        If more questions are asked for than the grammar is known to hold.
    """
    counts = {split: int(getattr(sizes, split)) for split in SPLITS}
    if (total := sum(counts.values())) > LARGEST:
        raise InputError(
            f"data.sizes asks for {total} questions in all, but the grammar 'questions' gives "
            f"{LARGEST} at most; lower data.sizes.train, validation or test."
        )
    rng = np.random.Generator(np.random.PCG64(seed))
    seen: set[str] = set()
    rows: list[tuple[object, ...]] = []
    for split, size in counts.items():
        for number, cell in enumerate(rng.permutation(size)):
            drawn = compose(rng, int(cell))
            while drawn.context in seen:
                drawn = compose(rng, int(cell))
            seen.add(drawn.context)
            spans = [drawn.answer] if drawn.answer is not None else []
            rows.append(
                (
                    split,
                    f"{split}-{number:05d}",
                    drawn.title,
                    drawn.context,
                    drawn.question,
                    [drawn.context[start:end] for start, end in spans],
                    [start for start, _ in spans],
                    not spans,
                    drawn.evidence,
                    drawn.case,
                )
            )
    table = pd.DataFrame(rows, columns=["split", *COLUMNS, "evidence", "case"])
    strings = ("split", "id", "title", "context", "question", "case")
    return table.astype(dict.fromkeys(strings, "str") | {"impossible": "bool"})


def compose(rng: np.random.Generator, cell: int) -> Question:
    """Write one passage and a question.

    Of ``cell % 6``, 0 to 3 ask for one of the four facts that the passage gives, 4 for a fact that
    it gives of others only and 5 for one that it gives of none; ``cell // 6 % 9`` is the topic.
    """
    kind, answer_type = TOPICS[cell // 6 % len(TOPICS)]
    names = _people(rng)
    subjects = _subjects(rng, kind, names)
    order = rng.permutation(3)
    facts = [FACTS[kind][answer_type][i] for i in order]
    answers = _answers(rng, answer_type, names)
    context, sentences, candidates = _passage(rng, kind, subjects, facts, answers)

    asked = cell % 6
    if asked < len(GIVEN):
        subject, fact = GIVEN[asked]
        answer, evidence, case = candidates[asked], [sentences[asked]], CASES[0]
    elif asked == len(GIVEN):
        subject, fact = pick(rng, WITHHELD)
        answer, evidence, case = None, [], CASES[1]
    else:
        # The second subject is asked of in half of the answerable questions and in half of these.
        subject, fact = 1, 2
        answer, evidence, case = None, [], CASES[2]
    question = pick(rng, facts[fact].questions).replace("{s}", subjects[subject][0])
    title = ", ".join(name for name, _ in subjects)
    return Question(title, context, question, answer, evidence, sorted(candidates), case)


def _people(rng: np.random.Generator) -> Callable[[], tuple[str, str]]:
    """Deal people with their pronouns, no first name or surname twice."""
    first, last = Deck(rng, WOMEN + MEN), Deck(rng, SURNAMES)

    def deal() -> tuple[str, str]:
        name = first.deal()
        return f"{name} {last.deal()}", "she" if name in WOMEN else "he"

    return deal


def _subjects(
    rng: np.random.Generator, kind: str, people: Callable[[], tuple[str, str]]
) -> list[tuple[str, str]]:
    """Choose three subjects and their pronouns, some of which have half of their name in common."""
    if kind == "town":
        towns = Deck(rng, TOWNS)
        return [(towns.deal(), "it") for _ in range(3)]
    if kind == "person":
        subjects = [people() for _ in range(3)]
    else:
        first, last = (Deck(rng, words) for words in SHIPS)
        subjects = [(f"the {first.deal()} {last.deal()}", "it") for _ in range(3)]
    if rng.random() < 0.4:
        one, other = rng.permutation(3)[:2]
        kept, pronoun = subjects[one]
        shared = subjects[other][0].rpartition(" ")[2]
        subjects[one] = (f"{kept.rpartition(' ')[0]} {shared}", pronoun)
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
    deck = Deck(rng, TOWNS if answer_type == "town" else GOODS)
    return [deck.deal() for _ in range(size)]


def _passage(
    rng: np.random.Generator,
    kind: str,
    subjects: Sequence[tuple[str, str]],
    facts: Sequence[Fact],
    answers: Sequence[str],
) -> tuple[str, list[Span], list[Span]]:
    """Write the sentences in random order.

    Returns
    -------
    context : str
    sentences, candidates : list of [start, end)
        For each entry of ``GIVEN``, where the sentence and the answer stand.
    """
    # Each sentence is a list of clauses: whom it is about, what is said, which entry of GIVEN.
    sentences: list[list[tuple[int, str, int | None]]] = []
    for entries in pick(rng, LAYOUTS):
        clauses: list[tuple[int, str, int | None]] = []
        for i in rng.permutation(len(entries)):
            subject, fact = GIVEN[entries[i]]
            statement = pick(rng, facts[fact].statements)
            marked = statement.replace("{a}", f"<{answers[entries[i]]}>")
            clauses.append((subject, marked, entries[i]))
        sentences.append(clauses)
    remarks = Deck(rng, REMARKS[kind])
    for _ in range(rng.integers(0, 3)):
        sentences.append([(int(rng.integers(3)), remarks.deal(), None)])

    context = ""
    where: dict[int, tuple[Span, Span]] = {}
    before: set[int] = set()
    for place in rng.permutation(len(sentences)):
        clauses = sentences[place]
        about = {subject for subject, _, _ in clauses}
        name, pronoun = subjects[clauses[0][0]]
        # A pronoun only where the sentence before is about nobody else.
        text = pronoun if about == before and len(about) == 1 and rng.random() < 0.7 else name
        text += f" {clauses[0][1]}"
        for subject, said, _ in clauses[1:]:
            text += (
                f" and {said}"
                if len(about) == 1
                else f"{pick(rng, LINKS)}{subjects[subject][0]} {said}"
            )
        plain, spans = read_marks(f"{text[0].upper()}{text[1:]}.")
        start = len(context) + bool(context)
        context = f"{context} {plain}" if context else plain
        given = [entry for _, _, entry in clauses if entry is not None]
        for entry, (first, last) in zip(given, spans, strict=True):
            where[entry] = ([start, start + len(plain)], [start + first, start + last])
        before = about
    found = [where[entry] for entry in range(len(GIVEN))]
    return context, [sentence for sentence, _ in found], [answer for _, answer in found]
