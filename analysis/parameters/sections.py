"""The whole of ``params.yaml``, and the sections that only the report has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from attention_mixing.errors import quoted, shortened
from attention_mixing.settings.experiment import Encoder, Experiment
from attention_mixing.settings.measures import (
    Ablation,
    Bootstrap,
    Clusters,
    DependenceSettings,
    Faithfulness,
    Geometry,
    HeadSettings,
    Projection,
    Propagation,
)
from attention_mixing.settings.sinks import Sinks
from attention_mixing.settings.sources import LocalModel, LocalSplits, UntrainedModel
from attention_mixing.settings.values import (
    Count,
    Distinct,
    Index,
    Name,
    NonBlank,
    Section,
    Seed,
    Text,
)


class SmallModels(Section):
    """Three small models that learn to write a row of words backwards."""

    steps: Count
    seed: Seed


class AnatomySettings(Section):
    """The text that attention is rebuilt for, and the small models beside it."""

    text: NonBlank
    layer: Count
    head: Count
    small: SmallModels


class CircuitSettings(Section):
    """Transformers written by hand, and small ones that are trained, to score measures on."""

    # Whether kept results are shown instead; None in runs that were kept before there was a choice.
    kept: bool | None = None
    bases: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=2, strict=False)
    texts: Count
    seed: Seed


class Focus(Section):
    """The text that the report shows token by token, or word by word."""

    experiment: str
    example: Index
    words: bool | None = None  # of runs that were kept before there was a choice


class Explorer(Section):
    """Corpora of which the explorer shows texts: those that are on the maps."""

    texts: Literal["licensed", "all", "none"]


class Report(Section):
    """How the site is made."""

    renderer: Literal["auto", "quarto", "pandoc"]
    focus: Focus
    explorer: Explorer | None = None  # of runs that were kept before there was one


class Params(Section):
    """The whole of ``params.yaml``."""

    files: dict[Name, Text]
    device: Annotated[str, Field(pattern=r"^(auto|cpu|cuda|cuda:[0-9]+|mps)$")]
    precision: Literal["float32", "bfloat16", "float16"]
    workers: (
        Literal["auto"]
        | Annotated[Count, Field(le=1024)]
        | Annotated[str, Field(pattern=r"^(tcp|tls|ucx)://.+$")]
    )
    encoders: dict[Name, Encoder]
    experiments: dict[Name, Experiment] = Field(min_length=1)
    propagation: Propagation
    dependence: DependenceSettings | None = None  # of runs that were kept before it was measured
    faithfulness: Faithfulness
    projection: Projection
    geometry: Geometry
    heads: HeadSettings
    clusters: Clusters
    ablation: Ablation
    anatomy: AnatomySettings
    circuits: CircuitSettings | None = None  # of runs that were kept before there were any
    sinks: Sinks | None = None  # of runs that were kept before there was the experiment
    bootstrap: Bootstrap
    report: Report

    @model_validator(mode="after")
    def _consistent(self) -> Params:
        if faults := [*self._faults_of_names(), *self._faults_of_files(), *self._faults_of_texts()]:
            raise ValueError(*faults)
        return self

    def _faults_of_names(self) -> Iterator[str]:
        """Say which experiments that are named are none, or none of that kind."""
        focus = self.report.focus.experiment
        named = [("report.focus.experiment", focus)]
        if self.geometry.nonlinear != "all":
            named += [("geometry.nonlinear", name) for name in self.geometry.nonlinear]
        for key, name in named:
            if name not in self.experiments:
                yield (
                    f"{key} names {quoted(name)}, which is not an experiment; choose among "
                    f"{', '.join(self.experiments)}"
                )
        if focus in self.experiments:
            if isinstance(self.experiments[focus].model, UntrainedModel):
                yield (
                    f"report.focus.experiment is {focus}, whose model is untrained, but what is "
                    "shown token by token is a pretrained one; choose another experiment"
                )
            if self.experiments[focus].has_targets:
                yield (
                    f"report.focus.experiment is {focus}, whose texts have targets, but what is "
                    "shown token by token is one text; choose another experiment"
                )
        for name, experiment in self.experiments.items():
            for case in (f"{name}-encoder", f"{name}-decoder"):  # as they are called in results
                if experiment.has_targets and case in self.experiments:
                    yield (
                        f"experiments has {case}, as a part of {name} is called in results; rename "
                        "it"
                    )
        if self.clusters.features == "images" and self.heads.images == "none":
            yield (
                "clusters.features is images but heads.images is none; set it to hog or to a model"
            )

    def _faults_of_texts(self) -> Iterator[str]:
        """Say of which experiments no text that is to be shown is captured."""
        focus, joint = self.report.focus, self.geometry.texts
        for name, experiment in self.experiments.items():
            wanted = {"projection.examples": self.projection.examples}
            if not isinstance(joint, int):
                wanted["geometry.texts"] = joint
            if name == focus.experiment:
                wanted["report.focus.example"] = (focus.example,)
            captured, limit = experiment.captured_at_most
            for key, texts in wanted.items():
                if min(texts) >= captured:
                    names = ", ".join(map(str, texts))
                    yield (
                        f"{key} names {shortened(names)} but experiments.{name}: {limit} is "
                        f"{captured}; name an earlier text (the first is 0), or capture more"
                    )

    def _faults_of_files(self) -> Iterator[str]:
        """Say which files are named that are not under ``files``."""
        required: dict[str, str | None] = {}
        for name, experiment in self.experiments.items():
            if isinstance(experiment.model, LocalModel):
                required[f"experiments.{name}.model.name"] = experiment.model.name
            if isinstance(experiment.data, LocalSplits):
                required[f"experiments.{name}.data.train"] = experiment.data.train
                required[f"experiments.{name}.data.test"] = experiment.data.test
        for name, corpus in (self.sinks.corpora if self.sinks else {}).items():
            if isinstance(corpus.model, LocalModel):
                required[f"sinks.corpora.{name}.model.name"] = corpus.model.name
            if isinstance(corpus.data, LocalSplits):
                required[f"sinks.corpora.{name}.data.train"] = corpus.data.train
                required[f"sinks.corpora.{name}.data.test"] = corpus.data.test
        for name, encoder in self.encoders.items():
            required[f"encoders.{name}.texts"] = encoder.texts
        if isinstance(self.heads.images, LocalModel):
            required["heads.images.name"] = self.heads.images.name
        for key, file in required.items():
            if file is not None and file not in self.files:
                yield (
                    f"{key} is {quoted(file)}, which is not a name under files; "
                    f"choose one of: {', '.join(self.files) or '(files is empty)'}, or add "
                    f"`NAME: PATH` to files"
                )
