"""What cannot run is refused before anything runs."""

import json
import os
import re
import subprocess
import time

import pytest
import tiny_experiment as tiny
import yaml
from families import FAMILIES
from refusals import refusal
from small_run import ROOT, small_parameters, untried_parameters, write_parameters
from transformers import AutoConfig

from analysis.checks.runnable import check
from attention_mixing.models import source

LOCAL = {"source": "local", "name": "mine"}


@pytest.fixture
def refused(here):
    """Return ``refused(values)``: the one sentence that is said of parameters."""

    def refused_by_check(values: dict) -> str:
        write_parameters(here, values)
        return refusal(check)

    return refused_by_check


def with_model(directory, content: str) -> dict:
    """Parameters whose trained experiment has a local model of this configuration."""
    (directory / "mine").mkdir()
    (directory / "mine" / "config.json").write_text(content, encoding="utf-8")
    values = small_parameters() | {"files": {"mine": "mine"}}
    values["experiments"]["reviews"]["model"] = LOCAL
    return values


@pytest.mark.parametrize("content", ["", '{"write": {"/a": {"pi'])
def test_a_lock_of_dvc_that_was_cut_off_is_removed(tmp_path, monkeypatch, content):
    """DVC itself stops at it, and does not say what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".dvc" / "tmp").mkdir(parents=True)
    (tmp_path / ".dvc" / "tmp" / "rwlock").write_text(content, encoding="utf-8")
    write_parameters(tmp_path, untried_parameters())
    check()
    assert not (tmp_path / ".dvc" / "tmp" / "rwlock").exists()


CONFLICT = "schema: '2.0'\n<<<<<<< HEAD\nstages: {}\n=======\nstages: {a: 1}\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("dvc.yaml", "`git checkout HEAD dvc.yaml`, which undoes your changes of it"),
        ("dvc.lock", "`rm dvc.lock`, without which DVC still finds what it has kept"),
        (
            "params.yaml",
            "`cp reference/quick/params.yaml params.yaml`, which replaces your experiments and "
            "settings by the committed ones",
        ),
    ],
)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (CONFLICT, "has a conflict marker of git (<<<<<<<) at line 2"),
        ("stages:\n  a: {cmd: [\n", "is not valid YAML at line 3"),
        ("stages: 1\nstages: 2\n", 'duplicate key "stages"'),
        ("", "holds NoneType, not a mapping"),
    ],
)
def test_damage_of_what_dvc_reads_is_told(here, tmp_path, file, remedy, content, problem):
    write_parameters(tmp_path, small_parameters())
    (tmp_path / file).write_text(content, encoding="utf-8")
    said = refusal(check)
    assert said.startswith(f"{file} ")
    assert problem in said
    assert remedy in said


def test_files_that_git_could_not_merge_are_named(refused, tmp_path):
    """Pages would show the markers as text."""
    (tmp_path / "page.qmd").write_text("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n")
    (tmp_path / "other.qmd").write_text("Title\n=======\n <<<<<<< \n")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    assert refused(small_parameters()).startswith("git has left conflict markers in page.qmd; keep")
    (tmp_path / "page.qmd").write_text("a\nb\n")
    check()


def test_the_committed_parameters_pass(at_root):
    check()


def test_a_configuration_that_says_no_number_is_refused(refused, tmp_path):
    said = refused(with_model(tmp_path, json.dumps({"model_type": "gpt2"})))
    assert "the configuration of a gpt2 has no num_hidden_layers; allowed: an enc" in said


@pytest.mark.parametrize("content", ["{", "[1]", "[" * 100_000])
def test_what_is_no_configuration_is_refused(refused, tmp_path, content):
    said = refused(with_model(tmp_path, content))
    assert "mine/config.json is no configuration of a model" in said


WHOLE = "allowed: 1 to 1000000; copy the model again"


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("bert", {"num_attention_heads": 0}, f"num_attention_heads 0; {WHOLE}"),
        ("bert", {"num_attention_heads": "4"}, f"num_attention_heads '4'; {WHOLE}"),
        ("bert", {"num_hidden_layers": -1}, f"num_hidden_layers -1; {WHOLE}"),
        ("bert", {"num_hidden_layers": None}, f"num_hidden_layers None; {WHOLE}"),
        ("distilbert", {"n_layers": 0}, f"n_layers 0; {WHOLE}"),
        ("roberta", {"max_position_embeddings": 0}, f"max_position_embeddings 0; {WHOLE}"),
        ("bert", {"pad_token_id": 10**6}, "pad_token_id 1000000; allowed: 0 to 31; copy"),
        ("bert", {"pad_token_id": "0"}, "pad_token_id '0'; allowed: 0 to 31; copy"),
        (
            "bert",
            {"quantization_config": {"quant_method": "gptq"}},
            "a quantization_config, but models",
        ),
    ],
)
def test_a_configuration_that_no_model_can_have_is_refused(
    refused, make_model, tmp_path, kind, changes, said
):
    config = make_model(kind).config.to_diff_dict()
    assert f"mine/config.json has {said}" in refused(
        with_model(tmp_path, json.dumps(config | changes))
    )


@pytest.mark.parametrize(("kind", "stated"), [("bert", {"pad_token_id": None}), ("gpt2", {})])
def test_a_classifier_without_padding_token_is_refused(
    refused, make_model, tokenizer, tmp_path, kind, stated
):
    """GPT-2 has none where its config.json does not name any."""
    config = make_model(kind).config.to_diff_dict()
    config.pop("pad_token_id", None)
    values = with_model(tmp_path, "{}")
    tiny.save(make_model(kind), tokenizer, tmp_path / "mine")
    (tmp_path / "mine" / "config.json").write_text(json.dumps(config | stated), encoding="utf-8")
    values["experiments"]["reviews"]["length"]["max_tokens"] = 40
    said = refused(values)
    assert "experiments.reviews.model has no pad_token_id in its config.json" in said


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
def test_more_tokens_than_the_model_has_positions_for_are_refused(
    refused, make_model, tokenizer, tmp_path, kind
):
    """RoBERTa counts places from behind that of padding, which only a pass tells."""
    values = with_model(tmp_path, json.dumps(make_model(kind).config.to_diff_dict()))
    tiny.save(make_model(kind), tokenizer, tmp_path / "mine")
    values["experiments"]["reviews"]["length"]["max_tokens"] = 41
    said = "experiments.reviews.length.max_tokens is 41 but the model takes at most 40 tokens"
    assert said in refused(values)


@pytest.mark.parametrize("name", ["mine", "model", "own"])
def test_the_experiment_whose_model_cannot_be_used_is_named(
    refused, make_model, tokenizer, tmp_path, name
):
    """Words of the sentence may be its name."""
    values = with_model(tmp_path, "{}")
    values["experiments"] = {
        "sentences": values["experiments"]["own"],
        name: values["experiments"]["reviews"],
    }
    values["experiments"][name]["length"]["max_tokens"] = 40
    values["report"]["focus"]["experiment"], values["geometry"]["nonlinear"] = "sentences", "all"
    config = {"model_type": "bert", "num_attention_heads": 0}
    (tmp_path / "mine" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert refused(values).startswith(f"experiments.{name}: mine/config.json has num_attention")
    tiny.save(make_model("bert"), tokenizer, tmp_path / "mine")
    (tmp_path / "mine" / "model.safetensors").write_bytes(b"")
    assert refused(values).startswith(f"experiments.{name}: ")


def test_a_file_is_no_model_directory(refused, tmp_path):
    values = with_model(tmp_path, "{}") | {"files": {"mine": "mine/config.json"}}
    assert "mine/config.json is no directory; allowed: a directory written by" in refused(values)


def test_attention_that_anatomy_cannot_rebuild_is_refused_before_it_is_fetched(
    refused, tmp_path, monkeypatch
):
    """Gemma 2 caps its scores; of the hub's model, only the configuration is here."""
    config = AutoConfig.for_model("gemma2", attn_logit_softcapping=0.01, **FAMILIES["gemma2"][0])
    config.save_pretrained(tmp_path / "fetched")
    directory = source._directory
    monkeypatch.setattr(
        source,
        "_directory",
        lambda model, names: (
            tmp_path / "fetched" if model.source == "hub" else directory(model, names)
        ),
    )
    values = small_parameters()
    values["experiments"]["own"]["model"] = {
        **{"source": "hub", "name": "some/gemma", "revision": "0" * 40}
    }
    values["report"]["focus"] = {"experiment": "own", "example": 0}
    said = refused(values)
    assert "rebuilt from the weights of some/gemma differ from the model's own" in said
    assert "its attention is not plain scaled dot-product attention; choose another" in said


