"""Remembers what was rendered of which sources: an edited page makes no other be rendered anew."""

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

RENDERED = Path("results", "rendered")
_made_once: defaultdict[Path, Lock] = defaultdict(Lock)


def remembered(sources: Iterable[bytes], make: Callable[[], bytes]) -> bytes:
    """Return what was made of these sources before, or make it and keep it.

    The sources are all that decides what is made: contents of files, options, versions. What fails
    is not kept.
    """
    # Each by its own hash, so that no two sources read as one.
    digests = b"".join(hashlib.sha256(source).digest() for source in sources)
    path = RENDERED / hashlib.sha256(digests).hexdigest()
    with _made_once[path]:  # the languages are rendered at the same time, and share some
        if path.is_file():
            path.touch()  # see `only_used`
            return path.read_bytes()
        content = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_bytes(content)
        new.replace(path)  # whole or not at all
        return content


@contextmanager
def only_used() -> Iterator[None]:
    """Forget at the end of the block what was not asked for within it."""
    started = time.time()
    yield
    for path in RENDERED.glob("*"):
        if path.stat().st_mtime < started:
            path.unlink()
