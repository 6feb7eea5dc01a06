"""What the chapter *heads* finds about clusters of attention maps and of heads."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.figures.phrases import extent, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

# Clusters that lie well apart bend the curve of distortions by this and more, where curves without
# clusters now and then bend a little, mostly near an end: see elbow in
# analysis.methods.clustering.
WELL_APART = 0.2
# A mean silhouette below this is customarily read as no structure to speak of (Kaufman and
# Rousseeuw 1990, Finding Groups in Data, chapter 2, table 4).
STRUCTURE = 0.25
# Clusters that come back less alike than this on other samples are called unstable.
STABLE = 0.8
# Two labellings with an adjusted Rand index below this are called unrelated.
RELATED = 0.1


def clear(elbows: pd.DataFrame) -> pd.Series:
    """Whether an elbow is found, and bends the curve as clusters that lie well apart do."""
    return (elbows["found"] > 0) & (elbows["bend"] >= WELL_APART)


def elbow(elbows: pd.DataFrame, references: int, w: Words) -> str:
    """Say whether the distortion has an elbow that data without clusters would not show.

    Few such data sets make it easy to stand out from all of them, so that how much the curve bends
    is held against what clusters that lie well apart make of it.

    Parameters
    ----------
    elbows
        A row an experiment: ``k`` where the distortion bends most, how much (``bend``), how often
        by chance (``p_value``), and whether that is an elbow (``found``).
    references
        Data sets without clusters that were drawn.
    """
    (few, many), (high, low) = (published("B24")[part] for part in ("k", "distortion"))
    found = elbows[elbows["found"] > 0]
    named = [
        w.say(
            "clusters_elbow_of",
            experiment=one.Index,
            k=f"{one.k:.0f}",
            p=f"{one.p_value:.2f}",
            bend=f"{one.bend:.2f}",
        )
        for one in found.itertuples()
    ]
    as_apart = clear(found)
    return w.say(
        "clusters_elbow",
        outcome=f"{extent(as_apart)}_clear" if len(found) else "none",
        where="everywhere" if len(found) == len(elbows) else "only",
        named=listed(named, w),
        clear=listed(list(found.index[as_apart]), w),
        well_apart=str(WELL_APART),
        references=str(references),
        least=f"{1 / (references + 1):.2f}",
        relation="=" if len(elbows) == 1 else "≥",
        p=f"{elbows['p_value'].min():.2f}",
        published_few=str(few),
        published_many=str(many),
        published_high=str(high),
        published_low=str(low),
    )


def gap(ks: pd.Series, w: Words) -> str:
    """Say how many clusters the gap statistic finds.

    Parameters
    ----------
    ks
        Of each experiment; nan if the gap grows to the end of the range.
    """
    return "".join(
        w.say(
            "clusters_gap",
            place="later" if place else "first",
            outcome="grows" if np.isnan(k) else "no_clusters" if k == 1 else "settles",
            k=f"{k:.0f}",
            experiments=listed(list(own.index), w),
        )
        for place, (k, own) in enumerate(ks.groupby(ks, dropna=False, sort=False))
    )


def quality(found: pd.DataFrame, k: int, w: Words) -> str:
    """Say how tight ``k`` clusters are and whether they come back on other samples.

    Parameters
    ----------
    found
        ``silhouette`` and ``stability``, a row an experiment.
    """
    tight, stable = found["silhouette"] >= STRUCTURE, found["stability"] >= STABLE
    return w.say(
        "clusters_quality",
        k=str(k),
        silhouette=span(found["silhouette"], ".2f"),
        stability=span(found["stability"], ".2f"),
        tight=extent(tight),
        stable=extent(stable),
        number_tight=str(tight.sum()),
        number_stable=str(stable.sum()),
        experiments=str(len(found)),
        structure=str(STRUCTURE),
        stable_from=str(STABLE),
    )


def agreement(found: pd.DataFrame, w: Words) -> str:
    """Say what clusters go along with: family, head, layer or text.

    Parameters
    ----------
    found
        Adjusted Rand index of the clusters: a row an experiment, a column a labelling.
    """
    most = found.sum().sort_values(ascending=False, kind="stable").index
    order = {w[f"class_{name}"]: found[name] for name in most}
    best = set(found.idxmax(axis=1))
    said = w.say(
        "clusters_agreement",
        outcome="everywhere" if len(best) == 1 else "depends",
        most=next(iter(order)),
        named=listed([f"{name} {span(one, 'z.2f')}" for name, one in order.items()], w),
    )
    unrelated = [name for name, one in order.items() if max(one) < RELATED]
    if not unrelated:
        return said
    return w.say("clusters_unrelated", said=said, named=listed(unrelated, w))


def components(shares: pd.DataFrame, dimensions: pd.Series, images: bool, w: Words) -> str:
    """Sum the published principal components, and ours.

    Parameters
    ----------
    shares
        Of the variance: a row an experiment, a column a component, the largest first.
    dimensions
        How many there are, of each experiment.
    images
        Whether they are those of maps as images, as the published ones, or of descriptors.
    """
    printed, bound = (published("A13")[part] for part in ("components", "below"))
    count, total = len(printed), sum(printed)
    return w.say(
        "clusters_components",
        outcome="holds" if total < bound else "fails",
        features="images" if images else "descriptors",
        count=str(count),
        total=f"{total:.1%}",
        below=format(bound, ".0%"),
        ours=span(shares.iloc[:, :count].sum(axis=1), ".1%"),
        dimensions=span(dimensions, ",.0f"),
    )


def distances(found: pd.DataFrame, w: Words) -> str:
    """Say whether heads grouped without any features are the heads of the same clusters or layers.

    Parameters
    ----------
    found
        A row an experiment: adjusted Rand index of the groups with the main ``cluster`` of the
        heads' maps and with the ``layer``, and ``share``, what the plane shows of the squared
        distances.
    """
    closer = found["cluster"] > found["layer"]
    return w.say(
        "clusters_distances",
        outcome=extent(closer),
        cluster=span(found["cluster"], "z.2f"),
        layer=span(found["layer"], "z.2f"),
        share=span(found["share"]),
        closer=str(closer.sum()),
        experiments=str(len(closer)),
    )
