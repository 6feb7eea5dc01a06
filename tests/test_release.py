"""A release has one version, and is tested and rendered as the README says."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"


def workflow(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


def commands(name):
    return [
        step["run"]
        for job in workflow(name)["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]


def test_one_version_stands_in_package_citation_and_change_log():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    released = re.findall(
        r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert [package, citation] == released[:1] * 2


def test_tests_run_as_in_a_fresh_clone():
    assert commands("tests") == [".ci/run"]


def test_a_release_is_verified_before_it_is_published():
    assert commands("site") == ["make repro", "make verify"]
    assert workflow("site")["jobs"]["publish"]["needs"] == "render"


def test_quarto_of_the_release_is_that_of_the_image():
    (version,) = (
        step["with"]["version"]
        for step in workflow("site")["jobs"]["render"]["steps"]
        if "quarto" in step.get("uses", "")
    )
    assert f"ARG QUARTO_VERSION={version}\n" in (ROOT / "Dockerfile").read_text()
