"""The reference of the library: all that is public is there, and says what it takes."""

import inspect
import json
import logging
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from small_report import (
    LANGUAGES,
    ROOT,
    Element,
    as_markdown,
    config,
    read_page,
    source,
    write_project,
    write_quarto_project,
)

from analysis.site import api
from analysis.site.paper.assemble import assemble
from analysis.site.preview import render
from analysis.site.search import NAME, write_index
from analysis.site.source.project import Project
from attention_mixing import methods

REPOSITORY = "https://example.org/repository"
ROLLOUT = "attention_mixing.methods.rollout.attention_rollout"


def written(language: str, repository: str | None = REPOSITORY) -> str:
    return api.reference(config(language)["api"], language, repository)


def own_pages(language: str) -> dict[str, str]:
    """Give the page, and one that it links to."""
    return {"library": '---\ntitle: "Library"\n---\n', "api": source(language, "api")}


@pytest.fixture(scope="module")
def projects(tmp_path_factory) -> dict[str, Path]:
    made = {}
    for language in LANGUAGES:
        project = write_project(tmp_path_factory.mktemp(language), own_pages(language), language)
        (project / "_api.md").write_text(written(language), encoding="utf-8")
        made[language] = project
    return made


@pytest.fixture(scope="module")
def sites(projects) -> dict[str, Path]:
    for project in projects.values():
        render(Project.read(project), project.parent / "site")
    return {language: project.parent / "site" for language, project in projects.items()}


@pytest.fixture(scope="module")
def pages(sites) -> dict[str, Element]:
    return {language: read_page(site / "api.html") for language, site in sites.items()}


def ids(page: Element) -> list[str]:
    return [one.attributes["id"] for one in page if "id" in one.attributes]


def described() -> list:
    """Everything of the reference that has a docstring: modules, entries and their methods."""
    found = []
    for path, entries in api.surface().items():
        found.append(api.known(path))
        found += [one for entry in entries for one in (entry, *api.methods(entry))]
    return found


def public_of_methods() -> list[str]:
    """Public functions and classes of the methods, and their public methods, as Python has them."""
    found = []
    for module in (
        import_module(f"{methods.__name__}.{one.name}") for one in iter_modules(methods.__path__)
    ):
        for name, one in vars(module).items():
            own = getattr(one, "__module__", None) == module.__name__
            if (
                name.startswith("_")
                or not own
                or not (inspect.isclass(one) or inspect.isroutine(one))
            ):
                continue
            found.append(f"{module.__name__}.{name}")
            if inspect.isclass(one):
                within = [n for n, f in vars(one).items() if inspect.isroutine(f) and n[0] != "_"]
                found += [f"{module.__name__}.{name}.{n}" for n in within]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_function_of_the_methods_is_on_the_page(pages, language):
    missing = {*public_of_methods()} - {*ids(pages[language])}
    assert not missing


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_user_begins_with_is_on_the_page(pages, language):
    assert {
        "attention_mixing.capture.one_text.capture_text",
        "attention_mixing.capture.one_text.RecordedText.tokens",
        "attention_mixing.measures.engine.one_text.measure",
        "attention_mixing.explain.show",
        "attention_mixing.errors.InputError",
        "attention_mixing.settings.measures.Propagation",
    } <= {*ids(pages[language])}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_of_the_page_leads_somewhere(pages, sites, language):
    there = ids(pages[language])
    assert len(there) == len(set(there))
    links = [one.attributes["href"] for one in pages[language].one("main").all("a")]
    within = [link[1:] for link in links if link.startswith("#")]
    assert len(within) > 500 and not set(within) - set(there)
    for link in links:
        if link.endswith(".html"):
            assert (sites[language] / link).is_file(), link


def test_an_entry_says_all_that_its_docstring_and_signature_do(pages):
    entry = pages["ja"].one("section", id=ROLLOUT)
    assert entry.one("h3").text == "attention_rollout"
    english = entry.one("div", lang="en")
    assert "attention_rollout(attention, *, start_layer=0)" in english.text
    assert 'Float[np.ndarray, "layer token token"]' in english.text
    assert ">>> attention_rollout(np.stack([swap, swap]))" in english.text
    assert english.all("math", display="block")
    headings = [one.text for one in english.all("span", lang="ja")]
    assert headings == ["引数", "戻り値", "例外", "例", "ソース"]
    links = {one.attributes["href"]: one.text for one in english.all("a")}
    assert links["#attention_mixing.methods.rollout.with_residual"] == "with_residual"
    assert next(reversed(links)).startswith(
        f"{REPOSITORY}/blob/main/attention_mixing/methods/rollout.py#L"
    )


