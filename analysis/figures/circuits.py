"""Chapter *circuits*: what measures find of what is known, where we were wrong, and why."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product
from typing import Literal

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.figures.curves import method_colour
from analysis.figures.maps import draw_map, pairs, write_cells
from analysis.figures.style import EMPHASIS, MUTED, SEQUENTIAL, SMALLEST, WIDTH, figure_style
from analysis.fonts import drawable
from analysis.prose.phrases import listed, written
from analysis.prose.recovered import anchor
from analysis.results.circuits import (
    AMOUNT_WITHIN,
    OF_COORDINATES,
    QUESTIONS,
    SLOPES,
    TRAINED,
    CircuitAnswer,
    CircuitResults,
)
from attention_mixing.markup import escape
from attention_mixing.methods.faithfulness import rank_correlation
from attention_mixing.words import Words

# Of the example: where keys decide, where a norm misleads, where a network does.
EXAMPLES = ("lookup", "key_alone", "loud_sink", "erasing_network")
EXAMPLE_MEASURES = ("raw", "attnresln_n_rollout", "alti_logit", "integrated_gradients")
# Score -> colours; light is good in both.
PANELS = {"roc_auc": SEQUENTIAL, "mixing_error": f"{SEQUENTIAL}_r"}
# Spearman's correlation of two orders from which on we call them so.
LIKENESS = {"same": 0.7, "alike": 0.3, "unrelated": -0.3}
# By how much an error has to be below that of a baseline to be smaller.
NEARER = 0.02
LINES = {True: "solid", False: (0, (1.5, 1))}


def score_maps(results: CircuitResults, through: str, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw circuits by measures: what is finds, and how wrong the amount of mixing is."""
    unexpected = results.surprises().query("through == @through")
    with figure_style():
        figure, axes = plt.subplots(len(PANELS), 1, figsize=(WIDTH, 7.0), sharex=True)
        for axis, (score, colours) in zip(axes, PANELS.items(), strict=True):
            table = results.table(through, score)
            named = table.rename(index=_names(results, w), columns=w)
            named = named.rename_axis(index=None, columns=None)
            draw_map(axis, named, cmap=colours, vmin=0, vmax=1, aspect="auto")
            axis.set_title(w[f"score_{score}"], fontsize=SMALLEST)
            write_cells(axis, _hundredths)
        table = results.table(through, "roc_auc")
        for row in unexpected.itertuples():
            corner = table.columns.get_loc(row.measure), table.index.get_loc(row.circuit)
            _frame_cell(axes[0], corner, expected=row.expected)
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
    """Draw the truth beside some measures, for one text in some circuits; rows of symbols.

    Dots mark what is depended on, also where the share is too small to be seen.
    """
    tokens = [drawable(token) for token in results.record["tokens"]]
    columns = ("truth", *EXAMPLE_MEASURES)
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
            axis.set_title(w[measure].replace(" ", "\n", 1), fontsize=SMALLEST)
        figure.colorbar(image, ax=axes, location="bottom", shrink=0.4, aspect=40, label=w["share"])
    return figure, pd.concat(data, ignore_index=True)


