"""Chapter *setup*: models, texts, training, scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure

from analysis.chapters.setup.prose import Known
from analysis.figures.style import CATEGORY_COLOURS, MUTED, WIDTH, figure_style, legend_key
from analysis.figures.tables import Form, written_table
from analysis.prose.phrases import written
from analysis.results.summary import explained, facts, trained
from analysis.rules.conditions import learned_seeds
from analysis.runs.parameters import RunParameters
from attention_mixing.markup import escape, in_line, marked
from attention_mixing.messages import Words
from attention_mixing.models.source import name_of
from attention_mixing.models.vocabulary_coverage import Rendering

TRAIN_COLOUR, VALIDATION_COLOUR = "#E69F00", "#0072B2"
TEXTS = 100  # of the drawing of a sorted file
TENTH = TEXTS // 10
SPLITS = ("train", "validation", "test")


def sorted_split(w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw which texts of a file sorted by class its first tenth holds, and a stratified one.

    A schematic of two classes of the same size; no data are read.
    """
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], TEXTS // 2)
    sampled = np.sort(
        [rng.choice(np.flatnonzero(label == index), TENTH // 2, False) for index in (0, 1)]
    )
    chosen = {"first_tenth": np.arange(TENTH), "stratified_tenth": sampled.ravel()}
    rows = []
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 1.7))
        for row, (split, places) in enumerate(chosen.items()):
            inside = np.isin(np.arange(TEXTS), places)
            height = np.where(inside, 0.7, 0.3)
            colours = to_rgba_array(np.take(CATEGORY_COLOURS, label), np.where(inside, 1, 0.35))
            axis.bar(np.arange(TEXTS), height, 0.8, row - height / 2, color=colours)
            counts = np.bincount(label[inside], minlength=2)
            rows += [{"way": split, "class": index + 1, "texts": counts[index]} for index in (0, 1)]
        axis.set_yticks(range(len(chosen)), [w[split] for split in chosen])
        axis.set_ylim(len(chosen) - 0.45, -0.55)
        axis.set_xticks([])
        axis.set_xlabel(w["place_in_file"])
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
        keys = [
            legend_key(w["class_number"].format(number=index + 1), marker="s", ls="", color=colour)
            for index, colour in enumerate(CATEGORY_COLOURS[:2])
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=2)
    return figure, pd.DataFrame(rows)


