"""What the chapter *features* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.figures.findings.phrases import listed, span

State = tuple[str, str]
"""Experiment and variant."""

# A mean silhouette below this is customarily read as no structure to speak of (Kaufman and
# Rousseeuw 1990, Finding Groups in Data, chapter 2, table 4).
STRUCTURE = 0.25


class Interval(NamedTuple):
    """A mean over texts and its bootstrap interval."""

    mean: float
    low: float
    high: float


Silhouettes = Mapping[State, Mapping[int, Mapping[str, Interval]]]
"""Layer -> point -> silhouette by label, both in the order of the forward pass."""


def movement(
    moved: Mapping[State, Mapping[str, float]], w: Mapping[str, str], language: str
) -> str:
    """Say into which point neighbourhoods change most, and into which least.

    Parameters
    ----------
    moved
        Point that a step leads to -> share of neighbours lost in the step, mean over layers.
    w
        Names of points.
    language
        ``en`` or ``ja``.
    """
    most = {state: max(steps, key=lambda p: steps[p]) for state, steps in moved.items()}
    least = {state: min(steps, key=lambda p: steps[p]) for state, steps in moved.items()}

    def numbers(point: str) -> str:
        return span([steps[point] for steps in moved.values()])

    places = list(dict.fromkeys(most.values()))
    if len(places) > 1:
        counts = [(w[p], list(most.values()).count(p)) for p in places]
        form = {"en": "{} ({})", "ja": "{}（{}）"}[language]
        named = [form.format(*one) for one in counts]
        return {
            "en": "which step of the forward pass changes most neighbours depends on the model: "
            f"counted in experiments and model states, it is the one into {listed(named, 'en')} of "
            f"{len(most)}",
            "ja": "順伝播のどの段階で近傍が最も入れ替わるかは、モデルによって異なる。実験とモデルの"
            f"状態 {len(most)} 通りのうちの数で示せば、{listed(named, 'ja')}に至る段階である",
        }[language]
    top = places[0]
    sentence = {
        "en": "neighbourhoods change most on the step into the "
        f"{w[top]}, where a token loses {numbers(top)} of its nearest neighbours",
        "ja": f"近傍が最も入れ替わるのは{w[top]}に至る段階で、トークンは近傍の"
        f" {numbers(top)} を失う",
    }[language]
    if len(set(least.values())) == 1:
        bottom = least[next(iter(least))]
        if bottom != top:
            sentence += {
                "en": f", and least on the step into the {w[bottom]} ({numbers(bottom)})",
                "ja": f"。最も変わらないのは{w[bottom]}に至る段階（{numbers(bottom)}）である",
            }[language]
    return sentence


def largest_step(
    steps: Mapping[State, Mapping[tuple[str, int], float]], w: Mapping[str, str], language: str
) -> str:
    """Name the single step that moves most, of each experiment and state.

    Parameters
    ----------
    steps
        Point and layer that a step leads to -> share of neighbours lost.
    w
        Names of points and of variants, and the word ``layer``.
    language
        ``en`` or ``ja``.
    """
    tops: dict[tuple[str, int], list[State]] = {}
    for state, shares in steps.items():
        tops.setdefault(max(shares, key=lambda place: shares[place]), []).append(state)
    named = []
    for (point, layer), states in tops.items():
        place = place_name(point, layer, w)
        numbers = span([steps[state][point, layer] for state in states])
        whose = listed(_whose(states, list(steps), w, language), language)
        named.append(
            {
                "en": f"the {place} in {whose} ({numbers})",
                "ja": f"{whose}{'' if whose.endswith('）') else ' '}では{place}（{numbers}）",
            }[language]
        )
    return {
        "en": f"The single step that loses most neighbours is the one into {listed(named, 'en')}",
        "ja": f"近傍を最も多く失う一段の行き先は、{listed(named, 'ja')}である",
    }[language]


def _whose(
    states: Sequence[State], every: Sequence[State], w: Mapping[str, str], language: str
) -> list[str]:
    """Names of experiments, with the model state where it is not the same for all of them."""
    names = []
    for name in dict.fromkeys(name for name, _ in states):
        variants = [variant for n, variant in states if n == name]
        if len(variants) == sum(n == name for n, _ in every):
            names.append(name)
        else:
            form = {"en": "{} ({})", "ja": "{}（{}）"}[language]
            names += [form.format(name, w[variant]) for variant in variants]
    return names


def place_name(point: str, layer: int, w: Mapping[str, str]) -> str:
    """Name a feature point and its layer; those of layer 0 are before all layers."""
    return w["place"].format(point=w[point], layer=layer) if layer else w[point]


def separated_from(layers: Mapping[int, Mapping[str, Interval]]) -> int | None:
    """Find the layer from which on texts lie apart by label at every point; None if there is none.

    Apart means that the whole interval of the mean silhouette is above ``STRUCTURE``.
    """
    start = None
    for layer in sorted(layers, reverse=True):
        if not all(value.low > STRUCTURE for value in layers[layer].values()):
            break
        start = layer
    return start


def last(layers: Mapping[int, Mapping[str, Interval]]) -> Interval:
    """Silhouette at the last point of the last layer."""
    return list(layers[max(layers)].values())[-1]


def separation(silhouettes: Silhouettes, w: Mapping[str, str], language: str) -> str:
    """Judge whether texts separate by class in the later maps after fine-tuning, and not before.

    Parameters
    ----------
    silhouettes
        Of the token that the classifier reads; only states whose texts have labels.
    w
        Names of experiments' parts.
    language
        ``en`` or ``ja``.
    """
    tuned = sorted({name for name, variant in silhouettes if variant == "finetuned"})
    names = [name for name in dict.fromkeys(n for n, _ in silhouettes) if name in tuned]
    if not names:
        numbers = span([last(layers).mean for layers in silhouettes.values()], ".2f")
        apart = [s for s, layers in silhouettes.items() if separated_from(layers) is not None]
        return {
            "en": "No model was fine-tuned, so whether that separates the classes cannot be said; "
            f"the pretrained model ends at a silhouette of {numbers}, classes apart in "
            f"{len(apart)} of {len(silhouettes)} experiments",
            "ja": "ファインチューニングをしたモデルがないので、それによってクラスが分かれるかは"
            f"判断できない。事前学習のみのモデルの最後のシルエット係数は {numbers} で、"
            f"{len(silhouettes)} 件の実験のうち {len(apart)} 件でクラスが分かれている",
        }[language]
    before = {n: silhouettes[n, "pretrained"] for n in names if (n, "pretrained") in silhouettes}
    after = {n: silhouettes[n, "finetuned"] for n in names}
    holds = {
        n: start
        for n in names
        if (start := separated_from(after[n])) is not None
        and start > 0
        and not (n in before and separated_from(before[n]) is not None)
    }
    ends = span([last(layers).mean for layers in after.values()], ".2f")
    starts = span([last(layers).mean for layers in before.values()], ".2f")
    numbers = {
        "en": f"silhouette at the last point {starts} before, {ends} after",
        "ja": f"最後の点のシルエット係数は前が {starts}、後が {ends}",
    }[language]
    if len(holds) == len(names):
        by_layer: dict[int, list[str]] = {}
        for name, layer in holds.items():
            by_layer.setdefault(layer, []).append(name)
        where = [
            {
                "en": f"layer {layer} on in {listed(of, 'en')}",
                "ja": f"{listed(of, 'ja')} では第 {layer} 層",
            }[language]
            for layer, of in by_layer.items()
        ]
        return {
            "en": f"Fine-tuning separates the texts by class, from {listed(where, 'en')} "
            f"({numbers})",
            "ja": "ファインチューニングの後、テキストはクラスごとに分かれる。分かれ始めるのは、"
            f"{listed(where, 'ja')}である（{numbers}）",
        }[language]
    if holds:
        others = [name for name in names if name not in holds]
        return {
            "en": f"Fine-tuning separates the texts by class in {listed(list(holds), 'en')} and "
            f"not in {listed(others, 'en')} ({numbers})",
            "ja": "ファインチューニングによってテキストがクラスごとに分かれるのは "
            f"{listed(list(holds), 'ja')} であり、{listed(others, 'ja')} "
            f"では分かれない（{numbers}）",
        }[language]
    return {
        "en": f"Fine-tuning does not separate the texts by class in any experiment ({numbers})",
        "ja": "どの実験でも、ファインチューニングによってテキストがクラスごとに分かれることはない"
        f"（{numbers}）",
    }[language]


def trusted(means: Mapping[str, Mapping[State, float]], w: Mapping[str, str], language: str) -> str:
    """Say which kind of map keeps neighbours best.

    Parameters
    ----------
    means
        Method -> mean trustworthiness over the maps of each state.
    w
        Names of methods.
    language
        ``en`` or ``ja``.
    """
    states = list(next(iter(means.values())))
    best = {state: max(means, key=lambda m: means[m][state]) for state in states}
    numbers = [
        f"{w[method]} {span(list(values.values()), '.2f')}" for method, values in means.items()
    ]
    if len(set(best.values())) == 1:
        name = w[best[states[0]]]
        return {
            "en": f"{name} keeps neighbours best in every experiment and model state (mean "
            f"trustworthiness: {listed(numbers, 'en')})",
            "ja": f"近傍を最もよく保つのは、どの実験、どのモデルの状態でも {name} である"
            f"（信頼性の平均は {listed(numbers, 'ja')}）",
        }[language]
    return {
        "en": "no kind of map is the most trustworthy everywhere (mean trustworthiness: "
        f"{listed(numbers, 'en')})",
        "ja": f"どこでも最も信頼できる描き方はない（信頼性の平均は {listed(numbers, 'ja')}）",
    }[language]


def shifted(
    counts: Mapping[str, Mapping[str, tuple[int, int]]], w: Mapping[str, str], language: str
) -> str:
    """Say on how many maps fine-tuning shows more than another seed would.

    Parameters
    ----------
    counts
        Method -> experiment -> maps whose shift exceeds the spread over seeds of both states, and
        maps.
    w
        Names of methods.
    language
        ``en`` or ``ja``.
    """
    parts = [
        {
            "en": f"{_total(by, 0)} of {_total(by, 1)} {w[method]} maps",
            "ja": f"{w[method]} では {_total(by, 1)} 枚のうち {_total(by, 0)} 枚",
        }[language]
        for method, by in counts.items()
    ]
    sentence = {
        "en": f"Fine-tuning shifts {listed(parts, 'en')} by more than another seed would",
        "ja": "ファインチューニングによるずれがシードによるばらつきを超えるマップは、"
        f"{listed(parts, 'ja')}である",
    }[language]
    if all(_total(by, 0) == _total(by, 1) for by in counts.values()):
        return sentence
    return (
        sentence
        + {
            "en": "; what differs in the others says nothing about fine-tuning",
            "ja": "。ほかのマップの違いは、ファインチューニングについて何も語らない",
        }[language]
    )


def _total(by: Mapping[str, tuple[int, int]], index: int) -> int:
    return sum(count[index] for count in by.values())


def changed(
    distances: Mapping[str, Mapping[tuple[str, int], float]], w: Mapping[str, str], language: str
) -> str:
    """Say how far the vectors themselves have turned, and whether more so with depth.

    Parameters
    ----------
    distances
        Experiment -> point and layer, in the order of the forward pass -> mean cosine distance
        before and after fine-tuning.
    w
        Names of points.
    language
        ``en`` or ``ja``.
    """
    inputs = [values[place] for values in distances.values() for place in values if not place[1]]
    tops = [max(values, key=lambda place: values[place]) for values in distances.values()]
    highest = [values[top] for values, top in zip(distances.values(), tops, strict=True)]
    rising = [_rises(values) for values in distances.values()]
    where = (
        {"en": f"the {place_name(*tops[0], w)}", "ja": place_name(*tops[0], w)}[language]
        if len(set(tops)) == 1
        else listed(
            [
                {
                    "en": f"the {place_name(*top, w)} ({name})",
                    "ja": f"{name} では{place_name(*top, w)}",
                }[language]
                for name, top in zip(distances, tops, strict=True)
            ],
            language,
        )
    )
    start, end = span(inputs, ".2f"), span(highest, ".2f")
    depth = {
        "en": ", layer by layer further from the input" if all(rising) else "",
        "ja": "層が深くなるほど大きく、" if all(rising) else "",
    }[language]
    return {
        "en": f"The vectors themselves turn{depth}: by a cosine distance of {start} at the input "
        f"and of up to {end}, at {where}",
        "ja": f"ベクトルそのものの向きの変化（コサイン距離）は、{depth}入力で {start}、"
        f"最大は {end} である（{where}）",
    }[language]


def _rises(values: Mapping[tuple[str, int], float]) -> bool:
    """Whether the mean over the points of a layer grows from each layer to the next."""
    layers: dict[int, list[float]] = {}
    for (_, layer), value in values.items():
        layers.setdefault(layer, []).append(value)
    means: list[Any] = [sum(found) / len(found) for _, found in sorted(layers.items())]
    return means == sorted(means)
