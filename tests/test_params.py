"""params.yaml: what is taken, and the one sentence on what is not."""

import copy
import importlib
import re
import shutil
import subprocess
import textwrap
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import tiny_experiment as tiny
import yaml
from data_sections import FILES, HUB, REVISION, SQUAD_FILES, SQUAD_HUB
from pydantic import ValidationError
from refusals import refusal, sentences

from analysis.__main__ import profile as write_profile
from analysis.parameters import Params, load, located, located_corpus
from analysis.parameters.derived import mapped_texts
from analysis.parameters.faults import MOST_TOLD, faults
from analysis.parameters.profiles import COMMITTED, merged, profile
from attention_mixing.errors import InputError, told
from attention_mixing.schemas import PARAMETERS as SCHEMA
from attention_mixing.settings.derived import joint_texts
from attention_mixing.settings.values import Section
from attention_mixing.yaml_text import read_yaml

ROOT = Path(__file__).parents[1]
MISTAKES = yaml.safe_load((ROOT / "tests" / "mistakes.yaml").read_text(encoding="utf-8"))
PROFILES = sorted(path.stem for path in ROOT.glob("profiles/*.yaml"))
REMOVED = object()
# Modules of sections.
DECLARED = (
    *(f"attention_mixing.settings.{of}" for of in ("sources", "experiment", "measures")),
    "analysis.parameters.sections",
)
# Names under `files`.
MINE = {"train": "my-train", "test": "my-test"}


@pytest.fixture(scope="module")
def committed() -> dict:
    return tiny.committed()


@pytest.fixture
def changed(committed):
    """Return ``changed({"dotted.key": value, ...})``: the committed file with changes."""

    def with_changes(changes: dict[str, object]) -> dict:
        values = copy.deepcopy(committed)
        for dotted, value in changes.items():
            *parents, last = dotted.split(".")
            section = reduce(getitem, parents, values)
            if value is REMOVED:
                del section[last]
            else:
                section[last] = value
        return values

    return with_changes


@pytest.fixture
def accepted(changed):
    """Return ``accepted(changes)``: the parameters with these changes."""
    return lambda changes: Params.model_validate(changed(changes))


@pytest.fixture
def complaint(changed):
    """Return ``complaint(changes)``: what is said about them, in lines of one sentence each."""

    def message(changes: dict[str, object]) -> str:
        values = changed(changes)
        with pytest.raises(ValidationError) as caught:
            Params.model_validate(values)
        return "\n".join(sentences(InputError("\n".join(faults(caught.value, values)))))

    return message


def test_the_typed_model_has_no_value_of_its_own():
    modules = [importlib.import_module(name) for name in DECLARED]
    classes = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    fields = [
        field for one in classes if issubclass(one, Section) for field in one.model_fields.values()
    ]
    assert len(fields) > 100
    for field in fields:
        assert field.is_required() or field.default is None
        assert field.default_factory is None


@pytest.mark.parametrize("name", [None, *PROFILES])
def test_committed_parameters_are_complete_and_explained(name, at_root, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(profile(name) if name else (ROOT / "params.yaml").read_text("utf-8"), "utf-8")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#")
    given = read_yaml(text)
    readers = [*given["experiments"].values(), *given["sinks"]["corpora"].values()]
    for experiment in readers:  # of the two keys, one must not stand there
        experiment["length"] = {"longer": None, "stride": None} | experiment["length"]
        if "validation_fraction" in experiment["data"]:  # a test part of its own
            experiment["data"] = {"test_fraction": None} | experiment["data"]
        if experiment["data"]["source"] in ("files", "squad-files"):  # no licence of them is stated
            experiment["data"] = {"licence": None} | experiment["data"]
        if experiment["data"]["source"] == "files":  # without a column of evidence
            experiment["data"] = {"evidence": None} | experiment["data"]
        if experiment["data"]["source"] in ("files", "hub"):  # nor one of targets
            experiment["data"] = {"target": None} | experiment["data"]
        if experiment["data"]["source"] == "texts":
            experiment["data"] = {"targets": None} | experiment["data"]
    values = load(path)
    assert given.pop("schema") == SCHEMA.version
    # Nothing is changed, and nothing is left to a default that the file does not show.
    assert values.model_dump(mode="json") == given
    for name in values.experiments:
        located(values, name)
    for corpus in values.sinks.corpora.values():
        located_corpus(values, corpus)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_holds_only_what_differs(name, at_root):
    committed = read_yaml((ROOT / "reference" / "quick" / "params.yaml").read_text("utf-8"))
    different = read_yaml((ROOT / "profiles" / f"{name}.yaml").read_text("utf-8"))
    written = read_yaml(profile(name))
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


@pytest.fixture
def clone(here):
    """A repository with the committed parameters and two profiles, one commit old."""
    for name in ("reference/quick/params.yaml", "profiles/imdb.yaml", "profiles/my-data.yaml"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, here / name)
    Path("params.yaml").write_text("schema: 1  # mine\n", encoding="utf-8")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "First"]):
        subprocess.run(["git", *command], check=True)
    return here


