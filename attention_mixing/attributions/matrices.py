"""The matrices of the catalogue: what each layer mixes by a method, and what comes through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions import vectors, weights
from attention_mixing.attributions.catalogue import (
    CATALOGUE,
    ENTRIES,
    EXPLANATIONS,
    Attribution,
    entry,
    labels,
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
from attention_mixing.errors import InputError, quoted
from attention_mixing.methods.rollout import beside_uniform
from attention_mixing.settings.derived import JOINT, STREAMS

Matrices = NDArray[np.float64]
LayersOf = Callable[[Text, ThroughLayers], Matrices]
# Of rows that a method of a user gives: captured weights are in single precision, or in half.
SUMS_WITHIN = 1e-2


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


def _lengths(scope: str) -> LayersOf:
    return lambda text, settings: vectors.norms(text, scope)


LAYERS: dict[str, LayersOf] = {
    "raw": weights.raw,
    "rollout": weights.with_constant_residual,
    "rollout_measured": weights.with_measured_residual,
    "flow": weights.with_constant_residual,
    "flow_measured": weights.with_measured_residual,
    "uniform": weights.uniform,
    "rollout_beside_uniform": weights.with_constant_residual,
    "rollout_without_first": weights.beyond_first,
    **{scope: _lengths(scope) for scope in ("attn_w", "attn_n", "attnres_n", "attnresln_n")},
    "globenc": lambda text, settings: vectors.globenc(text),
    "alti": lambda text, settings: vectors.alti(text),
    "value_zeroing": lambda text, settings: value_zeroing(text),
}
"""What each layer of one stream mixes, ``[layer, query, key]``, by the names of the catalogue."""


def of_layers(one: Attribution, text: Text, settings: ThroughLayers) -> Matrix:
    """Return what each layer mixes; of an encoder-decoder, attention to the source."""
    stream = text.of(STREAMS[2]) if text.stream == JOINT else text
    values = LAYERS[one.name](stream, settings)
    return Matrix(values, np.arange(values.shape[1]))


def of_model(one: Attribution, text: Text, settings: ThroughLayers) -> Matrix:
    """Return what comes through the layers, from the input to behind every one of them."""
    layers = LAYERS[one.name]
    of_graph = graph(text, lambda stream: layers(stream, settings), settings.start_layer)
    if one.through == "flow":
        queries = spread_sources(queries_of(text), settings.flow_sources)
        flow, tight = flow_through(of_graph, queries)
        return Matrix(flow, queries, tight)
    values = rolled_out(of_graph)
    if one.beside is not None:
        values = beside_uniform(values, of_model(entry(one.beside), text, settings).values)
    return Matrix(values, np.arange(values.shape[1]))


def labelled(label: str, text: Text, settings: ThroughLayers) -> Matrix:
    """Return the matrix that is written under a label (:func:`.catalogue.labels`)."""
    named = labels()[label]
    assert isinstance(named.method, Attribution)
    return (of_model if named.rolled else of_layers)(named.method, text, settings)


def queries_of(text: Text) -> int:
    """Count the tokens of which a matrix has rows: of an encoder-decoder, those of its target."""
    return len(text.of(STREAMS[1]).tokens if text.stream == JOINT else text.tokens)


def register(
    name: str,
    *,
    family: Literal["weights", "vectors", "baseline"] = "vectors",
    scores_layers: bool = True,
    source: str = "",
) -> Callable[[LayersOf], LayersOf]:
    """Add an attribution of your own to the catalogue, by what each layer mixes.

    From then on, for the time of the process, it is measured, rolled out, held against predictions
    and scored on circuits as the others are.

    Parameters
    ----------
    name
        Of the method.
    family
        By what it weighs tokens. Those of ``weights`` are given the residual share of the settings
        wherever they are measured; others are measured with the default.
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
        If this project has a method of that name, the name is no name of Python, or there is no
        such family; and later, if what the function gives is no such matrix.

    Examples
    --------
    >>> @register("diagonal")
    ... def diagonal(text, settings):
    ...     layers, _, tokens, _ = text["attention"].shape
    ...     return np.broadcast_to(np.eye(tokens), (layers, tokens, tokens))
    >>> entry("diagonal").family
    'vectors'
    >>> del CATALOGUE["diagonal"], LAYERS["diagonal"]
    """
    taken = labels().get(name)
    if not name.isidentifier() or (taken and taken.method in (*ENTRIES, *EXPLANATIONS)):
        raise InputError(
            f"an attribution cannot be called {quoted(name)}; allowed: a name of letters, digits "
            "and _ that none of this project has; choose another."
        )

    families = ("weights", "vectors", "baseline")
    if family not in families:
        raise InputError(
            f"family is {quoted(family)}; allowed: {', '.join(families)}; choose one of them."
        )

    def add(layers: LayersOf) -> LayersOf:
        CATALOGUE[name] = Attribution(name, family, scores_layers=scores_layers, source=source)
        LAYERS[name] = lambda text, settings: _checked(name, layers(text, settings), text)
        return layers

    return add


def _checked(name: str, given: Matrices, text: Text) -> Matrices:
    """Refuse what a method of a user gives if it is no matrix of this text."""
    matrices = np.asarray(given, np.float64)
    layers, _, queries, keys = text["attention"].shape
    # Of attention to a source, the residual connection lies on the target's own tokens.
    shape = (layers, queries, keys + queries if text.stream == STREAMS[2] else keys)
    if matrices.shape != shape:
        raise InputError(
            f"{name} gave an array of shape {matrices.shape}; allowed: [layer, query, key], here "
            f"{shape}; correct the function."
        )
    apart = np.abs(matrices.sum(axis=-1) - 1)
    if not (apart <= SUMS_WITHIN).all():  # nor what is not a number
        raise InputError(
            f"{name} gave a row whose sum is {apart.max():.3g} from 1; allowed: rows that sum to "
            f"1 to within {SUMS_WITHIN:g}; divide each by its sum."
        )
    return matrices
