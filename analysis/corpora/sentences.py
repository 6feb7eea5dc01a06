"""Natural English sentences for experiments without a task, and the user's own texts."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.corpora.columns import check_texts
from analysis.corpora.corpus import Corpus, tabulate
from analysis.params import TextsData

SENTENCES = (
    # From a study that rebuilds AttentionViz, from BertViz, and from Abnar & Zuidema (2020).
    "The brown capybara is sleeping now.",
    "time flies like an arrow",
    "The author talked to Sara about [MASK] book.",
    # Long enough for a map of its tokens: feature maps show the text at index 3 by default.
    "When the rain finally stopped, the children who had been waiting in the old station ran across"
    " the street to the bakery that their grandmother had told them about.",
    "The keys to the cabinet are on the table.",
    # From a Russian lecture on attention in transformers, translated.
    "Mother was washing the window frame.",
    "The film is frankly badly made.",
    "An utterly boring series whose plot was plucked out of thin air.",
    "I was delighted.",
    "All in all, it is a good film, and there is plenty to discuss.",
    # Classical examples: coreference, garden paths, agreement, nonsense that is grammatical.
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The trophy doesn't fit into the brown suitcase because it is too large.",
    "The trophy doesn't fit into the brown suitcase because it is too small.",
    "The doctor asked the nurse a question about her shift, and she answered it at once.",
    "The cat sat on the mat, and the dog lay on the rug.",
    "The quick brown fox jumps over the lazy dog.",
    "The horse raced past the barn fell.",
    "The old man the boats.",
    "While Anna dressed the baby spat up on the bed.",
    "The rat that the cat that the dog chased bit ate the cheese.",
    "Colorless green ideas sleep furiously.",
    "The key to the cabinets near the windows is missing again.",
    # Written for this project.
    # Coreference.
    "Maria told Elena that her train would be late, so she bought them both a coffee.",
    "When the senator met the journalist, he already knew what he was going to be asked.",
    "Peter gave his sister the map because she had lost hers.",
    "The bottle fell off the shelf, but luckily it did not break.",
    # Ambiguity of words and of structure.
    "She sat on the bank of the river and counted the money from the bank.",
    "I saw the man with the telescope.",
    "Fruit flies like a ripe banana, and time flies when you are having fun.",
    "They can fish because the cannery taught them how to can fish.",
    # Idioms and figures of speech.
    "It was raining cats and dogs, so we called it a day.",
    "He kicked the bucket that stood beside the cow.",
    "Her first lecture was a piece of cake; her second one was a can of worms.",
    # Negation, quantity and comparison.
    "Nobody said that it would not be difficult.",
    "Not every student who failed the test had slept badly.",
    "There is hardly anything that I like less than cold soup.",
    "The second violin is no worse than the first, only older.",
    "Few of the passengers, if any, noticed that the clock had stopped.",
    # Questions, orders and exclamations.
    "Where did you put the scissors that I lent you last week?",
    "Who would have thought that such a small island has three airports?",
    "Please close the window before you leave, and do not forget the key.",
    "What a strange way to spell a name!",
    # Numbers, dates, units, names.
    "In 1969, two people walked on the Moon while a third one circled it.",
    "The recipe needs 250 g of flour, 3 eggs and a pinch of salt.",
    "Flight BA 117 leaves London at 8:25 a.m. and lands in New York at 11:10 a.m.",
    "Marie Curie won the Nobel Prize in Physics in 1903 and the one in Chemistry in 1911.",
    "About 71% of the Earth's surface is covered by water.",
    # Quotation and dialogue.
    '"Have you read it?" she asked. "Only the last page," he said.',
    '"I never said that she stole my money," the witness repeated, stressing every word.',
    "The sign on the door read: Back in five minutes.",
    "No. Absolutely not. Well, perhaps on Sunday.",
    # Lists, brackets, dashes, unusual spelling.
    "We packed the tent, two sleeping bags, a stove (without gas) and far too many books.",
    "The committee - or what was left of it - voted to meet again in spring.",
    "Antidisestablishmentarianism is easier to spell than to explain.",
    "The café's crème brûlée was served by Señor Muñoz himself.",
    "omg that was sooo good, cant wait 4 the next one",
    # One word, and long sentences with their parts far from each other.
    "Rain.",
    "The letter that the lawyer who lived above the chemist's had promised to send before the end"
    " of the month arrived, to everybody's surprise, on the following Tuesday.",
    "If the bridge had been finished in time, as the minister who ordered it had always claimed it"
    " would be, the ferry would not be the only way to reach the northern villages today.",
    "Although neither the pilot nor the passengers had seen the storm coming, the crew stayed calm,"
    " the lights stayed on, and the plane landed only a few minutes late.",
)


def load() -> Corpus:
    """Return the project's own sentences: no labels, all in the split ``test``."""
    return _unlabelled(SENTENCES, "sentences", "MIT, as the code that holds the sentences")


def load_texts(data: TextsData) -> Corpus:
    """Return the texts that stand in the parameters: no labels, all in the split ``test``.

    Raises
    ------
    InputError
        If a text is blank or cannot be encoded.
    """
    return _unlabelled(check_texts("data.texts", data.texts), "texts", "the user's own")


def _unlabelled(texts: Sequence[str], source: str, licence: str) -> Corpus:
    return Corpus(
        examples=tabulate(["test"] * len(texts), texts),
        label_names=(),
        origin={"source": source, "licence": licence},
    )
