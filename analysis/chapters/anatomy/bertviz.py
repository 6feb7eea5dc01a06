"""The three views of BertViz, drawn: one layer, all heads, one weight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure

from analysis.chapters.anatomy.figures import weight_bars
from analysis.chapters.anatomy.results import AnatomyResults, Floats
from analysis.figures.maps import cells, name_tokens, with_tokens
from analysis.figures.style import DIVERGING, EMPHASIS, SMALLEST, WIDTH, figure_style
from analysis.prose.phrases import beside, nth_layer
from attention_mixing.messages import Words

# One colour a head or a layer, in this order, and again.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933"),
    *("#D55E00", "#AA4499", "#44AA99", "#7570B3", "#A0614A", "#8b93a0"),
)
# A line fainter than this cannot be seen, and is not drawn.
_FAINTEST = 0.012


def head_picture(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the layer that is shown: every head at once, and one head alone."""
    layer, head = anatomy.place
    weights = anatomy.arrays["attention"][layer]
    tokens = anatomy.tokens
    count = len(weights)
    with figure_style():
        height = max(1.6, 0.21 * len(tokens)) + 0.45
        figure, axes = plt.subplots(1, 2, figsize=(WIDTH, height))
        # As in the view, a line is as opaque as its weight, shared among the heads that are shown.
        for index, head_weights in enumerate(weights):
            axes[0].add_collection(_lines(head_weights / count, COLOURS[index % len(COLOURS)]))
        colour = COLOURS[head % len(COLOURS)]
        axes[1].add_collection(_lines(weights[head], colour))
        axes[0].set_title(beside(nth_layer(layer + 1, w), w["all_heads"], w))
        axes[1].set_title(beside(nth_layer(layer + 1, w), w["one_head"].format(head=head + 1), w))
        for axis in axes:
            axis.set(xlim=(-0.02, 1.02), ylim=(len(tokens) - 0.5, -0.5))
            axis.set_yticks(range(len(tokens)), tokens)
            axis.tick_params(length=0, labelright=True)
            axis.set(xticks=[], frame_on=False)
    return figure, _weights(anatomy, [layer])


def model_picture(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw every layer and head as a thumbnail of lines."""
    weights = anatomy.arrays["attention"]
    layers, heads, tokens = weights.shape[:3]
    with figure_style():
        width = WIDTH / (heads + 1)
        height = width * min(1.2, max(0.62, 0.09 * tokens))
        figure, axis = plt.subplots(figsize=(WIDTH, layers * height + 0.5), dpi=120)
        # Thousands of lines are smaller as one image.
        lines = LineCollection([], linewidths=0.8, rasterized=True)
        segments, colours = [], []
        for layer, head in np.ndindex(layers, heads):
            ends, opacity = _segments(weights[layer, head])
            segments.append(ends * 0.8 / [1, tokens] + [head + 0.1, layer + 0.1 + 0.4 / tokens])
            colours.append(_colours(COLOURS[layer % len(COLOURS)], opacity))
        lines.set_segments(list(np.concatenate(segments)))
        lines.set_color(list(np.concatenate(colours)))
        axis.add_collection(lines)
        axis.set(xlim=(0, heads), ylim=(layers, 0), xlabel=w["head"], ylabel=w["layer"])
        axis.set_xticks(np.arange(heads) + 0.5, [str(i + 1) for i in range(heads)])
        axis.set_yticks(np.arange(layers) + 0.5, [str(i + 1) for i in range(layers)])
        axis.xaxis.set_label_position("top")
        axis.tick_params(length=0, labeltop=True, labelbottom=False)
        axis.spines[:].set_visible(False)
        layer, head = anatomy.place
        axis.add_patch(plt.Rectangle((head, layer), 1, 1, fill=False, ec=EMPHASIS, lw=1.2))
    return figure, _weights(anatomy, range(layers))


def neuron_picture(anatomy: AnatomyResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one query: its vector, all keys, their products by dimension, sum and softmax."""
    tokens, chosen = anatomy.tokens, anatomy.query
    query, keys = anatomy.of_head("query")[chosen], anatomy.of_head("key")
    product = query * keys
    scores = anatomy.of_head("scores")[chosen]
    weights = anatomy.of_head("attention")[chosen]
    with figure_style():
        height = max(1.3, 0.21 * len(tokens))
        figure, axes = plt.subplots(
            2,
            4,
            figsize=(WIDTH, height + 1.0),
            width_ratios=[3, 3, 0.45, 1.5],
            height_ratios=[0.2, height],
        )
        for axis in axes[0, 1:]:
            axis.set_axis_off()
        of_vectors = float(np.abs([*query, *keys.ravel()]).max()) or 1.0
        strips = [
            (axes[0, 0], query[None], w["query_of"].format(token=tokens[chosen])),
            (axes[1, 0], keys, w["keys"]),
            (axes[1, 1], product, w["product"]),
            (axes[1, 2], scores[:, None], w["dot"]),
        ]
        for axis, values, title in strips:
            limit = float(np.abs(values).max()) or 1.0
            if axis in (axes[0, 0], axes[1, 0]):
                limit = of_vectors
            # Blue above zero, as in the view itself.
            style = {"cmap": f"{DIVERGING}_r", "vmin": -limit, "vmax": limit}
            axis.imshow(values, aspect="auto", **style)
            axis.set_title(title, loc="center" if axis is axes[1, 2] else "left", fontsize=SMALLEST)
            axis.set(xticks=[], yticks=[])
        name_tokens(axes[1, 0].yaxis, tokens)
        bars = axes[1, 3]
        weight_bars(bars, weights, tokens)
        bars.set_title(w["softmax"], fontsize=SMALLEST)
        bars.yaxis.tick_right()
    data = cells(("key", "dimension"), key_value=keys, product=product)
    data = data.assign(
        query=chosen,
        query_value=query[data["dimension"]],
        score=scores[data["key"]],
        weight=weights[data["key"]],
    )
    columns = ["query", "key", "dimension", "query_value", "key_value", "product"]
    data = with_tokens(data[[*columns, "score", "weight"]], tokens, tokens)
    return figure, data


def _lines(weights: Floats, colour: str) -> LineCollection:
    """Draw lines from queries on the left to keys on the right, as opaque as their weights."""
    ends, opacity = _segments(weights)
    return LineCollection(list(ends), colors=_colours(colour, opacity), linewidths=1.5)


def _segments(weights: Floats) -> tuple[Floats, Floats]:
    """Return ends ``[line, end, (x, y)]``, x from 0 to 1, y in tokens, and weights ``[line]``."""
    query, key = np.nonzero(weights > _FAINTEST)
    ends = np.zeros((len(query), 2, 2))
    ends[:, 1, 0] = 1
    ends[:, 0, 1], ends[:, 1, 1] = query, key
    return ends, weights[query, key]


def _colours(colour: str, opacity: Floats) -> Floats:
    return to_rgba_array(colour, np.clip(opacity, 0, 1))


def _weights(anatomy: AnatomyResults, layers: Sequence[int]) -> pd.DataFrame:
    weights = anatomy.arrays["attention"][list(layers)]
    data = cells(("layer", "head", "query", "key"), weight=weights)
    data["layer"] = np.take(layers, data["layer"]) + 1
    data["head"] += 1
    return with_tokens(data, anatomy.tokens, anatomy.tokens)
