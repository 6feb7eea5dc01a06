"""Chapter *claims*: the ledger as it is read for the page, and the picture of its verdicts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from analysis.errors import InputError
from analysis.figures.findings.claims import (
    OUTCOMES,
    UNDER_OTHER,
    chance,
    conditions,
    failing,
    lead,
    outcomes,
    parts,
    tested,
)
from analysis.figures.style import (
    INK,
    MUTED,
    OUTCOME_COLOURS,
    OUTCOME_SIGNS,
    WIDTH,
    figure_style,
)
from analysis.figures.words import Words
from analysis.paths import REPORT, ledger

OWN_WORDS = {
    "holds": ("holds", "成り立つ"),
    "partly": ("holds in part", "一部成り立つ"),
    "fails": ("fails", "成り立たない"),
    "undecided": ("open", "決まらない"),
    "not_tested": ("not tested", "未検証"),
    "verdict_reproduced": ("reproduced", "再現"),
    "verdict_partly_reproduced": ("partly reproduced", "一部再現"),
    "verdict_not_reproduced": ("not reproduced", "再現せず"),
    "verdict_consistent": ("consistent", "整合"),
    "verdict_partly_consistent": ("partly consistent", "一部整合"),
    "verdict_inconsistent": ("inconsistent", "不整合"),
    "verdict_undecided": ("open", "決まらない"),
    "verdict_not_tested": ("not tested", "未検証"),
    "chapter_index": ("Abstract", "要旨"),
    "chapter_setup": ("Set-up", "実験の設定"),
    "chapter_anatomy": ("Anatomy", "解剖"),
    "chapter_mixing": ("Mixing", "混合度合い"),
    "chapter_features": ("Features", "特徴ベクトル"),
    "chapter_propagation": ("Propagation", "注意の伝播"),
    "chapter_geometry": ("Geometry", "幾何"),
    "chapter_heads": ("Heads", "ヘッド"),
    "chapter_faithfulness": ("Faithfulness", "忠実性"),
    "chapter_claims": ("Claims", "主張の検証"),
    "evidence_fig": ("figure", "図"),
    "evidence_tbl": ("table", "表"),
    "evidence_sec": ("section", "節"),
    "evidence_eq": ("equation", "式"),
    "same": (
        "as published, or about any model",
        "公表時と同じ、または、どのモデルにも当てはまる主張",
    ),
    "other_short": ("other conditions", "異なる条件"),
    "filter": ("Filter the claims", "主張を絞り込む"),
    "filter_verdict": ("Verdict", "判定"),
    "filter_chapter": ("Chapter", "章"),
    "filter_source": ("Source", "出典"),
    "filter_text": ("Text", "語句"),
    "filter_all": ("all ({})", "すべて（{}）"),
    "filter_option": ("{} ({})", "{}（{}）"),
    "filter_indent": ("\u2013 {}", "\u2013 {}"),
    "filter_reset": ("Show all", "すべて表示"),
    "filter_count": ("{shown} of {all} claims", "{all} の主張のうち {shown} を表示"),
    "ledger": ("The claims", "主張の一覧"),
    "published": ("Published", "公表値"),
    "here": ("Here", "本レポート"),
    "claim": ("Claim", "主張"),
    "verdict": ("Verdict", "判定"),
    "rule": ("Rule", "規則"),
    "conditions": ("Conditions", "条件"),
    "cases": ("Cases", "事例"),
    "experiment_state": ("Experiment", "実験"),
    "value": ("Value (interval)", "値（区間）"),
    "texts": ("Texts", "テキスト数"),
    "evidence": ("Evidence", "根拠"),
    "files": ("Read from", "読み取り元"),
    "hashes": ("how these were made", "これらの作られ方"),
    "needs": ("A full test takes", "完全な検証に要るもの"),
    "details": ("How it was judged", "判定のしかた"),
    "details_cases": ("How it was judged, case by case ({})", "判定のしかたと全 {} 事例"),
    "interval": ("{} ({})", "{}（{}）"),
    "no_value": ("no value", "値なし"),
    "no_model": ("\u2013", "\u2013"),
    "count_holds": ("hold", "成り立つ"),
    "count_partly": ("hold in part", "一部成り立つ"),
    "count_fails": ("fail", "成り立たない"),
    "count_undecided": ("stay open", "決まらない"),
    "count_not_tested": ("not tested", "未検証"),
    "all_holds": ("holds in all {} cases", "{} 事例すべてで成り立つ"),
    "all_fails": ("fails in all {} cases", "{} 事例すべてで成り立たない"),
    "all_undecided": ("open in all {} cases", "{} 事例とも決まらない"),
    "part": ("{} of {} cases", "{}"),
    "of_cases": ("{1}", "{0} 事例のうち{1}"),
    "of_holds": ("{} hold", "成り立つもの {}"),
    "of_fails": ("{} fail", "成り立たないもの {}"),
    "of_undecided": ("{} open", "決まらないもの {}"),
    "one_holds": ("{} holds", "成り立つもの {}"),
    "one_fails": ("{} fails", "成り立たないもの {}"),
    "one_undecided": ("{} open", "決まらないもの {}"),
    "summary_note": (
        "A case is one part of a claim in one experiment, before or after training. All decided "
        "cases hold: the claim holds; some do: in part; none: it fails. A case is open where the "
        "texts are too few to tell, and so is a claim with more than half of its cases open. Pale "
        "signs, “other conditions”: another model or other texts than the published ones.",
        "事例は、主張の一つの部分を、一つの実験の学習前または学習後に確かめたもの。"
        "決まった事例がすべて成り立てば主張は「成り立つ」、一部なら「一部成り立つ」、"
        "なければ「成り立たない」。テキストが足りずに決まらない事例が半分を超えれば、"
        "主張も「決まらない」。淡い印と「異なる条件」は、公表時とは別のモデルやテキストで"
        "検証したことを表す。",
    ),
    "shown": ("shown beside", "参考"),
    "values": ("value {}", "値は {}"),
    "nothing": ("nothing measured", "測定なし"),
    "nothing_open": ("Nothing is left to decide.", "判定すべき主張は残っていない。"),
    "repeat": (
        "To test the others under the published conditions",
        "ほかの主張を公表時の条件で検証するには",
    ),
    "comma": (", ", "、"),
    "semicolon": ("; ", "；"),
    "colon": (": ", "："),
}
CHAPTERS = tuple(
    key.removeprefix("chapter_") for key in OWN_WORDS if re.fullmatch("chapter_[a-z]+", key)
)
# As in the text of the pages.
CITATION = re.compile(r"\[@([\w:.-]+)\]")
NUMBERS = (
    "lead",
    "conditions",
    "parts",
    "failing",
    "chance",
    "confidence",
    "total",
    "tested",
    "holds",
    "partly",
    "fails",
    "undecided",
    "not-tested",
    "cases",
)


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
        return self.verdict not in UNDER_OTHER


def read_record() -> dict[str, Any]:
    """Read the ledger as the stage wrote it, both languages."""
    record: dict[str, Any] = json.loads(ledger().read_text(encoding="utf-8"))
    return record


def claims(record: Mapping[str, Any], w: Words, language: str) -> list[Claim]:
    """Take the claims of one language, in the order of their names.

    Parameters
    ----------
    record
        As read by :func:`read_record`.
    w
        Words of the page.
    language
        ``en`` or ``ja``.
    """
    found = []
    for row in record["claims"]:
        said: dict[str, Any] = {
            key: row[key][language] if row[key] else None
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
                cases=tuple(_case(one, w, language) for one in row["cases"]),
                headline=row["headline"],
            )
        )
    return sorted(found, key=lambda one: in_order(one.id))


def _case(row: Mapping[str, Any], w: Words, language: str) -> Case:
    label = row["label"][language] if row["label"] else None
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


@dataclass(frozen=True)
class Source:
    """Where a claim comes from, as the text cites it.

    Attributes
    ----------
    short
        Authors and year, or the name of a study without a paper.
    title
        Of the paper; None for such a study.
    """

    short: str
    title: str | None


def sources(
    found: Sequence[Claim],
    studies: Mapping[str, Mapping[str, str]],
    language: str,
    path: Path = REPORT / "references.bib",
) -> dict[str, Source]:
    """Find every source that a claim or a text of it names.

    Parameters
    ----------
    found
        All claims.
    studies
        Key -> language -> name of a study without a paper.
    language
        ``en`` or ``ja``.
    path
        Of the bibliography.

    Returns
    -------
    dict
        Key -> source.

    Raises
    ------
    InputError
        If the bibliography lacks a key.
    """
    import pypandoc

    written = pypandoc.convert_file(str(path), "csljson", format="biblatex")
    entries = {entry["id"]: entry for entry in json.loads(written)}
    known = {key: Source(name[language], None) for key, name in studies.items()}
    cited = {
        key: one.id
        for one in found
        for key in (*one.source, *CITATION.findall(one.published))
        if key not in known
    }
    for key, claim in cited.items():
        if key not in entries:
            raise InputError(
                f"claim {claim} has the source {key}, which {path} lacks; add it there, or correct "
                "the key in report/claims.yaml"
            )
    short = {key: _short(entries[key]) for key in cited}
    for text, count in Counter(short.values()).items():
        # Papers of the same people in the same year.
        if count > 1:
            group = [key for key in entries if short.get(key) == text]
            short |= {key: text + letter for key, letter in zip(group, "abcdefgh", strict=False)}
    return known | {key: Source(text, entries[key]["title"]) for key, text in short.items()}


def _short(entry: Mapping[str, Any]) -> str:
    """Write authors as the text of the report does (report/assets/paper.csl), and the year."""
    names = [
        " ".join(
            part
            for part in (one.get("non-dropping-particle"), one.get("family") or one.get("literal"))
            if part
        )
        for one in entry.get("author", [])
    ]
    authors = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    year = entry["issued"]["date-parts"][0][0] if "issued" in entry else ""
    return " ".join(str(part) for part in (authors, year) if part)


def numbers(found: Sequence[Claim], confidence: float, language: str) -> dict[str, str]:
    """Every number and sentence of the prose, by name."""
    verdicts = {one.id: one.verdict for one in found}
    by_part = {
        part: {one.id: one.verdict for one in found if one.part == part}
        for part in ("structure", "models")
    }
    cases = [case for one in found for case in one.cases if case.decides]
    intervals = sum(case.low is not None for case in cases)
    count = outcomes(verdicts)
    values = (
        lead(verdicts, language),
        conditions(verdicts, language),
        parts(by_part["structure"], by_part["models"], language),
        failing(verdicts, language),
        chance(intervals, confidence, language),
        f"{confidence:.0%}",
        str(len(found)),
        str(len(tested(verdicts))),
        *(str(count[outcome]) for outcome in OUTCOME_COLOURS),
        f"{len(cases):,}",
    )
    return dict(zip(NUMBERS, values, strict=True))


def counted(found: Sequence[Claim], w: Words) -> str:
    """List the verdicts with their numbers, for who cannot see the figure."""
    counts = Counter(one.verdict for one in found)
    shown = [
        f"{w[f'verdict_{verdict}']} {counts[verdict]}" for verdict in OUTCOMES if counts[verdict]
    ]
    return w["comma"].join(shown)


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


TILE, GAP, ROW = 0.6, 0.07, 0.3  # inches: width of a tile, between tiles, height of a row
LABEL = 1.15  # inches
# Verdicts as published, and under other conditions below them; last what is neither.
KEYS = (
    ("reproduced", "partly_reproduced", "not_reproduced", "undecided"),
    ("consistent", "partly_consistent", "inconsistent", "not_tested"),
)


def verdict_tiles(found: Sequence[Claim], w: Words) -> tuple[Figure, pd.DataFrame]:
    """Draw one tile a claim, in the row of its chapter, in the order of the verdicts."""
    order = list(OUTCOMES)
    by_chapter = {
        chapter: sorted(
            (one for one in found if one.chapter == chapter),
            key=lambda one: (order.index(one.verdict), in_order(one.id)),
        )
        for chapter in sorted({one.chapter for one in found}, key=CHAPTERS.index)
    }
    counts = Counter(one.verdict for one in found)
    a_row = int((WIDTH - LABEL) // (TILE + GAP))
    rows = sum(-(-len(group) // a_row) for group in by_chapter.values())
    height = ROW * (rows + len(KEYS) + 0.8) + 0.1
    with figure_style():
        figure = Figure(figsize=(WIDTH, height))
        figure.set_layout_engine("none")
        axis = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
        axis.set_axis_off()
        for row, keys in enumerate(KEYS):
            y = 0.05 + ROW * row
            for column, verdict in enumerate(keys):
                x = column * WIDTH / len(keys)
                _tile(axis, x, y, 0.34, OUTCOMES[verdict], verdict not in UNDER_OTHER, "")
                text = f"{w[f'verdict_{verdict}']}{w['colon']}{counts[verdict]}"
                axis.text(x + 0.42, y + ROW / 2 - 0.03, text, va="center", fontsize=8)
        y = 0.05 + ROW * (len(KEYS) + 0.55)
        axis.plot([0, WIDTH], [y - 0.1 * ROW] * 2, color=MUTED, lw=0.6, alpha=0.6)
        y += 0.15 * ROW
        data = []
        for chapter, group in by_chapter.items():
            axis.text(0, y + ROW / 2 - 0.03, w[f"chapter_{chapter}"], va="center")
            for index, one in enumerate(group):
                x = LABEL + (index % a_row) * (TILE + GAP)
                _tile(axis, x, y + ROW * (index // a_row), TILE, one.outcome, one.solid, one.id)
                data.append({"chapter": chapter, "claim": one.id, "verdict": one.verdict})
            y += ROW * -(-len(group) // a_row)
    return figure, pd.DataFrame(data, columns=["chapter", "claim", "verdict"])


def _tile(
    axis: Any, x: float, y: float, width: float, outcome: str, solid: bool, name: str
) -> None:
    """Draw the sign of an outcome: filled as published, pale under other conditions."""
    colour, on_colour = OUTCOME_COLOURS[outcome]
    face = "none" if colour is None else colour if solid else to_rgba(colour, 0.22)
    box = FancyBboxPatch(
        (x + 0.01, y + 0.01),
        width - 0.02,
        ROW - 0.08,
        boxstyle="round,pad=0,rounding_size=0.04",
        facecolor=face,
        edgecolor=MUTED if colour is None else colour,
        linewidth=1,
        linestyle=(0, (2, 2)) if colour is None else "solid",
    )
    axis.add_patch(box)
    axis.text(
        x + width / 2,
        y + ROW / 2 - 0.03,
        f"{OUTCOME_SIGNS[outcome]} {name}".strip(),
        color=on_colour if solid else INK,
        ha="center",
        va="center",
        fontsize=8,
    )
