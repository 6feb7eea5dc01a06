"""Reference runs: what is kept of a run in ``reference/RUN``, to show and to compare with.

=======================  =======================================================================
``summary.parquet``      means with their intervals, of all heads together, and of single heads
                         where a rule asks for them, and what rules ask of texts
``fingerprint.parquet``  what the measures of that time give of models that never change
``facts.json``           what is known of texts, training and scores
``verdicts.json``        what became of the claims
``params.yaml``          the parameters
``run.json``             schema, commit, time, hardware, versions, hashes of the data, encoders
``circuits/``            of ``quick`` alone: the results on circuits, for runs with
                         ``circuits.kept``
``sinks/``               of runs with a corpus of ``sinks``: what its arms came to, without what is
                         known of each text that is only scored
=======================  =======================================================================

No text is kept, and no vector.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.parameters import PARAMS_FILE, load
from analysis.paths import (
    CIRCUITS,
    ENCODERS,
    FINGERPRINT,
    INPUTS,
    KEPT_CIRCUITS,
    KEPT_CIRCUITS_NOTE,
    KEPT_NOTE,
    QUICK,
    REFERENCE,
    REPORT,
    RULES,
    RUNS,
    SINKS,
    SUMMARY,
)
from analysis.pipeline import times
from analysis.pipeline.graph import stages
from analysis.pipeline.sink_effects import SCORED
from analysis.pipeline.stage import replacing, write_json
from analysis.rules.rule import read as read_rules
from analysis.rules.selection import choose, curve_rows
from analysis.rules.summary import require_summary
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import InputError
from attention_mixing.measures import summarised
from attention_mixing.schemas import KEPT

NAMES = ["experiment", "group", "measure", "variant", "subject", "facet", "quantity", "minus"]
NAMES += ["reading"]
NUMBERS = ["mean", "low", "high"]
OUTCOMES = "outcomes.parquet"
COUNTS = ["clusters", "layer", "head", "texts", "seeds"]


def keep(run: str) -> None:
    """Keep the present run as ``reference/RUN``, in the place of one of this name.

    Raises
    ------
    InputError
        If there is no finished run, or none that was made here.
    """
    from analysis.results.record import head, packages

    outcomes = verdicts()
    all_facts = read_artifact(SUMMARY / "model" / "facts.json")
    params = load()
    # Of the present parameters: what former ones left stays until it is cleaned.
    noted = times.notes(stage.addressing for stage in stages())
    notes = [*noted.values()]
    if not notes:
        raise InputError(
            f"{RUNS} has no note of time and machine, for all stages came from a cache; run "
            "`dvc repro --force` and keep that run."
        )
    commit, edited = head(str(PARAMS_FILE))  # which is kept itself
    kept_note = {
        "schema": KEPT.version,
        "commit": commit,
        "edited": edited,
        "date": min(note["started"] for note in notes),
        "minutes": round(sum(note["seconds"] for note in notes) / 60),
        "seconds": times.seconds(noted),
        "hardware": sorted({note.get("gpu") or f"{note['cpu_count']} CPUs" for note in notes}),
        "versions": packages(),
        "encoders": {n: read_artifact(ENCODERS / n / "training.json") for n in params.encoders},
        "data": {n: read_artifact(INPUTS / f"{n}.json")["content"] for n in params.files},
    }
    with replacing(REFERENCE / run) as directory:
        directory.mkdir()
        summary().to_parquet(directory / "summary.parquet", compression="zstd", index=False)
        # Samples are texts.
        facts = {name: {**known, "samples": []} for name, known in all_facts.items()}
        write_json(directory / KEPT_NOTE, kept_note)
        for name, content in {"facts": facts, "verdicts": outcomes}.items():
            write_json(directory / f"{name}.json", content)
        shutil.copyfile(PARAMS_FILE, directory / "params.yaml")
        shutil.copyfile(FINGERPRINT, directory / FINGERPRINT.name)
        if run == QUICK and CIRCUITS.is_dir():  # which runs of other parameters may show
            kept_circuits = directory / KEPT_CIRCUITS.name
            shutil.copytree(CIRCUITS, kept_circuits)
            if not (kept_circuits / KEPT_CIRCUITS_NOTE).is_file():  # made by this very run
                made = {name: kept_note[name] for name in ("commit", "date")}
                write_json(kept_circuits / KEPT_CIRCUITS_NOTE, made)
        if params.sinks is not None and params.sinks.corpora:
            keep_sinks(directory)


def keep_sinks(directory: Path) -> None:
    """Copy the results of the experiment on sinks, numbers of texts in single precision."""
    kept_sinks = directory / SINKS.name
    shutil.copytree(SINKS, kept_sinks)
    # Of each text that is only scored there is too much; its means are among the levels.
    outcomes = read_artifact(SINKS / OUTCOMES)
    measured = outcomes[~outcomes["quantity"].isin(SCORED)]
    narrow = measured.astype({"value": np.float32})
    narrow.to_parquet(kept_sinks / OUTCOMES, compression="zstd", index=False)


def summary() -> pd.DataFrame:
    """Read of the summary of the present run what is kept: curves in single precision."""
    rules = read_rules(REPORT / "rules.yaml")
    quantities = [quantity for rule in rules for quantity in rule.quantities]
    of_heads = [asked.heads for asked in quantities if asked.heads is not None]
    tables = []
    for group in summarised():
        require_summary(SUMMARY / group)
        table = read_artifact(SUMMARY / group / "curves.parquet").assign(group=group)
        table = table.astype(dict.fromkeys(NAMES, str))
        # Of heads, what is of no text has no mean over heads either.
        tables.append(table[(table["head"] == 0) | (table["texts"] == 0)])
        single = table[(table["head"] > 0) & curve_rows(table)]
        tables += [choose(single, heads.columns) for heads in of_heads]
    whole = pd.concat(tables)[[*NAMES, *COUNTS, *NUMBERS]].drop_duplicates([*NAMES, *COUNTS])
    # Their digits are most of the file; what is judged keeps all of them.
    curves = (whole["reading"] == "").to_numpy()
    whole.loc[curves, NUMBERS] = whole.loc[curves, NUMBERS].astype(np.float32)
    return whole.astype(dict.fromkeys(NAMES, "category")).reset_index(drop=True)


def verdicts() -> dict[str, str]:
    """Tell what became of every claim, by its id.

    Raises
    ------
    InputError
        If no rules were applied yet.
    """
    record = read_artifact(RULES / "claims.json", list[dict[str, Any]])
    return {claim["id"]: claim["outcome"] for claim in record}
