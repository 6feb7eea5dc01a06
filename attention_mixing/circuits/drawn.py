"""Circuits that nobody has chosen: heads and networks put together at random, by a grammar.

For measures that were made with the circuits of :mod:`attention_mixing.circuits.programs` in view.
A circuit has one layer or two, and in each of them the same number of heads, one or two::

    head     attends to     the previous token | the symbols of its letter, of its digit, or that
                            come behind its letter (in a second layer that follows a copy of the
                            previous token; else the beginning) | every symbol | the beginning
                            and each digit 1 | the beginning
             and moves      the symbol | its letter | its digit, added or taken away (a quarter),
                            to one of two slots; from the beginning something that is always the
                            same
    network  (a third)      clears a slot | moves one slot to the other
    readout                 the symbol itself (three quarters), and of what is written each with
                            one half, but something

All alternatives are as likely as one another where nothing else is said. What depends on what is
found by running the model (:func:`attention_mixing.circuits.truth.truths`); no program says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from attention_mixing.circuits.by_hand import HandLayer, Head, Moves, Reads
from attention_mixing.circuits.parts import (
    AT_BEGINNING,
    AT_PREVIOUS,
    DIGITS,
    ELSE_AT_BEGINNING,
    EVERYTHING,
    IS_BEGINNING,
    LETTERS,
    ONLY_SYMBOLS,
    SAME_LETTER,
    layer_of,
    to_level,
)
from attention_mixing.circuits.programs import Circuit
from attention_mixing.errors import InputError

T = TypeVar("T")

SLOTS = ("brought", "second")
READS: dict[str, tuple[Reads, ...]] = {
    "previous": (AT_PREVIOUS,),
    "letter": (Reads("token", SAME_LETTER, query="token"), ELSE_AT_BEGINNING),
    "digit": (Reads("token", DIGITS @ DIGITS.T, query="token"), ELSE_AT_BEGINNING),
    "symbols": (Reads("token", 1 - IS_BEGINNING),),
    "ones": (Reads("token", IS_BEGINNING + DIGITS[:, 1]),),
    "beginning": (AT_BEGINNING,),
}
BEHIND_LETTER = (Reads("brought", SAME_LETTER, query="token"), ELSE_AT_BEGINNING)
# Which directions of a symbol are moved, as of a slot of as many.
OF_SYMBOL = {
    "symbol": ONLY_SYMBOLS,
    "letter": LETTERS @ np.eye(2, len(EVERYTHING)),
    "digit": DIGITS @ np.eye(2, len(EVERYTHING)),
}


def draw_circuit(seed: int) -> Circuit:
    """Draw a circuit by the grammar of this module.

    Parameters
    ----------
    seed
        0 or more; the same gives the same circuit.

    Returns
    -------
    Circuit
        Without a program; for :func:`attention_mixing.circuits.programs.circuit`.

    Raises
    ------
    InputError
        If the seed is below 0.
    """
    if seed < 0:
        raise InputError(f"the seed is {seed}; allowed: 0 or more; give such a one.")
    generator = np.random.default_rng(seed)
    heads = int(generator.integers(1, 3))
    layers: list[HandLayer] = []
    copied = False  # the previous token, alone, in the first slot
    for _ in range(int(generator.integers(1, 3))):
        drawn = [_draw_head(generator, behind=copied) for _ in range(heads)]
        network = _draw_network(generator) if generator.random() < 1 / 3 else None
        before = heads * len(layers)
        layers.append(layer_of(*drawn, network=network, added=(before, before + heads)))
        copied = heads == 1 and network is None and _copies(drawn[0])
    moved = [moves for layer in layers for head in layer.heads for moves in head.moves]
    moved += [layer.network for layer in layers if isinstance(layer.network, Moves)]
    written = sorted({moves.target for moves in moved})
    read = [slot for slot in written if generator.random() < 1 / 2]
    own = ["token"] if generator.random() < 3 / 4 else []
    answer = (*own, *(read or [_one_of(generator, written)]))
    return Circuit(f"drawn-{seed}", tuple(layers), (), answer, answer, carried=False)


def _one_of(generator: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(generator.integers(len(options)))]


def _draw_head(generator: np.random.Generator, *, behind: bool) -> Head:
    name = _one_of(generator, [*READS, *(["behind"] if behind else [])])
    reads = BEHIND_LETTER if name == "behind" else READS[name]
    if name in ("ones", "beginning"):
        size = float(_one_of(generator, [1, 3]))
        return Head(reads, (to_level(IS_BEGINNING, size),))
    taken = _one_of(generator, [*OF_SYMBOL.values()])
    sign = -1 if generator.random() < 1 / 4 else 1
    return Head(reads, (Moves("token", _one_of(generator, SLOTS), sign * taken),))


def _draw_network(generator: np.random.Generator) -> Moves:
    source, target = _one_of(generator, [(SLOTS[0],) * 2, (SLOTS[1],) * 2, SLOTS, SLOTS[::-1]])
    return Moves(source, target, (-1 if source == target else 1) * EVERYTHING)


def _copies(head: Head) -> bool:
    """Tell whether a head brings the whole previous token to the first slot."""
    (moves,) = head.moves
    whole = np.array_equal(np.asarray(moves.matrix), ONLY_SYMBOLS)
    return head.reads == READS["previous"] and moves.target == SLOTS[0] and whole
