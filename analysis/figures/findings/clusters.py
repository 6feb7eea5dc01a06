"""What the chapter *heads* finds about clusters of attention maps and of heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.figures.findings.phrases import listed, span
from analysis.figures.published import published

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


def elbow(elbows: Mapping[str, Elbow], references: int, language: str) -> str:
    """Say whether the distortion has an elbow that data without clusters would not show.

    Few such data sets make it easy to stand out from all of them, so that how much the curve bends
    is held against what clusters that lie well apart make of it.

    Parameters
    ----------
    elbows
        Of each experiment.
    references
        Data sets without clusters that were drawn.
    language
        ``en`` or ``ja``.
    """
    (few, many), (high, low) = (published("B24")[part] for part in ("k", "distortion"))
    seed = {
        "en": f"the curve that was published, from {high} at k = {few} to {low} at k = {many}, was "
        "said to have no elbow",
        "ja": f"公表された曲線（k = {few} で {high}、k = {many} で {low}）には肘がないとされていた",
    }[language]
    found = {name: one for name, one in elbows.items() if one.found}
    if not found:
        reached = format(min(one.p_value for one in elbows.values()), ".2f")
        relation = "=" if len(elbows) == 1 else "≥"
        return {
            "en": "In no experiment does the distortion bend more than data without clusters make "
            f"it bend (p {relation} {reached}): there is no elbow to choose k by; {seed}",
            "ja": "どの実験でも、歪みの曲線は、クラスタのないデータで生じる以上には曲がらない"
            f"（p {relation} {reached}）。k を選ぶ根拠となる肘はない。{seed}",
        }[language]
    named = listed(
        [
            {
                "en": f"{name} at k = {one.k} (p = {one.p_value:.2f}, bend {one.bend:.2f})",
                "ja": f"{name}（k = {one.k}、p = {one.p_value:.2f}、曲がり {one.bend:.2f}）",
            }[language]
            for name, one in found.items()
        ],
        language,
    )
    rest = {
        "en": "" if len(found) == len(elbows) else " and nowhere else",
        "ja": "では、" if len(found) == len(elbows) else "でのみ、",
    }[language]
    least = f"{1 / (references + 1):.2f}"
    return {
        "en": f"The distortion bends more than data without clusters make it bend in {named}"
        f"{rest} ({references} such data sets allow no p below {least})"
        f"{_compared(found, language)}; {seed}",
        "ja": f"歪みの曲線は、{named}{rest}クラスタのないデータで生じる以上に曲がる（そのような"
        f"データ {references} 組では p は {least} より小さくならない）"
        f"{_compared(found, language)}。{seed}",
    }[language]


def _compared(found: Mapping[str, Elbow], language: str) -> str:
    """Hold the bend of elbows that were found against that of clusters that lie well apart."""
    clear = [name for name, one in found.items() if one.clear]
    if not clear:
        return {
            "en": f", but hardly: clusters that lie well apart bend the curve by {WELL_APART} and "
            "more",
            "ja": "が、曲がりはわずかである。互いによく離れたクラスタであれば、曲がりは"
            f" {WELL_APART} 以上になる",
        }[language]
    if len(clear) == len(found):
        return {
            "en": ", as much as clusters that lie well apart, which bend the curve by "
            f"{WELL_APART} and more",
            "ja": f"。その曲がりは、互いによく離れたクラスタで生じる {WELL_APART} 以上に達する",
        }[language]
    return {
        "en": f"; only in {listed(clear, 'en')} does it bend as much as with clusters that lie "
        f"well apart, by {WELL_APART} and more",
        "ja": f"。互いによく離れたクラスタで生じる {WELL_APART} 以上の曲がりに達するのは、"
        f"{listed(clear, 'ja')} だけである",
    }[language]


def gap(ks: Mapping[str, int | None], language: str) -> str:
    """Say how many clusters the gap statistic finds.

    Parameters
    ----------
    ks
        Of each experiment; None if the gap grows to the end of the range.
    language
        ``en`` or ``ja``.
    """
    groups: dict[int | None, list[str]] = {}
    for name, k in ks.items():
        groups.setdefault(k, []).append(name)
    parts = []
    for k, names in groups.items():
        whose = listed(names, language)
        if k is None:
            parts.append(
                {
                    "en": f"grows to the end of the range in {whose}, so that no number is settled",
                    "ja": f"{whose} では範囲の端まで増え続けて数が定まらない",
                }[language]
            )
        elif k == 1:
            parts.append(
                {
                    "en": f"says in {whose} that there are no clusters (k = 1)",
                    "ja": f"{whose} ではクラスタがないこと（k = 1）を示す",
                }[language]
            )
        else:
            parts.append(
                {
                    "en": f"settles on k = {k} in {whose}",
                    "ja": f"{whose} では k = {k} を選ぶ",
                }[language]
            )
    return {
        "en": f"the gap statistic {'; it '.join(parts)}",
        "ja": f"クラスタの数を別の基準で選ぶギャップ統計量は、{'。'.join(parts)}",
    }[language]


def quality(found: Mapping[str, Quality], k: int, language: str) -> str:
    """Say how tight clusters are and whether they come back on other samples.

    Parameters
    ----------
    found
        Of each experiment, by k-means.
    k
        How many clusters.
    language
        ``en`` or ``ja``.
    """
    silhouettes = [one.silhouette for one in found.values()]
    stabilities = [one.stability for one in found.values()]
    tight = [value >= STRUCTURE for value in silhouettes]
    stable = [value >= STABLE for value in stabilities]

    def judged(holds: Sequence[bool], yes: str, no: str, some: str) -> str:
        if all(holds):
            return yes
        return some.format(sum(holds), len(holds)) if any(holds) else no

    if language == "ja":
        return (
            f"k = {k} でのシルエット係数は {span(silhouettes, '.2f')} で、"
            + judged(
                tight,
                f"構造があるといえる目安の {STRUCTURE} に達する",
                f"構造があるといえる目安の {STRUCTURE} に届かない",
                f"構造があるといえる目安の {STRUCTURE} に達するのは {{1}} 件の実験のうち"
                " {0} 件である",
            )
            + f"。別の標本との一致（ARI）は {span(stabilities, '.2f')} で、"
            + judged(
                stable,
                "クラスタは別の標本でも再現する",
                "クラスタは別の標本ではよく再現しない",
                "クラスタが別の標本でも再現するのは {1} 件の実験のうち {0} 件である",
            )
        )
    return (
        f"At k = {k} the silhouette is {span(silhouettes, '.2f')}, "
        + judged(
            tight,
            f"above the {STRUCTURE} below which groups are hardly groups",
            f"below the {STRUCTURE} from which on groups are groups",
            f"above the {STRUCTURE} below which groups are hardly groups in {{}} of {{}} "
            "experiments",
        )
        + f"; on other samples clusters agree with an ARI of {span(stabilities, '.2f')}, "
        + judged(
            stable,
            "so they come back",
            "so they hardly come back",
            f"so they come back (at least {STABLE}) in {{}} of {{}} experiments",
        )
    )


def agreement(found: Mapping[str, Mapping[str, float]], w: Mapping[str, str], language: str) -> str:
    """Say what clusters go along with: family, head, layer or text.

    Parameters
    ----------
    found
        Experiment -> labelling -> adjusted Rand index with the clusters.
    w
        Names of labellings.
    language
        ``en`` or ``ja``.
    """
    names = list(next(iter(found.values())))
    mean = {name: sum(values[name] for values in found.values()) for name in names}
    order = sorted(names, key=lambda name: -mean[name])
    numbers = [
        (w[name], span([values[name] for values in found.values()], "z.2f")) for name in order
    ]
    best = {max(values, key=lambda name: values[name]) for values in found.values()}
    unrelated = [
        w[name] for name in order if max(values[name] for values in found.values()) < RELATED
    ]
    given = {
        "en": listed([f"{name} {number}" for name, number in numbers], "en"),
        "ja": listed([f"{name} {number}" for name, number in numbers], "ja"),
    }[language]
    if len(best) == 1:
        first = {
            "en": f"Clusters go along most with the {w[order[0]]} (ARI: {given})",
            "ja": f"クラスタが最もよく対応するのは{w[order[0]]}である（ARI：{given}）",
        }[language]
    else:
        first = {
            "en": f"What clusters go along with most depends on the experiment (ARI: {given})",
            "ja": f"クラスタが何に最もよく対応するかは、実験によって異なる（ARI：{given}）",
        }[language]
    if not unrelated:
        return first
    return (
        first
        + {
            "en": f", and hardly with the {listed(unrelated, 'en')}",
            "ja": f"。{listed(unrelated, 'ja')}とはほとんど関係がない",
        }[language]
    )


def components(
    shares: Mapping[str, Sequence[float]], dimensions: Sequence[int], images: bool, language: str
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
    language
        ``en`` or ``ja``.
    """
    printed, bound = (published("A13")[part] for part in ("components", "below"))
    count, total = len(printed), sum(printed)
    ours = span([sum(values[:count]) for values in shares.values()], ".1%")
    below = format(bound, ".0%")
    holds = total < bound
    size = span(dimensions, ",d")
    if language == "ja":
        kind = "画像としてのマップの特徴量" if images else "記述子"
        return (
            f"公表された {count} 成分の和は {total:.1%} であり、本文にいう「{below} 未満」"
            f"{'である' if holds else 'ではない'}。ここでの{kind}（{size} 次元）では、"
            f"{count} 成分の和は {ours} である"
        )
    kind = "maps as images" if images else "the descriptors"
    return (
        f"the {count} components that were published sum to {total:.1%}, which "
        f"{'is' if holds else 'is not'} the “less than {below}” of the text; the first {count} of "
        f"{kind} here ({size} dimensions) sum to {ours}"
    )


