"""Timing two functions in turn, so that a busy machine slows both alike."""

import statistics
import time
from collections.abc import Callable

PAIRS = 7


def compare(
    name: str, ours: Callable[[], object], other: Callable[[], object], *, pairs: int = PAIRS
) -> None:
    """Run A B A B ... and print the ratio ours / other of the medians, and its range."""
    seconds: dict[str, list[float]] = {"ours": [], "other": []}
    for pair in range(pairs + 1):  # the first pair only warms up
        for label, function in (("ours", ours), ("other", other)):
            start = time.perf_counter()
            function()
            if pair:
                seconds[label].append(time.perf_counter() - start)
    ratios = [a / b for a, b in zip(seconds["ours"], seconds["other"], strict=True)]
    a, b = (statistics.median(seconds[label]) for label in ("ours", "other"))
    print(
        f"{name}\n    {1e3 * a:8.1f} ms against {1e3 * b:8.1f} ms, ratio "
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )
