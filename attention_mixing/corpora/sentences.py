"""Natural English sentences for experiments without a task, and the user's own texts."""

from __future__ import annotations

import pandas as pd

from attention_mixing.corpora.columns import check_texts
from attention_mixing.corpora.corpus import Corpus, tabulate
from attention_mixing.corpora.grammar import vocabulary
from attention_mixing.settings.sources import SentencesData, TextsData


def load(data: SentencesData | TextsData) -> Corpus:
    """Return texts without labels, all in the split ``test``: the project's own, or the user's.

    Raises
    ------
    InputError
        If a text of the user is blank or cannot be encoded.
    """
    if isinstance(data, TextsData):
        texts, licence = check_texts("data.texts", data.texts), "the user's own"
    else:
        texts, licence = vocabulary(__file__), "MIT, as the code that holds the sentences"
    rows = pd.DataFrame({"split": "test", "text": texts})
    if isinstance(data, TextsData) and data.targets is not None:
        rows["target"] = check_texts("data.targets", data.targets)
    examples = tabulate(rows)
    return Corpus(examples, label_names=(), origin={"source": data.source, "licence": licence})
