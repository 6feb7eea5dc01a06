"""What the explorer of the site shows: texts, numbers of heads, maps, and its opening view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.parameters import Params
from analysis.results.summary import curves, described_heads, of_heads, states, table
from attention_mixing.attributions.catalogue import LEFT_OUT
from attention_mixing.capture.text import State, Text
from attention_mixing.capture.token_scores import TokenScores
from attention_mixing.explorer import BOTH
from attention_mixing.explorer.columns import METHODS, OF_PREDICTION
from attention_mixing.explorer.content import (
    SMALL,
    Array,
    File,
    ShownState,
    ShownText,
    as_list,
    described_token,
    head_numbers,
    thumbnails,
)
from attention_mixing.explorer.packed import pack_numbers
from attention_mixing.markup import visible
from attention_mixing.settings.derived import predicts

# Measure -> quantities of heads that are means over texts.
OF_HEADS = {
    "heads": ("previous", "self", "next", "relative_entropy"),
    "change": ("distance",),
    "sinks": ("sink",),
    "head_ablation": ("loss_change",),
}
TRUST = ("trustworthiness", "continuity", "overlap")
# Rise of the loss without a head from which the head matters, as in report/rules.yaml.
MATTERS = 0.01


def joint_files(name: str, case: str) -> Iterator[File]:
    """Write maps of queries and keys, a file a head, and what all maps show of their points.

    Names of files begin with ``name``, that of a stream of an experiment; ``case`` is what is
    measured, as the summary names it.
    """
    variants = states("joint_maps", case)
    points = table("joint_maps", "points", case, variants[0])
    queries = points[points["kind"] == "query"]
    yield f"{name}/points", {"tokens": [described_token(row) for row in queries.itertuples()]}
    figures_of_head = of_heads("joint_maps", experiment=case, quantity=TRUST)
    trust = _trust(figures_of_head, ["variant", "subject", "layer", "head"])
    by_head = {
        variant: dict(list(table("joint_maps", "maps", case, variant).groupby(["layer", "head"])))
        for variant in variants
    }
    small_maps: dict[str, dict[tuple[int, int], Array]] = {variant: {} for variant in variants}
    for layer, head in by_head[variants[0]]:
        methods: dict[str, dict[str, Any]] = {}
        norms = {}
        for variant in variants:
            maps = by_head[variant][layer, head]
            for method, rows in maps.groupby("method", sort=False):
                figures = trust.get((variant, method, layer, head), {})
                places = rows[["x", "y"]].to_numpy(float)
                content = {"places": pack_numbers(places), "trust": figures}
                methods.setdefault(str(method), {})[variant] = content
                if method == SMALL:
                    small_maps[variant][layer, head] = places
            norms[variant] = pack_numbers(rows["norm"].to_numpy(float))
        yield f"{name}/map-{layer}-{head}", {"methods": methods, "norms": norms}
    yield from thumbnails(name, small_maps)


def feature_files(name: str, case: str, labels: Sequence[str]) -> Iterator[File]:
    """Write maps of tokens at every feature point, a file a method.

    ``name`` and ``case`` are as :func:`joint_files` takes them; ``labels`` are names of the labels
    of the corpus, if it has any.
    """
    variants = states("projection", case)
    maps = {variant: table("projection", "maps", case, variant) for variant in variants}
    texts = table("projection", "texts", case, variants[0])
    figures_of_layer = curves("projection", experiment=case, quantity=TRUST)
    trust = _trust(figures_of_layer, ["variant", "subject", "facet", "layer"])
    of_text = texts.dropna(subset="label").set_index("example_id")["label"].astype(int).to_dict()
    for method in maps[variants[0]]["method"].unique():
        tokens: list[dict[str, Any]] = []
        points: list[list[Any]] = []
        laid_out = {}
        for variant, places in maps.items():
            by_point = dict(
                list(places[places["method"] == method].groupby(["point", "layer"], sort=False))
            )
            points = [[point, int(layer)] for point, layer in by_point]
            tokens = [described_token(row) for row in next(iter(by_point.values())).itertuples()]
            stacked = np.stack([rows[["x", "y"]].to_numpy(float) for rows in by_point.values()])
            figures = [trust.get((variant, method, *point), {}) for point in points]
            laid_out[variant] = {"places": pack_numbers(stacked), "trust": figures}
        content = {"points": points, "tokens": tokens, "states": laid_out}
        yield (
            f"{name}/features-{method}",
            content | ({"labels": of_text, "label_names": labels} if of_text else {}),
        )


def _trust(rows: pd.DataFrame, by: list[str]) -> dict[tuple[Any, ...], dict[str, float]]:
    """Give trust figures by what tells maps apart."""
    figures: dict[tuple[Any, ...], dict[str, float]] = {}
    for *key, quantity, mean in rows[[*by, "quantity", "mean"]].itertuples(index=False):
        figures.setdefault(tuple(key), {})[quantity] = float(f"{mean:.3g}")
    return figures


class ShownExperiment(NamedTuple):
    """Content of the explorer for one experiment.

    Attributes
    ----------
    listed
        Entry of the index: name, streams, states and titles of texts.
    texts
        Id of a text -> the text, in the first stream.
    numbers
        Numbers of heads in the first stream, as :func:`numbers_of_heads` gives them.
    """

    listed: dict[str, Any]
    texts: dict[int, ShownText]
    numbers: dict[str, Any]


def opening(params: Params, experiments: Mapping[str, ShownExperiment]) -> dict[str, Any]:
    """Choose the view that the page opens with, and note what is to be noticed there."""
    focus = params.report.focus.experiment
    noted = _costly(experiments) or _previous(
        focus if focus in experiments else next(iter(experiments)), experiments
    )
    selection = noted["selection"]
    of_text = experiments[selection["e"]].texts[selection["t"]]
    queries, keys = of_text.tokens
    layer, head, query = selection["l"] - 1, selection["h"] - 1, selection["q"]
    rows = {
        state: {
            "head": as_list(shown_state.text["attention"][layer, head, query]),
            **{method: as_list(shown_state.rows[method][layer, query]) for method in METHODS},
        }
        for state, shown_state in of_text.states.items()
    }
    tokens = [visible(token) for token in keys["token"]]
    return noted | {"tokens": tokens, "query": visible(queries["token"].iloc[query]), "rows": rows}


def _costly(experiments: Mapping[str, ShownExperiment]) -> dict[str, Any] | None:
    """Choose a head without which the loss rises most in its experiment, which was fine-tuned.

    Of these heads, an experiment each, the one whose attention fine-tuning changed most, and the
    text and token of which it moved most. None where no head matters.
    """
    candidates = []
    for name, experiment in experiments.items():
        if {"distance", "loss_change"} <= experiment.numbers.keys():
            changed = experiment.numbers["distance"]["states"][BOTH]
            costs = experiment.numbers["loss_change"]["states"][experiment.listed["states"][-1]]
            layer, head = _largest(costs)
            if costs[layer][head] >= MATTERS:
                candidates.append((changed[layer][head], name, (layer, head), costs[layer][head]))
    if not candidates:
        return None
    _, name, position, cost = max(candidates)
    text, query, key = _moved_most(experiments[name], position)
    texts = experiments[name].numbers["loss_change"]["texts"]
    selection = _selected(name, experiments[name], text, query, key, position)
    selection |= {"s": BOTH, "c": "mean-loss_change"}
    return {"selection": selection, "rule": "costly", "cost": cost, "texts": texts}


def _previous(name: str, experiments: Mapping[str, ShownExperiment]) -> dict[str, Any]:
    """Choose the head that attends most to the token before, in the first text that has two."""
    experiment = experiments[name]
    lengths = {
        text: len(of_text.first["attention"][0, 0]) for text, of_text in experiment.texts.items()
    }
    text = next((text for text, length in lengths.items() if length > 1), next(iter(lengths)))
    state = experiment.listed["states"][-1]
    selection = {"s": state}
    if lengths[text] == 1:
        return {
            "selection": _selected(name, experiment, text, 0, 0, (0, 0)) | selection,
            "rule": "single",
        }
    before = np.diagonal(
        experiment.texts[text].states[state].text["attention"], -1, axis1=-2, axis2=-1
    )
    position = _largest(before.mean(axis=-1).tolist())
    key = int(before[position].argmax())
    selection |= _selected(name, experiment, text, key + 1, key, position) | {"c": "previous"}
    return {"selection": selection, "rule": "previous"}


def _selected(
    name: str,
    experiment: ShownExperiment,
    text: int,
    query: int,
    key: int,
    position: tuple[int, int],
) -> dict[str, Any]:
    """Name a view by the letters of an address."""
    stream = experiment.texts[text].stream
    selection: dict[str, Any] = {"e": name, "x": stream, "t": text, "q": query, "k": key}
    return selection | {"l": position[0] + 1, "h": position[1] + 1}


def _largest(grid: list[list[float]]) -> tuple[int, int]:
    """Tell layer and head of the largest number, the first being 0."""
    array = np.array(grid, np.float64)
    layer, head = np.unravel_index(np.nanargmax(array), array.shape)
    return int(layer), int(head)


def _moved_most(experiment: ShownExperiment, position: tuple[int, int]) -> tuple[int, int, int]:
    """Tell text, query and key of which a head's attention changed most."""
    candidates = []
    for text, of_text in experiment.texts.items():
        before, after = (state.text["attention"][position] for state in of_text.states.values())
        moved = np.abs(after - before).sum(axis=-1)
        query = int(moved.argmax())
        candidates.append((float(moved[query]), text, query, int((after - before)[query].argmax())))
    _, text, query, key = max(candidates)
    return text, query, key


