"""What pages of either renderer load beside their text: scripts, a font, an icon, a card."""

from __future__ import annotations

import io
from importlib.metadata import distribution, version
from pathlib import Path

from analysis.fonts import font_files
from analysis.paths import REPORT
from analysis.site.source.cache import remembered
from analysis.site.source.page import front_matter
from attention_mixing import explorer

# Formulas need a font that knows how they are built, which few systems have.
FONT = "math.woff"
# What they are set in, in Unicode: Latin, accents, Greek, dashes and dots, letterlike signs,
# arrows, operators, brackets, and of the alphabets of mathematics bold, italic and blackboard.
BLOCKS = (
    "20-7E A0-FF 300-338 391-3F5 2010-2057 2061-2064 2102-2135 2190-21D5 2200-22FF 2308-230B "
    "27E8-27EB 1D400-1D467 1D538-1D56B 1D6E2-1D71B 1D7CE-1D7E1"
)
# What a page is shown as where a link to it is posted.
CARD = "card.png"
_CARD = """
#set page(width: 600pt, height: 315pt, margin: 40pt, fill: rgb("#fffefb"))
#set text(font: ("Source Sans Pro", "Noto Sans JP", "Noto Sans CJK JP"), fill: rgb("#1d2126"))
#align(horizon)[
  #line(length: 60pt, stroke: 4pt + rgb("#0b5a8f"))
  #text(34pt, weight: "bold", sys.inputs.title)
  #v(4pt)
  #text(18pt, sys.inputs.description)
]
"""
LICENCES = REPORT / "licences"
ICON = "icon.svg"


def shared_assets(project: Path) -> dict[str, bytes]:
    """Make what pages of either renderer load, and the licences of all that, by name of the file.

    ``project`` is, for example, ``report/en``.
    """
    scripts = {name: (explorer.HERE / name).read_bytes() for name in explorer.FILES}
    icon = (project.parent / "assets" / ICON).read_bytes()
    return scripts | {
        ICON: icon,
        FONT: math_font(),
        CARD: _card(project),
        "licences.txt": _licences(),
    }


def _card(project: Path) -> bytes:
    """Title and first sentence of the site, as a picture of 1200 x 630 pixels."""
    import typst

    front, _ = front_matter(project / "index.qmd")
    texts = {key: front.get(key, "") for key in ("title", "description")}
    fonts = sorted({file.parent for file in font_files()})
    sources = [_CARD, version("typst"), *texts.values(), *map(str, fonts)]
    return remembered(
        (source.encode() for source in sources),
        lambda: typst.compile(
            _CARD.encode(),
            format="png",
            ppi=144,
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=fonts),
            sys_inputs=texts,
        ),
    )


def math_font() -> bytes:
    """Give the part of STIX Two Math that formulas use, as a font for browsers."""
    font = Path(str(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")))
    sources = [font.read_bytes(), BLOCKS.encode(), version("fonttools").encode()]
    return remembered(sources, lambda: _subset(font))


def _subset(source: Path) -> bytes:
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["*"])
    font = subset.load_font(str(source), options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=subset.parse_unicodes(BLOCKS))
    chosen.subset(font)
    written = io.BytesIO()
    subset.save_font(font, written, options)
    return written.getvalue()


def _licences() -> bytes:
    """Licences of what comes without one of its own."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(LICENCES.iterdir())}
    return "\n".join(
        f"{name}\n{'=' * len(name)}\n\n{text}" for name, text in texts.items()
    ).encode()
