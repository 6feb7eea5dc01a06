"""Where independent work is done: in processes here, or on a Dask cluster."""

from __future__ import annotations

import gc
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any

import joblib
from tqdm import tqdm

from attention_mixing.errors import InputError

# A scheduler that is there answers at once; without a limit, Dask asks for half a minute.
SECONDS = 5
PACKAGE = __name__.partition(".")[0]
# With these a process is ended from outside.
ENDING = (signal.SIGINT, signal.SIGTERM)

Each = Callable[[Callable[[Any], Any], Sequence[Any], str], Iterator[Any]]


@contextmanager
def workers(choice: str | int) -> Iterator[Each]:
    """Provide ``each(work, items, title)``, as long as the block lasts.

    It does ``work(item)`` for every item and gives the results in their order, so that they do not
    depend on who works. Work and items are pickled.

    Parameters
    ----------
    choice
        ``auto``, a process a core; a number of processes, 1 being this one; or the address of a
        Dask scheduler, whose workers need this package and the same files under the same paths.

    Raises
    ------
    InputError
        If nothing answers at the address within :data:`SECONDS`, or it has no workers, or they lack
        this package; if workers die or cannot read a file.
    """
    if isinstance(choice, str) and choice != "auto":
        with _cluster(choice) as each:
            yield each
        return
    processes = joblib.cpu_count() if choice == "auto" else choice
    try:
        arguments = (os.getpid(), gc.get_threshold())
        with joblib.Parallel(
            processes, return_as="generator", initializer=_begin, initargs=arguments
        ) as pool:
            yield _told(lambda work, items: pool(map(joblib.delayed(work), items)))
    except BrokenProcessPool as error:
        raise InputError(
            f"one of {processes} processes died at its work, most likely for want of memory; set "
            "workers to a smaller number."
        ) from error


def _begin(parent: int, threshold: tuple[int, int, int]) -> None:
    """Let a process end with its parent, and look for garbage as often as that does."""
    gc.set_threshold(*threshold)
    follow(parent)


def forked(work: Callable[[Any], None], items: Sequence[Any]) -> None:
    """Do ``work(item)`` for every item, each in a process forked from this one, until all end.

    None of them is sent a signal that it could handle. A pool ends its processes with SIGTERM, and
    one that was just forked has the handlers of this process: where Python ignores exceptions, as
    in what it calls after a fork, the exit of a handler is lost, and the pool waits for ever.

    Raises
    ------
    Exception
        That of the first item whose work raised one, with where it was raised as a note.
    InputError
        If a process died at its work.
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


def follow(parent: int) -> None:
    """End a process with the one that it works for: killed, that one cannot end it any more."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the parent answers,
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # and ends this one
    Thread(target=watch, daemon=True).start()


@contextmanager
def _cluster(address: str) -> Iterator[Each]:
    """Work on a Dask cluster.

    By its own ``map``: joblib, which can use Dask too, waits forever where a worker dies.
    """
    from distributed import Client  # a second to import
    from distributed.scheduler import KilledWorker

    try:
        client = Client(address, timeout=SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(
            f"workers is {address}, but no Dask scheduler answers there within {SECONDS} seconds "
            f"({error or type(error).__name__}); start one with `dask scheduler`, or set auto or a "
            "number."
        ) from error

    def done(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        return (future.result() for future in client.map(work, items, pure=False))

    with client:
        if not client.scheduler_info()["workers"]:
            raise InputError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker "
                f"{address}`, or set workers: auto or a number."
            )
        try:
            # Dask retries a worker that cannot unpickle its work for ever, without an error.
            client.run(import_module, PACKAGE)
        except ImportError as error:
            raise InputError(
                f"a worker at {address} cannot import this package ({error}); start workers where "
                "it is installed, or set workers: auto or a number."
            ) from error
        try:
            yield _told(done)
        except FileNotFoundError as error:
            raise InputError(
                f"a worker at {address} cannot read {error.filename or error}; workers need the "
                "same files under the same paths, or set workers: auto or a number."
            ) from error
        except KilledWorker as error:
            raise InputError(
                f"a worker at {address} died at its work, and others after it; give workers more "
                "memory and look at their logs, or set workers: auto."
            ) from error


def _told(done: Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]) -> Each:
    """Show, on a terminal, how much of the work is done."""

    def each(work: Callable[[Any], Any], items: Sequence[Any], title: str) -> Iterator[Any]:
        yield from tqdm(done(work, items), title, total=len(items), disable=None, leave=False)

    return each