def shown_text(
    params: Params,
    name: str,
    of_stream: Sequence[State],
    stream: str,
    example: int,
    labels: Sequence[str],
) -> ShownText:
    """Gather a text in every state of the model."""
    by_state = {}
    for state in of_stream:
        text = state.text(example)
        target = "_of_target" if stream == "cross" else ""
        rows = text.field(f"rows{target}")
        if text.has(f"measured_rows{target}"):
            rows = rows | text.field(f"measured_rows{target}")
        predicting = state is of_stream[-1] and predicts(params.experiments[name])
        prediction = _prediction(text, params.faithfulness.removal) if predicting else {}
        of_queries = text.of(stream) if stream == "cross" else text
        chosen = params.experiments[name].task == "language_modelling"
        by_state[state.variant] = ShownState(
            of_queries, rows, prediction, _predicted(text, labels, chosen) if predicting else None
        )
    return ShownText(by_state, stream)


def offered(text: ShownText) -> dict[str, dict[str, list[str]]]:
    """List what a selection can name of a text: ``cells`` and ``columns``, name -> states."""
    cells: dict[str, list[str]] = {"attention": [*text.states]}
    columns: dict[str, list[str]] = {}
    for state, measured in text.states.items():
        for number in head_numbers(measured.text):
            cells.setdefault(number, []).append(state)
        for name in ("head", *measured.rows, *measured.prediction):
            columns.setdefault(name, []).append(state)
    return {"cells": cells, "columns": columns}


