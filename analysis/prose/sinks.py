"""What is said of the experiment on sinks: what came of it in every corpus, by its rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from IPython.display import HTML

from analysis.prose.phrases import beside, counted, listed, written
from analysis.results.sinks import SinkResult
from analysis.rules.sinks import PLACEBOS, Outcome, SinkRule
from attention_mixing.markup import escape
from attention_mixing.messages import Words
from attention_mixing.methods.faithfulness import rank_correlation


def title(one: SinkResult, w: Words) -> str:
    """Name a corpus, and that it is of this run if it is of no reference run."""
    name = w.get(f"corpus_{one.corpus}", one.corpus)
    return name if one.run else beside(name, w["this_run"], w)


def outcomes(results: Sequence[SinkResult], rule: SinkRule, w: Words) -> HTML:
    """Say what came of every corpus, and then what the rule makes of it."""
    said = []
    judged: dict[Outcome, list[str]] = {}
    for one in results:
        said.append(f"<p>{escape(_rise(one, w))}</p>")
        judged.setdefault(one.record["outcome"], []).append(title(one, w))
    for outcome, corpora in judged.items():
        of = escape(w.say(f"outcome_{outcome}", corpora=listed(corpora, w)))
        meant = escape(getattr(rule.outcomes[outcome], w.language))
        said.append(f"<p><strong>{of}</strong> {meant}</p>")
    return HTML("".join(said))


def numbers(results: Sequence[SinkResult], w: Words) -> HTML:
    """List what was seen beside it, by corpus."""
    said = []
    for one in results:
        points = "".join(f"<li>{escape(sentence)}</li>" for sentence in _beside(one, w))
        said.append(f"<p>{escape(title(one, w))}</p><ul>{points}</ul>")
    return HTML("".join(said))


def association(changes: pd.DataFrame, w: Words) -> str:
    """Say whether mixing and sinks change together over models."""
    mixing, sink = (changes[name].to_numpy(float) for name in ("mixing", "sink"))
    rho = float(rank_correlation(mixing, sink))
    known = "no" if np.isnan(rho) else "yes"
    return w.say("clamp_association", n=len(changes), known=known, rho=number_of(rho))


def interval(row: pd.Series, part: str) -> str:
    """Write a number of the effects with its interval; empty where there is none."""
    if np.isnan(row[part]):
        return ""
    form = form_of(part)
    numbers = (number_of(row[f"{part}{end}"], form) for end in ("", "_low", "_high"))
    return "{}\u00a0[{},\u00a0{}]".format(*numbers)


def form_of(part: str) -> str:
    """Say how to write a number: a part of a rise in per cent, dependence with two decimals."""
    return "z.0%" if part == "removed" else "z.2f"


def points(difference: float) -> str:
    """Write a difference of accuracies, in percentage points."""
    return number_of(100 * difference, "+z.1f")


def number_of(value: float, form: str = "z.2f") -> str:
    """Write a number; empty where there is none."""
    return "" if np.isnan(value) else written(value, form)


def _rise(one: SinkResult, w: Words) -> str:
    """Say by how much dependence rises, and which part of it the clamp and others remove."""
    rows = one.of_readings()
    measured = not np.isnan(rows.loc["clamped", "removed"])
    compared = "placebo_move" in rows.index
    return w.say(
        "clamp_rise",
        corpus=title(one, w),
        seeds=counted(one.seeds, "seed", w),
        before=number_of(one.level("pretrained", "dependence")),
        after=number_of(one.level("free", "dependence")),
        rise=interval(rows.loc["free"], "rise"),
        measured="yes" if measured else "no",
        removed=interval(rows.loc["clamped"], "removed"),
        compared="yes" if compared else "no",
        ordinary=interval(rows.loc["placebo_move"], "removed") if compared else "",
    )


def _beside(one: SinkResult, w: Words) -> Iterator[str]:
    """Say what was seen of sinks, of accuracies, and of the other arms."""
    rows = one.of_readings()
    yield w.say(
        "clamp_free",
        sinks_before=number_of(one.level("pretrained", "sinks")),
        sinks_after=number_of(one.level("free", "sinks")),
        heads_before=written(one.record["sink_heads"]["pretrained"], ".0%"),
        heads_after=written(one.record["sink_heads"]["free"], ".0%"),
    )
    if np.isnan(rows.loc["clamped", "removed"]):
        return
    yield w.say(
        "clamp_held",
        removed=interval(rows.loc["clamped"], "removed"),
        following=number_of(rows.loc["clamped", "following_removed"], form_of("removed")),
        odds=number_of(rows.loc["clamped", "removed_odds"], form_of("removed")),
        right=written(one.level("clamped", "right"), ".1%"),
        free_right=written(one.level("free", "right"), ".1%"),
    )
    yield w.say("clamp_frozen", removed=interval(rows.loc["frozen_shares"], "removed"))
    for name in PLACEBOS:
        if name in rows.index:
            yield w.say(
                "clamp_ordinary",
                arm=w[f"arm_{name}"],
                removed=interval(rows.loc[name], "removed"),
                right=written(one.level(name, "right"), ".1%"),
            )
