"""Publish the pages of both languages with what they share: a front, scripts, a font."""

from __future__ import annotations

import shutil
from importlib.metadata import distribution
from importlib.resources import as_file, files
from pathlib import Path

from analysis.params import Params
from analysis.paths import LANGUAGES, PAGES, REPORT, SITE
from analysis.stage import replacing, run

# Name beside the two sites -> package that holds the file, and its path there. Plotly draws the
# maps; jQuery and d3 are what BertViz draws with.
SCRIPTS = {
    "plotly.min.js": ("plotly", "package_data/plotly.min.js"),
    "jquery.min.js": ("xstatic.pkg.jquery", "data/jquery.min.js"),
    "d3.js": ("xstatic.pkg.d3", "data/d3.js"),
}
# Formulas need a font that knows how they are built, which few systems have.
FONT = "math.woff"
# What they are set in, in Unicode: Latin, accents, Greek, dashes and dots, letterlike signs,
# arrows, operators, brackets, and of the alphabets of mathematics bold, italic and blackboard.
BLOCKS = (
    "20-7E A0-FF 300-338 391-3F5 2010-2057 2061-2064 2102-2135 2190-21D5 2200-22FF 2308-230B "
    "27E8-27EB 1D400-1D467 1D538-1D56B 1D6E2-1D71B 1D7CE-1D7E1"
)
# Packages that come without the licence which goes with every copy.
LICENCES = REPORT / "licences"


def site(params: Params) -> None:
    """Publish ``site`` in one move: the pages of both languages, what they load, and licences.

    Until then readers have the site of the run before.
    """
    with replacing(SITE) as directory:
        directory.mkdir()
        for language in LANGUAGES:
            shutil.copytree(PAGES / language, directory / language)
        shutil.copyfile(REPORT / "index.html", directory / "index.html")
        for name, (package, path) in SCRIPTS.items():
            with as_file(files(package).joinpath(path)) as source:
                shutil.copyfile(source, directory / name)
        write_font(directory / FONT)
        # Plotly and jQuery name theirs in their first line.
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(LICENCES.iterdir())}
        texts["BertViz"] = next(
            file.read_text(encoding="utf-8")
            for file in distribution("bertviz").files or []
            if file.name == "LICENSE"
        )
        (directory / "licences.txt").write_text(
            "\n".join(f"{name}\n{'=' * len(name)}\n\n{text}" for name, text in texts.items()),
            encoding="utf-8",
        )


def write_font(path: Path) -> None:
    """Write the part of STIX Two Math that formulas use, as a font for browsers."""
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=["*"])
    source = distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")
    font = subset.load_font(str(source), options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=subset.parse_unicodes(BLOCKS))
    chosen.subset(font)
    subset.save_font(font, str(path), options)


if __name__ == "__main__":
    run(site)
