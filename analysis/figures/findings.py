"""Findings as sentences: which one is printed is decided by a rule, never by hand."""

from __future__ import annotations

from collections.abc import Sequence

# Two shares that differ by less than this are called alike.
AMOUNT_MARGIN = 0.05
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
