"""A process that has imported what stages import, and is forked for each of them.

What takes every stage seconds is paid once. The process computes nothing, starts no thread and
opens no accelerator, so that its forks can do all that others can.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from select import select
from typing import Any, NoReturn

from analysis.pipeline import proxy
from analysis.pipeline.proxy import ADDRESS, LENGTH
from analysis.pipeline.threads import ONE_THREAD

# With all that they import: the first for DVC, the others for stages.
IMPORTED = ["dvc.cli", "dvc.repo.reproduce"]
# macOS lets no process go on after a fork that has loaded its frameworks for computing.
if sys.platform != "darwin":
    IMPORTED += [
        "analysis.parameters",
        "attention_mixing.measures.engine.runner",
        "attention_mixing.models.finetune",
        "attention_mixing.capture.one_text",
        "analysis.figures.chapter",
        "analysis.site.notebook_engine",
        "umap",
    ]


@contextmanager
def server(modules: Sequence[str] = IMPORTED) -> Iterator[None]:
    """Have the process as long as the block lasts; it ends with this one in any case.

    It imports so many ``modules``, and meanwhile can be forked as far as it is.
    """
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener:
        address = str(Path(directory, "server"))
        listener.bind(address)
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(listener.fileno()), *modules],
            stdin=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            start_new_session=True,
            pass_fds=[listener.fileno()],
        )
        listener.close()  # or what asks a server that was killed would wait for ever
        os.environ[ADDRESS] = address
        try:
            yield
        finally:
            del os.environ[ADDRESS]
            process.communicate()


def serve(listening: int, modules: list[str]) -> None:
    """Import, and fork whenever it is asked for, until the standard input ends."""
    signal.signal(signal.SIGCHLD, _reap)
    listener = socket.socket(fileno=listening)
    while True:
        ready, _, _ = select([listener, sys.stdin], [], [], 0 if modules else None)
        if sys.stdin in ready:
            return
        if not ready:
            import_module(modules.pop(0))
            gc.freeze()  # no fork is to look through it, and so to copy it
            continue
        connection, _ = listener.accept()
        with suppress(ConnectionError):
            length, files, _, _ = socket.recv_fds(connection, LENGTH, maxfds=8)
            asked = json.loads(proxy.received(connection, int.from_bytes(length)))
            if not os.fork():
                listener.close()
                proxy.asked_by = connection
                _become(files, **asked)
            for descriptor in files:
                os.close(descriptor)
        connection.close()


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(
    files: Sequence[int], module: str, arguments: Sequence[str], environment: dict[str, str]
) -> NoReturn:
    """Run a module in this process, and tell who asked for it which code it ends with.

    It ends as forks do, without taking down all that was imported: half a second of work.
    """
    assert proxy.asked_by is not None
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(files[:3]):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    proxy.asked_by.sendall(os.getpid().to_bytes(LENGTH))
    code: Any = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code or 0
        if isinstance(code, str):
            sys.stdout.flush()
            sys.stderr.write(f"{code}\n")
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    with suppress(OSError):
        proxy.asked_by.sendall(bytes([code % 256]))
    os._exit(code % 256)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2:])
