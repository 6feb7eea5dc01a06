"""Published values as the ledger has them, without a run."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analysis.claims.ledger import read
from analysis.figures import published

ROOT = Path(__file__).parents[2]


@cache
def values() -> dict[str, Any]:
    """Published values of every claim, by its id."""
    return {claim.id: claim.published.values for claim in read(ROOT / "report" / "claims.yaml")}


@pytest.fixture(autouse=True)
def published_values(monkeypatch) -> None:
    """Every test of a file that imports this sees the values of ``report/claims.yaml``."""
    monkeypatch.setattr(published, "_values", values)
