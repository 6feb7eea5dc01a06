"""Write what the explorer of the site shows: files of the texts on maps, of every experiment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.figures.explorer_maps import feature_files, joint_files
from analysis.figures.results import described_heads, of_heads
from analysis.stage import replacing, run, seeds, write_json
from analysis.stages.measure import states
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture.fields import TokenScores
from attention_mixing.capture.text import State, Text
from attention_mixing.explorer import BOTH, TITLE
from attention_mixing.explorer.content import File, ShownState, ShownText, as_list, text_files
from attention_mixing.markup import in_line, visible
from attention_mixing.measures.rows import METHODS
from attention_mixing.params import Params
from attention_mixing.params.states import JOINT, STREAMS, case_name, mapped_texts, predicts
from attention_mixing.paths import EXPLORER, artifact

INDEX, OPENING = "index.json", "opening.json"
# Group -> quantities of heads that are means over texts.
OF_HEADS = {
    "heads": ("previous", "self", "next", "relative_entropy"),
    "vectors": ("sink", "distance"),
    "explain": ("loss_change",),
}
# What the prediction owes to a token -> measure that leaves it with a text.
PREDICTION = {"gradient_norm": "relevance", "integrated_gradients": "relevance"}


def explorer(params: Params) -> None:
    """Write ``results/explorer``: ``index.json``, and scripts that hand their content to the page.

    Texts of a corpus without a licence, or with one for non-commercial use only, are left out,
    unless ``report.explorer.texts`` is *all*.
    """
    with replacing(EXPLORER) as directory:
        directory.mkdir()
        shown = {}
        for name in params.experiments:
            if (one := _experiment(params, name, directory)) is not None:
                shown[name] = one
        write_json(directory / INDEX, [one.listed for one in shown.values()])
        if shown:
            write_json(directory / OPENING, _opening(params, shown))


class ShownExperiment(NamedTuple):
    """What the explorer shows of an experiment.

    Attributes
    ----------
    listed
        In the index.
    texts
        Id of a text -> the text, in the first stream.
    numbers
        Of heads in the first stream, as :func:`_numbers` gives them.
    """

    listed: dict[str, Any]
    texts: dict[int, ShownText]
    numbers: dict[str, Any]


def _experiment(params: Params, name: str, directory: Path) -> ShownExperiment | None:
    """Write the files of an experiment, if its texts may be shown."""
    facts = read_artifact(artifact(name, "corpus", "facts.json"))
    asked = params.report.explorer
    if asked is None or not asked.may_show(facts["origin"].get("licence")):
        return None
    experiment = params.experiments[name]
    first = seeds(name)[0]
    has_targets = experiment.has_targets
    labels = list(facts["corpus"]["labels"])
    listed: dict[str, Any] = {"name": name, "streams": []}
    texts: dict[int, ShownText] = {}
    of_first: dict[str, Any] = {}
    for stream in STREAMS if has_targets else ("",):
        base = "/".join(filter(None, (name, stream)))
        of_stream = states(params, name, "", first, JOINT if stream == "cross" else stream)
        examples = of_stream[-1].examples
        chosen = [int(examples["id"].iloc[i]) for i in mapped_texts(params)]
        for example in chosen:
            shown = _shown(params, name, of_stream, stream, example, labels)
            texts.setdefault(example, shown)
            _write(directory, text_files(f"{base}/text-{example}", shown))
        attention = shown.first["attention"]
        about = {"name": stream, "layers": len(attention), "heads": attention.shape[1]}
        case = case_name(name, stream)
        if stream != "cross":
            numbers = _numbers(case)
            of_first = of_first or numbers
            _write(directory, [(f"{base}/numbers", numbers)])
            _write(directory, joint_files(base, case))
            written = _write(directory, feature_files(base, case, labels))
            features = [one.split("features-")[1] for one in written]
            about |= {"numbers": True, "map": "together", "features": features}
        listed["streams"].append(about)
        listed["states"] = [state.variant for state in of_stream]
        listed.setdefault("texts", [{"id": one, "title": _title(examples, one)} for one in chosen])
    return ShownExperiment(listed, texts, of_first)


def _opening(params: Params, shown: Mapping[str, ShownExperiment]) -> dict[str, Any]:
    """Choose the view that the page opens with, and note what is to be noticed there."""
    focus = params.report.focus.experiment
    noted = _costly(shown) or _previous(focus if focus in shown else next(iter(shown)), shown)
    selection = noted["selection"]
    of_text = shown[selection["e"]].texts[selection["t"]]
    queries, keys = of_text.tokens
    layer, head, query = selection["l"] - 1, selection["h"] - 1, selection["q"]
    rows = {
        state: {
            "head": as_list(each.text["attention"][layer, head, query]),
            **{method: as_list(each.rows[method][layer, query]) for method in METHODS},
        }
        for state, each in of_text.states.items()
    }
    tokens = [visible(token) for token in keys["token"]]
    return noted | {"tokens": tokens, "query": visible(queries["token"].iloc[query]), "rows": rows}


def _costly(shown: Mapping[str, ShownExperiment]) -> dict[str, Any] | None:
    """Choose a head without which the loss rises most in its experiment, which was fine-tuned.

    Of these heads, an experiment each, the one whose attention fine-tuning changed most, and the
    text and token of which it moved most. None where there is none.
    """
    told = []
    for name, one in shown.items():
        if {"distance", "loss_change"} <= one.numbers.keys():
            changed = one.numbers["distance"]["states"][BOTH]
            costs = one.numbers["loss_change"]["states"][one.listed["states"][-1]]
            layer, head = _largest(costs)
            if costs[layer][head] > 0:
                told.append((changed[layer][head], name, (layer, head), costs[layer][head]))
    if not told:
        return None
    _, name, place, cost = max(told)
    text, query, key = _moved_most(shown[name], place)
    texts = shown[name].numbers["loss_change"]["texts"]
    selection = _selected(name, shown[name], text, query, key, place)
    selection |= {"s": BOTH, "c": "mean-loss_change"}
    return {"selection": selection, "rule": "costly", "cost": cost, "texts": texts}


def _previous(name: str, shown: Mapping[str, ShownExperiment]) -> dict[str, Any]:
    """Choose the head that attends most to the token before, in the first text that has two."""
    one = shown[name]
    lengths = {text: len(of_text.first["attention"][0, 0]) for text, of_text in one.texts.items()}
    text = next((text for text, length in lengths.items() if length > 1), next(iter(lengths)))
    state = one.listed["states"][-1]
    selection = {"s": state}
    if lengths[text] == 1:
        return {"selection": _selected(name, one, text, 0, 0, (0, 0)) | selection, "rule": "single"}
    before = np.diagonal(one.texts[text].states[state].text["attention"], -1, axis1=-2, axis2=-1)
    place = _largest(before.mean(axis=-1).tolist())
    key = int(before[place].argmax())
    selection |= _selected(name, one, text, key + 1, key, place) | {"c": "previous"}
    return {"selection": selection, "rule": "previous"}


def _selected(
    name: str, one: ShownExperiment, text: int, query: int, key: int, place: tuple[int, int]
) -> dict[str, Any]:
    """Name a view by the letters of an address."""
    stream = one.texts[text].stream
    selection: dict[str, Any] = {"e": name, "x": stream, "t": text, "q": query, "k": key}
    return selection | {"l": place[0] + 1, "h": place[1] + 1}


def _largest(grid: list[list[float]]) -> tuple[int, int]:
    """Tell layer and head of the largest number, the first being 0."""
    array = np.array(grid, np.float64)
    layer, head = np.unravel_index(np.nanargmax(array), array.shape)
    return int(layer), int(head)


def _moved_most(experiment: ShownExperiment, place: tuple[int, int]) -> tuple[int, int, int]:
    """Tell text, query and key of which a head's attention changed most."""
    found = []
    for text, shown in experiment.texts.items():
        before, after = (one.text["attention"][place] for one in shown.states.values())
        moved = np.abs(after - before).sum(axis=-1)
        query = int(moved.argmax())
        found.append((float(moved[query]), text, query, int((after - before)[query].argmax())))
    _, text, query, key = max(found)
    return text, query, key