def test_a_profile_replaces_parameters_that_are_elsewhere_too(clone, capsys):
    for name, before in (
        ("imdb", "was that of the last commit"),
        ("my-data", "was that of profile imdb"),
        ("imdb", "was that of profile my-data"),
    ):
        write_profile(name)
        assert before in capsys.readouterr().out
        assert Path("params.yaml").read_text(encoding="utf-8") == profile(name)
    shutil.copyfile(COMMITTED, "params.yaml")
    write_profile("my-data")
    assert "was that of reference/quick/params.yaml" in capsys.readouterr().out


@pytest.mark.parametrize("git", [True, False])
def test_a_profile_replaces_no_edits_unless_told_to(clone, capsys, git):
    if not git:
        shutil.rmtree(".git")
    write_profile("imdb", force=True)
    edited = profile("imdb").replace("/data/", "/mine/")
    Path("params.yaml").write_text(edited, encoding="utf-8")
    said = refusal(write_profile, "my-data")
    assert "edits that neither a commit nor a profile has" in said and "add --force" in said
    assert Path("params.yaml").read_text(encoding="utf-8") == edited
    write_profile("my-data", force=True)
    assert "was one with edits" in capsys.readouterr().out


def test_there_is_no_such_profile(at_root):
    with pytest.raises(
        InputError, match=r"no profile 'imdbs'; choose one of bert-base, generated, gpt2"
    ):
        profile("imdbs")


@pytest.mark.parametrize(("key", "suggestion"), MISTAKES["unknown"].items())
def test_an_unknown_key_is_named_with_the_nearest_known_one(complaint, key, suggestion):
    text = complaint({key: 1})
    assert f"{key} is not a known key" in text
    assert re.search(rf"did you mean {suggestion}\b", text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("device", "w" * 20_000),
        ("workers", ["w" * 20_000]),
        ("w" * 20_000, 1),
        ("files", {"W" * 20_000: "a"}),
        ("report.focus.experiment", "w" * 20_000),
        ("geometry.nonlinear", ["w" * 20_000]),
        ("faithfulness.fractions", [0.1] * 20_000),
    ],
    ids=map(str, range(7)),
)
def test_of_a_long_value_or_name_the_beginning_is_told(complaint, key, value):
    said = complaint({key: value}).split("\n")
    assert max(map(len, said)) < 1500
    assert "... (" in said[0]


def test_an_unknown_key_like_no_other_gets_the_known_ones(complaint):
    text = complaint({"propagation.zzz": 1})
    assert "propagation.zzz" in text
    assert "residual, start_layer" in text


def test_what_a_misspelt_key_leaves_missing_is_no_fault_of_its_own(complaint):
    said = complaint({"bootstrap.resamples": REMOVED, "bootstrap.resample": 1000})
    fault = "bootstrap.resample is not a known key; did you mean resamples; correct or remove it."
    assert said == fault


def test_all_faults_are_told_at_once(complaint, committed):
    said = complaint(
        {
            "experiments.reviews.train.epoch": 1,
            "experiments.questions.capture.split": REMOVED,
            "experiments.verbs.data.grammar": "reviews",
            "propagation.residual": 3,
            "propagation.colour": "red",
            "heads.examples": "all",
            "clusters.k": REMOVED,
        }
    )
    assert said.split("\n") == [
        "experiments.reviews.train.epoch is not a known key; did you mean epochs; correct or "
        "remove it.",
        "propagation.colour is not a known key; allowed there: residual, start_layer, "
        "flow_sources, value_zeroing; correct or remove it.",
        "experiments.questions.capture.split, clusters.k are missing; see "
        "reference/quick/params.yaml, which has every key.",
        "experiments.verbs has task language_modelling but the grammar reviews, whose labels are "
        "no words that come next; use grammar: agreement.",
        "propagation.residual is 3; allowed: a number from 0 to 1; correct it.",
        "heads.examples is 'all'; allowed: null or a whole number from 1 to 1000000; correct it.",
    ]


