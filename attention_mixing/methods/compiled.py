"""Functions that numba compiles, kept on disk for other processes where one may write."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from numba import config, njit

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Loaded = TypeVar("_Loaded")
# How numba says that neither the directory of the source nor that of the user can be written.
NOWHERE = "no locator available"


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called; other threads go on while it runs."""
    compiling: Any = njit(nogil=True)(function)
    keep(compiling)
    result: _Function = compiling
    return result


def keep(function: Any) -> None:
    """Keep on disk what a function is compiled to, where that can be written."""
    try:
        function.enable_caching()
    except RuntimeError as error:
        if NOWHERE not in str(error):
            raise


def loaded(load: Callable[[], _Loaded]) -> _Loaded:
    """Import a package that cannot be imported where its functions cannot be kept.

    There they are kept in a directory of this process, which is removed at its end.
    """
    try:
        return load()
    except RuntimeError as error:
        if NOWHERE not in str(error):
            raise
    directory = TemporaryDirectory(prefix="numba-")
    atexit.register(directory.cleanup)
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, directory.name
    try:
        return load()
    finally:
        settings.CACHE_DIR = before
