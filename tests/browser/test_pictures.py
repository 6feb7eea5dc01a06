"""The pictures of the READMEs; with the option --update-picture, they are written anew."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from browser.conftest import ROOT, finished_by
from browser.pages import LANGUAGES

WIDTH, HEIGHT, SCALE = 1280, 1000, 1.25
FILES = {"en": "site.png", "ja": "site.ja.png"}
BYTES = 250_000


def picture(tab) -> bytes:
    """Take a picture in few colours, rare ones too, which is small and looks the same."""
    shot = Image.open(BytesIO(tab.screenshot())).convert("RGB")
    packed = BytesIO()
    colours = shot.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    colours.save(packed, format="png", optimize=True)
    return packed.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_front_page_makes_a_picture_for_the_readme(visit, renderer, language, request):
    update = request.config.getoption("--update-picture")
    if update and finished_by() is None:
        pytest.fail("The site is missing or older than its sources; run `make repro` first.")
    if update and finished_by() != renderer:
        pytest.skip(f"the site is not by {renderer}")
    address = request.getfixturevalue("address")
    opened = visit(f"{address}/{language}/index.html", WIDTH, device_scale_factor=SCALE)
    opened.tab.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    made = picture(opened.tab)
    file = ROOT / "docs" / FILES[language]
    if update:
        file.write_bytes(made)
    assert len(made) < BYTES
    assert file.stat().st_size < BYTES
    with Image.open(file) as kept, Image.open(BytesIO(made)) as taken:
        assert kept.width == taken.width
