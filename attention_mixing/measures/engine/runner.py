"""Run the measures of a group: workers map texts, the parent folds in the order of the texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import save_file
from tqdm import tqdm

from attention_mixing.addresses import ALL
from attention_mixing.capture.subset import choose
from attention_mixing.capture.text import State
from attention_mixing.capture.token_scores import write_fields
from attention_mixing.measures.engine.definition import (
    CapturedCorpus,
    Field,
    Given,
    Measure,
    Measured,
    Values,
    left_with_text,
    numbers,
    require_declared,
)
from attention_mixing.schemas import MEASURED
from attention_mixing.settings.derived import JOINT
from attention_mixing.settings.experiment import Experiment
from attention_mixing.workers import Each

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
        "subject": NAMES,
        "facet": NAMES,
        "quantity": NAMES,
        "clusters": pa.int16(),
        "layer": pa.int16(),
        "head": pa.int16(),
        "value": pa.float64(),
    }
)


def run(
    measures: Sequence[Measure],
    settings: Mapping[str, Any],
    name: str,
    experiment: Experiment,
    states: Sequence[State],
    directory: Path,
    each: Each,
    corpus: Path,
    *,
    first_seed: bool = True,
) -> None:
    """Take measures and write what they give.

    Neighbours that can be are taken in one pass over the texts (:func:`passes`), so that a text is
    opened once for all of them.

    Parameters
    ----------
    measures
        In an order in which each comes after those that it reads.
    settings
        What the measures declare that they read (:attr:`.Measure.parameters`), by dotted names.
    name, experiment
        Of whose texts and models they are.
    states
        Of its model, the pretrained one first.
    directory
        An empty one. ``values.parquet`` gets a row a number (:data:`SCHEMA`; layer and text -1 for
        what is of all of them, head 0), ``fields/MEASURE/VARIANT/TEXT.safetensors`` what later
        measures read, ``shown/MEASURE/`` what pages show, ``manifest.json`` the
        schema.
    each
        Who works (:func:`attention_mixing.workers.workers`).
    corpus
        Directory of all texts (:meth:`attention_mixing.corpora.Corpus.read`), for measures that
        read more of them than were captured.
    first_seed
        Whether the model is that of the first seed of training. What is of a text in the pretrained
        model is the same with every seed, and is left out with the others.
    """
    taken = [
        measure
        for measure in measures
        if measure.defined(experiment) and (first_seed or not measure.first_seed)
        if measure.joint == (states[0].stream == JOINT)
    ]
    output = Output(directory)
    # A measure reads what others of its group have written first.
    states = [replace(state, measured=(directory, *state.measured)) for state in states]
    session = Session(settings, name, states, each, corpus, first_seed, output)
    for together in passes(taken):
        TAKE[together[0].kind](together, session)
    output.close()


def passes(measures: Sequence[Measure]) -> list[list[Measure]]:
    """Put neighbours together that are taken in one pass over the texts.

    These are measures and accumulators of single texts, as long as none needs the result of an
    accumulator of the same pass, which is there when the pass is over.
    """
    grouped: list[list[Measure]] = []
    for measure in measures:
        together = grouped[-1] if grouped else []
        totals = {other.name for other in together if other.kind == "accumulator"}
        if (
            together
            and TAKE[measure.kind] is TAKE[together[0].kind] is take_texts
            and totals.isdisjoint(measure.after)
        ):
            together.append(measure)
        else:
            grouped.append([measure])
    return grouped


@dataclass(frozen=True)
class Session:
    """One call of :func:`run`.

    Attributes
    ----------
    settings, name, states, each, first_seed
        As :func:`run` takes them.
    texts
        Its ``corpus``.
    output
        Where values and fields go.
    results
        Measure -> variant -> what later measures are given.
    made
        What several measures of the corpus need (:meth:`CapturedCorpus.once`).
    """

    settings: Mapping[str, Any]
    name: str
    states: Sequence[State]
    each: Each
    texts: Path
    first_seed: bool
    output: Output
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)

    def given(self, measure: Measure) -> Given:
        """Gather what a measure is given beside its texts."""
        results = {name: self.results[name] for name in measure.after if name in self.results}
        settings = {dotted: self.settings[dotted] for dotted in measure.settings}
        return Given(settings, self.name, results)

    def corpus(self, measure: Measure) -> CapturedCorpus:
        """Gather all texts and states, for a measure that no text has alone."""
        examples = self.examples(measure, self.states[-1])
        return CapturedCorpus(
            self.states, self.each, self.output.directory, self.texts, examples, self.made
        )

    def examples(self, measure: Measure, state: State) -> pd.DataFrame:
        """Choose the texts that a measure is asked about, a row each."""
        count = measure.panel
        if isinstance(count, str):
            count = self.settings[count]
        return choose(state.examples, count)


class Asked(NamedTuple):
    """A measure of single texts in one state."""

    measure: Measure
    given: Given
    texts: frozenset[int]


class OfTexts(NamedTuple):
    """What a worker makes of a few texts.

    Attributes
    ----------
    measured
        Place of a measure in the pass, text and what it gives of it.
    totals
        Place of an accumulator -> one that has taken these texts.
    """

    measured: list[tuple[int, int, Measured]]
    totals: dict[int, Any]


def take_texts(measures: Sequence[Measure], session: Session) -> None:
    """Take measures and accumulators of single texts, in one pass over the texts of each state."""
    for state in session.states:
        measured_before = not session.first_seed and state.variant == "pretrained"
        asked = [
            Asked(
                measure,
                session.given(measure).of(state.variant),
                frozenset(session.examples(measure, state)["id"]),
            )
            for measure in measures
            if (state is session.states[-1] or not measure.predicts)
            and not (measured_before and measure.kind == "text")
        ]
        if not asked:
            continue
        totals = _totals(asked)
        title = f"{session.name}: {', '.join(item.measure.name for item in asked)} {state.variant}"
        for few in session.each(partial(_of_texts, asked, state), chunks(state), title):
            for index, text, measured in few.measured:
                session.output.add(asked[index].measure, state.variant, text, measured)
            for index, total in few.totals.items():
                totals[index].merge(total)
        for index, total in totals.items():
            measure = asked[index].measure
            session.results.setdefault(measure.name, {})[state.variant] = total.result()
            session.output.add(measure, state.variant, ALL, total.measured())


def _of_texts(asked: Sequence[Asked], state: State, texts: Sequence[int]) -> OfTexts:
    """Measure a few texts, each of which is opened once."""
    few = OfTexts([], _totals(asked))
    for text in map(state.text, texts):
        for index, (measure, given, panel) in enumerate(asked):
            if text.id not in panel:
                continue
            if measure.kind == "accumulator":
                few.totals[index].add(text)
                continue
            measured = list(measure.work(text, given))
            text.fields[measure.name] = left_with_text(measured)
            few.measured.append((index, text.id, measured))
    return few


def _totals(asked: Sequence[Asked]) -> dict[int, Any]:
    """Make accumulators that have taken no text yet, by their places."""
    return {
        index: measure.work(given)
        for index, (measure, given, _) in enumerate(asked)
        if measure.kind == "accumulator"
    }


def take_pairs(measures: Sequence[Measure], session: Session) -> None:
    """Take measures of the same text before and after fine-tuning."""
    before, after = session.states
    for measure in measures:
        given = session.given(measure).of(after.variant)
        title = f"{session.name}: {measure.name}"
        work = partial(_of_pairs, measure.work, before, after, given)
        for few in session.each(work, chunks(after), title):
            for text, measured in few:
                session.output.add(measure, after.variant, text, measured)


def _of_pairs(
    work: Callable[..., Measured],
    before: State,
    after: State,
    given: Given,
    texts: Sequence[int],
) -> list[tuple[int, Measured]]:
    return [(text, list(work(before.text(text), after.text(text), given))) for text in texts]


def take_corpus(measures: Sequence[Measure], session: Session) -> None:
    """Take measures that no text has alone."""
    for measure in measures:
        corpus = session.corpus(measure)
        work = measure.work(corpus, session.given(measure))
        done: set[int] = set()
        with tqdm(
            desc=f"{session.name}: {measure.name}",
            # Those without a panel choose their texts themselves.
            total=None if measure.panel is None else len(corpus.examples),
            disable=None,
            leave=False,
            unit="text",
        ) as bar:
            for variant, text, content in work:
                session.output.add(measure, variant, text, content)
                done.add(text)
                bar.update(len(done - {ALL}) - bar.n)


# What a measure is of -> who takes it.
TAKE: dict[str, Callable[[Sequence[Measure], Session], None]] = {
    "text": take_texts,
    "accumulator": take_texts,
    "pair": take_pairs,
    "corpus": take_corpus,
}


def chunks(state: State) -> list[tuple[int, ...]]:
    """Ids of texts, a few together, in their order."""
    ids = [int(text) for text in state.examples["id"]]
    return [tuple(ids[start : start + CHUNK]) for start in range(0, len(ids), CHUNK)]


class Output:
    """The directory of a group of measures: ``values.parquet``, ``fields/``, ``shown/``.

    Parameters
    ----------
    directory
        An empty one.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._values = pq.ParquetWriter(directory / "values.parquet", SCHEMA)
        self._waiting: list[tuple] = []

    def add(self, measure: Measure, variant: str, text: int, measured: Measured) -> None:
        """Write what a measure gives of one text, or of all together, of one state.

        What the measure does not declare is a ``ValueError``.
        """
        content = list(measured)
        named = [item for item in content if isinstance(item, Values)]
        require_declared(measure, named)
        for values in named:
            self._waiting += [(measure.name, variant, text, *row) for row in numbers(values)]
        if len(self._waiting) >= ROWS:
            self._write_values()
        fields = left_with_text(content)
        if fields.arrays or fields.token_scores:
            path = self._path("fields", measure.name, variant, f"{text:06d}.safetensors")
            write_fields(path, fields)
        # Pages show one text, or all together.
        shown = [item for item in content if isinstance(item, Field) and item.shown]
        arrays = {}
        for item in shown:
            if isinstance(item.content, pd.DataFrame):
                path = self._path("shown", measure.name, f"{variant}-{item.name}.parquet")
                item.content.to_parquet(path, index=False)
            else:
                arrays[item.name] = np.ascontiguousarray(item.content)
        if arrays:
            save_file(arrays, self._path("shown", measure.name, f"{variant}.safetensors"))

    def close(self) -> None:
        """Write what is left, when all is added."""
        self._write_values()
        self._values.close()
        text = json.dumps({"schema": MEASURED.version}, indent=2)
        (self.directory / "manifest.json").write_text(text + "\n", encoding="utf-8")

    def _path(self, *parts: str) -> Path:
        path = self.directory.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _write_values(self) -> None:
        columns = zip(*self._waiting, strict=True) if self._waiting else [[] for _ in SCHEMA]
        self._values.write_table(pa.table(list(columns), SCHEMA))
        self._waiting = []
