"""Stages side by side, as many as cores and memory allow: what plain DVC runs one after another.

Each is a process ``dvc repro --single-item STAGE``: whether it runs, what is locked, taken from the
run cache or written into ``dvc.lock`` is DVC's. DVC releases its lock while the command of a stage
runs, and waits for it otherwise. In which order stages run, and beside which others, changes no
result; a plain ``dvc repro`` afterwards finds nothing left to do.
"""

from __future__ import annotations

import gc
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import typer
from zc.lockfile import LockError

from analysis.paths import MODULES
from analysis.pipeline import apart, lock, times
from analysis.pipeline.graph import MEASURING, StageNode
from analysis.pipeline.processes import ENDING
from analysis.pipeline.proxy import Proxy
from attention_mixing.errors import available_memory, interrupted

UNKNOWN = 2048  # MiB of a stage of which no run has left a note
PAUSE = 0.05  # seconds between two looks at what has ended


@dataclass
class Running:
    """A stage at work: what it takes of the cores and of the memory (MiB), what it has said."""

    process: Proxy
    output: IO[bytes]
    cores: int
    memory: int

    def said(self, name: str = "") -> str:
        """Give what it has said, each line behind the name of the stage."""
        self.output.seek(0)
        lines = self.output.read().decode(errors="replace").splitlines()
        return "".join(f"{name}{line}\n" for line in lines if line.strip())


