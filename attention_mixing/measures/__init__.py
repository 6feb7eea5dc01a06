"""Measures, by the stages that take them and the groups that are summarised, and who runs them.

A new measure is a function in the module of its topic and one line in that module's ``MEASURES``.
:func:`measure` takes measures of one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from attention_mixing.methods.extras import extra

with extra("models", __name__):
    from attention_mixing.measures.engine.definition import Measure

# Stage of the pipeline -> its topics, one module each, in the order in which they are measured.
# What reads a parameter that others do not is apart from them: they are not measured again for it.
STAGES: dict[str, tuple[str, ...]] = {
    "vectors": ("mixing", "attention", "value_zeroing", "identity", "change"),
    "dependence": ("dependence",),
    "propagation": ("propagation", "two_streams"),
    "projection": ("projection",),
    "queries-keys": ("geometry", "joint_maps"),
    "heads": ("heads", "clusters"),
    "gradients": ("relevance", "alti_logit", "removal", "head_ablation", "target_gradients"),
    "faithfulness": ("faithfulness",),
    "focus": ("focus", "sentence"),
    "rows": ("rows",),
}
# What is summarised, and asked for, under one name: the stages that measure it.
GROUPS: dict[str, tuple[str, ...]] = {
    "vectors": ("vectors", "dependence", "propagation", "projection"),
    "queries-keys": ("queries-keys",),
    "heads": ("heads",),
    "explain": ("gradients", "faithfulness"),
    "focus": ("focus",),
    "rows": ("rows",),
}


def measures(stage: str) -> list[Measure]:
    """Measures of a stage, those first whose results others read."""
    modules = (import_module(f"{__name__}.{topic}") for topic in STAGES[stage])
    return [measure for module in modules for measure in module.MEASURES]


def of_group(group: str) -> list[Measure]:
    """Measures of a group of ``GROUPS``, those first whose results others read."""
    return [measure for stage in GROUPS[group] for measure in measures(stage)]


def groups() -> dict[str, str]:
    """Measure -> the group of ``GROUPS`` that it is of."""
    return {measure.name: group for group in GROUPS for measure in of_group(group)}


def declared(group: str) -> list[dict[str, Any]]:
    """List what the measures of a group of ``GROUPS`` give, a row a quantity.

    A row has ``measure``, its name, and the attributes of ``Gives``.
    """
    return [
        {"measure": measure.name, **vars(quantity)}
        for measure in of_group(group)
        for quantity in measure.declared
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
            return import_module(f"{__name__}.engine.one_text").measure
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
