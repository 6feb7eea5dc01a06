"""Chapter *heads*: clusters of attention maps, and what there is to say for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import LogLocator, NullLocator
from numpy.typing import NDArray

from analysis.figures.heads import FAMILY_COLOURS, HEAD, family_handles
from analysis.figures.maps import map_grid
from analysis.figures.results import table
from analysis.figures.style import DOTS, EMPHASIS, MUTED, WIDTH, figure_style, frame, legend_key
from analysis.figures.words import Words

METHOD_COLOURS = {"kmeans": "#0072B2", "agglomerative": "#E69F00"}
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


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the clusters: a row an experiment, a column each ``of``, ``kind``, ``measure``."""
    of_each = rows.set_index(["experiment", "of", "kind", "measure"])["mean"]
    wide = of_each.unstack(["of", "kind", "measure"]).sort_index(axis=1)
    return wide.loc[rows["experiment"].unique()]


def read(experiment: str, name: str) -> pd.DataFrame:
    """Read what is shown of the clusters of an experiment, of all states together."""
    found = table("heads", "clusters", name, experiment, "both")
    found.insert(0, "experiment", experiment)
    return found


def imaged(found: pd.DataFrame) -> pd.Series:
    """Whether the components of an experiment are those of maps as images, as published."""
    return found.get(("images", "", "dimensions"), pd.Series(index=found.index)).notna()


# --- how many clusters there are ------------------------------------------------------------------


