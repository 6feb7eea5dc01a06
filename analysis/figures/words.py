"""Words of figures and tables in the page's language, from ``report/LANGUAGE/messages``.

The files are in the format of Project Fluent (https://projectfluent.org), a message a word: who
writes a language needs to read no Python, and later sentences can choose by number and outcome.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource

MESSAGES = Path(__file__).parents[2] / "report"
SHARED = "shared"  # what several chapters say

Words = dict[str, str]


def words(language: str, *modules: str) -> Words:
    """Shared words and those of modules that draw figures.

    Arguments of a message stand in braces, for ``str.format`` by name.

    Parameters
    ----------
    language
        ``en`` or ``ja``.
    modules
        Of ``analysis.figures``, e.g. ``propagation``.
    """
    found: Words = {}
    for module in (SHARED, *modules):
        found |= _read(MESSAGES / language / "messages" / f"{module}.ftl")
    return found


def nth_layer(layer: int, w: Words) -> str:
    """Name a layer, counted from 1."""
    return w["nth_layer"].format(layer=layer)


def beside(one: str, other: str, w: Words) -> str:
    """Say two things of one panel."""
    return w["beside"].format(one=one, other=other)


@lru_cache
def _read(path: Path) -> Words:
    text = path.read_text(encoding="utf-8")
    bundle = FluentBundle([path.parts[-3]], use_isolating=False)
    bundle.add_resource(FluentResource(text))
    arguments = {name: f"{{{name}}}" for name in re.findall(r"\$(\w+)", text)}
    found = {}
    for name in re.findall(r"^([a-zA-Z][\w-]*) =", text, re.M):
        pattern = bundle.get_message(name).value
        assert pattern is not None  # every message has a text
        # Names of messages have neither plus nor stroke; some names of results have.
        key = name.replace("-plus-", "+").replace("-in-", "/")
        found[key] = str(bundle.format_pattern(pattern, arguments)[0])
    return found
