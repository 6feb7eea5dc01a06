"""Overview of chapter *anatomy*; its parts are in ``attention_steps`` and ``small_models``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.anatomy_results import AnatomyResults
from analysis.figures.attention_steps import step_name
from analysis.figures.maps import draw_map, pairs
from analysis.figures.small_models import masked
from analysis.figures.style import CATEGORY_COLOURS, WIDTH, figure_style
from attention_mixing.words import Words

# Attention of the small models in which the three architectures differ.
SIGHTS = ("encoder/attention", "decoder/attention", "encoder_decoder/cross")


def overview(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one head rebuilt, how far each step is off, and what a token of three models sees."""
    text = anatomy.tokens
    panels = {"rebuilt": (anatomy.of_head("attention"), text, text)}
    for name in SIGHTS:
        panels[name] = (anatomy.arrays[name][-1].mean(axis=0), *anatomy.axes(name))
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 6.2))
        (above,), (below,) = figure.subfigures(2, 1, squeeze=False)
        left, right = above.subplots(1, 2)
        _deviations(right, anatomy.found["steps"], w)
        places = [left, *below.subplots(1, 3)]
        for axis, (name, (values, queries, keys)) in zip(places, panels.items(), strict=True):
            draw_map(axis, masked(values, queries, keys), vmin=0, vmax=1)
            axis.set_title(w[f"short_{name}"] if "/" in name else w[name])
    frames = [pairs(name, *panel) for name, panel in panels.items()]
    return figure, pd.concat(frames, ignore_index=True)


def _deviations(axis: Axes, steps: Sequence[Mapping[str, Any]], w: Words) -> None:
    """Draw each step's deviation as a share of its largest value, on a logarithmic scale."""
    shares = [step["deviation"] / step["largest"] for step in steps]
    axis.semilogx(shares, range(len(steps)), "o", ms=4, color=CATEGORY_COLOURS[0])
    axis.set_yticks(range(len(steps)), [step_name(s["step"], w) for s in steps])
    axis.set_xlim(1e-9, 1)
    axis.set_xticks([1e-9, 1e-6, 1e-3, 1], ["10⁻⁹", "10⁻⁶", "10⁻³", "1"])
    axis.minorticks_off()
    axis.set_ylim(len(steps) - 0.5, -0.5)
    axis.set_title(w["off"])
    axis.grid(axis="x")
    axis.set_box_aspect(1)
