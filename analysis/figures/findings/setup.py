"""What the chapter *setup* finds."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.figures.findings.phrases import counted, span


def trained(count: int, total: int, language: str) -> str:
    """Name the experiments that train a model.

    Parameters
    ----------
    count, total
        How many train, 1 or more, and how many there are.
    language
        ``en`` or ``ja``.
    """
    if total == 1:
        return {"en": "the experiment of this run", "ja": "今回の実行の実験"}[language]
    every = counted(total, "experiment", language)
    if count == total:
        return {"en": f"all {every}", "ja": f"{every}すべて"}[language]
    return {
        "en": f"the {'one' if count == 1 else count} of {every} that "
        f"{'trains' if count == 1 else 'train'} a model",
        "ja": f"学習した実験（{total} 件中 {count} 件）",
    }[language]


def lead(scores: Sequence[float], without: Sequence[float], deviation: float, language: str) -> str:
    """Say whether the models learned their tasks and whether what is read out is theirs.

    Parameters
    ----------
    scores
        Score on the test split of every experiment that trains: accuracy, or F1 of answers.
    without
        What each of these reaches without reading the text: the better of counting words and
        naming the majority class, or answering nothing.
    deviation
        Largest difference between a captured value and the model's own, as a share of the largest
        value of the layer.
    language
        ``en`` or ``ja``.
    """
    exact = {
        "en": "what is read out of a model differs from what it computes by at most "
        f"{deviation:.1e} of the largest value of a layer",
        "ja": "モデルから読み取った値とモデル自身の値との食い違いは、その層の値の最大値の "
        f"{deviation:.1e} 倍以下である",
    }[language].replace("-", "\u2212")
    if not scores:
        return {"en": f"Nothing is trained in this run; {exact}", "ja": f"学習は行わない。{exact}"}[
            language
        ]
    numbers = span(scores), span(without)
    test = {True: "the test score is", False: "test scores are"}[len(scores) == 1]
    better = sum(score > other for score, other in zip(scores, without, strict=True))
    if better == len(scores):
        learned = {
            "en": f"{'The' if len(scores) == 1 else 'Every'} fine-tuned model has learned its "
            f"task: {test} {numbers[0]}, where {numbers[1]} can be had without understanding the "
            "text",
            "ja": f"ファインチューニングしたモデルは、{'' if len(scores) == 1 else 'いずれも'}"
            "課題を学んだ。テストデータでの成績は"
            f" {numbers[0]} であり、テキストを理解せずに得られる成績は {numbers[1]} である",
        }[language]
    elif better:
        learned = {
            "en": f"{better} of {len(scores)} fine-tuned models "
            f"{'has learned its task' if better == 1 else 'have learned their tasks'}: test "
            f"scores are {numbers[0]}, where {numbers[1]} can be had without understanding the "
            "text",
            "ja": f"ファインチューニングした {len(scores)} 個のモデルのうち"
            f" {better} 個が課題を学んだ。"
            f"テストデータでの成績は {numbers[0]} であり、テキストを理解せずに得られる成績は"
            f" {numbers[1]} である",
        }[language]
    else:
        learned = {
            "en": f"{'The' if len(scores) == 1 else 'No'} fine-tuned model has "
            f"{'not ' if len(scores) == 1 else ''}learned its task: {test} {numbers[0]}, and "
            f"{numbers[1]} can be had without understanding the text",
            "ja": f"ファインチューニングしたモデルは、{'' if len(scores) == 1 else 'どれも'}"
            "課題を学んでいない。テストデータでの"
            f"成績は {numbers[0]} であり、テキストを理解しなくても {numbers[1]} は得られる",
        }[language]
    return learned + {"en": f"; {exact}", "ja": f"。{exact}"}[language]
