"""Processes that begin as copies of this one, with what it has imported."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from attention_mixing.errors import InputError
from attention_mixing.workers import follow

# With these a process is ended from outside.
ENDING = (signal.SIGINT, signal.SIGTERM)


def forked(work: Callable[[Any], None], items: Sequence[Any]) -> None:
    """Do ``work(item)`` for every item, each in a process forked from this one, until all end.

    None of them is sent a signal that it could handle. A pool ends its processes with SIGTERM, and
    one that was just forked has the handlers of this process: where Python ignores exceptions, as
    in what it calls after a fork, the exit of a handler is lost, and the pool waits for ever.

    What the work returns is lost. Raised is the exception of the first item whose work raised one,
    with where it was raised as a note; a process that died at its work is an ``InputError``, which
    names the item.
    """
    fork = get_context("fork")
    pipes = [fork.Pipe(duplex=False) for _ in items]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    processes = [
        fork.Process(target=_sent, args=(work, item, sender, os.getpid(), mask))
        for item, (_, sender) in zip(items, pipes, strict=True)
    ]
    try:
        for process, (_, sender) in zip(processes, pipes, strict=True):
            process.start()
            sender.close()  # or the end of the process would not be the end of its pipe
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        receivers = [receiver for receiver, _ in pipes]
        errors = list(map(_received, items, processes, receivers))
    finally:
        for process in processes:
            if process.pid is not None:
                process.kill()  # where it has not ended yet, as when this one is interrupted
                process.join()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for error in errors:
        if error is not None:
            raise error


def _sent(
    work: Callable[[Any], None], item: Any, sender: Connection, parent: int, mask: set[int]
) -> None:
    """Work in a process that was forked with signals blocked, and send the error, or None."""
    follow(parent)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        work(item)
    except Exception as error:
        error.add_note("".join(traceback.format_tb(error.__traceback__)))
        sender.send(error)
    else:
        sender.send(None)


def _received(item: Any, process: BaseProcess, receiver: Connection) -> Exception | None:
    try:
        error: Exception | None = receiver.recv()
    except EOFError:
        process.join()
        error = InputError(
            f"the process of {item} died at its work (exit code {process.exitcode}), most likely "
            "for want of memory; free some, and run again."
        )
    process.join()
    return error
