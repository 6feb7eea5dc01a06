"""Kinds of values that settings take, and the base of their sections."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_Values = TypeVar("_Values", bound=tuple[float, ...])


def _distinct(values: _Values) -> _Values:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise ValueError(f"names {twice} twice; remove one of them")
    return values


def _increasing(values: _Values) -> _Values:
    if list(values) != sorted(set(values)):
        raise ValueError(f"is {list(values)}; list them in increasing order, each once")
    return values


Fraction = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[float, Field(gt=0, le=1)]
# Of anything counted, so that a slip of the finger is told here and not by an allocator.
MOST = 1_000_000
Count = Annotated[int, Field(ge=1, le=MOST)]
Index = Annotated[int, Field(ge=0, le=MOST)]
NAME = r"^[a-z][a-z0-9-]{0,30}$"
Name = Annotated[str, Field(pattern=NAME)]
Text = Annotated[str, Field(min_length=1)]
NOT_BLANK = r"\S"
NonBlank = Annotated[str, Field(pattern=NOT_BLANK)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
REVISION = r"^[0-9a-f]{40}$"
Revision = Annotated[str, Field(pattern=REVISION)]
Distinct = AfterValidator(_distinct)
Increasing = AfterValidator(_increasing)


class Section(BaseModel):
    """Base of every section, and of rules: frozen, strict, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="forbid")
