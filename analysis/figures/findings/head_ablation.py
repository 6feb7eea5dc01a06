"""What the chapter *heads* finds when heads are disabled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.figures.findings.phrases import agreeing, listed, span
from analysis.figures.published import published

# So many times the heads that are expected by chance are called more than chance.
BEYOND_CHANCE = 2


class Change(NamedTuple):
    """What disabling one head changes, and its interval."""

    layer: int
    head: int
    mean: float
    low: float
    high: float


def ablation(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    perfect: Sequence[str],
    language: str,
) -> str:
    """Say how many heads are missed, how many are in the way, and by how much at most.

    Parameters
    ----------
    changes, losses
        Experiment -> change of the score, 0 to 1, and of the loss by disabling each head.
    perfect
        Experiments whose score is 1 with all heads, so that it cannot rise.
    language
        ``en`` or ``ja``.
    """
    heads = span([len(rows) for rows in changes.values()], "d")
    hurt, help_ = ([n[i] for n in beyond_zero(changes).values()] for i in (0, 1))
    # A loss that falls is a help.
    worse, better = ([n[i] for n in beyond_zero(losses).values()] for i in (1, 0))
    numbers = span(hurt, "d"), span(help_, "d")
    finer = span(worse, "d"), span(better, "d")
    gain = f"{100 * published('B23')['gain']:.1f}"
    worst, best = (_extreme(changes, sign, language) for sign in (-1, 1))
    if language == "ja":
        full = (
            f"。{listed(perfect, 'ja')} ではどのヘッドも無効にしなければ満点なので、"
            "上がる余地がない"
            if perfect
            else ""
        )
        return (
            f"{heads} 個のヘッドのうち、無効にしたときに区間が 0 を含まずに成績が下がるものは "
            f"{numbers[0]} 個、上がるものは {numbers[1]} 個である。{worst}、{best}"
            f"（報告された上昇は最大 {gain} ポイント）{full}。"
            f"より細かな尺度である損失では、悪くなるものが {finer[0]} 個、"
            f"良くなるものが {finer[1]} 個である"
        )
    full = (
        f"; in {listed(perfect, 'en')} the score is perfect with all heads and cannot rise"
        if perfect
        else ""
    )
    return (
        f"Of {heads} heads, {numbers[0]} {agreeing(hurt, 'lowers', 'lower')} the score when "
        f"disabled and {numbers[1]} {agreeing(help_, 'raises', 'raise')} it, by an interval that "
        f"leaves out 0; the largest loss is {worst}, the largest gain {best}, and up to +{gain} "
        f"points were published{full}; by the loss function, a finer measure, {finer[0]} "
        f"{agreeing(worse, 'makes', 'make')} it worse and {finer[1]} better"
    )


def chance(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    confidence: float,
    language: str,
) -> str:
    """Hold the number of heads found against what intervals find by chance.

    Parameters
    ----------
    changes, losses, language
        As in :func:`ablation`.
    confidence
        Of the intervals.
    """
    expected = {name: len(rows) * (1 - confidence) / 2 for name, rows in changes.items()}
    counts = {
        # What is missed, and what is in the way: a loss that falls is a help.
        ("score", "hurt"): {name: n[0] for name, n in beyond_zero(changes).items()},
        ("score", "help"): {name: n[1] for name, n in beyond_zero(changes).items()},
        ("loss", "hurt"): {name: n[1] for name, n in beyond_zero(losses).items()},
        ("loss", "help"): {name: n[0] for name, n in beyond_zero(losses).items()},
    }
    numbers = span(list(expected.values()), ".1f")
    level = format(confidence, ".0%")
    first = {
        "en": f"with so many intervals at {level}, about {numbers} heads on either side would "
        "leave out 0 by chance alone",
        "ja": f"{level} の区間をこれだけ調べれば、偶然だけでも、両側にそれぞれ {numbers} 個程度の"
        "ヘッドで区間が 0 を外れる",
    }[language]
    words = {
        ("score", "hurt"): (
            "heads that lower the score when disabled",
            "無効にすると成績が下がるヘッド",
        ),
        ("score", "help"): ("heads that raise it", "無効にすると成績が上がるヘッド"),
        ("loss", "hurt"): (
            "heads that make the loss function worse",
            "無効にすると損失が増えるヘッド",
        ),
        ("loss", "help"): ("heads that make it better", "無効にすると損失が減るヘッド"),
    }
    parts = []
    for kind, found in counts.items():
        names = [name for name, n in found.items() if n > BEYOND_CHANCE * expected[name]]
        if names:
            word = words[kind][("en", "ja").index(language)]
            parts.append(
                {
                    "en": f"{word} in {listed(names, 'en')}",
                    "ja": f"{listed(names, 'ja')} で{word}",
                }[language]
            )
    if not parts:
        return {
            "en": f"{first}; nowhere are there more than {BEYOND_CHANCE} times as many",
            "ja": f"{first}。その {BEYOND_CHANCE} 倍を超える例はどこにもない",
        }[language]
    return {
        "en": f"{first}; there are more than {BEYOND_CHANCE} times as many {' and '.join(parts)}",
        "ja": f"{first}。その {BEYOND_CHANCE} 倍を超えるのは、{'、'.join(parts)}である",
    }[language]


def beyond_zero(changes: Mapping[str, Sequence[Change]]) -> dict[str, tuple[int, int]]:
    """Count heads whose interval lies below 0, and above, in each experiment."""
    return {
        name: (sum(row.high < 0 for row in rows), sum(row.low > 0 for row in rows))
        for name, rows in changes.items()
    }


def _extreme(changes: Mapping[str, Sequence[Change]], sign: int, language: str) -> str:
    """Largest change of one sign, and whose it is."""
    every = [(sign * row.mean, name, row) for name, rows in changes.items() for row in rows]
    size, name, row = max(every, key=lambda one: one[0])
    way = {-1: "低下", 1: "上昇"}[sign]
    if size <= 0:
        return {"en": "none", "ja": f"{way}したヘッドはない"}[language]
    return {
        "en": f"{_points(row.mean)} points (head {row.layer}.{row.head} of {name})",
        "ja": f"{way}は最大 {100 * size:.1f} ポイント（{name} のヘッド {row.layer}.{row.head}）",
    }[language]


def _points(change: float) -> str:
    """Change of a score, 0 to 1, in percentage points."""
    return f"{100 * change:+.1f}".replace("-", "\u2212")