def test_a_link_to_the_source_leads_to_where_it_is_defined():
    for path, line in re.findall(rf"{REPOSITORY}/blob/main/(.*?)#L(\d+)\)", written("en")):
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        assert re.match(r" *(@|class |def )", lines[int(line) - 1]), (path, line)
    assert "/blob/" not in written("en", repository=None)


def test_both_languages_have_the_same_reference_but_for_its_headings():
    english, japanese = (
        re.sub(r'\[[^][]*\]\{lang="\w\w"\}', "", written(language, None)) for language in LANGUAGES
    )
    assert english == japanese


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_function_is_found_by_its_name(sites, language):
    write_index(sites[language], ["api"])
    script = (sites[language] / NAME).read_text(encoding="utf-8")
    entries = json.loads(script.removeprefix("window.searchIndex = ").removesuffix(";\n"))
    (entry,) = [one for one in entries if one["heading"] == "attention_rollout"]
    assert entry["href"] == f"api.html#{ROLLOUT}"
    assert "Trace each token of every layer back" in entry["text"]


def test_quarto_has_the_same_entries_under_the_same_addresses(projects, pages, tmp_path):
    if shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    project = write_quarto_project(tmp_path, own_pages("ja"))
    shutil.copyfile(projects["ja"] / "_api.md", project / "_api.md")
    run = subprocess.run(["quarto", "render", project], capture_output=True, text=True)
    assert run.returncode == 0 and "WARN" not in run.stderr, run.stderr
    quarto = read_page(project / "_site" / "api.html").one("main")
    preview = pages["ja"].one("main")
    folded = quarto.one("details", class_="contents")  # the preview has them above what is read
    for tag in ("section", "li", "h3", "math"):
        assert len(quarto.all(tag)) - len(folded.all(tag)) == len(preview.all(tag)), tag
    anchors = [one for one in ids(preview) if one.startswith("attention_mixing")]
    assert [one for one in ids(quarto) if one.startswith("attention_mixing")] == anchors
    links = {one.attributes.get("href", "") for one in quarto.all("a")}
    assert not {link[1:] for link in links if link[:1] == "#"} - {*ids(quarto)}


def test_the_contents_of_the_page_list_modules_alone(pages):
    contents = [one.text for one in pages["en"].one("nav", id="TOC").all("a")]
    assert contents == [api.short(path) for path in api.surface()]


def test_the_paper_says_that_the_site_has_the_reference(projects):
    project = Project.read(projects["en"])
    document = assemble(project, project.pages)
    _, left_out, after = as_markdown(document).partition("#omitted")
    assert left_out and "attention_rollout(" not in after


# Docstrings ---------------------------------------------------------------------------------------


def test_docstrings_tell_of_the_parameters_that_there_are():
    """Of all or of none: then the types of the signature, which name every axis, say enough."""
    assert not [one.path for one in described() if not one.docstring]
    differing = {}
    for one in (one for one in described() if not one.is_module):
        told = [item.name for item in api.section(one, api.Kind.parameters)]
        if told and told != (there := [each.name for each in api.parameters(one)]):
            differing[one.path] = {"signature": there, "docstring": told}
    assert not differing


def test_what_docstrings_refer_to_is_there():
    dead = {}
    for one in described():
        for path in re.findall(r":(?!math)\w+:`~?([\w.]+)`", one.docstring.value):
            ours = not re.match(r"(sklearn|scipy|numpy|torch)\.", path)
            if ours and not api.resolved(path, one):
                dead[one.path] = path
    assert not dead


def test_docstrings_are_read_without_a_warning(caplog):
    with caplog.at_level(logging.WARNING, "griffe"):
        for cached in (api.library, api.surface, api.anchors):
            cached.cache_clear()
        written("en")
    assert not caplog.records
