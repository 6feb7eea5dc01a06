"""What the abstract finds, in words that need neither the field nor the code.

Each function gives the statement that a finding opens with; the page puts its numbers beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.figures.findings import faithfulness
from analysis.figures.findings.phrases import counted, counted_span, listed
from analysis.figures.findings.propagation import AMOUNT_MARGIN, FLAT

# A share of the heads that is called most of them.
MOST = 0.75
# Families of methods that look at nothing but attention weights.
ATTENTION = ("weights", "propagation")


def weights(raw: Sequence[float], vectors: Sequence[float], language: str) -> str:
    """Hold the mixing that weights show against that of vectors, one value a model state each."""
    if all(2 * v < r for r, v in zip(raw, vectors, strict=True)):
        statement = {
            "en": "Less than half as much is mixed as the weights say",
            "ja": "実際に混ざる量は、注意重みが示す量の半分に満たない",
        }
    elif all(v < r for r, v in zip(raw, vectors, strict=True)):
        statement = {
            "en": "Less is mixed than the weights say",
            "ja": "実際に混ざる量は、注意重みが示す量より少ない",
        }
    else:
        statement = {
            "en": "Not in every case is less mixed than the weights say",
            "ja": "実際に混ざる量が、注意重みの示す量より少ないとは限らない",
        }
    return statement[language]


def in_short(
    raw: Sequence[float],
    vectors: Sequence[float],
    family: str | None,
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say in one sentence what pictures of attention are worth.

    Parameters
    ----------
    raw, vectors
        As in :func:`weights`.
    family
        Of the best method of explanation (``figures.faithfulness.FAMILIES``); None where no text
        records what a prediction depends on.
    w
        Names of families.
    language
        ``en`` or ``ja``.
    """
    less = all(v < r for r, v in zip(raw, vectors, strict=True))
    amount = {
        "en": "attention weights overstate how much is mixed"
        if less
        else "attention weights do not in every case overstate how much is mixed",
        "ja": "注意重みは混ざる量を大きく見せる"
        if less
        else "注意重みがいつも混ざる量を大きく見せるわけではない",
    }[language]
    if family is None:
        return {"en": f"In short: {amount}", "ja": f"要するに、{amount}"}[language]
    attention = family in ATTENTION
    return {
        "en": f"In short: {amount}, {'but' if attention == less else 'and'} what an answer depends "
        f"on is shown best by {w[family]}{'' if attention else ', not by attention'}",
        "ja": f"要するに、{amount}。答えの拠り所を最もよく示すのは、"
        f"{'' if attention else '注意ではなく'}{w[family]}である",
    }[language]


def scope(names: Sequence[str], trained: bool, language: str) -> str:
    """Say what the ranges on the front page range over.

    Parameters
    ----------
    names
        Of the experiments.
    trained
        Whether any of them fine-tunes its model.
    language
        ``en`` or ``ja``.
    """
    if len(names) == 1 and not trained:
        return {
            "en": "Every number is a mean over the texts of the one experiment of this run "
            f"({names[0]}), which trains nothing",
            "ja": f"数値はすべて、今回の実行のただ一つの実験（{names[0]}、学習は行わない）の"
            "テキストについての平均である",
        }[language]
    if len(names) == 1:
        return {
            "en": "Ranges reach over the two results of the one experiment of this run "
            f"({names[0]}), before and after training on its task",
            "ja": f"以下の範囲は、今回の実行のただ一つの実験（{names[0]}）について、"
            "課題を学習する前と後の結果にわたる",
        }[language]
    count = counted(len(names), "experiment", language)
    when = {"en": ", before and after training on a task", "ja": "課題を学習する前と後の"}[language]
    return {
        "en": f"Ranges reach from the smallest to the largest result of {count} on different "
        f"texts ({listed(names, 'en')}){when if trained else ''}",
        "ja": f"以下の範囲は、異なるテキストによる {count}（{listed(names, 'ja')}）について、"
        f"{when if trained else ''}結果の最小から最大までである",
    }[language]


def models(known: Sequence[tuple[str, int]], language: str) -> str:
    """Name the models with their numbers of layers.

    Parameters
    ----------
    known
        Name and number of layers, each model once.
    language
        ``en`` or ``ja``.
    """
    if len(known) == 1:
        ((name, layers),) = known
        return {
            "en": f"one model of {layers} layers ({name})",
            "ja": f"{layers} 層のモデル一つ（{name}）",
        }[language]
    each = {"en": "{0}, {1} layers", "ja": "{0}、{1} 層"}[language]
    shown = {"en": "; ", "ja": "；"}[language].join(each.format(*one) for one in known)
    return {"en": f"{len(known)} models ({shown})", "ja": f"{len(known)} 個のモデル（{shown}）"}[
        language
    ]


