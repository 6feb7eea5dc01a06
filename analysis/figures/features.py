"""Chapter *features*: the tokens of a few texts at every feature point, on maps and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.findings import features as findings
from analysis.figures.findings.phrases import span
from analysis.figures.interactive import Choice, Colouring, MapData
from analysis.figures.markup import escape, marked
from analysis.figures.results import curves, metrics, summary, trained
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DOTS,
    EMPHASIS,
    INK,
    MUTED,
    VARIANT_LINES,
    WIDTH,
    drawable,
    figure_style,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.paths import result

METHODS = ("umap", "tsne", "pca")
TRUST = ("trustworthiness", "continuity", "overlap", "spread")
WORST = {"trustworthiness": min, "continuity": min, "overlap": min, "spread": max}
METHOD_COLOURS = dict(zip(METHODS, CATEGORY_COLOURS, strict=False))
# The whole text is dark, its first token light, as in the chapter *geometry*.
VECTOR_COLOURS = {"first": "#56B4E9", "mean": "#0072B2"}
TOKEN_COLOURS = {"first": "#56B4E9", "all": "#0072B2"}
POINT_MARKERS = {
    "word": "D",
    "embedding": "X",
    "context": "o",
    "attention_output": "s",
    "attention_block": "P",
    "ffn_output": "^",
    "layer_output": "v",
}
TEXT_MARKERS = "o^sDvPX"
FOLLOWED = 3  # texts of which a token is followed: more cannot be told apart at this size
BLOCK = 6  # layers side by side; smaller maps would have no room for their trust figures
LONGEST = 400  # characters of a text that are shown

OWN_WORDS = {
    "word": ("word embedding", "単語埋め込み"),
    "embedding": ("embedding", "埋め込み"),
    "context": ("context", "文脈ベクトル"),
    "attention_output": ("attention output", "注意の出力"),
    "attention_block": ("attention block", "注意ブロック"),
    "ffn_output": ("FFN output", "FFN の出力"),
    "layer_output": ("layer output", "層の出力"),
    "place": ("{point} of layer {layer}", "第{layer}層の{point}"),
    "of_state": (" ({}, {})", "（{}、{}）"),
    "point": ("feature point", "特徴を読む点"),
    "position": ("position in the text", "テキスト中の位置"),
    "umap": ("UMAP", "UMAP"),
    "tsne": ("t-SNE", "t-SNE"),
    "pca": ("PCA", "PCA"),
    "text": ("text", "テキスト"),
    "text_number": ("text {}", "テキスト {}"),
    "label": ("label", "ラベル"),
    "special": ("special token", "特殊トークン"),
    "ordinary": ("other token", "その他のトークン"),
    "evidence": ("evidence", "根拠"),
    "kind": ("kind of token", "トークンの種類"),
    "hover": ("{}\ntext {}, position {}", "{}\nテキスト {}、位置 {}"),
    "trustworthiness": ("trustworthiness", "信頼性"),
    "continuity": ("continuity", "連続性"),
    "overlap": ("neighbour overlap", "隣の一致率"),
    "spread": ("spread over seeds", "シードによるばらつき"),
    "trust_key": (
        "below each map: T trustworthiness, C continuity, O neighbour overlap, S spread over seeds",
        "各地図の下：T 信頼性、C 連続性、O 隣の一致率、S シードによるばらつき",
    ),
    "forward": ("layer (0: input)", "層（0 は入力）"),
    "moved": ("neighbours lost", "失われた隣の割合"),
    "silhouette": ("silhouette by label", "ラベルによる\nシルエット係数"),
    "first": ("first token", "先頭のトークン"),
    "mean_vector": ("mean of the tokens", "トークンの平均"),
    "all": ("all tokens", "全トークン"),
    "shift": ("shift by fine-tuning", "ファインチューニングによるずれ"),
    "spread_larger": ("spread over seeds, larger of both", "シードによるばらつき（大きい方）"),
    "disparity": ("disparity, {}", "不一致度（{}）"),
    "cosine_distance": ("cosine distance\nbefore – after", "前後のコサイン距離"),
    "unlabelled": (
        "No experiment of this run has texts with labels, so there are no classes to separate.",
        "今回の実行にはラベル付きのテキストをもつ実験がなく、分けるべきクラスがない。",
    ),
    "untrained": (
        "No experiment of this run fine-tunes a model, so there is nothing to compare.",
        "今回の実行にはファインチューニングをする実験がなく、比べるものがない。",
    ),
}
NUMBERS = (
    "separation",
    "movement",
    "set",
    "layers",
    "counted",
    "coded",
    "texts",
    "tokens",
    "metric",
    "seed",
    "seeds",
    "shown",
    "largest-step",
    "neighbors",
    "chance",
    "trusted",
    "trust-worst",
    "trust-worst-place",
    "spread-umap",
    "spread-tsne",
    "silhouette-mean",
    "structure",
    "shifted",
    "changed",
    "confidence",
)


@dataclass(frozen=True)
class Results:
    """What the stages found, of every experiment.

    Attributes
    ----------
    maps
        Experiment -> ``variant``, ``method``, ``point``, ``layer``, token columns, ``x``, ``y``.
    texts
        Experiment -> texts on its maps: ``example_id``, ``text`` and ``label``, its name or "".
    trust
        A row a map: ``experiment``, ``variant``, ``method``, ``point``, ``layer``, ``TRUST``,
        ``moved``, ``shift``.
    separation, change
        Columns of ``plots/separation.csv`` and ``plots/change.csv``, and ``experiment``; empty
        without labels, without a fine-tuned model.
    """

    maps: Mapping[str, pd.DataFrame]
    texts: Mapping[str, pd.DataFrame]
    trust: pd.DataFrame
    separation: pd.DataFrame
    change: pd.DataFrame

    @property
    def labelled(self) -> bool:
        """Whether any experiment has labels."""
        return len(self.separation) > 0

    @property
    def tuned(self) -> bool:
        """Whether any experiment has a fine-tuned model."""
        return bool(self.trust["shift"].notna().any())

    def states(self, experiment: str) -> list[str]:
        """Model states that are mapped."""
        return list(self.maps[experiment]["variant"].unique())

    def places(self, experiment: str) -> list[tuple[str, int]]:
        """Points and their layers in the order of the forward pass."""
        rows = self.trust[self.trust["experiment"] == experiment]
        places = rows[["point", "layer"]].drop_duplicates().itertuples(index=False)
        return [(point, int(layer)) for point, layer in places]


def read_results(params: Params) -> Results:
    """Read the tables of all experiments."""
    maps, texts, trust = {}, {}, []
    for name in params.experiments:
        maps[name] = pd.read_parquet(result(name, "projection.parquet"))
        labels = list(metrics(name, "corpus")["labels"])
        mapped = pd.read_parquet(result(name, "mapped.parquet"))
        named = ["" if pd.isna(label) else labels[label] for label in mapped["label"]]
        texts[name] = mapped[["example_id", "text"]].assign(label=named)
        trust.append(pd.read_parquet(result(name, "trust.parquet")).assign(experiment=name))
    return Results(
        maps,
        texts,
        pd.concat(trust, ignore_index=True),
        curves(params, "separation"),
        curves(params, "change"),
    )


def shown(params: Params) -> str:
    """Name the experiment of the large map: one that has classes and two states, if there is."""
    return next(iter(trained(params)), params.report.focus.experiment)


# --- maps -----------------------------------------------------------------------------------------


def texts_list(results: Results, experiment: str) -> str:
    """HTML list of the texts on the maps, their evidence marked."""
    items = []
    tokens = results.maps[experiment].drop_duplicates(["example_id", "position"])
    for example, text, label in results.texts[experiment].itertuples(index=False):
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
    rows = []
    for example in tokens["example_id"].unique()[:FOLLOWED]:
        own = tokens[(tokens["example_id"] == example) & ~tokens["is_special"].astype(bool)]
        if len(own):
            rows.append(own.loc[own["token"].str.len().idxmax()])
    return pd.DataFrame(rows, columns=tokens.columns)


def feature_maps(
    results: Results, experiment: str, variant: str, method: str, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Small multiples, one map a feature point, with its trust figures; tokens by position.

    Returns
    -------
    figure, data
        The data with one row a point and token.
    """
    keys = {"variant": variant, "method": method}
    table, trust = (
        frame[np.logical_and.reduce([frame[key] == value for key, value in keys.items()])]
        for frame in (
            results.maps[experiment],
            results.trust[results.trust["experiment"] == experiment],
        )
    )
    places = results.places(experiment)
    inputs = [point for point, layer in places if layer == 0]
    points = list(dict.fromkeys(point for point, layer in places if layer))
    layers = sorted({layer for _, layer in places if layer})
    blocks = [layers[start : start + BLOCK] for start in range(0, len(layers), BLOCK)]
    columns = min(len(layers), BLOCK) + 1
    side = WIDTH / columns
    by_place = {place: part for place, part in table.groupby(["point", "layer"], sort=False)}
    figures = trust.set_index(["point", "layer"])
    # Two maps of the input stand in the first column.
    rows = max(len(points), len(inputs)) if len(blocks) == 1 else len(points)
    with figure_style():
        figure, axes = plt.subplots(
            rows * len(blocks),
            columns,
            figsize=(WIDTH, (side + 0.22) * rows * len(blocks) + 1.25),
            squeeze=False,
        )
        for axis in axes.flat:
            axis.set_box_aspect(1)
            axis.axis("off")
        for row, point in enumerate(inputs):
            dots = _map(axes[row, 0], by_place[point, 0], figures.loc[(point, 0)])
            axes[row, 0].set_title(w[point], fontsize=6.5)
        for block, members in enumerate(blocks):
            for row, point in enumerate(points):
                for column, layer in enumerate(members, start=1):
                    axis = axes[block * rows + row, column]
                    dots = _map(axis, by_place[point, layer], figures.loc[(point, layer)])
                    if row == 0:
                        axis.set_title(f"{w['layer']} {layer}", fontsize=7.5)
                    if column == 1:
                        axis.set_ylabel(w[point], fontsize=7.5)
        bar = figure.colorbar(dots, ax=axes, location="bottom", shrink=0.4, aspect=40, pad=0.02)
        bar.set_label(w["position"], fontsize=7.5)
        bar.ax.tick_params(labelsize=7)
        _map_legend(figure, by_place[places[0]], w)
    return figure, table.merge(trust[["point", "layer", *TRUST]], on=["point", "layer"])


