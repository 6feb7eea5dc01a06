"""Chapter *explorer*: the view that the explorer opens with, in words and as a picture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.maps import LABELLED, draw_map
from analysis.figures.style import SEQUENTIAL, SMALLEST, WIDTH, figure_style
from analysis.fonts import drawable
from analysis.prose.phrases import counted
from analysis.results.opening import Shown
from attention_mixing.words import Words


def about(shown: Shown, w: Words) -> dict[str, str]:
    """Say what the opening view is of."""
    assert shown.opening is not None
    selection = shown.opening["selection"]
    head = w["layer_and_head"].format(layer=selection["l"], head=selection["h"])
    return {"experiment": selection["e"], "place": head, "query": shown.opening["query"]}


def notice(shown: Shown, w: Words) -> str:
    """Say what to notice in the opening view."""
    opening = shown.opening
    assert opening is not None
    key = opening["selection"]["k"]
    weights = [f"{rows['head'][key]:.1%}" for rows in opening["rows"].values()]
    arguments = about(shown, w) | {"key": opening["tokens"][key], "after": weights[-1]}
    if opening["rule"] == "costly":
        texts = counted(opening["texts"], "text", w)
        arguments |= {"before": weights[0], "cost": f"{opening['cost']:.2f}", "texts": texts}
    return w.say(f"notice_{opening['rule']}", **arguments)


def counted_texts(shown: Shown, w: Words) -> str:
    """Count the texts that can be chosen."""
    return counted(sum(len(experiment["texts"]) for experiment in shown.experiments), "text", w)


def opening_figure(shown: Shown, names: Mapping[str, str], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what the chosen token draws on by every method, in every state: methods as rows.

    Parameters
    ----------
    shown
        With an opening view.
    names
        Words of the explorer.
    w
        Words of the page.
    """
    assert shown.opening is not None
    tokens = [drawable(token) for token in shown.opening["tokens"]]
    with figure_style():
        states = shown.opening["rows"]
        methods = len(next(iter(states.values())))
        label = 0.055 * max(map(len, tokens)) if len(tokens) <= LABELLED else 0.1
        height = len(states) * (0.17 * methods + 0.3) + label + 0.6
        figure, axes = plt.subplots(
            len(states), 1, figsize=(WIDTH, height), sharex=True, squeeze=False
        )
        for axis, (state, rows) in zip(axes[:, 0], states.items(), strict=True):
            methods_named = [names[f"column_{method}"] for method in rows]
            values = np.array([_over(row, len(tokens)) for row in rows.values()], float)
            frame = pd.DataFrame(values, index=methods_named, columns=tokens)
            image = draw_map(axis, frame, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
            axis.set_title(w[state], fontsize=SMALLEST)
        if len(tokens) > LABELLED:
            axes[-1, 0].set_xticks([])
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=w["share"])
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
