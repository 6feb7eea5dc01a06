"""The sources of the pages against the code; what they say is linted (``analysis/lint``)."""

import re

import pandas as pd
import pytest
from small_report import LANGUAGES, NAMES, REPORT, config, read_page, source

from analysis.lint.written import listed_pages
from analysis.results.evidence import evidence


def test_both_languages_list_the_pages_in_the_same_order_and_name_the_same_words():
    assert listed_pages("en") == listed_pages("ja")
    assert config("en")["language"].keys() == config("ja")["language"].keys()


def conditions() -> set[str]:
    """Names of what pages may ask for, from a run that has nothing."""
    nothing = pd.DataFrame({"mean": [], "asked": [], "experiment": [], "variant": []})
    with pytest.MonkeyPatch.context() as patch:
        for reader in ("curves", "overall", "table"):
            patch.setattr(f"{evidence.__module__}.{reader}", lambda *_, **__: nothing)
        patch.setattr(f"{evidence.__module__}.other_runs", list)
        return set(evidence({}, ""))


CONDITIONS = conditions() | {  # and those that the layout adds
    *("argued", "changed-score", "explorer", "kept-circuits", "nonlinear", "pdf"),
    *("unstated-licence", "words"),
}


def test_every_condition_is_asked_for_by_both_languages():
    for language in LANGUAGES:
        text = "".join(source(language, name) for name in NAMES)
        assert set(re.findall(r"(?:when|unless)-meta=\"has\.([\w-]+)\"", text)) == CONDITIONS


def test_the_choice_of_language_needs_no_script():
    page = read_page(REPORT / "index.html")
    assert [link.attributes["href"] for link in page.all("a")] == [
        f"{language}/index.html" for language in LANGUAGES
    ]
