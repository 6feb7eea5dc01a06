"""What messages quote of what is long, and how a command ends at a signal, wherever it arrives."""

import ast
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import attention_mixing
from attention_mixing.errors import ANEW, InputError, quoted, require, told

LONG = "w" * 20_000


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("film", "'film'"),
        ("w" * 100, repr("w" * 100)),
        (LONG, f"'{'w' * 100}'... (20,000 characters)"),
        ("'\n" * 60, f"{chr(34)}{chr(39)}{chr(92)}n"),
        (1.5, "1.5"),
        (None, "None"),
        ([LONG], f"['{'w' * 98}... (20,004 characters)"),
    ],
    ids=map(str, range(7)),
)
def test_what_is_long_is_quoted_by_its_beginning_and_its_length(value, said):
    assert quoted(value).startswith(said)
    assert len(quoted(value)) < 250


def test_a_name_that_is_none_of_its_kind_is_quoted_by_its_beginning():
    with pytest.raises(InputError) as caught:
        require(LONG, "kinds", ["a"])
    assert str(caught.value).startswith(
        f"'{'w' * 100}'... (20,000 characters) is none of the kinds"
    )


INTERRUPTED = """
import atexit, ctypes, gc, os, sys, time, weakref
from attention_mixing.errors import end_when_interrupted

end_when_interrupted()
place, number = sys.argv[1], int(sys.argv[2])

def arrive(*_):
    if not arrived:
        arrived.append(place)
        os.kill(os.getpid(), number)
        time.sleep(10)

class Noisy:
    def __del__(self):
        raise RuntimeError("of another kind")

class Held:
    def __del__(self):
        arrive()

def work():
    if place == "__del__":
        Held()
    elif place == "weak reference":
        other = {0}
        watched = weakref.ref(other, arrive)
        del other
    elif place == "C":
        ctypes.CFUNCTYPE(None)(arrive)()
    elif place == "garbage":
        gc.callbacks.append(arrive)
        gc.collect()
    elif place == "fork":
        os.register_at_fork(before=arrive)
        os.fork() or os._exit(0)
    else:
        atexit.register(arrive)
        sys.exit()
    time.sleep(10)

arrived = []
Noisy()
try:
    work()
finally:
    print("removed", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("place", ["__del__", "weak reference", "C", "garbage", "fork", "exit"])
def test_an_interruption_ends_a_command_where_python_ignores_exceptions(place, number):
    """In one line, and with what it cleans up; other exceptions are told as ever."""
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, place, str(int(number))],
        capture_output=True,
        text=True,
        timeout=30,
        # What a shell starts in the background ignores it, and so do its children.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert ran.returncode == 128 + number
    assert ran.stdout == "removed\n"
    assert "RuntimeError: of another kind" in ran.stderr
    assert ran.stderr.count("interrupted: ") == 1
    assert "SystemExit" not in ran.stderr


def test_a_command_says_how_what_is_missing_is_made(capsys):
    """The library knows no pipeline; the pipeline says what makes its files."""
    for how, expected in (({}, "make it anew"), ({ANEW: "run `dvc repro`"}, "run `dvc repro`")):
        with pytest.raises(SystemExit), told(how):
            raise InputError(f"a.json is missing; {ANEW}.")
        assert capsys.readouterr().err == f"error: a.json is missing; {expected}.\n"


def test_no_message_of_the_library_names_the_pipeline():
    """What it is, is the pipeline's to say: a user of the library has none."""
    for path in Path(attention_mixing.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                assert not re.search(r"dvc |params\.yaml|stage", ast.unparse(node.exc)), path
