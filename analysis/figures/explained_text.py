"""Chapter *faithfulness*: what every method says of one text, token by token."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.faithfulness import FAMILIES
from analysis.figures.maps import LABELLED, draw_map
from analysis.figures.results import table
from analysis.figures.style import SMALLEST, WIDTH, drawable, figure_style
from analysis.figures.words import Words


def strips(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one text of an experiment: methods as rows by family, tokens as columns."""
    rows = table("explain", "faithfulness", "explained", experiment, "finetuned")
    # Special tokens are never judged; [CLS] would outshine every other.
    rows = rows[~rows["is_special"].astype(bool)]
    scores = rows.pivot(index="method", columns="position", values="score").astype(float)
    low, high = scores.min(axis=1), scores.max(axis=1)
    # A constant row has no highest token: all at the bottom of the scale.
    scaled = scores.sub(low, axis=0).div((high - low).where(high > low, 1), axis=0)
    one = rows.drop_duplicates("position").sort_values("position")
    tokens = [drawable(token) for token in one["token"]]
    marked = one["is_evidence"].eq(True).fillna(False).to_numpy(bool)
    blocks = {"evidence": marked[None].astype(float)} if marked.any() else {}
    scaled = scaled.set_axis(tokens, axis=1)
    blocks |= {family: scaled.loc[list(methods)] for family, methods in FAMILIES.items()}
    with figure_style():
        heights = [len(block) for block in blocks.values()]
        label = 0.055 * max(map(len, tokens)) if len(tokens) <= LABELLED else 0.1
        figure, axes = plt.subplots(
            len(blocks),
            1,
            figsize=(WIDTH, 0.17 * sum(heights) + 0.24 * len(blocks) + label + 0.55),
            sharex=True,
            height_ratios=heights,
        )
        for axis, (family, block) in zip(axes, blocks.items(), strict=True):
            if family == "evidence":
                axis.imshow(np.where(block, 1.0, np.nan), aspect="auto", vmin=0, vmax=1.2)
                axis.set_yticks([0], [w[family]])
            else:
                image = draw_map(axis, block.rename(index=w), aspect="auto", vmin=0, vmax=1)
                axis.set_title(w[family], fontsize=SMALLEST)
            axis.tick_params(length=0)
        if len(tokens) <= LABELLED:
            for text, is_evidence in zip(axes[-1].get_xticklabels(), marked, strict=True):
                text.set_fontweight("bold" if is_evidence else "normal")
        else:
            axes[-1].set_xticks([])
        figure.colorbar(
            image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=w["scaled"], ticks=[]
        )
    columns = ["position", "token", "is_evidence", "method", "score"]
    return figure, rows[columns].assign(experiment=experiment)
