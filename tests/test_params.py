"""params.yaml: what is taken, and the one sentence on what is not."""

import ast
import copy
import re
import textwrap
from pathlib import Path

import pytest
import yaml
from data_sections import FILES, HUB, REVISION, SQUAD_FILES, SQUAD_HUB
from pydantic import ValidationError
from refusals import one_sentence

from analysis import params
from analysis.errors import InputError
from analysis.params import located, reading, sections
from analysis.params.profiles import profile
from analysis.params.sections import (
    FilesData,
    HubData,
    LocalModel,
    SquadFilesData,
    SquadHubData,
)

ROOT = Path(__file__).parents[1]
MISTAKES = yaml.safe_load((ROOT / "tests" / "mistakes.yaml").read_text(encoding="utf-8"))
PROFILES = sorted(path.stem for path in ROOT.glob("profiles/*.yaml"))
REMOVED = object()
# Names under `files`.
MINE = {"train": "my-train", "test": "my-test"}


@pytest.fixture(scope="module")
def committed() -> dict:
    return yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def load(committed, tmp_path):
    """Return ``load({"dotted.key": value, ...})``: the committed parameters with changes."""

    def load_changed(changes: dict[str, object]) -> params.Params:
        values = copy.deepcopy(committed)
        for dotted, value in changes.items():
            *parents, last = dotted.split(".")
            section = values
            for parent in parents:
                section = section[parent]
            if value is REMOVED:
                del section[last]
            else:
                section[last] = value
        path = tmp_path / "params.yaml"
        path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
        return params.load(path)

    return load_changed


@pytest.fixture
def complaint(load):
    """Return ``complaint(changes)``: what is said about them, checked to be one sentence."""

    def message(changes: dict[str, object]) -> str:
        with pytest.raises(InputError) as caught:
            load(changes)
        return one_sentence(caught.value)

    return message


def test_the_typed_model_has_no_value_of_its_own():
    classes = [one for one in vars(sections).values() if isinstance(one, type)]
    fields = [
        field
        for one in classes
        if issubclass(one, sections.Section)
        for field in one.model_fields.values()
    ]
    assert len(fields) > 100
    for field in fields:
        assert field.is_required() or field.default is None
        assert field.default_factory is None


