"""What the READMEs say of the code is so, in both languages."""

import re

import pytest
from huggingface_hub.file_download import repo_folder_name
from small_run import ROOT

from analysis.models.architecture import ARCHITECTURES

READMES = ("README.md", "README.ja.md")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READMES)
def test_the_families_of_models_are_those_of_the_code(name):
    (after,) = re.findall(r"`model_type`(.*)", read(name))
    assert tuple(re.findall(r"`([a-z-]+)`", after)) == tuple(ARCHITECTURES)


@pytest.mark.parametrize("name", READMES)
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
