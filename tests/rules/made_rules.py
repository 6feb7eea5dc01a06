"""Rules for tests, and experiments to hold them against."""

from pathlib import Path
from typing import Any

import yaml

from analysis.parameters import Params, load
from analysis.rules.rule import Rule, parse

ROOT = Path(__file__).parents[2]
SAME = {"name": "ours", "models": ["all-MiniLM-L6-v2"], "data": ["reviews"]}
CLAIM = {
    "kind": "measured",
    "source": ["abnar2020"],
    "values": {"level": 0.5, "curve": [0.1, -0.25]},
    "evidence": "fig-scopes",
    "needs": "more",
}


def row(*cases: dict[str, Any], claim: dict[str, Any] | None = None, **changes: Any) -> dict:
    """One row as YAML has it, asked of every experiment as it was pretrained."""
    about = {"id": "B1", "chapter": "mixing", "claim": CLAIM | (claim or {})}
    return about | {"variants": ["pretrained"], "cases": list(cases)} | changes


def rule(*cases: dict[str, Any], **changes: Any) -> Rule:
    return parse(row(*cases, **changes))


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(list(rows), allow_unicode=True), encoding="utf-8")
    return path


def committed() -> Params:
    return load(ROOT / "params.yaml")