def test_the_typed_model_derives_no_value_from_another():
    """Its functions refuse a value or give it back as it is, and nobody else calls them."""
    for node in ast.walk(ast.parse(Path(sections.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            assert node.name.startswith("_")
            given = node.args.args[-1].arg
            returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
            assert all(ast.unparse(value) == given for value in returned)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assert not any(isinstance(target, ast.Attribute) for target in targets)


@pytest.mark.parametrize("name", [None, *PROFILES])
def test_committed_parameters_are_complete_and_explained(name, at_root, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(profile(name) if name else (ROOT / "params.yaml").read_text("utf-8"), "utf-8")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#")
    given = reading.read_yaml(text)
    for experiment in given["experiments"].values():  # of the two keys, one must not stand there
        experiment["length"] = {"longer": None, "stride": None} | experiment["length"]
    values = params.load(path)
    # Nothing is changed, and nothing is left to a default that the file does not show.
    assert values.model_dump(mode="json") == given
    for name in values.experiments:
        located(values, name)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_holds_only_what_differs(name, at_root):
    committed = reading.read_yaml((ROOT / "reference" / "params.yaml").read_text("utf-8"))
    different = reading.read_yaml((ROOT / "profiles" / f"{name}.yaml").read_text("utf-8"))
    written = reading.read_yaml(profile(name))
    assert written["experiments"] == different["experiments"]

    def leaves(values, *place):
        for key, value in values.items():
            if isinstance(value, dict) and value and (*place, key) != ("experiments",):
                yield from leaves(value, *place, key)
            else:
                yield (*place, key), value

    before, changes, after = (dict(leaves(one)) for one in (committed, different, written))
    changed = {place for place, value in after.items() if before.get(place) != value}
    assert changed == set(changes)


def test_a_profile_keeps_the_comments_of_the_committed_file(at_root):
    committed, written = (
        (ROOT / "reference" / "params.yaml").read_text("utf-8"),
        profile(PROFILES[0]),
    )
    _, after = (reading_text.split("\n# Raw attention", 1) for reading_text in (committed, written))
    explained = [
        line for line in committed.split("\n# Raw attention", 1)[1].splitlines() if "#" in line
    ]
    comments = {line.split("#", 1)[1] for line in after[1].splitlines() if "#" in line}
    assert {line.split("#", 1)[1] for line in explained} == comments


def test_there_is_no_such_profile(at_root):
    with pytest.raises(InputError, match=r"no profile 'imdb'; choose one of imdb-bert-base, "):
        profile("imdb")


@pytest.mark.parametrize(("key", "suggestion"), MISTAKES["unknown"].items())
def test_an_unknown_key_is_named_with_the_nearest_known_one(complaint, key, suggestion):
    text = complaint({key: 1})
    assert f"{key} is not a known key" in text
    assert re.search(rf"did you mean {suggestion}\b", text)


def test_an_unknown_key_like_no_other_gets_the_known_ones(complaint):
    text = complaint({"propagation.zzz": 1})
    assert "propagation.zzz" in text
    assert "residual, start_layer" in text


def test_a_misspelt_key_is_told_before_the_one_it_leaves_missing(complaint):
    text = complaint({"bootstrap.resamples": REMOVED, "bootstrap.resample": 1000})
    assert "bootstrap.resample is not a known key; did you mean resamples" in text


@pytest.mark.parametrize("key", MISTAKES["missing"])
def test_a_missing_key_is_named(complaint, key):
    assert f"{key} is missing; see reference/params.yaml" in complaint({key: REMOVED})


@pytest.mark.parametrize(("key", "value", "allowed"), MISTAKES["values"])
def test_a_wrong_value_is_shown_with_what_is_allowed(complaint, key, value, allowed):
    text = complaint({key: value})
    assert f"{key} is {value!r}" in text
    assert allowed in text


def test_a_value_of_no_allowed_kind_is_one_mistake(complaint):
    assert "more after" not in complaint({"workers": "local"})
    assert "(1 more after this one)" in complaint({"workers": 0, "geometry.nonlinear": 3})


@pytest.mark.parametrize("workers", ["auto", 1, 16, "tcp://10.0.0.1:8786", "tls://scheduler:1"])
def test_who_works_is_read_as_it_is_written(load, workers):
    assert load({"workers": workers}).workers == workers


@pytest.mark.parametrize("chosen", ["all", [], ["sentences", "reviews"]])
def test_experiments_drawn_by_nonlinear_maps_are_read_as_they_are_written(load, chosen):
    assert load({"geometry.nonlinear": chosen}).geometry.nonlinear in (chosen, tuple(chosen))


@pytest.mark.parametrize(("key", "value"), MISTAKES["shapes"])
def test_a_section_of_another_shape_is_named(complaint, key, value):
    assert re.search(rf"\b{re.escape(key)}\b", complaint({key: value}))


@pytest.mark.parametrize("section", ["data", "model"])
@pytest.mark.parametrize("source", ["internet", None, 3, REMOVED])
def test_an_unknown_source_gets_those_that_there_are(complaint, section, source):
    text = complaint({f"experiments.reviews.{section}.source": source})
    assert f"experiments.reviews.{section}.source" in text
    known = {"data": "generated", "model": "embedded"}[section]
    assert known in text
    assert "'hub'" in text


@pytest.mark.parametrize("mistake", MISTAKES["conflicts"], ids=lambda one: one["said"])
def test_values_that_do_not_fit_are_told(complaint, mistake):
    assert mistake["said"] in complaint(mistake["changes"])


def test_one_fraction_and_the_whole_text_are_allowed(load):
    assert load({"faithfulness.fractions": [1]}).faithfulness.fractions == (1.0,)


@pytest.mark.parametrize("name", ["Reviews", "1st", "my reviews", "../up", "-x", "a" * 40, ""])
def test_a_name_that_is_no_plain_file_name_is_refused(complaint, committed, name):
    text = complaint({"experiments": {name: committed["experiments"]["sentences"]}})
    assert "experiments" in text
    assert "lower-case letters, digits and hyphens" in text


@pytest.mark.parametrize(
    "revision", ["main", "v1.0", REVISION[:-1], REVISION.upper(), f"{REVISION}\n"]
)
@pytest.mark.parametrize("section", ["model", "data"])
def test_a_revision_must_be_a_commit(complaint, section, revision):
    value = {"source": "hub", "name": "bert-base-uncased", "revision": revision}
    if section == "data":
        value = HUB | {"revision": revision}
    text = complaint({f"experiments.reviews.{section}": value})
    assert f"experiments.reviews.{section}.revision is {revision!r}" in text
    assert "40 hexadecimal digits" in text


@pytest.mark.parametrize(
    ("name", "data", "kind"), [("reviews", HUB, HubData), ("questions", SQUAD_HUB, SquadHubData)]
)
def test_a_hub_model_and_hub_data_are_taken(load, name, data, kind):
    model = {"source": "hub", "name": "bert-base-uncased", "revision": REVISION}
    values = load({f"experiments.{name}.model": model, f"experiments.{name}.data": data})
    assert isinstance(located(values, name).data, kind)
    assert located(values, name).data.train == "train"


@pytest.mark.parametrize("key", ["data.train", "data.test", "model.name"])
def test_a_local_file_must_be_a_name_under_files(complaint, key):
    files = {"my-train": "train.csv", "my-test": "test.csv", "my-model": "model"}
    absent = {"data.train": "my-train", "data.test": "my-test", "model.name": "my-model"}[key]
    text = complaint(
        {
            "files": {name: path for name, path in files.items() if name != absent},
            "experiments.reviews.data": FILES | MINE,
            "experiments.reviews.model": {"source": "local", "name": "my-model"},
        }
    )
    assert f"experiments.reviews.{key} is '{absent}', which is not a name under files" in text


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [("reviews", FILES, FilesData), ("questions", SQUAD_FILES, SquadFilesData)],
)
def test_local_files_are_found_by_their_names(load, name, data, kind):
    values = load(
        {
            "files": {"my-train": "~/train.csv", "my-test": "test.csv", "my-model": "tiny"},
            f"experiments.{name}.data": data | MINE,
            f"experiments.{name}.model": {"source": "local", "name": "my-model"},
        }
    )
    found = located(values, name)
    assert isinstance(found.data, kind)
    assert isinstance(found.model, LocalModel)
    assert (found.data.train, found.data.test) == ("~/train.csv", "test.csv")
    assert found.model.name == "tiny"
    # What is in the file stays as it is; paths are filled in a copy.
    assert values.experiments[name].data.train == "my-train"


@pytest.mark.parametrize("key", ["label", "train"])
def test_a_classifier_needs_labels_and_texts_to_learn_from(complaint, key):
    text = complaint({"experiments.reviews.data": HUB | {key: None}})
    assert "its data of source hub have no labels; use" in text
    assert "with data.train and data.label" in text


def test_question_answering_may_keep_the_dropout_of_the_model(load):
    values = load({"experiments.questions.train.dropout": None})
    assert values.experiments["questions"].train.dropout is None


def test_own_texts_are_taken_as_they_are(load):
    texts = ["<b>&amp;</b> {{< var x >}}", " $x$ ", "日本語"]
    own = {"experiments.sentences.data": {"source": "texts", "texts": texts}}
    values = load(own | {"projection.examples": [0], "geometry.texts": 3})
    assert list(values.experiments["sentences"].data.texts) == texts


@pytest.mark.parametrize("section", ["", "experiments.reviews.train", "report.focus"])
def test_parameters_are_frozen(load, section):
    values = load({})
    for part in filter(None, section.split(".")):
        values = values[part] if isinstance(values, dict) else getattr(values, part)
    field = next(iter(type(values).model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(values, field, getattr(values, field))


@pytest.mark.parametrize(
    ("written", "read"),
    [("2e-5", 2e-5), ("2.0e-5", 2e-5), ("1E-4", 1e-4), ("1e+0", 1.0), (".5", 0.5), ("1", 1.0)],
)
def test_numbers_are_read_as_a_reader_would(tmp_path, written, read):
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    path = tmp_path / "params.yaml"
    path.write_text(text.replace("learning_rate: 1.0e-4", f"learning_rate: {written}"))
    assert params.load(path).experiments["reviews"].train.learning_rate == read


@pytest.mark.parametrize("text", ["1e5x", "e5", "1-5", "2e"])
def test_words_that_begin_like_numbers_stay_words(text):
    assert reading.read_yaml(text) == text


def test_shared_settings_can_be_merged():
    text = """
        base: &base {epochs: 2, seed: 0}
        more: {<<: *base, seed: 1}
    """
    read = reading.read_yaml(textwrap.dedent(text))
    assert read["more"] == {"epochs": 2, "seed": 1}


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        params.load(path)
    text = one_sentence(caught.value)
    assert str(path) in text
    return text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"device: cpu\ndevice: cuda\n", 'duplicate key "device"'),
        (b"a: {b: 1, c: 2, b: 3}\n", 'duplicate key "b"'),
        (b"device: [cpu\n", "not valid YAML at line 2"),
        (b"device: \tcpu: x\n", "not valid YAML"),
        (b"x: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
        (b"? [a, b]\n: 1\n", "is not a known key"),
        (b"- device\n", "list, not a mapping"),
        (b"just words\n", "str, not a mapping"),
        (b"", "not a mapping"),
        (b"device: caf\xe9\n", "not UTF-8 (byte 11)"),
        (b"device: a\x07b\n", "not valid YAML"),
        (b"1: 2\n", "1 is not a known key"),
    ],
)
def test_a_file_that_is_no_parameter_file(tmp_path, content, said):
    path = tmp_path / "params.yaml"
    path.write_bytes(content)
    assert said in refused(path)


def test_a_missing_file_and_a_directory(tmp_path):
    assert "No such file" in refused(tmp_path / "params.yaml")
    refused(tmp_path)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "a: &a [*a]", "a: &a {b: *a}", "files: &a {x: *a}"], ids=lambda t: t[:9]
)
def test_endless_structures_are_refused(tmp_path, text):
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    refused(path)


@pytest.mark.parametrize("word", ["Yes", "no", "On", "off", "y"])
def test_a_word_is_a_text_without_quotes(tmp_path, word):
    """`dvc exp run -S` writes YAML 1.2, in which these need none."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["experiments"]["sentences"]["data"] = {"source": "texts", "texts": ["WORD"] * 4}
    values["projection"]["examples"] = [0]
    text = yaml.safe_dump(values, sort_keys=False).replace("- WORD", f"- {word}")
    (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
    read = params.load(tmp_path / "params.yaml")
    assert read.experiments["sentences"].data.texts == (word,) * 4
