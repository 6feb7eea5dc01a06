"""What the chapter *heads* finds about what heads attend to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.figures.findings.heads import State
from analysis.figures.findings.phrases import extent, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

Lines = Mapping[State, Sequence[float]]
"""Means from the first layer to the last."""

# Attention this near to the largest entropy there is, is called almost uniform.
UNIFORM = 0.9


def neighbours(counts: Mapping[State, tuple[int, int, int]], w: Words) -> str:
    """Count heads that give more than half of their attention to a neighbour.

    Parameters
    ----------
    counts
        Heads that attend to the token before, to the one after, and all.
    """
    previous, following, total = (
        span([found[i] for found in counts.values()], "d") for i in range(3)
    )
    values = published("B16")
    return w.say(
        "attended_neighbours",
        outcome="some" if any(found[0] or found[1] for found in counts.values()) else "none",
        previous=previous,
        following=following,
        total=total,
        published_previous=str(values["previous"]),
        published_next=str(values["next"]),
        published_heads=str(values["heads"]),
    )


def sink(lines: Mapping[State, Mapping[str, Sequence[float]]], w: Words) -> str:
    """Name the special token that draws most attention, and where it draws more than half.

    Parameters
    ----------
    lines
        Kind of special token -> share of attention, layer by layer.
    """
    values = published("B17")
    tops: dict[str, list[Sequence[float]]] = {}
    above = []
    for kinds in lines.values():
        kind = max(kinds, key=lambda kind: sum(kinds[kind]))
        tops.setdefault(kind, []).append(kinds[kind])
        above.append([i for i, share in enumerate(kinds[kind], 1) if share > values["sep"]])
    named = [
        w.say(
            "attended_sink_of",
            outcome="all" if len(tops) == 1 else "some",
            kind=w[kind],
            states=str(len(found)),
            peak=span([max(line) for line in found]),
        )
        for kind, found in sorted(tops.items(), key=lambda one: -len(one[1]))
    ]
    first, last = values["sep_layers"]
    return w.say(
        "attended_sink",
        outcome="everywhere" if len(tops) == 1 else "depends",
        named=listed(named, w),
        half=extent([bool(layers) for layers in above]),
        layers=_layers(sorted({layer for layers in above for layer in layers}), w),
        reaching=str(sum(map(bool, above))),
        states=str(len(lines)),
        published_first=str(first),
        published_last=str(last),
    )


def _layers(layers: Sequence[int], w: Words) -> str:
    """Name layers, neighbouring ones as a range."""
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    named = [span([run[0], run[-1]], "d") for run in runs]
    return w.say("attended_layers", count=len(layers), layers=listed(named, w))


def sep_self(lines: Lines, w: Words) -> str:
    """Say what [SEP] gives to [SEP], of model states that have such a token."""
    if not lines:
        return w.say("attended_no_sep")
    peaks = [max(line) for line in lines.values()]
    bound = published("B17")["sep_to_sep"]
    reached = [peak > bound for peak in peaks]
    return w.say(
        "attended_sep_self",
        outcome=extent(reached),
        means=span([sum(line) / len(line) for line in lines.values()]),
        peaks=span(peaks),
        reached=str(sum(reached)),
        states=str(len(reached)),
        published=format(bound, ".0%"),
    )


def uniform(entropy: Lines, cls_entropy: Lines, w: Words) -> str:
    """Say whether attention of the last layer is almost uniform, and that of [CLS].

    Parameters
    ----------
    entropy, cls_entropy
        Mean over heads of the entropy divided by ln n, of all rows and of the first token's.
    """
    first, last = (span([line[i] for line in entropy.values()], ".2f") for i in (0, -1))
    cls_first, cls_last = (span([line[i] for line in cls_entropy.values()], ".2f") for i in (0, -1))
    flat = [line[-1] >= UNIFORM for line in entropy.values()]
    broadest = all(max(line) == line[-1] for line in entropy.values())
    return w.say(
        "attended_uniform",
        outcome=extent(flat),
        broadest="last" if broadest or any(flat) else "others",
        first=first,
        last=last,
        cls_first=cls_first,
        cls_last=cls_last,
        flat=str(sum(flat)),
        states=str(len(flat)),
        uniform=str(UNIFORM),
        published=str(published("B18")["cls_entropy"]),
    )
