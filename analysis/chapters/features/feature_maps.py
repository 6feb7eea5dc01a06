"""Chapter *features*: the tokens of a few texts on maps, one a feature point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.chapters.features.figures import TRUST
from analysis.figures.maps import fit_height, tall_figure
from analysis.figures.planes import (
    DOTS_PER_INCH,
    Plane,
    draw_plane,
    legend_below,
    name_points,
    plane_grid,
    too_many,
)
from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    MUTED,
    figure_style,
    legend_key,
)
from analysis.fonts import drawable
from analysis.prose.phrases import nth_layer
from analysis.results.summary import facts, mapped_texts, of_states, states, table
from attention_mixing.markup import escape, in_line, marked
from attention_mixing.messages import Words

TEXT_MARKERS = "o^sDvPX"
FOLLOWED = 3  # texts of which a token is followed: more cannot be told apart at this size
BLOCK = 6  # layers side by side; smaller maps would have no room for their trust figures
LONGEST = 400  # characters of a text that are shown


def read_maps(experiment: str, trust: pd.DataFrame) -> pd.DataFrame:
    """Read the maps of every model state, a row a token, with the trust figures of its map."""
    maps = of_states("projection", "maps", experiment)
    return with_trust(maps, trust[trust["experiment"] == experiment])


def with_trust(maps: pd.DataFrame, trust: pd.DataFrame) -> pd.DataFrame:
    """Give every token of an experiment's maps the trust figures of its map, as columns."""
    trust = trust[trust["quantity"].isin(TRUST)].rename(columns={"subject": "method"})
    keys = ["variant", "method", "point", "layer"]
    return maps.join(trust.pivot(index=keys, columns="quantity", values="mean"), on=keys)


def read_texts(experiment: str) -> pd.DataFrame:
    """Texts on the maps of an experiment: ``example_id``, ``text`` and the name of its ``label``.

    The name is empty where there is no label.
    """
    texts = mapped_texts(experiment)
    labels = list(facts(experiment)["corpus"]["labels"])
    names = ["" if pd.isna(label) else labels[int(label)] for label in texts["label"]]
    return texts[["example_id", "text"]].assign(label=names)


