"""Short film reviews in which the order of the words decides the label.

A review is neutral matter (plot, running time) around one or two blocks that judge the film. A
block may hold an opinion that is overruled (the other half of a contrast, somebody else's view,
another film) beside the opinion that decides. Every opinion comes as plain praise or blame or as
the negated opposite ("anything but dull"). All sentences serve both labels, so praise and
blame occur under both, and a bag of words sees little more than which of them is more frequent.

The evidence of a text is every deciding opinion together with its negator, and nothing else.
"""

from __future__ import annotations

import re

import numpy as np

from analysis.corpora.corpus import Corpus
from analysis.corpora.grammar import Deck, Draft, fill, pick, read_marks
from analysis.params import GeneratedData

LABEL_NAMES = ("negative", "positive")
WORDS = (12, 45)  # shortest and longest review

# Indexed by label. These can be negated: "anything but dull" is praise beyond dispute.
NEGATABLE = (
    (
        "dull", "tedious", "clumsy", "lifeless", "bland", "tiresome", "forgettable", "dreary",
        "sloppy", "shallow", "boring", "predictable", "mediocre", "monotonous",
    ),
    (
        "gripping", "moving", "charming", "clever", "convincing", "witty", "touching", "lively",
        "fresh", "memorable", "engaging", "funny", "thrilling", "imaginative",
    ),
)  # fmt: skip
# These are never negated: what is "far from abysmal" need not be good.
EXTREME = (
    ("dreadful", "terrible", "awful", "abysmal", "appalling", "atrocious"),
    ("superb", "brilliant", "wonderful", "magnificent", "marvellous", "terrific"),
)
VERBS = (("hated", "disliked", "loathed"), ("loved", "enjoyed", "adored"))
NEGATORS = (
    "anything but",
    "far from",
    "never",
    "not remotely",
    "never for a moment",
    "not in the least",
)

PARTS = ("acting", "dialogue", "direction", "storytelling", "lead performance")
THINGS = ("script", "story", "ending", "cast", "third act", "plot", "second half", "opening scene")
OTHERS = (
    "my neighbour", "my brother", "my sister", "a colleague", "my flatmate", "my best friend",
    "the man next to me", "the woman from the box office", "everyone at work", "the local critic",
)  # fmt: skip

# Fields: {decides} and {overruled} are opinions after "is", plain or negated; {decides:plain},
# {overruled:plain} and {decides:negated} insist on one form; {decides:not} is an adjective that
# the sentence itself negates; <...> marks evidence that is not a field.
PLAIN = (
    "The {part} is {decides} and the {thing} is {decides}.",
    "This is a {decides:plain} film with a {decides:plain} {thing}.",
    "I thought it was {decides:plain} from beginning to end.",
    "What a {decides:plain} film, and what a {decides:plain} {thing}!",
    "Everything about it is {decides:plain}, from the {thing} to the {part}.",
    "I {decides:verb} every minute of it, and the {part} is {decides}.",
    "The {thing} was {decides} and the film as a whole {decides:plain}.",
)
# Seconds another block; speaks of parts only, so that it does not deny what was conceded there.
SECONDING = (
    "The {part} is {decides} and the {thing} is {decides}.",
    "It has a {decides:plain} {thing}, and the {part} is {decides}.",
    "I {decides:verb} the {part}, and the {thing} is {decides}.",
    "Above all, the {part} is {decides:plain}.",
    "And what a {decides:plain} {thing}!",
)
NEGATED = (
    "There is <not one {decides:not}> scene in it, and the {part} is {decides}.",
    "There is <nothing {decides:not}> about the {part}, and the {thing} is {decides}.",
    "I did <not notice a single {decides:not}> moment in it.",
    "There is <not a {decides:not}> moment in the whole film.",
    "The {part} is {decides:negated} and the {thing} is {decides:negated}.",
    "It is {decides:negated}, and the {thing} is {decides}.",
    "I saw it twice, and it was {decides:negated} both times.",
)
CONTRAST = (
    "The {part} is {overruled}, but the film as a whole is {decides}.",
    "Although the {thing} is {overruled}, the film is {decides}.",
    "The {part} is {overruled}, yet the film itself is {decides}.",
    "The film is {decides}, even though the {thing} is {overruled}.",
    "Despite its {overruled:plain} {thing}, this is a {decides:plain} film.",
    "For all its {overruled:plain} {part}, the film is {decides}.",
    "Even the {overruled:plain} {thing} cannot change the fact that the film is {decides}.",
    "The first ten minutes are {overruled:plain}, but everything after them is {decides:plain}.",
)
DISTRACTION = (
    "Unlike the {overruled:plain} original, this sequel is {decides}.",
    "The novel was {overruled}, but the film is {decides}.",
    "The director's last film was {overruled}; this one is {decides}.",
    "{other} called it {overruled:plain}; to me it was {decides}.",
    "{other} {overruled:verb} it, but I {decides:verb} it.",
    "{other} {overruled:verb} every minute of it, but in my opinion it is {decides}.",
    "The trailer made it look {overruled:plain}, but the film is {decides}.",
    "I expected something {overruled:plain} and got something {decides:plain}.",
    "Do not listen to {other}, who called it {overruled:plain}: the film is {decides}.",
)

