"""Measures, in groups of which each is a stage, and who runs them.

A new measure is a function in the module of its subject and one line in that module's ``MEASURES``.
:func:`measure` takes measures of one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from attention_mixing.methods.extras import extra

with extra("models", __name__):
    from attention_mixing.measures.definition import Measure

# Group -> its subjects, one module each, in the order in which they are measured.
GROUPS: dict[str, tuple[str, ...]] = {
    "vectors": (
        *("mixing", "attention", "propagation", "value_zeroing", "identity", "projection"),
        *("change", "two_streams"),
    ),
    "queries-keys": ("geometry", "joint_maps"),
    "heads": ("heads", "clusters"),
    "explain": ("relevance", "alti_logit", "faithfulness", "head_ablation", "target_gradients"),
    "focus": ("focus", "sentence"),
    "rows": ("rows",),
}


def measures(group: str) -> list[Measure]:
    """Measures of a group, those first whose results others read."""
    modules = (import_module(f"{__name__}.{subject}") for subject in GROUPS[group])
    return [measure for module in modules for measure in module.MEASURES]


def declared(group: str) -> list[dict[str, Any]]:
    """List what the measures of a group of ``GROUPS`` give, a row a quantity.

    A row has ``measure``, its name, and the attributes of ``Gives``.
    """
    return [
        {"measure": measure.name, **vars(quantity)}
        for measure in measures(group)
        for quantity in measure.gives
    ]


def summarised() -> list[str]:
    """List the groups that give values; what the others leave with a text is shown as it is."""
    return [group for group in GROUPS if declared(group)]


def needed(names: Iterable[str], among: Sequence[Measure]) -> list[Measure]:
    """Choose measures by name, and those that they read, in the order of ``among``.

    There each comes after those that it reads.
    """
    chosen = set(names)
    for measure in reversed(among):  # each comes after those that it reads
        if measure.name in chosen:
            chosen.update(measure.after)
    return [measure for measure in among if measure.name in chosen]


def __getattr__(name: str) -> Any:
    # It captures texts itself, so it needs torch, which takes seconds to start.
    if name == "measure":
        with extra("models", name):
            return import_module(f"{__name__}.one_text").measure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
