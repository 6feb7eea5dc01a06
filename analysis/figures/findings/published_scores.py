"""What the chapter *heads* finds in the published scores of the study it grew from."""

from __future__ import annotations

from analysis.figures.published import published


def totals(language: str) -> str:
    """Check that the published scores follow from their parts."""
    values = published("A1")
    groups = ("answerable", "unanswerable")
    sizes = [values["questions"][group] for group in groups]
    scores = [values["exact"], values["f1"]]
    means = [
        sum(score[group] * size for group, size in zip(groups, sizes, strict=True)) / sum(sizes)
        for score in scores
    ]
    off = max(abs(mean - score["total"]) for mean, score in zip(means, scores, strict=True))
    numbers = f"{means[0]:.2f}", f"{means[1]:.2f}"
    size = f"{off:.0e}" if off else "0"
    if off < 1e-6:
        return {
            "en": "weighted with the numbers of questions, the published parts give "
            f"{numbers[0]} exact and {numbers[1]} F1, which are the published totals to within "
            f"{size} points",
            "ja": f"公表された内訳を質問数で重み付き平均すると、完全一致 {numbers[0]}、"
            f"F1 {numbers[1]} となり、公表された全体の値と一致する（差は {size} ポイント以下）",
        }[language].replace("e-", "e\u2212")
    return {
        "en": "weighted with the numbers of questions, the published parts give "
        f"{numbers[0]} exact and {numbers[1]} F1, which differ from the published totals by up to "
        f"{off:.2g} points",
        "ja": f"公表された内訳を質問数で重み付き平均すると、完全一致 {numbers[0]}、"
        f"F1 {numbers[1]} となり、公表された全体の値と最大 {off:.2g} ポイント異なる",
    }[language]
