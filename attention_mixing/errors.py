"""What a user is meant to read when a command cannot go on, and how it ends then."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Any, NoReturn

ACCESS = (errno.EACCES, errno.EPERM, errno.EROFS)
SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# How CUDA, torch on a CPU and the system say so; numpy raises a MemoryError.
NO_MEMORY = "(?i)out of memory|not enough memory|cannot allocate memory|can't allocate memory"
# What to do about a file that is made, not given, and where memory runs out. A command may say how.
ANEW = "make it anew"
SMALLER = "use smaller batches, fewer processes or shorter texts"
QUOTED = 100  # characters that a message quotes of what a user gave
LATER = 0.05  # seconds until an exit that was ignored is raised again


class InputError(Exception):
    """Something the user gave cannot be used: a parameter, a file, a model, a machine.

    The message is one sentence that names what was given, what is allowed and what to do; of
    several faults, each has its own in a line of its own. A command that raises it prints that,
    exits with code 2 and leaves every artifact as it was.
    """


def quoted(value: object) -> str:
    """Quote what a user gave: of what is long its beginning, and how long it is."""
    if not isinstance(value, str):
        return shortened(repr(value), QUOTED)
    cut = f"... ({len(value):,} characters)" if len(value) > QUOTED else ""
    return f"{value[:QUOTED]!r}{cut}"


def shortened(text: object, longest: int = 300) -> str:
    """Show a path, or what a library says: of what is long its beginning, and how long it is."""
    said = str(text)
    return said if len(said) <= longest else f"{said[:longest]}... ({len(said):,} characters)"


def require(key: str, kind: str, allowed: Iterable[str]) -> None:
    """Refuse a name that is none of its kind, and say which there are.

    ``kind`` is what messages call its kind, in the plural.
    """
    if key not in allowed:
        raise InputError(
            f"{quoted(key)} is none of the {kind}; allowed: {', '.join(allowed) or 'none'}; "
            "correct it."
        )


@contextmanager
def told(remedies: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """End the process with one sentence and code 2 where a user can mend what has stopped it.

    ``remedies`` say how: what stands in the place of :data:`ANEW` and :data:`SMALLER`.
    """
    try:
        yield
    except Exception as error:
        sentence = str(error) if isinstance(error, InputError) else refusal(error)
        if not sentence:
            raise
        for general, how in remedies.items():
            sentence = sentence.replace(general, how)
        sys.stderr.writelines(f"error: {line}\n" for line in sentence.splitlines())
        sys.exit(2)


@contextmanager
def about(subject: str) -> Iterator[None]:
    """Put what is being worked on before the sentence of an error that does not name it.

    ``subject`` is its dotted name. An :class:`InputError` whose sentence has that goes on as it is.
    Its last part alone says nothing: an experiment may be called *sentences*.
    """
    try:
        yield
    except InputError as error:
        if re.search(rf"\b{re.escape(subject)}(?![\w-])", str(error)):
            raise
        raise InputError(f"{subject}: {error}") from None


def refusal(error: Exception) -> str:
    """Say what the system refuses, a file, room for it or memory; nothing of any other error.

    What is said is a sentence without ``error:``. Libraries raise errors of their own, whose text
    has the system's number. Lost it have torch, in its ``inline_container``, and Python where no
    directory takes scratch files.
    """
    text = str(error)
    lost = re.search("inline_container(?!.*Reader)|No usable temporary directory", text)
    match = re.search(r"(?i)(?:errno|os error) (\d+)", text)
    number = errno.EIO if lost else int(match[1]) if match else 0
    named = getattr(error, "filename2", None) or getattr(error, "filename", None)
    # `replacing` notes what it was about to write.
    path = Path(str(named or [".", *getattr(error, "__notes__", ())][-1]))
    if number == errno.ENOENT and named and path.parent.name and not path.is_absolute():
        return f"{path} is missing; {ANEW}."
    if number in ACCESS:
        return f"{path} cannot be read or written ({os.strerror(number)}); allow it, and run again."
    if number in SPACE:
        scratch = Path(os.environ.get("TMPDIR", "/tmp"))
        return (
            f"{path} cannot be written ({os.strerror(number)}): it takes more than the "
            f"{free(path) / 2**20:,.0f} MiB that are free there, the {free(scratch) / 2**20:,.0f} "
            f"MiB in {scratch} or a limit (quota, `ulimit -f`) allow; make room, and run again."
        )
    if isinstance(error, MemoryError) or re.search(NO_MEMORY, text):
        what = text.partition("\n")[0].rstrip(".")
        return f"memory ran out ({what}); {SMALLER}."
    return ""


def first_line(error: Exception) -> str:
    """Take the first line of what a library says, or the kind of error where it says nothing."""
    return shortened((str(error).strip().splitlines() or [type(error).__name__])[0])


def free(path: Path) -> int:
    """Count the bytes that are free where a path lies, or is to lie."""
    existing = next(
        directory for directory in (path, *path.absolute().parents) if directory.exists()
    )
    return shutil.disk_usage(existing).free


def available_memory() -> int:
    """Count the bytes of memory that are free, or can be freed.

    Where the system does not tell what is free, all are counted.
    """
    file = Path("/proc/meminfo")
    if file.is_file():
        entries = dict(line.split(":", 1) for line in file.read_text().splitlines())
        return int(entries["MemAvailable"].split()[0]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class Interruption(SystemExit):
    """The exit at a signal; its code is that which a shell gives such an end."""

    code: int


def end_when_interrupted() -> None:
    """Let the process end in one sentence when it is interrupted or asked to end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # as a shell sets it for a background job
            signal.signal(number, interrupted)
    sys.unraisablehook = _end_later


def end_with(parent: int) -> None:
    """End this process with its parent: killed, that one cannot end it any more."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def interrupted(number: int, _: object) -> NoReturn:
    """End at a signal as at an error: what is half-written is removed on the way out.

    The code is 128 more than the number of the signal.
    """
    signal.signal(number, signal.SIG_DFL)  # the next one ends at once
    os.write(2, b"interrupted: nothing half-written is kept, and the next run goes on from here.\n")
    raise Interruption(128 + number)


def _end_later(unraisable: Any) -> None:
    """Raise the exit at a signal once more where Python ignores it, as in ``__del__``.

    Callbacks of weak references, of C and of the search for garbage are other such places. None of
    them can be left by an exception, so an alarm raises it when they have been left.
    """
    exit_ignored = unraisable.exc_value
    if not isinstance(exit_ignored, Interruption):
        sys.__unraisablehook__(unraisable)
        return
    if sys._getframe().f_back is None:  # the interpreter ends: no code is left to raise it in
        sys.stdout.flush()
        os._exit(exit_ignored.code)

    def end(*_: object) -> NoReturn:
        raise Interruption(exit_ignored.code)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LATER)
