"""What both languages share lies beside them, once."""

import pytest

from analysis import params
from analysis.errors import InputError
from analysis.stages import site as stage


@pytest.fixture(scope="module")
def shared_files(tmp_path_factory, root):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        values = params.load()
        folder = tmp_path_factory.mktemp("shared") / "site"
        patch.setattr(stage, "SITE", folder)
        stage.site(values)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_the_site_has_every_shared_file_and_no_other(shared_files):
    scripts = {"plotly.min.js", "jquery.min.js", "d3.js"}
    assert set(shared_files) == {"index.html", "licences.txt"} | scripts


def test_the_site_has_plotly_once_and_whole(shared_files):
    script = shared_files["plotly.min.js"]
    # The licence asks for its notice in every copy.
    assert "Copyright" in script[:300]
    assert "MIT license" in script[:300]
    assert "window.Plotly" in script


def test_what_bertviz_draws_with_is_whole(shared_files):
    assert "jquery.org/license" in shared_files["jquery.min.js"][:200]
    # BertViz was written for d3 5; the page around it was made for version 3.
    assert 'version: "3.5.' in shared_files["d3.js"][:100]


def test_licences_go_with_the_scripts(shared_files):
    licences = shared_files["licences.txt"]
    assert "Michael Bostock" in licences
    assert "Redistributions of source code must retain" in licences
    assert "Apache License" in licences


def test_a_package_without_its_licence_is_refused(monkeypatch):
    class Bare:
        version = "1.0"
        files = None

    monkeypatch.setattr(stage, "distribution", lambda name: Bare())
    with pytest.raises(InputError, match=r"bertviz 1\.0 is installed without its licence"):
        stage._licence("bertviz")
