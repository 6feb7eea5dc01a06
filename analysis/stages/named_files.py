"""Note which of the files under ``files`` each experiment reads, and what they hold.

Stages depend on their own part of this note and not on all files, so that one that is added, for an
experiment or before there is one, makes stale nothing that does not read it.
"""

from __future__ import annotations

from collections.abc import Iterable

from analysis.parameters import Params
from analysis.paths import INPUTS, NAMED_FILES
from analysis.pipeline.stage import replacing, run, write_json
from attention_mixing.artifacts import read_artifact
from attention_mixing.settings.sources import LocalModel, LocalSplits


def named_files(params: Params) -> None:
    """Write ``results/named-files``: the notes of the stage *input*, by the name of the file.

    ``EXPERIMENT/data.json`` and ``EXPERIMENT/model.json`` are of the files that its texts and its
    model are in, ``images.json`` of that of ``heads.images``, ``sinks.CORPUS.json`` of those of a
    corpus of ``sinks``; each is empty where there are none.
    """
    with replacing(NAMED_FILES) as directory:
        directory.mkdir()
        for name, experiment in params.experiments.items():
            (directory / name).mkdir()
            write_json(directory / name / "data.json", _noted(_of_data(experiment.data)))
            write_json(directory / name / "model.json", _noted(_of_model(experiment.model)))
        assert params.sinks is not None  # a run has them, if it is none of those kept before
        for name, corpus in params.sinks.corpora.items():
            named = [*_of_data(corpus.data), *_of_model(corpus.model)]
            write_json(directory / f"sinks.{name}.json", _noted(named))
        write_json(directory / "images.json", _noted(_of_model(params.heads.images)))


def _of_data(data: object) -> list[str]:
    splits = (data.train, data.test) if isinstance(data, LocalSplits) else ()
    return [*filter(None, splits)]


def _of_model(model: object) -> list[str]:
    return [model.name] if isinstance(model, LocalModel) else []


def _noted(names: Iterable[str]) -> dict[str, object]:
    return {name: read_artifact(INPUTS / f"{name}.json") for name in names}


if __name__ == "__main__":
    run(named_files)
