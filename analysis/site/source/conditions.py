"""Parts of a page that are shown only where the run has evidence for them.

Quarto's conditional content, by metadata alone:

    ::: {.content-visible when-meta="has.trained"}
    Paragraphs, figures, sections.
    :::

    A sentence. [Another one.]{.content-visible unless-meta="has.trained"}

What is not shown is taken out of the source before anything else of the page is read, so that it is
not numbered, and may name values that this run does not have. What is shown loses its condition and
is unwrapped once the page is parsed (filters/conditions.lua).
"""

import re
from collections.abc import Callable, Iterator

from analysis.site.source import dialect
from attention_mixing.errors import InputError

_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^:{3,}[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_SPAN = re.compile(rf"\](\{{\.{dialect.CONDITIONAL}\b[^}}\n]*\}})")
_ATTRIBUTES = re.compile(rf'\{{\.{dialect.CONDITIONAL}( (when|unless)-meta="([\w.-]+)")\}}')

Range = tuple[int, int]


def shown_parts(source: str, is_true: Callable[[str], bool]) -> list[Range]:
    """Return the ranges of the source of a whole page that are shown, conditions left out.

    `is_true` looks a key up in the metadata.

    Raises
    ------
    InputError
        If a condition is not one of metadata, its key is unknown or its fence is not closed; begins
        with the number of its line and a colon.
    """
    # Brackets and colons of code are no markup.
    text = _CODE.sub(lambda code: re.sub(r"[\[\]:]", " ", code[0]), source)
    hidden = sorted([*_cuts_of_divs(text, is_true), *_cuts_of_spans(text, is_true)])
    spans, position = [], 0
    for start, end in hidden:
        if start > position:
            spans.append((position, start))
        position = max(position, end)
    return [*spans, (position, len(source))]


def _cuts_of_divs(text: str, is_true: Callable[[str], bool]) -> Iterator[Range]:
    open_fences: list[re.Match[str]] = []
    for fence in _FENCE.finditer(text):
        if fence[1]:
            open_fences.append(fence)
        elif open_fences:
            opening = open_fences.pop()
            if opening[1].startswith(f"{{.{dialect.CONDITIONAL}"):
                holds, place = _condition(text, *opening.span(1), is_true)
                yield place if holds else (opening.start(), fence.end())
    for fence in open_fences:
        raise InputError(f"{_line(text, fence.start())}: this div has no end (:::)")


def _cuts_of_spans(text: str, is_true: Callable[[str], bool]) -> Iterator[Range]:
    for closing in _SPAN.finditer(text):
        start, end = opening_bracket(text, closing.start()), closing.end()
        holds, place = _condition(text, *closing.span(1), is_true)
        if holds:
            yield place
        else:
            # An empty line would end the paragraph.
            alone = text[start - 1] == "\n" and text[end : end + 1] == "\n"
            yield start, end + alone


def opening_bracket(text: str, closing: int) -> int:
    """Position of the bracket that the one at ``closing`` closes."""
    depth = 0
    for position in range(closing, -1, -1):
        if text[position] in "[]" and text[position - 1 : position] != "\\":
            depth += 1 if text[position] == "]" else -1
        if depth == 0:
            return position
    raise InputError(f"{_line(text, closing)}: this span has no beginning ([)")


def _condition(
    text: str, start: int, end: int, is_true: Callable[[str], bool]
) -> tuple[bool, Range]:
    """Tell whether a condition holds, and where it stands among the attributes."""
    match = _ATTRIBUTES.fullmatch(text, start, end)
    if not match:
        raise InputError(
            f"{_line(text, start)}: the preview does not know {text[start:end]}; what is "
            f'conditional is written {{.{dialect.CONDITIONAL} when-meta="KEY"}} or unless-meta'
        )
    try:
        return is_true(match[3]) == (match[2] == "when"), match.span(1)
    except InputError as error:
        raise InputError(f"{_line(text, start)}: {error}") from None


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
