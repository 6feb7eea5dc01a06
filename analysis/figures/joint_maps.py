"""Chapter *geometry*: queries and keys of every head together, on maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray

from analysis.figures.change import most_changed
from analysis.figures.interactive import Choice, Chosen, Colouring, Line, Lines, MapData
from analysis.figures.results import trained
from analysis.figures.sentence import KIND_COLOURS, kind_legend
from analysis.figures.style import (
    CATEGORY_COLOURS,
    DOTS,
    MUTED,
    WIDTH,
    figure_style,
    frame,
)
from analysis.figures.words import Words
from analysis.params import Params
from analysis.params.sections import Pair
from analysis.paths import result

METHODS = ("pca", "umap", "tsne")
FIGURES = ("trustworthiness", "continuity", "overlap")
# Rasters inside the vector figure: thousands of dots in dozens of panels.
DOTS_PER_INCH = 200
OWN_WORDS = {
    "kind": ("kind", "種類"),
    "position": ("position", "位置"),
    "norm": ("length", "長さ"),
    "frequency": ("frequency of the token", "トークンの頻度"),
    "label": ("label of the text", "テキストのラベル"),
    "text": ("text", "テキスト"),
    "part": ("role", "役割"),
    "special": ("special", "特殊トークン"),
    "evidence": ("evidence", "根拠の語"),
    "other": ("other", "その他"),
}


@dataclass(frozen=True)
class Joint:
    """Maps of one experiment.

    Attributes
    ----------
    points
        A row a point: queries, then keys.
    maps
        A row for each variant, layer, head, method and point.
    trust
        A row for each map.
    lines
        Strongest pairs of every variant and head.
    """

    points: pd.DataFrame
    maps: pd.DataFrame
    trust: pd.DataFrame
    lines: pd.DataFrame

    def coordinates(self, variant: str, method: str) -> Mapping[tuple[int, int], pd.DataFrame]:
        """``(layer, head)`` -> rows of the points, in order."""
        part = self.maps[(self.maps["variant"] == variant) & (self.maps["method"] == method)]
        return {
            (int(layer), int(head)): rows
            for (layer, head), rows in part.groupby(["layer", "head"], sort=True)
        }

    def drawn_queries(self) -> tuple[list[int], int, list[float]]:
        """Count queries that the strongest pairs of each head come from, and all; weakest pair."""
        heads = self.lines.groupby(["variant", "layer", "head"], sort=False)
        queries = heads["query"].nunique().tolist()
        return queries, len(self.points) // 2, heads["attention"].min().tolist()


def read_joint(name: str) -> Joint:
    """Read the maps of one experiment."""
    return Joint(
        *(
            pd.read_parquet(result(name, f"joint_{table}.parquet"))
            for table in ("points", "maps", "trust", "lines")
        )
    )


def matrix(joint: Joint, variant: str, methods: tuple[str, ...], w: Words) -> Figure:
    """Small multiples, a cell for each layer and head; one block a method."""
    colours = [KIND_COLOURS[kind] for kind in joint.points["kind"]]
    layers, heads = max(joint.coordinates(variant, methods[0]))
    side = WIDTH / heads
    with figure_style(), plt.rc_context({"savefig.dpi": DOTS_PER_INCH}):
        figure, axes = plt.subplots(
            len(methods),
            1,
            figsize=(WIDTH, (side * layers + 0.35) * len(methods) + 0.3),
            squeeze=False,
        )
        for axis, method in zip(axes[:, 0], methods, strict=True):
            cells = [
                _in_cell(rows[["x", "y"]].to_numpy(float)) + np.array([head, -layer])
                for (layer, head), rows in joint.coordinates(variant, method).items()
            ]
            # One raster for all cells: thousands of dots, as paths, would outweigh the page.
            axis.scatter(
                *np.concatenate(cells).T, s=1.6, c=colours * len(cells), lw=0, rasterized=True
            )
            axis.set_xlim(0.5, heads + 0.5)
            axis.set_ylim(-layers - 0.5, -0.5)
            axis.set_xticks(range(1, heads + 1))
            axis.set_yticks(range(-layers, 0), range(layers, 0, -1))
            axis.xaxis.tick_top()
            axis.tick_params(length=0, labelsize=6.5)
            axis.vlines(np.arange(heads + 1) + 0.5, -layers - 0.5, -0.5, color=MUTED, lw=0.5)
            axis.hlines(-np.arange(layers + 1) - 0.5, 0.5, heads + 0.5, color=MUTED, lw=0.5)
            axis.set_frame_on(False)
            axis.set_ylabel(w["layer"] if len(methods) == 1 else f"{w[method]}, {w['layer']}")
        axes[0, 0].set_title(w["head"], fontsize=8, loc="center")
        kind_legend(figure, w)
    return figure


def _in_cell(layout: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move and scale a layout into the middle of a cell of side 1, its shape unchanged."""
    low, high = layout.min(axis=0), layout.max(axis=0)
    return (layout - (low + high) / 2) / ((high - low).max() or 1.0) * 0.86


