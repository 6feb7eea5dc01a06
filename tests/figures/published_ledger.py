"""The ledger without a run: published values, and what arithmetic says of them."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analysis import params
from analysis.claims.evidence import Results
from analysis.claims.judging import judge
from analysis.claims.ledger import read
from analysis.figures import published

ROOT = Path(__file__).parents[2]


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Every claim as the ledger has it where no experiment was run, by its id."""
    bootstrap = params.load(ROOT / "params.yaml").bootstrap
    claims = read(ROOT / "report" / "claims.yaml")
    return {claim.id: judge(claim, {}, Results(ROOT / "results"), bootstrap) for claim in claims}


@pytest.fixture(autouse=True)
def published_values(monkeypatch) -> None:
    """Every test of a file that imports this sees the values of ``report/claims.yaml``."""
    monkeypatch.setattr(published, "_claims", rows)
