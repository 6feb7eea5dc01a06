"""Note the parameters that chapters are written by, and which experiments there are.

Chapters show every experiment, so each reads nearly all parameters. They depend on this one note
instead of listing them: DVC rewrites its lock file after every stage, and the lists would be a
quarter of it. The summary depends on the list of experiments, so that a removed one is gone.
"""

from __future__ import annotations

from analysis.params import Params
from analysis.paths import PARAMETERS
from analysis.stage import replacing, run, write_json


def parameters(params: Params) -> None:
    """Write ``results/parameters``: ``experiments.json``, their names, and ``parameters.json``.

    The latter has validated values by the names of ``params.yaml``.
    """
    experiments = {name: one.model_dump(mode="json") for name, one in params.experiments.items()}
    sections = {
        "propagation": params.propagation,
        "faithfulness": params.faithfulness,
        "projection": params.projection,
        "geometry": params.geometry,
        "clusters": params.clusters,
        "bootstrap": params.bootstrap,
    }
    content = {
        "experiments": experiments,
        **{name: section.model_dump(mode="json") for name, section in sections.items()},
        "report": {"focus": params.report.focus.model_dump(mode="json")},
    }
    with replacing(PARAMETERS) as directory:
        directory.mkdir()
        write_json(directory / "experiments.json", list(experiments))
        write_json(directory / "parameters.json", content)


if __name__ == "__main__":
    run("parameters", parameters)
