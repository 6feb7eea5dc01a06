r"""What an attention map looks like, in numbers: descriptors of every head, and small images.

A map is one head's attention over one text, ``[query, key]``, without padding. The descriptors name
the patterns that Clark et al. (2019), *What Does BERT Look At?*, BlackboxNLP, section 3, and
Kovaleva et al. (2019), *Revealing the Dark Secrets of BERT*, EMNLP, section 4.1, describe in words:

====================  ==============================================================================
``entropy``           mean over queries of the entropy of their row, in nats; ``ln n`` if uniform
``relative_entropy``  the same divided by ``ln n`` or, where some keys are hidden, mean over
                      queries of the entropy divided by the largest that it can be: 0 to 1
``distance``          mean of ``|i - j| / (n - 1)``, weighted with attention: 0 to 1
``previous``          mean weight on the token before, over the queries that have one
``self``              mean weight on the token itself
``next``              mean weight on the token after, over the queries that have one
``cls``               share of all weight on [CLS]
``sep``               share on [SEP]
``special``           share on other special tokens
``punctuation``       share on punctuation
``diagonal``          share within the band ``|i - j| <= 1``, less the share that uniform attention
                      has there: 0 for uniform attention, nearly 1 on the band alone
``vertical``          share that would have to move to give all keys the same (Hoover index of the
                      column sums): 0 for uniform attention, ``1 - k / n`` on ``k`` columns evenly
``column``            largest mean of a column
``concentration``     Gini index of the column sums: 0 to ``1 - 1 / n``
``block``             share beyond the band that lies in contiguous blocks, less what the column
                      means would put there, for the best of all splits of the text into blocks:
                      0 to 1, in ``m`` equal blocks of a long text ``1 - 1 / m``
``maximum``           largest weight of the map
``confidence``        mean over queries of their largest weight (Voita et al. 2019, section 4)
====================  ==============================================================================

So ``vertical``, ``diagonal`` and ``block`` each see one pattern and are blind to the two others:
uniform rows have no column that stands out, equal rows no block, and a diagonal, which any chain of
tiny blocks would hold as well, does not count as one. All but ``entropy`` have the same range
whatever the length of the text.

Where some keys are hidden from some queries, as later ones are in a decoder, attention that is
uniform over what each query sees takes the place of uniform attention: maps lean to the left by
construction, which is no preference. ``vertical``, ``diagonal`` and ``block`` are 0 for it; the
share on the token after has no query and is 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float, Float64

from attention_mixing.methods.attention import ROW_SUM_TOLERANCE, check_rows
from attention_mixing.methods.shapes import checked_shapes

Maps = Float[np.ndarray, "*map token token"]  # [..., query, key]
OfTokens = Bool[np.ndarray, " token"]
Sight = Bool[np.ndarray, "token token"]  # [query, key]
Rows = Float64[np.ndarray, "block token token"]  # a few maps, every row summing to 1
Groups = Float64[np.ndarray, "token group"]

DESCRIPTORS = (
    "entropy",
    "relative_entropy",
    "distance",
    "previous",
    "self",
    "next",
    "cls",
    "sep",
    "special",
    "punctuation",
    "diagonal",
    "vertical",
    "column",
    "concentration",
    "block",
    "maximum",
    "confidence",
)
# Those that say what a map looks like, whatever the tokens are called, how many there are, and
# whether a diagonal is that of the token before or of the one after. Clusters of families are to be
# looked for in these: k-means on all descriptors may prefer to part diagonals by their offset.
SHAPE = (
    "relative_entropy",
    "distance",
    "diagonal",
    "vertical",
    "concentration",
    "block",
    "confidence",
)
# The smallest text in which a token has others that are not its neighbours.
FEWEST_TOKENS = 3
_GROUPS = ("cls", "sep", "special", "punctuation")
# Entries of maps worked on at a time: 256 kB in float64, which stays in a core's own cache.
_BLOCK = 2**15


@checked_shapes
def descriptors(
    attention: Maps,
    visible: Sight | None = None,
    *,
    cls: OfTokens | None = None,
    sep: OfTokens | None = None,
    special: OfTokens | None = None,
    punctuation: OfTokens | None = None,
) -> Float64[np.ndarray, "*map descriptor"]:
    """Describe every map of one text by :data:`DESCRIPTORS`.

    Parameters
    ----------
    attention
        Of one text, rows summing to 1, such as ``[layer, head, query, key]``. Rows are renormalised
        in float64.
    visible
        Which keys each query may see, of these maps; None for all.
    cls, sep
        True at the [CLS] tokens and at the [SEP] tokens, or whatever the model calls them. None if
        there is none.
    special
        True at every special token; those of ``cls`` and ``sep`` may be among them and are not
        counted a second time.
    punctuation
        True at tokens of punctuation.

    Returns
    -------
    NDArray[float64]
        In the order of :data:`DESCRIPTORS`. All finite.

    Raises
    ------
    ValueError
        If there are fewer than :data:`FEWEST_TOKENS` tokens, an entry is negative, infinite or not
        a number, a row does not sum to 1, or the masks overlap.
    """
    tokens = attention.shape[-1]
    if tokens < FEWEST_TOKENS:
        raise ValueError(
            f"attention has {tokens} token(s); descriptors need at least {FEWEST_TOKENS}"
        )
    groups = _groups(tokens, cls=cls, sep=sep, special=special, punctuation=punctuation)
    uniform = None
    if visible is not None and not visible.all():
        uniform = visible / visible.sum(axis=-1, keepdims=True)
    return _of_each(attention, lambda rows: _describe(rows, groups, uniform), len(DESCRIPTORS))


@checked_shapes
def kept_within(attention: Maps, tokens: OfTokens) -> Float64[np.ndarray, "*map"]:
    """Tell how much of their attention some tokens give to each other and to themselves.

    Parameters
    ----------
    attention
        As in :func:`descriptors`; one token is enough.
    tokens
        True at those that are meant, such as the [SEP] tokens.

    Returns
    -------
    NDArray[float64]
        0 to 1, the mean over these tokens; nan if there is none.

    Raises
    ------
    ValueError
        If the maps are not non-negative and row-stochastic.
    """

    def kept(rows: Rows) -> Float64[np.ndarray, " block"]:
        among = rows[:, tokens][:, :, tokens].sum(axis=-1)
        return among.mean(axis=-1) if tokens.any() else np.full(len(rows), np.nan)

    return _of_each(attention, kept)


@checked_shapes
def resized(attention: Maps, side: int) -> Float64[np.ndarray, "*map {side} {side}"]:
    """Scale each map to a largest weight of 1 and resize it to a square image.

    A pixel is the mean of the map over the pixel's area, exactly, whether it covers several weights
    or a part of one. The map is all there is: nothing is padded, and no row or column is scaled by
    itself.

    Parameters
    ----------
    attention
        As in :func:`descriptors`; one token is enough.
    side
        Pixels a side, at least 1.

    Returns
    -------
    NDArray[float64]
        0 to 1, queries from top to bottom.

    Raises
    ------
    ValueError
        If the maps are not non-negative and row-stochastic, or ``side`` is below 1.

    Examples
    --------
    >>> resized(np.array([[0.5, 0.5], [0.0, 1.0]]), 3)
    array([[0.5 , 0.5 , 0.5 ],
           [0.25, 0.5 , 0.75],
           [0.  , 0.5 , 1.  ]])
    """
    if side < 1:
        raise ValueError(f"side is {side!r}; an image has at least 1 pixel a side")
    area = _overlap(attention.shape[-1], side)
    return _of_each(
        attention,
        lambda rows: area @ (rows / rows.max(axis=(1, 2), keepdims=True)) @ area.T,
        side,
        side,
    )


def _of_each(
    attention: Maps, work: Callable[[Rows], Float64[np.ndarray, " block *of_map"]], *of_map: int
) -> Float64[np.ndarray, "*shape"]:
    """Do ``work`` with all maps, a few at a time: checked, in float64, every row summing to 1."""
    maps = attention.reshape(-1, *attention.shape[-2:])
    result = np.empty((len(maps), *of_map))
    step = max(1, _BLOCK // maps.shape[-1] ** 2)
    for start in range(0, len(maps), step):
        rows = maps[start : start + step].astype(np.float64)
        sums = rows.sum(axis=-1, keepdims=True)
        # Both are false for nan as well.
        if not (rows.min() >= 0 and np.abs(sums - 1).max() <= ROW_SUM_TOLERANCE):
            check_rows(attention.astype(np.float64))  # names the place among all maps
        result[start : start + step] = work(rows / sums)
    return result.reshape((*attention.shape[:-2], *of_map))


def _groups(tokens: int, **groups: OfTokens | None) -> Groups:
    """Tell disjoint groups of tokens: [CLS], [SEP], other special tokens, punctuation."""
    absent = np.zeros(tokens, bool)
    masks = {name: absent if mask is None else mask for name, mask in groups.items()}
    masks["special"] = masks["special"] & ~masks["cls"] & ~masks["sep"]
    several = np.flatnonzero(sum(mask.astype(int) for mask in masks.values()) > 1)
    if len(several):
        names = [name for name, mask in masks.items() if mask[several[0]]]
        raise ValueError(f"token {several[0]} is in {' and '.join(names)}; a token is in one group")
    return np.stack([masks[name] for name in _GROUPS], axis=1).astype(np.float64)


def _describe(
    rows: Rows, groups: Groups, uniform: Float64[np.ndarray, "token token"] | None
) -> Float64[np.ndarray, "block descriptor"]:
    """Describe maps; ``uniform`` is attention that is uniform over what is seen, None over all."""
    # numba takes half a second to import, and most that names descriptors computes none.
    from attention_mixing.methods.contiguous_blocks import best_splits

    tokens = rows.shape[-1]
    far = np.abs(np.subtract.outer(np.arange(tokens), np.arange(tokens)))
    # A weight of 0 is multiplied with a finite number, as 0 ln 0 = 0 asks for.
    logarithms = np.log(np.maximum(rows, np.finfo(float).tiny))
    entropy = -np.einsum("mij,mij->m", rows, logarithms) / tokens
    relative, by_chance = entropy / np.log(tokens), np.mean(far <= 1)
    expected, blocks_by_chance = np.full(tokens, 1 / tokens), 0.0
    if uniform is not None:
        largest_entropy = np.log(np.count_nonzero(uniform, axis=-1))
        chosen = largest_entropy > 0
        of_rows = -np.einsum("mij,mij->mi", rows, logarithms)
        relative = (of_rows[:, chosen] / largest_entropy[chosen]).sum(axis=-1)
        relative = relative / max(np.count_nonzero(chosen), 1)
        by_chance = np.where(far <= 1, uniform, 0).sum() / tokens
        expected = uniform.mean(axis=0)
        blocks_by_chance = best_splits(uniform[None], expected[None])[0]
    previous, itself, following = (
        np.diagonal(rows, offset, axis1=1, axis2=2).sum(axis=-1) for offset in (-1, 0, 1)
    )
    columns = rows.mean(axis=1)
    largest = rows.max(axis=-1)
    order = 2 * np.arange(1, tokens + 1) - tokens - 1
    values = {
        "entropy": entropy,
        "relative_entropy": relative,
        "distance": np.einsum("mij,ij->m", rows, far / (tokens * (tokens - 1))),
        "previous": previous / (tokens - 1),
        "self": itself / tokens,
        "next": following / (tokens - 1),
        **dict(zip(_GROUPS, (columns @ groups).T, strict=True)),
        "diagonal": (previous + itself + following) / tokens - by_chance,
        "vertical": np.maximum(columns - expected, 0).sum(axis=-1),
        "column": columns.max(axis=-1),
        "concentration": np.sort(columns, axis=-1) @ order / tokens,
        "block": np.maximum(best_splits(rows, columns) - blocks_by_chance, 0) / tokens,
        "maximum": largest.max(axis=-1),
        "confidence": largest.mean(axis=-1),
    }
    return np.stack([values[name] for name in DESCRIPTORS], axis=-1)


def _overlap(tokens: int, side: int) -> Float64[np.ndarray, "{side} {tokens}"]:
    """Share of a pixel's width that a token covers; rows sum to 1."""
    pixel = np.arange(side)[:, None] * tokens  # in units of a pixel's share of a token
    token = np.arange(tokens) * side
    width = np.minimum(pixel + tokens, token + side) - np.maximum(pixel, token)
    return np.maximum(width, 0) / tokens
