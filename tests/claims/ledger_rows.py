"""Rows of a ledger for tests, and experiments to hold them against."""

from pathlib import Path
from typing import Any

import yaml

from analysis import params
from analysis.claims.ledger import Claim

ROOT = Path(__file__).parents[2]
SAME = {
    "models": ["all-MiniLM-L6-v2"],
    "data": ["reviews"],
    "words": {"en": "the model on reviews", "ja": "レビューでのモデル"},
}


def words(text: str = "words") -> dict[str, str]:
    return {"en": text, "ja": f"{text}（日本語）"}


def row(*cases: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """One row as YAML has it, asked of every experiment as it was pretrained."""
    test = {"variants": ["pretrained"], "cases": list(cases)} if cases else None
    return {
        "id": "B1",
        "part": "models",
        "statement": words(),
        "source": ["abnar2020"],
        "published": words() | {"values": {"level": 0.5, "curve": [0.1, -0.25]}},
        "chapter": "mixing",
        "evidence": "fig-scopes",
        "rule": words(),
        "test": test,
        "needs": words(),
    } | changes


def claim(*cases: dict[str, Any], **changes: Any) -> Claim:
    return Claim.model_validate(row(*cases, **changes))


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(list(rows), allow_unicode=True), encoding="utf-8")
    return path


def committed() -> params.Params:
    return params.load(ROOT / "params.yaml")
