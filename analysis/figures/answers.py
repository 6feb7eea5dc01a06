"""What the main measures say comes from other tokens: in the paper, and in this run beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.figures.style import INK, MUTED, figure_style, legend_key, method_colour, say_points
from analysis.prose.argument import shown
from analysis.prose.phrases import spread, written
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.messages import Words

STATES = ("pretrained", "finetuned")
# Numbers of the paper before fine-tuning and after it, those within a layer first.
ANSWERS = {
    "by_weights": ("weights-layer", "weights-layer-after"),
    "by_vectors": ("vectors-layer", "vectors-layer-after"),
    "by_rollout": ("rollout-before", "rollout-after"),
    "by_measured": ("measured-before", "measured-after"),
    "by_alti": ("alti-before", "alti-after"),
    "by_replacing": ("depends-before", "depends-after"),
}
WITHIN = 2
# Those, and what else is compared with the paper, which is no share of a vector.
COMPARED = ANSWERS | {"by_sink": ("sink-before", "sink-after")}
COLOURED_AS = chosen(
    "raw", "attnresln_n", "rollout", "rollout_measured", "alti", "left_out_unknown"
)
# Inches. Shown at its own size on a phone, so that its type stays readable there.
SIZE = (3.6, 3.4)
_WITH_LEGEND = (3.6, 3.8)
_ABOVE = dict(zip(STATES, (0.26, -0.26), strict=True))  # in rows
OF_A_MODEL: Mapping[str, Any] = {"marker": "|", "ls": "", "ms": 5, "mew": 0.9, "color": MUTED}

Numbers = Mapping[str, Mapping[str, Any]]
"""As :func:`analysis.argument.reproduced.of_run` writes them: those of the paper, or ``here``."""


def answers(numbers: Numbers, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw what each measure says comes from other tokens, before and after fine-tuning."""
    rows = []
    with figure_style():
        figure, axis = plt.subplots(figsize=SIZE)
        for place, answer, colour in _places():
            ends = [numbers[one] for one in ANSWERS[answer]]
            for number, height in zip(ends, _ABOVE.values(), strict=True):
                heights = [place + height] * len(number["each"])
                singles = {case: value[0] for case, value in number["each"].items()}
                axis.plot([*singles.values()], heights, **OF_A_MODEL)
                _say(axis, singles, heights, w)
            medians = [number["whole"][0] for number in ends]
            _medians(axis, place, medians, colour)
            states = [w[state] for state in STATES]
            _say(axis, dict(zip(states, medians, strict=True)), [place] * len(states), w)
            rows += [
                {"answer": answer, "state": state, "model": case, "value": value[0]}
                for state, number in zip(STATES, ends, strict=True)
                for case, value in number["each"].items()
            ]
        _scale(axis, w)
        keys = [
            legend_key(w[f"answer_{state}"], ls="", marker="o", ms=6, color=INK, mfc=inside)
            for state, inside in zip(STATES, ("white", INK), strict=True)
        ]
        keys.append(legend_key(w["answer_model"], **OF_A_MODEL))
        figure.legend(handles=keys, loc="outside lower center", ncols=3, handletextpad=0.3)
    return figure, pd.DataFrame(rows)


