"""The pages of both languages lie behind one front."""

import nbformat
import pytest
from tiny_experiment import written

from analysis.parameters import load
from analysis.stages import site as stage


def publish(patch, root, pages, folder):
    patch.chdir(root)
    patch.setattr(stage, "PAGES", pages)
    patch.setattr(stage, "SITE", folder)
    loaded = pages.parent / "explorer"
    loaded.mkdir(exist_ok=True)
    (loaded / "index.json").write_text("[]", encoding="utf-8")
    patch.setattr(stage, "EXPLORER", loaded)
    stage.site(load())


def write_pages(pages, *languages):
    """Write a front page of each language, with a file of numbers and one of words."""
    for language in languages:
        (pages / language / "files").mkdir(parents=True)
        (pages / language / "files" / "map.csv").touch()
        (pages / language / "files" / "told.csv").write_text(language, encoding="utf-8")
        (pages / language / "shared").mkdir()
        for name in ("a.js", "b.woff"):
            (pages / language / "shared" / name).write_text(name, encoding="utf-8")
        page = (
            f'{language} <a href="files/map.csv#row"><a href="files/told.csv">'
            '<script src="shared/a.js?1"></script><style>src: url("shared/b.woff")</style>'
            '<link rel="icon" href="./shared/a.js">'
        )
        (pages / language / "index.html").write_text(page, encoding="utf-8")


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory, root):
    directory = tmp_path_factory.mktemp("published")
    write_pages(directory / "pages", "en", "ja")
    with pytest.MonkeyPatch.context() as patch:
        publish(patch, root, directory / "pages", directory / "site")
    return directory / "site"


def test_the_site_has_both_languages_and_a_front(shared_folder):
    beside = {"en", "ja", "index.html", "explorer", "files", "shared"}
    assert {path.name for path in shared_folder.iterdir()} == beside
    assert [path.name for path in (shared_folder / "files").iterdir()] == ["map.csv"]
    for language in ("en", "ja"):
        page = (shared_folder / language / "index.html").read_text(encoding="utf-8")
        assert page == (
            f'{language} <a href="../files/map.csv#row"><a href="files/told.csv">'
            '<script src="../shared/a.js?1"></script><style>src: url("../shared/b.woff")</style>'
            '<link rel="icon" href=".././shared/a.js">'
        )
        assert [path.name for path in (shared_folder / language / "files").iterdir()] == [
            "told.csv"
        ]


def test_a_site_is_replaced_whole_or_stays_as_it_was_and_is_the_same_every_time(
    shared_folder, tmp_path, root, monkeypatch
):
    pages, folder = tmp_path / "pages", tmp_path / "site"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "former.html").touch()
    write_pages(pages, "en")
    with pytest.raises(FileNotFoundError):
        publish(monkeypatch, root, pages, folder)
    assert [path.name for path in folder.rglob("*.*")] == ["former.html"]
    write_pages(pages, "ja")
    publish(monkeypatch, root, pages, folder)
    assert {path.name for path in tmp_path.iterdir()} == {"explorer", "pages", "site"}
    assert written(folder) == written(shared_folder)


def test_a_published_notebook_shows_the_drawings_beside_it(tmp_path, root, monkeypatch):
    write_pages(tmp_path / "pages", "en", "ja")
    shown = (
        '<div><img src="files/a/b.svg" alt="A map"></div><a href="mixing.html#fig-a">figure</a>'
        '<script defer src="shared/a.js?1"></script>'
    )
    elsewhere = '<a href="https://example.org">a</a><a href="#a">b</a><img src="data:image/png,">'
    output = nbformat.v4.new_output("display_data", data={"text/html": shown + elsewhere})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])])
    (tmp_path / "pages" / "en" / "notebooks").mkdir()
    nbformat.write(notebook, tmp_path / "pages" / "en" / "notebooks" / "a.ipynb")
    publish(monkeypatch, root, tmp_path / "pages", tmp_path / "site")
    published = nbformat.read(tmp_path / "site" / "en" / "notebooks" / "a.ipynb", as_version=4)
    html = published.cells[0].outputs[0].data["text/html"]
    linked = shown.replace('href="', 'href="../').replace('src="', 'src="../')
    # What both languages load alike lies beside them.
    assert html == linked.replace("../shared/", "../../shared/") + elsewhere
