"""params.yaml: what is taken, and the one sentence on what is not."""

import ast
import copy
import re
import textwrap
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from analysis import params
from analysis.errors import InputError
from analysis.params import (
    FilesData,
    HubData,
    LocalModel,
    SquadFilesData,
    SquadHubData,
    located,
    reading,
    sections,
)

ROOT = Path(__file__).parents[1]
COMMITTED = sorted([ROOT / "params.yaml", *ROOT.glob("profiles/*.yaml")])
REMOVED = object()
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
FILES = {
    "source": "files",
    "train": "my-train",
    "test": "my-test",
    "text": "text",
    "label": "label",
    "validation_fraction": 0.1,
    "limits": {"train": None, "test": 100},
    "seed": 0,
}
HUB = FILES | {
    "source": "hub",
    "name": "stanfordnlp/imdb",
    "config": None,
    "revision": REVISION,
    "train": "train",
    "test": "test",
}

SQUAD = {
    "source": "squad-files",
    "train": "my-train",
    "test": "my-test",
    "validation_fraction": 0.1,
    "limits": {"train": 100, "test": None},
    "seed": 0,
}


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


def one_sentence(error: InputError) -> str:
    text = str(error)
    assert "\n" not in text
    assert text.endswith(".")
    # No full stop, question or exclamation mark inside that a new sentence follows.
    assert not re.search(r"[.?!]\s+[A-Z]", text), text
    assert "pydantic" not in text
    return text


