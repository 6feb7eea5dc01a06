"""The ledger without a run: published values, and what arithmetic says of them."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analysis.claims.judging import judge
from analysis.claims.ledger import read
from analysis.figures import published

ROOT = Path(__file__).parents[2]


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Every claim as the ledger has it where no experiment was run, by its id."""
    return {claim.id: judge(claim, {}, None) for claim in read(ROOT / "report" / "claims.yaml")}


@pytest.fixture(autouse=True)
def published_values(monkeypatch) -> None:
    """Every test of a file that imports this sees the values of ``report/claims.yaml``."""
    monkeypatch.setattr(published, "_claims", rows)
