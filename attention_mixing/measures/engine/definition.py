"""What a measure is, and what it gives: values and fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from attention_mixing.addresses import ALL, comes_in
from attention_mixing.capture.text import State
from attention_mixing.capture.token_scores import Fields, TokenScores, gather
from attention_mixing.settings.derived import model_states
from attention_mixing.settings.experiment import Experiment
from attention_mixing.workers import Each

# The smallest and the largest value that a quantity can have; None where there is none.
Ends = tuple[float | None, float | None]
ANY, POSITIVE = (None, None), (0.0, None)
SHARE, SIGNED = (0.0, 1.0), (-1.0, 1.0)
# The axes of most quantities.
LAYER, HEAD = ("layer",), ("layer", "head")


@dataclass(frozen=True)
class Gives:
    """A quantity that a measure gives, and what it comes in.

    Everything that names a quantity is held against this: rules, figures and notebooks before
    anything runs (:mod:`analysis.lint.quantity_names`), and the measure itself while it runs.

    Attributes
    ----------
    quantity
        Its name.
    axes
        Of its values: ``layer``, ``head``, ``clusters`` (a number of clusters).
    range
        The smallest and the largest value that there can be; None for no end.
    subject, facet
        What its values are about, such as methods, scopes, feature points or weight matrices, and
        which of it, such as kinds of token or the methods that it is compared with; each of the one
        with each of the other. Empty where there is none.
    saturates
        Whether all texts of a sample may have an end of the range by chance. An interval then
        reaches to the values that other texts may have
        (:func:`attention_mixing.methods.bootstrap.mean_interval`).
    """

    quantity: str
    axes: tuple[str, ...] = ()
    range: Ends = ANY
    subject: tuple[str, ...] = ("",)
    facet: tuple[str, ...] = ("",)
    saturates: bool = False


def gives(names: Iterable[str], *about: Any, **more: Any) -> tuple[Gives, ...]:
    """Declare several quantities of which all else is the same."""
    return tuple(Gives(name, *about, **more) for name in names)


@dataclass(frozen=True)
class Values:
    """Scalars of one text, or of all texts together; what is undefined is nan.

    Attributes
    ----------
    quantity
        What was measured.
    value
        ``[]``, ``[layer]`` or ``[layer, head]``.
    subject, facet
        What it is about, such as a method, a scope or a feature point, and which of it, such as a
        kind of token; empty if there is none.
    layer
        Number of the first layer, or of the one that a single value is of. Layers and heads are
        counted from 1, the input of the first layer is 0.
    clusters
        Number of clusters that it is of; 0 if of none.
    """

    quantity: str
    value: ArrayLike
    subject: str = ""
    facet: str = ""
    layer: int | None = None
    clusters: int = 0


def each_of(measured: Mapping[str, ArrayLike], **about: Any) -> Iterator[Values]:
    """Give several quantities, of which all else is the same, in their order."""
    return (Values(quantity, value, **about) for quantity, value in measured.items())


def over_layers(layers: Sequence[Mapping[str, ArrayLike]]) -> dict[str, NDArray[np.float64]]:
    """Join what was found of one layer after the other, by quantity, as ``[layer, ...]``."""
    return {name: np.array([layer[name] for layer in layers], np.float64) for name in layers[0]}


@dataclass(frozen=True)
class Field:
    """What is an array by nature, or a table of points.

    Attributes
    ----------
    name
        In the file of the measure.
    content
        The array or table.
    shown
        Whether pages show it. Else it is an array for the measures that read it, whose last axis is
        that of the tokens of a text.
    """

    name: str
    content: NDArray | pd.DataFrame
    shown: bool = False


Measured = Iterable[Values | Field | TokenScores]
# With variant and text in front; :data:`ALL` for what is of all texts.
OfCorpus = Iterator[tuple[str, int, Measured]]


def left_with_text(measured: Measured) -> Fields:
    """Choose what a measure leaves with a text for those that read it."""
    arrays: dict[str, Any] = {}
    token_scores = []
    for item in measured:
        if isinstance(item, TokenScores):
            token_scores.append(item)
        elif isinstance(item, Field) and not item.shown:
            arrays[item.name] = item.content
    return gather(arrays, token_scores)


@dataclass(frozen=True)
class Given:
    """What a measure is given beside its text.

    Attributes
    ----------
    settings
        What the measure declares that it reads, by dotted names; nothing else is there.
    name
        Of the experiment.
    results
        Of the accumulators that this one names in ``after``; for a measure of the corpus, of each
        by variant.
    """

    settings: Mapping[str, Any]
    name: str
    results: dict[str, Any]

    def __getitem__(self, measure: str) -> Any:  # noqa: D105
        return self.results[measure]

    def of(self, variant: str) -> Given:
        """Return what a measure of one variant alone is given."""
        results = {measure: by_variant[variant] for measure, by_variant in self.results.items()}
        return replace(self, results=results)


@dataclass
class CapturedCorpus:
    """All that was captured in an experiment, for a measure that no text has alone.

    Attributes
    ----------
    states
        Of the model, the pretrained one first.
    each
        Does independent work wherever there is room (:mod:`attention_mixing.workers`).
    directory
        That of the group: tables that would not fit into memory are written below, for later
        measures.
    texts
        Directory of all texts, captured or not (:meth:`attention_mixing.corpora.Corpus.read`).
    examples
        The texts that the measure is asked about, a row each.
    """

    states: Sequence[State]
    each: Each
    directory: Path
    texts: Path
    examples: pd.DataFrame
    _made: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Make something that several measures need, when the first asks for it.

        Parameters
        ----------
        name
            Under which it is kept.
        make
            What makes it.
        """
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def always(experiment: Experiment) -> bool:
    """Define a measure for every experiment."""
    return True


