"""Packages that an extra of this distribution installs, and ``pip install .`` alone does not."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, user: str) -> Iterator[None]:
    """Say which extra has a package that an import inside the block does not find.

    Parameters
    ----------
    name
        Of the extra, as in pyproject.toml.
    user
        What needs the package.

    Raises
    ------
    ModuleNotFoundError
        With the name of the package, and how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("attention_mixing"):
            raise
        raise ModuleNotFoundError(
            f"{user} needs {error.name}, which is not installed; the extra {name!r} has it: type "
            f"`pip install '.[{name}]'` in a clone of this repository.",
            name=error.name,
        ) from None
