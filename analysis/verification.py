"""Check that a run reproduces the reference, and that its artifacts are what it wrote."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from analysis import params
from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.paths import RESULTS, ledger
from analysis.stage import replacing, write_json

REFERENCE = Path("reference")
LOCK = Path("dvc.lock")
ABSENT = "absent"


def verify() -> bool:
    """Print metrics and verdicts against the reference, then check every artifact's hash.

    Returns
    -------
    bool
        True if every metric is within its tolerance and every hash is right. A verdict that differs
        is printed and no miss: on another processor an interval may cross its bound while every
        metric is within its tolerance.

    Raises
    ------
    InputError
        If there is no finished run.
    """
    if not LOCK.is_file():
        raise InputError("dvc.lock was not found; run `make repro` first.")
    found = verdicts()
    current = params.load().model_dump(mode="json")
    kept = params.load(REFERENCE / "params.yaml").model_dump(mode="json")
    if current["experiments"] != kept["experiments"]:
        sys.stdout.write(
            "params.yaml holds other experiments than reference/params.yaml: metrics will differ.\n"
        )
    metrics = compare(flat_metrics(REFERENCE / "metrics"), flat_metrics(RESULTS, "*/metrics"))
    missed = metrics[~metrics["ok"]]
    with pd.option_context("display.width", 160, "display.max_colwidth", 80):
        sys.stdout.write(metrics.to_string(index=False) + "\n")
    sys.stdout.write(f"\n{len(metrics) - len(missed)} of {len(metrics)} metrics within tolerance\n")

    expected = json.loads((REFERENCE / "verdicts.json").read_text(encoding="utf-8"))
    changed, claims = changed_verdicts(expected, found), len(expected | found)
    sys.stdout.write(
        f"{claims - len(changed)} of {claims} verdicts as in the reference\n"
        + "".join(f"  {line}\n" for line in changed)
    )

    bad = []
    checked = 0
    for path, md5 in locked_outputs():
        checked += 1
        if dvc_md5(path) != md5:
            bad.append(f"{path}: does not have the hash in dvc.lock")
    listed = Path("report/en/files/provenance/artifacts.csv")
    sha256 = pd.read_csv(listed) if listed.is_file() else pd.DataFrame()
    for row in sha256.itertuples():
        path = Path(str(row.file))
        if not path.is_file() or file_sha256(path) != row.sha256:
            bad.append(f"{path}: does not have the sha256 on the provenance page")
    sys.stdout.write(
        f"{checked} outputs of dvc.lock and {len(sha256)} files by sha256 recomputed, "
        f"{len(bad)} wrong\n" + "".join(f"  {line}\n" for line in bad)
    )
    return missed.empty and not bad


def keep_reference() -> None:
    """Copy the present metrics, verdicts and parameters to ``reference/``.

    Raises
    ------
    InputError
        If there is no finished run.
    """
    found = verdicts()
    with replacing(REFERENCE / "metrics") as metrics:
        for name in params.load().experiments:
            shutil.copytree(RESULTS / name / "metrics", metrics / name)
    write_json(REFERENCE / "verdicts.json", found)
    shutil.copyfile(params.PARAMS_FILE, REFERENCE / "params.yaml")


def verdicts() -> dict[str, str]:
    """Verdict of every claim of the ledger, by its id.

    Raises
    ------
    InputError
        If there is no ledger.
    """
    path = ledger()
    if not path.is_file():
        raise InputError(f"{path} was not found; run `make repro` first.")
    record = json.loads(path.read_text(encoding="utf-8"))
    return {claim["id"]: claim["verdict"] for claim in record["claims"]}


def changed_verdicts(reference: dict[str, str], found: dict[str, str]) -> list[str]:
    """One line for each claim whose verdict is not that of the reference; new and gone ones too."""
    return [
        f"{claim}: {found.get(claim, ABSENT)}, in the reference {reference.get(claim, ABSENT)}"
        for claim in reference | found
        if found.get(claim) != reference.get(claim)
    ]


def flat_metrics(root: Path, pattern: str = "*") -> dict[str, Any]:
    """Read every metric as ``experiment/stage.key.key -> value``."""
    flat: dict[str, Any] = {}
    for directory in sorted(p for p in root.glob(pattern) if p.is_dir()):
        experiment = directory.parent.name if directory.name == "metrics" else directory.name
        for path in sorted(directory.glob("*.json")):
            content = json.loads(path.read_text(encoding="utf-8"))
            flat |= {f"{experiment}/{path.stem}.{key}": v for key, v in _leaves(content)}
    return flat


def _leaves(content: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def compare(reference: dict[str, Any], found: dict[str, Any]) -> pd.DataFrame:
    """One row a metric of either: ``metric``, ``reference``, ``found``, ``tolerance``, ``ok``.

    The tolerance is that of the first pattern in ``reference/tolerances.yaml`` that fits; a metric
    that no pattern fits must be equal. One that the other side lacks is ``absent`` there, a miss.
    """
    text = (REFERENCE / "tolerances.yaml").read_text(encoding="utf-8")
    tolerances: dict[str, float] = yaml.safe_load(text)
    rows = []
    for name in reference | found:
        tolerance = next((t for p, t in tolerances.items() if fnmatch.fnmatch(name, p)), 0)
        expected, value = (metrics.get(name, ABSENT) for metrics in (reference, found))
        numbers = all(isinstance(x, int | float) for x in (value, expected))
        ok = abs(value - expected) <= tolerance if numbers else value == expected  # type: ignore[operator]
        rows.append((name, expected, value, tolerance, ok))
    return pd.DataFrame(rows, columns=["metric", "reference", "found", "tolerance", "ok"])


def locked_outputs() -> Iterator[tuple[Path, str]]:
    """Every output in ``dvc.lock`` with its md5."""
    lock = yaml.safe_load(LOCK.read_text(encoding="utf-8"))
    for stage in lock["stages"].values():
        for out in stage.get("outs", []):
            yield Path(out["path"]), out["md5"]


def dvc_md5(path: Path) -> str | None:
    """Hash a file or directory as DVC does; None if it is missing.

    A directory's hash is the md5 of the sorted list of its files and their md5s, as JSON.
    """
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "md5").hexdigest()
    if not path.is_dir():
        return None
    files = sorted((p.relative_to(path).as_posix(), p) for p in path.rglob("*") if p.is_file())
    listing = [{"md5": dvc_md5(p), "relpath": relative} for relative, p in files]
    return hashlib.md5(json.dumps(listing, sort_keys=True).encode()).hexdigest() + ".dir"
