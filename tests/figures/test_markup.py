"""A text is shown as that text, whatever it holds; many lines stand in a fold."""

import html

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_mixing.markup import details, escape, fold, in_line, marked, visible

# What HTML, Markdown, LaTeX or Quarto's shortcodes would act on.
MARKUP = set("<>{}$*_[]()`|\\\"'")
HOSTILE = "<script>alert(1)</script> **bold** $x^2$ {{< var x >}} \\LaTeX &amp; &lt; &#42; `c`"
# Line ends and control characters have no numeric entity that HTML keeps as it is; they are no
# markup and go through as they are.
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.text(
    alphabet="<>{}$*_[]()`|\\&;#x0aA\"' \n-+=.!~^@:"
)


def outside_entities(escaped: str) -> str:
    pieces = escaped.split("&")
    return pieces[0] + "".join(piece.partition(";")[2] for piece in pieces[1:])


@given(texts)
@example(HOSTILE)
@example("&amp;amp; &;& &#")
def test_a_reader_of_the_page_sees_the_text(text):
    assert html.unescape(escape(text)) == text


@given(texts)
@example(HOSTILE)
def test_no_markup_is_left(text):
    assert not MARKUP & set(outside_entities(escape(text)))


@given(texts)
def test_every_entity_is_closed(text):
    """Each & begins an entity that ends in a semicolon: a browser has nothing to guess."""
    for piece in escape(text).split("&")[1:]:
        name, end, _ = piece.partition(";")
        assert end
        assert name in ("amp", "lt", "gt", "quot") or name.startswith("#")


@pytest.mark.parametrize("value", [3, 0.5, None, True])
def test_what_is_no_string_is_written_out(value):
    assert html.unescape(escape(value)) == str(value)


def test_spans_are_marked_and_the_rest_is_not():
    assert marked("a dull plot", [(2, 6)]) == "a <mark>dull</mark> plot"
    assert marked("ab", [(0, 1), (1, 2)]) == "<mark>a</mark><mark>b</mark>"
    assert marked("ab", []) == "ab"


@given(texts, st.data())
def test_marking_changes_no_character_of_the_line(text, data):
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    shown = marked(text, spans)
    bare = shown.replace("<mark>", "").replace("</mark>", "")
    assert not MARKUP & set(outside_entities(bare))
    assert html.unescape(bare) == in_line(text)
    assert shown.count("<mark>") == len(spans)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a long\nline, \r\n\r\n and more", "a long line, and more"),
        ("日本語の\n文章。\r\nEnglish\u2028語", "日本語の文章。English 語"),
        ("英語 (English)\nと", "英語 (English) と"),
        ("日\t本\x0b語", "日 本語"),
        ("한국\n어", "한국 어"),
        ("two  spaces\u3000stay", "two  spaces\u3000stay"),
        ("\n日本\n", "日本"),
    ],
)
def test_a_text_is_shown_in_one_line(text, line):
    assert in_line(text) == line


def test_spans_stay_where_they_are_when_line_breaks_go():
    assert marked("問い。\n答えは\n東京", [(4, 7), (8, 10)]) == (
        "問い。<mark>答えは</mark><mark>東京</mark>"
    )
    assert marked("a\n\nb c", [(3, 4)]) == "a <mark>b</mark> c"


@pytest.mark.parametrize(("token", "shown"), [("\n", "⏎"), ("\t", "⇥"), ("##é ", "##é ")])
def test_a_token_that_is_white_space_is_seen(token, shown):
    assert visible(token) == shown


def test_many_lines_stand_behind_their_number():
    assert fold([]) == ""
    assert fold(["<b>a</b>"]) == "<b>a</b>"
    assert fold(["<b>a</b>", "c"]) == "<details><summary>2</summary><b>a</b><br>c</details>"


def test_the_summary_of_a_fold_is_no_markup():
    assert HOSTILE in html.unescape(details(HOSTILE, ["a"]))
    assert "<script>" not in details(HOSTILE, ["a"])
