"""What an earlier or a newer version wrote is told in one sentence, whoever reads it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_summary import rows, write
from refusals import refusal, sentences
from safetensors.numpy import save_file
from small_run import ROOT

from analysis.parameters import Params, load
from analysis.paths import PARAMETERS, SUMMARY
from analysis.results import summary
from analysis.rules.summary import Summary
from analysis.runs.kept import other_runs
from analysis.runs.parameters import FILE, run_parameters
from analysis.stages.parameters import parameters
from analysis.stages.summary import Summarised, _values
from attention_mixing import schemas
from attention_mixing.artifacts import MANIFEST
from attention_mixing.capture.text import State, Text
from attention_mixing.errors import InputError
from attention_mixing.schemas import KEPT, MEASURED
from attention_mixing.schemas import SUMMARY as SUMMARISED


def write_note(path: Path, schema: int | None, **content) -> None:
    named = {} if schema is None else {"schema": schema}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(named | content), encoding="utf-8")


# --- params.yaml ----------------------------------------------------------------------------------

COMMITTED = (ROOT / "params.yaml").read_text(encoding="utf-8")
NAMED = f"schema: {schemas.PARAMETERS.version} "


def loaded(text: str) -> Params:
    Path("params.yaml").write_text(text, encoding="utf-8")
    return load()


def test_a_file_that_names_no_schema_is_read_where_it_fits(here):
    assert loaded(COMMITTED.replace(NAMED, "# ")) == loaded(COMMITTED)


def test_a_file_that_does_not_fit_is_told_what_has_changed_since_its_schema(here):
    old = COMMITTED.replace(NAMED, "# ").replace("encoders: {}", "# ")
    with pytest.raises(InputError) as caught:
        loaded(old)
    first, second = sentences(caught.value)
    assert first.startswith("params.yaml names no schema, and this code reads 1: `encoders` and ")
    assert "carry your values over into a copy of reference/quick/params.yaml." in first
    assert "params.yaml: encoders is missing" in second
    # Of the present schema it is a mistake like any other.
    assert "this code reads" not in refusal(lambda: loaded(old.replace("# ", NAMED, 1)))


def test_a_file_for_a_newer_version_is_told_to_be_one(here):
    text = refusal(lambda: loaded(COMMITTED.replace(NAMED, "schema: 99 ")))
    assert "params.yaml is of schema 99, and this code reads 1; update the code, or carry" in text


@pytest.mark.parametrize("schema", ["one", "true", "-1", "1.0", "null"])
def test_a_schema_is_a_number(here, schema):
    text = refusal(lambda: loaded(COMMITTED.replace(NAMED, f"schema: {schema} ")))
    assert f"params.yaml: schema is {yaml.safe_load(schema)!r}; allowed: 1" in text


# --- what stages wrote ----------------------------------------------------------------------------

OLD = "names no schema, and this code reads {}: the columns `by` and `measure` are now "
DIRECTORY = Path("artifacts", "a", "vectors", "0")
CURVES = SUMMARY / "vectors"


def write_measured(schema: int | None) -> None:
    write_note(Path("artifacts", "a", "train", "facts.json"), None, seeds={})
    write_note(DIRECTORY / MANIFEST, schema, measures={})
    pd.DataFrame({"by": ["mixing"]}).to_parquet(DIRECTORY / "values.parquet")
    fields = DIRECTORY / "fields" / "mixing" / "pretrained"
    fields.mkdir(parents=True, exist_ok=True)
    save_file({"ratio": np.zeros((1, 2))}, fields / "000000.safetensors")


def field():
    state = State("pretrained", Path("captured"), Path("model"), measured=(DIRECTORY,))
    return Text(state, 0).field("mixing")


def values():
    return _values(Summarised("a", ""), "vectors")


@pytest.mark.parametrize("read", [values, field])
def test_measures_of_another_version_are_not_read(here, read):
    write_measured(None)
    text = refusal(read)
    assert text.startswith(f"{DIRECTORY} {OLD.format(MEASURED.version)}")
    assert text.endswith("; make it anew.")
    write_measured(99)
    newer = f"{DIRECTORY} is of schema 99, and this code reads {MEASURED.version}; update the code"
    assert newer in refusal(read)


READERS = {
    "curves": lambda: summary.curves("mixing"),
    "focus": lambda: summary.of_focus("mixing"),
    "table": lambda: summary.table("projection", "maps", "a", "pretrained"),
    "arrays": lambda: summary.arrays("projection", "a", "pretrained"),
    "rules": lambda: opened().curves("mixing", "a"),
}


def opened() -> Summary:
    """Open what rules read."""
    write_note(SUMMARY / "model" / "facts.json", None)
    return Summary(SUMMARY.parent, 0.95)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_summary_of_another_version_is_not_read(here, read):
    write(here, "vectors", [rows(quantity="ratio")])
    (CURVES / MANIFEST).unlink()
    version = SUMMARISED.version
    assert Path(refusal(read).split()[0]).as_posix().endswith(f"{CURVES}")
    assert OLD.format(version) in refusal(read)
    write_note(CURVES / MANIFEST, 99)
    assert f"is of schema 99, and this code reads {version}; update the code" in refusal(read)


def test_the_noted_parameters_of_another_version_are_not_read(here):
    (here / "params.yaml").write_text(COMMITTED, encoding="utf-8")
    (here / "report").mkdir()
    shutil.copyfile(ROOT / "report" / "rules.yaml", here / "report" / "rules.yaml")
    parameters(load())
    assert run_parameters().bootstrap == load().bootstrap
    path = PARAMETERS / FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["schema"]
    write_note(path, None, **content)
    assert refusal(run_parameters).startswith(f"{path} names no schema, and this code reads 1: ")
    write_note(path, 99, **content)
    assert f"{path} is of schema 99" in refusal(run_parameters)
    del content["clusters"]
    write_note(path, 1, **content)
    assert refusal(run_parameters).startswith(f"{path} does not hold the parameters of a run; ")


# --- reference runs -------------------------------------------------------------------------------


def test_a_run_that_another_version_kept_is_not_read(here):
    """Whoever reads one asks for their names first."""
    note = Path("reference", "mine", "run.json")
    write_note(note, None)
    text = refusal(other_runs)
    assert text.startswith(f"reference/mine {OLD.format(KEPT.version)}")
    assert "keep it anew with `make reference RUN=mine`, or remove it." in text
    write_note(note, 99)
    newer = f"reference/mine is of schema 99, and this code reads {KEPT.version}; update"
    assert newer in refusal(other_runs)
