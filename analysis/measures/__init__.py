"""Measures, in groups of which each is a stage, and who runs them.

A new measure is a function in the module of its subject and one line in that module's ``MEASURES``.
:func:`measure` takes measures of one text.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from analysis.measures.definition import Measure

# Group -> its subjects, one module each, in the order in which they are measured.
GROUPS: dict[str, tuple[str, ...]] = {
    "vectors": ("mixing", "propagation", "identity", "projection", "change"),
    "queries-keys": ("geometry", "joint_maps"),
    "heads": ("heads", "clusters"),
    "explain": ("relevance", "faithfulness", "head_ablation"),
    "focus": ("focus", "sentence"),
}


def needed(name: str) -> tuple[str, list[Measure]]:
    """Group of a measure, and the measures of the group that it needs, itself the last.

    Raises
    ------
    KeyError
        If there is no such measure.
    """
    for group in GROUPS:
        known = {measure.name: measure for measure in measures(group)}
        if name in known:
            wanted = {name}
            for measure in reversed(list(known.values())):  # each comes after those that it reads
                if measure.name in wanted:
                    wanted.update(measure.after)
            return group, [known[one] for one in known if one in wanted]
    raise KeyError(name)


def measures(group: str) -> list[Measure]:
    """Measures of a group, those first whose results others read."""
    modules = (import_module(f"{__name__}.{subject}") for subject in GROUPS[group])
    return [measure for module in modules for measure in module.MEASURES]


def __getattr__(name: str) -> Any:
    # It captures texts itself, so it needs torch, which takes seconds to start.
    if name == "measure":
        return import_module(f"{__name__}.of_text").measure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
