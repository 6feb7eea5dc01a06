"""Letters of drawings as text: a fraction of the bytes of their outlines, and found by a search."""

import re

from analysis.figures.compact import LETTER

# Letters of one font, as a drawing defines them.
_FONT = re.compile(r'<g (?P<font>font-family="[^>]*)>(?:<path [^>]*>)*</g>')
_OUTLINE = re.compile(rf'<path id="(?P<name>\w+)" {LETTER}="(?P<letter>[^"]*)" d="[^"]*"/>')


def set_letters(drawing: str) -> str:
    """Write the letters of a drawing as text in the fonts that they are outlines of.

    Parameters
    ----------
    drawing
        SVG as :func:`analysis.figures.compact.compact` writes it; of another one nothing changes.
    """

    def as_text(letters: re.Match[str]) -> str:
        # Outlines of fonts go up, which the drawing turns over wherever it draws them.
        text = rf'<text transform="scale(1-1)" {letters["font"]}>\g<letter></text>'
        return _OUTLINE.sub(rf'<g id="\g<name>">{text}</g>', letters[0])

    return _FONT.sub(as_text, drawing)
