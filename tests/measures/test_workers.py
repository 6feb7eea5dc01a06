"""Workers do what one process does, and say so if they are not there."""

import os
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import LocalCluster

from attention_mixing.errors import InputError
from attention_mixing.measures import workers as module
from attention_mixing.measures.workers import forked, workers
from attention_mixing.methods.clustering import distortion, stability

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
from attention_mixing.measures.workers import workers
with workers(2) as each:
    print(*each(lambda _: (time.sleep(1), os.getpid())[1], range(2), "test"), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_the_process_that_they_work_for():
    """They hold its output open, which is read to its end."""
    ran = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    assert len(set(ran.stdout.split())) == 2


FORKED = """
import os, signal, sys, time
from attention_mixing.errors import interrupted
from attention_mixing.measures.workers import forked

def begin(item):
    print(os.getpid(), flush=True)
    time.sleep(60)

def signalled():  # where Python ignores what a handler raises
    os.kill(os.getpid(), signal.SIGTERM)

signal.signal(signal.SIGTERM, interrupted)
if "signalled" in sys.argv:
    os.register_at_fork(after_in_child=signalled)
forked(begin, ["a", "b"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_forked_processes_end_with_the_one_that_forked_them(number):
    """They hold its output open, which is read to its end."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKED], **streams) as process:
        started = [process.stdout.readline() for _ in range(2)]
        process.send_signal(number)
        told = process.communicate(timeout=30)[1]
    assert len({int(line) for line in started}) == 2
    stopped = number == signal.SIGTERM
    assert process.returncode == (128 + number if stopped else -number)
    assert told.count("interrupted") == stopped


def test_a_forked_process_has_no_handler_of_the_one_that_forked_it():
    """Not even before its first line."""
    command = [sys.executable, "-c", FORKED, "signalled"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert "the process of a died at its work (exit code -15)" in ran.stderr
    assert "interrupted" not in ran.stderr
    assert not ran.stdout


def test_what_a_forked_process_raises_is_raised_when_all_have_ended(tmp_path):
    def work(name):
        if name == "refused":
            raise InputError("a sentence")
        time.sleep(0.5)
        (tmp_path / name).touch()

    with pytest.raises(InputError, match="a sentence") as caught:
        forked(work, ["refused", "other"])
    assert "in work" in caught.value.__notes__[0]
    assert (tmp_path / "other").exists()
    forked(work, ["last"])
    assert (tmp_path / "last").exists()


def test_a_forked_process_that_is_killed_is_told():
    def work(item):
        os.kill(os.getpid(), item)

    said = "the process of 9 died at its work .exit code -9., most likely for want of memory"
    with pytest.raises(InputError, match=said):
        forked(work, [0, signal.SIGKILL.value])


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


def test_workers_that_die(cluster):
    """Last, for one of the cluster is lost."""
    said = "one of 2 processes died at its work, .* set workers to a smaller number"
    with pytest.raises(InputError, match=said), workers(2) as each:
        list(each(die, [0, 1], "test"))
    said = r"a worker at tcp://127\.0\.0\.1:\d+ died at its work"
    with pytest.raises(InputError, match=said), workers(cluster) as each:
        list(each(die, [0], "test"))