def _map(axis: Axes, tokens: pd.DataFrame, trust: pd.Series) -> PathCollection:
    axis.axis("on")
    _frame(axis, tokens)
    _print_trust(axis, trust)
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
    numbers = [f"{trust[name]:.2f}".removeprefix("0") for name in TRUST]
    if trust["method"] == "pca":
        numbers[TRUST.index("spread")] = "–"  # nothing is drawn by lot
    axis.set_xlabel(
        "T {}  C {}\nO {}  S {}".format(*numbers), fontsize=6.5, labelpad=1.5, linespacing=1.1
    )


def _frame(axis: Axes, tokens: pd.DataFrame) -> None:
    """Make a square in which both directions have one scale, without numbers: they mean nothing."""
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color(MUTED)
        spine.set_linewidth(0.6)
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
        part["x"],
        part["y"],
        s=size,
        facecolors="none",
        edgecolors=colours,
        lw=width,
        clip_on=False,
    )


def _evidence(tokens: pd.DataFrame) -> pd.Series:
    """Whether a token is evidence; where none is recorded, none is."""
    return tokens["is_evidence"].eq(True).fillna(False).astype(bool)


def _marker(number: int) -> str:
    return TEXT_MARKERS[number % len(TEXT_MARKERS)]


def _ring(colour: str, label: str) -> plt.Line2D:
    return plt.Line2D(
        [], [], ls="none", marker="o", ms=6, mfc="none", mec=colour, mew=0.9, label=label
    )


