"""Where independent work is done: in processes here, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import joblib
from tqdm import tqdm

from analysis.errors import InputError

# A scheduler that is there answers at once; without a limit, Dask asks for half a minute.
SECONDS = 5

Each = Callable[..., Iterator[Any]]


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
        If nothing answers at the address within :data:`SECONDS`, or it has no workers; if workers
        die or cannot read a file.
    """
    with ExitStack() as stack:
        if isinstance(choice, str) and choice != "auto":
            stack.enter_context(_cluster(choice))
            options: dict[str, Any] = {"n_jobs": -1}
        else:
            options = {"n_jobs": joblib.cpu_count() if choice == "auto" else choice}
        pool = stack.enter_context(joblib.Parallel(return_as="generator", **options))

        def each(work: Callable[[Any], Any], items: Sequence[Any], title: str) -> Iterator[Any]:
            done = pool(joblib.delayed(work)(item) for item in items)
            return tqdm(done, title, total=len(items), disable=None, leave=False)

        yield each


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    """Let joblib work on a Dask cluster."""
    from distributed import Client  # a second to import
    from distributed.scheduler import KilledWorker

    with ExitStack() as stack:
        try:
            client = stack.enter_context(Client(address, timeout=SECONDS))
        except (OSError, ValueError) as error:
            raise InputError(
                f"workers is {address}, but no Dask scheduler answers there within {SECONDS} "
                f"seconds ({error or type(error).__name__}); start one with `dask scheduler`, or "
                "set auto or a number."
            ) from error
        if not client.scheduler_info()["workers"]:
            raise InputError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker "
                f"{address}`, or set workers: auto or a number."
            )
        try:
            with joblib.parallel_config("dask", client=client):
                yield
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
