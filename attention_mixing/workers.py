"""Where independent work is done: in processes here, or on a Dask cluster."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import joblib
from tqdm import tqdm

from attention_mixing.errors import InputError, end_with

# A scheduler that is there answers at once; without a limit, Dask asks for half a minute.
SECONDS = 5
PACKAGE = __name__.partition(".")[0]

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


def follow(parent: int) -> None:
    """Have a process that works for another end with it, and leave Ctrl-C to that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the parent answers,
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # and ends this one
    end_with(parent)


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
