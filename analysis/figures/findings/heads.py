"""What the chapter *heads* finds about families of heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.findings.clusters import STRUCTURE, Elbow, Quality
from analysis.figures.findings.head_ablation import Change, beyond_zero
from analysis.figures.findings.phrases import agreeing, listed, span
from analysis.figures.published import published

State = tuple[str, str]
"""Experiment and variant."""


def lead(
    shares: Mapping[State, Mapping[str, float]],
    elbows: Mapping[str, Elbow],
    found: Mapping[str, Quality],
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say in one sentence what families there are, whether clusters exist, what disabling does.

    Parameters
    ----------
    shares, elbows, found, changes, losses
        As in :func:`families`, and in ``elbow``, ``quality`` and ``ablation`` of the other modules.
    w, language
        As there.
    """
    names = list(next(iter(shares.values())))
    mean = {name: sum(values[name] for values in shares.values()) for name in names}
    top = sorted(names, key=lambda name: -mean[name])[:2]
    numbers = [f"{span([values[name] for values in shares.values()])}" for name in top]
    clear = sum(one.clear for one in elbows.values())
    slight = not clear and any(one.found for one in elbows.values())
    tight = sum(one.silhouette >= STRUCTURE for one in found.values())
    silhouette = span([one.silhouette for one in found.values()], ".2f")
    hurt = [n[0] / len(changes[name]) for name, n in beyond_zero(changes).items()]
    worse = [n[1] / len(losses[name]) for name, n in beyond_zero(losses).items()]
    if language == "ja":
        if clear == len(elbows):
            exist = "クラスタの数を示す肘はどの実験にもある"
        elif clear:
            exist = f"クラスタの数を示す肘は {len(elbows)} 件の実験のうち {clear} 件にある"
        elif tight:
            exist = (
                "マップはいくらかまとまるが、クラスタの数を示す肘は"
                f"{'ほとんど' if slight else ''}ない（シルエット係数 {silhouette}）"
            )
        else:
            exist = (
                f"クラスタといえるほどのまとまりは{'ほとんど' if slight else ''}ない"
                f"（シルエット係数 {silhouette}）"
            )
        sentence = (
            f"注意マップの {numbers[0]} は{w[top[0]]}、{numbers[1]} は{w[top[1]]}であり、{exist}"
        )
        if hurt:
            sentence += (
                f"。無効にすると成績が下がるヘッドは {span(hurt)}、"
                f"損失が増えるヘッドは {span(worse)} である"
            )
        return sentence
    if clear == len(elbows):
        exist = "an elbow tells the number of their clusters in every experiment"
    elif clear:
        exist = (
            f"an elbow tells the number of their clusters in {clear} of {len(elbows)} experiments"
        )
    elif tight:
        exist = (
            "they gather somewhat, but "
            f"{'there is hardly an elbow to tell' if slight else 'no elbow tells'} a number of "
            f"clusters (silhouette {silhouette})"
        )
    else:
        exist = (
            f"they form {'hardly any clusters' if slight else 'no clusters to speak of'} "
            f"(silhouette {silhouette})"
        )
    sentence = (
        f"{numbers[0]} of the attention maps are {w[top[0]]} and {numbers[1]} {w[top[1]]}; {exist}"
    )
    if hurt:
        sentence += (
            f"; the score falls without one head for {span(hurt)} of the heads, and the loss rises "
            f"for {span(worse)}"
        )
    return sentence


