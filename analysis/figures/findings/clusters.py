"""What the chapter *heads* finds about clusters of attention maps and of heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.figures.findings.phrases import extent, listed, span
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


class Elbow(NamedTuple):
    """Where the distortion of an experiment bends most, how much, and how often by chance."""

    k: int
    bend: float
    p_value: float
    found: bool

    @property
    def clear(self) -> bool:
        """Whether it is found, and bends the curve as much as clusters that lie well apart."""
        return self.found and self.bend >= WELL_APART


class Quality(NamedTuple):
    """Quality of the clusters of one experiment, at the number that is shown."""

    silhouette: float
    stability: float


def elbow(elbows: Mapping[str, Elbow], references: int, w: Words) -> str:
    """Say whether the distortion has an elbow that data without clusters would not show.

    Few such data sets make it easy to stand out from all of them, so that how much the curve bends
    is held against what clusters that lie well apart make of it.

    Parameters
    ----------
    elbows
        Of each experiment.
    references
        Data sets without clusters that were drawn.
    """
    (few, many), (high, low) = (published("B24")[part] for part in ("k", "distortion"))
    found = {name: one for name, one in elbows.items() if one.found}
    named = [
        w.say(
            "clusters_elbow_of",
            experiment=name,
            k=str(one.k),
            p=f"{one.p_value:.2f}",
            bend=f"{one.bend:.2f}",
        )
        for name, one in found.items()
    ]
    clear = [name for name, one in found.items() if one.clear]
    return w.say(
        "clusters_elbow",
        outcome=f"{extent([one.clear for one in found.values()])}_clear" if found else "none",
        where="everywhere" if len(found) == len(elbows) else "only",
        named=listed(named, w),
        clear=listed(clear, w),
        well_apart=str(WELL_APART),
        references=str(references),
        least=f"{1 / (references + 1):.2f}",
        relation="=" if len(elbows) == 1 else "≥",
        p=f"{min(one.p_value for one in elbows.values()):.2f}",
        published_few=str(few),
        published_many=str(many),
        published_high=str(high),
        published_low=str(low),
    )


def gap(ks: Mapping[str, int | None], w: Words) -> str:
    """Say how many clusters the gap statistic finds.

    Parameters
    ----------
    ks
        Of each experiment; None if the gap grows to the end of the range.
    """
    groups: dict[int | None, list[str]] = {}
    for name, k in ks.items():
        groups.setdefault(k, []).append(name)
    outcomes = {None: "grows", 1: "no_clusters"}
    return "".join(
        w.say(
            "clusters_gap",
            place="later" if place else "first",
            outcome=outcomes.get(k, "settles"),
            k=str(k),
            experiments=listed(names, w),
        )
        for place, (k, names) in enumerate(groups.items())
    )


def quality(found: Mapping[str, Quality], k: int, w: Words) -> str:
    """Say how tight ``k`` clusters are and whether they come back on other samples."""
    silhouettes = [one.silhouette for one in found.values()]
    stabilities = [one.stability for one in found.values()]
    tight = [value >= STRUCTURE for value in silhouettes]
    stable = [value >= STABLE for value in stabilities]
    return w.say(
        "clusters_quality",
        k=str(k),
        silhouette=span(silhouettes, ".2f"),
        stability=span(stabilities, ".2f"),
        tight=extent(tight),
        stable=extent(stable),
        number_tight=str(sum(tight)),
        number_stable=str(sum(stable)),
        experiments=str(len(found)),
        structure=str(STRUCTURE),
        stable_from=str(STABLE),
    )


def agreement(found: Mapping[str, Mapping[str, float]], w: Words) -> str:
    """Say what clusters go along with: family, head, layer or text.

    Parameters
    ----------
    found
        Experiment -> labelling -> adjusted Rand index with the clusters.
    """
    names = list(next(iter(found.values())))
    values = {name: [one[name] for one in found.values()] for name in names}
    order = {
        w[f"class_{name}"]: values[name] for name in sorted(names, key=lambda n: -sum(values[n]))
    }
    best = {max(one, key=lambda name: one[name]) for one in found.values()}
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


def components(
    shares: Mapping[str, Sequence[float]], dimensions: Sequence[int], images: bool, w: Words
) -> str:
    """Sum the published principal components, and ours.

    Parameters
    ----------
    shares
        Experiment -> share of the variance of each component, the largest first.
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
        ours=span([sum(values[:count]) for values in shares.values()], ".1%"),
        dimensions=span(dimensions, ",d"),
    )


def distances(found: Mapping[str, Mapping[str, float]], w: Words) -> str:
    """Say whether heads grouped without any features are the heads of the same clusters or layers.

    Parameters
    ----------
    found
        Experiment -> adjusted Rand index of the groups with the main ``cluster`` of the heads' maps
        and with the ``layer``, and ``share``, what the plane shows of the squared distances.
    """
    cluster, layer, share = (
        [values[key] for values in found.values()] for key in ("cluster", "layer", "share")
    )
    closer = [one > other for one, other in zip(cluster, layer, strict=True)]
    return w.say(
        "clusters_distances",
        outcome=extent(closer),
        cluster=span(cluster, "z.2f"),
        layer=span(layer, "z.2f"),
        share=span(share),
        closer=str(sum(closer)),
        experiments=str(len(closer)),
    )
