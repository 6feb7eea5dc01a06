"""Parts of a page that are shown only where the run has evidence for them.

Quarto's conditional content, by metadata alone:

    ::: {.content-visible when-meta="has.trained"}
    Paragraphs, figures, sections.
    :::

    A sentence. [Another one.]{.content-visible unless-meta="has.trained"}

They are taken out of the source before anything else of the page is read, so that what is not shown
is not numbered, and may name values that this run does not have.
"""

import re
from collections.abc import Callable, Iterator

from analysis.errors import InputError
from report.preview import dialect

_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^:{3,}[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_SPAN = re.compile(rf"\](\{{\.{dialect.CONDITIONAL}\b[^}}\n]*\}})")
_ATTRIBUTES = re.compile(rf'\{{\.{dialect.CONDITIONAL} (when|unless)-meta="([\w.-]+)"\}}')

Range = tuple[int, int]


def shown_parts(source: str, is_true: Callable[[str], bool]) -> list[Range]:
    """Return the ranges of a source that are shown, without the markup of the conditions.

    Parameters
    ----------
    source
        A whole page.
    is_true
        Looks a key up in the metadata.

    Raises
    ------
    InputError
        If a condition is not one of metadata, its key is unknown or its fence is not closed; begins
        with the number of its line and a colon.
    """
    # Brackets and colons of code are no markup.
    text = _CODE.sub(lambda code: re.sub(r"[\[\]:]", " ", code[0]), source)
    hidden = sorted([*_cuts_of_divs(text, is_true), *_cuts_of_spans(text, is_true)])
    shown, position = [], 0
    for start, end in hidden:
        if start > position:
            shown.append((position, start))
        position = max(position, end)
    return [*shown, (position, len(source))]


def _cuts_of_divs(text: str, is_true: Callable[[str], bool]) -> Iterator[Range]:
    """Find what goes: both fences of a div that is shown, all of one that is not."""
    open_fences: list[re.Match[str]] = []
    for fence in _FENCE.finditer(text):
        if fence[1]:
            open_fences.append(fence)
        elif open_fences:
            opening = open_fences.pop()
            if opening[1].startswith(f"{{.{dialect.CONDITIONAL}"):
                if _holds(opening[1], text, opening.start(), is_true):
                    yield opening.span()
                    yield fence.span()
                else:
                    yield opening.start(), fence.end()
    for fence in open_fences:
        raise InputError(f"{_line(text, fence.start())}: this div has no end (:::)")


def _cuts_of_spans(text: str, is_true: Callable[[str], bool]) -> Iterator[Range]:
    """Find what goes: brackets and attributes of a span that is shown, all of one that is not."""
    for closing in _SPAN.finditer(text):
        start = _opening(text, closing.start())
        if _holds(closing[1], text, closing.start(), is_true):
            yield start, start + 1
            yield closing.span()
        else:
            end = closing.end()
            # An empty line would end the paragraph.
            alone = text[start - 1] == "\n" and text[end : end + 1] == "\n"
            yield start, end + alone


def _opening(text: str, closing: int) -> int:
    """Position of the bracket that the one at ``closing`` closes."""
    depth = 0
    for position in range(closing, -1, -1):
        if text[position] in "[]" and text[position - 1 : position] != "\\":
            depth += 1 if text[position] == "]" else -1
        if depth == 0:
            return position
    raise InputError(f"{_line(text, closing)}: this span has no beginning ([)")


def _holds(attributes: str, text: str, position: int, is_true: Callable[[str], bool]) -> bool:
    line = _line(text, position)
    condition = _ATTRIBUTES.fullmatch(attributes)
    if not condition:
        raise InputError(
            f"{line}: the preview does not know {attributes}; what is conditional is written "
            f'{{.{dialect.CONDITIONAL} when-meta="KEY"}} or unless-meta'
        )
    try:
        return is_true(condition[2]) == (condition[1] == "when")
    except InputError as error:
        raise InputError(f"{line}: {error}") from None


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
