"""What a measure leaves with a text for measures that read it: arrays by name, and token scores.

A file of a text is safetensors: every array under its name, token scores numbered. What these are
of stands in the header, so that no name has to be taken apart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from attention_mixing.artifacts import read_artifact

Rows = Literal["cls", "max", "input", "from"]

HEADER = "token_scores"


@dataclass(frozen=True)
class TokenScores:
    """What each token of a text is worth by one method.

    Attributes
    ----------
    method
        By which it was computed.
    rows
        What is read of the method's matrices: ``cls``, the row of the first token; ``max``, the
        maximum over the rows of all tokens. ``input``: the method scores input tokens directly;
        ``from``: up to the last layer, from each layer on.
    scores
        ``[layer, token]``, float32.
    first_layer
        Number of the first of these layers, counted from 1.
    """

    method: str
    rows: Rows
    scores: NDArray[np.float32]
    first_layer: int = 1


class Fields(NamedTuple):
    """What one measure has left with a text.

    Attributes
    ----------
    arrays
        Name -> array, the last axis being that of tokens.
    token_scores
        In the order of methods and rows.
    """

    arrays: dict[str, NDArray]
    token_scores: list[TokenScores]


def gather(arrays: dict[str, NDArray], token_scores: Sequence[TokenScores]) -> Fields:
    """Bring what a measure gave into the order in which it is written and read.

    Token scores, in any order, come in that of methods and rows; the last axis of arrays is that of
    tokens.
    """
    return Fields(arrays, sorted(token_scores, key=lambda scores: (scores.method, scores.rows)))


def write_fields(path: Path, fields: Fields) -> None:
    """Write the file of a text, which ends with ``.safetensors``.

    Fields are in the order that :func:`gather` gives.
    """
    tensors = {name: np.ascontiguousarray(array) for name, array in fields.arrays.items()}
    described = []
    for number, scores in enumerate(fields.token_scores):
        tensors[_tensor(number)] = np.ascontiguousarray(scores.scores)
        described.append(
            {"method": scores.method, "rows": scores.rows, "first_layer": scores.first_layer}
        )
    # One entry: the order of several would differ from run to run.
    save_file(tensors, path, {HEADER: json.dumps(described)} if described else None)


def read_fields(path: Path) -> Fields:
    """Read what :func:`write_fields` wrote; a file that is missing or damaged is refused."""
    arrays: dict[str, NDArray] = read_artifact(path)
    with safe_open(path, "np") as file:
        described = json.loads((file.metadata() or {}).get(HEADER, "[]"))
    token_scores = [
        TokenScores(**about, scores=arrays.pop(_tensor(number)))
        for number, about in enumerate(described)
    ]
    return Fields(arrays, token_scores)


def _tensor(number: int) -> str:
    return f"{HEADER}.{number}"
