"""Chapter *features*: the tokens of a few texts on maps, one a feature point."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.features import METHODS, TRUST
from analysis.figures.interactive import Choice, Colouring, MapData
from analysis.figures.labels import name_points
from analysis.figures.markup import escape, marked
from analysis.figures.results import facts, states, table
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DOTS,
    EMPHASIS,
    INK,
    MUTED,
    WIDTH,
    drawable,
    figure_style,
    frame,
    legend_key,
)
from analysis.figures.words import Words, nth_layer

TEXT_MARKERS = "o^sDvPX"
FOLLOWED = 3  # texts of which a token is followed: more cannot be told apart at this size
BLOCK = 6  # layers side by side; smaller maps would have no room for their trust figures
LONGEST = 400  # characters of a text that are shown


def read_maps(experiment: str, trust: pd.DataFrame) -> pd.DataFrame:
    """Read the maps of every model state, a row a token, with the trust figures of its map."""
    maps = [
        table("vectors", "projection", "maps", experiment, variant).assign(variant=variant)
        for variant in states("vectors", "projection", experiment)
    ]
    return with_trust(pd.concat(maps, ignore_index=True), trust[trust["experiment"] == experiment])


def with_trust(maps: pd.DataFrame, trust: pd.DataFrame) -> pd.DataFrame:
    """Give every token of an experiment's maps the trust figures of its map, as columns."""
    trust = trust[trust["measure"].isin(TRUST)].rename(columns={"of": "method"})
    keys = ["variant", "method", "point", "layer"]
    return maps.join(trust.pivot(index=keys, columns="measure", values="mean"), on=keys)


def read_texts(experiment: str) -> pd.DataFrame:
    """Texts on the maps of an experiment: ``example_id``, ``text`` and the name of its ``label``.

    The name is empty where there is no label.
    """
    variant = states("vectors", "projection", experiment)[0]
    texts = table("vectors", "projection", "texts", experiment, variant)
    labels = list(facts(experiment)["corpus"]["labels"])
    names = ["" if pd.isna(label) else labels[int(label)] for label in texts["label"]]
    return texts[["example_id", "text"]].assign(label=names)


