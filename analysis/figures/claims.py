"""Chapter *claims*: the ledger as it is read for the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pydantic import BaseModel

from analysis.claims.verdicts import CONSISTENT
from analysis.figures.findings.claims import OUTCOMES
from analysis.figures.words import Words
from analysis.paths import result


class Case(BaseModel, frozen=True):
    """One measurement of a claim.

    Attributes
    ----------
    where
        Experiment and model state, in words; empty where there is no model.
    label
        What is measured, where a claim has several parts or layers.
    value, low, high
        With its interval; None where there is none.
    texts
        How many it is over.
    holds
        Whether the rule is met; None where the interval leaves it open.
    decides
        Whether it counts for the verdict; what has no rule, or was measured under other conditions
        than the cases that decide, is only shown.
    """

    where: str
    label: str | None
    value: float | None
    low: float | None
    high: float | None
    texts: int | None
    holds: bool | None
    decides: bool

    @property
    def outcome(self) -> str:
        """What it says of the claim; a case that decides nothing is only shown."""
        if not self.decides:
            return "not_tested"
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]


class Claim(BaseModel, frozen=True):
    """A published claim and its verdict, in the language of the page."""

    id: str
    part: str
    statement: str
    source: tuple[str, ...]
    published: str
    chapter: str
    evidence: str
    files: tuple[str, ...]
    rule: str
    conditions: str | None
    differs: str | None
    verdict: str
    cases: tuple[Case, ...]
    form: str
    needs: str | None
    headline: bool

    @property
    def outcome(self) -> str:
        """What became of the claim, whatever the conditions."""
        return OUTCOMES[self.verdict]

    @property
    def solid(self) -> bool:
        """Whether its sign is drawn filled: the verdict is not about other conditions."""
        return self.verdict not in CONSISTENT

    @property
    def open(self) -> bool:
        """Whether more would have to be measured to decide it."""
        return self.outcome in ("undecided", "not_tested")

    @property
    def alike(self) -> bool:
        """Whether there are several cases, of which all that decide come out alike."""
        return len(self.cases) > 1 and len({one.outcome for one in self.cases if one.decides}) == 1

    @property
    def parts(self) -> dict[str | None, list[Case]]:
        """Cases by what is measured."""
        parts: dict[str | None, list[Case]] = {}
        for case in self.cases:
            parts.setdefault(case.label, []).append(case)
        return parts


def read_record() -> dict[str, Any]:
    """Read the ledger as the stage wrote it, both languages."""
    path = result("ledger", "claims.json")
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def claims(record: Mapping[str, Any], w: Words) -> list[Claim]:
    """Take the claims of one language, in the order of their names.

    Parameters
    ----------
    record
        As read by :func:`read_record`.
    w
        Words of the page.
    """
    found = [Claim.model_validate(_said(row, w)) for row in record["claims"]]
    return sorted(found, key=lambda one: in_order(one.id))


def _said(content: Any, w: Words) -> Any:
    """Replace what is written in both languages by the text of one, and name places of cases."""
    if isinstance(content, list):
        return [_said(one, w) for one in content]
    if not isinstance(content, dict):
        return content
    if content.keys() == {"en", "ja"}:
        return content[w.language]
    said = {key: _said(value, w) for key, value in content.items()}
    if "experiment" in said:
        state = w[said["variant"]] if said["variant"] else None
        said["where"] = w["comma"].join(part for part in (said["experiment"], state) if part)
    return said


def chapters(w: Words) -> list[str]:
    """Names of the chapters, in the order of the pages, which is that of the words."""
    return [key.removeprefix("chapter_") for key in w if key.startswith("chapter_")]


def in_order(name: str) -> tuple[str, int, str]:
    """Sort names of claims as a reader does: A2 before A10."""
    letters, digits, rest = re.fullmatch(r"(\D*)(\d*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    return letters, int(digits or 0), rest


def table(found: Sequence[Claim]) -> pd.DataFrame:
    """One row a claim and case, or a claim without a case, for the download."""
    about = ["claim", "statement", "source", "published", "verdict", "chapter", "evidence"]
    measured = ["part", "case", "value", "low", "high", "texts", "holds", "decides"]
    rows = []
    for one in found:
        claim = {**dict(one), "claim": one.id, "source": " ".join(one.source), "part": None}
        rows += [
            {**claim, **dict(case), "part": case.label, "case": case.where} for case in one.cases
        ] or [claim]
    return pd.DataFrame(rows, columns=[*about, *measured])
