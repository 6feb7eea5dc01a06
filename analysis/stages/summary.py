"""Summarise what was measured of all experiments: all that rules, pages and DVC read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.artifacts import MANIFEST, read_artifact, require_measured
from analysis.measures import GROUPS, declared, measures
from analysis.measures.definition import ALL
from analysis.measures.summary import NAMES, by_text, saturating, summarise
from analysis.params import Params
from analysis.paths import METRICS, PLOTS, REPORT, SUMMARY, artifact
from analysis.rules.contrasts import asked_of_texts, readings
from analysis.rules.rule import read as read_rules
from analysis.schemas import SUMMARY as SCHEMA
from analysis.stage import replacing, run, seeds, write_json

# Headline -> group, measure, of, kind, layer: ALL the mean over layers, LAST the last one.
LAST = -2
HEADLINES = {
    "by_weights": ("vectors", "ratio", "attn_w", "all", ALL),
    "by_vectors": ("vectors", "ratio", "attnresln_n", "all", ALL),
    "rollout": ("vectors", "mixing", "rollout", "", LAST),
    "flow_tight": ("vectors", "tight", "flow", "text", LAST),
    "recognised": ("vectors", "identifiability", "", "", LAST),
    "changed": ("vectors", "distance", "attention", "all", ALL),
    "plane_rank": ("queries-keys", "plane_after", "", "", ALL),
    "mixed_heads": ("heads", "heads", "heterogeneous", "family", ALL),
    "stability": ("heads", "stability", "kmeans", "", ALL),
    "evidence": ("explain", "roc_auc", "rollout", "final", ALL),
}
# Curves that `dvc plots` draws: file -> group, measure, what is drawn of it.
CURVES = {
    "mixing": ("vectors", "ratio", ["attn_w", "attn_n", "attnresln_n"]),
    "propagation": ("vectors", "mixing", ["raw", "rollout", "flow", "uniform"]),
}


def summary(params: Params) -> None:
    """Write ``results/summary/GROUP``, ``results/metrics.json`` and ``results/plots``.

    ``GROUP/curves.parquet`` has a row for each curve and point of every experiment
    (:func:`analysis.measures.summary.summarise`), with what was measured (``quantity``), by which
    ``measure`` and the hash of its ``code``; ``GROUP/shown/EXPERIMENT`` what pages show;
    ``GROUP/focus.parquet`` the values of the text that is shown token by token, means over heads
    and layers included; ``GROUP/manifest.json`` the schema of these files.
    ``rules/readings.parquet`` has what rules compare text by text
    (:mod:`analysis.rules.contrasts`). The group ``model`` has what is known of texts and training
    (``facts.json``, ``EXPERIMENT-history.csv``, ``EXPERIMENT-reliability.csv``).
    ``metrics.json`` has at most twelve headlines of each experiment.
    """
    names = list(params.experiments)
    tables: dict[str, pd.DataFrame] = {}
    with replacing(SUMMARY) as directory:
        for group in GROUPS:
            chosen = [params.report.focus.experiment] if group == "focus" else names
            (directory / group).mkdir(parents=True)
            tables[group] = _group(params, group, chosen, directory / group)
        (directory / "rules").mkdir()
        readings_path = directory / "rules" / "readings.parquet"
        _readings(params).to_parquet(readings_path, compression="zstd", index=False)
        (directory / "model").mkdir()
        facts = _model(names, directory / "model")
    headlines = {name: _headlines(tables, facts[name], params, name) for name in names}
    write_json(METRICS, headlines)
    with replacing(PLOTS) as directory:
        directory.mkdir()
        for file, (group, measure, of) in CURVES.items():
            rows = _chosen(tables[group], quantity=[measure], of=of, kind=["", "all"])
            rows = rows[rows["layer"] >= 0]
            drawn = rows.assign(line=rows["experiment"] + " " + rows["variant"] + " " + rows["of"])
            columns = ["line", "layer", "mean", "low", "high"]
            drawn[columns].to_csv(directory / f"{file}.csv", index=False, float_format="%.6g")


def _group(params: Params, group: str, names: list[str], target: Path) -> pd.DataFrame:
    frames = []
    for name in names:
        values = _values(name, group)
        frame = summarise(values, measures(group), params.bootstrap)
        measured = artifact(name, group, seeds(name)[0])
        noted = read_artifact(measured / MANIFEST)["measures"]
        code = {by: one["code"] for by, one in noted.items()}
        frame.insert(0, "experiment", name)
        frames.append(frame.assign(code=frame["measure"].map(code)))
        if name == params.report.focus.experiment:
            _of_focus(values[0], name).to_parquet(target / "focus.parquet", index=False)
        if (measured / "shown").is_dir():
            shutil.copytree(measured / "shown", target / "shown" / name)
    given = [{"measure": measure, **vars(quantity)} for measure, quantity in declared(group)]
    write_json(target / "quantities.json", given)
    table = pd.concat(frames, ignore_index=True)
    compact = {column: "category" for column in ("experiment", *_NAMES)}
    table.astype(compact).to_parquet(target / "curves.parquet", index=False)
    write_json(target / MANIFEST, {"schema": SCHEMA.version})
    return table


def _values(name: str, group: str) -> list[pd.DataFrame]:
    """Read what a group of measures gave of the model of each seed."""
    measured = [artifact(name, group, seed) for seed in seeds(name)]
    # The text in focus is read in the model of the first seed alone.
    chosen = measured[: 1 if group == "focus" else None]
    for directory in chosen:
        require_measured(directory)
    return [
        read_artifact(directory / "values.parquet").astype(dict.fromkeys(NAMES, str))
        for directory in chosen
    ]


def _of_focus(values: pd.DataFrame, name: str) -> pd.DataFrame:
    """Values of the one text that the group *focus* was measured of."""
    shown = _values(name, "focus")[0]["text"].iloc[0]
    keys, cube = by_text([values[values["text"] == shown]])
    return keys.assign(value=cube[0, 0] if cube.size else [])


def _readings(params: Params) -> pd.DataFrame:
    """Read the quantities that rules ask of texts."""
    asked = asked_of_texts(read_rules(REPORT / "rules.yaml"))
    groups = {one.group for one in asked.values()}
    ranges = saturating(measure for group in sorted(groups) for measure in measures(group))
    frames = []
    for name in params.experiments:
        found = readings(asked, {g: _values(name, g) for g in groups}, params.bootstrap, ranges)
        frames.append(found.assign(experiment=name))
    names = dict.fromkeys(["experiment", "asked", "variant"], "category")
    return pd.concat(frames, ignore_index=True).astype(names)


_NAMES = ("measure", "variant", "of", "kind", "quantity", "minus", "code")


def _model(names: list[str], target: Path) -> dict[str, Any]:
    """Gather what the stages before the measures know of every experiment."""
    facts: dict[str, Any] = {}
    for name in names:
        facts[name] = {}
        for stage in ("corpus", "train", "capture"):
            facts[name] |= read_artifact(artifact(name, stage, "facts.json"))
        for kind in ("history", "reliability"):
            made = {seed: artifact(name, "train", seed, f"{kind}.csv") for seed in seeds(name)}
            tables = [pd.read_csv(p).assign(seed=seed) for seed, p in made.items() if p.is_file()]
            if tables:
                pd.concat(tables).to_csv(target / f"{name}-{kind}.csv", index=False)
    write_json(target / "facts.json", facts)
    return facts


def _headlines(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], params: Params, name: str
) -> dict[str, Any]:
    """Numbers of the most trained state that are worth comparing between runs."""
    score = facts["evaluate"]
    found: dict[str, Any] = {"texts": facts["capture"]["examples"]}
    if score:
        found["score"] = score["accuracy"] if "accuracy" in score else score["f1"] / 100
    for headline, (group, measure, of, kind, layer) in HEADLINES.items():
        rows = _chosen(tables[group], experiment=[name], quantity=[measure], of=[of], kind=[kind])
        if headline == "stability":
            rows = rows[rows["clusters"] == params.clusters.k]
        rows = rows[rows["layer"] == (rows["layer"].max() if layer == LAST else layer)]
        rows = rows.dropna(subset="mean")
        if len(rows):
            found[headline] = float(rows["mean"].iloc[-1])
    return found


def _chosen(table: pd.DataFrame, **where: list[str]) -> pd.DataFrame:
    """Rows of all heads together that are no contrasts, with one of the values in each column."""
    chosen = (table["head"] == 0) & (table["minus"] == "")
    for column, values in where.items():
        chosen &= table[column].isin(values)
    return table[chosen]


if __name__ == "__main__":
    run(summary)
