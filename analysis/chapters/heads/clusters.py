"""Chapter *heads*: clusters of attention maps, what supports them, and their typical maps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from analysis.chapters.heads.figures import FAMILY_COLOURS, family_legend, shaded
from analysis.figures.curves import curve_grid
from analysis.figures.maps import map_grid, name_tokens
from analysis.figures.planes import Plane, dot_keys, plane_grid
from analysis.figures.style import (
    EMPHASIS,
    INK,
    MUTED,
    SMALLEST,
    VARIANT_LINES,
    WIDTH,
    figure_style,
    frame,
    legend_key,
)
from analysis.fonts import drawable
from analysis.prose.phrases import written
from analysis.results.explorer import Linked
from analysis.results.summary import HEAD, table
from attention_mixing.messages import Words
from attention_mixing.methods.head_families import FAMILIES

CLUSTERING_COLOURS = {"kmeans": "#0072B2", "agglomerative": "#E69F00"}
# Clusters have no meaning that a family has: none of the families' colours.
CLUSTER_COLOURS = (
    "#CC6677",
    "#44AA99",
    "#B8A13A",
    "#7570B3",
    "#A0614A",
    "#882255",
    "#6699CC",
    "#5D9C3C",
    "#E7298A",
    "#A6761D",
    "#D55E00",
    "#999933",
)
QUALITY = ("distortion", "silhouette", "calinski_harabasz", "stability")
PLANES = ("pca", "umap")
# Not the family: the descriptors that are clustered define it.
CLASSES = ("layer", "head", "text")

NAMED = ["subject", "facet", "clusters", "quantity"]


# More tokens than this leave no room for their names beside a map.
LABELLED = 25
KINDS = ("cluster", "family")


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the clusters: a row an experiment and model state, a column each :data:`NAMED`."""
    of_each = rows[rows["variant"] != "both"].set_index(["experiment", "variant", *NAMED])["mean"]
    return of_each.unstack(NAMED, sort=False).sort_index(axis=1)


def read(experiment: str, name: str) -> pd.DataFrame:
    """Read what is shown of the clusters of an experiment, of all states together."""
    rows = table("clusters", name, experiment, "both")
    rows.insert(0, "experiment", experiment)
    return rows


def imaged(values: pd.DataFrame) -> pd.Series:
    """Tell whether components of an experiment are those of maps as images, as published."""
    return values.get(("images", "", 0, "dimensions"), pd.Series(index=values.index)).notna()


# --- how many clusters there are ------------------------------------------------------------------


