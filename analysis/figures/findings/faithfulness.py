"""What the chapter *faithfulness* finds."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.figures.phrases import listed, span
from analysis.figures.words import Words

Lines = Sequence[Sequence[float]]
"""Means from the first layer to the last, a line an experiment and measure."""

# Two correlations or ROC-AUCs that differ by less than this are called alike.
RANK_MARGIN = 0.02
# Change of a correlation from the first to the last layer that is called a rise or a fall.
DEPTH_MARGIN = 0.10
# Two methods whose rankings correlate more than this in every experiment are called one.
SAME_RANKING = 0.90
KNOW_NOTHING = ("random", "uniform")
# By which a method is held against another.
MEASURES = ("roc_auc", "comprehensiveness")


def best_method(auc: pd.DataFrame) -> str:
    """Name the method with the largest mean over experiments."""
    judged = auc[~auc["of"].isin(KNOW_NOTHING)]
    return str(judged.groupby("of", sort=False)["mean"].mean().idxmax())


def below_chance(auc: pd.DataFrame) -> list[str]:
    """Names of the methods that rank the evidence worse than chance in every experiment."""
    highest = auc.groupby("of", sort=False)["high"].max()
    return list(highest.index[highest < 0.5])


def evidence_lead(auc: pd.DataFrame, w: Words) -> str:
    """Say which method finds the planted evidence best, how the well-known ones do, and who fails.

    Parameters
    ----------
    auc
        ROC-AUC of final scores, a row a method (``of``) and experiment with ``mean``, ``low`` and
        ``high``; holds ``raw``, ``rollout`` and ``flow``.
    w
        Holds the names of methods, too.
    """
    by_method = auc.groupby("of", sort=False)["mean"]
    best = best_method(auc)
    means = {method: span(values, ".2f") for method, values in by_method}
    worst = [method for method in below_chance(auc) if method not in KNOW_NOTHING]
    worst.sort(key=by_method.mean().get)
    return w.say(
        "faithfulness_evidence_lead",
        best=w[best],
        best_auc=means[best],
        **{method: means[method] for method in ("raw", "rollout", "flow")},
        failing=len(worst),
        below=_named(worst, w),
    )


def _named(methods: Sequence[str], w: Words) -> str:
    return listed([w[method] for method in methods], w)


def _of(paired: pd.DataFrame, method: str, other: str, measure: str) -> pd.DataFrame:
    chosen = (paired["of"] == method) & (paired["minus"] == other) & (paired["measure"] == measure)
    # A difference that no text defines is nan, and says nothing.
    return paired[chosen].dropna(subset="mean")


def not_above(paired: pd.DataFrame, other: str, methods: Sequence[str], w: Words) -> str:
    """Name the methods that are not above a random score, by either measure, in some experiment.

    Parameters
    ----------
    paired
        Rows with ``measure`` (of ``MEASURES``), method (``of``), ``minus``, ``mean``, ``low``,
        ``high``; one an experiment.
    other
        What the methods are held against.
    methods
        To look at, in the order in which they are named.
    w
        Holds the names of methods, too.
    """
    failing = [
        method
        for method in methods
        if method not in KNOW_NOTHING
        and any((_of(paired, method, other, measure)["low"] <= 0).any() for measure in MEASURES)
    ]
    return w.say("faithfulness_not_above", failing=len(failing), names=_named(failing, w))


def above(paired: pd.DataFrame, other: str, methods: Sequence[str], w: Words) -> str:
    """Say which methods beat raw attention by one of two measures and lose by none.

    Parameters are as in :func:`not_above`.
    """
    better: dict[str, list[str]] = {measure: [] for measure in MEASURES}
    worse = set()
    for method in methods:
        for measure in MEASURES:
            rows = _of(paired, method, other, measure)
            if len(rows) and (rows["low"] > 0).all():
                better[measure].append(method)
            if (rows["high"] < 0).any():
                worse.add(method)
    found, kept = better.values()
    trusted = [m for m in methods if m in (*found, *kept) and m not in worse]
    nobody = w["faithfulness_above_nobody"]
    return w.say(
        "faithfulness_above",
        outcome="trusted" if trusted else "none",
        names=_named(trusted, w),
        found=_named(found, w) or nobody,
        kept=_named(kept, w) or nobody,
    )


def same_rankings(agreement: pd.DataFrame, methods: Sequence[str], w: Words) -> str:
    """Name groups of methods that rank tokens alike in every experiment.

    Parameters
    ----------
    agreement
        Rows with both methods (``of``, ``kind``) and ``mean``, one an experiment and pair.
    methods
        In the order in which they are named.
    w
        Holds the names of methods, too.
    """
    lowest = agreement.groupby(["of", "kind"])["mean"].min()
    groups: list[list[str]] = []
    for method in methods:
        # All of a group are alike: no chain in which neighbours are and the ends are not.
        for group in groups:
            if all(lowest.get((method, other), 0) > SAME_RANKING for other in group):
                group.append(method)
                break
        else:
            groups.append([method])
    several = [group for group in groups if len(group) > 1]
    named = [
        w.say("faithfulness_same_rankings_group", number=str(number), methods=_named(group, w))
        for number, group in enumerate(several, 1)
    ]
    return w.say(
        "faithfulness_same_rankings",
        outcome="alike" if several else "different",
        bound=f"{SAME_RANKING:.1f}",
        groups=w["faithfulness_same_rankings_next"].join(named),
    )


def two_rules(agreement: pd.DataFrame, rules: tuple[str, str], w: Words) -> str:
    """Say whether the two rules of relevance are one.

    Parameters
    ----------
    agreement
        As in :func:`same_rankings`.
    rules
        Their names.
    w
        Words of the page.
    """
    means = agreement[(agreement["of"] == rules[0]) & (agreement["kind"] == rules[1])]["mean"]
    return w.say(
        "faithfulness_two_rules",
        outcome="alike" if min(means) > 1 - RANK_MARGIN else "different",
        correlations=span(means, ".3f"),
    )


def depth_of_agreement(raw: Lines, rollout: Lines, w: Words) -> str:
    """Say whether raw attention and rollout agree more or less with blank-out in deep layers.

    Parameters
    ----------
    raw, rollout
        Correlations of the [CLS] row after fine-tuning.
    w
        Words of the page.
    """
    return w.say("faithfulness_depth", raw=_over_depth(raw, w), rollout=_over_depth(rollout, w))


def _over_depth(lines: Lines, w: Words) -> str:
    changes = [line[-1] - line[0] for line in lines]
    outcome = "depends"
    if min(changes) > DEPTH_MARGIN:
        outcome = "rises"
    elif max(changes) < -DEPTH_MARGIN:
        outcome = "falls"
    return w.say(
        "faithfulness_depth_of_method",
        outcome=outcome,
        first=span([line[0] for line in lines], ".2f"),
        last=span([line[-1] for line in lines], ".2f"),
    )


def middle_layers(flow: Lines, rollout: Lines, w: Words) -> str:
    """Say whether flow agrees with blank-out better than rollout half-way up."""
    gaps = [
        ours[(len(ours) - 1) // 2] - theirs[(len(theirs) - 1) // 2]
        for ours, theirs in zip(flow, rollout, strict=True)
    ]
    outcome = "depends"
    if min(gaps) > RANK_MARGIN:
        outcome = "above"
    elif max(gaps) <= RANK_MARGIN:
        outcome = "nowhere"
    least, most = (f"{gap:+z.2f}".replace("-", "\u2212") for gap in (min(gaps), max(gaps)))
    return w.say("faithfulness_middle_layers", outcome=outcome, least=least, most=most)


def stuck_flow(raw: Lines, flow: Lines, w: Words) -> str:
    """Say whether flow from [CLS] still ranks tokens as attention of the first layer does.

    Parameters
    ----------
    raw, flow
        Measures that know ranks alone; none where every text is a single token, which has no rank.
    w
        Words of the page.
    """
    if not flow:
        return w.say("faithfulness_stuck_flow", outcome="no_ranks")
    drift = max(
        abs(value - first) for (first, *_), line in zip(raw, flow, strict=True) for value in line
    )
    if drift >= RANK_MARGIN:
        return w.say("faithfulness_stuck_flow", outcome="departs", drift=f"{drift:.2f}")
    shown = f"{drift:.3f}"
    outcome = "near" if float(shown) else "equal"
    return w.say("faithfulness_stuck_flow", outcome=outcome, drift=shown)


def start_layer(lines: Lines, w: Words) -> str:
    """Say whether it pays to start relevance above the input.

    Parameters
    ----------
    lines
        ROC-AUC over the first layer, lowest first; one an experiment.
    w
        Words of the page.
    """
    gain = max(max(line) - line[0] for line in lines)
    loss = max(line[0] - min(line) for line in lines)
    shown, outcome = f"{gain:.2f}", "depends"
    if gain < RANK_MARGIN:
        outcome = "little" if float(shown) else "nothing"
    return w.say("faithfulness_start_layer", outcome=outcome, gain=shown, loss=f"{loss:.2f}")


def sign(supporting: Lines, opposing: Lines, w: Words) -> str:
    """Say whether evidence for and against the class lie on different tokens."""
    ours, theirs = ([line[0] for line in lines] for lines in (supporting, opposing))
    return w.say(
        "faithfulness_sign",
        outcome="same_tokens" if min(theirs) > 0.5 + DEPTH_MARGIN else "depends",
        supporting=span(ours, ".2f"),
        opposing=span(theirs, ".2f"),
    )


def undefined(texts: int, w: Words) -> str:
    """Say for how many texts at most a difference between methods is not defined."""
    return w.say("faithfulness_undefined", outcome="some" if texts else "none", texts=str(texts))
