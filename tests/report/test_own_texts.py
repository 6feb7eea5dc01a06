"""Runs of a user's own texts, models and names of experiments: pages show what there is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Set
from pathlib import Path

import pytest
import yaml
from small_report import LANGUAGES, NAMES, PAGES, Element, read_page
from small_run import ROOT, TEXTS, publish, render, small_parameters, write_parameters
from sweeps import sampled

from analysis.paths import QUICK
from analysis.site.documents import PDFS, SUPPLEMENT

pytestmark = pytest.mark.slow

# A dash between brackets, blanks or marks, but for a range of numbers with signs of their own.
PLACEHOLDER = re.compile(
    r"(?:^|(?<=[\s(\[（「、。：:|]))(?<!\d )(?<!% )[-\u2013\u2014](?=$|[\s)\]）」、。；;,.:|])",
    re.MULTILINE,
)
# "None" begins sentences as well.
UNDEFINED = re.compile(r"(?<![\w-])(?:nan|NaN|inf)(?![\w-])|^None$")
NOUNS = (
    *("case", "checkpoint", "claim", "cluster", "dimension", "experiment", "feature", "file"),
    *("figure", "head", "interval", "label", "layer", "map", "method", "model", "page", "pair"),
    *("part", "point", "query", "querie", "question", "row", "seed", "stage", "state", "step"),
    *("task", "text", "time", "token", "word"),
)
FALSE_PLURAL = re.compile(
    r"(?<![\d.,\u2013\u2060])(?<!layer )\b(?:1|[Oo]ne) "
    rf"(?:(?:attention|fine-tuned|model|published|tested) )?(?:{'|'.join(NOUNS)})s\b"
)


# The API reference is made of the sources: it says None and nan of code, and names models in
# examples.
OF_THE_RUN = [page for page in PAGES if page[1] != "api"]
# A dash in it is what a run did not measure, as its caption explains.
TABLE_OF_RUNS = frozenset({"tbl-runs"})
# The front page and the paper are of all runs that are kept.
OF_IT_ALONE = [page for page in OF_THE_RUN if page[1] not in ("index", "paper")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, pretrained: Path, circuits: Path) -> Path:
    """Two texts of the small run, in a small model, and nothing else; published with pandoc."""
    directory = tmp_path_factory.mktemp("own-texts")
    values = small_parameters()
    own = values["experiments"]["own"]
    values["experiments"] = {"own": own}
    own["data"]["texts"], own["capture"]["examples"] = list(TEXTS[:2]), 2
    own["model"] = {"source": "local", "name": "tiny"}
    values["files"] = {"tiny": str(pretrained)}
    values["anatomy"] |= {"layer": 2, "head": 3, "text": "the film was not very good"}
    write_parameters(directory, values)
    publish(directory, circuits, "own", kept=(QUICK, "masked-words"))
    return directory


@pytest.fixture(scope="module")
def quarto_run(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages, rendered with Quarto."""
    if shutil.which("quarto") is None:
        pytest.skip("quarto is not on the PATH: only the preview is tested")
    directory = tmp_path_factory.mktemp("own-texts-quarto") / "run"
    shutil.copytree(run, directory, symlinks=True)
    render(directory, "quarto")
    return directory


