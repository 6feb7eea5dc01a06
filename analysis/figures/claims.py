"""Chapter *claims*: the ledger as it is read for the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.claims.verdicts import CONSISTENT
from analysis.figures.findings.claims import OUTCOMES
from analysis.figures.words import Words
from analysis.paths import ledger


@dataclass(frozen=True)
class Case:
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


@dataclass(frozen=True)
class Claim:
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


def read_record() -> dict[str, Any]:
    """Read the ledger as the stage wrote it, both languages."""
    record: dict[str, Any] = json.loads(ledger().read_text(encoding="utf-8"))
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
    found = []
    for row in record["claims"]:
        said: dict[str, Any] = {
            key: row[key][w.language] if row[key] else None
            for key in ("statement", "published", "rule", "differs", "needs")
        }
        known = {
            key: row[key]
            for key in ("id", "part", "chapter", "evidence", "conditions", "verdict", "form")
        }
        found.append(
            Claim(
                **known,
                **said,
                source=tuple(row["source"]),
                files=tuple(row["files"]),
                cases=tuple(_case(one, w) for one in row["cases"]),
                headline=row["headline"],
            )
        )
    return sorted(found, key=lambda one: in_order(one.id))


def _case(row: Mapping[str, Any], w: Words) -> Case:
    label = row["label"][w.language] if row["label"] else None
    state = w[row["variant"]] if row["variant"] else None
    return Case(
        where=w["comma"].join(part for part in (row["experiment"], state) if part),
        label=label,
        **{key: row[key] for key in ("value", "low", "high", "texts", "holds")},
        decides=row["decides"],
    )


def in_order(name: str) -> tuple[str, int, str]:
    """Sort names of claims as a reader does: A2 before A10."""
    letters, digits, rest = re.fullmatch(r"(\D*)(\d*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    return letters, int(digits or 0), rest


def table(found: Sequence[Claim]) -> pd.DataFrame:
    """One row a claim and case, or a claim without a case, for the download."""
    rows = []
    for one in found:
        about: dict[str, Any] = {
            "claim": one.id,
            "statement": one.statement,
            "source": " ".join(one.source),
            "published": one.published,
            "verdict": one.verdict,
            "chapter": one.chapter,
            "evidence": one.evidence,
        }
        for case in one.cases:
            rows.append(
                about
                | {
                    "part": case.label,
                    "case": case.where,
                    "value": case.value,
                    "low": case.low,
                    "high": case.high,
                    "texts": case.texts,
                    "holds": case.holds,
                    "decides": case.decides,
                }
            )
        if not one.cases:
            rows.append(about)
    return pd.DataFrame(rows)
