"""What the chapter *heads* finds in the published scores of the study it grew from."""

from __future__ import annotations

from analysis.figures.published import cases, published
from analysis.figures.words import Words


def totals(w: Words) -> str:
    """Say whether the published scores follow from their parts, as claim A1 is judged."""
    values, found = published("A1"), {case["case"]: case for case in cases("A1")}
    scores = {"exact": found["exact_match"], "f1": found["f1"]}
    off = max(abs(case["value"] - values[key]["total"]) for key, case in scores.items())
    return w.say(
        "published_scores_totals",
        outcome="hold" if all(case["holds"] for case in scores.values()) else "differ",
        off=f"{off:.2g}".replace("e-", "e\u2212"),
        **{key: f"{case['value']:.2f}" for key, case in scores.items()},
    )