def _map_legend(figure: Figure, tokens: pd.DataFrame, w: Words) -> None:
    names = followed(tokens)
    handles = []
    for number, example in enumerate(tokens["example_id"].unique()):
        own = names[names["example_id"] == example]["token"]
        label = w["text_number"].format(number + 1)
        style: dict[str, Any] = {"ms": 4, "mfc": INK, "mec": "none"}
        if len(own):
            label += f": {drawable(own.iloc[0])}"
            style = {"ms": 5.5, "mfc": CATEGORY_COLOURS[number], "mec": INK, "mew": 0.7}
        handles.append(plt.Line2D([], [], ls="none", marker=_marker(number), label=label, **style))
    handles.append(_ring(INK, w["special"]))
    if _evidence(tokens).any():
        handles.append(_ring(EMPHASIS, w["evidence"]))
    figure.legend(
        handles=handles,
        title=w["trust_key"],
        title_fontsize=7.5,
        fontsize=7.5,
        loc="outside lower center",
        ncols=min(len(handles), 5),
        handletextpad=0.2,
    )


def close_up(results: Results, experiment: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the last map of every model state large, by UMAP, coloured by text."""
    point, layer = results.places(experiment)[-1]
    table = results.maps[experiment]
    table = table[
        (table["method"] == "umap") & (table["point"] == point) & (table["layer"] == layer)
    ]
    trust = results.trust[
        (results.trust["experiment"] == experiment)
        & (results.trust["method"] == "umap")
        & (results.trust["point"] == point)
        & (results.trust["layer"] == layer)
    ].set_index("variant")
    states = results.states(experiment)
    texts = results.texts[experiment]
    many = len(texts) > len(CATEGORY_COLOURS)
    with figure_style():
        figure, axes = plt.subplots(1, len(states), figsize=(WIDTH, 4.95), squeeze=False)
        for axis, variant in zip(axes[0], states, strict=True):
            tokens = table[table["variant"] == variant]
            _frame(axis, tokens)
            axis.set_box_aspect(1)
            axis.set_title(f"{experiment} · {w[variant]}")
            _print_trust(axis, trust.loc[variant])
            _rings(axis, tokens, 62, 1.0)
            for number, (_, own) in enumerate(tokens.groupby("example_id", sort=False)):
                colour = MUTED if many else CATEGORY_COLOURS[number]
                axis.scatter(own["x"], own["y"], s=18, color=colour, lw=0, marker=_marker(number))
            _name(axis, tokens)
        handles = []
        for number, label in enumerate(texts["label"]):
            name = w["text_number"].format(number + 1) + (f": {label}" if label else "")
            handles.append(
                plt.Line2D(
                    [],
                    [],
                    ls="none",
                    marker=_marker(number),
                    ms=5,
                    color=MUTED if many else CATEGORY_COLOURS[number],
                    label=name,
                )
            )
        handles.append(_ring(INK, w["special"]))
        if _evidence(table).any():
            handles.append(_ring(EMPHASIS, w["evidence"]))
        figure.legend(
            handles=handles,
            title=w["trust_key"],
            title_fontsize=7.5,
            loc="outside lower center",
            ncols=min(len(handles), 5),
            fontsize=8,
        )
    return figure, table.merge(trust[list(TRUST)], left_on="variant", right_index=True)


def _name(axis: Axes, tokens: pd.DataFrame) -> None:
    """Write what is marked beside it, as far as names do not cover each other."""
    written: list[tuple[float, float]] = []
    low, high = axis.get_xlim()
    unit = (high - low) / 100
    for row in tokens[_evidence(tokens) | tokens["is_special"].astype(bool)].itertuples():
        width = 2.0 * len(row.token) * unit
        right = row.x + 2.5 * unit + width < high
        left = row.x + 2.5 * unit if right else row.x - 2.5 * unit - width
        if any(abs(row.y - y) < 4 * unit and abs(left - x) < 18 * unit for x, y in written):
            continue
        written.append((left, row.y))
        axis.annotate(
            drawable(row.token),
            (row.x, row.y),
            xytext=(8 if right else -8, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=7,
        )


def map_data(results: Results, experiment: str, w: Words) -> MapData:
    """Every map of an experiment for the reader to choose from."""
    table = results.maps[experiment]
    places = {
        f"{point}-{layer}": _title(point, layer, w) for point, layer in results.places(experiment)
    }
    coordinates: dict[tuple[str, ...], NDArray[np.floating]] = {
        (f"{point}-{layer}", method, variant): part[["x", "y"]].to_numpy()
        for (variant, method, point, layer), part in table.groupby(
            ["variant", "method", "point", "layer"], sort=False
        )
    }
    tokens = table.iloc[: len(next(iter(coordinates.values())))]
    texts = results.texts[experiment]
    number = {example: index + 1 for index, example in enumerate(texts["example_id"])}
    numbers = [number[example] for example in tokens["example_id"]]
    colours = [Colouring(w["position"], {(): tokens["position"].tolist()})]
    names = tuple(w["text_number"].format(index) for index in number.values())
    if len(names) <= len(CATEGORY_COLOURS):
        values = [names[index - 1] for index in numbers]
        colours.append(Colouring(w["text"], {(): values}, categories=names))
    else:
        colours.append(Colouring(w["text"], {(): numbers}))
    labels = dict(zip(texts["example_id"], texts["label"], strict=True))
    kinds = tuple(dict.fromkeys(label for label in labels.values() if label))
    if 0 < len(kinds) <= len(CATEGORY_COLOURS):
        of_tokens = [labels[example] or None for example in tokens["example_id"]]
        colours.append(Colouring(w["label"], {(): of_tokens}, categories=kinds))
    marks = np.full(len(tokens), w["ordinary"], dtype=object)
    marks[tokens["is_special"].to_numpy(bool)] = w["special"]
    evidence = _evidence(tokens).to_numpy(bool)
    marks[evidence] = w["evidence"]
    categories = [w["ordinary"], w["special"], *([w["evidence"]] if evidence.any() else [])]
    colours.append(Colouring(w["kind"], {(): marks.tolist()}, categories=tuple(categories)))
    return MapData(
        choices=(
            Choice("point", w["point"], places),
            Choice("method", w["method"], {method: w[method] for method in METHODS}),
            Choice("variant", w["variant"], {v: w[v] for v in results.states(experiment)}),
        ),
        coordinates=coordinates,
        hover=[
            w["hover"].format(token, index, position)
            for token, index, position in zip(
                tokens["token"], numbers, tokens["position"], strict=True
            )
        ],
        colours=colours,
        notes={
            (f"{row.point}-{row.layer}", row.method, row.variant): " · ".join(
                f"{w[figure]} {getattr(row, figure):.2f}" for figure in TRUST
            )
            for row in results.trust[results.trust["experiment"] == experiment].itertuples()
        },
    )


def _title(point: str, layer: int, w: Words) -> str:
    return f"{w['layer']} {layer}: {w[point]}" if layer else w[point]


# --- along the forward pass -----------------------------------------------------------------------


def forward_grid(
    rows: Mapping[str, pd.DataFrame],
    results: Results,
    w: Words,
    *,
    by: str,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    limits: tuple[float, float] | None = (0, 1.02),
    height: float = 1.75,
    markers: bool = True,
) -> Figure:
    """Draw values at every feature point in the order of the forward pass.

    Parameters
    ----------
    rows
        Label of the vertical axis -> ``experiment``, ``variant``, ``by``, ``point``, ``layer``,
        ``mean``, and ``low`` and ``high`` where there are intervals.
    results
        Gives the order of the points.
    w
        Words of the page's language.
    by
        Column that tells the lines of a panel apart.
    colours, names
        Value of ``by`` -> colour, and name in the legend; none with a single one.
    limits
        Of the vertical axes; None fits them to the data.
    height
        Of a row, in inches.
    markers
        Whether every point has the symbol of its kind.
    """
    everything = pd.concat(rows.values())
    experiments = list(everything["experiment"].unique())
    variants = list(everything["variant"].unique())
    with figure_style():
        figure, axes = plt.subplots(
            len(rows),
            len(experiments),
            figsize=(WIDTH, height * len(rows) + 0.75),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        for column, experiment in enumerate(experiments):
            order = {place: index for index, place in enumerate(results.places(experiment))}
            for row, (label, table) in enumerate(rows.items()):
                axis = axes[row, column]
                part = table[table["experiment"] == experiment]
                for (variant, name), line in part.groupby(["variant", by], sort=False):
                    _forward_line(axis, line, order, colours[name], VARIANT_LINES[variant], markers)
                if limits:
                    axis.set_ylim(*limits)
                _layer_ticks(axis, list(order))
                axis.grid(axis="y")
                if row == 0:
                    axis.set_title(experiment)
                if column == 0:
                    axis.set_ylabel(label)
                if row == len(rows) - 1:
                    axis.set_xlabel(w["forward"])
        points = [p for p in POINT_MARKERS if markers and p in set(everything["point"])]
        several = len(names) > 1
        handles = [
            *(_line(names[name], colours[name], "solid") for name in names if several),
            *(
                _line(w[variant], INK, VARIANT_LINES[variant])
                for variant in variants
                if len(variants) > 1 or not several
            ),
            *(
                plt.Line2D(
                    [], [], ls="none", marker=POINT_MARKERS[p], ms=4, color=INK, mew=0, label=w[p]
                )
                for p in points
            ),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _line(label: str, colour: str, style: Any) -> plt.Line2D:
    return plt.Line2D([], [], color=colour, linestyle=style, label=label)


def _forward_line(
    axis: Axes,
    line: pd.DataFrame,
    order: Mapping[tuple[str, int], int],
    colour: str,
    style: Any,
    markers: bool,
) -> None:
    places = list(zip(line["point"], line["layer"], strict=True))
    x = np.array([order[place] for place in places])
    axis.plot(x, line["mean"], color=colour, linestyle=style, lw=1.2)
    if "low" in line:
        axis.fill_between(x, line["low"], line["high"], color=colour, alpha=0.15, lw=0)
    points = line["point"].to_numpy()
    for point in dict.fromkeys(points) if markers else ():
        chosen = points == point
        axis.plot(
            x[chosen],
            line["mean"].to_numpy()[chosen],
            POINT_MARKERS[point],
            ms=3.4,
            color=colour,
            mew=0,
        )


def _layer_ticks(axis: Axes, places: Sequence[tuple[str, int]]) -> None:
    """Name layers in their middle, and draw where they meet."""
    layers = np.array([layer for _, layer in places])
    names = np.unique(layers)
    axis.set_xticks([float(np.flatnonzero(layers == layer).mean()) for layer in names], names)
    axis.tick_params(axis="x", length=0)
    for border in np.flatnonzero(np.diff(layers)):
        axis.axvline(border + 0.5, color=MUTED, lw=0.5, alpha=0.35, zorder=0)


def moved_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of neighbours that each step of the forward pass takes from a token."""
    data = _moved(results).rename(columns={"moved": "mean"}).assign(one="")
    figure = forward_grid(
        {w["moved"]: data},
        results,
        w,
        by="one",
        colours={"": INK},
        names={"": ""},
        height=2.2,
    )
    return figure, data.drop(columns="one").rename(columns={"mean": "moved"})


def _moved(results: Results) -> pd.DataFrame:
    """One row a step; it needs no map, so every method says the same."""
    keys = ["experiment", "variant", "point", "layer"]
    return results.trust[results.trust["method"] == METHODS[0]][[*keys, "moved"]].dropna()


def trust_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the trust figures of every map."""
    keys = ["experiment", "variant", "method", "point", "layer"]
    data = results.trust[[*keys, *TRUST]]
    rows = {w[name]: data.rename(columns={name: "mean"}) for name in TRUST}
    rows[w["spread"]] = rows[w["spread"]].query("method != 'pca'")
    figure = forward_grid(
        rows,
        results,
        w,
        by="method",
        colours=METHOD_COLOURS,
        names={method: w[method] for method in METHODS},
        limits=None,
        height=1.35,
        markers=False,
    )
    return figure, data


def separation_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the silhouette by label at every point, of the first token and of the mean."""
    data = results.separation
    figure = forward_grid(
        {w["silhouette"]: data},
        results,
        w,
        by="vector",
        colours=VECTOR_COLOURS,
        names={"first": w["first"], "mean": w["mean_vector"]},
        limits=None,
        height=2.6,
    )
    for axis in figure.axes:
        axis.axhline(findings.STRUCTURE, color=MUTED, lw=0.8, ls=":", zorder=0)
    return figure, data


def shift_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw how far fine-tuning shifts maps, beside how far maps of different seeds differ."""
    data = _shifts(results)
    colours = {"shift": EMPHASIS, "spread_larger": MUTED}
    long = data.melt(
        ["experiment", "method", "point", "layer"],
        list(colours),
        var_name="what",
        value_name="mean",
    ).assign(variant="finetuned")
    long = long[(long["method"] != "pca") | (long["what"] == "shift")]
    rows = {
        w["disparity"].format(w[method]): long[long["method"] == method]
        for method in METHODS
        if method in set(long["method"])
    }
    figure = forward_grid(
        rows,
        results,
        w,
        by="what",
        colours=colours,
        names={name: w[name] for name in colours},
        height=1.5,
    )
    return figure, data


def _shifts(results: Results) -> pd.DataFrame:
    """One row a map after fine-tuning: its shift, and the larger spread of the two states."""
    keys = ["experiment", "method", "point", "layer"]
    after = results.trust[results.trust["shift"].notna()]
    before = results.trust[results.trust["shift"].isna()]
    both = after.merge(before[[*keys, "spread"]], on=keys, suffixes=("", "_before"))
    return both.assign(spread_larger=both[["spread", "spread_before"]].max(axis=1))[
        [*keys, "shift", "spread_larger"]
    ]


def change_curves(results: Results, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the cosine distance between features before and after fine-tuning."""
    data = _distances(results)
    figure = forward_grid(
        {w["cosine_distance"]: data.assign(variant="finetuned")},
        results,
        w,
        by="tokens",
        colours=TOKEN_COLOURS,
        names={"first": w["first"], "all": w["all"]},
        limits=None,
        height=2.2,
    )
    return figure, data


def _distances(results: Results) -> pd.DataFrame:
    """Cosine distances at the mapped points, in their order."""
    rows = results.change[results.change["measure"] == "cosine_distance"]
    frames = []
    for experiment, part in rows.groupby("experiment", sort=False):
        order = {place: index for index, place in enumerate(results.places(str(experiment)))}
        index = [
            order.get((point, int(layer)), -1)
            for point, layer in zip(part["point"], part["layer"], strict=True)
        ]
        part = part.assign(order=index)
        frames.append(part[part["order"] >= 0].sort_values("order").drop(columns="order"))
    return pd.concat(frames, ignore_index=True) if frames else rows


def trust_table(results: Results, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How far maps can be trusted: mean and worst, one row an experiment, state and method."""
    data = []
    for (experiment, variant, method), maps in results.trust.groupby(
        ["experiment", "variant", "method"], sort=False
    ):
        row: dict[str, Any] = {"experiment": experiment, "variant": variant, "method": method}
        for name, worst in WORST.items():
            row |= {name: maps[name].mean(), f"{name}_worst": worst(maps[name])}
        data.append(row)
    cells = [
        {
            w["experiment"]: row["experiment"],
            w["variant"]: w[row["variant"]],
            w["method"]: w[row["method"]],
        }
        | {
            # Nothing is drawn by lot in PCA.
            w[name]: "–"
            if name == "spread" and row["method"] == "pca"
            else f"{row[name]:.2f}\u00a0({row[f'{name}_worst']:.2f})"
            for name in TRUST
        }
        for row in data
    ]
    return pd.DataFrame(cells), pd.DataFrame(data)


# --- numbers --------------------------------------------------------------------------------------


def prose(results: Results, params: Params, w: Words, language: str) -> dict[str, str]:
    """Every number and sentence of the page, by name."""
    focus = params.report.focus.experiment
    found = summary(focus, "projection")[results.states(focus)[0]]
    layers = max(layer for _, layer in results.places(focus))
    steps: dict[findings.State, dict[tuple[str, int], float]] = {}
    for row in _moved(results).itertuples():
        steps.setdefault((row.experiment, row.variant), {})[row.point, int(row.layer)] = row.moved
    umap = results.trust[results.trust["method"] == METHODS[0]]
    worst = umap.loc[umap["trustworthiness"].idxmin()]
    numbers = (
        findings.separation(_silhouettes(results, "first"), w, language),
        findings.movement(_by_point(steps), w, language),
        params.projection.points,
        str(layers),
        str(2 + 3 * layers),
        str(2 + 5 * layers),
        str(len(results.texts[focus])),
        str(found["tokens"]),
        params.projection.metric,
        str(params.projection.seeds[0]),
        str(len(params.projection.seeds)),
        shown(params),
        findings.largest_step(steps, w, language),
        str(found["neighbors"]),
        f"{found['overlap_by_chance']:.2f}",
        findings.trusted(_means(results, "trustworthiness"), w, language),
        f"{worst['trustworthiness']:.2f}",
        findings.place_name(worst["point"], int(worst["layer"]), w)
        + w["of_state"].format(worst["experiment"], w[worst["variant"]]),
        *(span(list(_means(results, "spread")[method].values()), ".2f") for method in METHODS[:2]),
        _ends(_silhouettes(results, "mean")),
        f"{findings.STRUCTURE}",
        findings.shifted(_exceeding(results), w, language),
        findings.changed(_turned(results), w, language),
        f"{params.bootstrap.confidence:.0%}",
    )
    return dict(zip(NUMBERS, numbers, strict=True))


def _by_point(
    steps: Mapping[findings.State, Mapping[tuple[str, int], float]],
) -> dict[findings.State, dict[str, float]]:
    means = {}
    for state, shares in steps.items():
        by: dict[str, list[float]] = {}
        for (point, _), share in shares.items():
            by.setdefault(point, []).append(share)
        means[state] = {point: float(np.mean(values)) for point, values in by.items()}
    return means


def _silhouettes(results: Results, vector: str) -> findings.Silhouettes:
    """Take the defined silhouettes of one kind of vector, as the findings take them."""
    rows = results.separation
    found: dict[findings.State, dict[int, dict[str, findings.Interval]]] = {}
    for row in rows[rows["vector"] == vector].dropna(subset="mean").itertuples():
        layers = found.setdefault((row.experiment, row.variant), {})
        value = findings.Interval(row.mean, row.low, row.high)
        layers.setdefault(int(row.layer), {})[row.point] = value
    return found


def _ends(silhouettes: findings.Silhouettes) -> str:
    """Range of the last silhouettes of the fine-tuned models."""
    ends = [
        findings.last(layers).mean
        for (_, variant), layers in silhouettes.items()
        if variant == "finetuned"
    ]
    return span(ends, ".2f") if ends else "–"


def _means(results: Results, figure: str) -> dict[str, dict[findings.State, float]]:
    means: dict[str, dict[findings.State, float]] = {}
    for (method, experiment, variant), maps in results.trust.groupby(
        ["method", "experiment", "variant"], sort=False
    ):
        means.setdefault(method, {})[experiment, variant] = float(maps[figure].mean())
    return means


def _exceeding(results: Results) -> dict[str, dict[str, tuple[int, int]]]:
    """Count, by method and experiment, maps that shift by more than the spread, and maps."""
    shifts = _shifts(results)
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for method in METHODS[:2]:  # PCA has no spread
        for experiment, maps in shifts[shifts["method"] == method].groupby(
            "experiment", sort=False
        ):
            beyond = int((maps["shift"] > maps["spread_larger"]).sum())
            counts.setdefault(method, {})[str(experiment)] = (beyond, len(maps))
    return counts


def _turned(results: Results) -> dict[str, dict[tuple[str, int], float]]:
    found: dict[str, dict[tuple[str, int], float]] = {}
    rows = _distances(results)
    for row in rows[rows["tokens"] == "all"].itertuples():
        found.setdefault(row.experiment, {})[row.point, int(row.layer)] = row.mean
    return found
