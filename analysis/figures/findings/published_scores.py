"""What the chapter *heads* finds in the published scores of the study it grew from."""

from __future__ import annotations

from analysis.figures.published import cases, published


def totals(language: str) -> str:
    """Say whether the published scores follow from their parts, as claim A1 is judged."""
    values, found = published("A1"), {case["label"]["en"]: case for case in cases("A1")}
    scores = {"exact": found["exact match"], "f1": found["F1"]}
    exact, f1 = (f"{case['value']:.2f}" for case in scores.values())
    given = {
        "en": "weighted with the numbers of questions, the published parts give "
        f"{exact} exact and {f1} F1, ",
        "ja": f"公表された内訳を質問数で重み付き平均すると、完全一致 {exact}、F1 {f1} となり、",
    }
    off = max(abs(case["value"] - values[key]["total"]) for key, case in scores.items())
    size = f"{off:.2g}".replace("e-", "e\u2212")
    told = {
        "en": f"which differ from the published totals by up to {size} points",
        "ja": f"公表された全体の値と最大 {size} ポイント異なる",
    }
    if all(case["holds"] for case in scores.values()):
        told = {
            "en": "which are the published totals but for rounding",
            "ja": "丸め誤差を除いて、公表された全体の値と一致する",
        }
    return given[language] + told[language]
