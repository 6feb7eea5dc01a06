"""Note what later stages read of parameters and rules, so that they need not read all of them.

Chapters show every experiment, so each reads nearly all parameters. They depend on this one note
instead of listing them: DVC rewrites its lock file after every stage, and the lists would be a
quarter of it. The summary depends on the list of experiments, so that a removed one is gone, and on
what rules ask of texts, but not on their margins, words and chapters; the page of provenance on all
values, but not on the file, which ``dvc exp run -S`` lays out anew.
"""

from __future__ import annotations

import yaml

from analysis.params import PARAMS_FILE, Params
from analysis.paths import PARAMETERS, REPORT
from analysis.rules.rule import asked_of_texts, read
from analysis.stage import replacing, run, write_json

SECTIONS = "experiments propagation faithfulness projection geometry clusters bootstrap".split()


def parameters(params: Params) -> None:
    """Write ``results/parameters``: what later stages read, validated.

    ``experiments.json``, the names of experiments, ``parameters.json``, what chapters read, and
    ``params.yaml``, all values, in the order of the parameter file; ``asked.json``, what rules ask
    of texts, in the order of names.
    """
    noted = params.model_dump(mode="json", include=set(SECTIONS))
    noted["report"] = {"focus": params.report.focus.model_dump(mode="json")}
    with replacing(PARAMETERS) as directory:
        directory.mkdir()
        write_json(directory / "experiments.json", list(params.experiments))
        write_json(directory / "parameters.json", noted)
        asked = [question.written for question in asked_of_texts(read(REPORT / "rules.yaml"))]
        write_json(directory / "asked.json", asked)
        values = yaml.safe_dump(params.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        (directory / PARAMS_FILE.name).write_text(values, encoding="utf-8")


if __name__ == "__main__":
    run(parameters)
