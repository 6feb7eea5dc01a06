"""Note the parameters that chapters are written by, and which experiments there are.

Chapters show every experiment, so each reads nearly all parameters. They depend on this one note
instead of listing them: DVC rewrites its lock file after every stage, and the lists would be a
quarter of it. The summary depends on the list of experiments, so that a removed one is gone.
"""

from __future__ import annotations

from analysis.params import Params
from analysis.paths import PARAMETERS
from analysis.stage import replacing, run, write_json

SECTIONS = "experiments propagation faithfulness projection geometry clusters bootstrap".split()


def parameters(params: Params) -> None:
    """Write ``results/parameters``: ``experiments.json``, their names, and ``parameters.json``.

    The latter has validated values by the names of ``params.yaml``.
    """
    noted = params.model_dump(mode="json", include=set(SECTIONS))
    noted["report"] = {"focus": params.report.focus.model_dump(mode="json")}
    with replacing(PARAMETERS) as directory:
        directory.mkdir()
        write_json(directory / "experiments.json", list(params.experiments))
        write_json(directory / "parameters.json", noted)


if __name__ == "__main__":
    run(parameters)
