r"""What two tokens of a circuit do together: the model is run on every text that there is.

One replacement at a time (:mod:`attention_mixing.circuits.truth`) misses what shows when two tokens
are replaced together: where either of two tokens is enough, neither seems to matter. Here, every
token :math:`x_j` is replaced independently of the others, and is itself with the same probability
as among the neighbours of the text. The variance of an output is then a sum over sets of tokens
(Sobol' 2001, *Global sensitivity indices for nonlinear mathematical models*),

.. math:: \mathrm{Var}\, y = \sum_j V_j + \sum_{j < k} V_{jk} + \dots, \quad
    V_j = \mathrm{Var}\, \mathrm{E}[y \mid x_j], \quad
    V_{jk} = \mathrm{Var}\, \mathrm{E}[y \mid x_j, x_k] - V_j - V_k .

:math:`V_{jk}` is what two tokens do beyond the effects of each. The *total* of a token is the sum
over all sets with it, :math:`\mathrm{E}\, \mathrm{Var}[y \mid x_{k \ne j}]` (Homma and Saltelli
1996). Outputs are logits, and their variances are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attention_mixing.circuits.parts import SYMBOLS
from attention_mixing.circuits.programs import Circuit, WrittenCircuit, require_text
from attention_mixing.circuits.truth import CHANGED
from attention_mixing.methods.dependence import kept_among_neighbours

__all__ = ["PairTruth", "every_output", "pair_truth"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PairTruth:
    """What tokens do alone and by two; the beginning, which is never replaced, does nothing.

    Attributes
    ----------
    together
        ``[query, token, token]``, whether the output of a query changes when two tokens are
        replaced, one of them or both; on the diagonal, one alone.
    alone
        ``[query, token]``, share of the variance that is of one token alone, :math:`V_j`; rows are
        not numbers where the output never changes.
    pair
        ``[query, token, token]``, share that is of two beyond each, :math:`V_{jk}`; symmetric, 0 on
        the diagonal.
    total
        ``[query, token]``, share of the variance in which a token has a part.
    """

    together: NDArray[np.bool_]
    alone: Array
    pair: Array
    total: Array

    @property
    def only_together(self) -> NDArray[np.bool_]:
        """Whether two tokens change an output together and neither does alone, symmetric."""
        alone = np.diagonal(self.together, axis1=1, axis2=2)
        return self.together & ~alone[:, :, None] & ~alone[:, None, :]

    def orders(self) -> Array:
        """Share out what other tokens have a part in by the number of tokens that do it together.

        Returns
        -------
        Array
            ``[query, 3]``: one other token alone, two tokens, three or more.
        """
        itself = np.arange(len(self.alone))
        others = 1 - self.alone[itself, itself]
        one = self.alone.sum(axis=1) - self.alone[itself, itself]
        two = self.pair.sum(axis=(1, 2)) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.stack([one, two, others - one - two], axis=-1) / others[:, None]
        # Rounding is left where no other token has a part.
        return np.where(others[:, None] > CHANGED, shares, np.nan)


def every_output(written: WrittenCircuit, symbols: int = 6) -> Array:
    """Run the model of a circuit on every text of some symbols.

    Parameters
    ----------
    written
        The circuit.
    symbols
        Of a text; there are four to this power texts.

    Returns
    -------
    Array
        Logits, ``[symbol, ..., symbol, query, label]``, with an axis for each place of the text.

    Raises
    ------
    InputError
        If texts of circuits do not have so many symbols.
    """
    require_text(SYMBOLS[:1] * symbols, written.circuit.places)
    texts = [" ".join(text) for text in product(SYMBOLS, repeat=symbols)]
    model: Any = written.model
    with torch.inference_mode():
        logits = model(**written.tokenizer(texts, return_tensors="pt")).logits.numpy()
    return np.asarray(logits.reshape(*[len(SYMBOLS)] * symbols, *logits.shape[1:]))


def pair_truth(outputs: Array, text: Sequence[str]) -> PairTruth:
    """Tell what the tokens of a text do alone and by two.

    Parameters
    ----------
    outputs
        Of a circuit, as :func:`every_output` gives them for texts of this length.
    text
        ``[symbol]``.
    """
    at = [SYMBOLS.index(symbol) for symbol in require_text(text, outputs.ndim - 1)]
    count, queries = len(at), outputs.shape[-2]
    replaced = len(SYMBOLS) - 1
    kept = kept_among_neighbours(count, replaced)
    weights = np.full((count, len(SYMBOLS)), (1 - kept) / replaced)
    weights[np.arange(count), at] = kept

    def mean(values: Array, places: Sequence[int]) -> Array:
        """Average over the symbols of some places."""
        for place in sorted(places, reverse=True):
            values = np.tensordot(weights[place], values, axes=(0, place))
        return values

    def variance(*places: int) -> Array:
        """Of each query, of the mean over all but some places."""
        others = [place for place in range(count) if place not in places]
        squared = mean(centred, others) ** 2
        for place in sorted(places, reverse=True):
            squared = np.tensordot(weights[place], squared, axes=(0, places.index(place)))
        return np.asarray(squared.sum(axis=-1))

    centred = outputs - mean(outputs, range(count))
    whole = variance(*range(count))
    alone, total = np.zeros((2, queries, queries))
    pair, together = np.zeros((queries, queries, queries)), np.zeros((queries,) * 3, bool)
    for place in range(count):
        token = place + 1  # behind the beginning
        alone[:, token] = variance(place)
        total[:, token] = whole - variance(*(other for other in range(count) if other != place))
        together[:, token, token] = _changes(outputs, at, (place,))
    for one, other in combinations(range(count), 2):
        both = slice(None), [one + 1, other + 1], [other + 1, one + 1]
        beyond = variance(one, other) - alone[:, one + 1] - alone[:, other + 1]
        pair[both] = beyond[:, None]
        together[both] = _changes(outputs, at, (one, other))[:, None]
    with np.errstate(invalid="ignore"):
        return PairTruth(
            together,
            alone / whole[:, None],
            pair / whole[:, None, None],
            total / whole[:, None],
        )


def together_by_program(circuit: Circuit, text: Sequence[str]) -> NDArray[np.bool_]:
    """Tell by the program of a circuit what :attr:`PairTruth.together` tells by its model."""

    def answers(symbols: Sequence[str]) -> list[Any]:
        return circuit.run(circuit.start(symbols))

    own = answers(text)
    together = np.zeros((len(own),) * 3, bool)
    for one, other in product(range(len(text)), repeat=2):
        for symbols in product(SYMBOLS, repeat=2):
            replaced = [*text]
            replaced[one], replaced[other] = symbols
            changed = [a != b for a, b in zip(answers(replaced), own, strict=True)]
            together[:, one + 1, other + 1] |= changed
    return together


def _changes(outputs: Array, at: Sequence[int], places: Sequence[int]) -> NDArray[np.bool_]:
    """Tell which queries change when some places have other symbols than those of the text."""
    some = outputs[tuple(slice(None) if n in places else own for n, own in enumerate(at))]
    change = np.linalg.norm(some - outputs[tuple(at)], axis=-1)
    largest = np.linalg.norm(some, axis=-1).max()
    return np.asarray(change.reshape(-1, outputs.shape[-2]).max(axis=0) > CHANGED * max(1, largest))
