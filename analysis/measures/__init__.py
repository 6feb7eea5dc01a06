"""Measures, in groups of which each is a stage, and who runs them.

A new measure is a function in the module of its subject and one line in that module's ``MEASURES``.
"""

from __future__ import annotations

from importlib import import_module

from analysis.measures.measure import Measure

# Group -> its subjects, one module each, in the order in which they are measured.
GROUPS: dict[str, tuple[str, ...]] = {
    "vectors": ("mixing", "propagation", "identity", "projection", "change"),
    "queries-keys": ("geometry", "joint_maps"),
    "heads": ("heads", "clusters"),
    "explain": ("relevance", "faithfulness", "head_ablation"),
    "focus": ("focus", "sentence"),
}


def measures(group: str) -> list[Measure]:
    """Measures of a group, those first whose results others read."""
    modules = (import_module(f"{__name__}.{subject}") for subject in GROUPS[group])
    return [measure for module in modules for measure in module.MEASURES]
