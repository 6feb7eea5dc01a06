"""What the chapter *heads* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.figures.findings.phrases import listed, span
from analysis.figures.published import (
    PUBLISHED_CLS_ENTROPY,
    PUBLISHED_COMPONENTS,
    PUBLISHED_COMPONENTS_BELOW,
    PUBLISHED_DISTORTIONS,
    PUBLISHED_GAIN,
    PUBLISHED_HEADS,
    PUBLISHED_HETEROGENEOUS,
    PUBLISHED_NEIGHBOURS,
    PUBLISHED_SCORES,
    PUBLISHED_SEP_TO_SEP,
    PUBLISHED_SINK,
    PUBLISHED_SINK_LAYERS,
)

State = tuple[str, str]
"""Experiment and variant."""
Lines = Mapping[State, Sequence[float]]
"""Means from the first layer to the last."""

# Attention this near to the largest entropy there is, is called almost uniform.
UNIFORM = 0.9
# A mean silhouette below this is customarily read as no structure to speak of (Kaufman and
# Rousseeuw 1990, Finding Groups in Data, chapter 2, table 4).
STRUCTURE = 0.25
# Clusters that come back less alike than this on other samples are called unstable.
STABLE = 0.8
# Two labellings with an adjusted Rand index below this are called unrelated.
RELATED = 0.1
# So many times the heads that are expected by chance are called more than chance.
BEYOND_CHANCE = 2


class Elbow(NamedTuple):
    """Where the distortion of an experiment bends most, and how often by chance."""

    k: int
    p_value: float
    found: bool


class Quality(NamedTuple):
    """Quality of the clusters of one experiment, at the number that is shown."""

    silhouette: float
    stability: float


class Change(NamedTuple):
    """What disabling one head changes, and its interval."""

    layer: int
    head: int
    mean: float
    low: float
    high: float


# --- families and what heads attend to ------------------------------------------------------------


def families(
    shares: Mapping[State, Mapping[str, float]], w: Mapping[str, str], language: str
) -> str:
    """Say which family by rule has most maps, and what share the others have.

    Parameters
    ----------
    shares
        Family -> share of all maps.
    w
        Names of families.
    language
        ``en`` or ``ja``.
    """
    names = list(next(iter(shares.values())))
    mean = {name: sum(found[name] for found in shares.values()) for name in names}
    order = sorted(names, key=lambda name: -mean[name])
    numbers = {name: span([found[name] for found in shares.values()]) for name in names}
    largest = {max(found, key=lambda name: found[name]) for found in shares.values()}
    top, others = order[0], order[1:]
    if len(largest) == 1:
        named = listed([f"{w[name]} ({numbers[name]})" for name in others], "en")
        named_ja = listed([f"{w[name]}（{numbers[name]}）" for name in others], "ja")
        return {
            "en": f"The largest family by rule is {w[top]} in every model state, with "
            f"{numbers[top]} of the maps, before {named}",
            "ja": f"規則による分類では、どのモデルの状態でも「{w[top]}」が最も多く、マップの"
            f" {numbers[top]} を占める。次いで{named_ja}である",
        }[language]
    named = listed([f"{w[name]} ({numbers[name]})" for name in order], "en")
    named_ja = listed([f"{w[name]}（{numbers[name]}）" for name in order], "ja")
    return {
        "en": f"Which family by rule is the largest depends on the model state; shares of maps: "
        f"{named}",
        "ja": "規則による分類で最も多い型は、モデルの状態によって異なる。マップの割合は"
        f"{named_ja}である",
    }[language]


def heterogeneous(maps: Sequence[float], heads: Sequence[float], language: str) -> str:
    """Hold the share of heterogeneous maps against the published range.

    Parameters
    ----------
    maps, heads
        Share of maps, and of heads by their mean descriptors; one a model state.
    language
        ``en`` or ``ja``.
    """
    low, high = PUBLISHED_HETEROGENEOUS
    inside = [low <= value <= high for value in maps]
    if all(inside):
        verdict = {"en": "which is within", "ja": "の範囲に収まる"}[language]
    elif all(value < low for value in maps):
        verdict = {"en": "which is below", "ja": "を下回る"}[language]
    elif all(value > high for value in maps):
        verdict = {"en": "which is above", "ja": "を上回る"}[language]
    else:
        verdict = {
            "en": f"which in {sum(inside)} of {len(inside)} model states is within",
            "ja": f"の範囲に収まるのは {len(inside)} のモデルの状態のうち {sum(inside)} である",
        }[language]
    published = span(PUBLISHED_HETEROGENEOUS)
    if language == "ja":
        return (
            f"マップの {span(maps)}（平均の記述子で分ければヘッドの {span(heads)}）を占める。"
            f"BERT-base について報告された {published} {verdict}"
        )
    return (
        f"they make up {span(maps)} of the maps ({span(heads)} of the heads, by their mean), "
        f"{verdict} the {published} published for BERT-base"
    )


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
    published = {
        "en": f"{PUBLISHED_NEIGHBOURS['previous']} and {PUBLISHED_NEIGHBOURS['next']} of "
        f"{PUBLISHED_HEADS} were published for BERT-base",
        "ja": f"BERT-base では {PUBLISHED_HEADS} のうちそれぞれ {PUBLISHED_NEIGHBOURS['previous']}"
        f" と {PUBLISHED_NEIGHBOURS['next']} と報告されている",
    }[language]
    if not any(found[0] or found[1] for found in counts.values()):
        return {
            "en": "No head gives more than half of its attention to the token before or after it; "
            f"{published}",
            "ja": f"注意の半分を超えて直前または直後のトークンに向けるヘッドはない。{published}",
        }[language]
    return {
        "en": f"More than half of the attention goes to the token before in {previous} of the "
        f"{total} heads of a model and to the one after in {following}; {published}",
        "ja": f"モデルのもつ {total} のヘッドのうち、注意の半分を超えて直前のトークンに向けるものは"
        f" {previous}、直後のトークンに向けるものは {following} である。{published}",
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
                "ja": f"{len(tops[kind])} の状態では {w[kind]}"
                f"（一つの層で最大 {span(peaks[kind])}）",
            }[language]
            for kind in counted
        ]
        first = {
            "en": "The special token that draws most attention depends on the model state: it is "
            f"{listed(named, 'en')} of {len(lines)}",
            "ja": "最も多くの注意を集める特殊トークンは、モデルの状態によって異なる。"
            f"全 {len(lines)} 状態のうち、{listed(named, 'ja')}である",
        }[language]
    return first + _half(lines, tops, language)


def _half(
    lines: Mapping[State, Mapping[str, Sequence[float]]],
    tops: Mapping[str, Sequence[State]],
    language: str,
) -> str:
    """Layers in which more than half of the attention goes to the sink."""
    above = {
        state: [i for i, share in enumerate(lines[state][kind], 1) if share > PUBLISHED_SINK]
        for kind, states in tops.items()
        for state in states
    }
    published = {
        "en": "more than half was published for [SEP] in layers "
        f"{PUBLISHED_SINK_LAYERS[0]} to {PUBLISHED_SINK_LAYERS[1]} of BERT-base",
        "ja": "BERT-base では第"
        f" {PUBLISHED_SINK_LAYERS[0]}\u2013{PUBLISHED_SINK_LAYERS[1]} 層で半分を超える注意が"
        " [SEP] に向かうと報告されている",
    }[language]
    reaching = [layers for layers in above.values() if layers]
    if not reaching:
        return {
            "en": f"; nowhere is it more than half, and {published}",
            "ja": f"。半分を超える層はない。{published}",
        }[language]
    layers = sorted({layer for found in reaching for layer in found})
    where = _layers(layers, language)
    whose = (
        {"en": "in every model state", "ja": "どのモデルの状態でも"}
        if len(reaching) == len(above)
        else {
            "en": f"in {len(reaching)} of {len(above)} model states",
            "ja": f"{len(above)} のモデルの状態のうち {len(reaching)} で",
        }
    )[language]
    return {
        "en": f"; {whose} it draws more than half somewhere ({where}), and {published}",
        "ja": f"。{whose}半分を超える層がある（{where}）。{published}",
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
    reached = sum(peak > PUBLISHED_SEP_TO_SEP for peak in peaks)
    published = format(PUBLISHED_SEP_TO_SEP, ".0%")
    if language == "ja":
        verdict = (
            f"報告された {published} 超にはどの層も達しない"
            if not reached
            else f"報告された {published} 超に、どのモデルの状態でもいずれかの層で達する"
            if reached == len(peaks)
            else f"報告された {published} 超にいずれかの層で達するのは、{len(peaks)} の"
            f"モデルの状態のうち {reached} である"
        )
        return (
            f"[SEP] が [SEP] に向ける注意は、層の平均で {means}、"
            f"最も高い層で {span(peaks)} である。{verdict}"
        )
    verdict = (
        f"no layer reaches the published {published}"
        if not reached
        else f"some layer is above the published {published} in every model state"
        if reached == len(peaks)
        else f"some layer is above the published {published} in {reached} of {len(peaks)} model "
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
        else f"最終層の注意がほぼ一様といえるのは、{len(flat)} のモデルの状態のうち"
        f" {sum(flat)} である",
    }[language]
    broadest = {
        "en": "" if all(most) else ", nor is the last layer the broadest everywhere",
        "ja": "" if all(most) else "。最終層がつねに最も広いわけでもない",
    }[language]
    if any(flat):
        broadest = ""
    if language == "ja":
        return (
            f"{verdict}。ln n で割ったエントロピーは第一層で {first}、最終層で {last}、"
            f"[CLS] の行ではそれぞれ {own[0]} と {own[1]} である（1 が一様、{UNIFORM} 以上を"
            f"「ほぼ一様」とした。BERT-base の最終層の [CLS] では {PUBLISHED_CLS_ENTROPY} ナットと"
            f"報告されている）{broadest}"
        )
    return (
        f"{verdict}{broadest}: divided by ln n, entropy is {first} in the first layer and {last} "
        f"in the last, that of the [CLS] row {own[0]} and {own[1]} (1 is uniform, {UNIFORM} counts "
        f"as almost; {PUBLISHED_CLS_ENTROPY} nats were published for [CLS] in the last layer of "
        "BERT-base)"
    )


# --- clusters -------------------------------------------------------------------------------------


def elbow(elbows: Mapping[str, Elbow], references: int, language: str) -> str:
    """Say whether the distortion has an elbow that data without clusters would not show.

    Parameters
    ----------
    elbows
        Of each experiment.
    references
        Data sets without clusters that were drawn.
    language
        ``en`` or ``ja``.
    """
    (few, high), (many, low) = PUBLISHED_DISTORTIONS.items()
    seed = {
        "en": f"the curve that was published, from {high} at k = {few} to {low} at k = {many}, was "
        "said to have none",
        "ja": f"公表された曲線（k = {few} で {high}、k = {many} で {low}）にはないとされていた",
    }[language]
    found = {name: one for name, one in elbows.items() if one.found}
    if not found:
        reached = format(min(one.p_value for one in elbows.values()), ".2f")
        return {
            "en": "In no experiment does the distortion bend more than data without clusters make "
            f"it bend (p ≥ {reached}): there is no elbow to choose k by; {seed}",
            "ja": "どの実験でも、歪みの曲線は、クラスタのないデータで生じる以上には曲がらない"
            f"（p ≥ {reached}）。k を選ぶ根拠となる肘はない。{seed}",
        }[language]
    named = listed(
        [
            {
                "en": f"{name} at k = {one.k} (p = {one.p_value:.2f})",
                "ja": f"{name} では k = {one.k}（p = {one.p_value:.2f}）",
            }[language]
            for name, one in found.items()
        ],
        language,
    )
    rest = {
        "en": "" if len(found) == len(elbows) else " and nowhere else",
        "ja": "" if len(found) == len(elbows) else "に限り、",
    }[language]
    least = f"{1 / (references + 1):.2f}"
    return {
        "en": f"The distortion bends more than data without clusters make it bend in {named}"
        f"{rest} ({references} such data sets allow no p below {least}); {seed}",
        "ja": f"歪みの曲線は、{named}{rest}クラスタのないデータで生じる以上に曲がる（そのような"
        f"データ {references} 組では p は {least} より小さくならない）。{seed}",
    }[language]


def gap(ks: Mapping[str, int | None], language: str) -> str:
    """Say how many clusters the gap statistic finds.

    Parameters
    ----------
    ks
        Of each experiment; None if the gap grows to the end of the range.
    language
        ``en`` or ``ja``.
    """
    groups: dict[int | None, list[str]] = {}
    for name, k in ks.items():
        groups.setdefault(k, []).append(name)
    parts = []
    for k, names in groups.items():
        whose = listed(names, language)
        if k is None:
            parts.append(
                {
                    "en": f"grows to the end of the range in {whose}, so that no number is settled",
                    "ja": f"{whose} では範囲の端まで増え続け、数は定まらない",
                }[language]
            )
        elif k == 1:
            parts.append(
                {
                    "en": f"says in {whose} that there are no clusters (k = 1)",
                    "ja": f"{whose} ではクラスタがない（k = 1）とする",
                }[language]
            )
        else:
            parts.append(
                {
                    "en": f"settles on k = {k} in {whose}",
                    "ja": f"{whose} では k = {k} を選ぶ",
                }[language]
            )
    return {
        "en": f"the gap statistic {'; it '.join(parts)}",
        "ja": f"ギャップ統計量は {'。また、'.join(parts)}",
    }[language]


def quality(found: Mapping[str, Quality], k: int, language: str) -> str:
    """Say how tight clusters are and whether they come back on other samples.

    Parameters
    ----------
    found
        Of each experiment, by k-means.
    k
        How many clusters.
    language
        ``en`` or ``ja``.
    """
    silhouettes = [one.silhouette for one in found.values()]
    stabilities = [one.stability for one in found.values()]
    tight = [value >= STRUCTURE for value in silhouettes]
    stable = [value >= STABLE for value in stabilities]

    def judged(holds: Sequence[bool], yes: str, no: str, some: str) -> str:
        if all(holds):
            return yes
        return some.format(sum(holds), len(holds)) if any(holds) else no

    if language == "ja":
        return (
            f"k = {k} でのシルエット係数は {span(silhouettes, '.2f')} で、"
            + judged(
                tight,
                f"構造があるといえる目安の {STRUCTURE} に達する",
                f"構造があるといえる目安の {STRUCTURE} に届かない",
                f"構造があるといえる目安の {STRUCTURE} に達するのは {{1}} の実験のうち"
                " {0} である",
            )
            + f"。別の標本との一致（ARI）は {span(stabilities, '.2f')} で、"
            + judged(
                stable,
                "クラスタは別の標本でも再現する",
                "クラスタは別の標本ではよく再現しない",
                "クラスタが別の標本でも再現するのは {1} の実験のうち {0} である",
            )
        )
    return (
        f"At k = {k} the silhouette is {span(silhouettes, '.2f')}, "
        + judged(
            tight,
            f"above the {STRUCTURE} below which groups are hardly groups",
            f"below the {STRUCTURE} from which on groups are groups",
            f"above the {STRUCTURE} below which groups are hardly groups in {{}} of {{}} "
            "experiments",
        )
        + f"; on other samples clusters agree with an ARI of {span(stabilities, '.2f')}, "
        + judged(
            stable,
            "so they come back",
            "so they hardly come back",
            f"so they come back (at least {STABLE}) in {{}} of {{}} experiments",
        )
    )


def agreement(found: Mapping[str, Mapping[str, float]], w: Mapping[str, str], language: str) -> str:
    """Say what clusters go along with: family, head, layer or text.

    Parameters
    ----------
    found
        Experiment -> labelling -> adjusted Rand index with the clusters.
    w
        Names of labellings.
    language
        ``en`` or ``ja``.
    """
    names = list(next(iter(found.values())))
    mean = {name: sum(values[name] for values in found.values()) for name in names}
    order = sorted(names, key=lambda name: -mean[name])
    numbers = [
        (w[name], span([values[name] for values in found.values()], ".2f")) for name in order
    ]
    best = {max(values, key=lambda name: values[name]) for values in found.values()}
    unrelated = [
        w[name] for name in order if max(values[name] for values in found.values()) < RELATED
    ]
    given = {
        "en": listed([f"{name} {number}" for name, number in numbers], "en"),
        "ja": listed([f"{name} {number}" for name, number in numbers], "ja"),
    }[language]
    if len(best) == 1:
        first = {
            "en": f"Clusters go along most with the {w[order[0]]} (ARI: {given})",
            "ja": f"クラスタが最もよく対応するのは{w[order[0]]}である（ARI：{given}）",
        }[language]
    else:
        first = {
            "en": f"What clusters go along with most depends on the experiment (ARI: {given})",
            "ja": f"クラスタが何に最もよく対応するかは、実験によって異なる（ARI：{given}）",
        }[language]
    if not unrelated:
        return first
    return (
        first
        + {
            "en": f", and hardly with the {listed(unrelated, 'en')}",
            "ja": f"。{listed(unrelated, 'ja')}とはほとんど関係がない",
        }[language]
    )


def components(
    shares: Mapping[str, Sequence[float]], dimensions: Sequence[int], images: bool, language: str
) -> str:
    """Sum the published principal components, and ours.

    Parameters
    ----------
    shares
        Experiment -> share of the variance of each component, the largest first.
    dimensions
        How many there are, of each experiment.
    images
        Whether they are those of maps as images, as the published ones, or of descriptors.
    language
        ``en`` or ``ja``.
    """
    count = len(PUBLISHED_COMPONENTS)
    total = sum(PUBLISHED_COMPONENTS)
    ours = span([sum(values[:count]) for values in shares.values()], ".1%")
    below = format(PUBLISHED_COMPONENTS_BELOW, ".0%")
    holds = total < PUBLISHED_COMPONENTS_BELOW
    size = span(dimensions, ",d")
    if language == "ja":
        kind = "画像としてのマップの特徴量" if images else "記述子"
        return (
            f"公表された {count} 成分の和は {total:.1%} であり、本文にいう「{below} 未満」"
            f"{'である' if holds else 'ではない'}。ここでの{kind}（{size} 次元）では、"
            f"{count} 成分の和は {ours} である"
        )
    kind = "maps as images" if images else "the descriptors"
    return (
        f"the {count} components that were published sum to {total:.1%}, which "
        f"{'is' if holds else 'is not'} the “less than {below}” of the text; the first {count} of "
        f"{kind} here ({size} dimensions) sum to {ours}"
    )


def totals(language: str) -> str:
    """Check that the published scores follow from their parts."""
    published = PUBLISHED_SCORES
    count = sum(published.questions)
    pairs = zip(published.answerable, published.unanswerable, strict=True)
    means = [
        (has * published.questions[0] + no * published.questions[1]) / count for has, no in pairs
    ]
    off = max(abs(mean - given) for mean, given in zip(means, published.total, strict=True))
    numbers = f"{means[0]:.2f}", f"{means[1]:.2f}"
    size = f"{off:.0e}" if off else "0"
    if off < 1e-6:
        return {
            "en": "weighted with the numbers of questions, the published parts give "
            f"{numbers[0]} exact and {numbers[1]} F1, which are the published totals to within "
            f"{size} points",
            "ja": f"公表された内訳を質問数で重み付き平均すると、完全一致 {numbers[0]}、"
            f"F1 {numbers[1]} となり、公表された全体の値と一致する（差は {size} ポイント以下）",
        }[language].replace("e-", "e\u2212")
    return {
        "en": "weighted with the numbers of questions, the published parts give "
        f"{numbers[0]} exact and {numbers[1]} F1, which differ from the published totals by up to "
        f"{off:.2g} points",
        "ja": f"公表された内訳を質問数で重み付き平均すると、完全一致 {numbers[0]}、"
        f"F1 {numbers[1]} となり、公表された全体の値と最大 {off:.2g} ポイント異なる",
    }[language]


# --- before and after, with and without -----------------------------------------------------------


def moved(
    counts: Mapping[str, Mapping[tuple[str, str], int]],
    clusters: Sequence[int],
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say how many heads are of another family after fine-tuning, and which way most go.

    Parameters
    ----------
    counts
        Experiment -> family before and after -> heads.
    clusters
        Heads whose maps are mainly in another cluster, of each experiment.
    w
        Names of families, and ``untrained``.
    language
        ``en`` or ``ja``.
    """
    if not counts:
        return w["untrained"].rstrip(".。")
    moves = {
        name: {way: n for way, n in ways.items() if way[0] != way[1]}
        for name, ways in counts.items()
    }
    numbers = span([sum(ways.values()) for ways in moves.values()], "d")
    heads = span([sum(ways.values()) for ways in counts.values()], "d")
    beside = {
        "en": f"; {span(clusters, 'd')} have most of their maps in another cluster than before",
        "ja": f"。マップの多くが以前とは別のクラスタに属するヘッドは {span(clusters, 'd')} である",
    }[language]
    if not any(moves.values()):
        return {
            "en": f"Fine-tuning moves none of the {heads} heads of a model to another family",
            "ja": f"ファインチューニングによって別の型に移るヘッドは、モデルの {heads} のうちに"
            "一つもない",
        }[language] + beside
    total: dict[tuple[str, str], int] = {}
    for ways in moves.values():
        for way, n in ways.items():
            total[way] = total.get(way, 0) + n
    before, after = max(total, key=lambda way: total[way])
    most = total[before, after], sum(total.values())
    return {
        "en": f"Fine-tuning moves {numbers} of the {heads} heads of a model to another family, "
        f"most often from {w[before]} to {w[after]} ({most[0]} of {most[1]} moves)",
        "ja": f"ファインチューニングによって別の型に移るヘッドは、モデルの {heads} のうち {numbers}"
        f" である。最も多いのは{w[before]}から{w[after]}への移動（{most[1]} 件のうち {most[0]} 件）"
        "である",
    }[language] + beside