class Lanes:
    """The stages of a graph that are out of date, or may become so.

    Attributes
    ----------
    ran
        Those that DVC was asked to run, without an error.
    """

    def __init__(
        self,
        nodes: Mapping[str, StageNode],
        stale: set[str],
        held: int,
        *,
        cores: int,
        workers: int | None = None,
        accelerated: Callable[[], bool] = lambda: False,
    ) -> None:
        """Plan a run.

        Parameters
        ----------
        nodes
            All stages, each behind those that it needs.
        stale
            Those that are out of date before any has run.
        held
            A file that stays locked while any of them runs (:func:`.stage.only`).
        cores
            How many may be busy.
        workers
            Processes that a measuring stage starts; without, as many as its share of the cores.
        accelerated
            Tells whether stages that read ``device`` share one accelerator, and so run one at a
            time.
        """
        self.nodes, self.stale, self.held = nodes, stale, held
        self.cores, self.workers = cores, workers
        self.needs = {name: node.needs for name, node in nodes.items()}
        self.noted = times.notes(nodes)
        self.seconds = times.expected(nodes, times.kept() | times.seconds(self.noted))
        self.rest = times.to_the_end(self.needs, self.seconds)
        self.memory = available_memory() // 2**20
        self.waiting: list[str] = []
        for name, needs in self.needs.items():
            if name in stale or any(needed in self.waiting for needed in needs):
                self.waiting.append(name)
        self.waiting.sort(key=lambda name: -self.rest[name])
        self.total = len(self.waiting)
        self.in_turn = (
            any("device" in nodes[name].params for name in self.waiting) and accelerated()
        )
        self.running: dict[str, Running] = {}
        self.changed: set[str] = set()  # whose output is another one than before
        self.ran: list[str] = []

    def run(self) -> int:
        """Run them; gives the code of DVC at the stage that failed first, else 0.

        Where one fails, the others end their present stage, and what the failed one has said is
        told last.
        """
        while (before := _outputs()) is None:
            time.sleep(PAUSE)
        failed: list[str] = []
        codes: list[int] = []
        ended = True  # there may be something to begin
        with _noting(ENDING) as signals:
            while self.running or (self.waiting and not codes):
                if signals:
                    apart.end([one.process for one in self.running.values()])
                    gc.freeze()  # or the interpreter looks through all objects as it ends
                    interrupted(signals[0], None)
                if (ended or not self.running) and not codes:
                    self._begin()
                time.sleep(PAUSE)
                ended = False
                for name, one in list(self.running.items()):
                    if one.process.poll() is None or not self._settled(name, one, before.get(name)):
                        continue
                    del self.running[name]
                    ended = True
                    if one.process.returncode:
                        codes.append(abs(one.process.returncode))
                        failed.append(f"{one.said()}error: the stage {name} failed.\n")
                    else:
                        self.ran.append(name)
                        typer.echo(one.said(f"{name} | "), nl=False)
        sys.stderr.writelines(reversed(failed))
        return codes[0] if codes else 0

    def _settled(self, name: str, one: Running, before: Any) -> bool:
        """Note whether the output of a stage that has ended is another one than before.

        Not yet, where DVC's lock is taken.
        """
        if not apart.ended(one.process):  # DVC was killed, its stage was not
            apart.end([one.process])
        if (outputs := _outputs()) is None:
            return False
        if outputs.get(name) != before:
            self.changed.add(name)
        return True

    def _begin(self) -> None:
        """Begin what can begin, with the longest way to the end first."""
        for name in [*self.waiting]:
            if not self._ready(name):
                continue
            # Which notes of code differ is known before: it is in `stale`.
            if name not in self.stale and not self.needs[name] & self.changed - {MODULES.name}:
                self.waiting.remove(name)
                continue
            cores = self._cores(name)
            memory = round(self.noted.get(name, {}).get("peak_memory_mib", UNKNOWN))
            memory *= 1 + cores * (cores > 1)  # workers hold as much, each
            if not self.running or self._fits(name, cores, memory):
                self.waiting.remove(name)
                self._start(name, cores, memory)

    def _ready(self, name: str) -> bool:
        return not self.needs[name] & {*self.waiting, *self.running}

    def _cores(self, name: str) -> int:
        """Count the cores for a stage: one, or where it starts workers one for each."""
        if MEASURING not in self.nodes[name].command:  # only these start workers
            return 1
        free = self.cores - sum(one.cores for one in self.running.values())
        shared = free // sum(map(self._ready, self.waiting))
        return max(1, min(self.workers or shared, self.cores))

    def _fits(self, name: str, cores: int, memory: int) -> bool:
        """Tell whether a stage has room beside those that run."""
        taken = self.running.values()
        device = {other for other in [name, *self.running] if "device" in self.nodes[other].params}
        return (
            cores + sum(one.cores for one in taken) <= self.cores
            and memory + sum(one.memory for one in taken) <= self.memory
            and not (self.in_turn and name in device and len(device) > 1)
        )

    def _start(self, name: str, cores: int, memory: int) -> None:
        """Start a stage, and say what runs beside it, and what is left."""
        begun = self.total - len(self.waiting)
        last = f", last time {times.said(self.seconds[name])}" if name in self.noted else ""
        beside = f", beside {', '.join(self.running)}" if self.running else ""
        still = [name, *self.running, *self.waiting]
        shared = sum(self.seconds[one] for one in still) / self.cores
        left = max(shared, *(self.rest[one] for one in still))
        typer.echo(f"[{begun}/{self.total}] {name}{last}{beside}; about {times.said(left)} left")
        output = tempfile.TemporaryFile()
        arguments = ("repro", "--single-item", name)
        process = apart.start(*arguments, held=self.held, output=output, cores=cores)
        self.running[name] = Running(process, output, cores, memory)


def close(held: int) -> int:
    """Have DVC look at all stages once more; gives its code."""
    with _noting(ENDING) as signals:
        process = apart.start("repro", held=held)
        while process.poll() is None:
            if signals:
                apart.end([process])
                interrupted(signals[0], None)
            time.sleep(PAUSE)
    return process.wait()


def _outputs() -> dict[str, Any] | None:
    try:
        return lock.outputs()
    except LockError:
        return None


@contextmanager
def _noting(numbers: tuple[int, ...]) -> Iterator[list[int]]:
    """Note signals in a list, which is looked at where nothing is half-done."""
    received: list[int] = []
    before = {n: signal.signal(n, lambda number, _: received.append(number)) for n in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