def families(
    shares: Mapping[State, Mapping[str, float]], w: Mapping[str, str], language: str
) -> str:
    """Say which family by rule has most maps, and what share the others have.

    Parameters
    ----------
    shares
        Family -> share of all maps.
    w
        Names of families.
    language
        ``en`` or ``ja``.
    """
    names = list(next(iter(shares.values())))
    mean = {name: sum(found[name] for found in shares.values()) for name in names}
    order = sorted(names, key=lambda name: -mean[name])
    numbers = {name: span([found[name] for found in shares.values()]) for name in names}
    largest = {max(found, key=lambda name: found[name]) for found in shares.values()}
    top, others = order[0], order[1:]
    if len(largest) == 1:
        named = listed([f"{w[name]} ({numbers[name]})" for name in others], "en")
        named_ja = listed([f"{w[name]}（{numbers[name]}）" for name in others], "ja")
        return {
            "en": f"The largest family by rule is {w[top]} in every model state, with "
            f"{numbers[top]} of the maps, before {named}",
            "ja": f"規則による分類では、どのモデルの状態でも「{w[top]}」が最も多く、マップの"
            f" {numbers[top]} を占める。次いで{named_ja}である",
        }[language]
    named = listed([f"{w[name]} ({numbers[name]})" for name in order], "en")
    named_ja = listed([f"{w[name]}（{numbers[name]}）" for name in order], "ja")
    return {
        "en": f"Which family by rule is the largest depends on the model state; shares of maps: "
        f"{named}",
        "ja": "規則による分類で最も多い型は、モデルの状態によって異なる。マップの割合は"
        f"{named_ja}である",
    }[language]


def heterogeneous(maps: Sequence[float], heads: Sequence[float], language: str) -> str:
    """Hold the share of heterogeneous maps against the published range.

    Parameters
    ----------
    maps, heads
        Share of maps, and of heads by their mean descriptors; one a model state.
    language
        ``en`` or ``ja``.
    """
    low, high = published("B22")["share"]
    inside = [low <= value <= high for value in maps]
    if all(inside):
        verdict = {"en": "which is within", "ja": "の範囲に収まる"}[language]
    elif all(value < low for value in maps):
        verdict = {"en": "which is below", "ja": "を下回る"}[language]
    elif all(value > high for value in maps):
        verdict = {"en": "which is above", "ja": "を上回る"}[language]
    else:
        verdict = {
            "en": f"which in {sum(inside)} of {len(inside)} model states is within",
            "ja": f"の範囲には、{len(inside)} 通りのモデルの状態のうち {sum(inside)} 通りで収まる",
        }[language]
    printed = span([low, high])
    if language == "ja":
        return (
            f"不均一な型はマップの {span(maps)}（平均の記述子で分ければヘッドの {span(heads)}）を"
            f"占め、BERT-base について報告された {printed} {verdict}"
        )
    return (
        f"they make up {span(maps)} of the maps ({span(heads)} of the heads, by their mean), "
        f"{verdict} the {printed} published for BERT-base"
    )


def moved(
    counts: Mapping[str, Mapping[tuple[str, str], int]],
    clusters: Sequence[int],
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say how many heads are of another family after fine-tuning, and which way most go.

    Parameters
    ----------
    counts
        Experiment -> family before and after -> heads.
    clusters
        Heads whose maps are mainly in another cluster, of each experiment.
    w
        Names of families.
    language
        ``en`` or ``ja``.
    """
    moves = {
        name: {way: n for way, n in ways.items() if way[0] != way[1]}
        for name, ways in counts.items()
    }
    numbers = span([sum(ways.values()) for ways in moves.values()], "d")
    heads = span([sum(ways.values()) for ways in counts.values()], "d")
    beside = {
        "en": f"; {span(clusters, 'd')} "
        f"{agreeing(clusters, 'has most of its maps', 'have most of their maps')} in another "
        "cluster than before",
        "ja": "。マップの多くが以前とは別のクラスタに属するヘッドは"
        f" {span(clusters, 'd')} 個である",
    }[language]
    if not any(moves.values()):
        return {
            "en": f"Fine-tuning moves none of the {heads} heads of a model to another family",
            "ja": f"ファインチューニングによって別の型に移るヘッドは、モデルの {heads} 個のうちに"
            "一つもない",
        }[language] + beside
    total: dict[tuple[str, str], int] = {}
    for ways in moves.values():
        for way, n in ways.items():
            total[way] = total.get(way, 0) + n
    before, after = max(total, key=lambda way: total[way])
    most = total[before, after], sum(total.values())
    return {
        "en": f"Fine-tuning moves {numbers} of the {heads} heads of a model to another family, "
        f"most often from {w[before]} to {w[after]} ({most[0]} of {most[1]} moves)",
        "ja": f"ファインチューニングによって別の型に移るヘッドは、モデルの {heads} 個のうち"
        f" {numbers} 個である。最も多いのは{w[before]}から{w[after]}への移動"
        f"（{most[1]} 件のうち {most[0]} 件）である",
    }[language] + beside