def compared(experiment: Experiment) -> bool:
    """Define a measure where a model can be compared before and after training."""
    return len(model_states(experiment)) > 1


@dataclass(frozen=True)
class Measure:
    """A named pure function, and what it needs.

    Attributes
    ----------
    name
        Under which its values and fields are found.
    work
        By ``kind``, of one ``text`` and of the same text before and after fine-tuning (``pair``):
        ``work(text, given)`` and ``work(before, after, given)`` give values and fields; of the
        ``corpus``, ``work(corpus, given)`` gives variant, text (:data:`ALL` for what is of all
        texts) and what is measured of it. An ``accumulator`` is a class for what needs all texts of
        a state, one at a time, so that memory does not grow with their number: ``work(given)`` has
        none, ``add(text)`` takes one more, ``merge(other)`` those of another, which come after its
        own; ``result()`` is what later measures are given, ``measured()`` gives values and fields.
    gives
        What it gives; a value of anything else is a mistake. A function, where it depends on the
        methods that the catalogue has (:mod:`attention_mixing.attributions.catalogue`).
    kind
        Of what it is a measure.
    settings
        Parameters that it reads, by their dotted names; ``experiment.X`` those of the experiment.
    after
        Measures whose results it is given, which are of the same group, or whose fields and token
        scores it reads.
    defined
        For which experiments it is defined.
    contrasts
        By ``facet``, values of ``subject`` against which all others are held, text by text.
    panel
        How many texts it is asked about, or the dotted name of the parameter that says so: dear
        measures are asked about some (:func:`attention_mixing.capture.subset.choose`); None for
        all.
    predicts
        Whether a measure of one text is only of the last state, the one that predicts.
    first_seed
        Whether only the model of the first seed is asked, as pictures of one model are enough.
    joint
        Whether it is of an encoder-decoder, of source and target together, whose streams it reads
        (:meth:`attention_mixing.capture.text.Text.of`), and not of a model of one text.
    """

    name: str
    work: Callable[..., Any]
    gives: tuple[Gives, ...] | Callable[[], tuple[Gives, ...]] = ()
    kind: Literal["text", "pair", "corpus", "accumulator"] = "text"
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    defined: Callable[[Experiment], bool] = always
    contrasts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    panel: str | int | None = None
    predicts: bool = False
    first_seed: bool = False
    joint: bool = False

    @property
    def declared(self) -> tuple[Gives, ...]:
        """What it gives."""
        return self.gives() if callable(self.gives) else self.gives

    @property
    def parameters(self) -> tuple[str, ...]:
        """Dotted names of all parameters that what it gives depends on."""
        return (*self.settings, *([self.panel] if isinstance(self.panel, str) else []))


def require_declared(measure: Measure, measured: Iterable[Values]) -> None:
    """Refuse values that a measure does not say that it gives, by a ``ValueError``."""
    declared = measure.declared
    for values in measured:
        _require_one_of(declared, measure, values)


def _require_one_of(declared: tuple[Gives, ...], measure: Measure, values: Values) -> None:
    has_clusters = bool(values.clusters)
    dimensions = np.ndim(values.value) + (values.layer is not None and np.ndim(values.value) == 0)
    columns = {"quantity": values.quantity, "subject": values.subject, "facet": values.facet}
    for one in declared:
        if (
            all(comes_in(vars(one), column, name) for column, name in columns.items())
            and has_clusters == ("clusters" in one.axes)
            and dimensions <= len(one.axes)
        ):
            return
    named = f"{values.quantity} of subject {values.subject!r} and facet {values.facet!r}"
    raise ValueError(f"{measure.name} gives {named} with {dimensions} axes, which is not declared")


def numbers(values: Values) -> Iterator[tuple[str, str, str, int, int, int, float]]:
    """Give a row a number: ``subject, facet, quantity, clusters, layer, head, value``."""
    array = np.asarray(values.value, dtype=np.float64)
    first = values.layer if values.layer is not None else 1 if array.ndim else ALL
    for index, value in zip(np.ndindex(array.shape), array.flat, strict=True):
        layer = first + index[0] if index else first
        head = index[1] + 1 if array.ndim > 1 else 0
        yield (
            *(values.subject, values.facet, values.quantity, values.clusters, layer, head),
            float(value),
        )
