"""Chapter *circuits*: what measures find of what is known, where we were wrong, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.chapters.circuits.prose import circuit_names
from analysis.figures.maps import draw_map, pairs, write_cells
from analysis.figures.style import (
    EMPHASIS,
    INK,
    MUTED,
    SEQUENTIAL,
    SMALLEST,
    WIDTH,
    family_colour,
    figure_style,
    method_colour,
)
from analysis.fonts import drawable
from analysis.prose.phrases import listed, written
from analysis.prose.recovered import anchor
from analysis.results.circuits import (
    BY_DEPENDENCE,
    QUESTIONS,
    BesideModels,
    CircuitAnswer,
    CircuitResults,
    leak,
    places,
)
from attention_mixing.attributions.catalogue import Estimand, chosen
from attention_mixing.circuits.estimands import meant
from attention_mixing.circuits.labels import BASELINES
from attention_mixing.markup import escape
from attention_mixing.messages import Words

# Of the example: where keys decide, where a norm misleads, where a network does.
EXAMPLES = ("lookup", "key_alone", "loud_sink", "erasing_network")
EXAMPLE_MEASURES = chosen("raw", "attnresln_n_rollout", "alti_logit", "integrated_gradients")
EXAMPLE_BASELINES = ("symbols", "identity")
# In front: the measures that are used most, and the best of each way to answer.
IN_FRONT = chosen(
    *("rollout", "flow", "alti_rollout", "decompx"),
    *("integrated_gradients", "left_out_unknown"),
)
# What is asked, and the score; of an error, what it lacks to one is shown, so that high is good.
PANELS: tuple[tuple[Estimand, str], ...] = (
    ("provenance", "roc_auc"),
    ("effect", "roc_auc"),
    ("effect", "mixing_error"),
)
EXPECTED_OF: tuple[Estimand, str] = ("effect", "roc_auc")  # what outcomes had been written down for
# As pages set them abreast: what is brought, all that is done, what is done as a key.
ESTIMANDS_SHOWN: tuple[Estimand, ...] = ("provenance", "effect", "keys")
# Of what circuits and models that have learned a task are both asked, what a table has room for.
LEARNED_SHOWN = ("found", "order")
LINES = {True: "solid", False: (0, (1.5, 1))}


def measures_in_front(results: CircuitResults) -> pd.DataFrame:
    """Count the circuits in which :data:`IN_FRONT` find what they are meant to, a row a measure."""
    return results.as_meant("model").loc[[*IN_FRONT]].rename_axis("measure").reset_index()


def found_bars(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the rows of :func:`measures_in_front` as bars, beside baselines.

    In the colours of the families; a line where the better baseline ends, which ignores the model.
    """
    asked = list(data.groupby("estimand", sort=False))
    with figure_style():
        figure, axes = plt.subplots(
            len(asked),
            1,
            figsize=(WIDTH, 0.3 * len(data) + 1.2),
            height_ratios=[len(rows) for _, rows in asked],
            sharex=True,
            squeeze=False,
        )
        for axis, (estimand, rows) in zip(axes[:, 0], asked, strict=True):
            places = range(len(rows))
            colours = [family_colour(measure) for measure in rows["measure"]]
            axis.barh(places, rows["found"], 0.66, color=colours, lw=0)
            for place, row in zip(places, rows.itertuples(), strict=True):
                said = w.say("bar_found", found=row.found, of=row.of)
                axis.text(row.found + 0.15, place, said, va="center")
            baseline = rows["baseline"].iloc[0]
            axis.axvline(baseline, color=INK, lw=1.2, ls=(0, (3, 2)))
            axis.text(baseline + 0.15, -0.75, w["better_baseline"], va="center")
            axis.set(ylim=(len(rows) - 0.5, -1.1), xlim=(0, data["of"].max() + 0.9))
            axis.set_yticks(places, [w[measure] for measure in rows["measure"]])
            axis.tick_params(axis="y", length=0)
            axis.set_title(w[f"bars_{estimand}"])
        axes[-1, 0].set_xlabel(w["circuits"])
    return figure, data


