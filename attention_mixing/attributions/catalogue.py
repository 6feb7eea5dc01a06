"""The catalogue: every method that says what tokens draw on, or what a prediction owes to them.

An :class:`Attribution` gives a matrix, an :class:`Explanation` scores of tokens. Readers ask the
catalogue by property (:func:`select`, :func:`explanations`, :func:`labels`); where one makes a
choice of its own, :func:`chosen` holds it against the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions import vectors, weights
from attention_mixing.attributions.of_prediction import (
    AGAINST,
    ROWS_OF_RELEVANCE,
    Scored,
    at_input,
    by_relevance,
)
from attention_mixing.attributions.through import (
    ThroughLayers,
    flow_through,
    graph,
    rolled_out,
    spread_sources,
)
from attention_mixing.attributions.value_zeroing import value_zeroing
from attention_mixing.capture.text import Text
from attention_mixing.capture.token_scores import Rows
from attention_mixing.errors import InputError, quoted
from attention_mixing.methods.relevance import relevance_rollout, relevance_sum
from attention_mixing.methods.rollout import beside_uniform
from attention_mixing.params.derived import JOINT, STREAMS
from attention_mixing.params.sections import REMOVALS

T = TypeVar("T")
Matrices = NDArray[np.float64]
LayersOf = Callable[[Text, ThroughLayers], Matrices]
Family = Literal["weights", "vectors", "gradients", "removal", "baseline"]


class Matrix(NamedTuple):
    """What tokens draw on, behind every layer or in each.

    Attributes
    ----------
    values
        ``[layer, query, key]``, every row summing to 1, but for flow, whose rows sum to more; not a
        number where nothing is defined.
    queries
        The tokens whose rows they are, ``[query]``.
    tight
        Which flows attain their bound, ``[layer, query, key]``, from the first layer that counts
        on; None where rows are of no flow.
    """

    values: Matrices
    queries: NDArray[np.int64]
    tight: NDArray[np.bool_] | None = None

    @property
    def shares(self) -> Matrices:
        """Rows divided by their sums, ``[layer, query, key]``."""
        return self.values / self.values.sum(axis=-1, keepdims=True)

    def shares_of_all(self, queries: int) -> Matrices:
        """Return shares in rows of all queries, not a number for those that were not asked for."""
        every = np.full((len(self.values), queries, self.values.shape[-1]), np.nan)
        every[:, self.queries] = self.shares
        return every


@dataclass(frozen=True)
class Attribution:
    """A method that turns a text into a matrix, what each token draws on.

    Attributes
    ----------
    name
        Of the method, for good.
    family
        By what it weighs tokens: attention ``weights``, ``vectors``, or nothing (``baseline``).
    layers
        ``layers(text, settings)`` gives what each layer of one stream mixes, ``[layer, query,
        key]``.
    through
        How layers become the whole model: their ``product``, or the maximum ``flow``; None where
        they do not.
    whole
        Whether it is of the whole model unless it is asked for layers.
    scores_layers
        Whether the rows of its layers, too, are read as scores of tokens.
    beside
        Of another entry, by which what comes through all layers is divided.
    causal
        Whether it is defined for causal texts alone.
    needs_network
        Whether each layer needs a feed-forward network.
    runs_model
        Whether layers of the model are run again for every token.
    source
        Who proposed the method; empty for one of this project.
    """

    name: str
    family: Family
    layers: LayersOf
    through: Literal["product", "flow"] | None = "product"
    whole: bool = False
    scores_layers: bool = False
    beside: str | None = None
    causal: bool = False
    needs_network: bool = False
    runs_model: bool = False
    source: str = ""

    @property
    def scores_tokens(self) -> bool:
        """Whether its rows, followed through the layers, say what a prediction owes to tokens."""
        return self.through is not None and not self.causal and self.family != "baseline"

    def label(self, *, whole: bool) -> str:
        """Return the name under which the matrix of layers, or of the whole model, is written."""
        return f"{self.name}_rollout" if whole and not self.whole else self.name

    def defined(self, text: Text) -> bool:
        """Tell whether the method is defined for a text."""
        return self.lacking(text) is None

    def lacking(self, text: Text) -> str | None:
        """Say what a text lacks that the method needs; None if nothing."""
        if text.stream == JOINT:
            if self.causal or self.runs_model:
                return "it is of an encoder-decoder as a whole"
            lacking = (self.lacking(text.of(stream)) for stream in STREAMS)
            return next((reason for reason in lacking if reason), None)
        if text.stream == STREAMS[2] and (self.needs_network or self.runs_model):
            return "it is of what a text attends to in itself, and this is attention to a source"
        if self.needs_network and any(layer.network is None for layer in text.weights):
            return "not every layer of its model has a feed-forward network behind the attention"
        if self.causal and not (text.causal and len(text.tokens) > 1):
            return "it needs several tokens, each of which sees only itself and earlier ones"
        return None

    def of_layers(self, text: Text, settings: ThroughLayers) -> Matrix:
        """Return what each layer mixes; of an encoder-decoder, attention to the source."""
        stream = text.of(STREAMS[2]) if text.stream == JOINT else text
        values = self.layers(stream, settings)
        return Matrix(values, np.arange(values.shape[1]))

    def of_model(self, text: Text, settings: ThroughLayers) -> Matrix:
        """Return what comes through the layers, from the input to behind every one of them."""
        of_graph = graph(text, lambda stream: self.layers(stream, settings), settings.start_layer)
        if self.through == "flow":
            queries = spread_sources(queries_of(text), settings.flow_sources)
            flow, tight = flow_through(of_graph, queries)
            return Matrix(flow, queries, tight)
        values = rolled_out(of_graph)
        if self.beside is not None:
            values = beside_uniform(values, entry(self.beside).of_model(text, settings).values)
        return Matrix(values, np.arange(values.shape[1]))

    def work(self, text: Text, settings: ThroughLayers) -> Matrix:
        """Return the matrix that the name stands for."""
        return (self.of_model if self.whole else self.of_layers)(text, settings)


@dataclass(frozen=True)
class Explanation:
    """A method that scores the tokens of a text by what a prediction owes to them.

    Attributes
    ----------
    name
        Of the method, for good.
    family
        By what it goes: ``gradients``, ``vectors``, what ``removal`` of tokens does, or nothing
        (``baseline``).
    of_pass
        Name of the pass through the model that it reads (:data:`.passes.PASSES`); None where a
        measure makes its scores otherwise.
    scored
        Scores by what the pass gives.
    rows
        What is read of it (:attr:`.TokenScores.rows`).
    signed
        Whether it tells evidence for the class from evidence against it in one score; it is then
        read without its sign as well.
    against
        Whether it scores evidence against the class apart.
    in_texts
        Whether it is asked of captured texts; else of circuits alone.
    source
        Who proposed the method; empty for one of this project.
    """

    name: str
    family: Family
    of_pass: str | None = None
    scored: Scored | None = None
    rows: tuple[Rows, ...] = ("input",)
    signed: bool = False
    against: bool = False
    in_texts: bool = True
    source: str = ""

    @property
    def unsigned(self) -> str:
        """The label of the sizes of its scores."""
        return f"{self.name}_unsigned"

    @property
    def opposed(self) -> str:
        """The label of its scores of evidence against the class."""
        return f"{self.name}{AGAINST}"


def queries_of(text: Text) -> int:
    """Count the tokens of which a matrix has rows: of an encoder-decoder, those of its target."""
    return len(text.of(STREAMS[1]).tokens if text.stream == JOINT else text.tokens)


def _lengths(scope: str) -> LayersOf:
    return lambda text, settings: vectors.norms(text, scope)


ENTRIES = (
    Attribution("raw", "weights", weights.raw, None, scores_layers=True),
    Attribution(
        "rollout",
        "weights",
        weights.with_constant_residual,
        whole=True,
        source="Abnar and Zuidema (2020)",
    ),
    Attribution(
        "rollout_measured",
        "weights",
        weights.with_measured_residual,
        whole=True,
        source="Kobayashi et al. (2021)",
    ),
    Attribution(
        "flow",
        "weights",
        weights.with_constant_residual,
        "flow",
        whole=True,
        source="Abnar and Zuidema (2020)",
    ),
    Attribution("flow_measured", "weights", weights.with_measured_residual, "flow", whole=True),
    Attribution("uniform", "baseline", weights.uniform, whole=True),
    Attribution(
        "rollout_beside_uniform",
        "weights",
        weights.with_constant_residual,
        whole=True,
        beside="uniform",
        causal=True,
    ),
    Attribution("rollout_without_first", "weights", weights.beyond_first, whole=True, causal=True),
    Attribution("attn_w", "weights", _lengths("attn_w")),
    Attribution(
        "attn_n",
        "vectors",
        _lengths("attn_n"),
        scores_layers=True,
        source="Kobayashi et al. (2020)",
    ),
    Attribution("attnres_n", "vectors", _lengths("attnres_n"), source="Kobayashi et al. (2021)"),
    Attribution(
        "attnresln_n",
        "vectors",
        _lengths("attnresln_n"),
        scores_layers=True,
        source="Kobayashi et al. (2021)",
    ),
    Attribution(
        "globenc",
        "vectors",
        lambda text, settings: vectors.globenc(text),
        needs_network=True,
        source="Modarressi et al. (2022)",
    ),
    Attribution(
        "alti",
        "vectors",
        lambda text, settings: vectors.alti(text),
        source="Ferrando et al. (2022)",
    ),
    Attribution(
        "value_zeroing",
        "vectors",
        lambda text, settings: value_zeroing(text),
        scores_layers=True,
        runs_model=True,
        source="Mohebbi et al. (2023)",
    ),
)
EXPLANATIONS = (
    Explanation(
        "gradient_norm",
        "gradients",
        "gradients",
        at_input(lambda of_text: of_text.gradient_norm),
        source="Simonyan et al. (2014)",
    ),
    Explanation(
        "gradient_x_input",
        "gradients",
        "gradients",
        at_input(lambda of_text: of_text.gradient_x_input),
        signed=True,
        source="Shrikumar et al. (2017)",
    ),
    Explanation(
        "integrated_gradients",
        "gradients",
        "integrated_gradients",
        at_input(lambda of_text: of_text.scores),
        signed=True,
        source="Sundararajan et al. (2017)",
    ),
    Explanation(
        "expected_gradients", "gradients", signed=True, in_texts=False, source="Erion et al. (2021)"
    ),
    Explanation("alti_logit", "vectors", signed=True, source="Ferrando et al. (2023)"),
    Explanation(
        "relevance_sum",
        "gradients",
        "gradients",
        by_relevance(relevance_sum),
        ROWS_OF_RELEVANCE,
        against=True,
        source="Chefer et al. (2021)",
    ),
    Explanation(
        "relevance_rollout",
        "gradients",
        "gradients",
        by_relevance(relevance_rollout),
        ROWS_OF_RELEVANCE,
        against=True,
        source="Chefer et al. (2021)",
    ),
    *(Explanation(f"left_out_{removal}", "removal") for removal in REMOVALS),
    Explanation("random", "baseline"),
)
CATALOGUE: dict[str, Attribution] = {one.name: one for one in ENTRIES}
OF_PREDICTIONS: dict[str, Explanation] = {one.name: one for one in EXPLANATIONS}


def register(
    name: str, *, family: Family = "vectors", scores_layers: bool = True, source: str = ""
) -> Callable[[LayersOf], LayersOf]:
    """Add an attribution of your own to the catalogue, by what each layer mixes.

    From then on, for the time of the process, it is measured, rolled out, held against predictions
    and scored on circuits as the others are.

    Parameters
    ----------
    name
        Of the method.
    family
        By what it weighs tokens; gives it a place and a colour on pages.
    scores_layers
        Whether the rows of its layers, too, are read as scores of tokens.
    source
        Who proposed it.

    Returns
    -------
    Callable
        A decorator of ``layers(text, settings)``, which gives ``[layer, query, key]``, rows summing
        to 1.

    Raises
    ------
    InputError
        If there is a method of that name, or the name is no name of Python.

    Examples
    --------
    >>> @register("diagonal")
    ... def diagonal(text, settings):
    ...     layers, _, tokens, _ = text["attention"].shape
    ...     return np.broadcast_to(np.eye(tokens), (layers, tokens, tokens))
    >>> entry("diagonal").family
    'vectors'
    >>> del CATALOGUE["diagonal"]
    """
    if name in labels() or not name.isidentifier():
        raise InputError(
            f"an attribution cannot be called {quoted(name)}; allowed: a name of letters, digits "
            "and _ that no other method has; choose another."
        )

    def add(layers: LayersOf) -> LayersOf:
        CATALOGUE[name] = Attribution(
            name, family, layers, scores_layers=scores_layers, source=source
        )
        return layers

    return add


def entry(name: str) -> Attribution:
    """Return an attribution by its name."""
    return CATALOGUE[name]


class Labelled(NamedTuple):
    """What is written under a label: a method, and how it is asked.

    Attributes
    ----------
    label
        Under which numbers of it are written.
    method
        An entry of the catalogue.
    rolled
        Whether a matrix is followed through the layers.
    sign
        Of scores: ``unsigned`` for their sizes, ``against`` for evidence against the class.
    """

    label: str
    method: Attribution | Explanation
    rolled: bool = False
    sign: Literal["", "unsigned", "against"] = ""

    @property
    def family(self) -> str:
        """That of the method; ``propagation`` where weights are followed through the layers."""
        family = self.method.family
        return "propagation" if self.rolled and family == "weights" else family

    @property
    def final(self) -> bool:
        """Whether it is held against what a whole model predicts."""
        if isinstance(self.method, Attribution):
            return self.method.scores_tokens if self.rolled else self.method.scores_layers
        return self.sign != "against" and self.method.in_texts


def labels() -> dict[str, Labelled]:
    """List all labels: attributions of layers and followed through them, scores and their sizes."""
    listed: list[Labelled] = []
    for one in CATALOGUE.values():
        if not one.whole:
            listed.append(Labelled(one.name, one))
        if one.through:
            listed.append(Labelled(one.label(whole=True), one, rolled=True))
    for other in OF_PREDICTIONS.values():
        listed.append(Labelled(other.name, other))
        if other.signed:
            listed.append(Labelled(other.unsigned, other, sign="unsigned"))
        if other.against:
            listed.append(Labelled(other.opposed, other, sign="against"))
    return {one.label: one for one in listed}


def chosen(*wanted: str) -> tuple[str, ...]:
    """Return these labels, a choice of a reader's own, held against the catalogue."""
    known = labels()
    for label in wanted:
        if label not in known:
            raise KeyError(f"{label} is no label of the catalogue")
    return wanted


def labelled(label: str) -> Callable[[Text, ThroughLayers], Matrix]:
    """Return what makes the matrix that is written under a label (:func:`labels`)."""
    named = labels()[label]
    assert isinstance(named.method, Attribution)
    return named.method.of_model if named.rolled else named.method.of_layers


def select(**wanted: object) -> list[Attribution]:
    """Choose the attributions whose attributes have these values, in the order of the catalogue."""
    return _having(CATALOGUE.values(), wanted)


def explanations(**wanted: object) -> list[Explanation]:
    """Choose the explanations whose attributes have these values, in the order of the catalogue."""
    return _having(OF_PREDICTIONS.values(), wanted)


def _having(methods: Iterable[T], wanted: Mapping[str, object]) -> list[T]:
    return [
        one for one in methods if all(getattr(one, name) == value for name, value in wanted.items())
    ]
