"""Write what the explorer of the site shows: files of the texts on maps, of every experiment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.parameters import Params
from analysis.parameters.derived import case_name, licence_of_texts, mapped_texts, may_show
from analysis.paths import EXPLORER, artifact
from analysis.pipeline.stage import replacing, run, seeds, write_json
from analysis.site.citation import site_address
from analysis.site.explorer import (
    ShownExperiment,
    feature_files,
    in_all,
    joint_files,
    numbers_of_heads,
    offered,
    opening,
    shown_text,
)
from analysis.site.score import change_of_score, shown_score
from analysis.stages.measure import states
from attention_mixing.artifacts import read_artifact
from attention_mixing.explorer import TITLE, script
from attention_mixing.explorer.content import File, ShownText, text_files
from attention_mixing.markup import in_line
from attention_mixing.settings.derived import JOINT, STREAMS
from attention_mixing.settings.sources import LocalSplits

INDEX, OPENING = "index.json", "opening.json"
# Names of the experiments whose texts are shown, and of those of them without a stated licence.
SHOWN, UNSTATED = "shown.json", "unstated.json"
SCORE = "score.json"  # what fine-tuning changed of the score of the opening view


def explorer(params: Params) -> None:
    """Write ``results/explorer``: ``index.json``, and scripts that hand their content to the page.

    Of every stream the index also has what a selection can name in whichever text: ``cells`` and
    ``columns``, by name the states that have it.

    Whose texts are left out, ``report.explorer.texts`` says
    (:func:`analysis.parameters.derived.may_show`). ``shown.json`` names the
    experiments that are not, which chapters link to, and ``unstated.json`` those of them for whose
    texts no licence is stated. The score of the opening view is taken apart, and ``score.json``
    says what changed it (:func:`analysis.site.score.change_of_score`).
    """
    with replacing(EXPLORER) as directory:
        directory.mkdir()
        experiments = {}
        for name in params.experiments:
            if (experiment := _experiment(params, name, directory)) is not None:
                experiments[name] = experiment
        write_json(directory / INDEX, [experiment.listed for experiment in experiments.values()])
        unstated = [name for name in experiments if _licence(params, name) is None]
        write_json(directory / SHOWN, list(experiments))
        write_json(directory / UNSTATED, unstated)
        changed = None
        if experiments:
            opened = opening(params, experiments)
            write_json(directory / OPENING, opened)
            changed = _score(directory, opened["selection"], experiments)
        write_json(directory / SCORE, changed)


def _score(
    directory: Path, selection: dict[str, Any], experiments: dict[str, ShownExperiment]
) -> dict[str, Any] | None:
    """Write the text of the opening view with its score, and tell what changed the score."""
    name, text_id = selection["e"], selection["t"]
    text = experiments[name].texts[text_id]
    base = "/".join(filter(None, (name, text.stream)))
    with_score = replace(text, score=shown_score(text, selection))
    _write(directory, text_files(f"{base}/text-{text_id}", with_score))
    return change_of_score(text, selection)


def _experiment(params: Params, name: str, directory: Path) -> ShownExperiment | None:
    """Write the files of an experiment, if its texts may be shown."""
    experiment, settings = params.experiments[name], params.report.explorer
    stays_here = isinstance(experiment.data, LocalSplits) and site_address() is None
    if settings is None or not may_show(settings, _licence(params, name), stays_here=stays_here):
        return None
    facts = read_artifact(artifact(name, "corpus", "facts.json"))
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
        chosen = [int(examples["id"].iloc[i]) for i in mapped_texts(params, len(examples))]
        offers = []
        for example in chosen:
            text = shown_text(params, name, of_stream, stream, example, labels)
            texts.setdefault(example, text)
            _write(directory, text_files(f"{base}/text-{example}", text))
            offers.append(offered(text))
        attention = text.first["attention"]
        about = {"name": stream, "layers": len(attention), "heads": attention.shape[1]}
        about |= in_all(offers)
        case = case_name(name, stream)
        if stream != "cross":
            numbers = numbers_of_heads(case)
            of_first = of_first or numbers
            _write(directory, [(f"{base}/numbers", numbers)])
            _write(directory, joint_files(base, case))
            written = _write(directory, feature_files(base, case, labels))
            features = [file.split("features-")[1] for file in written]
            about |= {"numbers": True, "map": "together", "features": features}
            means = {f"mean-{number}": [*told["states"]] for number, told in numbers.items()}
            about["cells"] |= means
        listed["streams"].append(about)
        listed["states"] = [state.variant for state in of_stream]
        listed.setdefault(
            "texts", [{"id": text_id, "title": _title(examples, text_id)} for text_id in chosen]
        )
    return ShownExperiment(listed, texts, of_first)


def _licence(params: Params, name: str) -> str | None:
    origin = read_artifact(artifact(name, "corpus", "facts.json"))["origin"]
    return licence_of_texts(params.experiments[name], origin)


def _title(examples: pd.DataFrame, example: int) -> str:
    return in_line(str(examples.set_index("id").loc[example, "text"]))[:TITLE]


def _write(directory: Path, files: Iterable[File]) -> list[str]:
    """Write files as scripts; return their names."""
    names = []
    for name, content in files:
        path = directory / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(script(name, content))
        names.append(name)
    return names


if __name__ == "__main__":
    run(explorer)