def quality_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the quality of clusters over their number, and the elbow where there is one."""
    of_numbers = rows[rows["subject"].isin(CLUSTERING_COLOURS) & (rows["clusters"] > 0)]
    data = (
        of_numbers.rename(columns={"clusters": "k"})
        .pivot_table("mean", ["experiment", "variant", "subject", "k"], "quantity", sort=False)
        .reset_index()
    )
    of_states = numbers(rows)
    curves = data.assign(layer=data["k"], low=np.nan, high=np.nan)
    panels = {w[measure]: curves.assign(mean=curves[measure]) for measure in QUALITY}
    ends = {"low": curves["stability_low"], "high": curves["stability_high"]}
    panels[w["stability"]] = panels[w["stability"]].assign(**ends)
    named = w | {"layer": w["k"]}
    figure, _ = curve_grid(
        panels,
        named,
        colours=CLUSTERING_COLOURS,
        by="subject",
        limits=None,
        height=1.45,
        names=False,
    )
    plt.setp([line for axis in figure.axes for line in axis.lines], marker="o", ms=2.5, mew=0)
    keys: dict[str, dict[str, Any]] = {
        w[method]: {"color": colour} for method, colour in CLUSTERING_COLOURS.items()
    }
    keys |= {w[state]: {"color": INK, "ls": VARIANT_LINES[state]} for state in _states(data)}
    keys[w["reference"]] = {"color": MUTED}
    with figure_style():
        # Those with a title, which share their x with all below them.
        first = (axis for axis in figure.axes if axis.get_title("left"))
        for distortion, experiment in zip(first, data["experiment"].unique(), strict=True):
            group = data[(data["experiment"] == experiment) & (data["subject"] == "kmeans")]
            for state, curve in group.groupby("variant", sort=False):
                line = keys[w["reference"]] | {"ls": VARIANT_LINES[state]}
                distortion.plot(curve["k"], curve["reference"], **line)
                elbow = of_states.loc[(experiment, state)]["elbow", "", 0]
                if elbow["found"]:
                    keys[w["elbow"]] = {"color": EMPHASIS, "ls": (0, (1, 1))}
                    distortion.axvline(elbow["k"], lw=1, **keys[w["elbow"]])
            distortion.set_yscale("log")
            distortion.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            distortion.yaxis.set_minor_locator(NullLocator())
            # On such axes data without clusters make a straight line, and an elbow is a bend.
            distortion.set_xscale("log")
            distortion.set_xticks(_apart(sorted(group["k"].unique())))
            for axis in (distortion.xaxis, distortion.yaxis):
                axis.set_major_formatter("{x:g}")
            distortion.minorticks_off()
        figure.legends[0].remove()
        handles = [legend_key(name, **style) for name, style in keys.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure, data


def _states(data: pd.DataFrame) -> list[str]:
    """List the model states that lines tell apart: none where there is one only."""
    variants = set(data["variant"])
    return [state for state in VARIANT_LINES if state in variants] if len(variants) > 1 else []


def _apart(ks: Sequence[int]) -> list[int]:
    """Keep the numbers, from the last on, that leave room for each other on a logarithmic axis."""
    ticks = [ks[-1]]
    for k in ks[-2::-1]:
        room = 0.05 + 0.02 * len(str(k))
        if np.log(ticks[-1] / k) >= room * np.log(ks[-1] / ks[0]):
            ticks.append(k)
    return ticks


def agreement_table(rows: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what clusters go along with and what they are worth, a row for each model state."""
    data, cells = [], []
    of_experiments = numbers(rows)
    features = imaged(of_experiments).map({True: "images", False: "descriptors"})
    for (name, state), values in of_experiments.iterrows():
        k = int(values["", "", 0, "k"])
        stability = ("stability", "stability_low", "stability_high")
        row = {
            "experiment": name,
            "variant": state,
            **{f"ari_{key}": values["class", key, 0, "agreement"] for key in CLASSES},
            **{f"chance_{key}": values["class", key, 0, "chance"] for key in CLASSES},
            "ari_distances": values["distances", "main", 0, "agreement"],
            "k": k,
            "silhouette": values["all", "", 0, "silhouette"],
            **{key: values["kmeans", "", k, key] for key in stability},
            "hdbscan": int(values["hdbscan", "", 0, "clusters"]),
            "unassigned": values["hdbscan", "", 0, "unassigned"],
            "components": values[features[name, state], "", 0, "first_components"],
        }
        data.append(row)
        found_again = [written(row[key], "z.2f") for key in stability]
        classes = {w[f"class_{key}"]: row[f"ari_{key}"] for key in CLASSES}
        classes[w["distances"]] = row["ari_distances"]
        cells.append(
            {w["experiment"]: name, w["model"]: w[state]}
            | {
                w["ari"].format(agreement=key): written(value, "z.2f")
                for key, value in classes.items()
            }
            | {
                w["silhouette_at"].format(k=k): written(row["silhouette"], "z.2f"),
                w["stability_at"].format(k=k): "{}\u00a0[{},\u00a0{}]".format(*found_again),
                w["hdbscan"]: row["hdbscan"],
                w["unassigned"]: f"{row['unassigned']:.0%}",
                w["components"]: f"{row['components']:.1%}",
            }
        )
    return pd.DataFrame(cells), pd.DataFrame(data)


# --- where maps and heads lie ---------------------------------------------------------------------


