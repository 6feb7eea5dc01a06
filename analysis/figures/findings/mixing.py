"""What the chapter *mixing* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.findings.phrases import span


def lead(weights: Sequence[float], vectors: Sequence[float], language: str) -> str:
    """Say in one sentence how much less the vectors mix than the weights.

    Parameters
    ----------
    weights, vectors
        Mixing ratio of the attention block by weights alone, and by vectors with residual
        connection and layer normalization; mean over layers, one value an experiment and variant.
    language
        ``en`` or ``ja``.
    """
    numbers = span(weights), span(vectors)
    pairs = list(zip(weights, vectors, strict=True))
    if all(v < w / 2 for w, v in pairs):
        return {
            "en": f"Far less is mixed than attention weights suggest: they put it at {numbers[0]}, "
            "but of the vector that leaves an attention block, residual connection and layer "
            f"normalization included, {numbers[1]} comes from other tokens",
            "ja": f"混ざる量は、注意重みから受ける印象よりはるかに少ない。重みで測れば {numbers[0]}"
            " だが、残差接続と層正規化を含めて注意ブロックを出るベクトルのうち、他のトークンに"
            f"由来するのは {numbers[1]} である",
        }[language]
    if all(v < w for w, v in pairs):
        return {
            "en": f"Less is mixed than attention weights suggest: they put it at {numbers[0]}, the "
            "vectors that leave an attention block, residual connection and layer normalization "
            f"included, at {numbers[1]}",
            "ja": f"混ざる量は、注意重みから受ける印象より少ない。重みで測れば {numbers[0]}、"
            f"残差接続と層正規化を含めて注意ブロックを出るベクトルで測れば {numbers[1]} である",
        }[language]
    return {
        "en": "Whether vectors mix less than attention weights suggest depends on the model state: "
        f"by weights it is {numbers[0]}, by the vectors that leave an attention block "
        f"{numbers[1]}",
        "ja": "ベクトルの混ざり方が注意重みから受ける印象より少ないかどうかは、モデルの状態による。"
        f"重みで測れば {numbers[0]}、注意ブロックを出るベクトルで測れば {numbers[1]} である",
    }[language]


def scope_order(ratios: Sequence[Sequence[float]], language: str) -> str:
    """Say whether every step from weights to vectors makes the mixing ratio smaller.

    Parameters
    ----------
    ratios
        One sequence a step, in the published order, with a value an experiment and variant.
    language
        ``en`` or ``ja``.
    """
    holds = [list(steps) == sorted(steps, reverse=True) for steps in zip(*ratios, strict=True)]
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
        "ja": f"報告された順序は、{len(holds)} 通りのモデルの状態のうち"
        f" {sum(holds)} 通りで成り立つ",
    }[language]


def depth(first: Sequence[float], last: Sequence[float], language: str) -> str:
    """Say whether the mixing of the attention block falls or rises from first to last layer."""
    rises = [end > start for start, end in zip(first, last, strict=True)]
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
        "ja": f"混合比は、{len(rises)} 通りのモデルの状態のうち {sum(rises)} 通りで"
        "最初の層より最後の層が大きく、ほかでは小さい。BERT-base では下がると報告されている",
    }[language]


def mask(masked: Sequence[float], text: Sequence[float], language: str) -> str:
    """Say whether [MASK] is mixed more than the tokens of the text.

    Parameters
    ----------
    masked, text
        Mean over layers, one value for every model state whose texts hold a [MASK].
    language
        ``en`` or ``ja``.
    """
    more = [m > t for m, t in zip(masked, text, strict=True)]
    if not more:
        return {
            "en": "none of the texts holds a [MASK]",
            "ja": "ここには [MASK] を含むテキストがない",
        }[language]
    numbers = {
        "en": f"({span(masked)} against {span(text)} of the text's tokens, where texts hold one)",
        "ja": f"（[MASK] を含むテキストで {span(masked)}、本文のトークンは {span(text)}）",
    }[language]
    if all(more):
        return {
            "en": "averaged over layers, [MASK] is mixed more than the text, as was reported "
            f"{numbers}",
            "ja": f"[MASK] は報告どおり、層の平均で本文より強く混ざる{numbers}",
        }[language]
    if not any(more):
        return {
            "en": "averaged over layers, [MASK], reported to be mixed most, is mixed less than the "
            f"text {numbers}",
            "ja": f"最も強く混ざると報告された [MASK] は、層の平均では本文より混ざらない{numbers}",
        }[language]
    return {
        "en": f"whether [MASK] is mixed more than the text depends on the model state {numbers}",
        "ja": f"[MASK] が本文より強く混ざるかどうかは、モデルの状態による{numbers}",
    }[language]


def special(weights: Sequence[float], vectors: Sequence[float], language: str) -> str:
    """Compare where weights and where vectors end: on special tokens or not.

    Parameters
    ----------
    weights, vectors
        Share on special tokens after the last layer of what is rolled out, one value an experiment
        and variant each.
    language
        ``en`` or ``ja``.
    """
    numbers = span(weights), span(vectors)
    sentence = {
        "en": f"by weights, {numbers[0]} of everything ends on special tokens; by vectors "
        f"{numbers[1]}",
        "ja": f"重みでは全体の {numbers[0]}、ベクトルでは {numbers[1]} が特殊トークンに行き着く",
    }[language]
    if all(v < w / 2 for w, v in zip(weights, vectors, strict=True)):
        sentence += {
            "en": ". What special tokens are given much weight for are short vectors: a rollout of "
            "weights takes them at their word",
            "ja": "。特殊トークンが大きな重みで渡すのは短いベクトルであり、重みのロールアウトは"
            "それを額面どおりに受け取る",
        }[language]
    return sentence


def identifiable(shares: Mapping[str, Sequence[float]], language: str) -> str:
    """Say how many tokens can still be recognised after the last layer, before and after training.

    Parameters
    ----------
    shares
        Variant -> one value an experiment.
    language
        ``en`` or ``ja``.
    """
    before = span(shares["pretrained"])
    if "finetuned" not in shares:
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


def alike(
    first: Sequence[float], last: Sequence[float], centred: Sequence[float], language: str
) -> str:
    """Say whether tokens grow alike with depth, and whether they do without their mean.

    Parameters
    ----------
    first, last
        Mean cosine of two tokens before the first layer and after the last, one value an experiment
        and variant.
    centred
        The same after the last, without the mean of all tokens.
    language
        ``en`` or ``ja``.
    """
    rises = all(end > start for start, end in zip(first, last, strict=True))
    numbers = span(first, ".2f"), span(last, ".2f")
    without = span(centred, ".2f")
    if rises:
        return {
            "en": f"the mean cosine between tokens of a text rises from {numbers[0]} to "
            f"{numbers[1]}; without the mean of all tokens it is {without} in the end",
            "ja": f"同じテキストのトークン間の平均コサイン類似度は {numbers[0]} から"
            f" {numbers[1]} に上がる。全トークンの平均を引くと、最後に {without} となる",
        }[language]
    return {
        "en": f"the mean cosine between tokens of a text goes from {numbers[0]} to {numbers[1]}, "
        f"not upwards everywhere; without the mean of all tokens it is {without} in the end",
        "ja": f"同じテキストのトークン間の平均コサイン類似度は {numbers[0]} から {numbers[1]} に"
        f"変わるが、どこでも上がるわけではない。全トークンの平均を引くと、最後に {without} となる",
    }[language]
