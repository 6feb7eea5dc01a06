"""The explorer with as much as it is made for: 144 heads of 512 tokens, and a map of 10,000 points.

The model has drawn weights, which no file of it can be small for. Asked of it: every head visible
in two seconds, nothing that blocks the page for more than 100 ms, and a tab under 400 MB.
"""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from playwright.sync_api import Browser, Page
from transformers import BertConfig, BertModel

from attention_mixing import explorer
from attention_mixing.explain import Explained, explain
from attention_mixing.explorer.content import File, joint_files_of_text, text_files
from attention_mixing.explorer.packed import pack_numbers
from attention_mixing.models.source import EMBEDDED_NAME, directory_of
from attention_mixing.models.tokenizer import load_tokenizer
from benchmarks.browsing import MISSING, browsing, serving

LAYERS, HEADS, TOKENS, POINTS = 12, 12, 512, 10_000
VISITS = 5
PAGE = "en/explorer.html"
WATCH = """window.blocked = [];
new PerformanceObserver((list) => {
  for (const {duration} of list.getEntries()) window.blocked.push(duration);
}).observe({type: "longtask", buffered: true});"""
READY = "() => document.querySelector('.explorer[aria-busy=false]')"


def main() -> None:
    """Print, for every thing that a reader does, how long it takes and what it blocks."""
    with TemporaryDirectory() as made, browsing() as browser:
        if browser is None:
            print(MISSING)
            return
        site = Path(made)
        sizes = _write(site, *_files(_explained(site / "model")))
        thumbnails = _thumbnails(site)
        print(f"largest file {max(sizes) / 1e3:.0f} kB, thumbnails {thumbnails / 1e3:.0f} kB")
        with serving(site) as address:
            _visit(browser, f"{address}/{PAGE}")


def _explained(directory: Path) -> Explained:
    torch.manual_seed(0)
    tokenizer = load_tokenizer(directory_of(EMBEDDED_NAME))
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=HEADS * 32,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=HEADS * 32,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return explain([(" ".join(["film"] * (TOKENS - 2)), None)], str(directory))


def _files(explained: Explained) -> tuple[dict[str, object], Iterator[File]]:
    """Give the index, and the files of the text and of a map of features."""
    ((shown,),) = explained.texts
    (state,) = explained.states
    listed: dict[str, object] = {
        "name": "made",
        "states": [state],
        "streams": [
            {"name": "", "layers": LAYERS, "heads": HEADS, "numbers": False, "map": "alone"}
            | {"features": ["pca"]}
        ],
        "texts": [{"id": 0, "title": "made"}],
    }

    def files() -> Iterator[File]:
        yield from text_files("made/text-0", shown)
        yield from joint_files_of_text("made/text-0", 0, shown)
        places = np.random.default_rng(0).normal(size=(1, POINTS, 2))
        tokens = [{"text": 0, "position": place, "token": "film"} for place in range(POINTS)]
        states = {state: {"places": pack_numbers(places), "trust": [{}]}}
        content = {"points": [["in_layer", 1]], "tokens": tokens, "states": states}
        yield "made/features-pca", content

    return listed, files()


def _write(site: Path, listed: dict[str, object], files: Iterator[File]) -> list[int]:
    (site / "en" / "shared").mkdir(parents=True)
    for name in explorer.FILES:
        (site / "en" / "shared" / name).write_bytes((explorer.HERE / name).read_bytes())
    html = explorer.with_scripts([listed], {"e": "made", "t": 0}, "en", notice="")
    page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><body>{html}</body></html>'
    (site / PAGE).write_text(page, encoding="utf-8")
    sizes = []
    for name, content in files:
        path = site / "explorer" / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        sizes.append(path.write_bytes(explorer.script(name, content)))
    return sizes


def _thumbnails(site: Path) -> int:
    (file,) = (site / "explorer").rglob("all-*.js")
    return file.stat().st_size


def _visit(browser: Browser, url: str) -> None:
    """Do once in every visit what a reader does."""
    steps = {
        "open: all heads, one map": "",
        "another layer and head": "{layer: 3, head: 5}",
        "another token": "{query: 300}",
        "lines of a head": "{view: 'lines'}",
        f"a map of {POINTS:,} points": "{view: 'features'}",
        "another token on it": "{query: 10}",
    }
    times: dict[str, list[float]] = {step: [] for step in steps}
    blocked: dict[str, list[float]] = {step: [] for step in steps}
    memory = []
    for _ in range(VISITS):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        tab = context.new_page()
        tab.add_init_script(WATCH)
        for step, change in steps.items():
            times[step].append(_taken(tab, url, change))
            tab.wait_for_timeout(100)  # the observer reports after the task
            blocked[step].append(max(tab.evaluate("() => blocked.splice(0)"), default=0))
        memory.append(_resident(browser))
        context.close()
    print(f"{'step':32} ms: median of {VISITS} (range)    longest task, ms")
    for step, taken in times.items():
        spread = f"{statistics.median(taken):6.0f} ({min(taken):.0f} to {max(taken):.0f})"
        print(f"{step:32} {spread:28} {statistics.median(blocked[step]):8.0f}")
    print(f"memory of the tab at the end: {max(memory) / 1e6:.0f} MB")


def _resident(browser: Browser) -> int:
    """Bytes that the process of the one tab holds in memory."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    held = [
        int(Path(f"/proc/{one['id']}/statm").read_text(encoding="ascii").split()[1])
        for one in processes
        if one["type"] == "renderer"
    ]
    return max(held) * os.sysconf("SC_PAGE_SIZE")


def _taken(tab: Page, url: str, change: str) -> float:
    """Milliseconds until what was asked for is painted."""
    if not change:
        tab.goto(url, wait_until="commit")
        tab.wait_for_function(READY)
        return float(tab.evaluate("() => performance.now()"))
    return float(
        tab.evaluate(
            f"""async () => {{
              const began = performance.now();
              await document.querySelector(".explorer").explorer.select({change});
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              return performance.now() - began;
            }}"""
        )
    )
