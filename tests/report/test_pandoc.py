"""What pandoc refuses becomes one sentence, whatever it says."""

import shutil

import pypandoc
import pytest

from analysis.site.source.pandoc import convert
from attention_mixing.errors import InputError

OPTIONS = {"from": "markdown", "to": "html", "wrap": "preserve", "fail-if-warnings": True}


def test_a_text_is_converted():
    assert convert("*a*\nb", "x.qmd", OPTIONS) == "<p><em>a</em>\nb</p>\n"


def test_only_the_first_line_of_a_message_is_told():
    with pytest.raises(InputError, match=r"^x\.qmd: Could not convert TeX math [^\n]*$"):
        convert("$\\a{x}$ $\\b{x}$", "x.qmd", OPTIONS | {"html-math-method": {"method": "mathml"}})


def test_a_pandoc_that_says_nothing_is_told_of(monkeypatch):
    monkeypatch.setattr(pypandoc, "get_pandoc_path", lambda: shutil.which("false"))
    with pytest.raises(InputError) as refusal:
        convert("a", "x.qmd", OPTIONS)
    assert str(refusal.value) == "x.qmd: pandoc ended with status 1 and no message"