def _title(examples: pd.DataFrame, example: int) -> str:
    return in_line(str(examples.set_index("id").loc[example, "text"]))[:TITLE]


def _shown(
    params: Params,
    name: str,
    of_stream: Sequence[State],
    stream: str,
    example: int,
    labels: Sequence[str],
) -> ShownText:
    """Gather a text in every state of the model."""
    found = {}
    for state in of_stream:
        text = state.text(example)
        measure = "rows_of_target" if stream == "cross" else "rows"
        rows = text.field(measure)
        predicting = state is of_stream[-1] and predicts(params.experiments[name])
        prediction = _prediction(text, params.faithfulness.removal) if predicting else {}
        shown = text.of(stream) if stream == "cross" else text
        found[state.variant] = ShownState(
            shown, rows, prediction, _predicted(text, labels) if predicting else None
        )
    return ShownText(found, stream)


def _prediction(text: Text, removal: str) -> dict[str, Any]:
    """Give what the prediction owes to every token, where explanations were asked of the text."""
    scores: dict[str, TokenScores] = {}
    for measure in ("relevance", "faithfulness"):
        if text.has(measure):
            scores |= {one.method: one for one in text.token_scores(measure) if one.rows == "input"}
    wanted = (*PREDICTION, f"left_out_{removal}")
    return {method: scores[method].scores[-1] for method in wanted if method in scores}


def _predicted(text: Text, labels: Sequence[str]) -> dict[str, Any] | None:
    prediction = text.example["prediction"]
    if pd.isna(prediction):
        return None
    return {
        "label": labels[int(prediction)],
        "probability": float(f"{text.example['probability']:.4g}"),
    }


def _numbers(case: str) -> dict[str, Any]:
    """Numbers and family of every head: name -> number of ``texts``, ``states``.

    ``states`` are state -> ``[layer][head]``, means over the texts; a family is that of the means.
    """
    numbers: dict[str, Any] = {}
    for group, quantities in OF_HEADS.items():
        rows = of_heads(group, experiment=case, quantity=quantities)
        rows = rows[~rows["kind"].isin(("first", "none"))]
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


def _write(directory: Path, files: Iterable[File]) -> list[str]:
    """Write files as scripts; return their names."""
    names = []
    for name, content in files:
        path = directory / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(name, content), encoding="ascii")
        names.append(name)
    return names


def script(name: str, content: Any) -> str:
    """Write a script that puts content under the name of its file."""
    # ASCII alone, so no character depends on how the file is served.
    written = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return f"(window.explorerFiles ??= {{}})[{json.dumps(name)}] = {written};\n"


if __name__ == "__main__":
    run(explorer)
