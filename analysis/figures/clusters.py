"""Chapter *heads*: clusters of attention maps, and what there is to say for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from analysis.figures.heads import FAMILY_COLOURS, HEAD, family_legend
from analysis.figures.maps import map_grid
from analysis.figures.planes import Plane, dot_keys, plane_grid
from analysis.figures.results import table
from analysis.figures.style import EMPHASIS, MUTED, WIDTH, figure_style, legend_key
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
    clusters = {k: cluster_colour(k) for k in sorted(data["kmeans"].unique())}
    named = {cluster_name(k, w): colour for k, colour in clusters.items()}
    # Column -> title, colours of its values, and what the legend calls them.
    told = {
        "kmeans": ("by_cluster", clusters, named),
        "family": ("by_family", FAMILY_COLOURS, family_legend(data["family"], w)),
    }
    panels = {}
    for plane, (by, (title, colours, legend)) in product(PLANES, told.items()):
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
    told = {"by_layer": data["layer"], "by_family": data["family"].map(FAMILY_COLOURS)}
    panels = {
        w[by].format(plane=w[variant]): Plane(part, colours[part.index])
        for by, colours in told.items()
        for variant, part in data.groupby("variant", sort=False)
    }
    across, keys = data["variant"].nunique(), dot_keys(family_legend(data["family"], w))
    return plane_grid(panels, across=across, size=22, together=True, legend=keys), data
