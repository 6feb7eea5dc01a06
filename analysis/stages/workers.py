"""Where work on many partitions is done: in this process, on all its cores, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

from analysis.errors import InputError
from analysis.methods.clustering_blocks import THIS_PROCESS, Workers

if TYPE_CHECKING:
    from distributed import Client

# A scheduler that is there answers at once; without a limit, Dask asks for half a minute.
SECONDS = 5
_LOOPBACK = "127.0.0.1"

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")
_State = TypeVar("_State")


@contextmanager
def workers(choice: str) -> Iterator[Workers]:
    """Provide those who work on partitions, as long as the block lasts.

    Parameters
    ----------
    choice
        ``none``: this process. ``local``: a Dask cluster of one process a core, which listens on
        the loopback device only. Anything else is the address of a Dask scheduler. Its workers need
        this package and the files of the partitions, under the same paths.

    Yields
    ------
    Workers
        As in :mod:`analysis.methods.clustering_blocks`.

    Raises
    ------
    InputError
        If nothing answers at the address within :data:`SECONDS`, or it has no workers; if workers
        die, or cannot read a file.
    """
    if choice == "none":
        yield THIS_PROCESS
        return
    from distributed import Client, LocalCluster  # a second to import
    from distributed.scheduler import KilledWorker

    with ExitStack() as stack:
        address = choice
        if choice == "local":
            cluster = LocalCluster(
                n_workers=os.cpu_count(),
                threads_per_worker=1,
                processes=True,
                host=_LOOPBACK,
                dashboard_address=None,
                # What is left of the dashboard without one listens to any port, not to Dask's own.
                scheduler_kwargs={"dashboard_address": f"{_LOOPBACK}:0"},
            )
            address = stack.enter_context(cluster).scheduler_address
        try:
            client = stack.enter_context(Client(address, timeout=SECONDS))
        except (OSError, ValueError) as error:
            raise InputError(
                f"clusters.workers is {choice}, but no Dask scheduler answers there within "
                f"{SECONDS} seconds ({error or type(error).__name__}); start one with "
                "`dask scheduler`, or set none or local."
            ) from error
        if not client.scheduler_info()["workers"]:
            raise InputError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker "
                f"{address}`, or set clusters.workers: none or local."
            )
        try:
            yield _Dask(client)
        except FileNotFoundError as error:
            raise InputError(
                f"a worker at {address} cannot read {error.filename or error}; workers need the "
                "same files under the same paths, or set clusters.workers: none or local."
            ) from error
        except KilledWorker as error:
            raise InputError(
                f"a worker at {address} died at its work, and others after it; give workers more "
                "memory and look at their logs, or set clusters.workers: none."
            ) from error


class _Dask:
    """Every partition a task, wherever there is room; a chain of them where its state is."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def each(self, work: Callable[[_Given], _Found], partitions: Sequence[_Given]) -> list[_Found]:
        return self._client.gather(self._client.map(work, partitions, pure=False))

    def chain(
        self, work: Callable[[_State, _Given], _State], state: _State, partitions: Sequence[_Given]
    ) -> _State:
        [last] = self._client.scatter([state])
        for partition in partitions:
            last = self._client.submit(work, last, partition, pure=False)
        return self._client.gather(last)
