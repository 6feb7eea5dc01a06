"""Workers do what one process does, and say so if they are not there."""

import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import LocalCluster

from attention_mixing import workers as module
from attention_mixing.errors import InputError
from attention_mixing.methods.clustering import distortion, stability
from attention_mixing.workers import workers

ROWS = np.random.default_rng(0).normal(size=(300, 3))


@pytest.fixture(scope="module")
def cluster():
    at_once = {"distributed.scheduler.allowed-failures": 0}  # who dies is not asked again
    with dask.config.set(at_once), local(2) as found:
        yield found.scheduler_address


def local(count):
    quiet = {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    return LocalCluster(n_workers=count, threads_per_worker=1, host="127.0.0.1", **quiet)


def whose(_):
    return os.getpid()


def failing(rows):
    return distortion(rows, 3)


def die(_):
    os._exit(1)


def lost(_):
    Path("not here").read_bytes()


def everything(each):
    curve = each(partial(distortion, ROWS), range(1, 5), "test")
    return [*curve, *each(partial(stability, ROWS, 3), range(4), "test")]


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["auto", "address"])
def test_what_is_found_is_the_same_bit_for_bit(cluster, choice, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    with workers(1) as each:
        expected = everything(each)
        assert list(each(whose, [0], "test")) == [os.getpid()]
    with workers(cluster if choice == "address" else choice) as each:
        np.testing.assert_array_equal(everything(each), expected)
        assert os.getpid() not in each(whose, range(4), "test")
        assert list(each(np.square, [3, 1, 2], "test")) == [9, 1, 4]


def test_mistakes_are_told_as_in_one_process(cluster):
    for choice in (1, 2, cluster):
        with (
            workers(choice) as each,
            pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"),
        ):
            list(each(failing, [ROWS[:2]], "test"))


KILLED = """
import os, signal, time
from attention_mixing.workers import workers
with workers(2) as each:
    print(*each(lambda _: (time.sleep(1), os.getpid())[1], range(2), "test"), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_the_process_that_they_work_for():
    """They hold its output open, which is read to its end."""
    ran = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    assert len(set(ran.stdout.split())) == 2


def test_workers_elsewhere_that_do_not_see_the_files(cluster):
    said = r"a worker at tcp://\S+ cannot read not here; workers need the same files"
    with pytest.raises(InputError, match=said), workers(cluster) as each:
        list(each(lost, [0], "test"))


def test_workers_elsewhere_that_lack_the_package(cluster, monkeypatch):
    """Dask would ask them again and again."""
    monkeypatch.setattr(module, "PACKAGE", "not_installed")
    said = r"cannot import this package \(No module named 'not_installed'\); start workers where"
    with pytest.raises(InputError, match=said), workers(cluster):
        pytest.fail("there is nobody to work")


def test_a_scheduler_that_is_not_there(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        for address in (f"tcp://127.0.0.1:{taken.getsockname()[1]}", "tcp://nowhere"):
            message = rf"workers is {address}, but no Dask scheduler answers there within"
            with pytest.raises(InputError, match=message), workers(address):
                pytest.fail("there is nobody to work")


def test_a_scheduler_without_workers():
    said = "has no workers; start some with `dask worker tcp"
    with (
        local(0) as empty,
        pytest.raises(InputError, match=said),
        workers(empty.scheduler_address),
    ):
        pytest.fail("there is nobody to work")


@pytest.mark.slow
def test_workers_that_die(cluster):
    """Last, for one of the cluster is lost."""
    said = "one of 2 processes died at its work, .* set workers to a smaller number"
    with pytest.raises(InputError, match=said), workers(2) as each:
        list(each(die, [0, 1], "test"))
    said = r"a worker at tcp://127\.0\.0\.1:\d+ died at its work"
    with pytest.raises(InputError, match=said), workers(cluster) as each:
        list(each(die, [0], "test"))
