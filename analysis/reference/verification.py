"""Check that a run reproduces the reference, and that its artifacts are what it wrote."""

from __future__ import annotations

import fnmatch
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from dvc.output import Output

from analysis.parameters import PARAMS_FILE, load
from analysis.parameters.derived import cases
from analysis.parameters.file import read_mapping
from analysis.paths import (
    ENCODERS,
    INPUTS,
    LOCK,
    QUICK,
    REFERENCE,
    SINKS,
    SUMMARY,
    WITHOUT_LOCK,
    reference_runs,
)
from analysis.pipeline.graph import stages
from analysis.pipeline.packages import installed
from analysis.pipeline.sink_effects import ReadWeights
from analysis.reference.keeping import summary, verdicts
from analysis.results.record import flat, packages
from analysis.runs.comparison import ABSENT, compare, names
from analysis.runs.kept import require_kept, stale
from attention_mixing.artifacts import read_artifact
from attention_mixing.errors import InputError, require
from attention_mixing.settings.sources import UntrainedModel

# Of an experiment, the numbers that come of its fine-tuned model, and of a model at all. Maps of
# both models are clustered together.
OF_FINE_TUNED = ("{}/evaluate.*", "{}/*.finetuned.*", "{}/*.both.*", "{}/clusters.*")
OF_MODELS = ("{}/capture.*", "{}/*.pretrained.*", *OF_FINE_TUNED)
# Parameters that say how a run is made, and how it is shown, not what is measured.
NO_RESULTS = ("device", "workers", "files", "files.*", "report.renderer", "schema")
# Of the experiment on sinks, what is between 0 and 1.
BOUNDED = ("dependence", "total_dependence", "right", "sinks")
SHOWN = 40  # misses that are printed


def verify(run: str = QUICK) -> bool:
    """Print numbers and verdicts against a reference run, then check every artifact's hash.

    Returns
    -------
    bool
        True if every number is within its tolerance and every hash is right. Two differences are
        printed and no miss, for they come with another processor: numbers of a model that was
        trained to other weights than the reference's, and a verdict whose interval crosses its
        bound. Parameters, data and packages that are others than the reference's are named.

    Raises
    ------
    InputError
        If there is no such reference, or no finished run.
    """
    require(run, "reference runs", reference_runs())
    reference = REFERENCE / run
    require_kept(reference)
    outs = outputs()
    outcomes = verdicts()
    if other := _other_parameters(reference):
        sys.stdout.write(
            f"params.yaml has other values than {reference}/params.yaml of {', '.join(other)}: "
            "numbers will differ.\n"
        )
    data = _other_data(reference)
    if data:
        sys.stdout.write(f"The files of {', '.join(data)} are others than the reference's.\n")
    for sentence in _other_packages(reference):
        sys.stdout.write(f"{sentence}\n")
    before, now = read_artifact(reference / "summary.parquet"), summary()
    of_sinks = named_sinks(SINKS)
    known = named_sinks(reference / SINKS.name)
    numbers = compare(
        # A run with fewer corpora or seeds is compared in those.
        named(before, reference / "facts.json") | {name: known.get(name) for name in of_sinks},
        named(now, SUMMARY / "model" / "facts.json") | of_sinks,
    )
    retrained = _of_any(numbers["number"], _other_weights(reference, data))
    missed = numbers[~numbers["ok"] & ~retrained]
    with pd.option_context("display.width", 160, "display.max_colwidth", 100):
        sys.stdout.write(_by_measure(numbers).to_string(index=False) + "\n")
        if len(missed):
            sys.stdout.write("\n" + missed.head(SHOWN).to_string(index=False) + "\n")
    if other := stale(run):
        sys.stdout.write(
            f"\nToday's code computes {', '.join(other)} otherwise than that of the reference.\n"
        )
    counted = len(numbers) - retrained.sum()
    sys.stdout.write(f"\n{counted - len(missed)} of {counted} numbers within tolerance\n")
    if retrained.any():
        sys.stdout.write(
            f"{numbers['ok'][retrained].sum()} of {retrained.sum()} of models trained to other "
            "weights than the reference's, as on another processor: no miss\n"
        )

    expected = read_artifact(reference / "verdicts.json")
    claims = expected | outcomes
    differ = [claim for claim in claims if outcomes.get(claim) != expected.get(claim)]
    sys.stdout.write(f"{len(claims) - len(differ)} of {len(claims)} verdicts as in the reference\n")
    for claim in differ:
        present, then = (verdicts.get(claim, ABSENT) for verdicts in (outcomes, expected))
        sys.stdout.write(f"  {claim}: {present}, in the reference {then}\n")

    bad = [str(out) for out in outs if not _as_locked(out)]
    sys.stdout.write(
        f"{len(outs)} outputs of dvc.lock recomputed, {len(bad)} wrong\n"
        + "".join(f"  {path}: missing, or not as dvc.lock has it\n" for path in bad)
    )
    return missed.empty and not bad


def outputs() -> list[Output]:
    """List what the stages write; the lock of DVC keeps also what those wrote that are gone.

    Raises
    ------
    InputError
        If the lock is missing, or the pipeline damaged.
    """
    if not LOCK.is_file():
        raise InputError(
            f"{LOCK}, where DVC notes what a run made, is missing; run `make repro`, and verify "
            "again."
        )
    read_mapping(LOCK, WITHOUT_LOCK)
    return [out for stage in stages() for out in stage.outs]


