"""Findings as sentences: which one is printed is decided by a rule, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

States = Mapping[tuple[str, str], Any]
"""Metrics as a stage wrote them, by ``(experiment, variant)``."""

# Two shares that differ by less than this are called alike.
AMOUNT_MARGIN = 0.05
# Rows of flow whose relative entropy is above this are called flat.
FLAT = 0.95
# Rows closer than this to their average (total variation) are called alike.
DISTANCE_MARGIN = 0.10


def amount(rollout: Sequence[float], uniform: Sequence[float], language: str) -> str:
    """Say whether the mixing that rollout reports differs from that of uniform attention.

    Parameters
    ----------
    rollout, uniform
        Mixing after the last layer, one value an experiment and variant each.
    language
        ``en`` or ``ja``.
    """
    largest = max(abs(a - b) for a, b in zip(rollout, uniform, strict=True))
    if largest < AMOUNT_MARGIN:
        return {
            "en": f"the two differ by less than {AMOUNT_MARGIN:.0%}: how much rollout mixes is "
            "decided by the assumed residual and the number of layers, not by what the model "
            "attends to",
            "ja": f"両者の差は {AMOUNT_MARGIN:.0%} に満たない。ロールアウトが示す混合の量を決めて"
            "いるのは、仮定した残差の割合と層の数であって、モデルがどこに注意を向けるかではない",
        }[language]
    return {
        "en": f"the two differ by up to {largest:.1%}: how much rollout mixes depends on what the "
        "model attends to as well",
        "ja": f"両者の差は最大で {largest:.1%} ある。ロールアウトが示す混合の量は、モデルがどこに"
        "注意を向けるかによっても変わる",
    }[language]


def apart(distance: Sequence[float], language: str) -> str:
    """Say whether the rollouts of different tokens can be told apart after the last layer.

    Parameters
    ----------
    distance
        Mean total-variation distance of the rows from their average, one value an experiment and
        variant.
    language
        ``en`` or ``ja``.
    """
    if max(distance) < DISTANCE_MARGIN:
        return {
            "en": "a row of rollout says next to nothing about its own token",
            "ja": "ロールアウトの一行は、それがどのトークンの行であるかをほとんど語らない",
        }[language]
    if min(distance) >= DISTANCE_MARGIN:
        return {
            "en": "a row of rollout still tells its token from others",
            "ja": "ロールアウトの行からは、なおトークンを見分けられる",
        }[language]
    return {
        "en": "whether a row of rollout tells its token from others depends on the experiment",
        "ja": "ロールアウトの行からトークンを見分けられるかどうかは、実験によって異なる",
    }[language]


def flat(entropies: Sequence[float], language: str) -> str:
    """Say whether the flows of a token to the input tokens can be told from equal ones.

    Parameters
    ----------
    entropies
        Entropy of the rows of flow after the last layer, each divided by its sum, over ln n.
    language
        ``en`` or ``ja``.
    """
    if min(entropies) > FLAT:
        return {
            "en": "the flow of a token to every input token is almost the same, whatever the model "
            "attends to",
            "ja": "モデルがどこに注意を向けようと、一つのトークンから各入力トークンへのフローは"
            "ほとんど等しい",
        }[language]
    return {
        "en": "the flows of a token to the input tokens differ",
        "ja": "一つのトークンから各入力トークンへのフローには差がある",
    }[language]


def tight(shares: Mapping[str, float], language: str) -> str:
    """Say how often flow is at its upper bound after the last layer.

    Parameters
    ----------
    shares
        Kind of source (``cls``, ``text``) -> share of its pairs that are tight.
    language
        ``en`` or ``ja``.
    """
    cls, text = format(shares["cls"], ".0%"), format(shares["text"], ".0%")
    mostly = shares["text"] > 0.5
    return {
        "en": f"{text} of the pairs that start at a token of the text attain it, {cls} of those "
        "that start at `[CLS]`"
        + (": for the former, flow reports the first layer and nothing else" if mostly else ""),
        "ja": f"本文のトークンから出る組の {text}、`[CLS]` から出る組の {cls} が上限に達している"
        + ("。前者について、フローは第一層のことだけを報告している" if mostly else ""),
    }[language]


def span(values: Sequence[float], form: str = ".0%") -> str:
    """Smallest to largest value, or the one value if both read the same."""
    low, high = format(min(values), form), format(max(values), form)
    return (low if low == high else f"{low}\u2013{high}").replace("-", "\u2212")


def scope_order(ratios: States, language: str) -> str:
    """Say whether every step from weights to vectors makes the mixing ratio smaller.

    Parameters
    ----------
    ratios
        ``ratio`` of the mixing metrics of every state.
    language
        ``en`` or ``ja``.
    """
    scopes = ("attn_w", "attn_n", "attnres_w", "attnres_n", "attnresln_n")
    holds = []
    for found in ratios.values():
        means = [found[scope]["all"]["ratio"]["mean"] for scope in scopes]
        holds.append(means == sorted(means, reverse=True))
    if all(holds):
        return {
            "en": "in every experiment and model state each step makes the ratio smaller, in the "
            "published order",
            "ja": "どの実験、どのモデルの状態でも、一段進むごとに混合比は小さくなり、"
            "順序は報告されたとおりである",
        }[language]
    return {
        "en": f"the published order of the steps holds in {sum(holds)} of {len(holds)} model "
        "states",
        "ja": f"報告された順序は {len(holds)} のモデルの状態のうち {sum(holds)} で成り立つ",
    }[language]


def depth(ratios: States, language: str) -> str:
    """Say whether the mixing of the attention block falls or rises from first to last layer."""
    ends = [found["attnresln_n"]["all"]["ratio"] for found in ratios.values()]
    rises = [end["last"] > end["first"] for end in ends]
    if not any(rises):
        return {
            "en": "from the first to the last layer mixing falls in every case, as was reported "
            "for BERT-base",
            "ja": "混合比は、どの場合も最初の層より最後の層で小さい。BERT-base について"
            "報告されたとおりである",
        }[language]
    if all(rises):
        return {
            "en": "from the first to the last layer mixing rises in every case, where it was "
            "reported to fall for BERT-base",
            "ja": "混合比は、どの場合も最初の層より最後の層で大きい。BERT-base では下がると"
            "報告されており、逆である",
        }[language]
    return {
        "en": f"from the first to the last layer mixing rises in {sum(rises)} of {len(rises)} "
        "model states and falls in the others; for BERT-base it was reported to fall",
        "ja": f"混合比は {len(rises)} のモデルの状態のうち {sum(rises)} で"
        "最初の層より最後の層が大きく、ほかでは小さい。BERT-base では下がると報告されている",
    }[language]


def mask(ratios: States, language: str) -> str:
    """Say whether [MASK] is mixed more than the tokens of the text."""
    pairs = [
        (kinds["mask"]["ratio"]["mean"], kinds["text"]["ratio"]["mean"])
        for kinds in (found["attnresln_n"] for found in ratios.values())
        if "mask" in kinds
    ]
    if not pairs:
        return {"en": "no text here holds a [MASK]", "ja": "ここには [MASK] を含むテキストがない"}[
            language
        ]
    masked, text = span([m for m, _ in pairs]), span([t for _, t in pairs])
    more = [m > t for m, t in pairs]
    numbers = {
        "en": f"({masked} against {text} of the text's tokens, where texts hold one)",
        "ja": f"（[MASK] を含むテキストで {masked}、本文のトークンは {text}）",
    }[language]
    if all(more):
        return {
            "en": f"[MASK] is mixed more than the text, as was reported {numbers}",
            "ja": f"[MASK] は報告どおり本文より強く混ざる{numbers}",
        }[language]
    if not any(more):
        return {
            "en": f"[MASK], reported to be mixed most, is mixed less than the text here {numbers}",
            "ja": f"最も強く混ざると報告された [MASK] は、ここでは本文より混ざらない{numbers}",
        }[language]
    return {
        "en": f"whether [MASK] is mixed more than the text depends on the model state {numbers}",
        "ja": f"[MASK] が本文より強く混ざるかどうかは、モデルの状態による{numbers}",
    }[language]


def identifiable(remains: States, language: str) -> str:
    """Say how many tokens can still be recognised after the last layer, before and after training.

    Parameters
    ----------
    remains
        Identity metrics of every state.
    language
        ``en`` or ``ja``.
    """
    shares: dict[str, list[float]] = {"pretrained": [], "finetuned": []}
    for (_, variant), found in remains.items():
        shares[variant].append(found["identifiability"]["last"])
    before = span(shares["pretrained"])
    if not shares["finetuned"]:
        return {
            "en": f"after the last layer {before} of the tokens are still nearest to their own "
            "input",
            "ja": f"最終層を出たトークンの {before} は、なお自分自身の入力に最も近い",
        }[language]
    after = span(shares["finetuned"])
    return {
        "en": f"after the last layer {before} of the tokens are still nearest to their own input "
        f"in the pretrained model, and {after} in the fine-tuned ones",
        "ja": "最終層を出たトークンのうちなお自分自身の入力に最も近いものは、"
        f"事前学習のみのモデルで {before}、ファインチューニング後で {after} である",
    }[language]


def alike(remains: States, language: str) -> str:
    """Say whether tokens grow alike with depth, and whether they do without their mean."""
    raw = [found["similarity"] for found in remains.values()]
    centred = [found["similarity_centred"] for found in remains.values()]
    rises = all(values["last"] > values["first"] for values in raw)
    numbers = (
        span([values["first"] for values in raw], ".2f"),
        span([values["last"] for values in raw], ".2f"),
    )
    without = span([values["last"] for values in centred], ".2f")
    if rises:
        return {
            "en": f"the mean cosine between tokens of a text rises from {numbers[0]} to "
            f"{numbers[1]}; without the mean of all tokens it is {without} in the end",
            "ja": f"同じテキストのトークン間の平均コサイン類似度は {numbers[0]} から"
            f" {numbers[1]} に上がる。全トークンの平均を除くと、最後に {without} となる",
        }[language]
    return {
        "en": f"the mean cosine between tokens of a text goes from {numbers[0]} to {numbers[1]}, "
        f"not upwards everywhere; without the mean of all tokens it is {without} in the end",
        "ja": f"同じテキストのトークン間の平均コサイン類似度は {numbers[0]} から {numbers[1]} に"
        f"変わるが、どこでも上がるわけではない。全トークンの平均を除くと、最後に {without} となる",
    }[language]