def experiments_table(params: RunParameters, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Model, texts and sizes, one row an experiment."""
    rows = []
    for name, experiment in params.experiments.items():
        recorded, data = facts(name), experiment.data
        row = {
            "experiment": name,
            "model": name_of(experiment.model),
            "source": w[f"source_{data.source}"].format(**_parts(data)),
        }
        row |= {split: recorded["corpus"]["texts"].get(split, 0) for split in SPLITS}
        row["captured"] = recorded["capture"]["examples"]
        rows.append(row | {"tokens": recorded["capture"]["tokens"]})
    table = pd.DataFrame(rows).rename(columns=w)
    return table, table


def rendering_table(experiments: Known, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shares of the texts that the model of each experiment is given, one row an experiment."""
    rows = []
    for name, experiment in experiments.items():
        read = Rendering(**experiment["rendering"])
        row = {"experiment": name, "tokens_per_word": read.tokens / max(read.words, 1)}
        rows.append(row | read.shares | {"truncated": experiment["capture"]["truncated"]})
    data = pd.DataFrame(rows)
    forms: dict[str, Form] = {"experiment": str, "tokens_per_word": ".1f"}
    forms |= dict.fromkeys(("unknown", "altered", "left_out"), ".0%")
    return written_table(data, forms | {"truncated": str}, w), data


def structures_table(experiments: Known, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw up how the model of each experiment is put together, as its passes show it."""
    rows = []
    for name, experiment in experiments.items():
        structure = dict(experiment["structure"])
        groups, crosses = structure.pop("groups"), structure.pop("crosses", False)
        if crosses:
            structure["sight"] = [*structure["sight"], "source"]
        heads = str(structure["heads"])
        if groups != structure["heads"]:
            heads = w["grouped"].format(heads=heads, groups=groups)
        beside = "_beside" if structure.pop("beside") else ""
        structure["networks"] = [f"{network}{beside}" for network in structure["networks"]]
        rows.append({"experiment": name} | structure | {"heads": heads})
    data = pd.DataFrame(rows)

    def named(prefix: str) -> Callable[[Any], str]:
        return lambda names: w["between_kinds"].join(w[f"{prefix}_{name}"] for name in names)

    forms: dict[str, Form] = {
        "experiment": str,
        "layers": str,
        "heads": str,
        "dimension": str,
        "norms": lambda places: named("norms")([place.replace("+", "_") for place in places]),
        "centring": lambda kinds: named("norm")(
            ["layer" if centred else "rms" for centred in kinds]
        ),
        "networks": named("network"),
        "sight": named("sight"),
        "read": lambda which: w[f"read_{which}"],
    }
    table = written_table(data, forms, w)
    for column in ("norms", "centring", "networks", "sight"):
        data[column] = [" ".join(map(str, values)) for values in data[column]]
    return table, data


def _parts(data: Any) -> dict[str, Any]:
    """Return what a data section names; texts set aside for the test are of ``train``."""
    named: dict[str, Any] = data.model_dump()
    return named | {"test": named.get("test") or named.get("train")}


def scores_table(experiments: Known, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test scores of classifiers beside what a bag of words and the majority class reach."""
    numbers = ["accuracy", "f1", "loss", "calibration_error", "bag_of_words", "majority"]
    rows = []
    for name, experiment in experiments.items():
        if "accuracy" not in experiment["evaluate"] or "written" in experiment["evaluate"]:
            continue
        corpus = {number: experiment["corpus"][f"{number}_accuracy"] for number in numbers[-2:]}
        sample = {
            "learned": len(learned_seeds(experiment)),
            "texts": experiment["evaluate"]["examples"],
        }
        sample["seeds"] = len(experiment["seeds"])
        rows.append({"experiment": name} | experiment["evaluate"] | corpus | sample)
    data = pd.DataFrame(rows, columns=["experiment", *numbers, "learned", "texts", "seeds"])
    forms: dict[str, Form] = {"experiment": str, **dict.fromkeys(numbers, ".3f"), "learned": str}
    return written_table(data, forms, w), data


def answers_table(experiments: Known, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of question answering in percent, beside what answering nothing reaches.

    A score is missing where there are no such questions.
    """
    measures = ("exact", "f1", "HasAns_exact", "HasAns_f1", "NoAns_exact")
    rows = []
    for name, experiment in experiments.items():
        scores = experiment["evaluate"]
        if "exact" not in scores:
            continue
        row = {"experiment": name, "trained": experiment["origin"]["train_unanswerable"]} | scores
        row |= {"empty": 100 * scores.get("NoAns_total", 0) / scores["total"]}
        rows.append(row | {"texts": scores["total"], "seeds": len(experiment["seeds"])})
    columns = ["experiment", "trained", *measures, "NoAns_f1", "best_exact", "best_exact_thresh"]
    columns += ["best_f1", "best_f1_thresh", "HasAns_total", "NoAns_total", "empty"]
    data = pd.DataFrame(rows, columns=[*columns, "texts", "seeds"])
    cells = data.copy()
    for score in ("best_exact", "best_f1"):
        cells[score] = [
            f"{best:.1f} ({written(threshold, '+.2f')})"
            for best, threshold in data[[score, f"{score}_thresh"]].to_numpy()
        ]
    forms: dict[str, Form] = {"experiment": str, "trained": str, **dict.fromkeys(measures, ".1f")}
    forms |= {"best_exact": str, "best_f1": str, "empty": ".1f"}
    return written_table(cells, forms, w, w["no_such"]), data


def learning_curves(
    history: pd.DataFrame, params: RunParameters, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Training and validation loss, and validation accuracy, over the steps; a line a seed."""
    names = trained(params)
    with figure_style():
        figure, axes = plt.subplots(
            2, len(names), figsize=(WIDTH, 3.8), sharex="col", sharey="row", squeeze=False
        )
        for column, name in enumerate(names):
            loss, accuracy = axes[0, column], axes[1, column]
            for _, group in history[history["experiment"] == name].groupby("seed"):
                with_loss = group.dropna(subset="train_loss")
                loss.plot(
                    with_loss["step"], with_loss["train_loss"], "o-", ms=3, color=TRAIN_COLOUR
                )
                for axis, what in ((loss, "validation_loss"), (accuracy, "validation_accuracy")):
                    axis.plot(group["step"], group[what], "o-", ms=3, color=VALIDATION_COLOUR)
                best = group.loc[group["validation_loss"].idxmin()]
                loss.axvline(best["step"], color=MUTED, lw=0.8, ls=":")
            for axis in (loss, accuracy):
                axis.grid(axis="y")
            loss.set_title(name)
            accuracy.set_ylim(0, 1.03)
            accuracy.set_xlabel(w["step"])
        # Shared: set once everything is drawn, or it would be cut where the first experiment ends.
        axes[0, 0].set_ylim(bottom=0)
        axes[0, 0].set_ylabel(w["loss"])
        axes[1, 0].set_ylabel(w["accuracy"])
        colours = {"train_loss": TRAIN_COLOUR, "validation": VALIDATION_COLOUR}
        keys = [legend_key(w[k], color=colour, marker="o", ms=3) for k, colour in colours.items()]
        figure.legend(handles=keys, loc="outside lower center", ncols=2)
    return figure, history


def calibration(
    curve: pd.DataFrame, params: RunParameters, w: Words
) -> tuple[Figure, pd.DataFrame]:
    """Accuracy against probability, in bins; on the diagonal the probabilities are honest."""
    names = explained(params)
    with figure_style():
        figure, axes = plt.subplots(1, len(names), figsize=(WIDTH, 2.9), sharey=True, squeeze=False)
        for axis, name in zip(axes[0], names, strict=True):
            group = curve[curve["experiment"] == name]
            axis.plot([0, 1], [0, 1], color=MUTED, lw=0.8, ls=":", label=w["ideal"])
            area = 10 + 190 * group["count"] / group["count"].sum()
            dots = {"color": VALIDATION_COLOUR, "alpha": 0.75, "lw": 0}
            axis.scatter(group["confidence"], group["accuracy"], area, **dots)
            axis.set_title(name)
            axis.set(xlim=(0.4, 1.03), ylim=(0, 1.05), xlabel=w["confidence"])
            axis.grid()
        axes[0, 0].set_ylabel(w["accuracy"])
        axes[0, 0].legend(loc="lower right")
    return figure, curve


def samples_table(params: RunParameters, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test texts of every experiment, the planted evidence marked."""
    cells, plain = [], []
    for name in params.written:
        for sample in facts(name)["samples"]:
            spans = [tuple(span) for span in sample["evidence"] or []]
            row = {w["experiment"]: name, w["label"]: in_line(sample["label"] or "")}
            target = f" → {sample['target']}" if sample.get("target") else ""
            text = HTML(marked(sample["text"], spans) + escape(target))
            cells.append(row | {w["text"]: text})
            plain.append(row | {w["text"]: sample["text"] + target})
    table, data = pd.DataFrame(cells), pd.DataFrame(plain)
    if not table[w["label"]].any():
        table, data = (frame.drop(columns=w["label"]) for frame in (table, data))
    return table, data
