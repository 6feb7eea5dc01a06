"""Forked processes: what they raise, how they end, and what they do not inherit."""

import os
import signal
import subprocess
import sys
import time

import pytest

from analysis.pipeline.processes import forked
from attention_mixing.errors import InputError

FORKED = """
import os, signal, sys, time
from analysis.pipeline.processes import forked
from attention_mixing.errors import interrupted

def begin(item):
    os.write(1, f"{os.getpid()}\\n".encode())  # at once: two write here
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
