"""What cannot run is refused before anything runs."""

import json

import pytest
from refusals import one_sentence
from small_run import small_parameters, write_parameters

from analysis.__main__ import check
from analysis.errors import InputError

LOCAL = {"source": "local", "name": "mine"}


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Return ``refused(values)``: the one sentence that is said of parameters."""
    monkeypatch.chdir(tmp_path)

    def refused_by_check(values: dict) -> str:
        write_parameters(tmp_path, values)
        with pytest.raises(InputError) as caught:
            check()
        return one_sentence(caught.value)

    return refused_by_check


def with_model(directory, content: str) -> dict:
    """Parameters whose trained experiment has a local model of this configuration."""
    (directory / "mine").mkdir()
    (directory / "mine" / "config.json").write_text(content, encoding="utf-8")
    values = small_parameters() | {"files": {"mine": "mine"}}
    values["experiments"]["reviews"]["model"] = LOCAL
    return values


@pytest.mark.parametrize("content", ["", '{"write": {"/a": {"pi'])
def test_a_lock_of_dvc_that_was_cut_off_is_refused(refused, tmp_path, content):
    """DVC itself stops at it, and does not say what to do."""
    (tmp_path / ".dvc" / "tmp").mkdir(parents=True)
    (tmp_path / ".dvc" / "tmp" / "rwlock").write_text(content, encoding="utf-8")
    assert "`rm .dvc/tmp/rwlock`" in refused(small_parameters())
    (tmp_path / ".dvc" / "tmp" / "rwlock").write_text("{}", encoding="utf-8")
    check()


def test_the_committed_parameters_pass(at_root):
    check()


def test_other_families_of_models_are_refused(refused, tmp_path):
    said = refused(with_model(tmp_path, json.dumps({"model_type": "gpt2"})))
    assert "the model is a gpt2, whose feature points are not known; allowed: bert, " in said


@pytest.mark.parametrize("content", ["{", "[1]"])
def test_what_is_no_configuration_is_refused(refused, tmp_path, content):
    said = refused(with_model(tmp_path, content))
    assert "mine/config.json is no configuration of a model" in said


@pytest.mark.parametrize(("key", "given", "most"), [("layer", 7, 6), ("head", 13, 12)])
def test_a_layer_and_a_head_that_the_model_lacks_are_refused(refused, key, given, most):
    values = small_parameters()
    values["anatomy"][key] = given
    said = refused(values)
    assert f"anatomy.{key} is {given} but all-MiniLM-L6-v2 has {key}s 1 to {most}" in said
