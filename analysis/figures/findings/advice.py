"""What the verdicts of the chapter *claims* advise whoever draws pictures of attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analysis.figures.findings.claims import OUTCOMES


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
            "Flow, which takes far longer, brought no gain over rollout; neither is an explanation "
            "before it has passed a test.",
            "アテンションフローははるかに時間がかかるのに、ロールアウトに勝らなかった。"
            "どちらも、試験を経ないうちは説明とみなさない。",
        ),
    },
    "A9": {
        "partly": (
            "Do not take flow for a summary of all layers: for many tokens a single layer "
            "decides it.",
            "アテンションフローを全層の要約とみなさない。多くのトークンでは一つの層だけで決まる。",
        ),
        "fails": (
            "Do not take flow for a summary of all layers: for most pairs of tokens a single layer "
            "decides it.",
            "アテンションフローを全層の要約とみなさない。大半のトークンの組では一つの層だけで決まる。",
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
            "欠けると困るヘッドもあるが、大半はそうではなく、図からは区別できない。"
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
    verdicts
        Claim -> verdict.
    language
        ``en`` or ``ja``.
    """
    index = ("en", "ja").index(language)
    return [
        Advice(claim, said[OUTCOMES[verdicts[claim]]][index])
        for claim, said in _ADVICE.items()
        if claim in verdicts and OUTCOMES[verdicts[claim]] in said
    ]
