"""Attention through the layers: raw, with residual, rolled out, as a flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.catalogue import Attribution, by_attention, entry
from attention_mixing.attributions.matrices import LAYERS, Matrix, of_layers, of_model
from attention_mixing.attributions.of_prediction import of_rows
from attention_mixing.attributions.selections import ABSORBED, FLOWS
from attention_mixing.attributions.through import SETTINGS, ThroughLayers, through_layers
from attention_mixing.capture.text import Text
from attention_mixing.measures.engine.definition import (
    LAYER,
    POSITIVE,
    SHARE,
    SIGNED,
    Given,
    Gives,
    Measure,
    Measured,
    Values,
    each_of,
    gives,
)
from attention_mixing.measures.matrices import matrix_quantities, of_matrices
from attention_mixing.methods.rollout import absorption_bound


def scoring() -> dict[str, Attribution]:
    """Return the methods that score tokens by label: of any text; others are references to them."""
    return {
        one.usual_label: one for one in by_attention() if one.family == "weights" and not one.causal
    }


def rolled() -> dict[str, Attribution]:
    """Return those of them whose layers are multiplied, by label."""
    return {label: one for label, one in scoring().items() if one.through == "product"}


def propagation(text: Text, given: Given) -> Measured:
    """Measures of every method's matrices, rows of flow being divided by their sums.

    ``tight`` is the share of pairs whose flow attains its upper bound, by kind of source. What
    holds exactly is measured too: how far sums of rows of rollout are from 1 (``row_sum``), how far
    residual, rollout and flow differ in the first layer (``first_layer``), and how much more
    rollout keeps of a token on itself than the product of what its layers keep, the smallest of all
    tokens (``kept``; never below 0, but for rounding).

    Of a causal text, ``first_share`` is the share that stems from the first token, mean over the
    others, and what bounds it from below
    (:func:`attention_mixing.methods.rollout.absorption_bound`).

    Token scores of every method of :func:`scoring`.
    """
    settings = through_layers(given.settings)
    start = settings.start_layer
    matrices = by_weights(text, settings)
    for method, matrix in matrices.items():
        visible = text.visible if method in ("raw", "residual") else text.reached
        yield from of_matrices(
            matrix.shares, text, subject=method, seen=visible, sources=matrix.queries
        )
    for method in FLOWS:
        yield from _tight(method, matrices[method], text.special, start)
    layers = {label: of_layers(one, text, settings).values for label, one in rolled().items()}
    yield from _exact(matrices, layers, start)
    if text.causal and len(text.tokens) > 1:
        yield from _absorbed(matrices, layers["rollout"][start:], start)
    for label, one in scoring().items():
        yield from of_rows(label, matrices[label].values, text.read)
        if one.scores_layers and one.through:
            yield from of_rows(one.name, layers[label], text.read)


def by_weights(text: Text, settings: ThroughLayers) -> dict[str, Matrix]:
    """Return the matrices of every method that knows attention weights alone, or nothing.

    And ``residual``, the layers that rollout multiplies.
    """
    matrices = {
        one.usual_label: (of_model if one.through else of_layers)(one, text, settings)
        for one in by_attention()
        if one.defined(text)
    }
    return matrices | {"residual": of_layers(entry("rollout"), text, settings)}


def _exact(
    matrices: Mapping[str, Matrix], layers: Mapping[str, NDArray[np.float64]], start: int
) -> Iterator[Values]:
    of_labels = rolled()
    for label, mixed in layers.items():
        rollout = matrices[label].values
        sums = np.abs(rollout.sum(axis=-1) - 1).max()
        # Beside flow through the same layers.
        made = LAYERS[of_labels[label].name]
        flows = [matrices[name] for name in FLOWS if LAYERS[name] is made]
        apart = [
            np.abs(rollout[start] - mixed[start]).max(),
            *(np.abs(flow.values[start] - mixed[start][flow.queries]).max() for flow in flows),
        ]
        bound = np.diagonal(mixed[start:], axis1=1, axis2=2).prod(axis=0)
        margin = (np.diagonal(rollout[-1]) - bound).min()
        yield from each_of(
            {"row_sum": sums, "first_layer": max(apart), "kept": margin}, subject=label
        )


def _absorbed(
    matrices: Mapping[str, Matrix], layers: NDArray[np.float64], start: int
) -> Iterator[Values]:
    """Share that stems from the first token, mean over the others, and its bound (``bound``)."""
    for method in ABSORBED:
        first = matrices[method].values[:, 1:, 0]
        yield Values("first_share", first.mean(axis=-1), subject=method)
    yield Values("first_share", absorption_bound(layers), subject="bound", layer=start + 1)


def _tight(method: str, matrix: Matrix, special: NDArray[np.bool_], start: int) -> Iterator[Values]:
    """Share of pairs that attain their upper bound, for each layer and kind of source."""
    assert matrix.tight is not None  # of the methods through which attention flows
    first, other = matrix.queries == 0, special[matrix.queries]
    kinds = {"cls": first, "special": other & ~first, "text": ~other & ~first}
    for kind, rows in kinds.items():
        if rows.any():
            tight = [layer[rows].mean() for layer in matrix.tight]
            yield Values("tight", tight, subject=method, facet=kind, layer=start + 1)


MEASURES = (
    Measure(
        "propagation",
        propagation,
        gives=lambda: (
            *matrix_quantities((*(one.usual_label for one in by_attention()), "residual")),
            Gives("first_share", LAYER, SHARE, subject=(*ABSORBED, "bound")),
            Gives("tight", LAYER, SHARE, FLOWS, ("cls", "special", "text"), saturates=True),
            *gives(("row_sum", "first_layer"), range=POSITIVE, subject=tuple(rolled())),
            Gives("kept", range=SIGNED, subject=tuple(rolled())),
        ),
        settings=SETTINGS,
    ),
)
