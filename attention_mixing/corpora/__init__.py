"""Where the texts come from: grammars, the project's own sentences, local files, the hub."""

from __future__ import annotations

from attention_mixing.corpora.corpus import Corpus
from attention_mixing.settings.experiment import Encoder
from attention_mixing.settings.sources import (
    Data,
    FilesData,
    GeneratedData,
    HubData,
    SentencesData,
    SplitLimits,
    SquadFilesData,
    SquadHubData,
    TextsData,
)

__all__ = ["Corpus", "encoder_texts", "load"]


def load(data: Data, task: str) -> Corpus:
    """Load the corpus that an experiment names.

    Parameters
    ----------
    data
        The ``data`` section of an experiment.
    task
        Its task, as the parameters name it.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        One sentence on what cannot be used and what to do.
    """
    # Each source is imported only when it is asked for: a stage on generated texts should not pay
    # for pyarrow and datasets, which take longer to start than the texts take to generate.
    match data:
        case GeneratedData():
            from attention_mixing.corpora import agreement, questions, reviews, translation

            if data.grammar == "agreement":
                return agreement.load(data, task)
            grammars = {"questions": questions, "reviews": reviews, "translation": translation}
            return grammars[data.grammar].load(data)
        case SentencesData() | TextsData():
            from attention_mixing.corpora import sentences

            return sentences.load(data)
        case FilesData():
            from attention_mixing.corpora import tables

            return tables.load(data, task)
        case HubData() | SquadHubData():
            from attention_mixing.corpora import hub

            return hub.load(data, task)
        case SquadFilesData():
            from attention_mixing.corpora import squad

            return squad.load(data)


def encoder_texts(settings: Encoder) -> list[str]:
    """Load the texts that an encoder is trained on with masked words.

    Parameters
    ----------
    settings
        An encoder of the parameters.

    Returns
    -------
    list of str
        Of its file, at most ``limit``, drawn with its seed.

    Raises
    ------
    InputError
        As :func:`load`.
    """
    data = FilesData(
        source="files",
        train=None,
        test=settings.texts,
        validation_fraction=0.5,
        limits=SplitLimits(train=None, test=settings.limit),
        seed=settings.seed,
        text=settings.column,
        label=None,
    )
    return load(data, "none").examples["text"].tolist()  # type: ignore[no-any-return]