def test_what_does_not_fit_is_told_at_once(complaint):
    said = complaint(
        {
            "experiments.reviews.data": FILES | MINE,
            "report.focus.experiment": "review",
            "geometry.nonlinear": ["sentence"],
            "clusters.features": "images",
            "heads.images": "none",
        }
    )
    assert [line.split(";")[0] for line in said.split("\n")] == [
        "report.focus.experiment names 'review', which is not an experiment",
        "geometry.nonlinear names 'sentence', which is not an experiment",
        "clusters.features is images but heads.images is none",
        "experiments.reviews.data.train is 'my-train', which is not a name under files",
        "experiments.reviews.data.test is 'my-test', which is not a name under files",
    ]


def test_of_very_many_faults_the_first_are_told(complaint):
    said = complaint({"faithfulness.fractions": [2] * 1000}).split("\n")
    assert len(said) == MOST_TOLD + 1
    assert said[-1] == "980 more follow; correct these first."


def test_a_list_is_not_too_short_for_a_value_of_it_that_is_wrong(complaint):
    assert complaint({"projection.seeds": [2, -1]}).startswith("projection.seeds.1 is -1; allowed")


def test_a_section_of_an_encoder_is_named_as_it_stands_in_the_file(complaint):
    encoder = {
        **{"model": {"source": "hub", "name": "a/b", "revision": "main"}, "texts": "mine"},
        **{"column": "text", "limit": None, "held_out": 1, "max_tokens": 8, "masked": 0.1},
        **{"seed": 0, "epochs": 1, "batch_size": 1, "learning_rate": 1e-3, "weight_decay": 0},
        **{"warmup": 0, "evaluations": 1},
    }
    assert "encoders.own.model.revision is 'main'; allowed: a full commit hash" in complaint(
        {"encoders": {"own": encoder}, "files": {"mine": "mine.csv"}}
    )


def test_lines_of_several_faults_are_errors_each_and_end_with_code_2(changed, here, capsys):
    values = {"schema": SCHEMA.version} | changed({"propagation.residual": 3, "heads.side": 7})
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    with pytest.raises(SystemExit) as ended, told():
        load()
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: params.yaml: propagation.residual is 3; allowed: a number from 0 to 1; correct it.",
        "error: params.yaml: heads.side is 7; allowed: a whole number from 8 to 1024; correct it.",
    ]


@pytest.mark.parametrize("key", MISTAKES["missing"])
def test_a_missing_key_is_named(complaint, key):
    assert f"{key} is missing; see reference/quick/params.yaml" in complaint({key: REMOVED})


@pytest.mark.parametrize(("key", "value", "allowed"), MISTAKES["values"])
def test_a_wrong_value_is_shown_with_what_is_allowed(complaint, key, value, allowed):
    text = complaint({key: value})
    assert f"{key} is {value!r}" in text
    assert allowed in text


def test_a_value_of_no_allowed_kind_is_one_mistake(complaint):
    assert "\n" not in complaint({"workers": "local"})
    assert complaint({"workers": 0, "geometry.nonlinear": 3}).count("\n") == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("workers", "auto"),
        ("workers", 16),
        ("workers", "tls://scheduler:1"),
        ("geometry.nonlinear", "all"),
        ("geometry.nonlinear", ()),
        ("geometry.nonlinear", ("sentences", "reviews")),
        ("faithfulness.fractions", (1.0,)),
        ("experiments.questions.train.dropout", None),
    ],
)
def test_what_is_allowed_is_read_as_it_is_written(accepted, key, value):
    values = accepted({key: value}).model_dump()
    assert reduce(getitem, key.split("."), values) == value


@pytest.mark.parametrize("texts", [65, [0, 3, 65]])
def test_an_experiment_with_fewer_texts_leaves_out_those_beyond_on_its_maps(accepted, texts):
    few = {"source": "texts", "texts": ["First text.", "Second text."]}
    values = accepted(
        {
            "experiments.sentences.data": few,
            "projection.examples": [0, 1, 6],
            "geometry.texts": texts,
        }
    )
    assert values.experiments["sentences"].captured_at_most == (2, "the number of data.texts")
    assert mapped_texts(values, 2) == (0, 1)
    assert joint_texts(values.geometry.texts, 2) == ((0, 1) if texts == 65 else (0,))
    assert mapped_texts(values, 64)[-1] == (63 if texts == 65 else 6)


