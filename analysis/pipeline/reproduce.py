"""``make repro``: everything that is out of date, side by side, and what became of the time."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import PurePath

import joblib
import typer

from analysis.paths import LOCK
from analysis.pipeline import graph, preloaded, times, unchanged
from analysis.pipeline.lanes import Lanes, close


def reproduce(
    held: int, cores: int | None, workers: int | None, accelerated: Callable[[], bool]
) -> int:
    """Bring all stages up to date; gives 0, or the code of DVC where a stage failed.

    So many ``cores`` may be busy, all without; see :class:`.lanes.Lanes`.
    """
    began, nodes = time.monotonic(), graph.nodes()
    read = [path for node in nodes.values() for path in node.reads]
    written = [path for node in nodes.values() for path in node.writes]
    sources = {path for path in read if not any(_overlap(path, other) for other in written)}
    before = unchanged.state(sorted(sources))
    with preloaded.server():
        lanes = Lanes(
            nodes,
            {*graph.stale()},
            held,
            cores=cores or joblib.cpu_count(),
            workers=workers,
            accelerated=accelerated,
        )
        if code := lanes.run() or close(held):
            return code
    if unchanged.state(sorted(sources)) == before:  # nothing was edited meanwhile
        unchanged.note([*sources, *written, LOCK.name])
    noted = times.notes(nodes)
    ran = [name for name in lanes.ran if noted.get(name) != lanes.noted.get(name)]
    if ran:
        busy = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        typer.echo(
            f"{len(ran)} stages ran in {times.said(time.monotonic() - began)}, "
            f"with {times.said(busy)} of processor time."
        )
        typer.echo(times.summary(lanes.needs, times.seconds(noted), ran))
    return 0


def _overlap(path: str, other: str) -> bool:
    """Tell whether one path is the other, or in it."""
    one, two = PurePath(path), PurePath(other)
    return one.is_relative_to(two) or two.is_relative_to(one)
