"""What the arms of the experiment on sinks come to, and the outcome by the rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.parameters import Params
from analysis.paths import ARMS, REPORT, SINKS
from analysis.pipeline.packages import made_with
from analysis.pipeline.sink_effects import TABLES, effects, levels, rises_by_seed
from analysis.pipeline.stage import replacing, run, write_json
from analysis.rules.sinks import answers, outcome, read_rule
from attention_mixing.artifacts import read_artifact


def sinks(params: Params) -> None:
    """Write ``results/sinks``: tables of all corpora and seeds, none where there are none.

    ``outcomes.parquet``, ``heads.parquet``, ``keys.parquet``, ``path.parquet``
        As the stage *arms* writes them, with ``corpus`` and ``seed``.
    ``levels.parquet``
        Means of ``outcomes`` with intervals (:func:`analysis.pipeline.sink_effects.levels`).
    ``effects.parquet``
        What arms add and remove (:func:`analysis.pipeline.sink_effects.effects`).
    ``rises.parquet``
        What they add, of each seed (:func:`analysis.pipeline.sink_effects.rises_by_seed`).
    ``outcome.json``
        By corpus the ``outcome``, what became of each of the ``predictions``, the share of heads
        that count as sinks in each arm, and the ``learning_rate`` that these are of.
    """
    settings, bootstrap = params.sinks, params.bootstrap
    assert settings is not None  # a run has them, if it is none of those that were kept before
    rule = read_rule(REPORT / "sinks.yaml")
    record: dict[str, Any] = {}
    tables: dict[str, list[pd.DataFrame]] = {}
    for name, corpus in settings.corpora.items():
        found = {table: _joined(name, settings.seeds, table) for table in TABLES}
        outcomes, rate = found["outcomes"], corpus.train.learning_rate
        found["levels"] = levels(outcomes, bootstrap)
        found["rises"] = rises_by_seed(outcomes)
        found["effects"] = effects(outcomes, bootstrap, main_rate=rate, asked=rule.margins.asked)
        at_main = found["effects"][found["effects"]["learning_rate"].isin([0, rate])]
        record[name] = {
            "outcome": outcome(at_main, rule.margins),
            "predictions": dict(answers(found["effects"], rule, rate)),
            "sink_heads": _sink_heads(found["heads"], rate, rule.margins.sink),
            "learning_rate": rate,
        }
        for table, content in found.items():
            tables.setdefault(table, []).append(content.assign(corpus=name))
    with replacing(SINKS) as directory:
        directory.mkdir()
        for table, parts in tables.items():
            whole = pd.concat(parts, ignore_index=True)
            words = [column for column in whole if whole[column].dtype in ("object", "str")]
            narrow = whole.astype(dict.fromkeys(words, "category"))
            narrow.to_parquet(directory / f"{table}.parquet", index=False, compression="zstd")
        write_json(directory / "outcome.json", record)
        write_json(directory / "packages.json", made_with(Path(__file__)))


def _joined(name: str, seeds: tuple[int, ...], table: str) -> pd.DataFrame:
    parts = [
        read_artifact(ARMS / name / str(seed) / f"{table}.parquet").assign(seed=seed)
        for seed in seeds
    ]
    whole = pd.concat(parts, ignore_index=True)
    words = whole.select_dtypes("category").columns
    return whole.astype(dict.fromkeys(words, str))


def _sink_heads(heads: pd.DataFrame, rate: float, least: float) -> dict[str, float]:
    """Count heads that are sinks, as a share of all, in the weights of each arm."""
    main = heads[heads["learning_rate"].isin([0, rate])]
    shares = (main["value"] > least).groupby(main["weights"], sort=False).mean()
    return {str(name): float(share) for name, share in shares.items()}


if __name__ == "__main__":
    run(sinks)
