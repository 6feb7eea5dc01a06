"""What the chapter *propagation* finds, and the abstract repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.findings.phrases import span

# Two shares that differ by less than this are called alike.
AMOUNT_MARGIN = 0.05
# Rows of flow whose relative entropy is above this are called flat.
FLAT = 0.95
# Rows closer than this to their average (total variation) are called alike.
DISTANCE_MARGIN = 0.10


def lead(
    rollout: Sequence[float],
    uniform: Sequence[float],
    distance: Sequence[float],
    bound: Sequence[float],
    language: str,
) -> str:
    """Say in one sentence whether rollout and flow report the model or their own assumptions.

    Parameters
    ----------
    rollout, uniform, distance
        As in :func:`amount` and :func:`apart`.
    bound
        Share of the pairs that start at a token of the text whose flow is at its upper bound.
    language
        ``en`` or ``ja``.
    """
    alike = _largest_difference(rollout, uniform) < AMOUNT_MARGIN
    merged = max(distance) < DISTANCE_MARGIN
    if alike and merged:
        opening = {
            "en": "Rollout says more about its own assumptions than about the model",
            "ja": "ロールアウトが語るのは、モデルよりも計算の前提のほうである",
        }
    elif alike:
        opening = {
            "en": "How much rollout mixes follows from its assumptions; whom it mixes does not",
            "ja": "ロールアウトの混ぜる量は計算の前提で決まるが、何を混ぜるかはそうではない",
        }
    elif merged:
        opening = {
            "en": "How much rollout mixes depends on the model, but it hardly tells tokens apart",
            "ja": "ロールアウトの混ぜる量はモデルによるが、トークンの区別はほとんどつかない",
        }
    else:
        opening = {
            "en": "Rollout reports the model, in how much it mixes and in whom",
            "ja": "ロールアウトは、混ぜる量についても、何を混ぜるかについてもモデルを映す",
        }
    return (
        opening[language]
        + {
            "en": f": after the last layer it calls {span(rollout)} mixed, and would call "
            f"{span(uniform)} mixed had every token attended to all alike; the rows of different "
            f"tokens are {span(distance)} apart; of the flows that start at a token of the text, "
            f"{span(bound)} are at a bound that no layer above the first can move",
            "ja": f"。最終層までに {span(rollout)} が混ざると答えるが、どのトークンも全体を均等に"
            f"見ていたとしても答えは {span(uniform)} になる。異なるトークンの行の距離は"
            f" {span(distance)}、本文のトークンから出るフローのうち {span(bound)} は、第 1 層より"
            "上のどの層によっても動かない上界に達している",
        }[language]
    )


def _largest_difference(first: Sequence[float], second: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def amount(rollout: Sequence[float], uniform: Sequence[float], language: str) -> str:
    """Say whether the mixing that rollout reports differs from that of uniform attention.

    Parameters
    ----------
    rollout, uniform
        Mixing after the last layer, one value an experiment and variant each.
    language
        ``en`` or ``ja``.
    """
    largest = _largest_difference(rollout, uniform)
    if largest < AMOUNT_MARGIN:
        return {
            "en": f"the two differ by less than {100 * AMOUNT_MARGIN:.0f} percentage points: how "
            "much rollout mixes is decided by the assumed residual and the number of layers, "
            "not by what the model attends to",
            "ja": f"両者の差は {100 * AMOUNT_MARGIN:.0f} ポイントに満たない。"
            "ロールアウトが示す混合度合いを決めているのは、仮定した残差の割合と層の数であって、モデルがどこに注意を向けるかではない",
        }[language]
    return {
        "en": f"the two differ by up to {100 * largest:.1f} percentage points: how much rollout "
        "mixes depends on what the model attends to as well",
        "ja": f"両者の差は最大で {100 * largest:.1f} ポイントある。"
        "ロールアウトが示す混合度合いは、モデルがどこに注意を向けるかによっても変わる",
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
            "en": "a token sends almost the same flow to every input token",
            "ja": "一つのトークンから各入力トークンへのフローはほとんど等しい",
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
        "that start at [CLS]"
        + (": for the former, flow reports the first layer and nothing else" if mostly else ""),
        "ja": f"本文のトークンから出る組の {text}、[CLS] から出る組の {cls} が上界に達している"
        + ("。前者について、フローは第 1 層のことだけを報告している" if mostly else ""),
    }[language]


def measured(fixed: Sequence[float], found: Sequence[float], language: str) -> str:
    """Compare the mixing of rollout with the fixed and with the measured residual.

    Parameters
    ----------
    fixed, found
        Mixing after the last layer, one value an experiment and variant each.
    language
        ``en`` or ``ja``.
    """
    numbers = span(fixed), span(found)
    if all(m < f for m, f in zip(found, fixed, strict=True)):
        return {
            "en": f"with the measured residual rollout mixes {numbers[1]} instead of {numbers[0]}: "
            "the share that is usually assumed washes out more than the model does",
            "ja": f"実測の残差によるロールアウトの混合度合いは {numbers[0]} ではなく"
            f" {numbers[1]} である。ふつう仮定される割合は、"
            "モデルが実際に混ぜる以上にならしてしまう",
        }[language]
    return {
        "en": f"with the measured residual rollout mixes {numbers[1]}, with the fixed one "
        f"{numbers[0]}",
        "ja": f"ロールアウトの混合度合いは、実測の残差で {numbers[1]}、"
        f"固定の残差で {numbers[0]} である",
    }[language]
