"""Note what later stages read of parameters and rules, so that they need not read all of them.

Chapters show every experiment, so each reads nearly all parameters. They depend on this one note
instead of listing them: DVC rewrites its lock file after every stage, and the lists would be a
quarter of it. The summary depends on the list of experiments, so that a removed one is gone, and on
what rules ask of texts, but not on their margins, words and chapters; chapters on published values
alone; the page of provenance on all values, but not on the file, which ``dvc exp run -S`` lays out
anew.
"""

from __future__ import annotations

import json

import yaml

from analysis.parameters import PARAMS_FILE, Params
from analysis.paths import PARAMETERS, PUBLISHED, REPORT
from analysis.pipeline.stage import replacing, run, write_json
from analysis.rules.rule import asked_of_texts, read
from analysis.runs.parameters import FILE, RunParameters
from attention_mixing.schemas import PARAMETERS as SCHEMA

# Of the report, the text in focus; how it is rendered is no matter of a chapter.
FIELDS = [field.alias or name for name, field in RunParameters.model_fields.items()]
SHOWN = dict.fromkeys(FIELDS, True) | {"report": {"focus"}}


def parameters(params: Params) -> None:
    """Write ``results/parameters``: what later stages read, validated.

    ``experiments.json``, the names of experiments, ``parameters.json``, what chapters read, and
    ``params.yaml``, all values, in the order of the parameter file; ``asked.json``, what rules ask
    of texts, in the order of names; ``published.json``, values by the claim that they are about.
    """
    schema = {"schema": SCHEMA.version}
    noted = schema | params.model_dump(mode="json", include=SHOWN)
    values = schema | params.model_dump(mode="json")
    with replacing(PARAMETERS) as directory:
        directory.mkdir()
        write_json(directory / "experiments.json", list(params.experiments))
        content = json.dumps(noted, indent=2, ensure_ascii=False)  # all digits, as they were given
        (directory / FILE).write_text(content + "\n", encoding="utf-8")
        rules = read(REPORT / "rules.yaml")
        questions = [question.written for question in asked_of_texts(rules)]
        write_json(directory / "asked.json", questions)
        claimed = {rule.id: rule.claim.values for rule in rules if rule.claim is not None}
        write_json(directory / PUBLISHED, claimed)
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        (directory / PARAMS_FILE.name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(parameters)