# Share of the reviews that consist of these blocks, in this order. The shares set how far a bag of
# words gets: it is right where praise or blame stands alone, and helpless in the other blocks.
REVIEWS = (
    (0.30, (PLAIN,)),
    (0.10, (NEGATED,)),
    (0.10, (CONTRAST,)),
    (0.10, (DISTRACTION,)),
    (0.20, (CONTRAST, SECONDING)),
    (0.20, (DISTRACTION, SECONDING)),
)

WHO = (
    "a retired sailor", "a young nurse", "a village teacher", "a taxi driver", "a piano tuner",
    "a lighthouse keeper", "an old gardener", "a small-town lawyer", "a student from Lisbon",
    "a travelling salesman", "a night watchman", "a former boxer", "a Polish chemist",
)  # fmt: skip
WHAT = (
    "who inherits a house by the sea", "who looks for a lost brother", "who finds a letter",
    "who returns home after the war", "who takes in two children", "who opens a small restaurant",
    "who learns to fly", "who crosses the country on foot", "who moves to the capital",
    "who buys an old theatre", "who joins a circus", "who is mistaken for somebody else",
)  # fmt: skip
OPENINGS = ("It is about {who} {what}.", "The film follows {who} {what}.", "We meet {who} {what}.")
CLOSINGS = (
    "It runs for {minutes} minutes.",
    "I saw it with {other} on a {day}.",
    "It was filmed in {place}.",
    "We watched it in {place} on a {day}.",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PLACES = ("Dublin", "Porto", "Oslo", "Kyoto", "Quebec", "Naples", "Tallinn", "Lima", "Krakow")


def load(data: GeneratedData) -> Corpus:
    """Generate film reviews, labelled 0 negative or 1 positive.

    Parameters
    ----------
    data
        Sizes of the splits and seed.

    Returns
    -------
    Corpus
        Distinct texts of 12 to 45 words, balanced within one in every split.

    Raises
    ------
    InputError
        If more texts are asked for than the grammar is known to hold.
    """
    return fill(data, compose, LABEL_NAMES)


def compose(rng: np.random.Generator, cell: int) -> Draft:
    """Write one review; its label is ``cell % 2``."""
    label = cell % 2
    shares = [share for share, _ in REVIEWS]
    while True:
        _, blocks = REVIEWS[rng.choice(len(REVIEWS), p=shares)]
        templates = [pick(rng, block) for block in blocks]
        if rng.random() < 0.6:
            templates.insert(0, pick(rng, OPENINGS))
        if rng.random() < 0.5:
            templates.append(pick(rng, CLOSINGS))
        text, evidence = read_marks(_write(rng, templates, label))
        if WORDS[0] <= len(text.split()) <= WORDS[1]:
            return Draft(text, evidence, label)


def _write(rng: np.random.Generator, templates: list[str], label: int) -> str:
    """Fill in the fields of all sentences, no word twice in a review."""
    negatable = [Deck(rng, words) for words in NEGATABLE]
    extreme = [Deck(rng, words) for words in EXTREME]
    verbs = [Deck(rng, words) for words in VERBS]
    inventories = {
        "part": PARTS,
        "thing": THINGS,
        "other": OTHERS,
        "who": WHO,
        "what": WHAT,
        "day": DAYS,
    }
    decks = {name: Deck(rng, words) for name, words in inventories.items()}

    def opinion(polarity: int, form: str) -> str:
        if form == "verb":
            return verbs[polarity].deal()
        if form == "not":
            return negatable[1 - polarity].deal()
        if form == "negated" or (form == "" and rng.random() < 0.35):
            return f"{pick(rng, NEGATORS)} {negatable[1 - polarity].deal()}"
        kind = extreme if rng.random() < 0.3 else negatable
        return kind[polarity].deal()

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
            return pick(rng, PLACES)
        return decks[name].deal()

    sentences = [re.sub(r"\{([a-z:]+)\}", field, template) for template in templates]
    review = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
    return re.sub(r"\b([Aa]) (?=<?[aeiou])", r"\1n ", review)