@pytest.mark.parametrize(("key", "value"), MISTAKES["shapes"])
def test_a_section_of_another_shape_is_named(complaint, key, value):
    assert re.search(rf"\b{re.escape(key)}\b", complaint({key: value}))


@pytest.mark.parametrize("mistake", MISTAKES["conflicts"], ids=lambda one: one["said"])
def test_values_that_do_not_fit_are_told(complaint, mistake):
    assert mistake["said"] in complaint(mistake["changes"])


@pytest.mark.parametrize("name", ["Reviews", "1st", "my reviews", "../up", "a" * 40, ""])
def test_a_name_that_is_no_plain_file_name_is_refused(complaint, committed, name):
    text = complaint({"experiments": {name: committed["experiments"]["sentences"]}})
    assert "experiments" in text
    assert "lower-case letters, digits and hyphens" in text


@pytest.mark.parametrize(("name", "data"), [("reviews", HUB), ("questions", SQUAD_HUB)])
def test_a_hub_model_and_hub_data_are_taken(accepted, name, data):
    model = {"source": "hub", "name": "bert-base-uncased", "revision": REVISION}
    values = accepted({f"experiments.{name}.model": model, f"experiments.{name}.data": data})
    found = located(values, name)
    assert found.data.model_dump(exclude={"test_fraction", "target"}) == data
    assert found.model.model_dump() == model


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


@pytest.mark.parametrize("path", ["../data/x.csv", "data/../../x.csv", ".."])
def test_paths_that_lead_out_of_the_repository_are_refused(changed, here, path):
    """They lead nowhere from where DVC runs a queued experiment. A kept run may have them."""
    for name in ("params.yaml", "kept.yaml"):
        Path(name).write_text(yaml.safe_dump(changed({"files": {"mine": path}})), encoding="utf-8")
    said = refused(Path("params.yaml"))
    assert f"files.mine is '{path}', which leads out of the repository" in said
    assert "write the path in full" in said
    assert load(Path("kept.yaml")).files == {"mine": path}


@pytest.mark.parametrize("path", ["/data/x.csv", "..x.csv", "data/../x.csv"])
def test_other_paths_are_taken(changed, here, path):
    Path("params.yaml").write_text(yaml.safe_dump(changed({"files": {"mine": path}})), "utf-8")
    assert load().files == {"mine": path}


@pytest.mark.parametrize(("name", "data"), [("reviews", FILES), ("questions", SQUAD_FILES)])
def test_local_files_are_found_by_their_names(accepted, name, data):
    values = accepted(
        {
            "files": {"my-train": "/data/train.csv", "my-test": "test.csv", "my-model": "tiny"},
            f"experiments.{name}.data": data | MINE,
            f"experiments.{name}.model": {"source": "local", "name": "my-model"},
        }
    )
    found = located(values, name)
    given = found.data.model_dump(exclude_unset=True)
    assert given == data | {"train": "/data/train.csv", "test": "test.csv"}
    assert found.model.name == "tiny"
    # What is in the file stays as it is; paths are filled in a copy.
    assert values.experiments[name].data.train == "my-train"


@pytest.mark.parametrize("key", ["label", "train"])
def test_a_classifier_needs_labels_and_texts_to_learn_from(complaint, key):
    text = complaint({"experiments.reviews.data": HUB | {key: None}})
    assert "its data of source hub have no labels; use" in text
    assert "with data.train and data.label" in text


def test_parameters_are_frozen(accepted):
    values = accepted({})
    for section in (values, values.report.focus, values.experiments["reviews"].train):
        field = next(iter(type(section).model_fields))
        with pytest.raises(ValidationError, match="frozen"):
            setattr(section, field, getattr(section, field))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        *(("2e-5", 2e-5), ("2.0e-5", 2e-5), ("1E-4", 1e-4), ("1e+0", 1.0), (".5", 0.5), ("1", 1)),
        *((word, word) for word in ("1e5x", "e5", "1-5", "2e", "Yes", "no", "On", "off", "y")),
        # Not 90 and 8, as in YAML 1.1.
        *(("1:30", "1:30"), ("010", 10)),
    ],
)
def test_numbers_and_words_are_read_as_a_reader_would(written, read):
    """`dvc exp run -S` writes YAML 1.2, in which these words need no quotes."""
    found = read_yaml(f"key: {written}")["key"]
    assert (found, type(found)) == (read, type(read))


