"""Chapter *explorer*: the view that the explorer opens with, in words and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.maps import token_rows
from analysis.figures.style import SEQUENTIAL
from analysis.fonts import drawable
from analysis.prose.phrases import counted
from attention_mixing.messages import Words


def about(opening: dict[str, Any], w: Words) -> dict[str, str]:
    """Say what the opening view is of."""
    selection = opening["selection"]
    head = w["layer_and_head"].format(layer=selection["l"], head=selection["h"])
    return {"experiment": selection["e"], "place": head, "query": opening["query"]}


def notice(opening: dict[str, Any], w: Words) -> str:
    """Say what to notice in the opening view."""
    key = opening["selection"]["k"]
    weights = [f"{rows['head'][key]:.1%}" for rows in opening["rows"].values()]
    arguments = about(opening, w) | {"key": opening["tokens"][key], "after": weights[-1]}
    arguments["key_is"] = _key_is(opening)
    if opening["rule"] == "costly":
        texts = counted(opening["texts"], "text", w)
        arguments |= {"before": weights[0], "cost": f"{opening['cost']:.2f}", "texts": texts}
    return w.say(f"notice_{opening['rule']}", **arguments)


def _key_is(opening: dict[str, Any]) -> str:
    """Tell whether the key is the query ``itself``, one that is written ``alike``, or ``other``."""
    selection = opening["selection"]
    # Between streams, queries and keys are of two texts.
    if selection["x"] != "cross" and selection["q"] == selection["k"]:
        return "itself"
    return "alike" if opening["tokens"][selection["k"]] == opening["query"] else "other"


def opening_figure(
    opening: dict[str, Any], names: Mapping[str, str], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw what the chosen token draws on by every method, in every state: methods as rows.

    ``names`` are the words of the explorer.
    """
    tokens = [drawable(token) for token in opening["tokens"]]
    states = opening["rows"]
    blocks = {
        w[state]: pd.DataFrame(
            [_over(row, len(tokens)) for row in rows.values()],
            [names[f"column_{method}"] for method in rows],
            tokens,
            dtype=float,
        )
        for state, rows in states.items()
    }
    colours = {"cmap": SEQUENTIAL, "vmin": 0, "vmax": 1}
    figure = token_rows(blocks, gap=0.3, margin=0.6, bar=w["share"], **colours)
    data = pd.DataFrame(
        [
            {
                "variant": state,
                "method": method,
                "position": position,
                "token": token,
                "share": share,
            }
            for state, rows in states.items()
            for method, row in rows.items()
            for position, (token, share) in enumerate(zip(tokens, row, strict=False))
        ]
    )
    return figure, data


def _over(row: list[float | None], tokens: int) -> list[float]:
    """Give a share of every token; not a number where there is none."""
    shares = [np.nan if share is None else share for share in row]
    return shares + [np.nan] * (tokens - len(shares))