def test_there_are_committed_parameters():
    assert ROOT / "params.yaml" in COMMITTED


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_committed_parameters_are_valid(path):
    values = params.load(path)
    for name in values.experiments:
        located(values, name)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_a_value_is_what_stands_in_the_file(path):
    """Stages do not depend on the typed model, so it may neither change a value nor make one up."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    values = params.load(path)
    assert values.model_dump(mode="json", exclude_unset=True) == raw


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
            if any("validator" in ast.unparse(one) for one in node.decorator_list):
                given = node.args.args[-1].arg
                returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
                assert returned and all(ast.unparse(value) == given for value in returned)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assert not any(isinstance(target, ast.Attribute) for target in targets)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_committed_parameters_are_complete_and_explained(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#")
    given = yaml.load(text, Loader=reading._Loader)
    for experiment in given["experiments"].values():
        if experiment["length"]["longer"] != "windows":
            experiment["length"]["stride"] = None  # must not stand there
    # Nothing is left to a default that the file does not show.
    assert params.load(path).model_dump(mode="json") == given


@pytest.mark.parametrize(
    ("changes", "key", "suggestion"),
    [
        ({"experiments.reviews.train.epoch": 3}, "experiments.reviews.train.epoch", "epochs"),
        ({"devise": "cpu"}, "devise", "device"),
        ({"propagation.start_layers": 0}, "propagation.start_layers", "start_layer"),
        ({"experiments.reviews.data.seeds": 0}, "experiments.reviews.data.seeds", "seed"),
        ({"experiments.reviews.data.sizes.tests": 9}, "data.sizes.tests", "test"),
        ({"experiments.reviews.model.nam": "x"}, "experiments.reviews.model.nam", "name"),
        ({"experiments.reviews.taks": "none"}, "experiments.reviews.taks", "task"),
        ({"experiments.reviews.capture.example": 3}, "capture.example", "examples"),
        ({"report.focus.exemple": 1}, "report.focus.exemple", "example"),
        ({"faithfulness.fraction": [0.1]}, "faithfulness.fraction", "fractions"),
        ({"worker": 2}, "worker", "workers"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(complaint, changes, key, suggestion):
    text = complaint(changes)
    assert re.search(rf"{re.escape(key)} is not a known key", text)
    assert re.search(rf"did you mean {suggestion}\b", text)


def test_an_unknown_key_like_no_other_gets_the_known_ones(complaint):
    text = complaint({"propagation.zzz": 1})
    assert "propagation.zzz" in text
    assert "residual, start_layer" in text


def test_a_misspelt_key_is_told_before_the_one_it_leaves_missing(complaint):
    text = complaint({"bootstrap.resamples": REMOVED, "bootstrap.resample": 1000})
    assert "bootstrap.resample is not a known key; did you mean resamples" in text


@pytest.mark.parametrize(
    "key",
    [
        "device",
        "workers",
        "heads.images",
        "experiments",
        "experiments.reviews.train.seed",
        "report.focus.example",
    ],
)
def test_a_missing_key_is_named(complaint, key):
    assert f"{key} is missing; add it" in complaint({key: REMOVED})


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("experiments.reviews.train.epochs", "2", "integer"),
        ("experiments.reviews.train.epochs", 2.5, "integer"),
        ("experiments.reviews.train.epochs", True, "integer"),
        ("experiments.reviews.train.epochs", None, "integer"),
        ("experiments.reviews.train.epochs", -1, "greater than or equal to 1"),
        ("experiments.reviews.train.epochs", 0, "greater than or equal to 1"),
        ("experiments.reviews.train.learning_rate", "fast", "number"),
        ("experiments.reviews.train.learning_rate", 0, "greater than 0"),
        ("experiments.reviews.train.learning_rate", float("nan"), "finite number"),
        ("experiments.reviews.train.learning_rate", float("inf"), "finite number"),
        ("experiments.reviews.train.warmup", 1.5, "less than or equal to 1"),
        ("experiments.reviews.train.dropout", 1.0, "less than 1"),
        ("experiments.reviews.train.seed", -1, "greater than or equal to 0"),
        ("experiments.reviews.data.sizes.train", -5, "greater than or equal to 1"),
        ("experiments.reviews.data.grammar", "poems", "'reviews', 'agreement' or 'questions'"),
        (
            "experiments.reviews.task",
            "clasification",
            "'classification', 'question_answering' or 'none'",
        ),
        ("experiments.reviews.length.max_tokens", 2, "greater than or equal to 3"),
        ("experiments.reviews.length.longer", "cut", "'truncate', 'refuse' or 'windows'"),
        ("experiments.questions.length.stride", 0, "greater than or equal to 1"),
        ("experiments.reviews.capture.split", "dev", "'train', 'validation' or 'test'"),
        ("experiments.reviews.capture.examples", 0, "greater than or equal to 1"),
        ("experiments.reviews.capture.dtype", "int8", "'float16' or 'float32'"),
        ("propagation.residual", -0.1, "greater than or equal to 0"),
        ("propagation.residual", True, "number"),
        ("propagation.start_layer", -1, "greater than or equal to 0"),
        ("faithfulness.examples", 0, "greater than or equal to 1"),
        ("faithfulness.steps", 1, "greater than or equal to 2"),
        ("faithfulness.steps", 4.5, "integer"),
        ("faithfulness.removal", "drop", "'mask', 'delete' or 'unknown'"),
        ("faithfulness.batch_size", 0, "greater than or equal to 1"),
        ("faithfulness.seed", -1, "greater than or equal to 0"),
        ("projection.metric", "euclid", "'euclidean'"),
        ("projection.points", "all", "'seed38'"),
        ("projection.seeds", [2], "at least 2"),
        ("geometry.metric", "manhattan", "'euclidean'"),
        ("geometry.pair.keys", [], "at least 1"),
        ("clusters.components", 1, "greater than or equal to 2"),
        ("bootstrap.confidence", 1, "less than 1"),
        ("bootstrap.resamples", 10, "greater than or equal to 100"),
        ("report.renderer", "latex", "'auto', 'quarto' or 'pandoc'"),
        ("precision", "float64", "'float32', 'bfloat16' or 'float16'"),
        ("device", "gpu", "auto, cpu, cuda, cuda:N, mps"),
        ("device", "cuda:", "auto, cpu, cuda, cuda:N, mps"),
        ("device", "cuda:-1", "auto, cpu, cuda, cuda:N, mps"),
        ("device", "cuda:\u0661", "auto, cpu, cuda, cuda:N, mps"),
        ("device", 0, "auto, cpu, cuda, cuda:N, mps"),
        *(
            ("workers", value, "allowed: auto, a number of processes from 1, tcp://HOST:PORT;")
            for value in (0, -2, 1.5, True, None, "4", "local", "none", "tcp://", "localhost:8786")
        ),
        *(
            ("geometry.nonlinear", value, "allowed: all, a list of experiments;")
            for value in ("none", "sentences", None, ["sentences", 3])
        ),
        ("heads.images", "pixels", "allowed: none, hog, {source: hub,"),
        ("heads.images", {"source": "local"}, "{source: local, name: a name under files}"),
    ],
)
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


def test_experiments_drawn_by_nonlinear_maps_are_those_that_there_are(load, complaint):
    for chosen in ("all", [], ["sentences", "reviews"]):
        assert load({"geometry.nonlinear": chosen}).geometry.nonlinear in (chosen, tuple(chosen))
    text = complaint({"geometry.nonlinear": ["sentences", "review"]})
    assert "geometry.nonlinear names 'review', which is not an experiment" in text
    assert "agreement, questions, or give all" in text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("propagation", None),
        ("propagation", 3),
        ("faithfulness", None),
        ("faithfulness.fractions", 0.5),
        ("faithfulness.fractions", []),
        ("experiments.reviews", None),
        ("experiments.reviews.train", "yes"),
        ("clusters.ks", 5),
        ("experiments", {}),
        ("experiments", ["reviews"]),
        ("files", ["a"]),
        ("experiments.reviews.data", None),
        ("experiments.reviews.model", "bert-base-uncased"),
        ("experiments.reviews.model", None),
        ("report.focus", []),
    ],
)
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


@pytest.mark.parametrize(
    ("fractions", "said"),
    [
        ([0, 0.5], "fractions.0 is 0; allowed: greater than 0"),
        ([0.5, 1.5], "fractions.1 is 1.5; allowed: less than or equal to 1"),
        ([0.5, "all"], "fractions.1 is 'all'; allowed: number"),
        ([0.5, float("nan")], "fractions.1 is nan; allowed: a finite number"),
        ([0.5, 0.1], "fractions is [0.5, 0.1]; list fractions in increasing order, each once"),
        ([0.1, 0.1], "fractions is [0.1, 0.1]; list fractions in increasing order, each once"),
    ],
)
def test_fractions_are_parts_of_a_text_in_increasing_order(complaint, fractions, said):
    assert f"faithfulness.{said}" in complaint({"faithfulness.fractions": fractions})


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


def test_a_hub_model_and_hub_data_are_taken(load):
    values = load(
        {
            "experiments.reviews.model": {
                "source": "hub",
                "name": "bert-base-uncased",
                "revision": REVISION,
            },
            "experiments.reviews.data": HUB,
        }
    )
    assert isinstance(located(values, "reviews").data, HubData)
    assert located(values, "reviews").data.train == "train"


def test_focus_on_an_unknown_experiment(complaint):
    text = complaint({"report.focus.experiment": "review"})
    assert "report.focus.experiment names 'review'" in text
    assert "sentences, reviews, agreement" in text


@pytest.mark.parametrize(
    ("key", "value"), [("report.focus.example", 64), ("projection.examples", [0, 64])]
)
def test_an_example_beyond_what_is_captured(complaint, key, value):
    text = complaint({key: value})
    assert f"{key} names 64" in text
    assert "capture.examples is 64" in text


@pytest.mark.parametrize("key", ["data.train", "data.test", "model.name"])
def test_a_local_file_must_be_a_name_under_files(complaint, key):
    files = {"my-train": "train.csv", "my-test": "test.csv", "my-model": "model"}
    absent = {"data.train": "my-train", "data.test": "my-test", "model.name": "my-model"}[key]
    text = complaint(
        {
            "files": {name: path for name, path in files.items() if name != absent},
            "experiments.reviews.data": FILES,
            "experiments.reviews.model": {"source": "local", "name": "my-model"},
        }
    )
    assert f"experiments.reviews.{key} is '{absent}', which is not a name under files" in text


def test_local_files_are_found_by_their_names(load):
    values = load(
        {
            "files": {"my-train": "~/train.csv", "my-test": "test.csv", "my-model": "tiny"},
            "experiments.reviews.data": FILES,
            "experiments.reviews.model": {"source": "local", "name": "my-model"},
        }
    )
    found = located(values, "reviews")
    assert isinstance(found.data, FilesData)
    assert isinstance(found.model, LocalModel)
    assert (found.data.train, found.data.test) == ("~/train.csv", "test.csv")
    assert found.model.name == "tiny"
    # What is in the file stays as it is; paths are filled in a copy.
    assert values.experiments["reviews"].data.train == "my-train"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"experiments.reviews.train": None}, "train is null"),
        ({"experiments.reviews.task": "none"}, "set train: null"),
        ({"experiments.reviews.data": {"source": "sentences"}}, "has no labels"),
        ({"experiments.reviews.data": {"source": "texts", "texts": ["a b"]}}, "has no labels"),
        ({"experiments.reviews.data": HUB | {"label": None}}, "data.label is null"),
        ({"experiments.reviews.data": HUB | {"train": None}}, "data.train"),
        ({"experiments.reviews.train.dropout": None}, "train.dropout is null"),
        ({"experiments.reviews.data.grammar": "questions"}, "its data are questions"),
        ({"experiments.reviews.task": "question_answering"}, "its data hold no questions"),
        ({"experiments.questions.data.grammar": "reviews"}, "its data hold no questions"),
        ({"experiments.questions.task": "classification"}, "its data are questions"),
        (
            {"experiments.questions.task": "none", "experiments.questions.train": None},
            "its data are questions",
        ),
        (
            {"experiments.questions.length": {"max_tokens": 96, "longer": "truncate"}},
            "contexts are read in windows: set longer: windows and a stride",
        ),
        (
            {"experiments.reviews.length": {"max_tokens": 96, "longer": "windows", "stride": 32}},
            "windows are for question_answering: set truncate or refuse",
        ),
    ],
)
def test_a_task_and_its_data_must_fit(complaint, changes, said):
    text = complaint(changes)
    assert ".".join(next(iter(changes)).split(".")[:2]) in text  # experiments.NAME
    assert said in text


@pytest.mark.parametrize(
    ("length", "said"),
    [
        ({"longer": "windows"}, "has longer: windows but no stride; give one, in tokens"),
        ({"longer": "windows", "stride": None}, "has longer: windows but no stride"),
        ({"longer": "refuse", "stride": 32}, "has a stride but longer: refuse; remove stride"),
    ],
)
def test_windows_have_a_stride_and_nothing_else_has(complaint, length, said):
    text = complaint({"experiments.questions.length": {"max_tokens": 96, **length}})
    assert f"experiments.questions.length {said}" in text


def test_questions_in_local_files_are_found_by_their_names(load, complaint):
    files = {"my-train": "train.json", "my-test": "dev.json"}
    values = load({"files": files, "experiments.questions.data": SQUAD})
    data = located(values, "questions").data
    assert isinstance(data, SquadFilesData)
    assert (data.train, data.test) == ("train.json", "dev.json")
    del files["my-test"]
    text = complaint({"files": files, "experiments.questions.data": SQUAD})
    assert "experiments.questions.data.test is 'my-test', which is not a name under files" in text


def test_questions_of_the_hub_are_taken(load, complaint):
    hub = SQUAD | {
        "source": "squad-hub",
        "name": "rajpurkar/squad_v2",
        "config": None,
        "revision": REVISION,
    }
    values = load({"experiments.questions.data": hub})
    assert isinstance(located(values, "questions").data, SquadHubData)
    assert located(values, "questions").data.train == "my-train"
    assert "revision" in complaint({"experiments.questions.data": hub | {"revision": "main"}})


def test_question_answering_may_keep_the_dropout_of_the_model(load):
    values = load({"experiments.questions.train.dropout": None})
    assert values.experiments["questions"].train.dropout is None


def test_own_texts_are_taken_as_they_are(load):
    texts = ["<b>&amp;</b> {{< var x >}}", " $x$ ", "日本語"]
    own = {"experiments.sentences.data": {"source": "texts", "texts": texts}}
    values = load(own | {"projection.examples": [0], "geometry.texts": 3})
    assert list(values.experiments["sentences"].data.texts) == texts


def test_shown_text_must_be_one_of_the_own_texts(complaint):
    own = {"experiments.sentences.data": {"source": "texts", "texts": ["one text", "another"]}}
    said = complaint(own | {"projection.examples": [1, 2]})
    assert "projection.examples names 2" in said
    assert "the number of data.texts is 2" in said


@pytest.mark.parametrize("texts", [[], None, "one text", [1, 2], [None]])
def test_own_texts_must_be_a_list_of_strings(complaint, texts):
    key = "experiments.sentences.data.texts"
    assert key in complaint({"experiments.sentences.data": {"source": "texts", "texts": texts}})


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
    assert yaml.load(text, Loader=reading._Loader) == text


def test_comments_and_anchors_of_yaml_work(tmp_path):
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    text = text.replace("device: auto", "device: &d auto # note").replace(
        "renderer: auto", "renderer: *d"
    )
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    assert params.load(path).report.renderer == "auto"


def test_shared_settings_can_be_merged():
    text = """
        base: &base {epochs: 2, seed: 0}
        more: {<<: *base, seed: 1}
    """
    read = yaml.load(textwrap.dedent(text), Loader=reading._Loader)
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
        (b"device: cpu\ndevice: cuda\n", "'device' stands twice"),
        (b"a: {b: 1, c: 2, b: 3}\n", "'b' stands twice"),
        (b"device: [cpu\n", "not valid YAML at line 2"),
        (b"device: \tcpu: x\n", "not valid YAML"),
        (b"x: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
        (b"? [a, b]\n: 1\n", "not valid YAML"),
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
    assert "was not found" in refused(tmp_path / "params.yaml")
    refused(tmp_path)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "a: &a [*a]", "a: &a {b: *a}", "files: &a {x: *a}"], ids=lambda t: t[:9]
)
def test_endless_structures_are_refused(tmp_path, text):
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    refused(path)


def test_no_more_texts_on_a_map_than_are_captured(complaint):
    text = complaint({"geometry.texts": 65})
    assert "geometry.texts is 65" in text
    assert "capture.examples is 64" in text


@pytest.mark.parametrize("key", ["examples", "seeds"])
def test_what_a_map_is_made_of_is_named_once(complaint, key):
    assert "names 4 twice" in complaint({f"projection.{key}": [4, 5, 4]})


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


def test_a_truth_value_is_no_text(complaint):
    data = {"source": "texts", "texts": [True]}
    assert "texts.0 is True" in complaint({"experiments.sentences.data": data})
