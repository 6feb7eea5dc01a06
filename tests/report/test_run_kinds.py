"""Whole runs of kinds that the committed one is not: their pages render, and say nothing false.

A run takes minutes, so this is done by hand: ``RUN_KINDS=yes pytest -k run_kinds``.
Of made runs of every kind, :mod:`tests.report.test_conditions_met` asks in seconds what pages read.
"""

import os
import re
from pathlib import Path

import pytest
from run_kinds import KINDS
from small_report import LANGUAGES, NAMES, Element, read_page
from small_run import publish, write_parameters

from analysis.paths import QUICK

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("RUN_KINDS" not in os.environ, reason="by hand: RUN_KINDS=yes"),
]

# Of what none of these runs has: training, and several models of which one could be counted.
OF_NONE = {
    "en": r"\b[01] of 1 model|[Ii]n square brackets, the latter|After fine-tuning, typically",
    "ja": r"(?<!\d)1 モデル中|角括弧の数値は|ファインチューニング後は、マップ",
}
# Of special tokens, and of models that normalize sums, which decoders here do not.
OF_ENCODERS = {
    "en": r"models? here normalize|[Bb]efore the last normalization of a layer|\[CLS\] is isolated",
    "ja": r"残差接続のたびに正規化する|層の最後の正規化の前では|\[CLS\] が孤立",
}
OF_SPECIAL = {
    "en": r"Special tokens receive|special token to which|more on special tokens than|"
    r"strongest key is that of a special token|drives sinks away",
    "ja": r"特殊トークンに集まる|最も強いキーが特殊トークンであるのは|シンクを遠ざける",
}
FALSE = {
    "bare_decoder": (OF_NONE, OF_ENCODERS, OF_SPECIAL),
    "begun_decoder": (OF_NONE, OF_ENCODERS),
    "pairs": (),
    "encoder": (OF_NONE,),
    "two_texts": (OF_NONE,),
}


def own(page: Element) -> list[str]:
    """Paragraphs of a page that are of the run itself: neither of a reference run nor of a table.

    The claims of the front page, a table, count models of all runs, which may be one.
    """
    main = page.one("main")
    others = {id(one) for tag in ("details", "table") for other in main.all(tag) for one in other}
    every = [one for tag in ("p", "li") for one in main.all(tag)]
    return [one.text for one in every if id(one) not in others]


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_of_a_run_say_nothing_of_what_it_has_not(tmp_path, circuits: Path, kind):
    values = KINDS[kind](tmp_path)
    write_parameters(tmp_path, values)
    publish(tmp_path, circuits, *values["experiments"], kept=(QUICK, "masked-words"))
    pages = {
        (language, name): own(read_page(tmp_path / "site" / language / f"{name}.html"))
        for language in LANGUAGES
        for name in NAMES
        # These explain what there may be.
        if name not in ("claims", "glossary", "library", "api", "rerun", "provenance", "advice")
    }
    assert all(pages.values())
    assert not {
        (page, found[0])
        for page, texts in pages.items()
        for of in FALSE[kind]
        for text in texts
        if (found := re.search(of[page[0]], text))
    }