def answers_here(numbers: Numbers, here: Numbers, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw the same of this run, a mark with its interval an experiment, beside the paper.

    Without ``numbers``, as where kept runs are missing, of this run alone.
    """
    data = measured(here, ANSWERS)
    with figure_style():
        figure, axis = plt.subplots(figsize=_WITH_LEGEND)
        for place, answer, colour in _places():
            if numbers:
                _medians(axis, place, [numbers[one]["whole"][0] for one in ANSWERS[answer]], MUTED)
            for row in data[data["answer"] == answer].itertuples():
                height = place + _ABOVE[str(row.state)]
                axis.plot([row.low, row.high], [height] * 2, color=colour, lw=1)
                inside = "none" if row.state == "pretrained" else colour
                axis.plot(row.value, height, "o", ms=3.5, mfc=inside, mec=colour, mew=0.9)
                named = f"{row.experiment}{w['comma']}{w[str(row.state)]}"
                _say(axis, {named: row.value}, [height], w)
        _scale(axis, w)
        keys = [
            legend_key(w[f"here_{state}"], ls="", marker="o", ms=3.5, color=INK, mfc=inside)
            for state, inside in zip(STATES, ("none", INK), strict=True)
            if state in set(data["state"])
        ]
        if numbers:
            keys.append(legend_key(w["paper"], color=MUTED, lw=1.2, marker="o", ms=6))
        figure.legend(handles=keys, loc="outside lower center", ncols=2, handletextpad=0.4)
    return figure, data


def beside_paper(numbers: Numbers, here: Numbers, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the main quantities in the experiments of this run, with those of the paper if any.

    A row a quantity and model state that some experiment has.
    """
    data = measured(here, COMPARED)
    experiments = [*dict.fromkeys(data["experiment"])]
    cells = []
    for answer, ends in COMPARED.items():
        for state, name in zip(STATES, ends, strict=True):
            of_run = here.get(name, {"form": "", "each": {}})
            if not of_run["each"]:
                continue
            row: dict[str, Any] = {w["quantity"]: w[f"answer_{answer}"], w["state"]: w[state]}
            if numbers:
                row[w["paper"]] = shown({"form": of_run["form"], "whole": numbers[name]["kept"]})
            each = {one: of_run["each"].get(one) for one in experiments}
            cells.append(row | {one: _cell(each[one], of_run["form"], w) for one in experiments})
    if numbers and len(data):
        data["paper"] = [
            numbers[COMPARED[row.answer][STATES.index(row.state)]]["kept"][0]
            for row in data.itertuples()
        ]
    return pd.DataFrame(cells), data


def differing(numbers: Numbers, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """List the numbers that this run has otherwise than the paper, beyond tolerance."""
    others = {name: number for name, number in numbers.items() if number["differs"]}
    cells = pd.DataFrame(
        [
            {
                w["number"]: name,
                w["paper_value"]: shown({**number, "whole": number["kept"]}),
                w["here"]: shown(number),
            }
            for name, number in others.items()
        ]
    )
    data = [
        {"number": name, "paper": number["kept"][0], "value": number["whole"][0]}
        for name, number in others.items()
    ]
    return cells, pd.DataFrame(data, columns=["number", "paper", "value"])


def measured(here: Numbers, asked: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """List what answers are in the experiments of this run, a row a state and experiment."""
    rows = [
        {"answer": answer, "state": state, "experiment": experiment}
        | dict(zip(("value", "low", "high"), value, strict=True))
        for answer, ends in asked.items()
        for state, name in zip(STATES, ends, strict=True)
        for experiment, value in here.get(name, {"each": {}})["each"].items()
        if value[0] is not None
    ]
    columns = ["answer", "state", "experiment", "value", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype(dict.fromkeys(("value", "low", "high"), float))


def _places() -> Iterator[tuple[int, str, str]]:
    """Give each answer its place, from below, and its colour."""
    colours = map(method_colour, reversed(COLOURED_AS))
    for place, (answer, colour) in enumerate(zip(reversed(ANSWERS), colours, strict=True)):
        yield place, answer, colour


def _say(axis: Axes, values: Mapping[str, float], heights: Sequence[float], w: Words) -> None:
    texts = [f"{name}{w['colon']}{written(value, '.0%')}" for name, value in values.items()]
    say_points(axis, values.values(), heights, texts)


def _medians(axis: Axes, place: int, values: Sequence[float], colour: str) -> None:
    """Draw a ring before fine-tuning and a disc after it, joined by a line."""
    axis.plot(values, [place] * 2, color=colour, lw=1.2)
    axis.plot(values[0], place, "o", ms=6, mfc="none", mec=colour)
    axis.plot(values[1], place, "o", ms=6, color=colour)


def _scale(axis: Axes, w: Words) -> None:
    axis.set_yticks(range(len(ANSWERS)), [w[f"answer_{name}"] for name in reversed(ANSWERS)])
    axis.axhline(len(ANSWERS) - WITHIN - 0.5, color=MUTED, lw=0.6)
    axis.set_xlim(0, 1)
    axis.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axis.grid(axis="x")


def _cell(value: Sequence[float | None] | None, form: str, w: Words) -> HTML | str:
    """Write a value with its interval below it; nothing where it was not measured."""
    if value is None or value[0] is None:
        return ""
    text = written(value[0], form)
    if value[1] is None or value[2] is None:
        return text
    return HTML(f"{text}<br><small>{spread(value[1], value[2], form, w)}</small>")
