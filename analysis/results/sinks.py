"""Results of the experiment on sinks, of this run and of reference runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.paths import REFERENCE, REPORT, SINKS, reference_runs, result
from analysis.results.summary import curves, last, overall
from analysis.rules.sinks import READINGS, ArmReading, SinkRule, read_rule
from analysis.runs.kept import other_runs
from attention_mixing.artifacts import read_artifact

FIELDS = [*ArmReading._fields]
FOLLOWED = ("rise", "removed")  # what is also told of shares that follow what is replaced


@dataclass(frozen=True)
class SinkResult:
    """What came of the experiment in one corpus.

    Attributes
    ----------
    run
        The reference run that it is of; None for this one.
    corpus
        Its name.
    record
        Its part of ``outcome.json``.
    levels, effects, rises
        Its rows of the tables of these names (:mod:`analysis.stages.sinks`).
    """

    run: str | None
    corpus: str
    record: Mapping[str, Any]
    levels: pd.DataFrame
    effects: pd.DataFrame
    rises: pd.DataFrame

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return int(self.rises["seed"].nunique())

    def of_readings(self) -> pd.DataFrame:
        """Choose the effects of :data:`analysis.rules.sinks.READINGS`, by the names there.

        At the main learning rate. Beside them ``following_rise`` and ``following_removed``, with
        shares that follow what is replaced; not a number where none do.
        """
        rows = self._at_main(self.effects).set_index(FIELDS)
        read = {name: reading for name, reading in READINGS.items() if reading in rows.index}
        table = rows.loc[[*read.values()]].set_axis(pd.Index([*read], name="reading"))
        following = rows.reindex([one._replace(what="following") for one in read.values()])
        for part in FOLLOWED:
            table[f"following_{part}"] = following[part].to_numpy()
        return table

    def of_seeds(self, name: str) -> Sequence[float]:
        """Return the rises of each seed of one of :data:`analysis.rules.sinks.READINGS`."""
        rows = self._at_main(self.rises)
        return rows[_are(rows, READINGS[name])]["rise"].tolist()

    def level(self, name: str, quantity: str) -> float:
        """Return the mean of a quantity, behind the last layer if it has any.

        ``name`` is of :data:`analysis.rules.sinks.READINGS`, or ``pretrained``: the weights before
        fine-tuning, as they are.
        """
        reading = ArmReading("pretrained") if name == "pretrained" else READINGS[name]
        rows = self._at_main(self.levels[self.levels["seed"].isna()])
        rows = rows[_are(rows, reading) & (rows["quantity"] == quantity)]
        return float(rows[rows["layer"] == rows["layer"].max()]["mean"].iloc[0])

    def _at_main(self, table: pd.DataFrame) -> pd.DataFrame:
        rates = table["learning_rate"].isin([0, self.record["learning_rate"]])
        return table[rates & (table["bias"] == 0)]


def _are(table: pd.DataFrame, reading: ArmReading) -> pd.Series:
    same: pd.Series = (table[FIELDS] == list(reading)).all(axis=1)
    return same


def sink_results() -> list[SinkResult]:
    """Read what came of every corpus, those of this run first."""
    directories: dict[str | None, Path] = {None: result(SINKS.name)}
    directories |= {run: REFERENCE / run / SINKS.name for run in reference_runs()}
    return [one for run, directory in directories.items() for one in _read(run, directory)]


def _read(run: str | None, directory: Path) -> list[SinkResult]:
    if not (record := directory / "outcome.json").is_file():
        return []
    outcomes = read_artifact(record)
    tables = []
    if outcomes:
        names = dict.fromkeys(FIELDS, str)  # and no categories, which are compared with none other
        tables = [
            read_artifact(directory / f"{table}.parquet").astype(names)
            for table in ("levels", "effects", "rises")
        ]
    return [
        SinkResult(run, corpus, of_corpus, *(one[one["corpus"] == corpus] for one in tables))
        for corpus, of_corpus in outcomes.items()
    ]


def changes_by_training() -> pd.DataFrame:
    """Read by how much fine-tuning changes mixing and sinks, of this run and the reference runs.

    Returns
    -------
    DataFrame
        By ``run`` (empty of this one) and ``experiment``: ``mixing``, the share from other tokens
        behind the last layer by ALTI, and ``sink``, the mean weight of the strongest key of a head;
        after fine-tuning, less before.
    """
    keys = ["experiment", "variant"]
    tables = []
    for run in ("", *other_runs()):
        mixed = last(curves("mixing", quantity="mixing", subject="alti_rollout", run=run))
        strongest = overall("sinks", quantity="sink", facet="any", run=run)
        both = pd.DataFrame(
            {
                "mixing": mixed.set_index(keys)["mean"],
                "sink": strongest.set_index(keys)["mean"],
            }
        ).unstack("variant")
        if ("mixing", "finetuned") not in both or ("mixing", "pretrained") not in both:
            continue
        changed = both.xs("finetuned", axis=1, level=1) - both.xs("pretrained", axis=1, level=1)
        tables.append(changed.dropna().assign(run=run).set_index("run", append=True))
    return pd.concat(tables) if tables else pd.DataFrame({"mixing": [], "sink": []})


def sink_rule() -> SinkRule:
    """Read the rule and the predictions that were written before."""
    return read_rule(REPORT / "sinks.yaml")