def distances(found: Mapping[str, Mapping[str, float]], language: str) -> str:
    """Say whether heads grouped without any features are the heads of the same clusters or layers.

    Parameters
    ----------
    found
        Experiment -> adjusted Rand index of the groups with the main ``cluster`` of the heads' maps
        and with the ``layer``, and ``share``, what the plane shows of the squared distances.
    language
        ``en`` or ``ja``.
    """
    cluster, layer, share = (
        [values[key] for values in found.values()] for key in ("cluster", "layer", "share")
    )
    closer = [one > other for one, other in zip(cluster, layer, strict=True)]
    numbers = span(cluster, "z.2f"), span(layer, "z.2f")
    if language == "ja":
        verdict = (
            "どの実験でも、層よりクラスタによく対応する"
            if all(closer)
            else "どの実験でも、クラスタより層によく対応する"
            if not any(closer)
            else f"{len(closer)} 件の実験のうち {sum(closer)} 件では、層よりクラスタによく対応する"
        )
        return (
            "特徴量を使わずに注意の分布だけからヘッドを分けた群は、マップの属するクラスタと ARI "
            f"{numbers[0]}、層と ARI {numbers[1]} で一致し、{verdict}。平面に表れるのは距離の二乗の"
            f" {span(share)} である"
        )
    verdict = (
        "with the clusters more than with the layer in every experiment"
        if all(closer)
        else "with the layer more than with the clusters in every experiment"
        if not any(closer)
        else f"with the clusters more than with the layer in {sum(closer)} of {len(closer)} "
        "experiments"
    )
    return (
        "Groups of heads made from their distributions of attention alone, without any features, "
        f"go along with the clusters of their maps with an ARI of {numbers[0]} and with the layer "
        f"with {numbers[1]}, {verdict}; the plane shows {span(share)} of the squared distances"
    )
