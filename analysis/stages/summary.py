"""Summarise what was measured of all experiments: all that rules, pages and DVC read."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from analysis.parameters import Params
from analysis.parameters.derived import case_name
from analysis.paths import (
    GROUP_OF,
    METRICS,
    PARAMETERS,
    PLOTS,
    QUANTITIES,
    SUMMARY,
    artifact,
)
from analysis.pipeline.readings import readings
from analysis.pipeline.stage import replacing, run, seeds, write_json
from analysis.rules.conditions import learned_seeds, reached
from analysis.rules.selection import Texts, Wanted, choose, curve_rows
from attention_mixing.addresses import ALL
from attention_mixing.artifacts import MANIFEST, read_artifact, require_measured
from attention_mixing.attributions.catalogue import chosen
from attention_mixing.errors import require
from attention_mixing.measures import GROUPS, declared, groups, of_group, summarised
from attention_mixing.measures.engine.cube import KEY, by_text, of_all
from attention_mixing.measures.engine.summary import COLUMNS, saturating, summarise_cubes
from attention_mixing.schemas import SUMMARY as SCHEMA
from attention_mixing.settings.derived import streams

# Headline -> measure, quantity, subject, facet, layer: ALL the mean over layers, LAST the last one.
LAST = -2
HEADLINES = {
    "by_weights": ("mixing", "ratio", "attn_w", "all", ALL),
    "by_vectors": ("mixing", "ratio", "attnresln_n", "all", ALL),
    "rollout": ("propagation", "mixing", "rollout", "", LAST),
    "flow_tight": ("propagation", "tight", "flow", "text", LAST),
    "recognised": ("identity", "identifiability", "", "", LAST),
    "changed": ("change", "distance", "attention", "all", ALL),
    "plane_rank": ("geometry", "plane_after", "", "", ALL),
    "mixed_heads": ("heads", "heads", "heterogeneous", "family", ALL),
    "stability": ("clusters", "stability", "kmeans", "", ALL),
    "evidence": ("faithfulness", "roc_auc", "rollout", "final", ALL),
}
# Curves that `dvc plots` draws: file -> measure, quantity, what is drawn of it.
CURVES = {
    "mixing": ("mixing", "ratio", chosen("attn_w", "attn_n", "attnresln_n")),
    "propagation": ("propagation", "mixing", chosen("raw", "rollout", "flow", "uniform")),
}


def summary(params: Params) -> None:
    """Write ``results/summary/GROUP``, ``results/metrics.json`` and ``results/plots``.

    ``GROUP/curves.parquet`` has a row for each point of a curve, contrast and reading of rules of
    every experiment (:func:`.engine.summary.summarise_cubes`), with the ``measure``
    and the ``quantity`` that it gave; ``GROUP/shown/EXPERIMENT`` what pages show;
    ``GROUP/focus.parquet`` the values of the text that is shown token by token, means over heads
    and layers included; ``GROUP/quantities.json`` what the measures declare;
    ``GROUP/manifest.json`` their schema; ``groups.json`` the group of every measure. The group
    ``model`` has what is known of texts and training (``facts.json``, ``EXPERIMENT-history.csv``,
    ``EXPERIMENT-reliability.csv``); of which seeds explanations are, ``explained``.
    ``metrics.json`` has at most twelve headlines of each experiment.
    """
    named = {
        case_name(name, stream): Summarised(name, stream)
        for name, experiment in params.experiments.items()
        for stream in streams(experiment)
    }
    focus = params.report.focus.experiment
    all_questions = read_artifact(PARAMETERS / "asked.json", list[Texts])
    group_of = groups()
    for question in all_questions:
        require(question.measure, "measures", group_of)
    tables: dict[str, pd.DataFrame] = {}
    with replacing(SUMMARY) as directory:
        directory.mkdir()
        write_json(directory / GROUP_OF, group_of)
        for group in summarised():
            chosen = {focus: named[focus]} if group == "focus" else named
            (directory / group).mkdir()
            questions = [
                question for question in all_questions if group_of[question.measure] == group
            ]
            tables[group] = _group(params, group, chosen, questions, directory / group)
        (directory / "model").mkdir()
        facts = _model(named, directory / "model")
    headlines = {name: _headlines(tables, facts[name], params, name) for name in named}
    write_json(METRICS, headlines)
    with replacing(PLOTS) as directory:
        directory.mkdir()
        for file, (measure, quantity, subject) in CURVES.items():
            where = {
                "measure": measure,
                "quantity": quantity,
                "subject": subject,
                "facet": ["", "all"],
            }
            rows = _of_all_heads(tables[group_of[measure]], where)
            rows = rows[rows["layer"] >= 0]
            plotted = rows.assign(
                line=rows["experiment"] + " " + rows["variant"] + " " + rows["subject"]
            )
            columns = ["line", "layer", "mean", "low", "high"]
            plotted[columns].to_csv(directory / f"{file}.csv", index=False, float_format="%.6g")


class Summarised(NamedTuple):
    """What is summarised under a name: an experiment, or a stream of one."""

    experiment: str
    stream: str


def _group(
    params: Params,
    group: str,
    cases: Mapping[str, Summarised],
    questions: Sequence[Texts],
    target: Path,
) -> pd.DataFrame:
    frames = []
    for name, case in tqdm(cases.items(), f"summarise {group}", disable=None, leave=False):
        values = _values(case, group)
        of_texts, together, measures = by_text(values), of_all(values), of_group(group)
        asked = readings(questions, of_texts, together, params.bootstrap, saturating(measures))
        summarised = summarise_cubes(of_texts, together, measures, params.bootstrap)
        # A summary without curves has no types, which it would pass on; readings always have.
        curves = [summarised.assign(reading="")] if len(summarised) else []
        frame = pd.concat([*curves, asked], ignore_index=True)
        frame = frame.reindex(columns=[*COLUMNS, "reading"])
        for measured in _measured(case, group)[0]:
            if (measured / "shown").is_dir():
                shown = target / "shown" / name
                shutil.copytree(measured / "shown", shown, dirs_exist_ok=True)
        frame.insert(0, "experiment", name)
        frames.append(frame)
        if name == params.report.focus.experiment:
            _of_focus(values[0], case).to_parquet(target / "focus.parquet", index=False)
    write_json(target / QUANTITIES, declared(group))
    table = pd.concat(frames, ignore_index=True)
    compact = {column: "category" for column in ("experiment", *_NAMES)}
    table.astype(compact).to_parquet(target / "curves.parquet", index=False)
    write_json(target / MANIFEST, {"schema": SCHEMA.version})
    return table


def _measured(case: Summarised, group: str) -> list[list[Path]]:
    """List where the stages of a group of a case lie, of the model of each seed."""
    name = case.experiment
    match group:
        case "explain":
            chosen = explained(name)
        case "focus":
            chosen = seeds(name)[:1]  # the text is read in the first model alone
        case _:
            chosen = seeds(name)
    directories = [
        [artifact(name, stage, seed, case.stream) for stage in GROUPS[group]] for seed in chosen
    ]
    for directory in chain.from_iterable(directories):
        require_measured(directory)
    return directories


def explained(name: str) -> list[str]:
    """Seeds of an experiment whose explanations count: of models that have learned their task.

    All where none has, whose numbers are shown and decide nothing.
    """
    facts = {
        key: value
        for stage in ("corpus", "train")
        for key, value in read_artifact(artifact(name, stage, "facts.json")).items()
    }
    return learned_seeds(facts) or seeds(name)


def _values(case: Summarised, group: str) -> list[pd.DataFrame]:
    """Read what a group of measures gave of the model of each seed."""
    return [
        pd.concat(
            [read_artifact(measured / "values.parquet") for measured in of_seed], ignore_index=True
        )
        for of_seed in _measured(case, group)
    ]


def _of_focus(values: pd.DataFrame, case: Summarised) -> pd.DataFrame:
    """Values of the one text that the group *focus* was measured of."""
    example = _values(case, "focus")[0]["text"].iloc[0]
    cube = by_text([values[values["text"] == example]])
    return cube.keys[KEY].assign(value=cube.values[0, 0] if cube.values.size else [])


_NAMES = ("measure", "variant", "subject", "facet", "quantity", "minus", "reading")


def _model(cases: Mapping[str, Summarised], target: Path) -> dict[str, Any]:
    """Gather what the stages before the measures know of every case."""
    facts: dict[str, Any] = {}
    for key, (name, stream) in cases.items():
        content: dict[str, Any] = {}
        for stage in ("corpus", "train", "capture"):
            content |= read_artifact(artifact(name, stage, "facts.json"))
        of_streams = content.pop("streams", {})
        facts[key] = content | of_streams.get(stream, {})
        facts[key]["explained"] = explained(name) if content["seeds"] else []
        if key != name:  # what is known of training is known of the whole model
            continue
        for kind in ("history", "reliability"):
            paths = {seed: artifact(name, "train", seed, f"{kind}.csv") for seed in seeds(name)}
            tables = [pd.read_csv(p).assign(seed=seed) for seed, p in paths.items() if p.is_file()]
            if tables:
                pd.concat(tables).to_csv(target / f"{name}-{kind}.csv", index=False)
    write_json(target / "facts.json", facts)
    return facts


def _headlines(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], params: Params, name: str
) -> dict[str, Any]:
    """Numbers of the most trained state that are worth comparing between runs."""
    score = facts["evaluate"]
    values: dict[str, Any] = {"texts": facts["capture"]["examples"]}
    group_of = groups()
    if score:
        values["score"] = reached(score)
    for headline, (measure, quantity, subject, facet, layer) in HEADLINES.items():
        where = {"measure": measure, "quantity": quantity, "subject": subject, "facet": facet}
        rows = _of_all_heads(tables[group_of[measure]], {"experiment": name, **where})
        if headline == "stability":
            rows = rows[rows["clusters"] == params.clusters.k]
        rows = rows[rows["layer"] == (rows["layer"].max() if layer == LAST else layer)]
        rows = rows.dropna(subset="mean")
        if len(rows):
            values[headline] = float(rows["mean"].iloc[-1])
    return values


def _of_all_heads(table: pd.DataFrame, where: Wanted) -> pd.DataFrame:
    """Points of curves of all heads together, with one of the values in each column."""
    return choose(table[(table["head"] == 0) & curve_rows(table)], where)


if __name__ == "__main__":
    run(summary)
