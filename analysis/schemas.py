"""Which layout files have that a user, or an earlier version, wrote; and what has changed since.

A change of a layout is a new entry here, and nothing else: the version is the last one listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import InputError

FIRST = 1  # version of what names none


@dataclass(frozen=True)
class Schema:
    """The layout of one kind of files.

    Attributes
    ----------
    changes
        Version -> what it changed, in the words of a reader; the last one is that of this code.
    """

    changes: Mapping[int, str]

    @property
    def version(self) -> int:
        """The one that this code reads and writes."""
        return max(self.changes)

    def since(self, found: int) -> str:
        """Say what has changed since a version."""
        return "; ".join(change for at, change in self.changes.items() if at > found)

    def require(self, found: int, where: Path, remedy: str) -> None:
        """Refuse files of another version.

        Parameters
        ----------
        found
            Version that they name.
        where
            File or directory, as a user is told it.
        remedy
            What to do, for the end of a sentence.

        Raises
        ------
        InputError
            With what has changed since, or that a newer version wrote them.
        """
        if found > self.version:
            raise InputError(newer(where, found, self.version, remedy))
        if found < self.version:
            raise InputError(
                f"{where} is of schema {found}, and this code reads {self.version}: "
                f"{self.since(found)}; {remedy}."
            )


def newer(where: Path, found: int, version: int, remedy: str) -> str:
    """Say that files are of a newer version than this code."""
    return (
        f"{where} was written for a newer version (schema {found}, and this code reads {version}); "
        f"update the code, or {remedy}."
    )


_COLUMNS = (
    "the columns `by` and `measure` are now `measure` and `quantity`, and numbers of clusters have "
    "left `kind` for a column `clusters`"
)
PARAMETERS = Schema(
    {
        1: "`encoders` and `propagation.value_zeroing` have come, `train.seeds` is a list (it was "
        "`seed`), and `clusters.workers` has gone",
    }
)
CAPTURE = Schema({3: "each text is a file", 4: "the weights of the model lie beside the arrays"})
MEASURED = Schema({2: _COLUMNS})
SUMMARY = Schema({2: _COLUMNS})
KEPT = Schema({2: _COLUMNS})

ANEW = "`dvc repro` makes it anew"