def in_all(offers: Sequence[dict[str, dict[str, list[str]]]]) -> dict[str, dict[str, list[str]]]:
    """Choose of what :func:`offered` lists what every text has, in the same states."""
    first, *others = offers
    return {
        kind: {
            name: there
            for name, states_of_first in names.items()
            if (
                there := [
                    s for s in states_of_first if all(s in o[kind].get(name, ()) for o in others)
                ]
            )
        }
        for kind, names in first.items()
    }


def _prediction(text: Text, removal: str) -> dict[str, Any]:
    """Give what the prediction owes to every token, where explanations were asked of the text."""
    scores: dict[str, TokenScores] = {}
    for measure in ("relevance", "faithfulness"):
        if text.has(measure):
            scores |= {
                scored.method: scored
                for scored in text.token_scores(measure)
                if scored.rows == "input"
            }
    methods = (*OF_PREDICTION, LEFT_OUT[removal])
    return {method: scores[method].scores[-1] for method in methods if method in scores}


def _predicted(text: Text, labels: Sequence[str], chosen: bool) -> dict[str, Any] | None:
    """Give the label of a text, which may be ``chosen`` among words, and its probability."""
    prediction = text.example["prediction"]
    if pd.isna(prediction):
        return None
    return {
        "label": labels[int(prediction)],
        "probability": float(f"{text.example['probability']:.4g}"),
        **({"among": list(labels)} if chosen else {}),
    }


def numbers_of_heads(case: str) -> dict[str, Any]:
    """Numbers and family of every head: name -> number of ``texts``, ``states``.

    ``states`` are state -> ``[layer][head]``, means over the texts; a family is that of the means.
    """
    numbers: dict[str, Any] = {}
    for measure, quantities in OF_HEADS.items():
        rows = of_heads(measure, experiment=case, quantity=quantities)
        rows = rows[~rows["facet"].isin(("first", "none"))]
        for (quantity, variant), of_state in rows.groupby(["quantity", "variant"]):
            grid = of_state.pivot(index="layer", columns="head", values="mean").to_numpy(float)
            number = numbers.setdefault(str(quantity), {"texts": 0, "states": {}})
            number["texts"] = max(number["texts"], int(of_state["texts"].max()))
            number["states"][BOTH if quantity == "distance" else variant] = as_list(grid)
    families = {}
    for variant, heads in described_heads(experiment=case).groupby("variant"):
        grid = heads.pivot(index="layer", columns="head", values="family")
        families[str(variant)] = grid.to_numpy().tolist()
    return numbers | {"family": {"texts": numbers["previous"]["texts"], "states": families}}
