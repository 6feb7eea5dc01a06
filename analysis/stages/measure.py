"""Take the measures of a stage of an experiment."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.parameters import Params, located_images
from analysis.parameters.derived import mapped_texts
from analysis.paths import artifact
from analysis.pipeline.packages import made_with
from analysis.pipeline.parameters_of import SHOWN
from analysis.pipeline.stage import announce_left_out, keyed, replacing, run, seeds, write_json
from attention_mixing.capture.store import Capture, captures
from attention_mixing.capture.text import State
from attention_mixing.errors import InputError, require
from attention_mixing.measures import STAGES, measures, needed
from attention_mixing.measures.engine.definition import Measure
from attention_mixing.measures.engine.runner import run as take
from attention_mixing.models.source import find_again
from attention_mixing.settings.derived import STREAMS, streams
from attention_mixing.workers import workers


def measure(params: Params, name: str, stage: str) -> None:
    """Write ``artifacts/EXPERIMENT/STAGE/SEED`` (:func:`.engine.runner.run`).

    The stages *focus* and *rows* are of the model of the first seed alone, and of the texts that
    are shown. What is measured of an encoder-decoder lies one directory deeper, by stream
    (:func:`attention_mixing.settings.derived.streams`).

    Raises
    ------
    InputError
        If a parameter asks for a text that was not captured.
    """
    first, *others = seeds(name)
    with (
        replacing(artifact(name, stage)) as directory,
        workers(params.workers) as each,
    ):
        for seed in [first, *(others if stage not in SHOWN else [])]:
            for stream in streams(params.experiments[name]):
                (directory / seed / stream).mkdir(parents=True)
                asked = settings(measures(stage), params, name)
                with keyed(asked):
                    take(
                        measures(stage),
                        asked,
                        name,
                        params.experiments[name],
                        states(params, name, stage, seed, stream),
                        directory / seed / stream,
                        each,
                        artifact(name, "corpus"),
                        first_seed=seed == first,
                    )
        topics = (Path(inspect.getfile(taken.work)) for taken in measures(stage))
        write_json(directory / "packages.json", made_with(Path(__file__), *topics))


def settings(taken: Sequence[Measure], params: Params, name: str) -> dict[str, Any]:
    """Look up what measures declare that they read, by dotted names.

    ``experiment.X`` is of experiment ``name``; a name of a local model is replaced by its path.
    """
    values: dict[str, Any] = {}
    for dotted in dict.fromkeys(key for measure in taken for key in measure.parameters):
        value: Any = params.experiments[name] if dotted.startswith("experiment.") else params
        for key in dotted.removeprefix("experiment.").split("."):
            value = getattr(value, key)
        values[dotted] = located_images(params) if dotted == "heads.images" else value
    return values


def alone(params: Params, name: str, measured: str) -> tuple[Measure, dict[str, pd.DataFrame]]:
    """Take one measure of the first seed, with those that it needs; nothing is written.

    The measure is given with its values of every text
    (:func:`.engine.runner.run`), which are by stream of an encoder-decoder, else
    under an empty name.

    Raises
    ------
    InputError
        If there is no such measure.
    """
    by_measure = {taken.name: stage for stage in STAGES for taken in measures(stage)}
    require(measured, "measures", by_measure)
    stage = by_measure[measured]
    chosen = needed([measured], measures(stage))
    values = {}
    with tempfile.TemporaryDirectory() as scratch, workers(params.workers) as each:
        for stream in streams(params.experiments[name]):
            directory = Path(scratch, stream)
            directory.mkdir(exist_ok=True)
            of_model = states(params, name, stage, seeds(name)[0], stream)
            take(
                chosen,
                settings(chosen, params, name),
                name,
                params.experiments[name],
                of_model,
                directory,
                each,
                artifact(name, "corpus"),
            )
            values[stream] = pd.read_parquet(directory / "values.parquet")
    return chosen[-1], values


def states(params: Params, name: str, stage: str, seed: str, stream: str = "") -> list[State]:
    """States of a model before and after training; the files of their captures are verified."""
    of_model = []
    for variant, captured in captures(artifact(name, "capture").absolute(), seed).items():
        capture = Capture(captured)
        model = find_again(capture.manifest["model"]).absolute()
        # What is of the pretrained model was measured with the first seed.
        seed_of_state = seeds(name)[0] if variant == "pretrained" else seed
        others = (other for other in STAGES if other != stage)
        measured = tuple(
            artifact(name, other, seed_of_state, stream).absolute() for other in others
        )
        state = State(
            variant, captured, model, measured=measured, device=params.device, stream=stream
        )
        if stage in SHOWN:
            if stage == "rows" and variant == "pretrained" and stream in ("", STREAMS[0]):  # once
                announce_left_out(params, name, len(capture.examples))
            indices = _shown(params, name, stage, len(capture.examples))
            only = tuple(int(capture.examples["id"].iloc[index]) for index in indices)
            state = replace(state, only=only)
        of_model.append(state)
    return of_model


def _shown(params: Params, name: str, stage: str, captured: int) -> Sequence[int]:
    """List the captured texts that are shown, from 0, of so many (``captured``)."""
    if stage == "rows":
        return mapped_texts(params, captured)
    example = params.report.focus.example
    if example >= captured:
        raise InputError(
            f"report.focus.example asks for text {example} but {name} has only {captured} captured "
            "texts; choose an earlier one (the first is 0) or capture more."
        )
    return [example]


if __name__ == "__main__":
    run(measure, "experiments", stages=STAGES)