def test_shared_settings_can_be_merged():
    text = """
        base: &base {epochs: 2, seed: 0}
        more: {<<: *base, seed: 1}
    """
    read = read_yaml(textwrap.dedent(text))
    assert read["more"] == {"epochs": 2, "seed": 1}


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load(path)
    said = sentences(caught.value)
    assert all(str(path) in one for one in said)
    return "\n".join(said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a: {b: 1, c: 2, b: 3}\n", 'duplicate key "b"'),
        (b"device: [cpu\n", "not valid YAML at line 2"),
        (b"a: 1\n<<<<<<< HEAD\nb: 1\n", "has a conflict marker of git (<<<<<<<) at line 2"),
        (b"a: 1\n=======\nb: 1\n", "has a conflict marker of git (=======) at line 2"),
        (b"x: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
        (b"? [a, b]\n: 1\n", "is not a known key"),
        (b"- device\n", "list, not a mapping"),
        (b"", "not a mapping"),
        (b"device: caf\xe9\n", "not UTF-8 (byte 11)"),
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
    "text", ["[" * 600, "a: &a [*a]", "a: &a {b: *a}", "files: &a {x: *a}"], ids=lambda t: t[:9]
)
def test_endless_structures_are_refused(tmp_path, text):
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    refused(path)


@pytest.mark.parametrize("file", ["reference/quick/params.yaml", "profiles/imdb.yaml"])
def test_a_profile_of_damaged_files_is_refused(here, file):
    for name in ("reference/quick/params.yaml", "profiles/imdb.yaml"):
        (here / name).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / name, here / name)
    assert profile("imdb")
    with Path(file).open("a") as damaged:
        damaged.write("<<<<<<< HEAD\n")
    said = refusal(profile, "imdb")
    assert said.startswith(f"{file} has a conflict marker of git (<<<<<<<)")


def test_a_profile_with_a_key_that_there_is_no_longer_is_refused(at_root):
    committed = COMMITTED.read_text(encoding="utf-8")
    said = refusal(merged, committed, "# Mine.\n\nexperiments: {}\n\nheads:\n  former: 1\n")
    assert "the profile has heads.former, which reference/quick" in said


def of_sinks(**changes) -> dict:
    """Committed parameters with a corpus of the experiment on sinks, some keys changed."""
    values = read_yaml((ROOT / "params.yaml").read_text("utf-8"))
    small = read_yaml((ROOT / "profiles" / "sinks-small.yaml").read_text("utf-8"))
    values["sinks"]["corpora"] = small["sinks"]["corpora"]
    for place, value in changes.items():
        *parents, key = place.split("__")
        section = values["sinks"]
        for parent in parents:
            section = section[parent]
        section[key] = value
    return values


CORPUS = "corpora__agreement"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({f"{CORPUS}__data": {"source": "sentences"}}, "source sentences that are no labelled"),
        ({f"{CORPUS}__data__grammar": "questions"}, "source generated that are no labelled texts"),
        ({f"{CORPUS}__length": {"max_tokens": 40, "stride": 4}}, "give max_tokens and longer"),
        ({f"{CORPUS}__train__texts": 900}, "train.texts 900 but data.sizes.train is 400; lower"),
        ({f"{CORPUS}__train__other_rates": [2e-4]}, "0.0002 among other_rates too; remove it"),
        ({"trial__arms": ["free", "clamped"]}, "without placebo_move, which the outcome rests on"),
        ({"trial__doses": [0.0, 1.0]}, "a dose of 0, which changes nothing; remove it"),
        ({f"{CORPUS}__model": {"source": "local", "name": "mine"}}, "model.name is 'mine', which"),
        ({f"{CORPUS}__data__source": "hubs"}, "sinks.corpora.agreement.data.source is 'hubs'"),
        ({f"{CORPUS}__data__seed": -1}, "sinks.corpora.agreement.data.seed is -1; allowed: a"),
        ({"trial__texts": 1}, "sinks.trial.texts is 1; allowed: a whole number from 2 to 1000000"),
    ],
)
def test_what_no_experiment_on_sinks_can_be_is_told(changes, said, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(of_sinks(**changes)), encoding="utf-8")
    told = refusal(load, path)
    assert said in told and "\n" not in told


@pytest.mark.parametrize("section", ["dependence", "sinks"])
def test_parameters_without_what_came_later_are_those_of_kept_runs(section, here):
    values = of_sinks()
    del values[section]
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    assert f"{section} is missing; see reference/quick/params.yaml" in refusal(load)
    Path("kept.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    assert getattr(load(Path("kept.yaml")), section) is None
