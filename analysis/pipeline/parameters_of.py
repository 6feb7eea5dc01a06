"""Which parameters a stage that measures reads: what ``dvc.yaml`` has under its ``params``."""

from __future__ import annotations

from attention_mixing.measures import measures

# Stages that are of the texts alone that are shown -> the parameters that name these.
SHOWN = {
    "focus": ("report.focus.example",),
    "rows": ("geometry.texts", "projection.examples"),
}


def parameters_of(stage: str, experiment: str) -> list[str]:
    """List the parameters that a stage of :data:`attention_mixing.measures.STAGES` depends on.

    They are what its measures declare, and what names the texts that it is of. ``experiment``
    stands for the name of one, such as ``${key}``.
    """
    read = {name for measure in measures(stage) for name in measure.parameters}
    read.update(SHOWN.get(stage, ()))
    whole = (name for name in read if not any(name.startswith(f"{other}.") for other in read))
    own = "experiment."
    return sorted(
        f"experiments.{experiment}.{name.removeprefix(own)}" if name.startswith(own) else name
        for name in whole
    )
