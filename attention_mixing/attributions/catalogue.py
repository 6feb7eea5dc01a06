"""The catalogue: every method that turns a text into a matrix of what each token draws on.

Readers ask it by property (:func:`select`); none of them lists the methods again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions import vectors, weights
from attention_mixing.attributions.through import (
    ThroughLayers,
    flow_through,
    graph,
    rolled_out,
    spread_sources,
)
from attention_mixing.attributions.value_zeroing import value_zeroing
from attention_mixing.capture.text import Text
from attention_mixing.methods.rollout import beside_uniform
from attention_mixing.params.derived import JOINT, STREAMS

Matrices = NDArray[np.float64]
Family = Literal["weights", "vectors", "baseline"]


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
    layers: Callable[[Text, ThroughLayers], Matrices]
    through: Literal["product", "flow"] | None = "product"
    whole: bool = False
    beside: str | None = None
    causal: bool = False
    needs_network: bool = False
    runs_model: bool = False
    source: str = ""

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


def queries_of(text: Text) -> int:
    """Count the tokens of which a matrix has rows: of an encoder-decoder, those of its target."""
    return len(text.of(STREAMS[1]).tokens if text.stream == JOINT else text.tokens)


def _lengths(scope: str) -> Callable[[Text, ThroughLayers], Matrices]:
    return lambda text, settings: vectors.norms(text, scope)


ENTRIES = (
    Attribution("raw", "weights", weights.raw, None),
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
    Attribution("attn_n", "vectors", _lengths("attn_n"), source="Kobayashi et al. (2020)"),
    Attribution("attnres_n", "vectors", _lengths("attnres_n"), source="Kobayashi et al. (2021)"),
    Attribution(
        "attnresln_n", "vectors", _lengths("attnresln_n"), source="Kobayashi et al. (2021)"
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
        runs_model=True,
        source="Mohebbi et al. (2023)",
    ),
)
CATALOGUE = {one.name: one for one in ENTRIES}


def entry(name: str) -> Attribution:
    """Return an entry of the catalogue by its name."""
    return CATALOGUE[name]


def labelled(label: str) -> Callable[[Text, ThroughLayers], Matrix]:
    """Return what makes the matrix that is written under a name (:meth:`Attribution.label`)."""
    for one in CATALOGUE.values():
        if label == one.name:
            return one.work
        if one.through and label == one.label(whole=True):
            return one.of_model
    raise KeyError(label)


def select(**wanted: object) -> list[Attribution]:
    """Choose the entries whose attributes have these values, in the order of the catalogue."""
    return [
        one
        for one in CATALOGUE.values()
        if all(getattr(one, name) == value for name, value in wanted.items())
    ]