def rollout(found: Sequence[float], uniform: Sequence[float], language: str) -> str:
    """Hold the mixing after the last layer against that of attention without any preference."""
    if max(abs(a - b) for a, b in zip(found, uniform, strict=True)) < AMOUNT_MARGIN:
        return {
            "en": "How much mixing attention rollout reports hardly depends on what is attended to",
            "ja": "アテンションロールアウトの示す混合度合いは、"
            "どこに注意が向いてもほとんど変わらない",
        }[language]
    return {
        "en": "How much mixing attention rollout reports depends on what is attended to",
        "ja": "アテンションロールアウトの示す混合度合いは、どこに注意が向くかによって変わる",
    }[language]


def flow(entropies: Sequence[float], language: str) -> str:
    """Say whether flow differs between input tokens, by the relative entropy of its rows."""
    if min(entropies) > FLAT:
        return {
            "en": "Attention flow gives all words nearly equal values, and so hardly tells them "
            "apart",
            "ja": "アテンションフローの値はどの単語でもほぼ同じで、単語をほとんど区別しない",
        }[language]
    return {
        "en": "Attention flow gives words different values",
        "ja": "アテンションフローの値は単語によって異なる",
    }[language]


def attentionviz(before: Sequence[float], after: Sequence[float], language: str) -> str:
    """Say what the normalization does to strong pairs in the plane, one value a model state."""
    if all(a > b for a, b in zip(after, before, strict=True)):
        statement = {
            "en": "The normalization of AttentionViz moves apart the words that attend to each "
            "other most",
            "ja": "AttentionViz の正規化は、強く注意を向ける相手をかえって遠ざける",
        }
    elif all(a < b for a, b in zip(after, before, strict=True)):
        statement = {
            "en": "The normalization of AttentionViz brings together the words that attend to each "
            "other most",
            "ja": "AttentionViz の正規化は、強く注意を向ける相手を近づける",
        }
    else:
        statement = {
            "en": "The normalization of AttentionViz brings together the words that attend to each "
            "other most in some models only",
            "ja": "AttentionViz の正規化が、強く注意を向ける相手を近づけるかどうかはモデルによる",
        }
    return statement[language]


def heads(harmed: Sequence[float], language: str) -> str:
    """Say whether single heads can be spared, by the share whose absence lowers the score."""
    if max(harmed) <= 1 - MOST:
        return {
            "en": "Most attention heads can be switched off, one at a time",
            "ja": "大半のヘッドは、一つだけなら止めても成績が下がらない",
        }[language]
    return {
        "en": "Many attention heads are needed even one at a time",
        "ja": "一つ止めるだけで成績の下がるヘッドが少なくない",
    }[language]


def explained(auc: pd.DataFrame, family: str, w: Mapping[str, str], language: str) -> str:
    """Say which method finds the words that a prediction depends on, and what it looks at.

    Parameters
    ----------
    auc
        ROC-AUC of every method (``of``), a row an experiment.
    family
        Of the best of them.
    w
        Names of methods, and what each family looks at.
    language
        ``en`` or ``ja``.
    """
    best = faithfulness.best_method(auc)
    return {
        "en": "What a prediction depends on is shown best, on average, by "
        f"{w[f'looks_{family}']} ({w[best]})",
        "ja": f"予測の拠り所を平均して最もよく示すのは、{w[f'looks_{family}']}（{w[best]}）である",
    }[language]


def explained_scope(texts: Sequence[int], language: str) -> str:
    """Say how many experiments record the evidence, and how many texts of each were explained.

    Parameters
    ----------
    texts
        One number an experiment.
    language
        ``en`` or ``ja``.
    """
    experiments = counted(len(texts), "experiment", language)
    each = counted_span(texts, "text", language)
    if len(texts) == 1:
        return {"en": f"{experiments}, {each}", "ja": f"{experiments}、{each}"}[language]
    return {"en": f"{experiments}, {each} each", "ja": f"{experiments}、各 {each}"}[language]


def below_chance(auc: pd.DataFrame, w: Mapping[str, str], language: str) -> str:
    """Name the methods that rank the evidence worse than chance in every experiment."""
    names = [w[method] for method in faithfulness.below_chance(auc)]
    if not names:
        return {
            "en": "no method does worse than guessing in every experiment",
            "ja": "どの実験でもランダムな順位付けを下回るという手法はない",
        }[language]
    below = listed(names, language)
    return {
        "en": f"{below} did worse than guessing in every experiment",
        "ja": f"{below}は、どの実験でもランダムな順位付けを下回る",
    }[language]
