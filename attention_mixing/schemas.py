"""Which layout files have that a user, or an earlier version, wrote; and what has changed since.

A change of a layout is a new entry here, and nothing else: the version is the last one listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_mixing.errors import InputError

UNNAMED = 0  # version of what was written before it was named


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

    def since(self, found: int, where: Path) -> str:
        """Say of files of an earlier version what has changed since.

        ``found`` is the version that they name, 0 for none; ``where`` is the file or directory, as
        a user is told it.
        """
        named = f"is of schema {found}" if found else "names no schema"
        changes = "; ".join(change for at, change in self.changes.items() if at > found)
        return f"{where} {named}, and this code reads {self.version}: {changes}"

    def newer(self, found: int, where: Path) -> str:
        """Say that files are of a newer version than this code.

        ``found`` is their version; ``where`` is the file or directory, as a user is told it.
        """
        return f"{where} is of schema {found}, and this code reads {self.version}; update the code"

    def require(self, found: int, where: Path, remedy: str) -> None:
        """Refuse files of another version, with what has changed since, or that they are newer.

        ``where`` is the file or directory, as a user is told it; ``remedy``, what to do, ends a
        sentence.
        """
        if found > self.version:
            raise InputError(f"{self.newer(found, where)}, or {remedy}.")
        if found < self.version:
            raise InputError(f"{self.since(found, where)}; {remedy}.")


_COLUMNS = (
    "the columns `by` and `measure` are now `measure` and `quantity`, and numbers of clusters have "
    "left `kind` for a column `clusters`"
)
PARAMETERS = Schema(
    {
        1: "`encoders` and `propagation.value_zeroing` have come, `train.seed` is now a list, "
        "`train.seeds`, and `capture.arrays`, `clusters.workers` and `model.name` of `source: "
        "embedded` have gone",
    }
)
CAPTURE = Schema(
    {
        3: "each text is a file",
        4: "the weights of the model lie beside the arrays",
        5: "what queries may see, the share of attention that goes to tokens and the ids of tokens "
        "have come, and weights are those of any structure",
    }
)
_LABELS = "what layers add up, followed through them, is called `METHOD_rollout` in `of`"
_ADDRESSES = "rules name a measure where they named a group"
_SUBJECTS = "the columns `of` and `kind` are now `subject` and `facet`"
MEASURED = Schema(
    {
        1: f"{_COLUMNS}; scores of tokens are described in the head of their file",
        2: _LABELS,
        3: _SUBJECTS,
    }
)
SUMMARY = Schema(
    {
        1: f"{_COLUMNS}; what rules read stands among the curves",
        2: _LABELS,
        3: _ADDRESSES,
        4: _SUBJECTS,
    }
)
KEPT = Schema(
    {
        1: f"{_COLUMNS}; what rules read stands in `summary.parquet`",
        2: _LABELS,
        3: _ADDRESSES,
        4: _SUBJECTS,
        5: "`fingerprint.parquet` stands in the place of hashes of code",
    }
)
