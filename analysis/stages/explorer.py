"""Write what the explorer of the site shows: files of the texts on maps, of every experiment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.artifacts import read_artifact
from analysis.capture.fields import TokenScores
from analysis.capture.text import State, Text
from analysis.explorer import TITLE
from analysis.explorer.content import File, ShownState, ShownText, as_list, text_files
from analysis.explorer.maps import feature_files, joint_files
from analysis.figures.markup import in_line, visible
from analysis.figures.results import described_heads, of_heads
from analysis.measures.rows import METHODS
from analysis.params import Params
from analysis.params.states import JOINT, STREAMS, case_name, mapped_texts, predicts
from analysis.paths import EXPLORER, artifact
from analysis.stage import replacing, run, seeds, write_json
from analysis.stages.measure import states

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
    origin = read_artifact(artifact(name, "corpus", "facts.json"))["origin"]
    asked = params.report.explorer
    if asked is None or not asked.may_show(origin.get("licence")):
        return None
    experiment = params.experiments[name]
    first = seeds(name)[0]
    has_targets = experiment.has_targets
    listed: dict[str, Any] = {"name": name, "streams": []}
    texts: dict[int, ShownText] = {}
    of_first: dict[str, Any] = {}
    for stream in STREAMS if has_targets else ("",):
        base = "/".join(filter(None, (name, stream)))
        of_stream = states(params, name, "", first, JOINT if stream == "cross" else stream)
        examples = of_stream[-1].examples
        chosen = [int(examples["id"].iloc[i]) for i in mapped_texts(params)]
        labels = list(read_artifact(artifact(name, "corpus", "facts.json"))["corpus"]["labels"])
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
            methods = _write(directory, feature_files(base, case))
            about |= {"numbers": True, "map": "together"}
            listed.setdefault(
                "features", {"methods": [one.split("features-")[1] for one in methods]}
            )
        listed["streams"].append(about)
        listed["states"] = [state.variant for state in of_stream]
        listed.setdefault("texts", [{"id": one, "title": _title(examples, one)} for one in chosen])
    return ShownExperiment(listed, texts, of_first)


def _opening(params: Params, shown: Mapping[str, ShownExperiment]) -> dict[str, Any]:
    """Choose the view that the page opens with, and note what is to be noticed there.

    Of every experiment that was fine-tuned, the head without which the loss rises most; of these
    the one whose attention fine-tuning changed most, and the text and token of which it moved most.
    Where nothing was fine-tuned, the head that attends most to the token before.
    """
    told = []
    for name, one in shown.items():
        if not {"distance", "loss_change"} <= one.numbers.keys():
            continue
        changed = one.numbers["distance"]["states"]["both"]
        costs = one.numbers["loss_change"]["states"][one.listed["states"][-1]]
        place = _largest(costs)
        if costs[place[0]][place[1]] > 0:
            told.append((changed[place[0]][place[1]], name, place, costs[place[0]][place[1]]))
    if told:
        _, name, place, cost = max(told)
        text, query, key = _moved_most(shown[name], place)
        texts = shown[name].numbers["loss_change"]["texts"]
        noted = {"rule": "costly", "cost": cost, "texts": texts}
        noted |= {"s": "both", "c": "mean-loss_change"}
    else:
        focus = params.report.focus.experiment
        name = focus if focus in shown else next(iter(shown))
        one = shown[name]
        text = next(iter(one.texts))
        state = one.listed["states"][-1]
        maps = one.texts[text].states[state].text["attention"]
        before = np.diagonal(maps, -1, axis1=-2, axis2=-1)
        place = _largest(before.mean(axis=-1).tolist())
        key = int(before[place].argmax())
        query = key + 1
        noted = {"rule": "previous", "s": state, "c": "previous"}
    layer, head = place
    of_text = shown[name].texts[text]
    queries, keys = of_text.tokens
    rows = {
        state: {
            "head": as_list(each.text["attention"][layer, head, query]),
            **{method: as_list(each.rows[method][layer, query]) for method in METHODS},
        }
        for state, each in of_text.states.items()
    }
    selection = {"e": name, "x": of_text.stream, "t": text, "q": query, "k": key}
    selection |= {"l": layer + 1, "h": head + 1, "s": noted.pop("s"), "c": noted.pop("c")}
    tokens = [visible(token) for token in keys["token"]]
    asked = visible(queries["token"].iloc[query])
    return {"selection": selection, "tokens": tokens, "query": asked, "rows": rows} | noted


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
            number["states"]["both" if quantity == "distance" else variant] = as_list(grid)
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
