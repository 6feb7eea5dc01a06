"""Processes that stand for others, which a process with libraries loaded has forked.

See :mod:`.preloaded`. Little is imported here: a stage that is asked for begins with it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from select import select
from threading import Thread

# In the environment: where the server of forks listens.
ADDRESS = "PRELOADED_SERVER"
KILLED = 128 + signal.SIGKILL  # code of a process that ended without one
LENGTH = 4  # bytes of a number in a message

# In a process that was forked: the connection to its proxy, which reads as ended where that has.
asked_by: socket.socket | None = None


class Proxy:
    """A process that the server has forked; it is used as a :class:`subprocess.Popen` is.

    Parameters
    ----------
    module, arguments
        What it runs, as ``python -m module arguments``, as the leader of a process group.
    files
        Descriptors of its standard input, output and error, and of others that it keeps open.
    environment
        Its variables.

    Raises
    ------
    SystemExit
        If the server has ended.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        files: Sequence[int] = (0, 1, 2),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        asked = {"module": module, "arguments": arguments, "environment": dict(environment)}
        content = json.dumps(asked).encode()
        self._connection = socket.socket(socket.AF_UNIX)
        try:
            self._connection.connect(os.environ[ADDRESS])
            socket.send_fds(self._connection, [len(content).to_bytes(LENGTH)], [*files])
            self._connection.sendall(content)
            self.pid = int.from_bytes(received(self._connection, LENGTH))
        except (ConnectionError, FileNotFoundError):
            self._connection.close()
            sys.exit(
                "error: the process that stages are forked from has ended, most likely for want of "
                "memory; free some, and run again."
            )
        self._last = b""
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return its code if it has ended."""
        while self.returncode is None and select([self._connection], [], [], 0)[0]:
            self._read()
        return self.returncode

    def wait(self) -> int:
        """Wait for its end, and return its code."""
        while self.returncode is None:
            self._read()
        return self.returncode

    def _read(self) -> None:
        """Note its code, which it sends last, or its end."""
        try:
            last = self._connection.recv(1)
        except ConnectionResetError:
            last = b""
        if not last:
            self.returncode = self._last[0] if self._last else KILLED
            self._connection.close()
        self._last = last


def run(module: str, *arguments: str) -> int:
    """Have the server run a module in place of this process; return its code.

    Signals are passed on.
    """
    process = Proxy(module, *arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: _send(process.pid, number))
    return process.wait()


def when_gone(end: Callable[[], object]) -> None:
    """Have the ``end`` of this process called, which was forked, once its proxy has ended."""

    def wait(proxy: socket.socket) -> None:
        proxy.recv(1)  # which sends nothing
        end()

    Thread(target=wait, args=(asked_by,), daemon=True).start()


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def received(connection: socket.socket, length: int) -> bytes:
    """Receive so many bytes.

    Raises
    ------
    ConnectionError
        If the other side ends before.
    """
    content = b""
    while len(content) < length:
        more = connection.recv(length - len(content))
        if not more:
            raise ConnectionError
        content += more
    return content
