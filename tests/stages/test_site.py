"""What both languages share lies beside them, once."""

from pathlib import Path

from analysis import params
from analysis.stages import site as stage


def test_the_site_has_plotly_once_and_whole(tmp_path, monkeypatch, root):
    monkeypatch.chdir(root)
    values = params.load()
    monkeypatch.setattr(stage, "SITE", tmp_path / "site")
    stage.site(values)
    written = {path.name: path for path in Path(tmp_path / "site").iterdir()}
    assert set(written) == {"index.html", "plotly.min.js"}
    script = written["plotly.min.js"].read_text(encoding="utf-8")
    # The licence asks for its notice in every copy.
    assert "Copyright" in script[:300]
    assert "MIT license" in script[:300]
    assert "window.Plotly" in script
