"""Chapter *claims*: the picture of its verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from analysis.figures.style import INK, MUTED, WIDTH, figure_style
from analysis.prose.claims import JudgedClaim
from analysis.prose.ledger import OUTCOME_COLOURS, OUTCOME_SIGNS
from analysis.prose.messages import chapters
from analysis.rules.verdicts import OUTCOMES
from attention_mixing.messages import Words

TILE, GAP, ROW = 0.56, 0.07, 0.3  # inches: width of a tile, between tiles, height of a row
LABEL = 1.25  # inches
# Of the key: the outcomes, and below them how the conditions are shown.
KEYS = (OUTCOMES[:4], OUTCOMES[4:])
CONDITIONS = {"same": True, "other": False}


def verdict_tiles(claims: Sequence[JudgedClaim], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one tile a claim with something at stake, in the row of its chapter, by its verdict."""
    claims = [claim for claim in claims if claim.at_stake]
    order = list(OUTCOMES)
    by_chapter = {
        chapter: sorted(group, key=lambda claim: (order.index(claim.outcome), not claim.solid))
        for chapter in chapters()
        if (group := [claim for claim in claims if claim.chapter == chapter])
    }
    counts = Counter(claim.outcome for claim in claims)
    conditions = Counter(claim.conditions for claim in claims)
    a_row = int((WIDTH - LABEL) // (TILE + GAP))
    rows = sum(-(-len(group) // a_row) for group in by_chapter.values())
    height = ROW * (rows + len(KEYS) + 1.8) + 0.1
    with figure_style():
        figure = Figure(figsize=(WIDTH, height))
        figure.set_layout_engine("none")
        axis = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
        axis.set_axis_off()
        keys = [[(outcome, True, w[outcome], counts[outcome]) for outcome in row] for row in KEYS]
        shades = CONDITIONS.items()
        keys.append([("holds", solid, w[name], conditions[name]) for name, solid in shades])
        for row, entries in enumerate(keys):
            y = 0.05 + ROW * row
            for column, (outcome, solid, text, count) in enumerate(entries):
                x = column * WIDTH / len(entries)
                _tile(axis, x, y, 0.34, outcome, solid, "")
                text = f"{text}{w['colon']}{count}"
                axis.text(x + 0.42, y + ROW / 2 - 0.03, text, va="center", fontsize=8)
        y = 0.05 + ROW * (len(keys) + 0.55)
        axis.plot([0, WIDTH], [y - 0.1 * ROW] * 2, color=MUTED, lw=0.6, alpha=0.6)
        y += 0.15 * ROW
        data = []
        for chapter, group in by_chapter.items():
            axis.text(0, y + ROW / 2 - 0.03, w[f"chapter_{chapter}"], va="center")
            for index, claim in enumerate(group):
                x = LABEL + (index % a_row) * (TILE + GAP)
                _tile(
                    axis, x, y + ROW * (index // a_row), TILE, claim.outcome, claim.solid, claim.id
                )
                data.append({"chapter": chapter, "claim": claim.id, "verdict": claim.outcome})
            y += ROW * -(-len(group) // a_row)
    return figure, pd.DataFrame(data, columns=["chapter", "claim", "verdict"])


def _tile(
    axis: Any, x: float, y: float, width: float, outcome: str, solid: bool, name: str
) -> None:
    """Draw the sign of an outcome: filled as published, pale under other conditions."""
    colour, on_colour = OUTCOME_COLOURS[outcome]
    face = "none" if colour is None else colour if solid else to_rgba(colour, 0.22)
    box = FancyBboxPatch(
        (x + 0.01, y + 0.01),
        width - 0.02,
        ROW - 0.08,
        boxstyle="round,pad=0,rounding_size=0.04",
        facecolor=face,
        edgecolor=MUTED if colour is None else colour,
        linewidth=1,
        linestyle=(0, (2, 2)) if colour is None else "solid",
    )
    axis.add_patch(box)
    axis.text(
        x + width / 2,
        y + ROW / 2 - 0.03,
        f"{OUTCOME_SIGNS[outcome]} {name}".strip(),
        color=on_colour if solid and on_colour else INK,
        ha="center",
        va="center",
        fontsize=8,
    )


def counted(claims: Sequence[JudgedClaim], w: Words) -> str:
    """List the verdicts that the tiles show with their numbers, for who cannot see them."""
    counts = Counter(claim.outcome for claim in claims if claim.at_stake)
    return w["comma"].join(
        f"{w[outcome]} {counts[outcome]}" for outcome in OUTCOMES if counts[outcome]
    )
