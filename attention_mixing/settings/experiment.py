"""One model on one corpus: how texts are read, the training, and what is captured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from attention_mixing.settings.sources import (
    Data,
    EmbeddedModel,
    FilesData,
    GeneratedData,
    HubData,
    HubModel,
    Model,
    SquadFilesData,
    SquadHubData,
    TextsData,
    UntrainedModel,
)
from attention_mixing.settings.values import Count, Distinct, Fraction, Section, Seed, Share

__all__ = ["Experiment"]


class Length(Section):
    """How many tokens of a text are read at once, and what becomes of longer texts.

    They are truncated or refused. The context of a question is read in windows instead, each
    ``stride`` tokens further on.
    """

    max_tokens: Annotated[Count, Field(ge=3)]
    longer: Literal["truncate", "refuse"] | None = None
    stride: Count | None = None


class Optimisation(Section):
    """Training with ``transformers.Trainer``: AdamW, linear warm-up and decay."""

    epochs: Count
    batch_size: Count
    learning_rate: Annotated[float, Field(gt=0)]
    weight_decay: Annotated[float, Field(ge=0)]
    warmup: Fraction
    evaluations: Count


class Encoder(Optimisation):
    """An encoder that is trained on with masked words, for experiments to start from.

    ``texts`` is a file, ``column`` where they stand in that file.
    """

    model: Annotated[EmbeddedModel | HubModel, Field(discriminator="source")]
    texts: str
    column: str
    limit: Count | None
    held_out: Count
    max_tokens: Annotated[Count, Field(ge=3)]
    masked: Share
    seed: Seed


class Train(Optimisation):
    """Fine-tuning to a task.

    ``dropout`` is that before the head of a classifier. The head of question answering has none
    before it, and next words none at all; there it is that of the whole model, and null keeps the
    model's own.
    """

    dropout: Annotated[float, Field(ge=0, lt=1)] | None
    seeds: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=1, strict=False)


class CaptureSettings(Section):
    """What is read out of the model and kept."""

    split: Literal["train", "validation", "test"]
    examples: Count
    batch_size: Count
    dtype: Literal["float16", "float32"]


Task = Literal[
    "classification", "question_answering", "language_modelling", "sequence_to_sequence", "none"
]


class Experiment(Section):
    """One model on one corpus."""

    task: Task
    model: Model
    data: Data
    length: Length
    train: Train | None
    capture: CaptureSettings

    @model_validator(mode="after")
    def _consistent(self) -> Experiment:
        if faults := list(self._faults()):
            raise ValueError(*faults)
        return self

    def _faults(self) -> Iterator[str]:
        """Say of which values one does not fit another, but not what follows from another fault."""
        if (self.task == "none") != (self.train is None):
            yield (
                "has task none but a train section; set train: null"
                if self.task == "none"
                else f"has task {self.task} but train is null; give train a section"
            )
        if self.task == "none" and self.capture.split != "test":
            yield (
                f"has task none, whose texts are all in test, but capture.split is "
                f"{self.capture.split}; set it to test"
            )
        if isinstance(self.model, UntrainedModel) and self.train and len(self.train.seeds) > 1:
            yield (
                f"has a model of source untrained and train.seeds {list(self.train.seeds)}; give "
                "one seed, and other models experiments of their own"
            )
        if fault := self._fault_of_task():
            yield fault
            return
        if fault := self._fault_of_length():
            yield fault
        if self.task == "classification" and self.train and self.train.dropout is None:
            yield "has task classification but train.dropout is null; give a number from 0 to 1"

    @property
    def has_targets(self) -> bool:
        """Whether each text has a target, which an encoder-decoder reads beside it."""
        if isinstance(self.data, GeneratedData):
            return self.data.grammar == "translation"
        if isinstance(self.data, TextsData):
            return self.data.targets is not None
        return isinstance(self.data, FilesData | HubData) and self.data.target is not None

    @property
    def captured_at_most(self) -> tuple[int, str]:
        """How many texts are captured at most, and which key says so.

        Of files and of the hub, a split may have fewer.
        """
        limits = {"capture.examples": self.capture.examples}
        if isinstance(self.data, TextsData):
            limits["the number of data.texts"] = len(self.data.texts)
        if isinstance(self.data, GeneratedData):
            split = self.capture.split
            limits[f"data.sizes.{split}"] = getattr(self.data.sizes, split)
        key = min(limits, key=lambda limit: limits[limit])
        return limits[key], key

    def _fault_of_task(self) -> str | None:
        """Say why a task and its data or model do not fit, by the first reason."""
        untrained = isinstance(self.model, UntrainedModel)
        if fault := self._fault_of_questions() or self._fault_of_labels():
            return fault
        if untrained and self.task not in ("language_modelling", "sequence_to_sequence"):
            return (
                f"has task {self.task} but a model of source untrained, which learns next words or "
                "to translate; set task: language_modelling or sequence_to_sequence, or name "
                "another model"
            )
        return self._fault_of_targets()

    def _fault_of_targets(self) -> str | None:
        if self.has_targets and isinstance(self.model, EmbeddedModel):
            return (
                "has texts with targets, but the embedded model reads one text; name an "
                "encoder-decoder as model"
            )
        if self.task == "sequence_to_sequence":
            trains = not isinstance(self.data, FilesData | HubData) or self.data.train is not None
            if not self.has_targets or not trains or isinstance(self.data, TextsData):
                return (
                    f"has task {self.task} but its data of source {self.data.source} have no "
                    "targets to learn; use generated with grammar: translation, or files or hub "
                    "with data.train and data.target"
                )
        elif self.has_targets and self.task != "none":
            return (
                f"has task {self.task} but its texts have targets; set task: sequence_to_sequence, "
                "or none for a model as it is"
            )
        return None

    def _fault_of_labels(self) -> str | None:
        if self.task not in ("classification", "language_modelling"):
            return None
        if isinstance(self.data, FilesData | HubData):
            labelled = self.data.train is not None and self.data.label is not None
        else:
            labelled = isinstance(self.data, GeneratedData)
        if not labelled:
            words = " (the words that come next)" if self.task == "language_modelling" else ""
            return (
                f"has task {self.task} but its data of source {self.data.source} have no labels"
                f"{words}; use generated, or files or hub with data.train and data.label, or set "
                "task: none and train: null"
            )
        if self.task == "language_modelling" and isinstance(self.data, GeneratedData):
            if self.data.grammar != "agreement":
                return (
                    f"has task language_modelling but the grammar {self.data.grammar}, whose "
                    "labels are no words that come next; use grammar: agreement"
                )
        return None

    def _fault_of_questions(self) -> str | None:
        answering = self.task == "question_answering"
        questions = isinstance(self.data, SquadFilesData | SquadHubData) or (
            isinstance(self.data, GeneratedData) and self.data.grammar == "questions"
        )
        if answering == questions:
            return None
        return (
            "has task question_answering but its data hold no questions; use data.source "
            "squad-files, squad-hub, or generated with grammar: questions"
            if answering
            else f"has task {self.task} but its data are questions; set task: question_answering"
        )

    def _fault_of_length(self) -> str | None:
        answering, length = self.task == "question_answering", self.length
        if (length.longer is None, length.stride is not None) == (answering, answering):
            return None
        return (
            f"has task {self.task} and length {length.model_dump(exclude_none=True)}; contexts "
            "of question_answering are read in windows and have a stride, in tokens, other "
            "texts have longer: truncate or refuse; give max_tokens and that key"
        )
