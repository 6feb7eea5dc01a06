r"""How much of a vector depends on other tokens, by what changes it when tokens are replaced.

One token of a text at a time is replaced, by several others in turn, and the text is read anew.
With :math:`\Delta_{ij}^{(t)}` by how much the vector of token :math:`i` moves when replacement
:math:`t` stands in the place of token :math:`j`, and :math:`\langle\cdot\rangle_t` the mean over
replacements, the effect of :math:`j` on :math:`i` and its share are

.. math:: E_{ij} = \bigl\langle \lVert \Delta_{ij}^{(t)} \rVert^2 \bigr\rangle_t
    - (1 - \kappa)\, \bigl\lVert \langle \Delta_{ij}^{(t)} \rangle_t \bigr\rVert^2,
    \qquad s_{ij} = \frac{E_{ij}}{\sum_k E_{ik}} .

But for a factor that all tokens have in common this is the variance of the vector while all else is
fixed and :math:`j` is itself in a part :math:`\kappa` of the texts and one of its replacements in
the others: the total sensitivity index of :math:`j` (Homma and Saltelli 1996, *Importance measures
in global sensitivity analysis of nonlinear models*), around one text. With :math:`\kappa = 1` it is
the mean squared change. The *dependence* of :math:`i` on others is :math:`1 - s_{ii}`.

Nothing of this knows of attention, so that measures of attention can be held against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.faithfulness import rank_correlation
from attention_mixing.methods.shapes import checked_shapes

Effects = Float[np.ndarray, "*axes query token"]
Rows = Float[np.ndarray, "*axes query"]
# What differs by less, beside the largest of a row, is a tie: arrays are captured in float32.
TIED = 5


@dataclass(frozen=True)
class Changes:
    r"""By how much vectors change when tokens are replaced.

    Attributes
    ----------
    squared
        :math:`\langle \lVert \Delta \rVert^2 \rangle`, mean over replacements of the squared
        length of the change, ``[..., query, token]``.
    of_mean
        :math:`\lVert \langle \Delta \rangle \rVert^2`, squared length of the mean change,
        ``[..., query, token]``.
    """

    squared: Effects
    of_mean: Effects

    def effects(self, kept: float = 1.0) -> Effects:
        r"""Compute the effect of each token on each vector.

        Parameters
        ----------
        kept
            :math:`\kappa`, in which part of the texts a token is itself, 0 to 1:
            :func:`kept_among_neighbours`, as of what circuits truly depend on, or 1.

        Returns
        -------
        Effects
            ``[..., query, token]``, of the unit of the vectors, squared.

        Raises
        ------
        ValueError
            If ``kept`` is not between 0 and 1.
        """
        if not 0 <= kept <= 1:
            raise ValueError(f"kept is {kept}; it must be between 0 and 1")
        return self.squared - (1 - kept) * self.of_mean

    def shares(self, kept: float = 1.0) -> Effects:
        """Return :func:`effect_shares` of :meth:`effects`.

        Parameters
        ----------
        kept
            As in :meth:`effects`.
        """
        return effect_shares(self.effects(kept))

    def dependence(self, kept: float = 1.0) -> Rows:
        """Return :func:`dependence` of :meth:`shares`.

        Parameters
        ----------
        kept
            As in :meth:`effects`.
        """
        return dependence(self.shares(kept))


def kept_among_neighbours(tokens: int, replacements: int) -> float:
    r"""Compute in which part of a text and its neighbours one token is itself.

    Neighbours differ from the text in one token: with :math:`n` tokens of :math:`r` replacements
    each, :math:`\kappa = 1 - r / (1 + n r)`, as in what circuits truly depend on.

    Parameters
    ----------
    tokens
        That are replaced, one at a time.
    replacements
        Of each.

    Returns
    -------
    float
        For :meth:`Changes.effects`.
    """
    return 1 - replacements / (1 + tokens * replacements)


@checked_shapes
def effect_shares(effects: Effects) -> Effects:
    """Divide the effects on each vector by their sum.

    Returns
    -------
    Effects
        Rows sum to 1, or are not numbers where nothing has an effect.
    """
    with np.errstate(invalid="ignore"):
        return effects / effects.sum(axis=-1, keepdims=True)


@checked_shapes
def dependence(shares: Effects) -> Rows:
    """Return the share of each vector that depends on other tokens, 0 to 1.

    Parameters
    ----------
    shares
        As of :func:`effect_shares`; the queries are the last of the tokens, as those of a decoder
        that looks at a source are behind its tokens.

    Raises
    ------
    ValueError
        If there are more queries than tokens.
    """
    return 1 - _own(shares)


@checked_shapes
def beside_truth(shares: Effects, true: Float[np.ndarray, "*#axes query token"]) -> dict[str, Rows]:
    r"""Hold what a measure shares out against what is truly depended on.

    Parameters
    ----------
    shares
        Of a measure, rows summing to 1, or not numbers; the queries are the last of the tokens, as
        in :func:`dependence`.
    true
        As of :func:`effect_shares`.

    Returns
    -------
    dict
        Of every row ``total_variation``, :math:`\frac12 \sum_j |m_{ij} - s_{ij}|`, and
        ``rank_correlation`` (Spearman) with the true shares; ``mixing_error``, how far the share of
        other tokens is from the true one, absolute, and ``mixing_error_lengths`` from one that
        shares out standard deviations instead of variances, as norms share out lengths.

    Raises
    ------
    ValueError
        If there are more queries than tokens.
    """
    deviations = np.sqrt(true)
    lengths = deviations / deviations.sum(axis=-1, keepdims=True)
    return {
        "total_variation": np.abs(shares - true).sum(axis=-1) / 2,
        "rank_correlation": rank_correlation(with_ties(shares), np.round(true, TIED)),
        "mixing_error": np.abs(_own(shares) - _own(true)),
        "mixing_error_lengths": np.abs(_own(shares) - _own(lengths)),
    }


@checked_shapes
def with_ties(shares: Effects) -> Effects:
    """Divide rows by their largest entry and round, so that what differs by rounding is tied."""
    return np.round(shares / shares.max(axis=-1, keepdims=True), TIED)


def _own(shares: Effects) -> Rows:
    """Take the share of each query in itself; the queries are the last of the tokens."""
    queries, tokens = shares.shape[-2:]
    if queries > tokens:
        raise ValueError(
            f"there are {queries} queries and {tokens} tokens, the last of which they are"
        )
    return np.diagonal(shares, offset=tokens - queries, axis1=-2, axis2=-1)
