"""What the chapter *heads* finds about what heads attend to."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.figures.phrases import extent, listed, span
from analysis.figures.published import published
from analysis.figures.words import Words

STATE = ["experiment", "variant"]
# Kinds of special token.
SINKS = ("cls", "sep", "special")
# Attention this near to the largest entropy there is, is called almost uniform.
UNIFORM = 0.9


def neighbours(heads: pd.DataFrame, w: Words) -> str:
    """Count heads that give more than half of their attention to a neighbour.

    Parameters
    ----------
    heads
        ``STATE``, and whether the head attends to the ``previous`` token and to the ``next``.
    """
    states = heads.groupby(STATE, sort=False)
    previous, following = (states[role].sum() for role in ("previous", "next"))
    values = published("B16")
    return w.say(
        "attended_neighbours",
        outcome="some" if previous.any() or following.any() else "none",
        previous=span(previous, "d"),
        following=span(following, "d"),
        total=span(states.size(), "d"),
        published_previous=str(values["previous"]),
        published_next=str(values["next"]),
        published_heads=str(values["heads"]),
    )


def sink(lines: pd.DataFrame, w: Words) -> str:
    """Name the special token that draws most attention, and where it draws more than half.

    Parameters
    ----------
    lines
        ``STATE``, ``measure`` (of ``SINKS``), ``layer`` and ``mean``, the share of attention.
    """
    values = published("B17")
    tops: dict[str, list[pd.Series]] = {}
    above = []
    for _, own in lines[lines["measure"].isin(SINKS)].groupby(STATE, sort=False):
        kind = own.groupby("measure", sort=False)["mean"].sum().idxmax()
        line = own[own["measure"] == kind].set_index("layer")["mean"]
        tops.setdefault(kind, []).append(line)
        above.append(list(line.index[line > values["sep"]]))
    named = [
        w.say(
            "attended_sink_of",
            outcome="all" if len(tops) == 1 else "some",
            kind=w[kind],
            states=str(len(found)),
            peak=span([line.max() for line in found]),
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
        states=str(len(above)),
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


def sep_self(lines: pd.DataFrame, w: Words) -> str:
    """Say what [SEP] gives to [SEP], of model states that have such a token.

    Parameters are as in :func:`sink`; the measure is ``sep_to_sep``.
    """
    states = lines[lines["measure"] == "sep_to_sep"].groupby(STATE, sort=False)["mean"]
    if not states.ngroups:
        return w.say("attended_no_sep")
    bound = published("B17")["sep_to_sep"]
    peaks = states.max()
    reached = peaks > bound
    return w.say(
        "attended_sep_self",
        outcome=extent(reached),
        means=span(states.mean()),
        peaks=span(peaks),
        reached=str(reached.sum()),
        states=str(len(reached)),
        published=format(bound, ".0%"),
    )


def uniform(lines: pd.DataFrame, w: Words) -> str:
    """Say whether attention of the last layer is almost uniform, and that of [CLS].

    Parameters are as in :func:`sink`; the measures are ``relative_entropy`` and ``cls_entropy``,
    the mean over heads of the entropy divided by ln n, of all rows and of the first token's.
    """
    entropy, of_cls = (
        lines[lines["measure"] == measure].groupby(STATE, sort=False)["mean"]
        for measure in ("relative_entropy", "cls_entropy")
    )
    last = entropy.last()
    flat = last >= UNIFORM
    broadest = (entropy.max() == last).all()
    return w.say(
        "attended_uniform",
        outcome=extent(flat),
        broadest="last" if broadest or flat.any() else "others",
        first=span(entropy.first(), ".2f"),
        last=span(last, ".2f"),
        cls_first=span(of_cls.first(), ".2f"),
        cls_last=span(of_cls.last(), ".2f"),
        flat=str(flat.sum()),
        states=str(len(flat)),
        uniform=str(UNIFORM),
        published=str(published("B18")["cls_entropy"]),
    )
