"""Chapter *setup*: models, texts, training, scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from analysis.figures.markup import marked
from analysis.figures.phrases import counted
from analysis.figures.results import facts, of_task, trained
from analysis.figures.style import CATEGORY_COLOURS, MUTED, WIDTH, figure_style, legend_key
from analysis.figures.words import Words
from analysis.params import Params

TRAIN_COLOUR, VALIDATION_COLOUR = "#E69F00", "#0072B2"


TEXTS = 100  # of the drawing of a sorted file
TENTH = TEXTS // 10


def sorted_split(w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw which texts of a file sorted by class its first tenth holds, and a stratified one.

    A schematic of two classes of the same size; no data are read.
    """
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], TEXTS // 2)
    drawn = np.sort([rng.choice(np.flatnonzero(label == one), TENTH // 2, False) for one in (0, 1)])
    chosen = {"first_tenth": np.arange(TENTH), "stratified_tenth": drawn.ravel()}
    rows = []
    with figure_style():
        figure, axis = plt.subplots(figsize=(WIDTH, 1.7))
        for row, (way, places) in enumerate(chosen.items()):
            held = np.isin(np.arange(TEXTS), places)
            for one, colour in enumerate(CATEGORY_COLOURS[:2]):
                own = label == one
                for part, height, alpha in ((own & ~held, 0.3, 0.35), (own & held, 0.7, 1)):
                    at = np.flatnonzero(part)
                    axis.bar(at, height, 0.8, row - height / 2, color=colour, alpha=alpha)
                rows.append({"way": way, "class": one + 1, "texts": int((held & own).sum())})
        axis.set_yticks(range(len(chosen)), [w[way] for way in chosen])
        axis.set_ylim(len(chosen) - 0.45, -0.55)
        axis.set_xticks([])
        axis.set_xlabel(w["place_in_file"])
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
        names = [w["class_number"].format(number=one + 1) for one in (0, 1)]
        figure.legend(
            handles=[
                legend_key(name, marker="s", ls="", color=colour)
                for name, colour in zip(names, CATEGORY_COLOURS, strict=False)
            ],
            loc="outside lower center",
            ncols=2,
        )
    return figure, pd.DataFrame(rows)


def experiments_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Model, texts and sizes, one row an experiment."""
    rows = []
    for name, experiment in params.experiments.items():
        known, data = facts(name), experiment.data
        sizes, capture = known["corpus"]["texts"], known["capture"]
        rows.append(
            {
                w["experiment"]: name,
                w["model"]: experiment.model.name,
                w["source"]: w[f"source_{data.source}"].format(**data.model_dump()),
                w["train"]: sizes.get("train", 0),
                w["validation"]: sizes.get("validation", 0),
                w["test"]: sizes.get("test", 0),
                w["captured"]: capture["examples"],
                w["tokens"]: capture["tokens"],
                w["truncated"]: capture["truncated"],
            }
        )
    table = pd.DataFrame(rows)
    return table, table


def scores_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test scores of classifiers beside what a bag of words and the majority class reach."""
    numbers = ["accuracy", "f1", "loss", "calibration_error"]
    rows = []
    for name in of_task(params, "classification"):
        known = facts(name)
        row = {"experiment": name} | {key: known["evaluate"][key] for key in numbers}
        row["bag_of_words"] = known["corpus"]["bag_of_words_accuracy"]
        rows.append(row | {"majority": known["corpus"]["majority_accuracy"]})
    numbers += ["bag_of_words", "majority"]
    data = pd.DataFrame(rows, columns=["experiment", *numbers])
    cells = data.copy()
    for column in numbers:
        cells[column] = [f"{value:.3f}" for value in data[column]]
    return cells.rename(columns=w), data


def answers_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of question answering in percent, beside what answering nothing reaches.

    A score is missing where there are no such questions.
    """
    numbers = [
        *("exact", "f1", "HasAns_exact", "HasAns_f1", "NoAns_exact", "NoAns_f1"),
        *("best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"),
        *("total", "HasAns_total", "NoAns_total"),
    ]
    data = pd.DataFrame(
        [
            {
                "experiment": name,
                **{key: score.get(key) for key in numbers},
                "empty": 100 * score.get("NoAns_total", 0) / score["total"],
            }
            for name in of_task(params, "question_answering")
            for score in [facts(name)["evaluate"]]
        ],
        columns=["experiment", *numbers, "empty"],
    )
    cells = data[["experiment"]].copy()
    for column in ("exact", "f1", "HasAns_exact", "HasAns_f1", "NoAns_exact"):
        cells[column] = [_percent(value, w) for value in data[column]]
    for column in ("best_exact", "best_f1"):
        cells[column] = [
            f"{_percent(value, w)} ({threshold:+.2f})".replace("-", "\u2212")
            for value, threshold in zip(data[column], data[f"{column}_thresh"], strict=True)
        ]
    cells["empty"] = [_percent(value, w) for value in data["empty"]]
    return cells.rename(columns=w), data


def trained_experiments(count: int, total: int, w: Words) -> str:
    """Name the experiments that train a model: ``count`` of ``total``, 1 or more."""
    outcome = "only" if total == 1 else "all" if count == total else "some"
    every = counted(total, "experiment", w)
    return w.say("setup_trained", outcome=outcome, n=count, total=total, every=every)


def _percent(value: float | None, w: Words) -> str:
    return w["no_such"] if value is None or pd.isna(value) else f"{value:.1f}"


def learning_curves(history: pd.DataFrame, params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Training and validation loss, and validation accuracy, over the steps."""
    names = trained(params)
    with figure_style():
        figure, axes = plt.subplots(
            2, len(names), figsize=(WIDTH, 3.8), sharex="col", sharey="row", squeeze=False
        )
        for column, name in enumerate(names):
            part = history[history["experiment"] == name]
            loss, accuracy = axes[0, column], axes[1, column]
            known = part.dropna(subset="train_loss")
            loss.plot(known["step"], known["train_loss"], "o-", ms=3, color=TRAIN_COLOUR)
            for axis, what in ((loss, "validation_loss"), (accuracy, "validation_accuracy")):
                axis.plot(part["step"], part[what], "o-", ms=3, color=VALIDATION_COLOUR)
                axis.grid(axis="y")
            best = part.loc[part["validation_loss"].idxmin()]
            loss.axvline(best["step"], color=MUTED, lw=0.8, ls=":")
            loss.set_title(name)
            accuracy.set_ylim(0, 1.03)
            accuracy.set_xlabel(w["step"])
        # Shared: set once everything is drawn, or it would be cut where the first experiment ends.
        axes[0, 0].set_ylim(bottom=0)
        axes[0, 0].set_ylabel(w["loss"])
        axes[1, 0].set_ylabel(w["accuracy"])
        handles = [
            plt.Line2D([], [], color=TRAIN_COLOUR, marker="o", ms=3, label=w["train_loss"]),
            plt.Line2D([], [], color=VALIDATION_COLOUR, marker="o", ms=3, label=w["validation"]),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure, history


def calibration(curve: pd.DataFrame, params: Params, w: Words) -> tuple[Figure, pd.DataFrame]:
    """Accuracy against probability, in bins; on the diagonal the probabilities are honest."""
    names = of_task(params, "classification")
    with figure_style():
        figure, axes = plt.subplots(1, len(names), figsize=(WIDTH, 2.9), sharey=True, squeeze=False)
        for axis, name in zip(axes[0], names, strict=True):
            part = curve[curve["experiment"] == name]
            axis.plot([0, 1], [0, 1], color=MUTED, lw=0.8, ls=":", label=w["ideal"])
            area = 10 + 190 * part["count"] / part["count"].sum()
            axis.scatter(
                part["confidence"],
                part["accuracy"],
                s=area,
                color=VALIDATION_COLOUR,
                alpha=0.75,
                lw=0,
            )
            axis.set_title(name)
            axis.set_xlim(0.4, 1.03)
            axis.set_ylim(0, 1.05)
            axis.set_xlabel(w["confidence"])
            axis.grid()
        axes[0, 0].set_ylabel(w["accuracy"])
        axes[0, 0].legend(loc="lower right")
    return figure, curve


def samples_table(params: Params, w: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test texts of every experiment, the planted evidence marked."""
    cells, plain = [], []
    for name in params.experiments:
        for sample in facts(name)["samples"]:
            spans = [tuple(span) for span in sample["evidence"] or []]
            row = {w["experiment"]: name, w["label"]: sample["label"] or ""}
            cells.append(row | {w["text"]: HTML(marked(sample["text"], spans))})
            plain.append(row | {w["text"]: sample["text"]})
    table, data = pd.DataFrame(cells), pd.DataFrame(plain)
    if not table[w["label"]].any():
        table, data = (one.drop(columns=w["label"]) for one in (table, data))
    return table, data
