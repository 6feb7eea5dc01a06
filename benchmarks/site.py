"""The finished site as a reader meets it, from a server on this machine with an empty cache.

For every page: requests, bytes of everything that it loads before it is touched, and the time until
something is painted. Asked of it: first paint under a second, no page over 3 MB.
"""

import statistics
from pathlib import Path

from analysis.paths import LANGUAGES, SITE
from benchmarks.browsing import MISSING, browsing, serving

VISITS = 5
MEASURED = """() => {
  const loaded = [...performance.getEntriesByType('navigation'),
                  ...performance.getEntriesByType('resource')];
  return {
    requests: loaded.length,
    bytes: loaded.reduce((sum, one) => sum + one.encodedBodySize, 0),
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  };
}"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"


def main() -> None:
    """Print one line a page."""
    pages = [Path("index.html")]
    for language in LANGUAGES:
        pages += sorted(path.relative_to(SITE) for path in (SITE / language).glob("*.html"))
    if len(pages) == 1:
        print("There is no site to measure; `make repro` makes it.")
        return
    print(f"{'page':24} requests      kB    first paint, ms: median of {VISITS} (range)")
    with browsing() as browser, serving(SITE) as address:
        if browser is None:
            print(MISSING)
            return
        for page in pages:
            paints = []
            for _ in range(VISITS):
                tab = browser.new_page()  # in a context, and so with a cache, of its own
                tab.goto(f"{address}/{page.as_posix()}", wait_until="load")
                tab.wait_for_function(PAINTED)
                measured = tab.evaluate(MEASURED)
                paints.append(measured["paint"])
                tab.close()
            print(
                f"{page.as_posix():24} {measured['requests']:8d} {measured['bytes'] / 1e3:7.0f}"
                f"    {statistics.median(paints):6.0f} ({min(paints):.0f} to {max(paints):.0f})",
                flush=True,
            )