def feature_maps(maps: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Small multiples, one map a feature point, with its trust figures; tokens by position.

    ``maps`` are those of one model state, by one method.
    """
    by_place = dict(list(maps.groupby(["point", "layer"], sort=False)))
    inputs = [point for point, layer in by_place if layer == 0]
    points = list(dict.fromkeys(point for point, layer in by_place if layer))
    layers = sorted({layer for _, layer in by_place if layer})
    width = min(BLOCK, len(layers))
    rows = [
        [f"{point} {layer}" for layer in layers[start : start + width]]
        for start in range(0, len(layers), width)
        for point in points
    ]
    # Maps of the input stand in the first column.
    mosaic = [
        [first, *row, *["."] * (width - len(row))]
        for first, row in zip_longest([f"{point} 0" for point in inputs], rows, fillvalue=".")
    ]
    style = {"vmin": 0, "vmax": maps["position"].max(), "rasterized": too_many(len(maps))}
    with figure_style():
        figure = tall_figure(dpi=DOTS_PER_INCH)
        axes = figure.subplot_mosaic(mosaic)
        for (point, layer), tokens in by_place.items():
            axis = axes[f"{point} {layer}"]
            dots = draw_plane(axis, _plane(tokens, tokens["position"], _trust(tokens)), 9, **style)
            for number, row in enumerate(followed(tokens).itertuples()):
                axis.plot(row.x, row.y, _marker(number), **_followed(number))
            if not layer:
                axis.set_title(w[point], fontsize=8)
            elif point == points[0]:
                axis.set_title(nth_layer(layer, w), fontsize=8)
            if layer % BLOCK == 1:
                axis.set_ylabel(w[point], fontsize=8)
        panels, label = list(axes.values()), w["position"]
        figure.colorbar(dots, ax=panels, location="bottom", shrink=0.4, aspect=40, label=label)
        legend_below(figure, _followed_keys(tokens, w) + _ring_keys(tokens, w), w["trust_key"])
        fit_height(figure)
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
    states = list(maps.groupby("variant", sort=False))
    panels = {
        f"{experiment} · {w[variant]}": _by_text(tokens, _trust(tokens))
        for variant, tokens in states
    }
    keys = []
    for number, label in enumerate(texts["label"]):
        name = w["text_number"].format(number=number + 1) + (
            f": {drawable(in_line(label))}" if label else ""
        )
        colour = _text_colours(len(texts))[number]
        keys.append(legend_key(name, ls="none", marker=_marker(number), ms=5, color=colour))
    keys += _ring_keys(maps, w)
    figure = plane_grid(panels, across=len(panels), size=18, legend=keys, title=w["trust_key"])
    with figure_style():
        for axis, (_, tokens) in zip(figure.axes, states, strict=True):
            _name(axis, tokens)
    return figure, maps


def metric_maps(experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the last feature point by UMAP with every metric; tokens by text."""
    variant = states("metrics", experiment)[-1]
    maps = table("metrics", "maps", experiment, variant)
    panels = {w[m]: _by_text(tokens) for m, tokens in maps.groupby("metric", sort=False)}
    return plane_grid(panels, across=len(panels), size=12), maps


def texts_list(maps: pd.DataFrame, texts: pd.DataFrame) -> str:
    """HTML list of the texts on the maps, their evidence marked."""
    items = []
    tokens = maps.drop_duplicates(["example_id", "position"])
    for example, text, label in texts.itertuples(index=False):
        evidence = tokens[(tokens["example_id"] == example) & _evidence(tokens)]
        excerpt = text if len(text) <= LONGEST else text[:LONGEST] + " …"
        spans = [
            (int(start), int(end))
            for start, end in zip(evidence["start"], evidence["end"], strict=True)
            if start < end <= LONGEST
        ]
        kind = f" ({escape(in_line(label))})" if label else ""
        items.append(f"<li>{marked(excerpt, spans)}{kind}</li>")
    return f'<div class="sample"><ol>{"".join(items)}</ol></div>'


def followed(tokens: pd.DataFrame) -> pd.DataFrame:
    """Choose tokens of one map to follow: the longest ordinary one of each of the first texts."""
    first = tokens["example_id"].isin(tokens["example_id"].unique()[:FOLLOWED])
    ordinary = tokens[first & ~tokens["is_special"].astype(bool)]
    lengths = ordinary["token"].str.len().groupby(ordinary["example_id"], sort=False)
    return ordinary.loc[lengths.idxmax()]


def _plane(tokens: pd.DataFrame, colours: pd.Series, note: str = "") -> Plane:
    """Tokens with the symbol of their text; special ones and evidence in rings."""
    special, evidence = tokens["is_special"].astype(bool), _evidence(tokens)
    rings = pd.Series(None, tokens.index, dtype=object)
    rings = rings.mask(special, INK).mask(evidence, EMPHASIS)
    return Plane(tokens, colours, symbols=_text(tokens).map(_marker), rings=rings, note=note)


def _by_text(tokens: pd.DataFrame, note: str = "") -> Plane:
    """Tokens in the colours of their texts."""
    numbers = _text(tokens)
    return _plane(tokens, numbers.map(dict(enumerate(_text_colours(numbers.nunique())))), note)


def _text(tokens: pd.DataFrame) -> pd.Series:
    """Texts of the tokens by their numbers, from 0."""
    return pd.Series(pd.factorize(tokens["example_id"])[0], tokens.index)


def _text_colours(texts: int) -> Sequence[str]:
    """Colours of so many texts; of more than there are colours, one."""
    return CATEGORY_COLOURS if texts <= len(CATEGORY_COLOURS) else [MUTED] * texts


def _trust(tokens: pd.DataFrame) -> str:
    """Trust figures of a map, in two lines."""
    figures = tokens.iloc[0]
    letters = dict(zip(TRUST, "TCOS", strict=True))
    if figures["method"] == "pca":
        del letters["spread"]  # nothing is drawn by lot
    numbers = [f"{a} {figures[name]:.2f}".replace(" 0.", " .") for name, a in letters.items()]
    return "\n".join("  ".join(numbers[i : i + 2]) for i in (0, 2))


def _evidence(tokens: pd.DataFrame) -> pd.Series:
    """Tell whether each token is evidence; where none is recorded, none is."""
    return tokens["is_evidence"].eq(True).fillna(False).astype(bool)


def _marker(number: int) -> str:
    return TEXT_MARKERS[number % len(TEXT_MARKERS)]


def _ring_keys(tokens: pd.DataFrame, w: Words) -> list[Line2D]:
    """Explain what rings mean."""
    rings = {"special": INK} | ({"evidence": EMPHASIS} if _evidence(tokens).any() else {})
    style = {"ls": "none", "marker": "o", "ms": 6, "mfc": "none", "mew": 0.9}
    return [legend_key(w[mark], mec=colour, **style) for mark, colour in rings.items()]


def _followed(number: int) -> dict[str, Any]:
    """Style of the token that is followed in a text."""
    return {"ms": 5.5, "mfc": CATEGORY_COLOURS[number], "mec": INK, "mew": 0.7}


def _followed_keys(tokens: pd.DataFrame, w: Words) -> list[Line2D]:
    names = followed(tokens).set_index("example_id")["token"]
    keys = []
    for number, example in enumerate(tokens["example_id"].unique()):
        label = w["text_number"].format(number=number + 1)
        style: dict[str, Any] = {"ms": 4, "mfc": INK, "mec": "none"}
        if example in names:
            label += f": {drawable(names[example])}"
            style = _followed(number)
        keys.append(legend_key(label, ls="none", marker=_marker(number), **style))
    return keys


def _name(axis: Axes, tokens: pd.DataFrame) -> None:
    """Write what is marked beside it, a word of one place once."""
    marked = _evidence(tokens) | tokens["is_special"].astype(bool)
    places = tokens[["x", "y"]]
    reach = 1.16 * (places.max() - places.min()).max() or 1.0
    near = (places / reach * 12).round().assign(token=tokens["token"])
    named = tokens["token"].map(drawable).where(marked & ~near.duplicated(), "")
    name_points(axis, named, places, [INK] * len(tokens))
