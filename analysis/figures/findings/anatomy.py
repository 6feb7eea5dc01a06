"""What the chapter *anatomy* finds: how exact the rebuilding is, and what a token may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.findings.phrases import listed, span

# Of the largest value of a step. Single precision rounds at 6e-8 of a value; sums of hundreds of
# products lose one or two digits more.
ROUNDING = 1e-5
# A model that writes this share of the held-out rows without a mistake has learned to.
LEARNED = 0.95
# A mean weight above this rests on one token; above the next, hardly anything is left for others.
ONE_TOKEN, ALONE = 0.5, 0.9
# What dividing by the root of the dimension takes from the largest weight; less is called nothing.
SHARPENED = 0.05


def lead(steps: Sequence[Mapping[str, Any]], small: Mapping[str, Any], language: str) -> str:
    """Say how well the rebuilt attention agrees, and what sets the architectures apart.

    Parameters
    ----------
    steps
        ``steps`` of ``results/anatomy/anatomy.json``.
    small
        Its ``small``.
    language
        ``en`` or ``ja``.
    """
    off = _small(largest_deviation(steps))
    agrees = {
        "en": f"Attention rebuilt by hand agrees with the model's own at every step, to {off} of "
        "the largest value",
        "ja": "一歩ずつ手で組み立て直した注意は、どの段階でもモデル自身の値と、"
        f"最大値の {off} 以内で一致する",
    }[language]
    encoder, decoder = small["encoder"]["leak"], small["decoder"]["leak"]
    if encoder > 0 and decoder == 0:
        sight = {
            "en": "what sets encoder and decoder apart is what a token may see: when a later token "
            f"changes, an encoder's earlier outputs move (by up to {encoder:.1f} here), a "
            "decoder's not at all",
            "ja": "エンコーダとデコーダを分けるのは、トークンから何が見えるかである。後ろの"
            f"トークンを変えると、前の出力はエンコーダでは動き（ここでは最大 {encoder:.1f}）、"
            "デコーダではまったく動かない",
        }
    elif decoder == 0:
        sight = {
            "en": "in none of the small models does an earlier output depend on a later token, not "
            "even where it may",
            "ja": "小さなモデルのどれでも、前の出力は後ろのトークンに左右されない。"
            "見てよいエンコーダでさえそうである",
        }
    else:
        sight = {
            "en": "the mask of the small decoder does not hold: when a later token changes, its "
            f"earlier outputs move by up to {_small(decoder)}",
            "ja": "小さなデコーダのマスクは効いていない。後ろのトークンを変えると、"
            f"前の出力が最大 {_small(decoder)} 動く",
        }
    return {"en": "; ", "ja": "。"}[language].join([agrees, sight[language]])


def largest_deviation(steps: Sequence[Mapping[str, Any]]) -> float:
    """Return how far a step is off at most, as a share of its largest value."""
    return max(step["deviation"] / step["largest"] for step in steps)


def exactness(steps: Sequence[Mapping[str, Any]], language: str) -> str:
    """Say whether the deviations are those of single precision.

    Parameters
    ----------
    steps
        ``steps`` of ``results/anatomy/anatomy.json``.
    language
        ``en`` or ``ja``.
    """
    off = largest_deviation(steps)
    if off <= ROUNDING:
        return {
            "en": f"The deviations, at most {_small(off)} of the largest value of their step, are "
            "what single precision leaves of a sum: the equations above are what the model does, "
            "with nothing left out",
            "ja": f"差は各段階の最大値の {_small(off)} 以下で、単精度の和に残る丸め誤差の程度で"
            "ある。モデルがしていることは上の式に尽きる",
        }[language]
    return {
        "en": f"The deviations reach {_small(off)} of the largest value of their step, more than "
        "rounding in single precision explains: the model may compute something in fewer digits",
        "ja": f"差は各段階の最大値の {_small(off)} に達し、単精度の丸め誤差では説明できない。"
        "モデルがより少ない桁で計算している箇所があるのかもしれない",
    }[language]


def scale(found: Mapping[str, float], language: str) -> str:
    """Say what dividing by the root of the dimension does to scores and weights.

    Parameters
    ----------
    found
        ``scaling`` of ``results/anatomy/anatomy.json``.
    language
        ``en`` or ``ja``.
    """
    before, after = found["score_std_unscaled"], found["score_std_scaled"]
    sharp, soft = found["largest_weight_unscaled"], found["largest_weight_scaled"]
    spread = {
        "en": f"in the mean over all heads, the scores of this text have a standard deviation of "
        f"{before:.1f} before and {after:.1f} after the division",
        "ja": f"このテキストのスコアの標準偏差は、全ヘッドの平均で、割る前が {before:.1f}、"
        f"割った後が {after:.1f} である",
    }[language]
    if sharp - soft <= SHARPENED:
        effect = {
            "en": f"on the weights this has hardly an effect: the largest of a row is {soft:.2f} "
            f"with it and {sharp:.2f} without",
            "ja": f"重みへの影響はほとんどない。行の最大の重みは、割れば {soft:.2f}、"
            f"割らなければ {sharp:.2f} である",
        }
    else:
        alone = sharp > ALONE
        effect = {
            "en": f"without it, the largest weight of a row would be {sharp:.2f} instead of "
            f"{soft:.2f}" + (", which leaves hardly anything for the other keys" if alone else ""),
            "ja": f"割らなければ、行の最大の重みは {soft:.2f} ではなく {sharp:.2f} に"
            + ("なり、他のキーにはほとんど何も残らない" if alone else "なる"),
        }
    return {"en": "; ", "ja": "。"}[language].join([spread, effect[language]])


def heads(shares: Mapping[str, float], apart: float, language: str) -> str:
    """Say what the heads of the layer look at most, and how much they differ.

    Parameters
    ----------
    shares
        What the strongest key of a query is -> share of the queries of all heads; the kinds of
        :data:`analysis.methods.attention_maps.KEY_KINDS`.
    apart
        Share of its weight that a query places otherwise in another head.
    language
        ``en`` or ``ja``.
    """
    names = {
        "special": ("a special token", "特殊トークン"),
        "self": ("the token itself", "自分自身"),
        "previous": ("the previous token", "直前のトークン"),
        "next": ("the next token", "直後のトークン"),
        "other": ("another token", "その他のトークン"),
    }
    index = ("en", "ja").index(language)
    ordered = sorted(shares, key=lambda kind: -shares[kind])
    parts = [
        {
            "en": f"{names[kind][0]} for {shares[kind]:.0%}",
            "ja": f"{names[kind][index]}が {shares[kind]:.0%}",
        }[language]
        for kind in ordered
        if shares[kind] > 0
    ]
    return {
        "en": f"over the queries of all its heads, the strongest key is {listed(parts, 'en')}; two "
        f"heads place {apart:.0%} of a query's weight differently, on average",
        "ja": f"全ヘッドのクエリのうち、最も強いキーは{listed(parts, 'ja')} である。"
        f"二つのヘッドは、"
        f"クエリの重みの平均 {apart:.0%} を別の場所に置く",
    }[language]


def learned(small: Mapping[str, Any], language: str) -> str:
    """Say which of the small models have learned their task.

    Parameters
    ----------
    small
        ``small`` of ``results/anatomy/anatomy.json``.
    language
        ``en`` or ``ja``.
    """
    accuracies = {name: one["accuracy"] for name, one in small.items()}
    held_out = next(iter(small.values()))["held_out"]
    shares = span(list(accuracies.values()))
    done = [name for name, share in accuracies.items() if share >= LEARNED]
    if len(done) == len(accuracies):
        return {
            "en": f"All three write {shares} of {held_out} rows that they have not seen backwards "
            "without a mistake: the task can be learned with any of the three kinds of sight",
            "ja": f"三つとも、見たことのない {held_out} 列のうち {shares} を誤りなく逆向きに書く。"
            "見え方が三通りのどれであっても、この課題は学習できる",
        }[language]
    missed = [name for name in accuracies if name not in done]
    names = {
        "encoder": ("the encoder", "エンコーダ"),
        "decoder": ("the decoder", "デコーダ"),
        "encoder_decoder": ("the model with both sides", "両方をもつモデル"),
    }
    index = ("en", "ja").index(language)
    who = listed([names[name][index] for name in missed], language)
    return {
        "en": f"Of {held_out} rows that they have not seen they write {shares} backwards without a "
        f"mistake; in the steps given, {who} did not learn the task, and "
        f"{'its maps show a model' if len(missed) == 1 else 'their maps show models'} that "
        f"{'is' if len(missed) == 1 else 'are'} still learning",
        "ja": f"見たことのない {held_out} 列のうち、誤りなく逆向きに書けたのは {shares} である。"
        f"与えたステップ数では、{who}はこの課題を学習できておらず、マップは学習の途中を示す",
    }[language]


def mirror(small: Mapping[str, Any], language: str) -> str:
    """Say whether a written word reads the word that it mirrors.

    Parameters
    ----------
    small
        ``small`` of ``results/anatomy/anatomy.json``.
    language
        ``en`` or ``ja``.
    """
    shares = [one["mirror"] for one in small.values()]
    if min(shares) > ONE_TOKEN:
        return {
            "en": f"The line against the diagonal is this task's alignment: {span(shares)} of the "
            "weight of a token that writes lies on the word that is due",
            "ja": "対角線と逆向きの線は、この課題の対応づけそのものである。書くトークンの重みの "
            f"{span(shares)} は、書くべき語に載っている",
        }[language]
    return {
        "en": f"The word that is due gets {span(shares)} of the weight of a token that writes, so "
        "not all of these models read it in a single step",
        "ja": f"書くべき語に載る重みは、書くトークンの {span(shares)} であり、"
        "すべてのモデルが一度に読み取っているわけではない",
    }[language]


def residual(length: float, language: str) -> str:
    """Say which is longer, what attention adds or what it is added to.

    Parameters
    ----------
    length
        Length of attention's output divided by that of the residual, mean over tokens and layers.
    language
        ``en`` or ``ja``.
    """
    if length < 1:
        return {
            "en": "The residual, which a drawing of attention leaves out, is the longer part here: "
            "over all layers and tokens of this text, what attention adds is on average "
            f"{length:.0%} as long as what it is added to",
            "ja": "注意の図には残差が描かれないが、ここで長いのは残差の方である。このテキストの"
            "全層・全トークンの平均で、注意が足すベクトルの長さは、足される側の "
            f"{length:.0%} である",
        }[language]
    return {
        "en": "What attention adds is the longer part here: over all layers and tokens of this "
        f"text, it is on average {length:.0%} as long as what it is added to",
        "ja": "ここでは注意が足すベクトルの方が長い。このテキストの全層・全トークンの平均で、"
        f"その長さは足される側の {length:.0%} である",
    }[language]


def leak(small: Mapping[str, Any], language: str) -> str:
    """Say whether earlier outputs of encoder and decoder move with a later token.

    Parameters
    ----------
    small
        ``small`` of ``results/anatomy/anatomy.json``.
    language
        ``en`` or ``ja``.
    """
    encoder, decoder = (small[name]["leak"] for name in ("encoder", "decoder"))
    if language == "ja":
        first = f"最大 {_change(encoder)} 動き" if encoder else "動かず"
        second = f"最大 {_change(decoder)} 動く" if decoder else "動かない"
        return f"前の出力のロジットは、エンコーダでは{first}、デコーダでは{second}"
    first, second = (
        f"move by up to {_change(moved)}" if moved else "do not move at all"
        for moved in (encoder, decoder)
    )
    return f"The encoder's earlier logits {first}, the decoder's {second}"


def _change(value: float) -> str:
    return f"{value:.1f}" if value >= 0.05 else _small(value)


def _small(value: float) -> str:
    return format(value, ".0e").replace("-", "\u2212") if value else "0"
