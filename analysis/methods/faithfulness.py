"""Does a score say which tokens the model used? Removal, rank correlation and planted evidence.

A *score* is one number a token, higher for more important. Special tokens are never judged: the
functions take ``removable``, or arrays from which special tokens were left out already. What is not
defined (the correlation with a constant, the AUC of a text that is evidence throughout) is nan and
not zero, so that a mean over texts has to say how many it left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

SHORTEST = 3  # Two values always correlate perfectly, if at all.


# --- removal --------------------------------------------------------------------------------------


def removal_order(scores: ArrayLike, removable: ArrayLike) -> NDArray[np.intp]:
    """Order the positions that may be removed, most important first.

    Tokens of equal score are taken from left to right, so a score that is constant removes the
    beginning of the text: the baseline for knowing nothing is a random score, not a uniform one.

    Parameters
    ----------
    scores
        ``[token]``.
    removable
        ``[token]``, False for special tokens.

    Returns
    -------
    NDArray[intp]
        Positions in the text, as many as are removable.

    Raises
    ------
    ValueError
        If the two differ in length, a score is not a number, or nothing is removable.
    """
    values = np.asarray(scores, dtype=np.float64)
    allowed = np.asarray(removable, dtype=bool)
    if values.shape != allowed.shape or values.ndim != 1:
        raise ValueError(
            f"scores has shape {values.shape} and removable {allowed.shape}; both must be [token]"
        )
    if np.isnan(values[allowed]).any():
        where = int(np.flatnonzero(np.isnan(values) & allowed)[0])
        raise ValueError(f"scores[{where}] is nan; every removable token needs a score")
    if not allowed.any():
        raise ValueError(f"none of {len(allowed)} tokens is removable; at least one must be")
    positions = np.flatnonzero(allowed)
    return positions[np.argsort(-values[positions], kind="stable")]


def top_positions(scores: ArrayLike, removable: ArrayLike, fraction: float) -> NDArray[np.intp]:
    """Positions of the most important tokens: a fraction of the removable ones, one at least.

    The count is the whole number nearest to the fraction (halves go up). DeYoung et al. (2020) take
    1, 5, 10, 20 and 50 %; in a short text the small fractions all mean one token.

    Parameters
    ----------
    scores, removable
        As in :func:`removal_order`.
    fraction
        Above 0, up to 1.

    Returns
    -------
    NDArray[intp]
        Positions in the text, most important first.

    Raises
    ------
    ValueError
        As :func:`removal_order`, and if ``fraction`` lies outside its bounds.
    """
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction is {fraction!r}; it must lie above 0 and at most at 1")
    order = removal_order(scores, removable)
    # Half of a token must not depend on how the fraction rounds in binary.
    count = int(np.floor(np.round(fraction * len(order), 9) + 0.5))
    return order[: max(1, count)]


def comprehensiveness(full: ArrayLike, without: ArrayLike) -> NDArray[np.float64]:
    r"""Measure how much probability the predicted class loses without its most important tokens.

    .. math:: \frac{1}{|B|} \sum_{k \in B} p(\hat{y} \mid x) - p(\hat{y} \mid x \setminus r_k)

    DeYoung et al. (2020), *ERASER*, ACL, eq. 1, averaged over fractions :math:`k` (area over the
    perturbation curve), as the scoring code published with it does. High is faithful; below 0 if
    the class gains.

    Parameters
    ----------
    full
        ``[...]``, probability of the class that is predicted for the whole text.
    without
        ``[..., fraction]``, of the same class after the top tokens were removed.

    Returns
    -------
    NDArray[float64]
        ``[...]``, -1 to 1; nan where a probability is.

    Raises
    ------
    ValueError
        If the shapes do not fit or something is no probability.
    """
    return _mean_drop("without", full, without)


def sufficiency(full: ArrayLike, only: ArrayLike) -> NDArray[np.float64]:
    r"""Measure how much probability the predicted class loses if only the top tokens are left.

    .. math:: \frac{1}{|B|} \sum_{k \in B} p(\hat{y} \mid x) - p(\hat{y} \mid r_k)

    DeYoung et al. (2020), *ERASER*, ACL, eq. 2, averaged as in :func:`comprehensiveness`. Low is
    faithful.

    Parameters
    ----------
    full
        ``[...]``, probability of the class that is predicted for the whole text.
    only
        ``[..., fraction]``, of the same class after all tokens but the top ones were removed.

    Returns
    -------
    NDArray[float64]
        ``[...]``, -1 to 1; nan where a probability is.

    Raises
    ------
    ValueError
        If the shapes do not fit or something is no probability.
    """
    return _mean_drop("only", full, only)


def _mean_drop(name: str, full: ArrayLike, left: ArrayLike) -> NDArray[np.float64]:
    whole = np.asarray(full, dtype=np.float64)
    parts = np.asarray(left, dtype=np.float64)
    if parts.ndim == 0 or parts.shape[:-1] != whole.shape or parts.shape[-1] == 0:
        raise ValueError(
            f"{name} has shape {parts.shape} and full {whole.shape}; allowed: the shape of full "
            "and one more axis, the fractions"
        )
    for given, array in (("full", whole), (name, parts)):
        if ((array < 0) | (array > 1)).any():
            wrong = array[(array < 0) | (array > 1)][0]
            raise ValueError(f"{given} holds {wrong:.6g}; probabilities lie between 0 and 1")
    return (whole[..., None] - parts).mean(axis=-1)


# --- agreement ------------------------------------------------------------------------------------


def rank_correlation(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Spearman's rank correlation over tokens, right for ties.

    Pearson's correlation of average ranks. The short formula ``1 - 6 Σd² / (n³ - n)`` is the same
    only if no two values tie.

    Parameters
    ----------
    a, b
        ``[..., token]``; leading axes are broadcast, so every layer can be held against one score.

    Returns
    -------
    NDArray[float64]
        ``[...]``, -1 to 1; nan for fewer than 3 tokens, for a constant, and where a value is nan.

    Raises
    ------
    ValueError
        If the two have not the same number of tokens.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim == 0 or second.ndim == 0 or first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"a has shape {first.shape} and b {second.shape}; both must be [..., token] with as "
            "many tokens"
        )
    tokens = first.shape[-1]
    if tokens < SHORTEST:
        return np.full(np.broadcast_shapes(first.shape[:-1], second.shape[:-1]), np.nan)
    # Ranks are halves and their mean is known: a constant leaves exact zeros.
    x, y = (rankdata(values, axis=-1) - (tokens + 1) / 2 for values in (first, second))
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    together = (x * y).sum(axis=-1)
    undefined = np.full(together.shape, np.nan)
    return np.clip(np.divide(together, scale, out=undefined, where=scale != 0), -1, 1)


def evidence_auc(
    scores: ArrayLike, evidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tell how well a score finds the tokens that are known to decide the label.

    Parameters
    ----------
    scores
        ``[..., token]``, removable tokens only.
    evidence
        ``[token]``, whether a token is evidence.

    Returns
    -------
    roc_auc : NDArray[float64]
        ``[...]``, chance that a token of the evidence scores above another one, a tie counting one
        half; 0.5 for knowing nothing.
    average_precision : NDArray[float64]
        ``[...]``, mean over the tokens of the evidence of the precision at their score; the share
        of evidence in the text for knowing nothing.

    Both are nan where all or none of the tokens are evidence, or a score is nan.

    Raises
    ------
    ValueError
        If the two have not the same number of tokens.
    """
    values, relevant = np.asarray(scores, dtype=np.float64), np.asarray(evidence, dtype=bool)
    if relevant.ndim != 1 or values.ndim == 0 or values.shape[-1] != len(relevant):
        raise ValueError(
            f"scores has shape {values.shape} and evidence {relevant.shape}; they must be "
            "[..., token] and [token] with as many tokens"
        )
    found, others = int(relevant.sum()), int((~relevant).sum())
    if found == 0 or others == 0:
        nothing = np.full(values.shape[:-1], np.nan)
        return nothing, nothing.copy()
    # Rank sum of Mann and Whitney: ranks within the evidence alone add up to found (found + 1) / 2.
    ranks = rankdata(values, axis=-1)[..., relevant].sum(axis=-1)
    roc_auc = (ranks - found * (found + 1) / 2) / (found * others)
    # Tokens that score as high or higher, in the text and in the evidence.
    reached = rankdata(-values, method="max", axis=-1)[..., relevant]
    right = rankdata(-values[..., relevant], method="max", axis=-1)
    return roc_auc, (right / reached).mean(axis=-1)
