"""What the chapter *heads* finds about what heads attend to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.findings.heads import State
from analysis.figures.findings.phrases import listed, span
from analysis.figures.published import published

Lines = Mapping[State, Sequence[float]]
"""Means from the first layer to the last."""

# Attention this near to the largest entropy there is, is called almost uniform.
UNIFORM = 0.9


def neighbours(counts: Mapping[State, tuple[int, int, int]], language: str) -> str:
    """Count heads that give more than half of their attention to a neighbour.

    Parameters
    ----------
    counts
        Heads that attend to the token before, to the one after, and all.
    language
        ``en`` or ``ja``.
    """
    previous, following, total = (
        span([found[i] for found in counts.values()], "d") for i in range(3)
    )
    values = published("B16")
    printed = {
        "en": f"{values['previous']} and {values['next']} of {values['heads']} were published for "
        "BERT-base",
        "ja": f"BERT-base では {values['heads']} 個のうちそれぞれ {values['previous']} 個"
        f"と {values['next']} 個と報告されている",
    }[language]
    if not any(found[0] or found[1] for found in counts.values()):
        return {
            "en": "No head gives more than half of its attention to the token before or after it; "
            f"{printed}",
            "ja": f"注意の半分を超えて直前または直後のトークンに向けるヘッドはない。{printed}",
        }[language]
    return {
        "en": f"More than half of the attention goes to the token before in {previous} of the "
        f"{total} heads of a model and to the one after in {following}; {printed}",
        "ja": f"モデルのもつ {total} 個のヘッドのうち、注意の半分を超えて"
        f"直前のトークンに向けるものは {previous} 個、直後のトークンに向けるものは"
        f" {following} 個である。{printed}",
    }[language]


def sink(
    lines: Mapping[State, Mapping[str, Sequence[float]]], w: Mapping[str, str], language: str
) -> str:
    """Name the special token that draws most attention, and where it draws more than half.

    Parameters
    ----------
    lines
        Kind of special token -> share of attention, layer by layer.
    w
        Names of the kinds.
    language
        ``en`` or ``ja``.
    """
    tops: dict[str, list[State]] = {}
    for state, kinds in lines.items():
        tops.setdefault(max(kinds, key=lambda kind: sum(kinds[kind])), []).append(state)
    peaks = {kind: [max(lines[state][kind]) for state in states] for kind, states in tops.items()}
    if len(tops) == 1:
        kind = next(iter(tops))
        first = {
            "en": f"The special token that draws most attention is {w[kind]} in every model state, "
            f"with up to {span(peaks[kind])} in one layer",
            "ja": f"最も多くの注意を集める特殊トークンは、どのモデルの状態でも {w[kind]} であり、"
            f"一つの層で最大 {span(peaks[kind])} に達する",
        }[language]
    else:
        counted = sorted(tops, key=lambda kind: -len(tops[kind]))
        named = [
            {
                "en": f"{w[kind]} in {len(tops[kind])} (up to {span(peaks[kind])} in one layer)",
                "ja": f"{len(tops[kind])} 通りでは {w[kind]}（一つの層で最大 {span(peaks[kind])}）",
            }[language]
            for kind in counted
        ]
        first = {
            "en": "The special token that draws most attention depends on the model state: it is "
            f"{listed(named, 'en')} of {len(lines)}",
            "ja": "最も多くの注意を集める特殊トークンは、モデルの状態によって異なる。"
            f"{len(lines)} 通りのモデルの状態のうち、{listed(named, 'ja')}である",
        }[language]
    return first + _half(lines, tops, language)


def sep_self(lines: Lines, language: str) -> str:
    """Say what [SEP] gives to [SEP].

    Parameters
    ----------
    lines
        Only of model states that have such a token.
    language
        ``en`` or ``ja``.
    """
    if not lines:
        return {"en": "no model here has a [SEP]", "ja": "ここには [SEP] をもつモデルがない"}[
            language
        ]
    means = span([sum(line) / len(line) for line in lines.values()])
    peaks = [max(line) for line in lines.values()]
    bound = published("B17")["sep_to_sep"]
    reached = sum(peak > bound for peak in peaks)
    printed = format(bound, ".0%")
    if language == "ja":
        verdict = (
            f"報告された {printed} 超にはどの層も達しない"
            if not reached
            else f"報告された {printed} 超に、どのモデルの状態でもいずれかの層で達する"
            if reached == len(peaks)
            else f"報告された {printed} 超にいずれかの層で達するのは、{len(peaks)} 通りの"
            f"モデルの状態のうち {reached} 通りである"
        )
        return (
            f"[SEP] が [SEP] に向ける注意は、層の平均で {means}、"
            f"最も高い層で {span(peaks)} である。{verdict}"
        )
    verdict = (
        f"no layer reaches the published {printed}"
        if not reached
        else f"some layer is above the published {printed} in every model state"
        if reached == len(peaks)
        else f"some layer is above the published {printed} in {reached} of {len(peaks)} model "
        "states"
    )
    return (
        f"[SEP] gives {means} of its attention to [SEP] on average over layers and {span(peaks)} "
        f"in the layer where it gives most; {verdict}"
    )


def uniform(entropy: Lines, cls_entropy: Lines, language: str) -> str:
    """Say whether attention of the last layer is almost uniform, and that of [CLS].

    Parameters
    ----------
    entropy, cls_entropy
        Mean over heads of the entropy divided by ln n, of all rows and of the first token's.
    language
        ``en`` or ``ja``.
    """
    first, last = (span([line[i] for line in entropy.values()], ".2f") for i in (0, -1))
    own = [span([line[i] for line in cls_entropy.values()], ".2f") for i in (0, -1)]
    flat = [line[-1] >= UNIFORM for line in entropy.values()]
    most = [max(line) == line[-1] for line in entropy.values()]
    verdict = {
        "en": "Attention of the last layer is almost uniform in every model state"
        if all(flat)
        else "Attention of the last layer is not almost uniform in any model state"
        if not any(flat)
        else f"Attention of the last layer is almost uniform in {sum(flat)} of {len(flat)} model "
        "states",
        "ja": "最終層の注意は、どのモデルの状態でもほぼ一様である"
        if all(flat)
        else "最終層の注意は、どのモデルの状態でもほぼ一様とはいえない"
        if not any(flat)
        else f"最終層の注意がほぼ一様といえるのは、{len(flat)} 通りのモデルの状態のうち"
        f" {sum(flat)} 通りである",
    }[language]
    broadest = {
        "en": "" if all(most) else ", nor is the last layer the broadest everywhere",
        "ja": "" if all(most) else "。最終層がつねに最も広いわけでもない",
    }[language]
    if any(flat):
        broadest = ""
    nats = published("B18")["cls_entropy"]
    if language == "ja":
        return (
            f"{verdict}。ln n で割ったエントロピーは第 1 層で {first}、最終層で {last}、"
            f"[CLS] の行ではそれぞれ {own[0]} と {own[1]} である（1 が一様、{UNIFORM} 以上を"
            f"「ほぼ一様」とした。BERT-base の最終層の [CLS] では {nats} ナットと"
            f"報告されている）{broadest}"
        )
    return (
        f"{verdict}{broadest}: divided by ln n, entropy is {first} in the first layer and {last} "
        f"in the last, that of the [CLS] row {own[0]} and {own[1]} (1 is uniform, {UNIFORM} counts "
        f"as almost; {nats} nats were published for [CLS] in the last layer of "
        "BERT-base)"
    )


def _half(
    lines: Mapping[State, Mapping[str, Sequence[float]]],
    tops: Mapping[str, Sequence[State]],
    language: str,
) -> str:
    """Layers in which more than half of the attention goes to the sink."""
    values = published("B17")
    first, last = values["sep_layers"]
    above = {
        state: [i for i, share in enumerate(lines[state][kind], 1) if share > values["sep"]]
        for kind, states in tops.items()
        for state in states
    }
    printed = {
        "en": f"more than half was published for [SEP] in layers {first} to {last} of BERT-base",
        "ja": "BERT-base では第"
        f" {first}\u2013{last} 層で半分を超える注意が"
        " [SEP] に向かうと報告されている",
    }[language]
    reaching = [layers for layers in above.values() if layers]
    if not reaching:
        return {
            "en": f"; nowhere is it more than half, and {printed}",
            "ja": f"。半分を超える層はない。{printed}",
        }[language]
    layers = sorted({layer for found in reaching for layer in found})
    where = _layers(layers, language)
    whose = (
        {"en": "in every model state", "ja": "どのモデルの状態でも"}
        if len(reaching) == len(above)
        else {
            "en": f"in {len(reaching)} of {len(above)} model states",
            "ja": f"{len(above)} 通りのモデルの状態のうち {len(reaching)} 通りで",
        }
    )[language]
    return {
        "en": f"; {whose} it draws more than half somewhere ({where}), and {printed}",
        "ja": f"。{whose}半分を超える層がある（{where}）。{printed}",
    }[language]


def _layers(layers: Sequence[int], language: str) -> str:
    """Name layers, neighbouring ones as a range."""
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    named = [str(run[0]) if len(run) == 1 else f"{run[0]}\u2013{run[-1]}" for run in runs]
    if language == "ja":
        return f"第 {listed(named, 'ja')} 層"
    return f"{'layer' if len(layers) == 1 else 'layers'} {listed(named, 'en')}"
