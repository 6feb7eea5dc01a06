"""Links of a site to selections, and what of a selection its page does not have."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from attention_mixing.explorer import BOTH, HERE

VIEWS = ("map", "features")  # that not every stream has
# Letter of an address -> what it chooses.
LETTERS = {
    letter: key
    for key, letter in re.findall(
        r'^  (\w+): \["(\w)",', (HERE / "selection.js").read_text(encoding="utf-8"), re.MULTILINE
    )
}


def selections(page: str) -> set[tuple[str, str]]:
    """Page and selection of every link of a page to a selection; an empty page is the same one."""
    links = (urlsplit(unescape(one)) for one in re.findall(r'<a [^>]*?href="([^"]*)"', page))
    return {
        (link.path, unquote(link.fragment))
        for link in links
        if "=" in link.fragment and not link.scheme and not link.path.startswith("data:")
    }


def missing(selected: str, index: list) -> list[str]:
    """Name what a selection asks of the explorer and its data do not have."""
    asked = {LETTERS[letter]: value for letter, value in parse_qsl(selected, strict_parsing=True)}
    shown = next((one for one in index if one["name"] == asked.get("experiment")), None)
    if shown is None:
        return [f"experiment {asked.get('experiment')}"]
    streams = [one for one in shown["streams"] if one["name"] == asked.get("stream", one["name"])]
    if not streams:
        return [f"stream {asked['stream']}"]
    stream, state = streams[0], asked.get("state", shown["states"][-1])
    states = shown["states"] if state == BOTH else [state]
    columns = {
        name for name, there in stream["columns"].items() if any(one in there for one in states)
    }
    compared = [name for name in asked.get("compared", "").split("~") if name]
    cells = stream["cells"].get(asked.get("cells", "attention"), [])
    orders = columns | ({"difference"} if len(compared) == 2 else set())
    there = {
        "state": state in (*shown["states"], BOTH),
        "text": int(asked.get("text", -1)) in (-1, *(text["id"] for text in shown["texts"])),
        "layer": 0 <= int(asked.get("layer", 0)) <= stream["layers"],
        "head": 1 <= int(asked.get("head", 1)) <= stream["heads"],
        "cells": BOTH in cells or any(one in cells for one in states),
        "view": asked.get("view", "lines") in ("lines", *(v for v in VIEWS if stream.get(v))),
        "compared": set(compared) <= columns,
        "order": asked.get("order") in (None, *orders),
    }
    return [f"{key} {asked.get(key)}" for key, is_there in there.items() if not is_there]


def index_of(site: Path, language: str) -> list:
    """What the explorer of a site has, as its page says."""
    page = (site / language / "explorer.html").read_text(encoding="utf-8")
    contents = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return next(found["index"] for one in contents if "index" in (found := json.loads(one)))


def options_of(page: str) -> dict[str, set[str]]:
    """Lists of the filter of a page -> what they offer."""
    lists = re.findall(r'<select name="(\w+)">(.*?)</select>', page, re.DOTALL)
    found = {name: re.findall(r'<option value="([^"]*)"', inner) for name, inner in lists}
    return {name: {unescape(value) for value in values} for name, values in found.items()}


def selecting_what_is_not_there(site: Path, language: str) -> list[str]:
    """One line for every link to a selection that its page cannot show."""
    index = index_of(site, language)
    wrong = []
    for path in sorted((site / language).glob("*.html")):
        for target, selected in selections(path.read_text(encoding="utf-8")):
            name = target or path.name
            if name == "explorer.html":
                faults = missing(selected, index)
            else:
                options = options_of((site / language / name).read_text(encoding="utf-8"))
                asked = dict(parse_qsl(selected, strict_parsing=True))
                faults = [
                    f"{key} {value}"
                    for key, value in asked.items()
                    if value not in options.get(key, ())
                ]
            wrong += [f"{path.name}: {name}#{selected}: no {fault}" for fault in faults]
    return wrong
