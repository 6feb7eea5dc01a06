"""What was rendered is given again only for the same sources."""

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from analysis.site.source import cache, pandoc
from analysis.site.source.cache import only_used, remembered
from analysis.site.source.pandoc import convert
from attention_mixing.errors import InputError

OPTIONS = {"from": "markdown", "to": "html"}
FILTER = """
local directory = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local word = dofile(pandoc.path.join { directory, "word.lua" })
return { { Str = function() return word end } }
"""


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "RENDERED", tmp_path / "rendered")


@pytest.fixture
def counted(monkeypatch):
    """How often pandoc was run."""
    runs, run = [], pandoc._convert
    monkeypatch.setattr(pandoc, "_convert", lambda *given: runs.append(given) or run(*given))
    return runs


def test_the_same_is_made_once():
    made = []

    def make() -> bytes:
        made.append(None)
        return bytes([len(made)])

    for sources, number in (([b"a", b"b"], 1), ([b"ab"], 2), ([b"a", b"b"], 1), ([b"b", b"a"], 3)):
        assert remembered(sources, make) == bytes([number])


def test_what_two_threads_ask_for_at_once_is_made_once():
    made, both = [], Barrier(2)

    def ask(_: int) -> bytes:
        both.wait(timeout=60)
        return remembered([b"a"], make)

    def make() -> bytes:
        made.append(None)
        time.sleep(0.05)
        return b"made"

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, range(2))) == [b"made", b"made"]
    assert len(made) == 1


def test_what_fails_is_tried_again():
    with pytest.raises(ZeroDivisionError):
        remembered([b"a"], lambda: bytes(1 // 0))
    assert remembered([b"a"], lambda: b"made") == b"made"


def test_what_is_used_no_more_is_forgotten(tmp_path):
    for source in (b"used", b"unused"):
        remembered([source], lambda: b"")
    for path in cache.RENDERED.iterdir():
        os.utime(path, (1, 1))
    with only_used():
        remembered([b"used"], lambda: b"other")
    assert [path.read_bytes() for path in cache.RENDERED.iterdir()] == [b""]


def test_a_page_is_converted_anew_with_its_text_its_filters_and_what_they_run(tmp_path, counted):
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "own.lua").write_text(FILTER, encoding="utf-8")
        (tmp_path / place / "word.lua").write_text("return 'one'", encoding="utf-8")
    here, there = (OPTIONS | {"filters": [f"{tmp_path}/{at}/own.lua"]} for at in ("here", "there"))
    assert convert("a", "x", here) == "<p>one</p>\n"
    assert convert("a", "x", there) == "<p>one</p>\n"  # the same, in another place
    assert len(counted) == 1
    (tmp_path / "there" / "word.lua").write_text("return 'two'", encoding="utf-8")
    assert convert("a", "x", there) == "<p>two</p>\n"
    assert convert("a b", "x", there) == "<p>two two</p>\n"
    assert convert("a b", "x", there | {"to": "plain"}) == "two two\n"
    assert convert("a b", "x", there | {"to": "plain"}, {"page": "x"}) == "two two\n"
    assert len(counted) == 5


def test_what_is_told_in_another_order_is_the_same(counted):
    assert convert("a", "x", OPTIONS, {"b": 1, "c": 2}) == convert(
        "a", "x", OPTIONS, {"c": 2, "b": 1}
    )
    assert len(counted) == 1


def test_what_pandoc_refuses_is_refused_each_time(monkeypatch):
    monkeypatch.setattr(pandoc.pypandoc, "get_pandoc_path", lambda: shutil.which("false"))
    for _ in range(2):
        with pytest.raises(InputError):
            convert("a", "x.qmd", OPTIONS)
    assert not Path(cache.RENDERED).exists()
