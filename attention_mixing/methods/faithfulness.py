"""Does a score say which tokens the model used? Removal, rank correlation and planted evidence.

A *score* is one number a token, higher for more important. Special tokens are never judged: the
functions take ``removable``, or arrays from which special tokens were left out already. What is not
defined (the correlation with a constant, the AUC of a text that is evidence throughout) is nan and
not zero, so that a mean over texts has to say how many it left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Float64, Int
from scipy.stats import rankdata

from attention_mixing.methods.shapes import checked_shapes

SHORTEST = 3  # Two values always correlate perfectly, if at all.


# --- removal --------------------------------------------------------------------------------------

# Random orders of the tokens of a text, whose mean is what knowing nothing comes to.
DRAWS = 8
# Tokens that a fraction has to come to: which one or two are removed is mostly chance.
FEWEST_REMOVED = 3


@checked_shapes
def removal_order(
    scores: Float[np.ndarray, " token"],
    removable: Bool[np.ndarray, " token"],
    ties: Float[np.ndarray, " token"],
) -> Int[np.ndarray, " removed"]:
    """Positions of the removable tokens (special ones are not), most important first.

    Tokens of equal score are taken by ``ties``, lowest first: numbers drawn at random, or a score
    that ties would be worth what the beginning of the text is worth.

    Raises
    ------
    ValueError
        If the score of a removable token is nan, or nothing is removable.
    """
    positions = np.flatnonzero(removable)
    missing = positions[np.isnan(scores[positions])]
    if len(missing):
        raise ValueError(f"scores[{missing[0]}] is nan; every removable token needs a score")
    if not len(positions):
        raise ValueError(f"none of {len(removable)} tokens is removable; at least one must be")
    return positions[np.lexsort((ties[positions], -scores[positions]))]


@checked_shapes
def removed_counts(fractions: Sequence[float], removable: int) -> list[int]:
    """How many tokens fractions of the removable ones come to, where they are three at least.

    The whole number nearest to the fraction (halves go up). DeYoung et al. (2020) take 1, 5, 10, 20
    and 50 %, which in a short text all mean one token.

    Raises
    ------
    ValueError
        If a fraction is not above 0 and at most 1.
    """
    for fraction in fractions:
        if not 0 < fraction <= 1:
            raise ValueError(f"fraction is {fraction!r}; it must lie above 0 and at most at 1")
    # Half of a token must not depend on how the fraction rounds in binary.
    counts = [int(np.floor(np.round(fraction * removable, 9) + 0.5)) for fraction in fractions]
    return [count for count in counts if count >= FEWEST_REMOVED]


@checked_shapes
def comprehensiveness(
    full: Float[np.ndarray, " text"], without: Float[np.ndarray, "text fraction"]
) -> Float64[np.ndarray, " text"]:
    r"""Measure how much probability the predicted class loses without its most important tokens.

    .. math:: \frac{1}{|B|} \sum_{k \in B} p(\hat{y} \mid x) - p(\hat{y} \mid x \setminus r_k)

    DeYoung et al. (2020), *ERASER*, ACL, eq. 1, averaged over fractions :math:`k` (area over the
    perturbation curve), as the scoring code published with it does. High is faithful; below 0 if
    the class gains; nan where a probability is.

    Raises
    ------
    ValueError
        If something is no probability.
    """
    return _mean_drop(full, without)


@checked_shapes
def sufficiency(
    full: Float[np.ndarray, " text"], only: Float[np.ndarray, "text fraction"]
) -> Float64[np.ndarray, " text"]:
    r"""Measure how much probability the predicted class loses if only the top tokens are left.

    .. math:: \frac{1}{|B|} \sum_{k \in B} p(\hat{y} \mid x) - p(\hat{y} \mid r_k)

    DeYoung et al. (2020), eq. 2, averaged as in :func:`comprehensiveness`. Low is faithful.

    Raises
    ------
    ValueError
        If something is no probability.
    """
    return _mean_drop(full, only)


@checked_shapes
def normalised(
    values: Float64[np.ndarray, " order"], effect: float
) -> Float64[np.ndarray, " order"]:
    r"""Place every order of removal between the lowest and the highest of one text.

    .. math:: \frac{v - \min v}{\max v - \min v}

    Edin et al. (2025), *Normalized AOPC*, ACL: how far comprehensiveness can go at all depends on
    the model and the text, so values of two models are compared only between their limits. They
    search for the limits; here they are those of all orders that were tried, so give it good ones
    and bad ones. nan for a text whose limits lie less than ``effect`` apart, of which no order says
    anything.
    """
    apart = np.ptp(values)
    if not (apart > 0 and apart >= effect):  # nan as well
        return np.full(values.shape, np.nan)
    return np.asarray((values - values.min()) / apart)


def _mean_drop(
    full: Float[np.ndarray, " text"], remaining: Float[np.ndarray, "text fraction"]
) -> Float64[np.ndarray, " text"]:
    for probabilities in (full, remaining):
        wrong = probabilities[(probabilities < 0) | (probabilities > 1)]
        if wrong.size:
            raise ValueError(f"{wrong[0]:.6g} is given; probabilities lie between 0 and 1")
    return (full.astype(np.float64)[:, None] - remaining).mean(axis=-1)


# --- agreement ------------------------------------------------------------------------------------


@checked_shapes
def rank_correlation(
    a: Float[np.ndarray, "*#lists token"], b: Float[np.ndarray, "*#lists token"]
) -> Float64[np.ndarray, "*lists"]:
    """Spearman's rank correlation over tokens, right for ties: Pearson's of average ranks.

    Leading axes are broadcast, so every layer can be held against one score. nan for fewer than 3
    tokens, for a constant, and where a value is nan.
    """
    tokens = a.shape[-1]
    # Ranks are halves and their mean is known: a constant leaves exact zeros. On 40 by 40 scores of
    # a text scipy.stats.spearmanrho takes 15 times as long, for p that nobody reads.
    x, y = (rankdata(values, axis=-1) - (tokens + 1) / 2 for values in (a, b))
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    together = (x * y).sum(axis=-1)
    undefined = np.full(together.shape, np.nan)
    defined = (scale != 0) & (tokens >= SHORTEST)
    return np.asarray(np.clip(np.divide(together, scale, out=undefined, where=defined), -1, 1))


@checked_shapes
def evidence_auc(
    scores: Float[np.ndarray, "*methods token"], evidence: Bool[np.ndarray, " token"]
) -> tuple[Float64[np.ndarray, "*methods"], Float64[np.ndarray, "*methods"]]:
    """Tell how well scores of removable tokens find those known to decide the label, the evidence.

    Returns
    -------
    roc_auc
        Chance that a token of the evidence scores above another one, a tie counting one half; 0.5
        for knowing nothing.
    average_precision
        Mean over the tokens of the evidence of the precision at their score; the share of evidence
        in the text for knowing nothing.

    Both are nan where all or none of the tokens are evidence, or a score is nan.
    """
    marked, others = int(evidence.sum()), int((~evidence).sum())
    if marked == 0 or others == 0:
        nothing = np.full(scores.shape[:-1], np.nan)
        return nothing, nothing.copy()
    # scikit-learn takes one score at a time, and none that is nan. Rank sum of Mann and Whitney:
    # ranks within the evidence alone add up to marked (marked + 1) / 2.
    ranks = rankdata(scores, axis=-1)[..., evidence].sum(axis=-1)
    roc_auc = (ranks - marked * (marked + 1) / 2) / (marked * others)
    # Tokens that score as high or higher, in the text and in the evidence.
    reached = rankdata(-scores, method="max", axis=-1)[..., evidence]
    right = rankdata(-scores[..., evidence], method="max", axis=-1)
    return np.asarray(roc_auc), np.asarray((right / reached).mean(axis=-1))


@checked_shapes
def precision_at_one(
    scores: Float[np.ndarray, "*methods token"], wanted: Bool[np.ndarray, " token"]
) -> Float64[np.ndarray, "*methods"]:
    """Tell whether the token with the highest score is one of those that are wanted: 1 or 0.

    Of several with the highest score, the share that is wanted. nan where all or none of the tokens
    are wanted, or a score is nan.
    """
    if wanted.all() or not wanted.any():
        return np.full(scores.shape[:-1], np.nan)
    top = scores == scores.max(axis=-1, keepdims=True)
    undefined = np.isnan(scores).any(axis=-1)
    share = (top & wanted).sum(axis=-1) / np.maximum(top.sum(axis=-1), 1)
    return np.asarray(np.where(undefined, np.nan, share))