def _other_parameters(reference: Path) -> list[str]:
    """Name the parameters that have other values; files written for another schema are read too."""
    ours, theirs = (
        dict(flat(read_mapping(path))) for path in (PARAMS_FILE, reference / "params.yaml")
    )
    differ = [key for key in ours | theirs if ours.get(key, ABSENT) != theirs.get(key, ABSENT)]
    return [
        key
        for key in differ
        if not any(fnmatch.fnmatchcase(key, pattern) for pattern in NO_RESULTS)
    ]


def _other_packages(reference: Path) -> Iterator[str]:
    """Say which packages are others than those that made the results, and than the reference's."""
    made_with = packages()
    present = {package: installed(package) or ABSENT for package in made_with}
    if differ := _differences(made_with, present):
        yield f"Packages are others than those of the results: {differ}; `make repro` uses them."
    if differ := _differences(read_artifact(reference / "run.json")["versions"], made_with):
        yield f"The results are of other packages than the reference's: {differ}."


def _differences(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Name the packages that both have in another version; a kept run may have noted others."""
    return ", ".join(
        f"{package} {before[package]} -> {now[package]}"
        for package in sorted(before.keys() & now.keys())
        if before[package] != now[package]
    )


def _other_data(reference: Path) -> list[str]:
    """Name the inputs, data and models, whose files are others."""
    recorded = read_artifact(reference / "run.json")["data"]
    present = {path.stem: read_artifact(path)["content"] for path in INPUTS.glob("*.json")}
    return [name for name in recorded if name in present and present[name] != recorded[name]]


def _other_weights(reference: Path, data: list[str]) -> list[str]:
    """Patterns of the numbers that come of a model with other weights than the reference's.

    An experiment may start from an encoder that was trained in the run, which ``data`` then names,
    or from nothing: then training makes what is called its pretrained model.
    """
    chosen = load()
    experiments = chosen.experiments | cases(chosen.experiments)
    trained = {name for name in data if Path(chosen.files.get(name, "")).parent == ENCODERS}
    before, after = (read_artifact(path / "facts.json") for path in (reference, SUMMARY / "model"))
    patterns = []
    for name in before.keys() & after.keys():
        model = experiments[name].model if name in experiments else None
        if getattr(model, "name", None) in trained:
            patterns += [pattern.format(name) for pattern in OF_MODELS]
        elif _weights(before[name]) != _weights(after[name]):
            from_nothing = isinstance(model, UntrainedModel)
            of = OF_MODELS if from_nothing else OF_FINE_TUNED
            patterns += [pattern.format(name) for pattern in of]
    return patterns


def _weights(facts: dict[str, Any]) -> dict[str, Any]:
    """Hashes of the models that were trained, by seed."""
    return {seed: of_seed["sha256"] for seed, of_seed in facts["seeds"].items()}


def _of_any(names: pd.Series, patterns: list[str]) -> pd.Series:
    return names.map(lambda name: any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))


def named(summary: pd.DataFrame, facts: Path) -> dict[str, Any]:
    """Numbers by their names, from a summary and the facts of the models.

    Names are ``EXPERIMENT/FACT`` and those of :func:`analysis.runs.comparison.names`.
    """
    numbers: dict[str, Any] = {}
    for experiment, of_experiment in read_artifact(facts).items():
        chosen = {key: of_experiment[key] for key in ("corpus", "evaluate", "capture")}
        (leaves,) = pd.json_normalize(chosen).to_dict("records")
        numbers |= {f"{experiment}/{key}": value for key, value in leaves.items()}
    means = summary[summary["reading"] == ""]
    numbers |= dict(zip(names(means), means["mean"].tolist(), strict=True))
    return numbers


def named_sinks(directory: Path) -> dict[str, Any]:
    """Means of each seed of the experiment on sinks, of quantities between 0 and 1, by their names.

    These are ``CORPUS/arms.SEED.WEIGHTS.RATE.WHAT.KEYS.SHARES.BIAS.QUANTITY.LAYER``; none where
    there was no such experiment.
    """
    if not (path := directory / "levels.parquet").is_file():
        return {}
    levels = read_artifact(path)
    levels = levels[levels["seed"].notna() & levels["quantity"].isin(BOUNDED)]
    fields = ["seed", *ReadWeights._fields, "quantity", "layer"]
    names = levels[fields].astype(str).agg(".".join, axis=1)
    named = levels["corpus"].astype(str) + "/arms." + names
    return dict(zip(named, levels["mean"].tolist(), strict=True))


def _by_measure(numbers: pd.DataFrame) -> pd.DataFrame:
    """Count the numbers of each measure of an experiment, and those within tolerance."""
    measure = numbers["number"].str.extract(r"^([^/]+/[^.]+)")[0].rename("measure")
    counted = numbers.groupby(measure, sort=False)["ok"].agg(["size", "sum"]).reset_index()
    return counted.set_axis(["measure", "numbers", "within tolerance"], axis=1)


def _as_locked(out: Output) -> bool:
    """Tell whether an output is there, and has the hash in the lock."""
    digest = dvc_md5(Path(out.fs_path))
    return digest is not None and digest == out.hash_info.value


def dvc_md5(path: Path) -> str | None:
    """Hash a file or directory as DVC does, reading all of it; None if it is missing."""
    from dvc_data.hashfile.build import build
    from dvc_data.hashfile.db import HashFileDB
    from dvc_objects.fs.local import LocalFileSystem

    if not path.exists():
        return None
    files = LocalFileSystem()
    store = HashFileDB(files, tempfile.gettempdir())  # a dry run writes nothing
    _, _, entry = build(store, str(path), files, "md5", dry_run=True)
    return str(entry.hash_info.value)
