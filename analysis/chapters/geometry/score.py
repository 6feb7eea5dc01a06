"""Chapter *geometry*: what changed the score of a query and a key, by what wrote to either."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.chapters.geometry.results import SIDES, ChangeOfScore
from analysis.figures.style import INK, WIDTH, figure_style
from analysis.prose.phrases import written
from attention_mixing.messages import Words

SIDE_COLOURS = {"query": "#009E73", "key": "#CC79A7"}


def source_name(source: Mapping[str, object] | pd.Series, w: Words) -> str:
    """Name a source, the heads of a layer as one."""
    if source["kind"] == "embedding":
        return w[f"source_embedding_{source['embedding'] or 'any'}"]
    return w[f"source_{source['kind']}"].format(layer=source["layer"])


def change_by_source(change: ChangeOfScore, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what each source of the query, and of the key, has done to the change of a score."""
    rows = change.sources.assign(
        source=[source_name(row, w) for _, row in change.sources.iterrows()]
    )
    names = list(dict.fromkeys(rows["source"]))
    places = np.arange(len(names))
    with figure_style():
        figure, axes = plt.subplots(
            1, 2, figsize=(WIDTH, 0.9 + 0.2 * len(names)), sharex=True, sharey=True
        )
        for axis, side in zip(axes, SIDES, strict=True):
            of_side = rows[rows["side"] == side]
            changes = of_side.groupby("source")["change"].sum().reindex(names)
            axis.barh(places, changes, color=SIDE_COLOURS[side])
            axis.axvline(0, color=INK, lw=0.6)
            axis.set_title(w[f"side_{side}"])
            axis.set_xlabel(w["score_change"])
        axes[0].set_yticks(places, names)
        axes[0].invert_yaxis()
    return figure, rows


def about(change: ChangeOfScore, w: Words) -> dict[str, str]:
    """Say what has changed, from what to what, and by which side."""
    told, shares = change.about, change.shares
    return {
        "experiment": told["experiment"],
        "place": w["layer_and_head"].format(layer=told["layer"], head=told["head"]),
        "query": told["query"],
        "key": told["key"],
        "before": written(told["before"], ".1f"),
        "after": written(told["after"], ".1f"),
        "moved": "raised" if change.whole > 0 else "lowered",
        "side": change.side,
        "by_query": written(shares["query"], ".0%"),
        "by_key": written(shares["key"], ".0%"),
    }


def largest(change: ChangeOfScore, w: Words) -> dict[str, str]:
    """Name the source that has changed most, and what its change has done."""
    row = change.largest
    return {
        "source": source_name(row, w),
        "side": str(row["side"]),
        "change": written(row["change"], "+.1f"),
    }
