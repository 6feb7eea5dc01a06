"""Chapter *faithfulness*: what every method says of one text, token by token."""

from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.faithfulness import FAMILIES
from analysis.figures.fonts import drawable
from analysis.figures.maps import LABELLED, draw_map
from analysis.figures.results import of_states
from analysis.figures.style import DIVERGING, SMALLEST, WIDTH, figure_style
from attention_mixing.words import Words


def strips(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one text of an experiment: methods as rows by family, tokens as columns."""
    rows = of_states("explain", "faithfulness", "explained", experiment)
    # Special tokens are never judged; [CLS] would outshine every other.
    rows = rows[~rows["is_special"].astype(bool)]
    scores = rows.pivot(index="method", columns="position", values="score").astype(float)
    largest = scores.abs().max(axis=1)
    # Zero is the same in all rows, so that scores which hardly differ look as if they did not.
    scaled = scores.div(largest.where(largest > 0, 1), axis=0)
    one = rows.drop_duplicates("position").sort_values("position")
    tokens = [drawable(token) for token in one["token"]]
    marked = one["is_evidence"].eq(True).fillna(False).to_numpy(bool)
    scaled.columns = pd.Index(tokens)
    blocks = {family: scaled.loc[list(methods)] for family, methods in FAMILIES.items()}
    if marked.any():
        found = pd.DataFrame([marked], ["evidence"], tokens)
        blocks = {"evidence": found} | blocks
    with figure_style():
        heights = [len(block) for block in blocks.values()]
        label = 0.055 * max(map(len, tokens)) if len(tokens) <= LABELLED else 0.1
        height = 0.17 * sum(heights) + 0.24 * len(blocks) + label + 0.55
        figure, axes = plt.subplots(
            len(blocks), 1, figsize=(WIDTH, height), sharex=True, height_ratios=heights
        )
        for axis, (family, block) in zip(axes, blocks.items(), strict=True):
            style = {"cmap": DIVERGING, "vmin": -1, "vmax": 1, "aspect": "auto"}
            image = draw_map(axis, block.rename(index=w), **style)
            if family != "evidence":
                axis.set_title(w[family], fontsize=SMALLEST)
        if len(tokens) > LABELLED:
            axes[-1].set_xticks([])
        for name, is_evidence in zip(axes[-1].get_xticklabels(), marked, strict=False):
            name.set_fontweight("bold" if is_evidence else "normal")
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=w["scaled"])
    columns = ["position", "token", "is_evidence", "method", "score"]
    return figure, rows[columns].assign(experiment=experiment)
