"""Claims as a run has judged them, and what was published for them."""

from __future__ import annotations

from functools import cache
from typing import Any

from analysis.paths import PARAMETERS, PUBLISHED, result
from attention_mixing.artifacts import read_artifact


@cache
def judged_claims(chapter: str = "claims") -> dict[str, dict[str, Any]]:
    """Claims as the stage ``rules`` wrote them, by their names: all, or those of one chapter.

    A chapter that shows its own reads no others, whose edits then do not make it stale.
    """
    judged = read_artifact(result("rules", f"{chapter}.json"), list[dict[str, Any]])
    return {rule["id"]: rule for rule in judged if "claim" in rule}


def published(claim: str) -> Any:
    """Values that were published for a claim, shaped as in ``report/rules.yaml``."""
    return read_artifact(result(PARAMETERS.name, PUBLISHED))[claim]
