"""Run the measures of a group: workers map texts, the parent folds in the order of the texts."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import BaseModel
from safetensors.numpy import save_file

from analysis.capture.text import State
from analysis.hashing import code_sha256
from analysis.imports import closure
from analysis.measures.definition import (
    ALL,
    Corpus,
    Field,
    Given,
    Measure,
    Measured,
    Values,
    numbers,
    require_declared,
)
from analysis.measures.workers import Each
from analysis.params import Params
from analysis.schemas import MEASURED

# Texts that a worker takes at a time: few, or the last one works alone while the others wait. Sums
# are folded by these, so that they are the same to the last digit whatever computes them.
CHUNK = 4
ROWS = 100_000  # of values that wait in memory to be written
NAMES = pa.dictionary(pa.int16(), pa.string())
SCHEMA = pa.schema(
    {
        "measure": NAMES,
        "variant": NAMES,
        "text": pa.int64(),
        "of": NAMES,
        "kind": NAMES,
        "quantity": NAMES,
        "clusters": pa.int16(),
        "layer": pa.int16(),
        "head": pa.int16(),
        "value": pa.float64(),
    }
)


class Output:
    """The directory of a group of measures: ``values.parquet``, ``fields/``, ``shown/``."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.measures: dict[str, Any] = {}
        self._values = pq.ParquetWriter(directory / "values.parquet", SCHEMA)
        self._waiting: list[tuple] = []

    def add(self, measure: Measure, variant: str, text: int, measured: Measured) -> None:
        """Write what one measure gives of one text, or of all together, of one state.

        Raises
        ------
        ValueError
            If it gives what it does not declare.
        """
        arrays: dict[str, dict[str, NDArray]] = {}
        for one in measured:
            if isinstance(one, Values):
                require_declared(measure, one)
                self._waiting += [(measure.name, variant, text, *row) for row in numbers(one)]
                continue
            # Pages show one text, or all together.
            name = (
                f"shown/{measure.name}/{variant}"
                if one.shown
                else f"fields/{measure.name}/{variant}/{text:06d}"
            )
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(one.content, pd.DataFrame):
                one.content.to_parquet(f"{path}-{one.name}.parquet", index=False)
                continue
            array = np.ascontiguousarray(one.content)
            arrays.setdefault(f"{path}.safetensors", {})[one.name] = array
        for file, content in arrays.items():
            save_file(content, file)
        if len(self._waiting) >= ROWS:
            self._write_values()

    def close(self) -> None:
        """Write what is left, when all is added."""
        self._write_values()
        self._values.close()
        text = json.dumps({"schema": MEASURED.version, "measures": self.measures}, indent=2)
        (self.directory / "manifest.json").write_text(text + "\n", encoding="utf-8")

    def _write_values(self) -> None:
        columns = zip(*self._waiting, strict=True) if self._waiting else [[] for _ in SCHEMA]
        self._values.write_table(pa.table(list(columns), SCHEMA))
        self._waiting = []


def run(
    measures: Sequence[Measure],
    params: Params,
    name: str,
    states: Sequence[State],
    directory: Path,
    each: Each,
    *,
    again: bool = False,
) -> None:
    """Take measures, one after the other, and write what they give.

    Parameters
    ----------
    measures
        In an order in which each comes after those that it reads.
    params, name
        All parameters, and the experiment.
    states
        Of its model, the pretrained one first.
    directory
        An empty one. ``values.parquet`` gets a row a number (:data:`SCHEMA`; layer and text -1 for
        what is of all of them, head 0), ``fields/MEASURE/VARIANT/TEXT.safetensors`` what later
        measures read, ``shown/MEASURE/`` what pages show, ``manifest.json`` schema, code and
        parameters.
    each
        Who works (:func:`analysis.measures.workers.workers`).
    again
        Whether the model was measured with another seed of training before. What is of a text in
        the pretrained model is the same with every seed, and is left out.
    """
    output = Output(directory)
    states = [replace(state, measured=(directory, *state.measured)) for state in states]
    corpus = Corpus(states, each, directory)
    handed: dict[str, dict[str, Any]] = {}
    for measure in measures:
        defined = measure.defined(params.experiments[name].task, len(states) > 1)
        if not defined or (again and measure.first_seed):
            continue
        output.measures[measure.name] = provenance(measure, params, name)
        given = Given(params, name, {one: handed[one] for one in measure.after if one in handed})
        if measure.kind == "corpus":
            for found in measure.work(corpus, given):
                output.add(measure, *found)
            continue
        alone = states[1:] if again and measure.kind == "text" else states
        for those in [states] if measure.kind == "pair" else [[state] for state in alone]:
            last = those[-1]
            own, title = given.of(last.variant), f"{name}: {measure.name} {last.variant}"
            if measure.kind == "accumulator":
                total = measure.work(own)
                for part in each(
                    partial(_accumulate, measure.work, last, own), chunks(last), title
                ):
                    total.merge(part)
                handed.setdefault(measure.name, {})[last.variant] = total.result()
                output.add(measure, last.variant, ALL, total.measured())
                continue
            for texts in each(partial(_chunk, measure.work, those, own), chunks(last), title):
                for text, measured in texts:
                    output.add(measure, last.variant, text, measured)
    output.close()


_hashed = cache(code_sha256)  # a process runs one version of a module


def provenance(measure: Measure, params: Params, name: str) -> dict[str, Any]:
    """Note the hash of the code behind a measure, and the parameters that it reads."""
    files = sorted(closure(Path(inspect.getfile(measure.work))))
    hashes = "".join(_hashed(path) for path in files)
    settings: dict[str, Any] = {}
    for dotted in measure.settings:
        value: Any = params.experiments[name] if dotted.startswith("experiment.") else params
        for part in dotted.removeprefix("experiment.").split("."):
            value = getattr(value, part)
        settings[dotted] = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return {"code": hashlib.sha256(hashes.encode()).hexdigest()[:12], "settings": settings}


def chunks(state: State) -> list[tuple[int, ...]]:
    """Ids of texts, a few together, in their order."""
    ids = [int(text) for text in state.examples["id"]]
    return [tuple(ids[start : start + CHUNK]) for start in range(0, len(ids), CHUNK)]


def _chunk(
    work: Callable[..., Measured], states: Sequence[State], given: Given, texts: tuple[int, ...]
) -> list[tuple[int, list[Values | Field]]]:
    """Measure a few texts; of a pair of states, the same text in both."""
    return [(text, list(work(*(state.text(text) for state in states), given))) for text in texts]


def _accumulate(work: Callable, state: State, given: Given, texts: tuple[int, ...]) -> Any:
    part = work(given)
    for text in texts:
        part.add(state.text(text))
    return part
