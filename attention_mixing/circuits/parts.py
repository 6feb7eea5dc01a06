"""Parts of circuits: slots of the stream, their directions, and what heads read and move."""

from __future__ import annotations

import numpy as np

from attention_mixing.circuits.by_hand import (
    LONGEST,
    Array,
    HandLayer,
    Head,
    Moves,
    Neuron,
    Reads,
)

SYMBOLS = ("a0", "a1", "b0", "b1")
PLACES = 7
"""Tokens of a text, the beginning among them, where nothing else is said."""
SLOTS = {"token": 1 + len(SYMBOLS), "position": PLACES, "brought": 5, "second": 5, "level": 1}
"""Directions of each slot: what a token is, where it stands, and what circuits write. Of positions,
there are as many as places."""

# --- directions of slots --------------------------------------------------------------------------

# Of ``token``: the beginning, then the symbols.
IS_BEGINNING = np.array([1.0, 0, 0, 0, 0])
ONLY_SYMBOLS = np.diag(1 - IS_BEGINNING)  # all but the beginning
LETTERS = np.array([[0.0, 0], [1, 0], [1, 0], [0, 1], [0, 1]])  # a, b
DIGITS = np.array([[0.0, 0], [1, 0], [0, 1], [1, 0], [0, 1]])  # 0, 1
EVERYTHING = np.eye(SLOTS["token"])
# Of ``position``: the beginning and the first symbol have none before them but themselves.
BEFORE = [0, 1, *range(1, LONGEST - 1)]
# One place earlier.
EARLIER = [BEFORE[place] for place in BEFORE]


# --- what heads read and move ---------------------------------------------------------------------

AT_PREVIOUS = Reads("position", np.eye(LONGEST)[BEFORE], query="position")
AT_EARLIER = Reads("position", np.eye(LONGEST)[EARLIER], query="position")
AT_BEGINNING = Reads("token", IS_BEGINNING)
# Where nothing matches, a head attends to the beginning.
ELSE_AT_BEGINNING = Reads("token", IS_BEGINNING / 2)
SAME_LETTER = LETTERS @ LETTERS.T
BRING = Moves("token", "brought", EVERYTHING)
TAKE_AWAY = Moves("token", "brought", -EVERYTHING)


def to_level(source: Array, size: float) -> Moves:
    """Move so much of some directions of ``token`` to ``level``."""
    return Moves("token", "level", size * source[:, None])


def layer_of(
    *heads: Head, network: Moves | Neuron | None = None, added: tuple[int, int] = (0, 0)
) -> HandLayer:
    """Write a layer into which a stream enters that holds so many tokens more than the embedding.

    ``heads`` and ``network`` are as :class:`HandLayer` has them. Tokens were ``added`` before the
    layer, and before its network; a token is half of the squared length of an embedding.
    """
    entering, between = (float(np.sqrt(1 + tokens / 2)) for tokens in added)
    return HandLayer(heads, network, (entering, between))