def order_lines(data: pd.DataFrame, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Join the places of every measure on circuits and by what is asked of trained models.

    Measures that are equal in hundredths share a place, the middle of a bar that spans theirs.
    """
    columns = list(data.columns.drop("measure"))
    lines = data[columns].rank(ascending=False, method="first") - 1  # of a name each
    places = _places(data[columns], "average") - 1
    last = len(columns) - 1
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 0.24 * len(data) + 0.5))
        for number, row in data.iterrows():
            colour, name = method_colour(row["measure"]), w[row["measure"]]
            axis.plot(range(len(columns)), places.loc[number], color=colour, marker="o", ms=3.5)
            first, final = (_hundredths(row[columns[place]]) for place in (0, last))
            left, right = f"{name}  {first}", f"{final}  {name}"
            heights = lines.loc[number]
            axis.text(-0.05, heights.iloc[0], left, ha="right", va="center", fontsize=SMALLEST)
            axis.text(last + 0.05, heights.iloc[-1], right, va="center", fontsize=SMALLEST)
        for x, column in enumerate(columns):
            for place, tied in lines[column].groupby(places[column]):
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
            w["others"]: written(about["mixing"], ".0%"),
            w["carried"]: w["yes" if about["carried"] else "no"],
        }
        for name, about in results.circuits.items()
    ]
    data = pd.DataFrame([{"circuit": name, **of} for name, of in results.circuits.items()])
    return pd.DataFrame(cells), data


def mechanisms_table(results: CircuitResults, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of every circuit what misleads measures, and which find what is depended on."""
    cells = []
    for name in results.circuits:
        row = {w["circuit"]: w[f"circuit_{name}"], w["why"]: w[f"why_{name}"]}
        for through in ("layer", "model"):
            finds = results.finds(through).loc[name]
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
    """Say of every measure what it finds, each row with an id that other pages link to."""
    finds, errors = results.finds(through), results.table(through, "mixing_error").mean()
    circuits = _names(results, w)
    cells = [
        {
            w["method"]: HTML(f'<div id="{anchor(through, measure)}">{escape(w[measure])}</div>'),
            w["found"]: w.say("found_of", n=int(found.sum()), of=len(found)),
            w["found_circuits"]: _chosen(found, circuits, w),
            w["mixing_error"]: written(errors[measure], ".2f"),
        }
        for measure, found in finds.items()
    ]
    data = pd.DataFrame({"through": through, "found": finds.sum(), "mixing_error": errors})
    return pd.DataFrame(cells), data.loc[list(finds)].rename_axis("measure").reset_index()


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
                w["asked_of"]: _chosen(tested, _names(results, w), w),
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
    circuits = _names(results, w)
    cells = []
    for measure in full.columns[(softer != full).any()]:
        row: dict[str, str | int] = {w["method"]: w[measure]}
        for name, gain in results.record["gains"].items():
            row[w.say("at_weight", weight=written(_leak(gain), ".0e"))] = int(
                tables[name][measure].sum()
            )
        row[w["gained"]] = _chosen(gained[measure], circuits, w)
        if lost.any(axis=None):
            row[w["lost"]] = _chosen(lost[measure], circuits, w)
        cells.append(row)
    data = [
        tables[name].stack().rename("finds").reset_index().assign(gain=gain)
        for name, gain in results.record["gains"].items()
    ]
    return pd.DataFrame(cells), pd.concat(data, ignore_index=True)


def _leak(gain: float) -> float:
    """Give the largest weight of a key that does not match, beside one that does."""
    return float(np.exp(-gain / 2))


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


def _names(results: CircuitResults, w: Words) -> dict[str, str]:
    return {name: w[f"circuit_{name}"] for name in results.circuits}


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


# --- numbers of the prose -------------------------------------------------------------------------


def sentences(results: CircuitResults, w: Words) -> dict[str, str]:
    """Write what the page says of the scores."""
    count = len(results.circuits)
    said: dict[str, str] = {}
    for through, name in (("model", "lead"), ("layer", "layer")):
        finds = results.finds(through)
        best, most = _most(finds, w)
        said[name] = w.say(name, missed=count - most, circuits=count, most=most, best=best)
        unseen = list(finds.index[~finds.any(axis=1)])
        blind = {"model": "blind", "layer": "layer_blind"}[through]
        said[blind.replace("_", "-")] = w.say(
            blind,
            n=len(unseen),
            keys="yes" if set(unseen) == set(QUESTIONS["keys"].circuits) else "no",
            names=listed([w[f"circuit_{circuit}"] for circuit in unseen], w),
        )
    finds = results.finds("model")
    best, most = _most(finds[[measure for measure in finds if measure not in SLOPES]], w)
    said["forward"] = w.say("forward", circuits=count, most=most, best=best)
    said |= _amounts(results, w)
    return said | {
        "basis": _basis(results, w),
        "placement": _placement(results, w),
        "beginning": _beginning(results, w),
        "saturation": _saturation(results, w),
        "leak": written(_leak(results.record["gains"]["softer"]), ".1%"),
        "variants": _variants(results, w),
        **{name.replace("_", "-"): str(count) for name, count in results.record["paths"].items()},
        "wrong": _wrong(results, w),
    }


def _most(finds: pd.DataFrame, w: Words) -> tuple[str, int]:
    """Name the measures that find what is depended on in most circuits, and count these."""
    counts = finds.sum()
    best = counts.index[counts == counts.max()]
    return listed([w[measure] for measure in best], w), int(counts.max())


def _amounts(results: CircuitResults, w: Words) -> dict[str, str]:
    """Say which measure tells the amount of mixing best, and whether it beats telling none."""
    said = {}
    for through, of in product(("layer", "model"), ("", "_lengths")):
        errors = results.table(through, f"mixing_error{of}").mean()
        best = str(errors[results.judged(through)].idxmin())
        said[f"amount-{through}{of.replace('_', '-')}"] = w.say(
            f"amount{of}",
            through=through,
            nearer="yes" if errors["identity"] - errors[best] >= NEARER else "no",
            measure=w[best],
            error=written(errors[best], ".2f"),
            identity=written(errors["identity"], ".2f"),
            **_within(results, through, f"mixing_error{of}", w),
        )
    raw = results.table("layer", "mixing_error")["raw"].mean()
    return said | {"amount-raw": w.say("amount_raw", error=written(raw, ".2f"))}


def _within(results: CircuitResults, through: str, score: str, w: Words) -> dict[str, str | int]:
    """Count the circuits whose amount is told within the bound, at most and by identity."""
    passed = (results.table(through, score) <= AMOUNT_WITHIN).sum()
    judged = passed[results.judged(through)]
    return {
        "within": written(AMOUNT_WITHIN, ".2f"),
        "most": int(judged.max()),
        "by": listed([w[measure] for measure in judged.index[judged == judged.max()]], w),
        "own": int(passed["identity"]),
        "of": len(results.circuits),
    }


def _basis(results: CircuitResults, w: Words) -> str:
    moved = results.moved_by_basis()
    of_coordinates = moved.index.isin(OF_COORDINATES)
    others, coordinates = moved[~of_coordinates].max(), moved[of_coordinates].max()
    return w.say("basis", others=written(others, ".0e"), coordinates=written(coordinates, ".2f"))


def _placement(results: CircuitResults, w: Words) -> str:
    pairs_scored = sum(results.finds(through).size for through in ("layer", "model"))
    return w.say("placement", n=results.found_in_one_placement(), of=pairs_scored)


def _beginning(results: CircuitResults, w: Words) -> str:
    changed = results.without_beginning()
    moved = set(changed[changed].index.get_level_values("circuit"))
    names = [name for circuit, name in _names(results, w).items() if circuit in moved]
    return w.say("beginning", n=int(changed.sum()), of=len(changed), names=listed(names, w))


def _saturation(results: CircuitResults, w: Words) -> str:
    """Say how many outcomes hang on how saturated attention is."""
    full, softer = results.finds("model"), results.finds_softer()
    gained, lost = (int((a & ~b).to_numpy().sum()) for a, b in permutations((softer, full)))
    return w.say("saturation", gained=gained, lost=lost, of=full.size)


def _variants(results: CircuitResults, w: Words) -> str:
    """Say what integrated gradients find by where their paths begin."""
    found = results.finds("model").sum()
    return w.say(
        "variants",
        padding=int(found["integrated_gradients"]),
        others=int(found["expected_gradients"]),
        of=len(results.circuits),
    )


def _wrong(results: CircuitResults, w: Words) -> str:
    return w.say("wrong", n=len(results.surprises()), of=len(results.expectations()))


def order_sentences(data: pd.DataFrame, w: Words) -> dict[str, str]:
    """Say how far the order on circuits is that on trained models (:func:`order_lines`)."""
    said = {f"orders-{column}": "" for column in TRAINED}
    places = _places(data[list(data.columns.drop("measure"))], "min").astype(int)
    for column in data.columns.drop(["measure", "circuits"]):
        here, there = (data[name].to_numpy() for name in ("circuits", column))
        correlation = float(rank_correlation(here, there))
        named = (name for name, least in LIKENESS.items() if correlation >= least)
        moved = (places["circuits"] - places[column]).abs().idxmax()
        said[f"orders-{column}"] = w.say(
            f"orders_{column}",
            likeness=next(named, "reversed"),
            correlation=f"ρ = {written(correlation, 'z.2f')}",
            n=len(data),
            measure=w[data.loc[moved, "measure"]],
            here=int(places.loc[moved, "circuits"]),
            there=int(places.loc[moved, column]),
        )
    return said


def _places(scores: pd.DataFrame, ties: Literal["average", "min"]) -> pd.DataFrame:
    """Rank measures in every column, best first; what is equal in hundredths is a tie."""
    return scores.round(2).rank(ascending=False, method=ties)
