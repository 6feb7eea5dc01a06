"""Claims without a run: published values, and what arithmetic says of them."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analysis.chapters.faithfulness import figures
from analysis.rules.judging import judge
from analysis.rules.rule import read
from attention_mixing.measures import groups

ROOT = Path(__file__).parents[2]


class Unmeasured:
    """A summary of nothing."""

    confidence = 0.95

    def group_of(self, measure: str) -> str:
        return groups()[measure]


def rows(chapter: str = "claims") -> dict[str, dict[str, Any]]:
    """Every claim as it is judged where no experiment was run, by its id; of whatever chapter."""
    return _judged()


@cache
def _judged() -> dict[str, dict[str, Any]]:
    rules = [rule for rule in read(ROOT / "report" / "rules.yaml") if rule.claim]
    return {one["id"]: one for one in judge(rules, {}, Unmeasured())}


@pytest.fixture(autouse=True)
def published_values(monkeypatch) -> None:
    """Every test of a file that imports this sees the values of ``report/rules.yaml``."""
    monkeypatch.setattr(figures, "judged_claims", rows)
    monkeypatch.setattr(figures, "published", lambda claim: rows()[claim]["claim"]["values"])
