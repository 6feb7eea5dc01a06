"""Hold what ``dvc.yaml`` says that stages read against what measures declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.pipeline.graph import MEASURING
from analysis.pipeline.parameters_of import parameters_of


def other_parameters(stages: Mapping[str, Any]) -> Iterator[str]:
    """Name the stages that measure and list other parameters, with the lines to put there.

    ``stages`` are those of ``dvc.yaml``.
    """
    for name, stage in stages.items():
        done = stage.get("do", stage)
        if MEASURING not in done["cmd"]:
            continue
        *_, experiment, measured = done["cmd"].split()
        if done.get("params") != (expected := parameters_of(measured, experiment)):
            lines = "".join(f"\n        - {parameter}" for parameter in expected)
            yield (
                f"dvc.yaml: the stage {name} lists other parameters than its measures declare; "
                f"put there:\n      params:{lines}"
            )
