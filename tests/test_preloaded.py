"""A fork of a process with libraries loaded is, to whom asks for it, a process like any other."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_run import ROOT
from toy_graph import alive, children, until

from analysis.pipeline import preloaded
from analysis.pipeline.proxy import ADDRESS, KILLED, Proxy

# Runs what it is given; its client waits for it, as a stage's does.
SCRIPT = """
import os, sys, time
from analysis.pipeline import proxy
exec(sys.argv[1])
"""
CLIENT = (
    "import sys; from analysis.pipeline import proxy; sys.exit(proxy.run('script', sys.argv[1]))"
)
# A stage, as far as its ends go.
STAGE = """
from attention_mixing.errors import end_when_interrupted, told
proxy.when_gone(lambda: os._exit(1))
end_when_interrupted()
with told():
    open('began', 'w').close()
    try:
        time.sleep(60)
    finally:
        open('ended', 'w').close()
"""


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    return tmp_path


@pytest.fixture
def server(here):
    """Run one and give its number; tests before may have left processes of theirs."""
    before = {*children(os.getpid())}
    # Tests that run behind a shell ignore Ctrl-C, and so would all that they start.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with preloaded.server(["json"]):
            (number,) = {*children(os.getpid())} - before
            yield number
    finally:
        signal.signal(signal.SIGINT, heard)


def test_it_says_and_reads_what_it_was_given(here, server):
    with (here / "in").open("w+") as given, (here / "out").open("w+b") as said:
        given.write("a line")
        given.seek(0)
        process = Proxy(
            "script",
            "print(sys.stdin.read(), os.environ['OF_ITS_OWN'], sys.argv[0]); sys.exit('wrong')",
            files=[given.fileno(), said.fileno(), said.fileno()],
            environment=os.environ | {"OF_ITS_OWN": "sämtlich"},
        )
        assert process.wait() == process.poll() == 1
    assert (here / "out").read_text() == f"a line sämtlich {here / 'script.py'}\nwrong\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", 0),
        ("sys.exit()", 0),
        ("sys.exit(3)", 3),
        ("raise OSError", 1),
        ("os.kill(os.getpid(), 9)", KILLED),
    ],
)
def test_its_code_is_that_of_a_process(server, code, expected):
    assert Proxy("script", code).wait() == expected


def test_modules_are_loaded_when_it_begins_and_its_own_stay_its_own(here, tmp_path):
    (here / "loaded.py").write_text("import os; by = os.getpid()", encoding="utf-8")
    with preloaded.server(["loaded"]):
        Proxy("script", "").wait()
        told = "import loaded; open('{}', 'w').write(f'{{loaded.by}} {{os.getppid()}}')"
        Proxy("script", f"{told.format('one')}; loaded.by = 0").wait()
        Proxy("script", told.format("two")).wait()
    by, parent = (here / "one").read_text().split()
    assert by == parent
    assert (here / "two").read_text() == f"{by} {parent}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_its_client(here, server, number):
    client = subprocess.Popen([sys.executable, "-c", CLIENT, STAGE])
    until((here / "began").exists)
    (stage,) = children(server)
    client.send_signal(number)
    code = client.wait()
    if number == signal.SIGKILL:
        until(lambda: not alive(stage))
    else:
        assert code == 128 + number
        assert (here / "ended").exists()
        assert not alive(stage)


def test_all_end_where_the_process_that_has_the_server_is_killed(here):
    code = f"""
import os
from analysis.pipeline import preloaded
from analysis.pipeline.proxy import Proxy
with preloaded.server([]):
    Proxy("script", {STAGE!r}).wait()
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    until((here / "began").exists)
    (server_process,) = children(process.pid)
    (stage,) = children(server_process)
    process.kill()
    process.wait()
    until(lambda: not alive(server_process) and not alive(stage))


def test_a_server_that_was_killed_is_told(here, server):
    os.kill(server, signal.SIGKILL)
    with pytest.raises(SystemExit, match="the process that stages are forked from has ended"):
        Proxy("script", "")


def test_a_stage_by_hand_needs_no_server(here):
    assert ADDRESS not in os.environ
    command = [sys.executable, "-m", "analysis.stages", "parameters"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True)
    assert done.returncode == 2  # there are no parameters here
    assert done.stderr.startswith("error: ")
