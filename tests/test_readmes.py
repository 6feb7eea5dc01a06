"""What the READMEs and the pages on use say of the code is so, in both languages."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from huggingface_hub.file_download import repo_folder_name
from small_run import GRAPH, ROOT, outputs

from attention_mixing.attributions.catalogue import CATALOGUE
from attention_mixing.attributions.matrices import LAYERS
from attention_mixing.capture import capture_text
from attention_mixing.capture.store import AXES, GATED
from attention_mixing.errors import InputError
from attention_mixing.explain.reading import REPLACED
from attention_mixing.measures import measure

# Below `results/`, for other stages alone.
UNTOLD = {"anatomy", "fingerprint.parquet", "parameters", "named-files"}
READMES = ("README.md", "README.ja.md")
LIBRARY = ("report/en/library.qmd", "report/ja/library.qmd")
RERUN = ("report/en/rerun.qmd", "report/ja/rerun.qmd")
OUTPUTS = {out for stage in GRAPH.values() for out in outputs(stage.get("do", stage))}


@pytest.fixture(autouse=True)
def catalogue_as_it_was():
    """Take out of the catalogue what a page has put there, which other tests would ask."""
    known = {*CATALOGUE}
    yield
    for name in {*CATALOGUE} - known:
        del CATALOGUE[name], LAYERS[name]


def places_in(name: str) -> str:
    """The table of what lies where."""
    heading = "## (?:Where things are|どこに何があるか|Where everything lies|ファイルの置き場所)"
    return re.split(heading, read(name))[1].split("\n## ")[0]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RERUN)
def test_the_cache_of_the_hub_is_where_its_library_looks(name):
    """That of data sets is held against their library in ``corpora/test_hub.py``."""
    (model, data) = re.findall(r"^[├└]── (\S+)", read(name), re.M)
    folder = repo_folder_name(repo_id="ORG/NAME", repo_type="model")
    assert model == f"hub/{folder}/snapshots/REVISION/"
    assert data == "datasets/ORG___NAME/CONFIG/0.0.0/REVISION/"


@pytest.mark.parametrize("name", READMES)
def test_the_targets_are_those_of_make(name):
    targets = re.findall(r"^([a-z]+):.*## ", read("Makefile"), re.M)
    assert set(re.findall(r"`make ([a-z]+)`", read(name))) <= set(targets)


@pytest.mark.parametrize("name", [*READMES, *RERUN])
def test_what_is_said_to_lie_somewhere_is_there_or_is_written_there(name):
    written = {"modules", "artifacts", "results", "site"}
    assert written <= {Path(path).parts[0] for path in OUTPUTS}
    written.add("dvc.lock")  # by DVC
    cells = re.findall(r"^(?:\| |- )(`[a-z].*?`)(?: \||: |：)", places_in(name), re.M)
    places = {Path(place) for cell in cells for place in re.findall(r"`(.*?)`", cell)}
    assert len(places) > (8 if name in READMES else 20)
    parents = (ROOT, ROOT / "analysis", ROOT / "attention_mixing")
    for place in places:
        assert place.parts[0] in written or any((one / place).exists() for one in parents), place
    told = {"results", "site"} if name in READMES else written - {"modules"}
    assert told <= {place.parts[0] for place in places}


@pytest.mark.parametrize("name", RERUN)
def test_what_readers_may_want_lies_where_it_is_said(name):
    (told,) = re.findall(r"^- `results/`(?:: |：)(.*)$", read(name), re.M)
    below = {Path(path).parts[1] for path in OUTPUTS if Path(path).parts[0] == "results"}
    assert {one.strip("/") for one in re.findall(r"`([a-z]+(?:/|\.json))`", told)} == below - UNTOLD


@pytest.mark.parametrize("name", [*READMES, *RERUN])
def test_experiments_change_what_they_set(name):
    settings = re.findall(r"-S '?([\w.]+)=([^'\s]+)", read(name))
    assert settings
    for key, values in settings:
        found = yaml.safe_load(read("params.yaml"))
        for part in key.replace("EXPERIMENT", "reviews").split("."):
            found = found[part]
        given = [yaml.safe_load(value) for value in values.split(",")]
        assert all(type(value) is type(found) and value != found for value in given)


def code(name: str) -> str:
    """Lines of Python, without comments."""
    return re.sub(
        r"#.*", "", "".join(re.findall(r"^```python\n(.*?)^```$", read(name), re.M | re.S))
    )


@pytest.mark.parametrize(("english", "japanese"), [READMES, LIBRARY])
def test_the_lines_of_python_run_and_are_the_same_in_both_languages(english, japanese):
    assert code(english) == code(japanese)
    names: dict = {}
    exec(compile(code(english), english, "exec"), names)
    assert names["text"]["attention"].shape[0] == 6
    assert set(names["found"].values["measure"]) == {"mixing", "propagation"}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_numbers_beside_lines_of_python_are_what_they_give(name):
    page = read(name)
    names: dict = {}
    exec(compile(code(name), name, "exec"), names)
    shown = re.findall(r"^(round\(.*\))  # ([\d.]+)$", page, re.M)
    assert len(shown) == 3
    assert [str(eval(line, names)) for line, _ in shown] == [number for _, number in shown]


@pytest.mark.parametrize("name", LIBRARY)
def test_the_arrays_of_a_text_are_those_of_the_code(name):
    listed = re.findall(r"^\| `(\w+)` \| `\[(.*)\]` \|", read(name), re.M)
    assert {array: tuple(axes.split(", ")) for array, axes in listed} == AXES | GATED
    text = capture_text("Time flies.", model="all-MiniLM-L6-v2")
    tokens = len(text.tokens)
    lengths = {"layer": 6, "head": 12, "head_dim": 32, "model_dim": 384}
    lengths |= dict.fromkeys(("token", "query", "key"), tokens)
    for array, axes in listed:
        if array in GATED:  # BERT has no gates
            continue
        assert text[array].shape == tuple(lengths[axis] for axis in axes.split(", "))
        assert text[array].dtype == (bool if array == "visible" else np.float32)


def test_the_measures_of_one_text_are_all_there():
    with pytest.raises(InputError) as refused:
        measure(capture_text("a", model="all-MiniLM-L6-v2"), ["none"])
    (allowed,) = re.findall(r"allowed: (.*)\.", str(refused.value))
    for name in LIBRARY:
        table = read(name).split("{#tbl-measures}")[1]
        assert re.findall(r"^\| `(\w+)` \|", table, re.M) == allowed.split("; ")[0].split(", ")


@pytest.mark.parametrize("name", READMES)
def test_how_long_a_text_may_be_whose_tokens_are_replaced(name):
    assert re.search(rf"(?:up to |実測は ){REPLACED} ?(?:tokens|トークン)", read(name))