def score_maps(results: CircuitResults, through: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw circuits by measures: what each finds, and how wrong the amount of mixing is."""
    unexpected = results.surprises().query("through == @through")
    with figure_style():
        figure, axes = plt.subplots(len(PANELS), 1, figsize=(WIDTH, 9.6), sharex=True)
        for axis, (estimand, score) in zip(axes, PANELS, strict=True):
            table = results.table(through, score, estimand=estimand)
            table = 1 - table if score == "mixing_error" else table
            named = table.rename(index=circuit_names(results, w), columns=w)
            named = named.rename_axis(index=None, columns=None)
            draw_map(axis, named, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
            axis.set_title(w[f"{estimand}_{score}"], fontsize=SMALLEST)
            write_cells(axis, _hundredths)
        judged = axes[PANELS.index(EXPECTED_OF)]
        table = results.table(through, "roc_auc")
        for row in unexpected.itertuples():
            corner = table.columns.get_loc(row.measure), table.index.get_loc(row.circuit)
            _frame_cell(judged, corner, expected=row.expected)
        kinds = [(True, "unexpected_miss"), (False, "unexpected_hit")]
        keys = [
            Rectangle((0, 0), 1, 1, fill=False, ec=EMPHASIS, ls=LINES[expected], label=w[name])
            for expected, name in kinds
            if (unexpected["expected"] == expected).any()
        ]
        if keys:
            figure.legend(handles=keys, loc="outside lower center", ncols=len(keys))
    return figure, results.means.query("through == @through")


def _frame_cell(axis: Axes, cell: tuple[int, int], *, expected: bool) -> None:
    column, row = cell
    frame = Rectangle(
        (column - 0.46, row - 0.46), 0.92, 0.92, fill=False, ec=EMPHASIS, lw=1.6, ls=LINES[expected]
    )
    axis.add_patch(frame)


def example_maps(results: CircuitResults, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the truth beside some measures and baselines, for one text; rows of symbols.

    Dots mark what is depended on, also where the share is too small to be seen.
    """
    tokens = [drawable(token) for token in results.record["tokens"]]
    columns = ("truth", *EXAMPLE_MEASURES, *EXAMPLE_BASELINES)
    data = []
    with figure_style():
        figure, axes = plt.subplots(
            len(EXAMPLES), len(columns), figsize=(WIDTH, 5.6), sharex=True, sharey=True
        )
        for name, of_circuit in zip(EXAMPLES, axes, strict=True):
            for measure, axis in zip(columns, of_circuit, strict=True):
                values = results.arrays[f"{name}/{measure}"][1:]
                table = pd.DataFrame(values, tokens[1:], tokens)
                image = draw_map(axis, table, vmin=0, vmax=1)
                if measure == "truth":
                    queries, keys = values.nonzero()
                    axis.scatter(keys, queries, s=3, color=EMPHASIS, lw=0)
                panel = pairs(measure, values, tokens[1:], tokens).assign(circuit=name)
                data.append(panel.rename(columns={"panel": "measure"}))
            of_circuit[0].set_ylabel(w[f"circuit_{name}"])
        for measure, axis in zip(columns, axes[0], strict=True):
            name = re.sub(r" ?[(（].*", "", w[measure])  # which are baselines, the caption says
            name = name.replace(" ", "\n", 1)
            axis.set_title(name, fontsize=SMALLEST)
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=w["share"])
    return figure, pd.concat(data, ignore_index=True)