def feature_maps(maps: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Small multiples, one map a feature point, with its trust figures; tokens by position.

    Parameters
    ----------
    maps
        Of one model state, by one method.
    w
        Words of the page's language.
    """
    by_place = dict(list(maps.groupby(["point", "layer"], sort=False)))
    inputs = [place for place in by_place if place[1] == 0]
    points = list(dict.fromkeys(point for point, layer in by_place if layer))
    layers = sorted({layer for _, layer in by_place if layer})
    columns = min(len(layers), BLOCK) + 1
    blocks = -(-len(layers) // BLOCK)
    # Two maps of the input stand in the first column.
    rows = max(len(points), len(inputs)) if blocks == 1 else len(points)
    cells = {place: (row, 0) for row, place in enumerate(inputs)}
    for (index, layer), (row, point) in product(enumerate(layers), enumerate(points)):
        cells[point, layer] = (index // BLOCK * rows + row, index % BLOCK + 1)
    with figure_style():
        figure, axes = plt.subplots(
            rows * blocks,
            columns,
            figsize=(WIDTH, (WIDTH / columns + 0.3) * rows * blocks + 1.25),
            squeeze=False,
        )
        for axis in axes.flat:
            axis.set_box_aspect(1)
            axis.axis("off")
        for (point, layer), (row, column) in cells.items():
            axis = axes[row, column]
            dots = _map(axis, by_place[point, layer])
            if not layer:
                axis.set_title(w[point], fontsize=8)
            elif row % rows == 0:
                axis.set_title(nth_layer(layer, w), fontsize=8)
            if column == 1:
                axis.set_ylabel(w[point], fontsize=8)
        bar = figure.colorbar(dots, ax=axes, location="bottom", shrink=0.4, aspect=40, pad=0.02)
        bar.set_label(w["position"], fontsize=8)
        bar.ax.tick_params(labelsize=8)
        _map_legend(figure, next(iter(by_place.values())), w)
    return figure, maps


def close_up(
    maps: pd.DataFrame, texts: pd.DataFrame, experiment: str, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw the last map of every model state large, by UMAP, coloured by text."""
    last = maps.iloc[-1]
    maps = maps[
        (maps["method"] == "umap")
        & (maps["point"] == last["point"])
        & (maps["layer"] == last["layer"])
    ]
    states = list(maps["variant"].unique())
    many = len(texts) > len(CATEGORY_COLOURS)
    with figure_style():
        figure, axes = plt.subplots(1, len(states), figsize=(WIDTH, 4.95), squeeze=False)
        for axis, variant in zip(axes[0], states, strict=True):
            tokens = maps[maps["variant"] == variant]
            _square(axis, tokens)
            axis.set_box_aspect(1)
            axis.set_title(f"{experiment} · {w[variant]}")
            _print_trust(axis, tokens.iloc[0])
            _rings(axis, tokens, 62, 1.0)
            for number, (_, own) in enumerate(tokens.groupby("example_id", sort=False)):
                colour = MUTED if many else CATEGORY_COLOURS[number]
                axis.scatter(own["x"], own["y"], s=18, color=colour, lw=0, marker=_marker(number))
        handles = []
        for number, label in enumerate(texts["label"]):
            name = w["text_number"].format(number=number + 1) + (f": {label}" if label else "")
            colour = MUTED if many else CATEGORY_COLOURS[number]
            handles.append(legend_key(name, ls="none", marker=_marker(number), ms=5, color=colour))
        _legend(figure, handles, maps, w, fontsize=8)
        for axis, variant in zip(axes[0], states, strict=True):
            tokens = maps[maps["variant"] == variant]
            _name(axis, tokens)
    return figure, maps


def metric_maps(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the last feature point by UMAP with every metric; tokens by text."""
    variant = states("vectors", "metrics", experiment)[-1]
    maps = table("vectors", "metrics", "maps", experiment, variant)
    by_metric = dict(list(maps.groupby("metric", sort=False)))
    with figure_style():
        figure, axes = plt.subplots(1, len(by_metric), figsize=(WIDTH, 3.0), squeeze=False)
        for axis, (metric, tokens) in zip(axes[0], by_metric.items(), strict=True):
            _square(axis, tokens)
            axis.set_box_aspect(1)
            axis.set_title(w[metric])
            _rings(axis, tokens, 32, 0.8)
            for number, (_, own) in enumerate(tokens.groupby("example_id", sort=False)):
                colour = CATEGORY_COLOURS[number % len(CATEGORY_COLOURS)]
                axis.scatter(own["x"], own["y"], s=12, color=colour, lw=0, marker=_marker(number))
    return figure, maps


def map_data(maps: pd.DataFrame, texts: pd.DataFrame, w: Words) -> MapData:
    """Every map of an experiment for the reader to choose from."""
    places = {
        f"{point}-{layer}": _title(point, layer, w)
        for point, layer in maps[["point", "layer"]].drop_duplicates().itertuples(index=False)
    }
    maps = maps.assign(point=maps["point"] + "-" + maps["layer"].astype(str))
    by_map = {
        chosen: part for chosen, part in maps.groupby(["point", "method", "variant"], sort=False)
    }
    of_text = texts.assign(number=range(1, len(texts) + 1)).set_index("example_id")
    points = next(iter(by_map.values())).join(of_text, on="example_id")
    hover = [
        w["hover"].format(token=row.token, text=row.number, position=row.position)
        for row in points.itertuples()
    ]
    evidence = _evidence(points)
    marks = np.where(evidence, "evidence", np.where(points["is_special"], "special", "ordinary"))
    names = {number: w["text_number"].format(number=number) for number in of_text["number"]}
    labels = {label: label for label in texts["label"].unique() if label}
    few = len(CATEGORY_COLOURS)
    colours = [
        Colouring(w["position"], "position"),
        Colouring(w["text"], "number", categories=names if len(names) <= few else {}),
    ]
    if 0 < len(labels) <= few:
        colours.append(Colouring(w["label"], "label", categories=labels))
    kinds = ["ordinary", "special", *(["evidence"] if evidence.any() else [])]
    colours.append(Colouring(w["kind"], "kind", categories={kind: w[kind] for kind in kinds}))
    return MapData(
        choices=(
            Choice("point", w["point"], places),
            Choice("method", w["method"], {method: w[method] for method in METHODS}),
            Choice("variant", w["variant"], {v: w[v] for v in maps["variant"].unique()}),
        ),
        points=points.assign(hover=hover, kind=marks, label=points["label"].replace("", None)),
        maps=maps,
        colours=colours,
        notes={
            chosen: " · ".join(f"{w[figure]} {part[figure].iloc[0]:.2f}" for figure in TRUST)
            for chosen, part in by_map.items()
        },
    )


def texts_list(maps: pd.DataFrame, texts: pd.DataFrame) -> str:
    """HTML list of the texts on the maps, their evidence marked."""
    items = []
    tokens = maps.drop_duplicates(["example_id", "position"])
    for example, text, label in texts.itertuples(index=False):
        own = tokens[(tokens["example_id"] == example) & _evidence(tokens)]
        shown = text if len(text) <= LONGEST else text[:LONGEST] + " …"
        spans = [
            (int(start), int(end))
            for start, end in zip(own["start"], own["end"], strict=True)
            if start < end <= LONGEST
        ]
        kind = f" ({escape(label)})" if label else ""
        items.append(f"<li>{marked(shown, spans)}{kind}</li>")
    return f'<div class="sample"><ol>{"".join(items)}</ol></div>'


def followed(tokens: pd.DataFrame) -> pd.DataFrame:
    """Choose tokens to follow: the longest of each of the first texts, special ones aside.

    Parameters
    ----------
    tokens
        Of one map.
    """
    first = tokens["example_id"].isin(tokens["example_id"].unique()[:FOLLOWED])
    ordinary = tokens[first & ~tokens["is_special"].astype(bool)]
    lengths = ordinary["token"].str.len().groupby(ordinary["example_id"], sort=False)
    return ordinary.loc[lengths.idxmax()]


def _map(axis: Axes, tokens: pd.DataFrame) -> PathCollection:
    axis.axis("on")
    _square(axis, tokens)
    _print_trust(axis, tokens.iloc[0])
    _rings(axis, tokens, 22, 0.6)
    end = tokens["position"].max()
    for number, (_, own) in enumerate(tokens.groupby("example_id", sort=False)):
        dots = axis.scatter(
            own["x"],
            own["y"],
            c=own["position"],
            cmap=DOTS,
            s=9,
            lw=0,
            vmin=0,
            vmax=end,
            marker=_marker(number),
            clip_on=False,  # nothing reaches beyond the frame, and clipping each dot costs space
        )
    for number, row in enumerate(followed(tokens).itertuples()):
        axis.plot(
            row.x, row.y, _marker(number), ms=5.5, mfc=CATEGORY_COLOURS[number], mec=INK, mew=0.7
        )
    return dots


def _print_trust(axis: Axes, trust: pd.Series) -> None:
    letters = dict(zip(TRUST, "TCOS", strict=True))
    if trust["method"] == "pca":
        del letters["spread"]  # nothing is drawn by lot
    shown = [f"{one} {trust[name]:.2f}".replace(" 0.", " .") for name, one in letters.items()]
    rows = "\n".join("  ".join(shown[i : i + 2]) for i in (0, 2))
    axis.set_xlabel(rows, fontsize=8, labelpad=1.5, linespacing=1.1)


def _square(axis: Axes, tokens: pd.DataFrame) -> None:
    """Make a square in which both directions have one scale."""
    frame(axis, width=0.6)
    low, high = tokens[["x", "y"]].min().to_numpy(), tokens[["x", "y"]].max().to_numpy()
    reach = ((high - low).max() or 1.0) * 0.57
    centre = (low + high) / 2
    axis.set_xlim(centre[0] - reach, centre[0] + reach)
    axis.set_ylim(centre[1] - reach, centre[1] + reach)


def _rings(axis: Axes, tokens: pd.DataFrame, size: float, width: float) -> None:
    special, evidence = tokens["is_special"].astype(bool), _evidence(tokens)
    part = tokens[special | evidence]
    colours = [EMPHASIS if one else INK for one in evidence[part.index]]
    axis.scatter(
        part["x"], part["y"], s=size, facecolors="none", edgecolors=colours, lw=width, clip_on=False
    )


def _evidence(tokens: pd.DataFrame) -> pd.Series:
    """Whether a token is evidence; where none is recorded, none is."""
    return tokens["is_evidence"].eq(True).fillna(False).astype(bool)


def _marker(number: int) -> str:
    return TEXT_MARKERS[number % len(TEXT_MARKERS)]


def _legend(
    figure: Figure, handles: list[Line2D], tokens: pd.DataFrame, w: Words, **style: float
) -> None:
    """Explain texts, what rings mean, and trust figures, below the maps."""
    rings = {"special": INK} | ({"evidence": EMPHASIS} if _evidence(tokens).any() else {})
    for mark, colour in rings.items():
        ring = legend_key(w[mark], ls="none", marker="o", ms=6, mfc="none", mec=colour, mew=0.9)
        handles.append(ring)
    figure.legend(
        handles=handles,
        title=w["trust_key"],
        title_fontsize=8,
        loc="outside lower center",
        ncols=min(len(handles), 5),
        **style,
    )


def _map_legend(figure: Figure, tokens: pd.DataFrame, w: Words) -> None:
    names = followed(tokens)
    handles = []
    for number, example in enumerate(tokens["example_id"].unique()):
        own = names[names["example_id"] == example]["token"]
        label = w["text_number"].format(number=number + 1)
        style: dict[str, Any] = {"ms": 4, "mfc": INK, "mec": "none"}
        if len(own):
            label += f": {drawable(own.iloc[0])}"
            style = {"ms": 5.5, "mfc": CATEGORY_COLOURS[number], "mec": INK, "mew": 0.7}
        handles.append(legend_key(label, ls="none", marker=_marker(number), **style))
    _legend(figure, handles, tokens, w, fontsize=8, handletextpad=0.2)


def _name(axis: Axes, tokens: pd.DataFrame) -> None:
    """Write what is marked beside it, a word of one place once."""
    marked = _evidence(tokens) | tokens["is_special"].astype(bool)
    low, high = axis.get_xlim()
    near = (tokens[["x", "y"]] / (high - low) * 12).round().assign(token=tokens["token"])
    named = tokens["token"].map(drawable).where(marked & ~near.duplicated(), "")
    name_points(axis, named, tokens[["x", "y"]], [INK] * len(tokens))


def _title(point: str, layer: int, w: Words) -> str:
    return w["of"].format(whole=nth_layer(layer, w), part=w[point]) if layer else w[point]
