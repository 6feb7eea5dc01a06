"""What is behind the numbers of a measure: the hash of its code."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from pathlib import Path

from analysis.paths import ROOT
from analysis.pipeline.source_code import arithmetic_sha256, imported
from attention_mixing.measures import STAGES, measures
from attention_mixing.measures.engine.definition import Measure

METHODS, ATTRIBUTIONS, MEASURES = (
    ROOT / "attention_mixing" / package for package in ("methods", "attributions", "measures")
)
# What computes with the model itself; all else that a measure imports of captures and models reads,
# and what was read is noted by its own hash.
ASKING_THE_MODEL = {
    ROOT / "attention_mixing" / f"{module}.py"
    for module in (
        "capture/attn_lrp",
        "capture/gradients",
        "models/relevance_rules",
        "capture/reduce",
        "models/token_ablation",
        "models/head_ablation",
        "models/clamping",
        "models/key_sets",
        "models/dependence",
        "models/replacements",
        # What runs layers again.
        "capture/network",
        "models/interventions",
        "models/feed_forward",
        "models/passes",
    )
}


def code(measure: Measure) -> str:
    """Hash what a measure computes: its function, its module, and the modules that compute for it.

    Messages of errors, types of parameters, models that are read and who works leave it as it is.
    """
    hashes = [measure.work.__qualname__]
    modules = (Path(inspect.getfile(one.work)) for one in (measure, *_read_by(measure)))
    files = set().union(*map(computing, modules))
    # In an order that does not depend on what the modules are called.
    hashes += sorted(map(_hashed, files))
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:12]


def _read_by(measure: Measure) -> list[Measure]:
    """List the measures whose results it is given, and those that these are given."""
    found: dict[str, Measure] = {}
    for stage in STAGES if measure.after else ():
        found |= {one.name: one for one in measures(stage) if one.name in measure.after}
        if len(found) == len(measure.after):
            break
    return [*found.values(), *(more for one in found.values() for more in _read_by(one))]


def computing(module: Path) -> set[Path]:
    """Files that compute what a module of measures gives, itself included."""
    reached: set[Path] = set()
    waiting = {module}
    while waiting:
        path = waiting.pop()
        reached.add(path)
        waiting |= {file for file in imported(path) if _computes(file)} - reached
    return reached


def _computes(path: Path) -> bool:
    if path.parent in (METHODS, ATTRIBUTIONS, MEASURES):
        return path.name != "__init__.py"
    return path in ASKING_THE_MODEL


_hashed = cache(arithmetic_sha256)  # a process runs one version of a module
