"""Methods that score the tokens of a text by what a prediction owes to them.

Several of them read the same pass through the model (:mod:`attention_mixing.attributions.passes`):
each names the pass, which is made once a text, and takes its scores from what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention_mixing.attributions.catalogue import READ, Explanation
from attention_mixing.attributions.through import require_layer
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.methods.attention import row_scores
from attention_mixing.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum

if TYPE_CHECKING:
    from attention_mixing.capture.gradients import Gradients


@dataclass(frozen=True)
class Readout:
    """How scores are read off a pass.

    Attributes
    ----------
    row
        That of the token that the prediction is read from (:attr:`.Text.read`).
    start_layer
        The first layer that counts, 0-based.
    layers
        How many layers the model has.
    """

    row: int
    start_layer: int
    layers: int


Scored = Callable[[Explanation, Any, Readout], Iterator[TokenScores]]
"""From a method, what its pass gives of a text, and how it is read, to scores."""


def at_input(of_pass: Callable[[Any], NDArray[np.floating]]) -> Scored:
    """Score input tokens by one number each that a pass gives, ``[token]``."""

    def scored(one: Explanation, passed: Any, how: Readout) -> Iterator[TokenScores]:
        scores = of_pass(passed)[None].astype(np.float32)
        yield TokenScores(one.name, "input", scores, first_layer=how.layers)

    return scored


def by_relevance(rule: Callable[..., NDArray[np.float64]]) -> Scored:
    """Score tokens by attention that is weighted by its gradient, by layers and from each on.

    Evidence for the class, and against it under a name of its own; rows ``from`` begin at every
    layer but the first, whatever layer is the first that counts.
    """

    def scored(one: Explanation, passed: Gradients, how: Readout) -> Iterator[TokenScores]:
        layers = len(passed.attention)
        require_layer(how.start_layer, layers)
        for method, sign in ((one.name, 1), (one.opposed, -1)):
            weighted = gradient_weighted(passed.attention, passed.attention_gradient, sign=sign)
            yield from of_rows(method, rule(weighted, start_layer=how.start_layer), how.row)
            tops = [rule(weighted, start_layer=start)[-1][how.row] for start in range(1, layers)]
            if tops:
                from_start = np.stack(tops).astype(np.float32)
                yield TokenScores(method, "from", from_start, first_layer=2)

    return scored


def of_rows(method: str, matrices: NDArray[np.float64], read: int) -> Iterator[TokenScores]:
    """Score input tokens by the matrices of every layer, ``[layer, query, key]``.

    ``read`` is the row of the token that the prediction is read from (:attr:`.Text.read`).
    """
    for rows in READ:
        yield TokenScores(method, rows, row_scores(matrices, rows, read).astype(np.float32))


SCORED: dict[str, Scored] = {
    "gradient_norm": at_input(lambda of_text: of_text.gradient_norm),
    "gradient_x_input": at_input(lambda of_text: of_text.gradient_x_input),
    "integrated_gradients": at_input(lambda of_text: of_text.scores),
    "attn_lrp": at_input(lambda of_text: of_text),
    "decompx": at_input(lambda of_text: of_text),
    "relevance_sum": by_relevance(relevance_sum),
    "relevance_rollout": by_relevance(relevance_rollout),
}
"""Scores of what a pass gives, by the names of the catalogue."""
