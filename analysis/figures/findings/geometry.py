"""What the chapter *geometry* finds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.figures.findings.phrases import agreeing, counted, listed, span
from analysis.figures.published import published

_ENDS = ("before", "after")
STRONG = 0.7  # a correlation of this size or more is called strong
MARGIN = 1.25  # by which a share without an interval is called larger
_UNDEFINED = {
    "en": "this cannot be measured here: the texts are too short or the vectors too much alike",
    "ja": "テキストが短すぎるか、ベクトルがどれも同じなので、ここでは測れない",
}
_NO_VALUE = {"en": "an undefined value", "ja": "定義できない値"}


def defined_span(values: Iterable[float], language: str, form: str = ".0%") -> str:
    """As :func:`span`, of the values that are defined, where there are any."""
    known = [value for value in values if not math.isnan(value)]
    return span(known, form) if known else _NO_VALUE[language]


def lead(states: pd.DataFrame, language: str) -> str:
    """Say whether strong pairs lie close before the normalization, and after it in the plane."""
    states = states.dropna(subset=[f"{d}_{way}" for d in ("cosine", "plane") for way in _ENDS])
    if states.empty:
        return _sentence(_UNDEFINED[language])
    angle, moved = states["cosine_before"], states["cosine_after"]
    before, after = states["plane_before"], states["plane_after"]
    if (after > before).all():
        verdict = {
            "en": "The normalization does not bring strong pairs together here; it "
            "drives them apart",
            "ja": "ここで調べたモデルでは、正規化は強い組を近づけず、むしろ引き離す",
        }
    elif (after < before).all():
        verdict = {
            "en": "The normalization brings strong pairs closer together",
            "ja": "正規化は強い組を近づける",
        }
    else:
        verdict = {
            "en": "Whether the normalization brings strong pairs closer together depends on the "
            "model",
            "ja": "正規化が強い組を近づけるかどうかは、モデルによる",
        }
    numbers = {
        "en": f"ordered by angle, the key that a query attends to most stands {span(angle)} of the "
        f"way from the nearest key to the farthest, and {span(moved)} after translation; in the "
        f"plane that is drawn it stands at {span(before)} before and {span(after)} after, where "
        "half the way would be chance",
        "ja": "クエリが最も強く注意を向けるキーは、角度の順で最も近いキーから最も遠いキーまでの"
        f" {span(angle)} の位置にあり、平行移動の後では {span(moved)} になる。図に描かれる平面では"
        f"正規化の前が {span(before)}、後が {span(after)} である（ランダムなら半分）",
    }
    joined = {"en": ": ", "ja": "。"}
    return f"{verdict[language]}{joined[language]}{numbers[language]}"


def correlation(states: pd.DataFrame, language: str) -> str:
    """Compare the rank correlation before and after translation with the published means."""
    states = states.dropna(
        subset=[f"{m}_{way}" for m in ("correlation", "offset") for way in _ENDS]
    )
    if states.empty:
        return _sentence(_UNDEFINED[language])
    before, after = states["correlation_before"], states["correlation_after"]
    values = published("B13")
    form = {"en": "{} ({})", "ja": "{}（{}）"}[language]
    means = [(values["bert"], "BERT"), (values["gpt2"], "GPT-2")]
    printed = listed([form.format(_signed(mean), name) for mean, name in means], language)
    strong = max(*before, *after) <= -STRONG
    text = {
        "en": f"Averaged over heads, the correlation is {span(before, '.2f')} before and "
        f"{span(after, '.2f')} after translation; published means are {printed}. "
        + (
            "On average over heads it is strong and negative in every model state"
            if strong
            else "It is not strong in every model state"
        ),
        "ja": f"ヘッドについて平均した相関は、平行移動の前が {span(before, '.2f')}、"
        f"後が {span(after, '.2f')} である（報告された平均は {printed}）。"
        + (
            "どのモデルの状態でも強い負の相関である"
            if strong
            else "ただし、どのモデルの状態でも強いわけではない"
        ),
    }[language]
    weaker = (after > before).all()
    offset = states["offset_before"], states["offset_after"]
    farther = (offset[1] > offset[0]).all()
    if weaker and farther:
        text += {
            "en": ". But translation makes it weaker. It adds one number to all dot products of a "
            "query, which softmax cannot see; their mean moves from "
            f"{span(offset[0], '.1f')} to {span(offset[1], '.1f')} standard deviations away from "
            "zero. An angle divides each of them by the length of its key, and the farther from "
            "zero, the more it is these lengths that decide the order",
            "ja": "。ところが平行移動はそれを弱める。平行移動は、一つのクエリの内積すべてに同じ数を"
            "加える。ソフトマックスにはそれが見えないが、内積の平均は 0 から標準偏差の"
            f" {span(offset[0], '.1f')} 倍離れたところから"
            f" {span(offset[1], '.1f')} 倍のところへ移る。"
            "角度は内積をキーの長さで割ったものなので、0 から離れるほど、順序を決めるのは"
            "キーの長さになる",
        }[language]
    return text


def close(states: pd.DataFrame, language: str) -> str:
    """Say where strong keys stand among neighbours in full dimension, and judge both sides."""
    states = states.dropna(subset=[f"euclidean_{way}" for way in (*_ENDS, "translated")])
    if states.empty:
        return _sentence(_UNDEFINED[language])
    before = states["euclidean_before"]
    moved = states["euclidean_translated"]
    after = states["euclidean_after"]
    numbers = {
        "en": f"By distance in full dimension the strongest key stands at {span(before)} of the "
        f"way before, {span(moved)} after translation, and {span(after)} once the closed form has "
        "chosen c",
        "ja": f"全次元の距離では、最も強いキーの位置は正規化の前が {span(before)}、平行移動の後が"
        f" {span(moved)}、閉形式で c を選んだ後が {span(after)} である",
    }[language]
    if (after > before).all():
        verdict = {
            "en": "The rebuild saw this right: that pairs with high attention come close is hardly "
            "to be observed, with many texts and all heads no more than with one sentence. They "
            "were close before",
            "ja": "「アテンションが高い組が近づく様子はほとんど観察できない」という再現研究の観察"
            "は正しく、"
            "多くのテキストと全ヘッドで見ても変わらない。強い組は、正規化の前から近かったのである",
        }[language]
    elif (after < before).all():
        verdict = {
            "en": "So pairs with high attention do come closer, which one sentence had not shown",
            "ja": "したがって、強い組はたしかに近づく。一文だけでは見えなかったことである",
        }[language]
    else:
        verdict = {
            "en": "So pairs with high attention come closer in some model states and not in others",
            "ja": "したがって、強い組が近づくかどうかは、モデルの状態による",
        }[language]
    return {"en": f"{numbers}. {verdict}", "ja": f"{numbers}。{verdict}"}[language]


def plane(states: pd.DataFrame, language: str) -> str:
    """Compare full dimension and plane after the normalization."""
    states = states.dropna(subset=["euclidean_after", "plane_after"])
    if states.empty:
        return _UNDEFINED[language]
    full, drawn = states["euclidean_after"], states["plane_after"]
    return {
        "en": f"after the normalization the strongest key stands at {span(drawn)} of the way in "
        f"the plane and at {span(full)} in full dimension",
        "ja": f"正規化の後、最も強いキーの位置は平面で {span(drawn)}、全次元で {span(full)} である",
    }[language]


def pairs(asked: pd.DataFrame, language: str) -> str:
    """Say for how many of the pairs that were asked for, head by head, the distance shrinks."""

    def closer(table: pd.DataFrame, way: str) -> int:
        return int((table[f"distance_{way}"] < table["distance_before"]).sum())

    strongest = asked[asked["strongest"]]
    text = {
        "en": f"Of {len(asked)} cases, a pair in a head each, {closer(asked, 'seed')} "
        f"{agreeing([closer(asked, 'seed')], 'comes', 'come')} closer "
        f"with the constants of the rebuild and {closer(asked, 'after')} with translation and "
        "closed form",
        "ja": f"一つの組と一つのヘッドを一件と数えると、{len(asked)} 件のうち近づくのは、"
        f"再現研究の定数で {closer(asked, 'seed')} 件、"
        f"平行移動と閉形式で {closer(asked, 'after')} 件である",
    }[language]
    if strongest.empty:
        return text
    return (
        text
        + {
            "en": f"; of the {counted(len(strongest), 'case', 'en')} in which the key is the "
            "strongest of its query, "
            f"{closer(strongest, 'seed')} and {closer(strongest, 'after')}",
            "ja": f"。そのキーがクエリにとって最も強い {len(strongest)} 件に限れば、"
            f"それぞれ {closer(strongest, 'seed')} 件と {closer(strongest, 'after')} 件になる",
        }[language]
    )


def tuned(states: pd.DataFrame, language: str) -> str:
    """Compare the geometry of pretrained and fine-tuned models of the same experiment."""
    measures = ["correlation_after", "plane_after", "norm_difference"]
    both = states[measures].unstack("variant").dropna()
    if both.empty:
        return _UNDEFINED[language]

    def of(variant: str, measure: str) -> str:
        return span(both[measure, variant], ".2f")

    return {
        "en": "the correlation after translation goes from "
        f"{of('pretrained', 'correlation_after')} to {of('finetuned', 'correlation_after')}, the "
        f"place of the strongest key in the plane from {of('pretrained', 'plane_after')} to "
        f"{of('finetuned', 'plane_after')}, and queries are longer than keys by "
        f"{of('finetuned', 'norm_difference')} where it was "
        f"{of('pretrained', 'norm_difference')}",
        "ja": f"平行移動後の相関は {of('pretrained', 'correlation_after')} から"
        f" {of('finetuned', 'correlation_after')} に、平面での最も強いキーの位置は"
        f" {of('pretrained', 'plane_after')} から {of('finetuned', 'plane_after')} に変わる。"
        f"クエリの長さからキーの長さを引いた差は {of('pretrained', 'norm_difference')} から"
        f" {of('finetuned', 'norm_difference')} になる",
    }[language]


def change(shares: pd.DataFrame, language: str) -> str:
    """Say whether the last two layers change most: attention, features and weights.

    Parameters
    ----------
    shares
        :func:`analysis.figures.geometry.last_shares`.
    language
        ``en`` or ``ja``.
    """
    if shares.empty:
        return {
            "en": "No experiment fine-tunes a model",
            "ja": "ファインチューニングをする実験がない",
        }[language]
    names = {
        "attention": {"en": "attention", "ja": "注意"},
        "layer_output": {"en": "features", "ja": "特徴ベクトル"},
        "weights": {"en": "weights", "ja": "重み行列"},
    }
    # Of what has not changed at all, no layer has a share.
    shares = shares.dropna(subset=list(names))
    if shares.empty:
        return {
            "en": "Fine-tuning changes nothing here, and no layer has a share of it",
            "ja": "ここではファインチューニングは何も変えず、変化に占める層の割合もない",
        }[language]
    even = span(shares["even"])
    # Weights are no sample of texts and have no interval: a share must be larger by a margin.
    least = shares.assign(weights_low=shares["weights"] / MARGIN)
    holds = {part: (least[f"{part}_low"] > shares["even"]).all() for part in names}
    form = {"en": "{} ({})", "ja": "{}（{}）"}[language]
    numbers = listed(
        [form.format(span(shares[part]), names[part][language]) for part in names], language
    )
    yes = [names[part][language] for part in names if holds[part]]
    no = [names[part][language] for part in names if not holds[part]]
    alone = defined_span(shares["alone"], language)
    if language == "ja":
        text = f"変化の総量のうち最後の二層が占める割合は {numbers}である（均等なら {even}）。"
        if not no:
            text += "最後の二層が最もよく変わるという報告のとおりである"
        elif not yes:
            text += "最後の二層が最もよく変わるという報告は、ここでは成り立たない"
        else:
            text += (
                f"最後の二層が最もよく変わるという報告は、{listed(yes, 'ja')}については成り立ち、"
                f"{listed(no, 'ja')}については成り立たない"
            )
        return (
            f"{text}。層が下から受け取る変化を除き、その層の新しいクエリとキーだけが"
            f"もたらす注意の変化で見ると、最後の二層の割合は {alone} にとどまる"
        )
    text = f"Of all change, the last two layers hold {numbers}, where an even share is {even}. "
    if not no:
        text += "That fine-tuning changes the last two layers most, as was reported, holds here"
    elif not yes:
        text += "That fine-tuning changes the last two layers most does not hold here"
    else:
        text += (
            "That fine-tuning changes the last two layers most, as was reported, holds for "
            f"{listed(yes, 'en')}, not for {listed(no, 'en')}"
        )
    return (
        f"{text}. What a layer inherits from below is part of it: of the change of attention that "
        f"a layer's own new queries and keys make, the last two hold {alone}"
    )


def joint_scale(states: pd.DataFrame, language: str) -> str:
    """Say what one scale for all heads costs."""
    scales = states[["correlation_single", "correlation_joint"]].dropna()
    if scales.empty:
        return _sentence(_UNDEFINED[language])
    single, shared = scales["correlation_single"], scales["correlation_joint"]
    costs = (shared.abs() < single.abs()).all()
    return {
        "en": f"One c for all heads of all layers gives {span(shared, '.2f')} where one c a head "
        f"gives {span(single, '.2f')}: "
        + (
            "the lengths of different heads have no common scale"
            if costs
            else "nothing is lost by it"
        ),
        "ja": f"全層全ヘッドに共通の c では相関が {span(shared, '.2f')}、ヘッドごとの c では"
        f" {span(single, '.2f')} である。"
        + (
            "ヘッドの違うベクトルの長さに共通の尺度はない"
            if costs
            else "共通にしても失うものはない"
        ),
    }[language]


def lines(queries: Sequence[float], tokens: int, weakest: Sequence[float], language: str) -> str:
    """Compare the strongest pairs of a head with one line a query.

    Parameters
    ----------
    queries
        How many different queries the strongest pairs of each head come from.
    tokens
        Queries in all.
    weakest
        The smallest weight among the strongest pairs of each head.
    language
        ``en`` or ``ja``.
    """
    mean, median = sum(queries) / len(queries), sorted(weakest)[len(weakest) // 2]
    if min(queries) == tokens:
        return {
            "en": f"The strongest pairs of a head come from all of its {tokens} queries, and have "
            f"weights of {median:.2f} and more in half of the heads",
            "ja": f"一つのヘッドで最も強い組は {tokens} 個のクエリのすべてから出ており、"
            f"半数のヘッドでは重みがどれも {median:.2f} 以上ある",
        }[language]
    return {
        "en": f"The strongest pairs of a head come from {mean:.0f} of its {tokens} queries on "
        f"average and have weights of {median:.2f} and more in half of the heads; one line a query "
        "would draw the rest as well, down to weights that are as good as even",
        "ja": "一つのヘッドで最も強い組は、"
        f"平均して {tokens} 個のクエリのうち {mean:.0f} 個から出ており、"
        f"半数のヘッドでは重みがどれも {median:.2f} 以上ある。クエリごとに一本引けば、"
        "ほとんど均等な重みまで線になる",
    }[language]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _signed(value: float) -> str:
    return f"{value:g}".replace("-", "\u2212")


def rebuild_edge(edge: int, layers: int, language: str) -> str:
    """Say in how many layers the search of the rebuild ends at the end of its grid.

    Parameters
    ----------
    edge, layers
        In how many, of how many.
    language
        ``en`` or ``ja``.
    """
    every = counted(layers, "layer", language)
    if not edge:
        return {"en": "no layer", "ja": "ない"}[language]
    if edge == layers:
        return {
            "en": "the only layer" if layers == 1 else f"all {every}",
            "ja": f"すべて（{every}）である",
        }[language]
    return {"en": f"{edge} of {every}", "ja": f"{every}のうち {edge} 層である"}[language]