def distances(found: Mapping[str, Mapping[str, float]], language: str) -> str:
    """Say whether heads grouped without any features are the heads of the same clusters or layers.

    Parameters
    ----------
    found
        Experiment -> adjusted Rand index of the groups with the main ``cluster`` of the heads' maps
        and with the ``layer``, and ``share``, what the plane shows of the squared distances.
    language
        ``en`` or ``ja``.
    """
    cluster, layer, share = (
        [values[key] for values in found.values()] for key in ("cluster", "layer", "share")
    )
    closer = [one > other for one, other in zip(cluster, layer, strict=True)]
    numbers = span(cluster, ".2f"), span(layer, ".2f")
    if language == "ja":
        verdict = (
            "どの実験でも、層よりクラスタによく対応する"
            if all(closer)
            else "どの実験でも、クラスタより層によく対応する"
            if not any(closer)
            else f"{len(closer)} の実験のうち {sum(closer)} では層よりクラスタによく対応する"
        )
        return (
            "特徴量を使わずに注意の分布だけからヘッドを分けた群は、マップの属するクラスタと ARI "
            f"{numbers[0]}、層と ARI {numbers[1]} で一致し、{verdict}。平面に表れるのは距離の二乗の"
            f" {span(share)} である"
        )
    verdict = (
        "with the clusters more than with the layer in every experiment"
        if all(closer)
        else "with the layer more than with the clusters in every experiment"
        if not any(closer)
        else f"with the clusters more than with the layer in {sum(closer)} of {len(closer)} "
        "experiments"
    )
    return (
        "Groups of heads made from their distributions of attention alone, without any features, "
        f"go along with the clusters of their maps with an ARI of {numbers[0]} and with the layer "
        f"with {numbers[1]}, {verdict}; the plane shows {span(share)} of the squared distances"
    )