@pytest.mark.parametrize(("key", "given", "most"), [("layer", 7, 6), ("head", 13, 12)])
def test_a_layer_and_a_head_that_the_model_lacks_are_refused(refused, key, given, most):
    values = small_parameters()
    values["anatomy"][key] = given
    said = refused(values)
    assert f"anatomy.{key} is {given} but all-MiniLM-L6-v2 has {key}s 1 to {most}" in said


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("nowhere", "which"),
        ("~nobody/train.csv", "which"),
        ("~/train.csv", "which"),  # DVC takes it for a directory of that name
        ("a" * 5000, "which"),
        ("\0", "which"),
        ("/dev/zero", "which"),
        ("held/pipe", "which"),
        ("held", "where held/pipe"),
    ],
)
def test_what_is_no_file_is_refused_before_it_is_read(refused, tmp_path, monkeypatch, given, place):
    """A pipe or a device could be read for ever."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "train.csv").touch()
    (tmp_path / "held").mkdir()
    os.mkfifo(tmp_path / "held" / "pipe")
    said = refused(small_parameters() | {"files": {"mine": given}})
    assert f"files.mine is {given}, {place} is neither a file nor a directory" in said


def test_a_flow_of_hours_is_announced(here, capsys):
    """What is said grows as the flow does, and goes with fewer sources."""
    values = untried_parameters()
    reviews = values["experiments"]["reviews"]
    values["report"]["explorer"]["texts"] = "none"

    def said(texts, sources):
        reviews["length"]["max_tokens"], reviews["capture"]["examples"] = 512, texts
        values["propagation"]["flow_sources"] = sources
        write_parameters(here, values)
        check()
        return capsys.readouterr().out

    few, many = (float(re.search(r"about ([\d.]+) hours", said(n, None))[1]) for n in (800, 1600))
    assert few > 1
    assert many == pytest.approx(2 * few, abs=0.2)
    assert said(800, None).startswith("reviews: attention flow from 512 tokens of each of 800 ")
    assert said(4, 1) == ""


def test_an_explorer_of_a_hundred_megabytes_is_announced(here, capsys):
    values = untried_parameters()
    values["propagation"]["flow_sources"] = 1

    def said(texts, tokens=512, shown="licensed"):
        values["geometry"]["texts"] = values["projection"]["examples"] = list(range(texts))
        values["experiments"]["reviews"]["length"]["max_tokens"] = tokens
        values["report"]["explorer"]["texts"] = shown
        write_parameters(here, values)
        check()
        return re.findall(r"^reviews: .*about (\d+) MB", capsys.readouterr().out, re.MULTILINE)

    few, many = (int(size) for texts in (2, 4) for size in said(texts))
    assert many == pytest.approx(2 * few, abs=2)
    assert said(4, 64) == said(4, shown="none") == []


def with_texts(*texts: str) -> dict:
    values = small_parameters()
    values["experiments"]["own"]["data"]["texts"] = list(texts)
    values["projection"]["examples"], values["geometry"] = [0], values["geometry"] | {"texts": 1}
    return values


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hi", "projection.examples [0] of own have 3 tokens together; a map needs at least"),
        ("\u200b", "experiments.own: text 0 (counted from 0) has no token the model knows of"),
    ],
)
def test_texts_that_no_map_can_be_made_of_are_refused_before_others_are_trained(
    refused, text, said
):
    assert said in refused(with_texts(text))


def test_texts_that_an_experiment_lacks_are_left_out_of_its_maps_and_named(here, capsys):
    text = "Time flies like an arrow, and fruit flies like a banana."
    values = with_texts(text, text)
    values["projection"]["examples"], values["geometry"]["texts"] = [0, 3, 6], 3
    write_parameters(here, values)
    check()
    said = "projection.examples names 3, 6, but only 2 texts are captured (the first is 0); the "
    assert f"own: {said}maps of this experiment are without.\n" in capsys.readouterr().out


def test_maps_that_are_too_few_for_clusters_are_refused_before(refused):
    values = with_texts("Time flies like an arrow.")
    values["clusters"] |= {"ks": [2, 3, 80], "k": 2, "sample": 100}
    assert "own has only 72 maps of a model, too few for 80 clusters (clusters.ks)" in refused(
        values
    )


def test_an_image_model_of_ones_own_is_tried_before(refused, tmp_path):
    values = small_parameters() | {"files": {"eyes": "eyes"}}
    values["heads"]["images"] = {"source": "local", "name": "eyes"}
    (tmp_path / "eyes").mkdir()
    assert "eyes has no config.json; allowed: a directory written by save_pretrained" in refused(
        values
    )


def with_file(directory, content: bytes) -> dict:
    """Parameters with an experiment of a local file, and an encoder to be trained on it."""
    (directory / "mine.csv").write_bytes(content)
    values = untried_parameters()
    file = str(directory / "mine.csv")
    values["files"] = {"mine": file, "adapted": "encoders/adapted"}
    profile = yaml.safe_load((ROOT / "profiles" / "masked-words.yaml").read_text(encoding="utf-8"))
    adapted = profile["encoders"]["masked-words"] | {"texts": "mine", "column": "text"}
    values["encoders"] = {"adapted": adapted}
    values["experiments"]["own"]["model"] = {"source": "local", "name": "adapted"}
    values["experiments"]["own"]["data"] = {
        **{"source": "files", "train": None, "test": "mine", "text": "text", "label": None},
        **{"validation_fraction": 0.5, "limits": {"train": None, "test": None}, "seed": 0},
    }
    return values


def test_local_texts_are_read_before_anything_runs(refused, tmp_path):
    values = with_file(tmp_path, b"text\na\nb\n")
    write_parameters(tmp_path, values)
    check()  # also with a model that is still to be made
    own, adapted = values["experiments"]["own"]["data"], values["encoders"]["adapted"]
    own["text"] = "body"
    assert "data.text is 'body'" in refused(values)
    own["text"], adapted["column"] = "text", "body"
    assert "data.text is 'body'" in refused(values)
    assert "not UTF-8" in refused(with_file(tmp_path, b"text\n\xff\n"))


def test_a_corpus_of_sinks_is_read_before_anything_runs(refused, tmp_path):
    values = with_file(tmp_path, b"text,label\na,0\nb,1\nc,0\nd,1\n")
    profile = yaml.safe_load((ROOT / "profiles" / "sinks-small.yaml").read_text(encoding="utf-8"))
    corpus = profile["sinks"]["corpora"]["agreement"]
    corpus["model"] = {"source": "local", "name": "adapted"}
    corpus["data"] = values["experiments"]["own"]["data"] | {"train": "mine", "label": "label"}
    values["sinks"]["corpora"] = {"films": corpus}
    write_parameters(tmp_path, values)
    check()  # also with a model that is still to be made
    corpus["data"]["label"] = "stars"
    assert "sinks.corpora.films: data.label is 'stars'" in refused(values)
    corpus["data"]["label"] = "label"
    corpus["length"]["max_tokens"] = 1000
    assert "sinks.corpora.films.length.max_tokens is 1000" in refused(values)


def test_texts_that_were_prepared_are_not_read_again(refused, tmp_path):
    values = with_file(tmp_path, b"text\n\xff\n")
    assert "not UTF-8" in refused(values)
    values |= {"encoders": {}, "files": {"mine": values["files"]["mine"]}}
    values["experiments"]["own"]["model"] = {"source": "embedded"}
    prepared = tmp_path / "artifacts" / "own" / "corpus" / "facts.json"
    prepared.parent.mkdir(parents=True)
    prepared.touch()
    assert "not UTF-8" in refused(values)  # the parameters are newer
    later = time.time() + 60
    os.utime(prepared, (later, later))
    check()
