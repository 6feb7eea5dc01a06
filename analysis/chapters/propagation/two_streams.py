"""Chapter *propagation*, of two texts: what a target draws from its source, and by which method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from analysis.chapters.propagation.results import (
    CONTENT,
    ERROR,
    LINKED,
    STEPS,
    better_step,
    step_means,
)
from analysis.figures.curves import by_measure, curve_grid, dot_ranges
from analysis.figures.maps import map_grid, pairs
from analysis.figures.style import method_colours
from analysis.figures.tables import by_method, intervals
from analysis.fonts import drawable
from analysis.prose.phrases import written
from analysis.results.summary import last
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.attributions.selections import LINKED_FROM_INPUT
from attention_mixing.messages import Words

SHARE_COLOURS = method_colours(LINKED_FROM_INPUT)
FRAME = "#ffffff"  # of known links, on maps that are dark where they have little
MAPPED = chosen("raw", "attn_n", "alti", "rollout", "alti_rollout", "flow")
COLUMNS = ("links_told", "links_content", "links_given", "links_told_layers", "links_given_layers")


def shares(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of a target token that stems from the source, over the decoder's layers."""
    panels = by_measure(rows, ("source_share",), w)
    return curve_grid(panels, w, colours=SHARE_COLOURS, by="subject")


def alignment_errors(rows: pd.DataFrame, chance: float, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how often each method links words wrongly, at both steps.

    ``rows`` are those of :func:`analysis.chapters.propagation.results.final_errors`; ``chance`` is
    the error of blind links, mean over experiments.
    """
    data = rows[rows["quantity"] == ERROR]
    panels = {w[f"step_{step}"]: (data[data["facet"] == step], chance) for step in STEPS}
    names = {method: w[method] for method in LINKED if method in set(data["subject"])}
    experiments = list(data["experiment"].unique())
    marked = experiments if len(experiments) > 1 else []
    figure = dot_ranges(panels, names, row=0.24, size=4.5, marked=marked, w=w)
    for axis in figure.axes:
        axis.set_xlim(0, 1)
    return figure, data


def errors_table(
    rows: pd.DataFrame, over_layers: pd.DataFrame, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give errors of links, a row a method: in the last layer, and means over layers.

    ``rows`` are those of :func:`analysis.chapters.propagation.results.final_errors`;
    ``over_layers`` are the same means over layers, of what is measured layer by layer.
    """
    by_step = {f"links_{step}": rows[rows["facet"] == step] for step in STEPS}
    by_step |= {f"links_{step}_layers": over_layers[over_layers["facet"] == step] for step in STEPS}
    chosen = {name: errors[errors["quantity"] == ERROR] for name, errors in by_step.items()}
    told = by_step["links_told"]
    chosen["links_content"] = told[told["quantity"] == CONTENT]
    cells = pd.concat(
        [
            errors.assign(method=errors["subject"], quantity=name, cell=intervals(errors))
            for name, errors in chosen.items()
        ]
    )
    table = by_method(cells, COLUMNS, w).fillna(w["not_defined"])
    states = table.columns[1]
    if table[states].nunique() == 1:  # of a model that is trained here from nothing, or as it is
        table = table.drop(columns=states)
    return table, pd.concat([rows, over_layers], ignore_index=True)


def shown_tokens(tokens: pd.DataFrame, w: Words) -> tuple[list[str], list[str]]:
    """Name the rows and columns of maps: the words that rows tell, and tokens of the source."""
    names = tokens["token"].map(drawable)
    target, source = names[tokens["is_target"]], names[~tokens["is_target"]]
    return [*target[1:], w["end_of_target"]], list(source)


def pair_maps(
    arrays: Mapping[str, NDArray],
    target: Sequence[str],
    source: Sequence[str],
    links: Sequence[tuple[int, int]],
    w: Words,
) -> tuple[Figure, pd.DataFrame]:
    """Draw what each row of a decoder draws from the source in its last layer, by method.

    ``arrays`` are ``[layer, target, source]`` by method. ``target`` has the word that each row
    tells, ``source`` the tokens of the source; ``links``, known pairs of row and source token, are
    framed.
    """
    tables = {
        w[method]: pd.DataFrame(
            arrays[method][-1],
            pd.Index(target, name="told_word"),
            pd.Index(source, name="source_word"),
        )
        for method in MAPPED
    }
    largest = max(float(table.max(axis=None)) for table in tables.values())
    figure = map_grid(tables, w, bar=w["share_of_row"], vmin=0, vmax=largest)
    for axis in figure.axes[: len(tables)]:
        for row, column in links:
            frame = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, ec=FRAME, lw=0.9)
            axis.add_patch(frame)
    data = [pairs(w[method], arrays[method][-1], target, source) for method in MAPPED]
    return figure, pd.concat(data, ignore_index=True)


def numbers(
    rows: pd.DataFrame,
    linked: pd.DataFrame,
    over_layers: pd.DataFrame,
    blind: Mapping[str, float],
    w: Words,
) -> dict[str, str]:
    """Say in numbers what the figures show: name of a number of the prose -> how it is written.

    ``blind`` are the errors of ``chance`` and of the ``diagonal``; the others as
    :func:`errors_table` takes them.
    """
    final = last(rows[rows["quantity"] == "source_share"])
    shares = final.groupby("subject")["mean"].mean()
    phrases = {
        "share-alti": written(shares["alti_rollout"], ".0%"),
        "share-rollout": written(shares["rollout"], ".0%"),
    }
    if not len(linked):
        return phrases
    told, given = (step_means(linked, ERROR, step) for step in STEPS)
    content = step_means(linked, CONTENT, "told")
    means = step_means(over_layers, ERROR, "told")
    steps = {"told": written(told["raw"], ".0%"), "given": written(given["raw"], ".0%")}
    values = {
        "error-raw": told["raw"],
        "error-norms": told["attn_n"],
        "error-rollout": told["rollout"],
        "error-alti": told["alti_rollout"],
        "error-flow": told["flow"],
        "content-raw": content["raw"],
        "content-norms": content["attn_n"],
        "layers-raw": means["raw"],
        "layers-norms": means["attn_n"],
        "error-chance": blind["chance"],
        "error-diagonal": blind["diagonal"],
    }
    phrases["links-steps"] = w.say("links_steps", better=better_step(linked), **steps)
    return phrases | {name: written(value, ".0%") for name, value in values.items()}
