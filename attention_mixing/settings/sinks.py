"""Whether sinks carry what fine-tuning changes: models trained with and without an intervention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from attention_mixing.settings.experiment import Length
from attention_mixing.settings.sources import (
    Data,
    EmbeddedModel,
    FilesData,
    GeneratedData,
    HubData,
    HubModel,
    LocalModel,
)
from attention_mixing.settings.values import Count, Distinct, Fraction, Name, Section, Seed

__all__ = ["ARMS", "ArmName", "ArmTraining", "SinkCorpus", "Sinks", "TrialSettings"]

ArmName = Literal[
    "free",
    "clamped",
    "clamped_first",
    "clamped_last",
    "shuffled",
    "mean",
    "placebo_mass",
    "placebo_move",
    "zeroed",
    "frozen_values",
]
ARMS: tuple[ArmName, ...] = get_args(ArmName)
# Which the rule of the outcome asks.
NEEDED: tuple[ArmName, ...] = ("free", "clamped", "placebo_move")

Rate = Annotated[float, Field(gt=0)]


class ArmTraining(Section):
    """Training that all arms have in common: AdamW, linear warm-up and decay, no dropout.

    ``texts`` are drawn from the training split with each seed. With ``other_rates`` the arms *free*
    and *clamped* are trained once more each.
    """

    texts: Count
    epochs: Count
    batch_size: Count
    learning_rate: Rate
    other_rates: Annotated[tuple[Rate, ...], Distinct] = Field(strict=False)
    weight_decay: Annotated[float, Field(ge=0)]
    warmup: Fraction

    @model_validator(mode="after")
    def _other_rates_are_others(self) -> ArmTraining:
        if self.learning_rate in self.other_rates:
            raise ValueError(
                f"has the learning rate {self.learning_rate:g} among other_rates too; remove it "
                "there"
            )
        return self


class SinkCorpus(Section):
    """A model on labelled texts, and how it is trained on them."""

    model: Annotated[EmbeddedModel | HubModel | LocalModel, Field(discriminator="source")]
    data: Data
    length: Length
    train: ArmTraining

    @model_validator(mode="after")
    def _consistent(self) -> SinkCorpus:
        if faults := list(self._faults()):
            raise ValueError(*faults)
        return self

    def _faults(self) -> Iterator[str]:
        if isinstance(self.data, FilesData | HubData):
            labelled = None not in (self.data.train, self.data.label) and self.data.target is None
        else:
            grammars = ("reviews", "agreement")
            labelled = isinstance(self.data, GeneratedData) and self.data.grammar in grammars
        if not labelled:
            yield (
                f"has data of source {self.data.source} that are no labelled texts; use generated "
                "with grammar: reviews or agreement, or files or hub with data.train and data.label"
            )
        if self.length.longer is None or self.length.stride is not None:
            yield (
                f"has length {self.length.model_dump(exclude_none=True)}; give max_tokens and "
                "longer: truncate or refuse"
            )
        if isinstance(self.data, GeneratedData) and self.train.texts > self.data.sizes.train:
            yield (
                f"has train.texts {self.train.texts} but data.sizes.train is "
                f"{self.data.sizes.train}; lower the first, or raise the second"
            )


class TrialSettings(Section):
    """Which models there are of each corpus and seed, and how they are read.

    ``texts`` of the test split are read with each of their tokens replaced, ``draws`` times, and
    ``scored`` as they are. ``doses`` are added to the scores of sinks in the pretrained model, and
    of ordinary keys that weigh as much, as far as any do.
    """

    arms: Annotated[tuple[ArmName, ...], Distinct] = Field(strict=False)
    texts: Annotated[Count, Field(ge=2)]
    draws: Count
    scored: Count
    batch_size: Count
    doses: Annotated[tuple[float, ...], Distinct] = Field(strict=False)

    @model_validator(mode="after")
    def _consistent(self) -> TrialSettings:
        if missing := [arm for arm in NEEDED if arm not in self.arms]:
            raise ValueError(
                f"has the arms {', '.join(self.arms) or 'none'}, without {', '.join(missing)}, "
                "which the outcome rests on; add that"
            )
        if 0 in self.doses:
            raise ValueError("has a dose of 0, which changes nothing; remove it from doses")
        return self


class Sinks(Section):
    """The experiment on sinks: a trial for each corpus and seed."""

    corpora: dict[Name, SinkCorpus]
    seeds: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=1, strict=False)
    trial: TrialSettings
