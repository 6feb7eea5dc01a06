"""Chapter *mixing*: what fine-tuning adds while attention to some tokens is held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.style import (
    CATEGORY_COLOURS,
    EMPHASIS,
    INK,
    MUTED,
    WIDTH,
    figure_style,
    legend_key,
)
from analysis.prose.phrases import beside, written
from analysis.prose.sinks import form_of, interval, number_of, points, title
from analysis.results.sinks import FIELDS, SinkResult
from analysis.rules.sinks import READINGS, SinkRule
from attention_mixing.messages import Words

# What nothing is removed from: the free arm itself, and weights that were not trained.
WHOLE = ["free", "free_shares"]
COLOURS = {
    "free": EMPHASIS,
    "clamped": CATEGORY_COLOURS[0],
    "placebo_move": CATEGORY_COLOURS[2],
}
OF_A_SEED = {"s": 7, "alpha": 0.55, "lw": 0, "color": MUTED}


def arm_intervals(
    results: Sequence[SinkResult], rule: SinkRule, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Draw by how much dependence rises in every arm, a panel a corpus.

    Beside the rise of the free arm stands what is left of it where as much is removed as the rule
    asks for.
    """
    tables = []
    shown = _shown(results)
    places = {name: -place for place, name in enumerate(shown)}
    with figure_style():
        figure, axes = plt.subplots(
            1,
            len(results),
            figsize=(WIDTH, 0.8 + 0.27 * len(shown)),
            sharey=True,
            squeeze=False,
        )
        for axis, one in zip(axes.flat, results, strict=True):
            rows = one.of_readings()
            rise = rows.loc["free", "rise"]
            axis.axvline(0, color=MUTED, lw=0.8)
            axis.axvline(rise, color=COLOURS["free"], lw=0.8, ls=(0, (3, 2)))
            axis.axvline(rise * (1 - rule.margins.removed), color=COLOURS["free"], lw=0.8)
            for name, row in rows.iterrows():
                place, colour = places[str(name)], COLOURS.get(str(name), INK)
                seeds = one.of_seeds(str(name))
                axis.scatter(seeds, np.full(len(seeds), place + 0.22), **OF_A_SEED)
                axis.plot([row["rise_low"], row["rise_high"]], [place, place], color=colour)
                axis.plot(row["rise"], place, "o", ms=4.5, color=colour)
                axis.plot(row["following_rise"], place, "o", ms=4.5, mfc="none", mec=colour, mew=1)
            axis.set_title(title(one, w))
            axis.set_xlabel(w["rise"])
            axis.grid(axis="x")
            tables.append(rows.reset_index().assign(corpus=one.corpus, run=one.run or ""))
        axes[0, 0].set_yticks([*places.values()], [w[f"arm_{name}"] for name in places])
        keys = {"held": INK, "following": "none"}
        handles = [
            legend_key(w[f"target_{name}"], ls="", marker="o", ms=4.5, mfc=fill, mec=INK)
            for name, fill in keys.items()
        ]
        handles.append(legend_key(w["of_a_seed"], ls="", marker="o", ms=2.6, mfc=MUTED, mec="none"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure, pd.concat(tables, ignore_index=True)


def arms_table(results: Sequence[SinkResult], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what every arm adds and removes, a row an arm, and its accuracy, by corpus."""
    found = {title(one, w): one for one in results}
    shown = _shown(results)
    columns = {w["arm"]: [w[f"arm_{name}"] for name in shown]}
    data = []
    for name, one in found.items():
        rows = one.of_readings()
        data.append(rows.reset_index().assign(corpus=one.corpus, run=one.run or ""))
        rows = rows.reindex(shown)
        rows.loc[rows.index.isin(WHOLE), ["removed", "following_removed"]] = np.nan
        for part in ("rise", "removed"):
            columns[beside(name, w[part], w)] = [interval(row, part) for _, row in rows.iterrows()]
        columns[beside(name, w["following_removed"], w)] = [
            number_of(value, form_of("removed")) for value in rows["following_removed"]
        ]
        columns[beside(name, w["accuracy_change"], w)] = [
            points(value) for value in rows["accuracy"]
        ]
    return pd.DataFrame(columns), pd.concat(data, ignore_index=True)


def readings_table(results: Sequence[SinkResult], w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List all weights in all ways in which they were read, with the rise of each seed."""
    cells, data = [], []
    for one in results:
        keys = [*FIELDS, "learning_rate", "bias"]
        by_seed = one.rises.pivot(index=keys, columns="seed", values="rise").add_prefix("seed_")
        whole = one.effects.merge(by_seed.reset_index(), on=keys, how="left")
        data.append(whole.assign(corpus=one.corpus, run=one.run or ""))
        for _, row in whole.iterrows():
            cell = {
                w["corpus"]: title(one, w),
                w["weights"]: w[f"weights_{row['weights']}"],
                w["learning_rate"]: written(row["learning_rate"], "g"),
                w["read"]: _way(row, w),
                w["rise"]: interval(row, "rise"),
                w["removed"]: interval(row, "removed"),
                w["beyond"]: interval(row, "beyond"),
                w["accuracy_change"]: points(row["accuracy"]),
            }
            seeds = [number_of(row[column]) for column in by_seed.columns]
            cells.append(cell | {w["by_seed"]: " ".join(seeds)})
    return pd.DataFrame(cells), pd.concat(data, ignore_index=True)


def predictions_table(
    results: Sequence[SinkResult], rule: SinkRule, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List what was predicted, and what became of it in every corpus."""
    columns = {w["prediction"]: [getattr(one.words, w.language) for one in rule.predictions]}
    data = []
    for one in results:
        answers = one.record["predictions"]
        columns[title(one, w)] = [w[f"prediction_{answers[p.name]}"] for p in rule.predictions]
        data.append(pd.DataFrame({"prediction": [*answers], "answer": [*answers.values()]}))
        data[-1] = data[-1].assign(corpus=one.corpus, run=one.run or "")
    return pd.DataFrame(columns), pd.concat(data, ignore_index=True)


def _shown(results: Sequence[SinkResult]) -> list[str]:
    """Name what was read in some corpus, in the order of :data:`.READINGS`."""
    read = {name for one in results for name in one.of_readings().index}
    return [name for name in READINGS if name in read]


def _way(row: pd.Series, w: Words) -> str:
    """Name in which way weights were read."""
    if row["what"] == "free":
        return w["way_free"]
    keys = w[f"keys_{row['keys']}"]
    if row["what"] == "biased":
        return w.say("way_biased", keys=keys, bias=written(row["bias"], "+g"))
    shares = w[f"shares_{row['shares']}"] if row["shares"] else ""
    return w.say(f"way_{row['what']}", keys=keys, shares=shares)