def ablation(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    perfect: Sequence[str],
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say how many heads are missed, how many are in the way, and by how much at most.

    Parameters
    ----------
    changes, losses
        Experiment -> change of the score, 0 to 1, and of the loss by disabling each head.
    perfect
        Experiments whose score is 1 with all heads, so that it cannot rise.
    w
        ``no_task``.
    language
        ``en`` or ``ja``.
    """
    if not changes:
        return w["no_task"].rstrip(".。")
    heads = span([len(rows) for rows in changes.values()], "d")
    hurt, help_ = ([n[i] for n in _beyond(changes).values()] for i in (0, 1))
    # A loss that falls is a help.
    finer = [span([n[i] for n in _beyond(losses).values()], "d") for i in (1, 0)]
    numbers = span(hurt, "d"), span(help_, "d")
    published = _points(PUBLISHED_GAIN)
    worst, best = (_extreme(changes, sign, language) for sign in (-1, 1))
    if language == "ja":
        full = (
            f"。{listed(perfect, 'ja')} ではどのヘッドも無効にしなければ満点なので、"
            "上がる余地がない"
            if perfect
            else ""
        )
        return (
            f"{heads} のヘッドのうち、無効にしたときに区間が 0 を含まずに成績が下がるものは "
            f"{numbers[0]}、上がるものは {numbers[1]} である。最大の低下は{worst}、"
            f"最大の上昇は{best}、報告された上昇は最大 {published} ポイントである{full}。"
            f"より細かな尺度である損失では、悪くなるものが {finer[0]}、"
            f"良くなるものが {finer[1]} である"
        )
    full = (
        f"; in {listed(perfect, 'en')} the score is perfect with all heads and cannot rise"
        if perfect
        else ""
    )
    return (
        f"Of {heads} heads, {numbers[0]} lower the score when they are disabled and {numbers[1]} "
        f"raise it, by an interval that leaves out 0; the largest loss is {worst}, the largest "
        f"gain {best}, and up to {published} points were published{full}; by the loss function, a "
        f"finer measure, {finer[0]} make it worse and {finer[1]} better"
    )


def _extreme(changes: Mapping[str, Sequence[Change]], sign: int, language: str) -> str:
    """Largest change of one sign, and whose it is."""
    every = [(sign * row.mean, name, row) for name, rows in changes.items() for row in rows]
    size, name, row = max(every, key=lambda one: one[0])
    if size <= 0:
        return {"en": "none", "ja": "なし"}[language]
    return {
        "en": f"{_points(row.mean)} points (head {row.layer}.{row.head} of {name})",
        "ja": f" {_points(row.mean)} ポイント（{name} のヘッド {row.layer}.{row.head}）",
    }[language]


def _points(change: float) -> str:
    """Change of a score, 0 to 1, in percentage points."""
    return f"{100 * change:+.1f}".replace("-", "\u2212")


def _beyond(changes: Mapping[str, Sequence[Change]]) -> dict[str, tuple[int, int]]:
    """Count heads whose interval lies below 0, and above."""
    return {
        name: (sum(row.high < 0 for row in rows), sum(row.low > 0 for row in rows))
        for name, rows in changes.items()
    }


def chance(
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    confidence: float,
    w: Mapping[str, str],
    language: str,
) -> str:
    """Hold the number of heads found against what intervals find by chance.

    Parameters
    ----------
    changes, losses, w, language
        As in :func:`ablation`.
    confidence
        Of the intervals.
    """
    if not changes:
        return w["no_task"].rstrip(".。")
    expected = {name: len(rows) * (1 - confidence) / 2 for name, rows in changes.items()}
    counts = {
        # What is missed, and what is in the way: a loss that falls is a help.
        ("score", "hurt"): {name: n[0] for name, n in _beyond(changes).items()},
        ("score", "help"): {name: n[1] for name, n in _beyond(changes).items()},
        ("loss", "hurt"): {name: n[1] for name, n in _beyond(losses).items()},
        ("loss", "help"): {name: n[0] for name, n in _beyond(losses).items()},
    }
    numbers = span(list(expected.values()), ".1f")
    level = format(confidence, ".0%")
    first = {
        "en": f"with so many intervals at {level}, about {numbers} heads on either side would "
        "leave out 0 by chance alone",
        "ja": f"{level} の区間をこれだけ調べれば、偶然だけでも、両側にそれぞれ {numbers} 程度の"
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


# --- all in one -----------------------------------------------------------------------------------


def lead(
    shares: Mapping[State, Mapping[str, float]],
    elbows: Mapping[str, Elbow],
    found: Mapping[str, Quality],
    changes: Mapping[str, Sequence[Change]],
    losses: Mapping[str, Sequence[Change]],
    w: Mapping[str, str],
    language: str,
) -> str:
    """Say in one sentence what families there are, whether clusters exist, what disabling does.

    Parameters
    ----------
    shares, elbows, found, changes, losses
        As in :func:`families`, :func:`elbow`, :func:`quality` and :func:`ablation`.
    w, language
        As there.
    """
    names = list(next(iter(shares.values())))
    mean = {name: sum(values[name] for values in shares.values()) for name in names}
    top = sorted(names, key=lambda name: -mean[name])[:2]
    numbers = [f"{span([values[name] for values in shares.values()])}" for name in top]
    clear = sum(one.found for one in elbows.values())
    tight = sum(one.silhouette >= STRUCTURE for one in found.values())
    silhouette = span([one.silhouette for one in found.values()], ".2f")
    hurt = [n[0] / len(changes[name]) for name, n in _beyond(changes).items()]
    worse = [n[1] / len(losses[name]) for name, n in _beyond(losses).items()]
    if language == "ja":
        if clear == len(elbows):
            exist = "クラスタの数を示す肘はどの実験にもある"
        elif clear:
            exist = f"クラスタの数を示す肘は {len(elbows)} の実験のうち {clear} にある"
        elif tight:
            exist = (
                "マップはいくらかまとまるが、クラスタの数を示す肘はない"
                f"（シルエット係数 {silhouette}）"
            )
        else:
            exist = f"クラスタといえるほどのまとまりはない（シルエット係数 {silhouette}）"
        sentence = (
            f"注意マップの {numbers[0]} は{w[top[0]]}、{numbers[1]} は{w[top[1]]}であり、{exist}"
        )
        if hurt:
            sentence += (
                f"。無効にすると成績が下がるヘッドは {span(hurt)}、"
                f"損失が増えるヘッドは {span(worse)} である"
            )
        return sentence
    if clear == len(elbows):
        exist = "an elbow tells the number of their clusters in every experiment"
    elif clear:
        exist = (
            f"an elbow tells the number of their clusters in {clear} of {len(elbows)} experiments"
        )
    elif tight:
        exist = (
            "they gather somewhat, but no elbow tells a number of clusters (silhouette "
            f"{silhouette})"
        )
    else:
        exist = f"they form no clusters to speak of (silhouette {silhouette})"
    sentence = (
        f"{numbers[0]} of the attention maps are {w[top[0]]} and {numbers[1]} {w[top[1]]}; {exist}"
    )
    if hurt:
        sentence += (
            f"; the score falls without one head for {span(hurt)} of the heads, and the loss rises "
            f"for {span(worse)}"
        )
    return sentence
