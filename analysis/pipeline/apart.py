"""DVC in a process group of its own, which ends as a whole.

``python -m analysis.pipeline.apart ARGUMENTS``, forked by :mod:`.preloaded`, is the leader of the
group. A stage is interrupted, and DVC is not, which ends with its stage: it writes its lock file in
place, and an end at that moment would leave half of it. Where the process that has started it is
gone, so is soon the group.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Collection
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import IO

from analysis.pipeline import proxy
from analysis.pipeline.proxy import Proxy

# In turn: the first is lost where DVC has not begun a stage yet.
SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGKILL)
GRACE = 1.0  # seconds from one to the next, in which a stage removes what is half-written


def start(
    *arguments: str, held: int, output: IO[bytes] | None = None, cores: int | None = None
) -> Proxy:
    """Start DVC, after the checks of ``make``; what it and its stages say goes to ``output``.

    It holds a lock as long as it lives, that of the file ``held``. So many ``cores`` are counted by
    joblib: for workers that are ``auto``, and for threads.
    """
    counted = {} if cores is None else {"LOKY_MAX_CPU_COUNT": str(cores)}
    said = (1, 2) if output is None else (output.fileno(), output.fileno())
    with Path(os.devnull).open() as nothing:
        return Proxy(
            __name__,
            *arguments,
            files=[nothing.fileno(), *said, held],
            environment=os.environ | {"CHECKED_BY_MAKE": "yes"} | counted,
        )


def ended(process: Proxy) -> bool:
    """Tell whether nothing is left of what was started, nor of what that has started."""
    if process.poll() is None:
        return False
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 0)
        return False
    return True


def end(processes: Collection[Proxy]) -> None:
    """Interrupt what was started, and kill what has not ended a few seconds later."""
    groups = [process.pid for process in processes]
    _end(groups, over=lambda: all(map(ended, processes)))


def _end(groups: list[int], over: Callable[[], bool]) -> None:
    for number in SIGNALS:
        for group in groups:
            with suppress(ProcessLookupError):
                os.killpg(group, number)
        started = time.monotonic()
        while time.monotonic() - started < GRACE:
            if over():
                return
            time.sleep(0.05)


def main(*arguments: str) -> int:
    """Call DVC. What it tells of every stage is left out; its errors are not."""
    signal.signal(signal.SIGINT, lambda *_: None)  # to be ignored would be inherited by stages
    proxy.when_gone(lambda: _end([os.getpgrp()], over=lambda: False))
    with redirect_stdout(io.StringIO()):  # what a stage writes goes past it
        from dvc import logger
        from dvc.cli import main as dvc

        for name in ("dvc", "dvc_objects", "dvc_data"):
            logging.getLogger(name).handlers.clear()  # to the streams of the process that loaded it
        logger.setup()
        return int(dvc(["--wait-for-lock", *arguments]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