def planes(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the sampled maps in two planes, coloured by cluster and by family."""
    clusters = {k: cluster_colour(k) for k in sorted(data["kmeans"].unique())}
    named = {cluster_name(k, w): colour for k, colour in clusters.items()}
    # Column -> title, colours of its values, and what the legend calls them.
    colourings = {
        "kmeans": ("by_cluster", clusters, named),
        "family": ("by_family", FAMILY_COLOURS, family_legend(data["family"], w)),
    }
    panels = {}
    for plane, (by, (title, colours, legend)) in product(PLANES, colourings.items()):
        points = data[[f"{plane}_x", f"{plane}_y"]].set_axis(["x", "y"], axis=1)
        below = legend if plane == PLANES[-1] else {}
        panels[w[title].format(plane=w[plane])] = Plane(points, data[by].map(colours), legend=below)
    return plane_grid(panels, across=2, size=9, rasterized=True), data


def cluster_colour(cluster: int) -> str:
    """Colour of a cluster, everywhere the same."""
    return CLUSTER_COLOURS[(cluster - 1) % len(CLUSTER_COLOURS)]


def cluster_name(cluster: int, w: Words) -> str:
    """Name of a cluster."""
    return f"{w['cluster']} {cluster}"


def by_head(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of each cluster in the maps of every head, a heat map a cluster and state."""
    names, variants = sorted(data["cluster"].unique()), data["variant"].unique()
    places = {axis: range(1, data[axis].max() + 1) for axis in ("layer", "head")}
    panels = {}
    for cluster, variant in product(names, variants):
        group = data[(data["cluster"] == cluster) & (data["variant"] == variant)]
        shares = group.pivot(index="layer", columns="head", values="share")
        shares = shares.reindex(index=places["layer"], columns=places["head"]).fillna(0)
        state = f"\n{w[variant]}" if len(variants) > 1 else ""
        panels[cluster_name(cluster, w) + state] = shares
    # Two clusters a row; more would leave no room for the names of the states.
    return map_grid(panels, w, across=4, bar=w["share_of_head"], vmin=0, vmax=1), data


def head_planes(places: pd.DataFrame, heads: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw heads by their Jensen-Shannon distances, coloured by layer and by family."""
    data = places.merge(heads[[*HEAD, "family"]], on=HEAD, how="left")
    colourings = {"by_layer": data["layer"], "by_family": data["family"].map(FAMILY_COLOURS)}
    panels = {
        w[by].format(plane=w[variant]): Plane(group, colours[group.index])
        for by, colours in colourings.items()
        for variant, group in data.groupby("variant", sort=False)
    }
    across, keys = data["variant"].nunique(), dot_keys(family_legend(data["family"], w))
    return plane_grid(panels, across=across, size=22, together=True, legend=keys), data


# --- typical maps ---------------------------------------------------------------------------------


def typical_maps(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the most typical maps of each cluster, left, and of each family, right.

    The most typical one is large, with the tokens of its text where there is room.
    """
    halves = [_groups(data, kind, w) for kind in KINDS]
    rows = max(map(len, halves))
    with figure_style():
        figure = plt.figure(figsize=(WIDTH, 1.85 * rows + 0.1))
        grid = figure.add_gridspec(2 * rows, 4, width_ratios=(1.9, 1.1, 1.9, 1.1))
        for half, groups in enumerate(halves):
            for row, (title, colour, maps) in enumerate(groups):
                grid_cells = (
                    grid[2 * row : 2 * row + 2, 2 * half],
                    grid[2 * row, 2 * half + 1],
                    grid[2 * row + 1, 2 * half + 1],
                )
                for cell, attention_map in zip(grid_cells, maps.itertuples(), strict=False):
                    _typical(figure.add_subplot(cell), attention_map, title, colour)
    return figure, _long(data)


def _groups(data: pd.DataFrame, kind: str, w: Words) -> list[tuple[str, str, pd.DataFrame]]:
    """Name, colour and maps, the most typical first, of every cluster or family."""
    maps = data[data["kind"] == kind].sort_values("rank", kind="stable")
    by_name = dict(list(maps.groupby("name")))
    if kind == "family":
        return [(w[f], FAMILY_COLOURS[f], by_name[f]) for f in FAMILIES if f in by_name]
    clusters = sorted(map(int, by_name))
    return [(cluster_name(k, w), cluster_colour(k), by_name[str(k)]) for k in clusters]


def _typical(axis: Axes, attention_map: Any, title: str, colour: str) -> None:
    """Draw one map; the first of its group with name and tokens."""
    tokens = [drawable(token) for token in attention_map.tokens]
    weights = np.reshape(attention_map.attention, (len(tokens), len(tokens))).astype(np.float64)
    axis.imshow(shaded(weights), interpolation="none")
    axis.set_anchor("NW")
    frame(axis)
    where = f"{attention_map.layer}.{attention_map.head}"
    if attention_map.rank > 1:
        axis.set_title(where, fontsize=SMALLEST)
        return
    axis.set_title(f"{title} · {where}", fontsize=SMALLEST)
    axis.spines[:].set(color=colour, linewidth=1.5)
    if len(tokens) <= LABELLED:
        name_tokens(axis.xaxis, tokens, rotation=90)
        name_tokens(axis.yaxis, tokens)
        axis.tick_params(pad=1)


def _long(data: pd.DataFrame) -> pd.DataFrame:
    """One row a map, its tokens and weights as text."""
    return data.drop(columns=["tokens", "attention"]).assign(
        tokens=[" ".join(tokens) for tokens in data["tokens"]],
        attention=[
            " ".join(f"{weight:.3g}" for weight in weights) for weights in data["attention"]
        ],
    )


def typical_texts(
    data: pd.DataFrame, linked: Linked, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what the typical maps are maps of: group, state, linked layer and head, text."""
    groups = [group for kind in KINDS for group in _groups(data, kind, w)]
    data = pd.concat([maps for _, _, maps in groups])
    texts = [readable(tokens) for tokens in data["tokens"]]
    cells = {
        "group": [name for name, _, maps in groups for _ in range(len(maps))],
        "variant": data["variant"].map(w),
        "head": [
            linked(row.experiment, row.layer, row.head, f"{row.layer}.{row.head}", s=row.variant)
            for row in data.itertuples()
        ],
        "read": texts,
    }
    downloaded = data.drop(columns=["tokens", "attention"]).assign(text=texts)
    return pd.DataFrame(cells).rename(columns=w), downloaded


def readable(tokens: Sequence[str]) -> str:
    """Join tokens, the pieces of a word into one."""
    # Byte-level BPE and SentencePiece mark where a word begins, WordPiece where it goes on.
    marks = [mark for mark in ("\u0120", "\u2581") if any(mark in token for token in tokens)]
    if marks:
        # Byte-level BPE has a letter for the line break as well.
        blank = str.maketrans(dict.fromkeys("\u0120\u010a" if marks[0] == "\u0120" else marks, " "))
        return "".join(tokens).translate(blank).strip()
    return " ".join(tokens).replace(" ##", "")
