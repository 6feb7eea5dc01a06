"""What the explorer shows, and the view that it opens with, as they were chosen and written.

:mod:`analysis.explorer_content` chooses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from analysis.paths import EXPLORER, result
from attention_mixing.artifacts import read_artifact


class Shown(NamedTuple):
    """Experiments of the explorer and its opening view.

    Attributes
    ----------
    experiments
        As :func:`attention_mixing.explorer.component` takes them, as its index.
    opening
        Its ``selection``, and the ``rule``, ``query``, ``tokens`` and ``rows`` that it is told by;
        None where no text may be shown.
    """

    experiments: list[dict[str, Any]]
    opening: dict[str, Any] | None


def read_shown() -> Shown:
    """Read what the stage *explorer* lists."""
    index = read_artifact(result(EXPLORER.name, "index.json"), list[dict[str, Any]])
    opening = read_artifact(result(EXPLORER.name, "opening.json")) if index else None
    return Shown(index, opening)
