"""What the chapter *claims* finds: how many published claims hold, and under what conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis.claims.verdicts import CONSISTENT, REPRODUCED
from analysis.figures.findings.phrases import listed

# Verdict -> what became of the claim, whatever the conditions. The order is that of the page.
OUTCOMES = {
    "reproduced": "holds",
    "consistent": "holds",
    "partly_reproduced": "partly",
    "partly_consistent": "partly",
    "not_reproduced": "fails",
    "inconsistent": "fails",
    "undecided": "undecided",
    "not_tested": "not_tested",
}


def outcomes(verdicts: Mapping[str, str]) -> Counter[str]:
    """Count what became of the claims.

    Parameters
    ----------
    verdicts
        Claim -> verdict.
    """
    return Counter(OUTCOMES[verdict] for verdict in verdicts.values())


def tested(verdicts: Mapping[str, str]) -> list[str]:
    """Names of the claims for which there is anything to look at."""
    return [name for name, verdict in verdicts.items() if verdict != "not_tested"]


def lead(verdicts: Mapping[str, str], language: str) -> str:
    """Say in one sentence how many claims could be tested and what became of them.

    Parameters
    ----------
    verdicts
        Claim -> verdict.
    language
        ``en`` or ``ja``.
    """
    count, total, known = outcomes(verdicts), len(verdicts), len(tested(verdicts))
    if not known:
        return {
            "en": f"None of the {total} published claims could be tested",
            "ja": f"公表された {total} の主張のうち、検証できたものはない",
        }[language]
    parts = [
        (count[name], one, many, japanese)
        for name, one, many, japanese in (
            ("holds", "holds", "hold", "成り立つものが"),
            ("partly", "holds in part", "hold in part", "一部だけ成り立つものが"),
            ("fails", "fails", "fail", "成り立たないものが"),
            ("undecided", "stays open", "stay open", "決まらないものが"),
        )
        if count[name]
    ]
    if language == "ja":
        first = (
            f"公表された {total} の主張をすべて検証できた"
            if known == total
            else f"公表された {total} の主張のうち {known} を検証できた"
        )
        numbers = "、".join(f"{japanese} {n}" for n, _, _, japanese in parts)
        return f"{first}。{numbers} である"
    first = (
        f"All {total} published claims could be tested"
        if known == total
        else f"Of {total} published claims, {known} could be tested"
    )
    return (
        f"{first}: {listed([f'{n} {one if n == 1 else many}' for n, one, many, _ in parts], 'en')}"
    )


def conditions(verdicts: Mapping[str, str], language: str) -> str:
    """Say how many claims were tested as published, and how many under other conditions.

    Parameters
    ----------
    verdicts, language
        As in :func:`lead`.
    """
    count = Counter(verdicts.values())
    same, other = (sum(count[name] for name in group) for group in (REPRODUCED, CONSISTENT))
    if not same and not other:
        return {
            "en": "No claim could be decided",
            "ja": "判定の決まった主張はない",
        }[language]
    if not other:
        return {
            "en": "Every claim that could be decided was tested as published, or is about any "
            "model",
            "ja": "判定の決まった主張はすべて、公表時と同じ条件で検証したか、"
            "どのモデルにも当てはまるものである",
        }[language]
    if not same:
        return {
            "en": "Every claim that could be decided was tested under other conditions than the "
            "published ones",
            "ja": "判定の決まった主張はすべて、公表時とは異なる条件で検証した",
        }[language]
    return {
        "en": f"Of the {same + other} claims that could be decided, {same} "
        f"{'was' if same == 1 else 'were'} tested as published or {'is' if same == 1 else 'are'} "
        f"about any model, and {other} {'was' if other == 1 else 'were'} tested under other "
        "conditions",
        "ja": f"判定の決まった {same + other} の主張のうち、{same} は公表時と同じ条件で"
        f"検証したか、どのモデルにも当てはまるものであり、{other} は異なる条件で検証した",
    }[language]


def parts(structure: Mapping[str, str], models: Mapping[str, str], language: str) -> str:
    """Compare claims of arithmetic and structure with those about the behaviour of models.

    Parameters
    ----------
    structure, models
        Claim -> verdict.
    language
        ``en`` or ``ja``.
    """
    shown = []
    for verdicts, english, japanese in (
        (structure, "of arithmetic and structure", "計算と構造についての主張"),
        (models, "about what models do", "モデルの振る舞いについての主張"),
    ):
        known, held = len(tested(verdicts)), outcomes(verdicts)["holds"]
        if known and language == "ja":
            shown.append(f"{japanese}では検証した {known} のうち {held}")
        elif known:
            some = f"{held} of the {known} tested claims"
            one = "the only tested claim" if held else "no tested claim"
            shown.append(f"{one if known == 1 else some} {english}")
    if not shown:
        return {"en": "No claim was tested", "ja": "検証した主張はない"}[language]
    if language == "ja":
        return f"そのまま成り立つものは、{'、'.join(shown)} である"
    return f"Outright hold {' and '.join(shown)}"


def failing(verdicts: Mapping[str, str], language: str) -> str:
    """Name the claims that fail.

    Parameters
    ----------
    verdicts, language
        As in :func:`lead`.
    """
    groups = [
        [name for name, verdict in verdicts.items() if verdict == wanted]
        for wanted in ("not_reproduced", "inconsistent")
    ]
    same, other = (listed(names, language) for names in groups)
    if not same and not other:
        return {"en": "No claim fails", "ja": "成り立たない主張はない"}[language]
    shown = []
    if language == "ja":
        if same:
            shown.append(f"公表時と同じ条件でも成り立たないのは {same}")
        if other:
            shown.append(f"異なる条件で成り立たないのは {other}")
        return "、".join(shown) + " である"
    if same:
        shown.append(f"{same} {_fail(groups[0])} as published")
    if other:
        shown.append(f"{other} {_fail(groups[1])} under other conditions")
    return "; ".join(shown)


def _fail(names: Sequence[str]) -> str:
    return "fails" if len(names) == 1 else "fail"


def chance(intervals: int, confidence: float, language: str) -> str:
    """Say how many intervals would miss their value by accident.

    Parameters
    ----------
    intervals
        How many there are.
    confidence
        Of each, 0 to 1.
    language
        ``en`` or ``ja``.
    """
    if not intervals:
        return {
            "en": "no verdict of this run rests on an interval",
            "ja": "この実行の判定に、区間にもとづくものはない",
        }[language]
    missed = intervals * (1 - confidence)
    counts = "one interval" if intervals == 1 else f"{intervals} intervals"
    if missed < 1:
        return {
            "en": f"with {counts} at {confidence:.0%}, less than one is expected to "
            "miss the value it is meant to hold",
            "ja": f"{confidence:.0%} の区間が {intervals} あるので、"
            "あるべき値を外すものは平均して 1 に満たない",
        }[language]
    few = "one is" if round(missed) == 1 else f"{missed:.0f} are"
    held = "it is" if round(missed) == 1 else "they are"
    return {
        "en": f"with {counts} at {confidence:.0%}, about {few} expected to miss the value "
        f"{held} meant to hold, and nobody knows which",
        "ja": f"{confidence:.0%} の区間が {intervals} あるので、"
        f"あるべき値を外すものが平均して {missed:.0f} ほどあり、それがどれかは分からない",
    }[language]
