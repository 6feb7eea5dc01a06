"""Workers of a Dask cluster do what one process does, and say so if they are not there."""

import os
import socket
from functools import partial

import dask
import numpy as np
import pytest
from distributed import LocalCluster

from analysis.errors import InputError
from analysis.methods.clustering_blocks import centres, quality, reduction
from analysis.stages import workers as module
from analysis.stages.workers import workers


def block(seed):
    rng = np.random.default_rng(seed)
    return [3 * np.eye(4, 6)[rng.integers(4, size=n)] + rng.normal(size=(n, 6)) for n in (900, 50)]


PARTITIONS = [partial(block, seed) for seed in range(5)]


@pytest.fixture(scope="module")
def cluster():
    with local(2) as found:
        yield found


def local(count):
    quiet = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    return LocalCluster(n_workers=count, threads_per_worker=1, host="127.0.0.1", **quiet)


def whose(_):
    return os.getpid()


def everything(team):
    reduced = reduction(PARTITIONS, 3, workers=team)
    found = centres(PARTITIONS, reduced, 4, workers=team)
    return [*reduced, found, *quality(PARTITIONS, reduced, found, workers=team)]


@pytest.mark.filterwarnings("error:Port")
@pytest.mark.parametrize("choice", ["local", "address"])
def test_what_is_found_is_the_same_bit_for_bit(cluster, choice, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with workers("none") as team:
        expected = everything(team)
        assert team.each(whose, [0]) == [os.getpid()]
    with workers("local" if choice == "local" else cluster.scheduler_address) as team:
        found = everything(team)
        assert os.getpid() not in team.each(whose, range(4))
        assert team.each(np.square, [3, 1, 2]) == [9, 1, 4]
        assert team.chain(lambda state, each: [*state, each], [], [3, 1, 2]) == [3, 1, 2]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_mistakes_of_partitions_are_told_as_in_one_process(cluster):
    wrong = [*PARTITIONS, partial(np.full, (1, 2, 6), np.nan)]
    for choice in ("none", cluster.scheduler_address):
        with workers(choice) as team, pytest.raises(ValueError, match="row 0 has nan at 0; must"):
            reduction(wrong, 3, workers=team)


def missing(path):
    return open(path).read()  # noqa: PTH123


def test_files_that_workers_cannot_read(cluster):
    address = cluster.scheduler_address
    with (
        pytest.raises(InputError, match=rf"a worker at {address} cannot read /nowhere/maps;.*same"),
        workers(address) as team,
    ):
        team.each(missing, ["/nowhere/maps"])


def die(_):
    os._exit(1)


def test_workers_that_die(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        pytest.raises(InputError, match=r"a worker at tcp://127\.0\.0\.1:\d+ died at its work"),
        workers("local") as team,
    ):
        team.each(die, [0])


def test_a_scheduler_that_is_not_there(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        message = rf"clusters\.workers is {address}, but no Dask scheduler answers there within"
        with pytest.raises(InputError, match=message), workers(address):
            pytest.fail("there is nobody to work")


def test_an_address_that_is_none(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.5)
    with (
        pytest.raises(InputError, match=r"clusters\.workers is tcp://nowhere, but no Dask sched"),
        workers("tcp://nowhere"),
    ):
        pytest.fail("there is nobody to work")


def test_a_scheduler_without_workers():
    with local(0) as empty:
        with (
            pytest.raises(InputError, match="has no workers; start some with `dask worker tcp"),
            workers(empty.scheduler_address),
        ):
            pytest.fail("there is nobody to work")