def one_head(
    joint: Joint, variant: str, head: tuple[int, int], w: Words
) -> tuple[Figure, pd.DataFrame]:
    """One head at large, in as many colours as there is something to tell."""
    method = "umap" if "umap" in set(joint.maps["method"]) else "pca"
    rows = joint.coordinates(variant, method)[head].reset_index(drop=True)
    points = joint.points.assign(
        x=rows["x"], y=rows["y"], norm=rows["norm"], part=_parts(joint.points, w)
    )
    numbers = ["position", "norm", "frequency"]
    categories = ["text", "part"] + (["label"] if points["label"].notna().any() else [])
    panels = ["kind", *numbers, *categories]
    points["text"] = points["example_id"].astype(str)
    lines = _lines_of(joint, variant, head)
    with figure_style():
        rows_of_panels = -(-len(panels) // 3)
        figure, axes = plt.subplots(
            rows_of_panels, 3, figsize=(WIDTH, 2.65 * rows_of_panels), squeeze=False
        )
        for axis in axes.flat[len(panels) :]:
            axis.axis("off")
        for axis, panel in zip(axes.flat, panels, strict=False):
            frame(axis, margin=0.08)
            axis.set_title(w[panel], fontsize=8)
            if panel in numbers:
                dots = axis.scatter(points["x"], points["y"], c=points[panel], cmap=DOTS, s=7, lw=0)
                figure.colorbar(dots, ax=axis, location="bottom", shrink=0.8, aspect=25)
                continue
            if panel == "kind":
                for query, key, weight in lines:
                    axis.plot(
                        points["x"][[query, key]],
                        points["y"][[query, key]],
                        color=MUTED,
                        lw=0.3 + 1.5 * weight,
                        alpha=0.45,
                        zorder=1,
                    )
            names = [str(one) for one in points[panel].dropna().unique()]
            palette = (
                KIND_COLOURS
                if panel == "kind"
                else {
                    one: CATEGORY_COLOURS[i % len(CATEGORY_COLOURS)] for i, one in enumerate(names)
                }
            )
            for one in names:
                chosen = points[panel].astype(str) == one
                axis.scatter(
                    points["x"][chosen],
                    points["y"][chosen],
                    color=palette[one],
                    s=7,
                    lw=0,
                    label=w.get(one, one),
                    zorder=2,
                )
            axis.legend(
                fontsize=6, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, markerscale=1.5
            )
    return figure, points


def aligned(params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the head that fine-tuning changed most, by PCA, before and after."""
    joint = read_joint(trained(params)[0])
    head = most_changed(params)
    kinds = joint.points["kind"].to_numpy()
    frames = []
    with figure_style():
        figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.4), sharex=True, sharey=True)
        for axis, variant in zip(axes, ("pretrained", "finetuned"), strict=True):
            rows = joint.coordinates(variant, "pca")[head].reset_index(drop=True)
            frame(axis, margin=0.08)
            for kind, colour in KIND_COLOURS.items():
                chosen = kinds == kind
                axis.scatter(
                    rows["x"][chosen], rows["y"][chosen], s=8, lw=0, color=colour, label=w[kind]
                )
            axis.set_title(w[variant])
            frames.append(joint.points.assign(variant=variant, x=rows["x"], y=rows["y"]))
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure, pd.concat(frames, ignore_index=True)


def interactive(joint: Joint, pair: Pair, w: Words) -> MapData:
    """Give the same maps to the page, for every head, method and state."""
    methods = [method for method in METHODS if method in set(joint.maps["method"])]
    variants: list[str] = joint.maps["variant"].unique().tolist()
    places = list(joint.coordinates(variants[0], "pca"))
    names = {place: f"{place[0]}.{place[1]}" for place in places}
    coordinates: dict[Chosen, NDArray[np.float64]] = {}
    norms: dict[Chosen, list[float | str | None]] = {}
    lines: dict[Chosen, list[Line]] = {}
    for variant in variants:
        for method in methods:
            for place, rows in joint.coordinates(variant, method).items():
                coordinates[names[place], method, variant] = rows[["x", "y"]].to_numpy(float)
                norms[names[place], variant] = rows["norm"].tolist()
        for place in places:
            lines[names[place], variant] = [
                Line(query, key, weight, _is_asked(joint.points, query, key, pair))
                for query, key, weight in _lines_of(joint, variant, place)
            ]
    points = joint.points
    hover = [
        f"{row.token}\n{w[row.kind]} · {w['text']} {row.example_id}, {w['position']} {row.position}"
        for row in points.itertuples()
    ]
    colours = [
        Colouring(
            w["kind"],
            {(): [w[kind] for kind in points["kind"]]},
            categories=(w["query"], w["key"]),
            palette=tuple(KIND_COLOURS.values()),
        ),
        Colouring(w["position"], {(): points["position"].tolist()}),
        Colouring(w["norm"], norms, by=("head", "variant")),
        Colouring(w["frequency"], {(): points["frequency"].tolist()}),
        Colouring(
            w["part"],
            {(): _parts(points, w)},
            categories=(w["special"], w["evidence"], w["other"]),
        ),
    ]
    if points["label"].notna().any():
        labels = [None if pd.isna(one) else str(int(one)) for one in points["label"]]
        known = tuple(sorted({one for one in labels if one is not None}))
        colours.append(Colouring(w["label"], {(): labels}, categories=known))
    return MapData(
        choices=[
            Choice("head", w["head"], {names[place]: names[place] for place in places}),
            Choice("method", w["method"], {method: w[method] for method in methods}),
            Choice("variant", w["variant"], {variant: w[variant] for variant in variants}),
        ],
        coordinates=coordinates,
        hover=hover,
        colours=colours,
        groups=(w["query"], w["key"]),
        group=[("query", "key").index(kind) for kind in points["kind"]],
        lines=Lines(lines, by=("head", "variant")),
        aligned=("variant",),
        notes={
            (f"{row.layer}.{row.head}", row.method, row.variant): " · ".join(
                f"{w[figure]} {getattr(row, figure):.2f}" for figure in FIGURES
            )
            for row in joint.trust.itertuples()
        },
    )


def trust_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean trust figures over heads, one row an experiment, state and method."""
    frames = [
        pd.read_parquet(result(name, "joint_trust.parquet")).assign(experiment=name)
        for name in params.experiments
    ]
    data = pd.concat(frames, ignore_index=True)
    means = data.groupby(["experiment", "variant", "method"], sort=False)[list(FIGURES)].mean()
    cells = means.map(lambda value: f"{value:.2f}").reset_index()
    for column in ("variant", "method"):
        cells[column] = cells[column].map(w)
    return cells.rename(columns=w), data


def _parts(points: pd.DataFrame, w: Words) -> list[str]:
    kind = np.where(
        points["is_special"],
        "special",
        np.where(points["is_evidence"].fillna(False), "evidence", "other"),
    )
    return [w[one] for one in kind]


def _lines_of(joint: Joint, variant: str, head: tuple[int, int]) -> list[tuple[int, int, float]]:
    lines = joint.lines
    part = lines[
        (lines["variant"] == variant) & (lines["layer"] == head[0]) & (lines["head"] == head[1])
    ]
    return [(int(r.query), int(r.key), float(r.attention)) for r in part.itertuples()]


def _is_asked(points: pd.DataFrame, query: int, key: int, pair: Pair) -> bool:
    return points["token"].iat[query] == pair.query and points["token"].iat[key] in pair.keys
