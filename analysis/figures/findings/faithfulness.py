"""What the chapter *faithfulness* finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.figures.findings.phrases import listed, span

Lines = Sequence[Sequence[float]]
"""Means from the first layer to the last, a line an experiment and measure."""

# Two correlations or ROC-AUCs that differ by less than this are called alike.
RANK_MARGIN = 0.02
# Change of a correlation from the first to the last layer that is called a rise or a fall.
DEPTH_MARGIN = 0.10
# Two methods whose rankings correlate more than this in every experiment are called one.
SAME_RANKING = 0.90
KNOW_NOTHING = ("random", "uniform")


def best_method(auc: pd.DataFrame) -> str:
    """Name the method with the largest mean over experiments."""
    judged = auc[~auc["of"].isin(KNOW_NOTHING)]
    return str(judged.groupby("of", sort=False)["mean"].mean().idxmax())


def below_chance(auc: pd.DataFrame) -> list[str]:
    """Names of the methods that rank the evidence worse than chance in every experiment."""
    highest = auc.groupby("of", sort=False)["high"].max()
    return list(highest.index[highest < 0.5])


def evidence_lead(auc: pd.DataFrame, w: Mapping[str, str], language: str) -> str:
    """Say which method finds the planted evidence best, how the well-known ones do, and who fails.

    Parameters
    ----------
    auc
        ROC-AUC of final scores, a row a method (``of``) and experiment with ``mean``, ``low`` and
        ``high``; holds ``raw``, ``rollout`` and ``flow``.
    w
        Names of methods.
    language
        ``en`` or ``ja``.
    """
    by_method = auc.groupby("of", sort=False)["mean"]
    best = best_method(auc)
    means = {method: span(values, ".2f") for method, values in by_method}
    worst = [method for method in below_chance(auc) if method not in KNOW_NOTHING]
    below = [w[method] for method in sorted(worst, key=by_method.mean().get)]
    if language == "ja":
        fails = (
            f"{listed(below, language)}は、どの実験でもランダムな順位付けを下回る"
            if below
            else "どの実験でもランダムな順位付けを下回るという手法はない"
        )
        return (
            f"ラベルの根拠となる語を最もよく見つけるのは{w[best]}"
            f"（ROC-AUC {means[best]}）である。最終層の生の注意重みは {means['raw']}、"
            f"ロールアウトは {means['rollout']}、フローは {means['flow']} にとどまる。"
            f"{fails}"
        )
    fails = (
        f"{listed(below, language)} rank{'s' if len(below) == 1 else ''} them worse than chance "
        "in every experiment"
        if below
        else "no method ranks them worse than chance in every experiment"
    )
    return (
        f"The words that carry the label are found best by {w[best]} (ROC-AUC {means[best]}); raw "
        f"attention of the last layer reaches {means['raw']}, rollout {means['rollout']}, flow "
        f"{means['flow']}; {fails}"
    )


def _of(paired: pd.DataFrame, method: str, other: str, measure: str) -> pd.DataFrame:
    chosen = (paired["of"] == method) & (paired["minus"] == other) & (paired["measure"] == measure)
    # A difference that no text defines is nan, and says nothing.
    return paired[chosen].dropna(subset="mean")


def not_above(
    paired: pd.DataFrame, other: str, methods: Sequence[str], w: Mapping[str, str], language: str
) -> str:
    """Name the methods that are not above a random score, by either measure, in some experiment.

    Parameters
    ----------
    paired
        Rows with ``measure`` (``roc_auc`` or ``comprehensiveness``), method (``of``), ``minus``,
        ``mean``, ``low``, ``high``; one an experiment.
    other
        What the methods are held against.
    methods
        To look at, in the order in which they are named.
    w
        Names of methods.
    language
        ``en`` or ``ja``.
    """
    measures = ("roc_auc", "comprehensiveness")
    failing = [
        w[method]
        for method in methods
        if method not in KNOW_NOTHING
        and any((_of(paired, method, other, m)["low"] <= 0).any() for m in measures)
    ]
    if not failing:
        return {
            "en": "every method is above a random score by both measures in every experiment",
            "ja": "どの手法も、どの実験でも、二つの尺度の両方で乱数を上回る",
        }[language]
    return {
        "en": "not above a random score, by one of the two measures in one experiment at least: "
        f"{listed(failing, language)}; these should not be read as explanations",
        "ja": "少なくとも一つの実験の一つの尺度で乱数を上回るといえないのは、"
        f"{listed(failing, language)}である。これらを説明として読むべきではない",
    }[language]


def above(
    paired: pd.DataFrame, other: str, methods: Sequence[str], w: Mapping[str, str], language: str
) -> str:
    """Say which methods beat raw attention by one of two measures and lose by none.

    Parameters
    ----------
    paired, other, methods, w, language
        As in :func:`not_above`.
    """
    measures = ("roc_auc", "comprehensiveness")
    better: dict[str, list[str]] = {}
    worse = set()
    for method in methods:
        for measure in measures:
            rows = _of(paired, method, other, measure)
            if len(rows) and (rows["low"] > 0).all():
                better.setdefault(measure, []).append(method)
            if (rows["high"] < 0).any():
                worse.add(method)
    winners = dict.fromkeys(m for found in better.values() for m in found)
    trusted = [w[m] for m in methods if m in winners and m not in worse]
    if trusted:
        names = listed(trusted, language)
        return {
            "en": "above raw attention of the last layer by one of the two measures in every "
            f"experiment, and below it by neither in any, stands {names}: for models and texts "
            "like these the first choice",
            "ja": "どの実験でも二つの尺度の一方で生の注意重みを上回り、どの実験のどちらの尺度でも"
            f"下回らないのは、{names}である。ここのようなモデルとテキストには、まずこれを使うとよい",
        }[language]
    found, kept = (
        listed(
            [w[m] for m in better.get(measure, ())] or [{"en": "none", "ja": "なし"}[language]],
            language,
        )
        for measure in measures
    )
    return {
        "en": "no method beats raw attention of the last layer outright, that is, by one of the "
        "two measures in every experiment and without losing by the other in any; above it in "
        f"every experiment at finding the evidence: {found}; at comprehensiveness: {kept}",
        "ja": "どの実験でも二つの尺度の一方で最終層の生の注意重みを上回り、"
        "他方でもまったく下回らない手法はない。どの実験でも生の注意重みを上回る手法は、"
        f"次のとおりである。根拠の発見：{found}。包括性：{kept}",
    }[language]


def same_rankings(
    agreement: pd.DataFrame, methods: Sequence[str], w: Mapping[str, str], language: str
) -> str:
    """Name groups of methods that rank tokens alike in every experiment.

    Parameters
    ----------
    agreement
        Rows with both methods (``of``, ``kind``) and ``mean``, one an experiment and pair.
    methods
        In the order in which they are named.
    w
        Names of methods.
    language
        ``en`` or ``ja``.
    """
    lowest = agreement.groupby(["of", "kind"])["mean"].min()
    groups: list[list[str]] = []
    for method in methods:
        # All of a group are alike: no chain in which neighbours are and the ends are not.
        for group in groups:
            if all(lowest.get((method, other), 0) > SAME_RANKING for other in group):
                group.append(method)
                break
        else:
            groups.append([method])
    several = [[w[m] for m in group] for group in groups if len(group) > 1]
    if not several:
        return {
            "en": "no two methods rank the tokens nearly alike in every experiment",
            "ja": "どの実験でもほぼ同じ順位を付ける手法の組はない",
        }[language]
    named = {
        "en": "; ".join(listed(group, "en") for group in several),
        "ja": "；".join(f"({i}) {listed(group, 'ja')}" for i, group in enumerate(several, 1)),
    }[language]
    return {
        "en": f"nearly one ranking (above {SAME_RANKING:.1f} in every experiment), and so one vote "
        f"each: {named}",
        "ja": f"どの実験でも順位がほぼ同じ（相関が {SAME_RANKING:.1f} を超える）で、"
        f"それぞれ一票と数えるべきものは、次の組である。{named}",
    }[language]


def two_rules(agreement: pd.DataFrame, rules: tuple[str, str], language: str) -> str:
    """Say whether the two rules of relevance are one.

    Parameters
    ----------
    agreement
        As in :func:`same_rankings`.
    rules
        Their names.
    language
        ``en`` or ``ja``.
    """
    means = agreement[(agreement["of"] == rules[0]) & (agreement["kind"] == rules[1])]["mean"]
    numbers = span(means, ".3f")
    if min(means) > 1 - RANK_MARGIN:
        return {
            "en": f"here the two rules are practically one (mean rank correlation {numbers}) and "
            "count as one vote",
            "ja": f"関連度の二つの規則は、ここでは事実上一つであり（順位相関の平均 {numbers}）、"
            "一票として数える",
        }[language]
    return {
        "en": f"here the two rules differ (mean rank correlation {numbers})",
        "ja": f"関連度の二つの規則は、ここでは異なる（順位相関の平均 {numbers}）",
    }[language]


def depth_of_agreement(raw: Lines, rollout: Lines, language: str) -> str:
    """Say whether raw attention and rollout agree more or less with blank-out in deep layers.

    Parameters
    ----------
    raw, rollout
        Correlations of the [CLS] row after fine-tuning.
    language
        ``en`` or ``ja``.
    """

    def told(lines: Lines) -> str:
        changes = [line[-1] - line[0] for line in lines]
        ends = tuple(span([line[end] for line in lines], ".2f") for end in (0, -1))
        if min(changes) > DEPTH_MARGIN:
            way = {
                "en": "is higher in the last layer than in the first",
                "ja": "第 1 層より最終層で高い",
            }[language]
        elif max(changes) < -DEPTH_MARGIN:
            way = {
                "en": "is lower in the last layer than in the first",
                "ja": "第 1 層より最終層で低い",
            }[language]
        else:
            way = {
                "en": "has no common direction over the experiments",
                "ja": "実験に共通の傾向を示さない",
            }[language]
        return {
            "en": f"{way} ({ends[0]} in the first, {ends[1]} in the last)",
            "ja": f"{way}（第 1 層で {ends[0]}、最終層で {ends[1]}）",
        }[language]

    return {
        "en": f"for raw attention the correlation with blank-out {told(raw)}, for rollout it "
        f"{told(rollout)}",
        "ja": f"ブランクアウトとの相関は、生の注意重みでは{told(raw)}。"
        f"ロールアウトでは{told(rollout)}",
    }[language]


def middle_layers(flow: Lines, rollout: Lines, language: str) -> str:
    """Say whether flow agrees with blank-out better than rollout half-way up."""
    gaps = [
        ours[(len(ours) - 1) // 2] - theirs[(len(theirs) - 1) // 2]
        for ours, theirs in zip(flow, rollout, strict=True)
    ]
    least, most = (f"{gap:+z.2f}".replace("-", "\u2212") for gap in (min(gaps), max(gaps)))
    numbers = {"en": f"{least} to {most}", "ja": f"{least} から {most}"}[language]
    if min(gaps) > RANK_MARGIN:
        return {
            "en": "half-way up flow is above rollout in every experiment, as published "
            f"({numbers})",
            "ja": "中ほどの層では、報告どおり、どの実験でもフローがロールアウトを上回る"
            f"（{numbers}）",
        }[language]
    if max(gaps) <= RANK_MARGIN:
        return {
            "en": "half-way up flow is above rollout in no experiment, though it was published to "
            f"be (difference {numbers})",
            "ja": "中ほどの層でフローがロールアウトを上回るという報告は、"
            f"どの実験でも成り立たない（差は {numbers}）",
        }[language]
    return {
        "en": "half-way up flow is not above rollout in every experiment, as it was published to "
        f"be (difference {numbers})",
        "ja": "中ほどの層でフローがロールアウトを上回るという報告は、"
        f"どの実験でも成り立つわけではない（差は {numbers}）",
    }[language]


def stuck_flow(raw: Lines, flow: Lines, language: str) -> str:
    """Say whether flow from [CLS] still ranks tokens as attention of the first layer does.

    Parameters
    ----------
    raw, flow
        Measures that know ranks alone; none where every text is a single token, which has no rank.
    language
        ``en`` or ``ja``.
    """
    if not flow:
        return {
            "en": "no ranking, as no text has two tokens to rank",
            "ja": "順位を付けられる二つのトークンを持つテキストがなく、順位は定まらない",
        }[language]
    drift = max(
        abs(value - first) for (first, *_), line in zip(raw, flow, strict=True) for value in line
    )
    if drift < RANK_MARGIN:
        shown = f"{drift:.3f}"
        alike = {
            "en": "the means of flow are those of raw attention in the first layer to three "
            "decimals"
            if not float(shown)
            else f"no mean of flow differs by more than {shown} from that of raw attention in the "
            "first layer",
            "ja": "小数第三位まで、第 1 層の生の注意重みの平均に等しい"
            if not float(shown)
            else f"第 1 層の生の注意重みの平均と {shown} より大きくは違わない",
        }[language]
        return {
            "en": f"{alike}, whatever the depth: for [CLS], flow with the fixed residual ranks "
            "tokens as layer one does",
            "ja": f"フローの平均は、どの深さでも、{alike}。[CLS] については、残差を固定した"
            "フローは第 1 層の注意重みと同じ順位を付ける",
        }[language]
    return {
        "en": f"flow departs from the ranking of the first layer by up to {drift:.2f}: here layers "
        "above the first do count",
        "ja": f"フローは第 1 層の順位から最大で {drift:.2f} 離れる。ここでは上の層も効いている",
    }[language]


def start_layer(lines: Lines, language: str) -> str:
    """Say whether it pays to start relevance above the input.

    Parameters
    ----------
    lines
        ROC-AUC over the first layer, lowest first; one an experiment.
    language
        ``en`` or ``ja``.
    """
    gain = max(max(line) - line[0] for line in lines)
    loss = max(line[0] - min(line) for line in lines)
    if gain < RANK_MARGIN:
        gained = f"{gain:.2f}"
        return {
            "en": "starting above the input gains "
            f"{f'{gained} at most' if float(gained) else 'nothing'} and costs up to {loss:.2f}: "
            "leave it at the input",
            "ja": "入力より上の層から始めても、得るものは"
            f"{f'最大で {gained}' if float(gained) else 'なく'}、失うものは最大で"
            f" {loss:.2f} である。入力から始めればよい",
        }[language]
    return {
        "en": f"starting above the input gains up to {gain:.2f} and costs up to {loss:.2f}, "
        "depending on layer and experiment: it has to be chosen, and on other texts than those it "
        "is judged by",
        "ja": f"入力より上の層から始めると、層と実験によって最大 {gain:.2f} を得、"
        f"最大 {loss:.2f} を失う。選ぶ必要があるが、評価に使うものとは別のテキストで"
        "選ばなければならない",
    }[language]


def sign(supporting: Lines, opposing: Lines, language: str) -> str:
    """Say whether evidence for and against the class lie on different tokens."""
    ours, theirs = (span([line[0] for line in lines], ".2f") for lines in (supporting, opposing))
    if min(line[0] for line in opposing) > 0.5 + DEPTH_MARGIN:
        return {
            "en": "evidence against the class lies on the same tokens as evidence for it: it finds "
            f"the planted words with a ROC-AUC of {theirs}, against {ours}; the sign of a "
            "gradient tells these two apart less than it seems",
            "ja": "クラスに反する証拠は、支持する証拠と同じトークンにある。"
            f"反する証拠で根拠の語を探した ROC-AUC は {theirs}、支持する証拠では {ours} である。"
            "勾配の符号は、見かけほど両者を分けていない",
        }[language]
    return {
        "en": "evidence against the class does not lie on the planted words in every experiment "
        f"(ROC-AUC {theirs}, against {ours} for the evidence that supports it)",
        "ja": "クラスに反する証拠が根拠の語にあるとは、すべての実験ではいえない"
        f"（ROC-AUC {theirs}、支持する証拠では {ours}）",
    }[language]


def undefined(texts: int, language: str) -> str:
    """Say for how many texts at most a difference between methods is not defined."""
    if not texts:
        return {
            "en": "Every difference is defined for every text",
            "ja": "どの差も、すべてのテキストで定義される",
        }[language]
    return {
        "en": f"A difference is undefined for at most {texts} texts",
        "ja": f"差を定義できないテキストは最大で {texts} 件である",
    }[language]
