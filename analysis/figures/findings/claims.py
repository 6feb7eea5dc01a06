"""What the chapter *claims* finds: how many published claims hold, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
# Verdicts of claims that were tested as published, or that are about any model.
AS_PUBLISHED = ("reproduced", "partly_reproduced", "not_reproduced")
UNDER_OTHER = ("consistent", "partly_consistent", "inconsistent")


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
    same, other = (sum(count[name] for name in group) for group in (AS_PUBLISHED, UNDER_OTHER))
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
            shown.append(f"{held} of the {known} tested claims {english}")
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
    if missed < 1:
        return {
            "en": f"with {intervals} intervals at {confidence:.0%}, less than one is expected to "
            "miss the value it is meant to hold",
            "ja": f"{confidence:.0%} の区間が {intervals} あるので、"
            "あるべき値を外すものは平均して 1 に満たない",
        }[language]
    return {
        "en": f"with {intervals} intervals at {confidence:.0%}, about {missed:.0f} are expected to "
        "miss the value they are meant to hold, and nobody knows which",
        "ja": f"{confidence:.0%} の区間が {intervals} あるので、"
        f"あるべき値を外すものが平均して {missed:.0f} ほどあり、それがどれかは分からない",
    }[language]


class Advice(NamedTuple):
    """What a reader should do, and the claim on whose verdict it rests."""

    claim: str
    sentence: str


# Claim -> outcome -> advice. An outcome without an entry advises nothing.
_ADVICE: dict[str, dict[str, tuple[str, str]]] = {
    "B8": {
        "holds": (
            "Do not read attention weights as amounts: they overstate mixing. Measure the vectors, "
            "with the residual connection and the normalization.",
            "注意重みを混合の量として読まない。重みは混合を大きく見せる。"
            "残差接続と正規化を含めて、ベクトルを測る。",
        ),
        "partly": (
            "Attention weights do not overstate mixing in every case: measure the vectors before "
            "saying how much is mixed.",
            "注意重みがどの場合も混合を大きく見せるわけではない。"
            "混合の量を述べる前に、ベクトルを測る。",
        ),
        "fails": (
            "Attention weights did not overstate mixing in these models; before relying on that, "
            "measure the vectors of yours.",
            "ここで調べたモデルでは、注意重みは混合を大きく見せなかった。"
            "それに頼る前に、自分のモデルのベクトルを測る。",
        ),
    },
    "B1": {
        "holds": (
            "Do not explain a prediction by raw attention of deep layers; follow it through the "
            "layers by rollout or flow.",
            "深い層の生の注意重みで予測を説明しない。ロールアウトかアテンションフローで層をたどる。",
        ),
        "partly": (
            "Do not take it for granted that rollout or flow shows what a prediction depends on "
            "where raw attention does not: blank out tokens to check any of them.",
            "生の注意重みが予測の拠り所を示さないところで、ロールアウトやアテンションフローなら"
            "示すと決めてかからない。どれについても、トークンを伏せて確かめる。",
        ),
        "fails": (
            "That raw attention goes astray in deep layers was not seen here, which makes it no "
            "explanation yet: blank out tokens to check any picture.",
            "深い層で生の注意重みが見当を失うことは、ここでは見られなかった。"
            "だからといって説明になるわけではない。どの図も、トークンを伏せて確かめる。",
        ),
    },
    "B3": {
        "holds": (
            "Where the time allows it, prefer flow to rollout in middle layers.",
            "時間が許せば、中間の層ではロールアウトよりアテンションフローを使う。",
        ),
        "partly": (
            "Flow is not better than rollout everywhere; it takes far longer, so try it on a few "
            "texts first.",
            "アテンションフローはどこでもロールアウトに勝るわけではない。"
            "はるかに時間がかかるので、まず少数のテキストで試す。",
        ),
        "fails": (
            "Rollout will do: flow takes far longer and was no closer to what a prediction depends "
            "on.",
            "ロールアウトで足りる。アテンションフローははるかに時間がかかるが、"
            "予測の拠り所に近いとはいえなかった。",
        ),
    },
    "A9": {
        "partly": (
            "Do not take flow for a summary of all layers: for many tokens a single layer "
            "decides it.",
            "アテンションフローを全層の要約とみなさない。多くのトークンでは一つの層だけで決まる。",
        ),
        "fails": (
            "Do not take flow for a summary of all layers: a single layer decides it nearly "
            "everywhere.",
            "アテンションフローを全層の要約とみなさない。ほとんどの場合、一つの層だけで決まる。",
        ),
    },
    "B7": {
        "holds": (
            "Do not fix the residual at one half when you roll out weights; measure it.",
            "重みをロールアウトするとき、残差の割合を二分の一に固定せず、測る。",
        ),
        "partly": (
            "A fixed residual of one half harms the rollout in some cases: measure it once and "
            "compare.",
            "残差を二分の一に固定すると、ロールアウトが損なわれる場合がある。一度測って比べる。",
        ),
        "fails": (
            "A fixed residual of one half did the rollout no harm here; it is a convention all the "
            "same, so say that you used it.",
            "残差を二分の一に固定しても、ここではロールアウトは損なわれなかった。"
            "それでも約束事にすぎないので、使ったことを明記する。",
        ),
    },
    "B11": {
        "holds": (
            "To rank tokens by what the prediction depends on, prefer a decomposition of the "
            "vectors (ALTI) to rollout.",
            "予測の拠り所でトークンを順位づけるなら、"
            "ロールアウトよりベクトルの分解（ALTI）を使う。",
        ),
        "partly": (
            "A decomposition of the vectors (ALTI) ranks tokens better than rollout in some "
            "cases: compare both by deleting tokens.",
            "ベクトルの分解（ALTI）がロールアウトよりよく順位づけるかどうかは、"
            "場合によって異なる。トークンを消して両者を比べる。",
        ),
        "fails": (
            "A decomposition of the vectors (ALTI) ranked tokens no better than rollout here: let "
            "a deletion test choose, not the name of the method.",
            "ベクトルの分解（ALTI）は、ここではロールアウトよりよく順位づけなかった。"
            "手法の名ではなく、トークンを消す試験で選ぶ。",
        ),
    },
    "B25": {
        "holds": (
            "In a joint picture of queries and keys (AttentionViz), near may be read as attended "
            "to.",
            "クエリとキーを同じ平面に置いた図（AttentionViz）では、近さを注意の強さと読んでよい。",
        ),
        "partly": (
            "In a joint picture of queries and keys (AttentionViz), do not read near as attended "
            "to before you have checked it for the head.",
            "クエリとキーを同じ平面に置いた図（AttentionViz）では、"
            "そのヘッドについて確かめるまで、近さを注意の強さと読まない。",
        ),
        "fails": (
            "In a joint picture of queries and keys (AttentionViz), do not read near as attended "
            "to: draw the strongest pairs as lines, or look at the weights.",
            "クエリとキーを同じ平面に置いた図（AttentionViz）では、近さを注意の強さと読まない。"
            "強い組を線で結ぶか、重みを見る。",
        ),
    },
    "B23": {
        "holds": (
            "A striking pattern does not make a head important: switch it off before you build "
            "on it.",
            "模様が目を引いても、そのヘッドが重要だとは限らない。"
            "論拠にする前に、無効にして確かめる。",
        ),
        "partly": (
            "Some heads are missed and most are not, and the picture does not tell which: switch "
            "a head off before you build on it.",
            "欠けると困るヘッドもあれば、そうでないヘッドもあり、図からは区別できない。"
            "論拠にする前に、無効にして確かめる。",
        ),
        "fails": (
            "Many heads are missed when they are switched off, so none of them can be left out of "
            "the picture without a test.",
            "無効にすると困るヘッドが多い。試験なしに図から省いてよいヘッドはない。",
        ),
    },
}


def advice(verdicts: Mapping[str, str], language: str) -> list[Advice]:
    """Say what to do with pictures of attention, as far as the claims have been decided.

    Parameters
    ----------
    verdicts, language
        As in :func:`lead`.
    """
    index = ("en", "ja").index(language)
    return [
        Advice(claim, said[OUTCOMES[verdicts[claim]]][index])
        for claim, said in _ADVICE.items()
        if claim in verdicts and OUTCOMES[verdicts[claim]] in said
    ]
