"""One surface for every head, token and measure: its data, its script, and the page around it.

What it shows of a text is in :mod:`attention_mixing.explorer.content`; the scripts, which both
sites and the page of ``explain`` load in the order of :data:`SCRIPTS`, draw it in a browser.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from attention_mixing.explorer.columns import DEPENDENCE, FROM_INPUT, IN_LAYER
from attention_mixing.explorer.packed import deflated, in_base64, in_characters
from attention_mixing.messages import Words

HERE = Path(__file__).parent
SCRIPTS = (
    *("packed.js", "elements.js", "picture.js", "selection.js", "text.js", "heads.js"),
    *("planes.js", "lines.js", "matrix.js", "rows.js", "product.js", "pairs.js", "score.js"),
    "explorer.js",
)
STYLE = "explorer.css"
ROOT = "../explorer"  # of the files of the site, from the directory of the scripts
TITLE = 160  # characters of a text that the list of texts shows
FILES = (STYLE, *SCRIPTS)
BOTH = "both"  # name of two states, or models, together
# As the figures have them (:mod:`analysis.figures.style`): of categories, and a scale for numbers.
COLOURS = {
    "categories": ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933", "#AA4499"),
    "scale": (
        *("#434e6c", "#535a6d", "#636670", "#727374", "#828078", "#928d78"),
        *("#a39a74", "#b5a86f", "#c7b767", "#dac65a", "#eed649"),
    ),
}


def component(
    index: Sequence[Mapping[str, Any]],
    opening: Mapping[str, Any],
    *languages: str,
    files: str = "",
    notice: str = "",
) -> str:
    """Write the element that the scripts fill.

    Parameters
    ----------
    index
        Experiments, each with ``name``, ``states`` (where these are ``models``, also what each is
        called), ``texts`` (``id, title``) and ``streams`` (``name, layers, heads``; whether
        there are ``numbers`` over texts; ``map``, whether texts are ``together`` on maps or
        ``alone``; ``features``, methods of their maps).
    opening
        The selection that it opens with, by the letters of ``selection.js``.
    languages
        ``en``, ``ja`` or both: what the page speaks is that of its root, by the attribute ``lang``.
    files
        Directory of the files, from that of the scripts; empty where they lie in the page.
    notice
        HTML: what to notice in the opening view; where it is empty, what is said of any other.

    Returns
    -------
    str
        HTML.
    """
    content = {
        "index": index,
        "opening": opening,
        "words": {language: said(language) for language in languages},
        "files": files,
        "colours": COLOURS,
        "columns": {"in_layer": IN_LAYER, "from_input": FROM_INPUT, "measured": [DEPENDENCE]},
    }
    needed = "".join(
        f'<p lang="{language}">{escape(said(language)["no_script"])}</p>' for language in languages
    )
    return (
        f'<div class="explorer" aria-busy="true"><p class="notice">{notice}</p>'
        f"<noscript>{needed}</noscript>{in_page(content)}</div>"
    )


def with_scripts(
    index: Sequence[Mapping[str, Any]],
    opening: Mapping[str, Any],
    language: str,
    notice: str,
) -> str:
    """Write the element for a page of the site, with the style and the scripts beside it.

    Index, opening and notice are as in :func:`component`; the language is ``en`` or ``ja``.
    """
    # A page that a browser keeps never meets scripts of another time.
    version = sha256(b"".join((HERE / name).read_bytes() for name in FILES)).hexdigest()[:8]
    style = f'<link rel="stylesheet" href="shared/{STYLE}?{version}">'
    scripts = "".join(f'<script defer src="shared/{name}?{version}"></script>' for name in SCRIPTS)
    return style + component(index, opening, language, files=ROOT, notice=notice) + scripts


def in_page(content: Any) -> str:
    """Write content, anything that JSON holds, as HTML of a page, where the scripts read it."""
    written = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # Without "<", no text ends the script early.
    written = written.replace("<", "\\u003c")
    return f'<script type="application/json">{written}</script>'


def file_in_page(name: str, content: Any) -> str:
    """Write a file into the HTML of a page, as :func:`script` writes it beside one.

    Name and content are as :mod:`attention_mixing.explorer.content` gives them.
    """
    identity = escape(f"file:{name}", quote=True)
    return f'<script type="text/plain" id="{identity}">{in_base64(deflated(content))}</script>'


def script(name: str, content: Any) -> bytes:
    """Write a script that puts what a file says under its name.

    Name and content are as :mod:`attention_mixing.explorer.content` gives them. The script is in
    UTF-16; the mark of the byte order tells browsers so, however the script is served.
    """
    written = json.dumps(in_characters(deflated(content)), ensure_ascii=False)
    code = f"(window.explorerFiles ??= {{}})[{json.dumps(name)}] = {written};\n"
    return codecs.BOM_UTF16_LE + code.encode("utf-16-le")


def said(language: str) -> dict[str, str]:
    """Give the words of the explorer in a language, ``en`` or ``ja``: messages by their names."""
    words = Words(language)
    words.read(HERE / f"{language}.ftl")
    return dict(words)
