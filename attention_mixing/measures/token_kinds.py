"""Kinds of tokens, by which measures take means."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MASKS = ("[MASK]", "<mask>")
KINDS = ("all", "cls", "special", "mask", "text")


def token_kinds(tokens: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
    """Tell which tokens are of each kind: all, the first, other special ones, the mask, other text.

    The kinds are ``KINDS``. ``tokens`` are those of one text, with ``token`` and ``is_special``.
    """
    special = tokens["is_special"].to_numpy(bool)
    mask = tokens["token"].isin(MASKS).to_numpy()
    first = np.arange(len(tokens)) == 0
    return {
        "all": np.ones(len(tokens), bool),
        "cls": first,
        "special": special & ~first,
        "mask": mask & ~special,
        "text": ~special & ~mask & ~first,
    }