@pytest.fixture(scope="module", params=["pandoc", "quarto"])
def site(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue("run" if request.param == "pandoc" else "quarto_run") / "site"


Pages = dict[tuple[str, str], Element]


def read_pages(site: Path) -> Pages:
    return {
        (language, name): read_page(site / language / f"{name}.html") for language, name in PAGES
    }


@pytest.fixture(scope="module")
def pages(site: Path) -> Pages:
    return read_pages(site)


def shown(element: Element, without: Set[str] = frozenset()) -> Iterator[Element]:
    """Walk over what a reader sees; neither controls nor code, nor what has one of these ids."""
    for child in element.children:
        if isinstance(child, Element) and child.tag not in {"select", "pre", "code", "math"}:
            if child.attributes.get("id") not in without:
                yield child
                yield from shown(child, without)


def lines(page: Element, without: Set[str] = frozenset()) -> list[str]:
    """Texts of a page, one a paragraph, entry, cell or caption; alternative texts too."""
    holders = {"p", "li", "dt", "dd", "td", "th", "figcaption", "summary", "h1", "h2", "h3", "text"}
    main = page.one("main")
    texts = [one.text for one in shown(main, without) if one.tag in holders]
    labels = [
        one.attributes[key]
        for one in shown(main, without)
        for key in ("aria-label", "alt")
        if key in one.attributes
    ]
    return [*texts, *labels]


def faults(text: str) -> list[str]:
    """Excerpts in which a value is missing, or a sentence does not agree with a count of one."""
    return [
        text[max(found.start() - 40, 0) : found.end() + 40]
        for pattern in (PLACEHOLDER, UNDEFINED, FALSE_PLURAL)
        for found in pattern.finditer(text)
    ]


@pytest.mark.parametrize("page", sampled(OF_THE_RUN))
def test_no_value_is_missing(pages, page):
    assert not [fault for line in lines(pages[page], TABLE_OF_RUNS) for fault in faults(line)]


@pytest.mark.parametrize("page", PAGES)
def test_no_table_or_figure_is_empty(pages, page):
    main = pages[page].one("main")
    for table in main.all("table"):
        cells = table.all("td")
        assert any(cell.text or cell.all("img") or cell.all("svg") for cell in cells)
    for figure in main.all("figure"):
        assert any(figure.all(tag) for tag in ("svg", "img", "table", "pre"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_paper_that_lacks_runs_says_which_and_no_more(pages, language):
    main = pages[language, "paper"].one("main")
    assert QUICK not in main.text and "sst2" in main.text
    assert not main.all("figure") and not main.all("h2")
    assert not [one for one in shown(main) if "finding" in one.attributes.get("class", "")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_land(pages, language):
    """Also those to figures and sections that other runs have."""
    ids = {name: {one.attributes.get("id") for one in pages[language, name]} for name in NAMES}
    for name in NAMES:
        for link in pages[language, name].one("main").all("a"):
            target, _, anchor = link.attributes["href"].removeprefix("./").partition("#")
            if not anchor or target.startswith(("http", "files/")) or "=" in anchor:
                continue
            assert anchor in ids[target.removesuffix(".html") or name], link.attributes["href"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pdf", PDFS)
def test_no_pdf_has_a_missing_value_either(site, language, pdf):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not on the PATH")
    command = ["pdftotext", "-enc", "UTF-8", site / language / pdf, "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    # Formulas and code have dashes of their own, and a line may end after that of a range.
    cells = [line.strip() for line in text.splitlines()]
    assert not [cell for cell in cells if cell in {"-", "\u2013", "\u2014", "nan", "NaN", "None"}]
    assert not FALSE_PLURAL.findall(text)
    if pdf == SUPPLEMENT:
        assert TEXTS[1] in " ".join(text.split())


def test_a_line_break_in_a_text_is_a_space_and_in_japanese_nothing(site, pages):
    for language in LANGUAGES:
        for name in ("run", "setup", "propagation"):
            assert "&amp; a line; 改行 🎬" in pages[language, name].one("main").text
        if shutil.which("pdftotext"):
            command = ["pdftotext", "-enc", "UTF-8", site / language / SUPPLEMENT, "-"]
            text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
            # A line of the paper may end anywhere between the words.
            # Not every machine has a font with the clapper board.
            assert len(re.findall("a line; 改行 [🎬□]", " ".join(text.split()))) >= 3


def test_no_text_of_a_user_is_a_shortcode(run):
    """Quarto resolves them in the HTML of notebooks too; pages ask for numbers by theirs."""
    notebooks = sorted(run.glob("results/chapters/*/*/notebook.ipynb"))
    assert len(notebooks) > len(LANGUAGES)
    for notebook in notebooks:
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                assert "{{<" not in "".join(output["data"].get("text/html", []))


def test_both_renderers_number_alike(run, quarto_run):
    ours, theirs = (read_pages(one / "site") for one in (run, quarto_run))
    for page in PAGES:
        captions = ([one.text for one in site[page].all("figcaption")] for site in (ours, theirs))
        assert next(captions) == next(captions)


# What is listed of reference runs, of the parameters as committed, and of figures by their labels.
LISTED = {
    *("sec-kept", "sec-ledger", "sec-verdicts", "tbl-kept-scores", "tbl-kept-answers"),
    *("tbl-differences", "tbl-references", "tbl-chains", "tbl-downloads"),
}
GRAMMARS = {("setup", grammar) for grammar in ("reviews", "agreement", "questions", "translation")}
BUNDLED = re.compile("MiniLM|[Bb]undled|同梱")
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["experiments"]
# A Japanese sentence has no other use for these words, but for names of grammars.
NAMED = {
    "en": re.compile(rf"\b[Ee]xperiments? [“\"']?(?:{'|'.join(COMMITTED)})\b"),
    "ja": re.compile(rf"(?<![\w/.-])(?<!文法 )(?:{'|'.join(COMMITTED)})(?![\w-])"),
}
# Of a reference run, which has them.
OF_KEPT = re.compile(r"参照実行 [\w-]+ の実験 [\w-]+")


@pytest.mark.parametrize("page", OF_IT_ALONE)
def test_nothing_is_said_of_a_model_that_a_run_does_not_have(run, page):
    language, name = page
    said = lines(read_page(run / "site" / language / f"{name}.html"), LISTED)
    assert said
    assert not [line for line in said if BUNDLED.search(line)]


@pytest.mark.parametrize("page", OF_IT_ALONE)
def test_no_experiment_is_named_that_a_run_does_not_have(run, small_site, page):
    """Neither of texts alone nor where experiments of all kinds have other names."""
    language, name = page
    for site in (run / "site", small_site):
        said = lines(read_page(site / language / f"{name}.html"), LISTED)
        # The page on the set-up defines the grammars, which have names of their own.
        said = [line for line in said if (name, line) not in GRAMMARS]
        said = [OF_KEPT.sub("", line) for line in said]
        assert not [line for line in said if NAMED[language].search(line)]


def test_claims_are_judged_all_the_same(run):
    ledger = json.loads((run / "results" / "rules" / "claims.json").read_text(encoding="utf-8"))
    assert any(one["outcome"] != "not_tested" for one in ledger)