def order_lines(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Join the places of every measure on circuits and by what is asked of trained models.

    Measures that are equal in hundredths share a place, the middle of a bar that spans theirs.
    """
    columns = list(data.columns.drop("measure"))
    lines = data[columns].rank(ascending=False, method="first") - 1  # of a name each
    placed = places(data[columns], "average") - 1
    last = len(columns) - 1
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.24 * len(data) + 0.5))
        for number, row in data.iterrows():
            colour, name = method_colour(row["measure"]), w[row["measure"]]
            axis.plot(range(len(columns)), placed.loc[number], color=colour, marker="o", ms=3.5)
            first, final = (_hundredths(row[columns[place]]) for place in (0, last))
            left, right = f"{name}  {first}", f"{final}  {name}"
            heights = lines.loc[number]
            axis.text(-0.05, heights.iloc[0], left, ha="right", va="center", fontsize=SMALLEST)
            axis.text(last + 0.05, heights.iloc[-1], right, va="center", fontsize=SMALLEST)
        for x, column in enumerate(columns):
            for place, tied in lines[column].groupby(placed[column]):
                reach = (len(tied) - 1) / 2 + 0.2 * (len(tied) > 1)
                axis.plot([x, x], [place - reach, place + reach], color=MUTED, lw=3, zorder=0)
            axis.text(x, -1.2, w[f"on_{column}"], ha="center", va="center", weight="bold")
            axis.axvline(x, color=MUTED, lw=0.8, alpha=0.5, zorder=0, ymax=0.93)
        axis.set(xlim=(-1.1 * last, 2.1 * last), ylim=(len(data) - 0.4, -1.7))
        axis.axis("off")
    return figure, data


def circuits_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say what every circuit does, and what its tokens depend on."""
    cells = [
        {
            w["circuit"]: w[f"circuit_{name}"],
            w["does"]: w[f"does_{name}"],
            w["layers_heads"]: f"{about['layers']} × {about['heads']}",
            w["depends"]: written(about["tokens"], ".1f"),
            w["brought"]: written(about["brought"], ".1f"),
            w["keys"]: written(about["keys"], ".1f"),
            w["others"]: written(about["mixing"], ".0%"),
            w["carried"]: w["yes" if about["carried"] else "no"],
        }
        for name, about in results.circuits.items()
    ]
    data = pd.DataFrame([{"circuit": name, **of} for name, of in results.circuits.items()])
    return pd.DataFrame(cells), data


def mechanisms_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of every circuit what misleads measures, and which, or which baselines, find the effect.

    A circuit that a baseline solves says nothing for a measure.
    """
    cells = []
    for name in results.circuits:
        row = {w["circuit"]: w[f"circuit_{name}"], w["why"]: w[f"why_{name}"]}
        for through in ("layer", "model"):
            finds = results.table(through, "roc_auc", "finds").astype(bool).loc[name]
            row[w[f"by_{through}"]] = _chosen(finds, w, w)
        cells.append(row)
    auc = results.means.query("score == 'roc_auc'")
    return pd.DataFrame(cells), auc


def surprises_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List where it was not as expected, with the reason."""
    data = results.surprises()
    cells = []
    for row in data.itertuples():
        reason = f"wrong_{row.through}_{row.circuit}_{row.measure}"
        cells.append(
            {
                w["circuit"]: w.say(
                    "measured_on", through=row.through, name=w[f"circuit_{row.circuit}"]
                ),
                w["method"]: w[row.measure],
                w["expectation"]: w["was_expected" if row.expected else "was_not_expected"],
                w["outcome"]: _hundredths(row.mean),
                w["reason"]: w[reason if reason in w else "unexplained"],
            }
        )
    return pd.DataFrame(cells), data


def measures_table(
    results: CircuitResults, through: str, w: Words
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of every measure what it finds of what is asked, and of baselines, which ask no model.

    Each row has an id that other pages link to; what a measure is meant to tell is bold.
    """
    data = results.by_estimand(through)
    cells = []
    for measure, rows in data.groupby("measure", sort=False):
        of = rows.set_index("estimand")
        name = f'<div id="{anchor(through, str(measure))}">{escape(w[str(measure)])}</div>'
        row: dict[str, HTML | str] = {w["method"]: HTML(name)}
        for estimand in ESTIMANDS_SHOWN:
            counts = {name: int(of.loc[estimand, name]) for name in ("found", "nearly", "of")}
            said = w.say("found_of", **counts)
            bold = of.loc[estimand, "meant"] is True
            row[w[f"found_{estimand}"]] = HTML(f"<strong>{said}</strong>") if bold else said
        for estimand in ESTIMANDS_SHOWN[:2]:  # where keys alone have an effect is seldom defined
            row[w[f"amount_{estimand}"]] = written(of.loc[estimand, "amount"], ".2f")
        cells.append(row)
    return pd.DataFrame(cells), data.assign(through=through)


def models_table(found: BesideModels, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the error in amount and the rank correlation of measures on circuits and on models."""
    columns = [f"{where}_{name}" for name in BY_DEPENDENCE for where in ("circuits", "models")]
    cells = [
        {w["method"]: w[row["measure"]]}
        | {
            w[column]: w["not_defined"] if pd.isna(row[column]) else written(row[column], "z.2f")
            for column in columns
        }
        for _, row in found.table.iterrows()
    ]
    return pd.DataFrame(cells), found.table


def learned_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give what measures find on circuits and on models that have learned a task."""
    data = results.beside_learned()
    columns = [
        f"{of}_{name}" for name in LEARNED_SHOWN for of in ("circuits", *results.learned.tasks)
    ]
    cells = [
        {w["method"]: w[row["measure"]]}
        | {
            w[column]: w["not_defined"] if pd.isna(row[column]) else written(row[column], "z.2f")
            for column in columns
        }
        for _, row in data.iterrows()
    ]
    return pd.DataFrame(cells), data


def questions_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give for every question the measures that pass all circuits which test it."""
    cells, data = [], []
    for question in QUESTIONS:
        answer = results.answer(question)
        circuits, passed = answer.circuits, answer.passed
        tested = pd.Series({name: name in circuits for name in results.circuits})
        cells.append(
            {
                w["question"]: w[f"question_{question}"],
                w["asked_of"]: _chosen(tested, circuit_names(results, w), w),
                w["answered_by"]: _chosen(passed == len(circuits), w, w),
                w["closest"]: _closest(answer, w),
            }
        )
        data += [
            {"question": question, "through": answer.through, "measure": measure}
            | {"passed": count, "circuits": len(circuits)}
            for measure, count in passed.items()
        ]
    return pd.DataFrame(cells), pd.DataFrame(data)


def saturation_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List measures that find something else where attention is less saturated."""
    tables = {"scores": results.finds("model"), "softer": results.finds_softer()}
    full, softer = tables.values()
    gained, lost = (a & ~b for a, b in permutations((softer, full)))
    circuits = circuit_names(results, w)
    cells = []
    for measure in full.columns[(softer != full).any()]:
        row: dict[str, str | int] = {w["method"]: w[measure]}
        for name, table in tables.items():
            gain = results.record["gains"][name]
            row[w.say("at_weight", weight=written(leak(gain), ".0e"))] = int(table[measure].sum())
        row[w["gained"]] = _chosen(gained[measure], circuits, w)
        if lost.any(axis=None):
            row[w["lost"]] = _chosen(lost[measure], circuits, w)
        cells.append(row)
    data = [
        table.stack().rename("finds").reset_index().assign(gain=results.record["gains"][name])
        for name, table in tables.items()
    ]
    return pd.DataFrame(cells), pd.concat(data, ignore_index=True)


def graded_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give what is found where keys decide, by how saturated attention is.

    Of measures that are meant to tell all that tokens do, and of baselines.
    """
    data = results.graded()
    shown = [m for m in results.measures("model") if meant(m) == "effect" or m in BASELINES]
    cells = []
    for measure in shown:
        row = {w["method"]: w[measure]}
        for gain, values in data[data["measure"] == measure].groupby("gain", sort=False)["value"]:
            row[w.say("at_weight", weight=written(leak(float(gain)), ".0e"))] = w.say(
                "found_of_mean",
                found=int((values >= results.record["finds"]).sum()),
                of=len(values),
                mean=_hundredths(values.mean()),
            )
        cells.append(row)
    return pd.DataFrame(cells), data[data["measure"].isin(shown)].reset_index(drop=True)


def longer_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give what measures find on longer texts, beside what they find on all others."""
    data = results.longer()
    cells = [
        {
            w["method"]: w[str(row.measure)],
            w["on_short"]: _hundredths(row.plain),
            w["on_longer"]: _hundredths(row.varied),
        }
        for row in data.itertuples()
    ]
    return pd.DataFrame(cells), data


def orders_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of every circuit how much of what other tokens do they do alone, and how much by two."""
    data = results.orders_of_effect()
    cells = [
        {w["circuit"]: w[f"circuit_{name}"]}
        | {
            w[f"by_{order}"]: w["none"] if np.isnan(row[order]) else written(row[order], "z.0%")
            for order in ("one", "two", "more")
        }
        | {w["only_together"]: written(row["pairs"], ".2f")}
        for name, row in data.iterrows()
    ]
    return pd.DataFrame(cells), data.rename_axis("circuit").reset_index()


def pairs_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the share of two tokens that matter only together, true and by measures."""
    table = results.given_to_pairs()
    cells = [
        {w["method"]: w["true_total" if measure == "truth" else str(measure)]}
        | {w[f"circuit_{name}"]: written(share, ".0%") for name, share in shares.items()}
        for measure, shares in table.iterrows()
    ]
    data = table.stack().rename("share").reset_index()
    return pd.DataFrame(cells), data


def norm_gains_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give errors of the amount brought where norms have gains and biases, and where not."""
    by = ["through", "measure"]
    errors = results.with_norm_gains()
    of_draws = errors.groupby([*by, "seed"], sort=False)[["plain", "varied"]].mean()
    draws = of_draws.groupby(by, sort=False)
    ends = draws["varied"].agg(smallest="min", largest="max")
    data = draws.mean().join(ends).reset_index()
    cells = [
        {
            w["method"]: w.say("measured_on", through=row.through, name=w[str(row.measure)]),
            w["without_gains"]: written(row.plain, ".2f"),
            w["with_gains"]: w.say(
                "mean_and_ends",
                mean=written(row.varied, ".2f"),
                smallest=written(row.smallest, ".2f"),
                largest=written(row.largest, ".2f"),
            ),
        }
        for row in data.itertuples()
    ]
    return pd.DataFrame(cells), data


def _closest(answer: CircuitAnswer, w: Words) -> str:
    """Name the measures that pass most circuits, with their number, where none passes all."""
    if answer.baseline and not answer.telling:
        return w.say(
            "closest_baseline",
            all="yes" if answer.answering else "no",
            passed=answer.baseline,
            of=len(answer.circuits),
        )
    if answer.answering:
        return ""
    if not answer.most:
        return w["none"]
    names = listed([w[measure] for measure in answer.closest], w)
    return w.say(
        "closest_measures",
        measures=names,
        passed=answer.most,
        of=len(answer.circuits),
        baseline=answer.baseline,
    )


def _hundredths(value: float) -> str:
    return written(100 * value, "z.0f")


def _chosen(chosen: pd.Series, names: Mapping[str, str], w: Words) -> str:
    """List measures or circuits that are chosen, by those that are not where these are fewer."""
    those, others = (
        [names[name] for name in chosen.index[chosen == whether]] for whether in (True, False)
    )
    if not those:
        return w["none"]
    if not others:
        return w["all"]
    if len(others) < len(those):
        return w.say("all_but", names=listed(others, w))
    return listed(those, w)