def quality_curves(rows: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the quality of clusters over their number, and the elbow where there is one."""
    of_numbers = rows[rows["of"].isin(METHOD_COLOURS) & rows["kind"].str.isdecimal()]
    data = (
        of_numbers.assign(k=of_numbers["kind"].astype(int))
        .pivot_table("mean", ["experiment", "of", "k"], "measure", sort=False)
        .reset_index()
    )
    found = numbers(rows)
    with figure_style():
        figure, axes = plt.subplots(
            len(QUALITY),
            len(found),
            figsize=(WIDTH, 1.35 * len(QUALITY) + 0.75),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        marked = False
        for column, (experiment, one) in enumerate(found.iterrows()):
            part = data[data["experiment"] == experiment]
            elbow = one["elbow", ""]
            marked |= bool(elbow["found"])
            for row, measure in enumerate(QUALITY):
                axis = axes[row, column]
                _quality(axis, part, measure)
                if elbow["found"] and measure == "distortion":
                    axis.axvline(elbow["k"], color=EMPHASIS, lw=1, ls=(0, (1, 1)))
                # On such axes data without clusters make a straight line, and an elbow is a bend.
                axis.set_xscale("log")
                axis.set_xticks(_apart(sorted(part["k"].unique())))
                axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
                axis.minorticks_off()
                axis.grid(axis="y")
                if column == 0:
                    axis.set_ylabel(w[measure])
            axes[0, column].set_yscale("log")
            axes[0, column].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes[0, column].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes[0, column].yaxis.set_minor_locator(NullLocator())
            axes[0, column].set_title(experiment)
            axes[-1, column].set_xlabel(w["k"])
        handles = [legend_key(w[method], color=colour) for method, colour in METHOD_COLOURS.items()]
        handles.append(legend_key(w["reference"], color=MUTED, ls="dashed"))
        if marked:
            handles.append(legend_key(w["elbow"], color=EMPHASIS, ls=(0, (1, 1))))
        figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure, data


def _apart(ks: Sequence[int]) -> list[int]:
    """Keep the numbers, from the last on, that leave room for each other on a logarithmic axis."""
    kept = [ks[-1]]
    for k in ks[-2::-1]:
        room = 0.05 + 0.02 * len(str(k))
        if np.log(kept[-1] / k) >= room * np.log(ks[-1] / ks[0]):
            kept.append(k)
    return kept


def _quality(axis: Axes, part: pd.DataFrame, measure: str) -> None:
    for method, colour in METHOD_COLOURS.items():
        line = part[part["of"] == method].dropna(subset=measure)
        axis.plot(line["k"], line[measure], color=colour, marker="o", ms=2.5, mew=0)
        if measure == "stability":
            axis.fill_between(
                line["k"],
                line["stability_low"],
                line["stability_high"],
                color=colour,
                alpha=0.15,
                lw=0,
            )
    if measure == "distortion":
        line = part[part["of"] == "kmeans"]
        axis.plot(line["k"], line["reference"], color=MUTED, ls="dashed")


def agreement_table(rows: pd.DataFrame, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what clusters go along with and what they are worth, one row an experiment."""
    data, cells = [], []
    of_experiments = numbers(rows)
    features = imaged(of_experiments).map({True: "images", False: "descriptors"})
    for name, found in of_experiments.iterrows():
        k = int(found["", "", "k"])
        stability = ("stability", "stability_low", "stability_high")
        row = {
            "experiment": name,
            **{f"ari_{key}": found["class", key, "agreement"] for key in CLASSES},
            **{f"chance_{key}": found["class", key, "chance"] for key in CLASSES},
            "ari_distances": found["distances", "main", "agreement"],
            "k": k,
            "silhouette": found["all", "", "silhouette"],
            **{key: found["kmeans", str(k), key] for key in stability},
            "hdbscan": int(found["hdbscan", "", "clusters"]),
            "unassigned": found["hdbscan", "", "unassigned"],
            "components": found[features[name], "", "first_components"],
        }
        data.append(row)
        of_k, low, high = (row[key] for key in stability)
        classes = {w[f"class_{key}"]: row[f"ari_{key}"] for key in CLASSES}
        classes[w["distances"]] = row["ari_distances"]
        cells.append(
            {w["experiment"]: name}
            | {w["ari"].format(agreement=key): f"{value:z.2f}" for key, value in classes.items()}
            | {
                w["silhouette_at"].format(k=k): f"{row['silhouette']:z.2f}",
                w["stability_at"].format(k=k): f"{of_k:z.2f} [{low:z.2f}, {high:z.2f}]",
                w["hdbscan"]: row["hdbscan"],
                w["unassigned"]: f"{row['unassigned']:.0%}",
                w["components"]: f"{row['components']:.1%}",
            }
        )
    return pd.DataFrame(cells), pd.DataFrame(data)


# --- where maps and heads lie ---------------------------------------------------------------------


def planes(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the sampled maps in two planes, coloured by cluster and by family."""
    clustered = {k: cluster_colour(k) for k in sorted(data["kmeans"].unique())}
    colours: dict[str, dict[Any, str]] = {"kmeans": clustered, "family": FAMILY_COLOURS}
    titles = {"kmeans": "by_cluster", "family": "by_family"}
    with figure_style():
        figure, axes = plt.subplots(2, 2, figsize=(WIDTH, 6.6), squeeze=False)
        for row, plane in enumerate(PLANES):
            for column, (by, palette) in enumerate(colours.items()):
                axis = axes[row, column]
                for value, colour in palette.items():
                    part = data[data[by] == value]
                    _dots(axis, part[[f"{plane}_x", f"{plane}_y"]].to_numpy(float), colour)
                axis.set_title(w[titles[by]].format(plane=w[plane]))
                frame(axis, margin=0.06)
        for column, handles in enumerate(
            (cluster_handles(list(clustered), w), family_handles(data["family"], w))
        ):
            axes[-1, column].legend(
                handles=handles,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.01),
                ncols=3,
                fontsize=7.5,
                handletextpad=0.2,
                columnspacing=1.2,
            )
    return figure, data


def cluster_colour(cluster: int) -> str:
    """Colour of a cluster, everywhere the same."""
    return CLUSTER_COLOURS[(cluster - 1) % len(CLUSTER_COLOURS)]


def cluster_name(cluster: int, w: Words) -> str:
    """Name of a cluster."""
    return f"{w['cluster']} {cluster}"


def cluster_handles(clusters: Sequence[int], w: Words) -> list[Any]:
    """Legend of clusters."""
    return [
        legend_key(cluster_name(k, w), marker="o", ls="", ms=5, mew=0, color=cluster_colour(k))
        for k in clusters
    ]


def _dots(axis: Axes, places: NDArray[np.float64], colour: str) -> None:
    """Draw dots as one path of strokes without length, a quarter of what markers weigh."""
    if len(places):
        codes = np.tile([Path.MOVETO, Path.LINETO], len(places))
        path = Path(places.repeat(2, axis=0), codes)
        path.should_simplify = False  # which would leave out what has no length
        axis.add_patch(PathPatch(path, fc="none", ec=colour, lw=3, capstyle="round"))


def by_head(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the share of each cluster in the maps of every head, a heat map a cluster and state."""
    names, variants = sorted(data["cluster"].unique()), data["variant"].unique()
    places = {axis: range(1, data[axis].max() + 1) for axis in ("layer", "head")}
    panels = {}
    for cluster, variant in product(names, variants):
        part = data[(data["cluster"] == cluster) & (data["variant"] == variant)]
        shares = part.pivot(index="layer", columns="head", values="share")
        shares = shares.reindex(index=places["layer"], columns=places["head"]).fillna(0)
        state = f"\n{w[variant]}" if len(variants) > 1 else ""
        panels[cluster_name(cluster, w) + state] = shares
    across, bar = 3 * len(variants), w["share_of_head"]
    return map_grid(panels, w, across=across, bar=bar, vmin=0, vmax=1), data


def head_planes(places: pd.DataFrame, heads: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw heads by their Jensen-Shannon distances, coloured by layer and by family."""
    data = places.merge(heads[[*HEAD, "family"]], on=HEAD, how="left")
    variants = list(data["variant"].unique())
    layers = Normalize(1, max(2, int(data["layer"].max())))
    margin = 0.05 * float((data[["x", "y"]].max() - data[["x", "y"]].min()).max()) or 1.0
    limits = {name: (data[name].min() - margin, data[name].max() + margin) for name in "xy"}
    with figure_style():
        figure, axes = plt.subplots(2, len(variants), figsize=(WIDTH, 6.6), squeeze=False)
        for column, variant in enumerate(variants):
            part = data[data["variant"] == variant]
            dots = axes[0, column].scatter(
                part["x"], part["y"], c=part["layer"], cmap=DOTS, norm=layers, s=22, lw=0
            )
            colours = [FAMILY_COLOURS[family] for family in part["family"]]
            axes[1, column].scatter(part["x"], part["y"], c=colours, s=22, lw=0)
            for axis, title in zip(axes[:, column], ("by_layer", "by_family"), strict=True):
                axis.set_title(w[title].format(plane=w[variant]))
                frame(axis, margin=0.06)
                # All panels are one plane.
                axis.set(xlim=limits["x"], ylim=limits["y"], aspect="equal")
        figure.colorbar(
            dots, ax=axes[0], location="bottom", shrink=0.4, aspect=30, label=w["layer"]
        )
        figure.legend(
            handles=family_handles(data["family"], w), loc="outside lower center", ncols=5
        )
    return figure, data
