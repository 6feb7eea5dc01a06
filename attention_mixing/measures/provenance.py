"""What is behind the numbers of a measure: its code, by a hash, and its parameters."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from attention_mixing.measures.definition import Measure
from attention_mixing.params import Params
from attention_mixing.source_code import ROOT, arithmetic_sha256, imported

METHODS, ATTRIBUTIONS, MEASURES = (
    ROOT / "attention_mixing" / package for package in ("methods", "attributions", "measures")
)
# Modules of measures that take and pass on what others compute.
HANDLING = {
    MEASURES / f"{module}.py"
    for module in ("definition", "runner", "provenance", "one_text", "summary")
}
# What computes with the model itself; all else that a measure imports of captures and models reads,
# and what was read is noted by its own hash.
PASSES = {
    ROOT / "attention_mixing" / f"{module}.py"
    for module in (
        "capture/gradients",
        "capture/reduce",
        "models/token_ablation",
        "models/head_ablation",
        # What runs layers again.
        "capture/network",
        "models/interventions",
        "models/feed_forward",
        "models/passes",
    )
}


def provenance(measure: Measure, params: Params, name: str) -> dict[str, Any]:
    """Note the hash of the code behind a measure, and the parameters that it reads.

    ``code`` is the hash, and ``settings`` are values by parameter; ``name`` is that of the
    experiment.
    """
    settings: dict[str, Any] = {}
    for dotted in measure.parameters:
        value = setting(dotted, params, name)
        settings[dotted] = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return {"code": code(measure), "settings": settings}


def setting(dotted: str, params: Params, name: str) -> Any:
    """Look up a parameter by its dotted name; ``experiment.X`` is one of experiment ``name``."""
    value: Any = params.experiments[name] if dotted.startswith("experiment.") else params
    for key in dotted.removeprefix("experiment.").split("."):
        value = getattr(value, key)
    return value


def code(measure: Measure) -> str:
    """Hash what a measure computes: its function, its module, and the modules that compute for it.

    Messages of errors, types of parameters, models that are read and who works leave it as it is.
    """
    hashes = [measure.work.__qualname__]
    # In an order that does not depend on what the modules are called.
    hashes += sorted(map(_hashed, computing(Path(inspect.getfile(measure.work)))))
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:12]


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
        return path not in HANDLING and path.name != "__init__.py"
    return path in PASSES


_hashed = cache(arithmetic_sha256)  # a process runs one version of a module
