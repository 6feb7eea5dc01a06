"""Shapes of what is given to a function, held against its signature at every call.

Arrays that do not belong together may broadcast, or be read in part, and give numbers that nothing
shows to be wrong.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from numbers import Real
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from jaxtyping import AbstractArray, jaxtyped

P = ParamSpec("P")
T = TypeVar("T")
Allowed = tuple[Any, ...]  # types
Layout = tuple[tuple[Any, ...], ...]  # of each argument: name, type, dtype, shape

REMEMBERED = 10_000  # layouts of a function that are known to fit


def checked_shapes(function: Callable[P, T]) -> Callable[P, T]:
    """Refuse arrays of another kind or shape than the signature of a function says.

    Axes of one name have to be equally long in all arguments. The function then raises a
    ``ValueError`` that names the first argument that does not fit.

    Examples
    --------
    >>> from jaxtyping import Float
    >>> @checked_shapes
    ... def diagonal(matrix: Float[np.ndarray, "token token"]) -> Float[np.ndarray, " token"]:
    ...     return np.diagonal(matrix)
    >>> diagonal(np.ones((2, 3)))
    Traceback (most recent call last):
    ValueError: matrix is float64 [2, 3]; it must be float [token token], axes of one name alike
    """
    signature = inspect.signature(function)
    fitted: set[Layout] = set()  # to look into a signature takes longer than many functions do

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        arguments = signature.bind(*args, **kwargs).arguments
        given = {name: arguments[name] for name in _allowed(function) if name in arguments}
        layout = tuple((name, *_layout(value)) for name, value in given.items())
        if layout not in fitted:
            _require_fit(function, given)
            if len(fitted) < REMEMBERED:
                fitted.add(layout)
        return function(*args, **kwargs)

    return checked


def _layout(value: object) -> tuple[Any, ...]:
    """All of a value that decides whether it fits."""
    return (type(value), getattr(value, "dtype", None), getattr(value, "shape", None))


def _require_fit(function: Callable, given: Mapping[str, object]) -> None:
    """Refuse the first of the values, by the names of parameters, that does not fit."""
    fitting: list[str] = []
    with jaxtyped("context"):  # what an axis is called stands for one length in here
        for name, value in given.items():
            allowed = _allowed(function)[name]
            if not isinstance(value, allowed):
                beside = f" and as in {', '.join(fitting)}" if fitting else ""
                raise ValueError(
                    f"{name} is {_described(value)}; it must be "
                    f"{' or '.join(map(_stated, allowed))}, axes of one name alike{beside}"
                )
            if isinstance(value, np.ndarray):
                fitting.append(f"{name} {_described(value)}")


@cache
def _allowed(function: Callable) -> dict[str, Allowed]:
    """List what each parameter takes that can be an array."""
    hints = get_type_hints(function)
    hints.pop("return", None)
    kinds = {name: _alternatives(hint) for name, hint in hints.items()}
    return {
        name: allowed
        for name, allowed in kinds.items()
        if any(isinstance(kind, type) and issubclass(kind, AbstractArray) for kind in allowed)
    }


def _alternatives(hint: Any) -> Allowed:
    if get_origin(hint) in (Union, UnionType):
        return tuple(
            dict.fromkeys(kind for member in get_args(hint) for kind in _alternatives(member))
        )
    return (Real,) if hint in (float, int) else (hint,)


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return f"of type {type(value).__name__}"


def _stated(kind: type) -> str:
    if issubclass(kind, AbstractArray):
        return f"{kind.__name__.partition('[')[0].lower()} [{kind.dim_str.strip()}]"
    return {Real: "a number", type(None): "None"}.get(kind, kind.__name__)
