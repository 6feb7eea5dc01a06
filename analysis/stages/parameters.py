"""Note the parameters that chapters are written by.

Chapters show every experiment, so each reads nearly all parameters. They depend on this one note
instead of listing them: DVC rewrites its lock file after every stage, and the lists would be a
quarter of it.
"""

from __future__ import annotations

from analysis.params import Params
from analysis.paths import RESULTS
from analysis.stages.runner import run, write_json


def parameters(params: Params) -> None:
    """Write ``results/parameters.json``, validated values by the names of ``params.yaml``."""
    experiments = {name: one.model_dump(mode="json") for name, one in params.experiments.items()}
    sections = {
        "propagation": params.propagation,
        "faithfulness": params.faithfulness,
        "projection": params.projection,
        "geometry": params.geometry,
        "clusters": params.clusters,
        "bootstrap": params.bootstrap,
    }
    write_json(
        RESULTS / "parameters.json",
        {
            "experiments": experiments,
            **{name: section.model_dump(mode="json") for name, section in sections.items()},
            "report": {"focus": params.report.focus.model_dump(mode="json")},
        },
    )


if __name__ == "__main__":
    run("parameters", parameters)
