"""Captures of made-up queries and keys: of texts of any length, and where all are the same."""

from pathlib import Path

import numpy as np
import tiny_experiment as tiny
from scipy.special import softmax

from attention_mixing.capture.text import State
from attention_mixing.methods.scaled_dot_product import scaled_scores

LAYERS, HEADS, HEAD_DIM = 2, 2, 4
FIRST = 10  # id of the first text
WORDS = ("the", "film", "was", "not", "the", "music")


def unchanged(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
    """Leave all vectors as they were made."""


def constant(value: float, kinds: tuple[str, ...], layers: slice = slice(None)):
    """Make vectors of some layers the same, as weights of zero with a bias do."""

    def change(queries: list[np.ndarray], keys: list[np.ndarray]) -> None:
        for kind, arrays in (("queries", queries), ("keys", keys)):
            for array in arrays if kind in kinds else ():
                array[layers] = value

    return change


def captured(directory: Path, lengths, change=unchanged, variant="pretrained") -> State:
    """Write a capture; ``change`` may alter the queries and keys of all texts."""
    rng = np.random.default_rng(tiny.VARIANTS.index(variant))
    queries, keys = (
        [rng.normal(centre, size=(LAYERS, HEADS, length, HEAD_DIM)) for length in lengths]
        for centre in (0.5, 0)
    )
    change(queries, keys)
    ids = range(FIRST, FIRST + len(lengths))
    arrays = {
        text: {
            "query": q,
            "key": k,
            "attention": softmax(scaled_scores(q, k), axis=-1),
            "visible": np.ones((len(q), q.shape[2], q.shape[2]), bool),
        }
        for text, q, k in zip(ids, queries, keys, strict=True)
    }
    tokens = [
        {
            "example_id": text,
            "position": position,
            "token": token,
            "written": token,
            "is_special": token in ("[CLS]", "[SEP]"),
            "is_evidence": None,
        }
        for text, length in zip(ids, lengths, strict=True)
        for position, token in enumerate(["[CLS]", *(2 * WORDS)[: length - 2], "[SEP]"][:length])
    ]
    labels = [text % 2 for text in ids]
    tiny.write_capture(directory / variant, arrays, tokens, tokens=list(lengths), label=labels)
    return State(variant, directory / variant, directory / "model")
