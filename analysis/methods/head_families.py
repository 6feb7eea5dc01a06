r"""Families of attention heads by rule, and maps whose family is known because they were made so.

Kovaleva et al. (2019), *Revealing the Dark Secrets of BERT*, EMNLP, section 4.1, sort maps by eye
into five families, and state no rule:

======================  ============================================================================
``vertical``            whatever the query, the same few keys, such as [CLS] and [SEP]
``diagonal``            each token attends to itself, the one before or the one after
``vertical+diagonal``   both
``block``               tokens attend to their own sentence
``heterogeneous``       nothing of these
======================  ============================================================================

The rules of :func:`family` are this project's own. Each pattern has a descriptor that is blind to
the others (:mod:`analysis.methods.heads`) and says how much of the attention the pattern holds
beyond chance; a family is what holds half of it. On trained models that half is a convention: many
maps have a preferred column and something else beside it, and the share of ``heterogeneous`` maps
grows with what is asked for. Where the family is known, on :func:`synthetic_heads`, rules and
clusters of the descriptors :data:`analysis.methods.heads.SHAPE` find it, as the tests hold them to.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Shaped

from analysis.methods.heads import DESCRIPTORS

Descriptors = Float[np.ndarray, "*map descriptor"]
Square = Float[np.ndarray, "token token"]
Family = Literal["vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous"]

FAMILIES: tuple[Family, ...] = get_args(Family)
# The descriptors that the rules look at.
PATTERNS = ("vertical", "diagonal", "block")
# Columns and diagonal make the family of a map in which they hold half of the attention beyond
# chance, together if each holds this part of it.
MAJORITY = 0.5
PART = 0.15
# What it could be instead, to see how far the families rest on it.
CUT_OFFS = (0.4, MAJORITY, 0.6)
# Even two perfect blocks hold no more than half beyond chance, and less in short texts, where a
# large part of a block is too near the diagonal to count.
BLOCK = 0.15

# Clark et al. (2019), *What Does BERT Look At?*, BlackboxNLP, figure 6; the values are in the
# notebook published with it. In nats, and in shares of the attention.
BROAD_ENTROPY = 3.8
# The same in parts of the largest entropy there is, for texts of another length: theirs have up to
# 128 tokens.
BROAD_SHARE = BROAD_ENTROPY / np.log(128)
POSITION_SHARE = 0.5
TOKEN_SHARE = 0.6
ROLES = ("broad", "broad_relative", "previous", "next", "cls", "sep", "punctuation")

# What synthetic maps vary over: how many columns; standard deviation of a diagonal, in tokens; how
# many blocks, and of how many tokens at least; the share of the columns beside a diagonal; the
# concentration of random rows, from a few keys to nearly all.
COLUMNS = (1, 3)
WIDTH = (0.2, 1.0)
BLOCKS = (2, 4)
BLOCK_TOKENS = 6
COLUMN_SHARE = (0.4, 0.6)
CONCENTRATION = (0.3, 3.0)


def family(descriptors: Descriptors, majority: float = MAJORITY) -> Shaped[np.ndarray, "*map"]:
    """Family of each map by rule.

    ``block``, if ``block`` is at least :data:`BLOCK` and the largest of the three patterns. Else,
    if ``vertical`` and ``diagonal`` sum to at least ``majority``, ``vertical+diagonal`` if each
    is at least :data:`PART`, and the larger one if not. Else ``heterogeneous``.

    Descriptors are of single maps or averaged over texts, in the order of
    :data:`analysis.methods.heads.DESCRIPTORS`; each name is one of :data:`FAMILIES`.
    """
    found = _by_name(descriptors)
    vertical, diagonal, block = (found[name] for name in PATTERNS)
    both = np.maximum(vertical, 0) + np.maximum(diagonal, 0) >= majority
    return np.select(
        [
            (block >= BLOCK) & (block > np.maximum(vertical, diagonal)),
            both & (np.minimum(vertical, diagonal) >= PART),
            both & (vertical > diagonal),
            both,
        ],
        ["block", "vertical+diagonal", "vertical", "diagonal"],
        "heterogeneous",
    )


def roles(descriptors: Descriptors) -> Bool[np.ndarray, "*map role"]:
    """Say what a head does by the thresholds of Clark et al. (2019): several roles or none.

    ``broad``: a mean entropy above :data:`BROAD_ENTROPY`, which texts of fewer than 45 tokens
    cannot reach; ``broad_relative``: a mean relative entropy above :data:`BROAD_SHARE`.
    ``previous`` and ``next``: more than :data:`POSITION_SHARE` on the token before or after.
    ``cls``, ``sep`` and ``punctuation``: more than :data:`TOKEN_SHARE` on them. In the order of
    :data:`ROLES`; Clark et al. average descriptors over texts first.
    """
    found = _by_name(descriptors)
    tokens = [found[name] > TOKEN_SHARE for name in ("cls", "sep", "punctuation")]
    positions = [found[name] > POSITION_SHARE for name in ("previous", "next")]
    broad = found["entropy"] > BROAD_ENTROPY, found["relative_entropy"] > BROAD_SHARE
    return np.stack([*broad, *positions, *tokens], axis=-1)


def synthetic_heads(
    family: Family, tokens: int, count: int, noise: float, seed: int
) -> Float[np.ndarray, "map query key"]:
    """Draw attention maps of one family.

    ``vertical``: one to three columns, the same in every row. ``diagonal``: a Gaussian around the
    token before, the token itself or the one after. ``vertical+diagonal``: about half of each.
    ``block``: two to four blocks of unequal size, uniform inside. ``heterogeneous``: independent
    Dirichlet rows.

    Parameters
    ----------
    family
        One of :data:`FAMILIES`.
    tokens
        Tokens of the text, at least two blocks of :data:`BLOCK_TOKENS`.
    count
        How many maps.
    noise
        Share of every row, 0 to 1, that is a Dirichlet row instead, uniform over all distributions.
    seed
        The same numbers give the same maps; families and lengths differ under one seed.

    Raises
    ------
    ValueError
        If the text is too short, or ``noise`` outside 0 to 1.
    """
    if tokens < 2 * BLOCK_TOKENS:
        raise ValueError(f"tokens is {tokens!r}; it must be at least {2 * BLOCK_TOKENS}")
    if not 0 <= noise <= 1:
        raise ValueError(f"noise is {noise!r}; it must lie between 0 and 1")
    rng = np.random.default_rng([seed, FAMILIES.index(family), tokens])
    maps = np.empty((count, tokens, tokens))
    for each in maps:
        each[:] = (1 - noise) * _clean(family, tokens, rng) + noise * _random(tokens, 1.0, rng)
    return maps


def _by_name(descriptors: Descriptors) -> dict[str, Float[np.ndarray, "*map"]]:
    if not np.isfinite(descriptors).all():
        raise ValueError("a descriptor is not finite")
    return dict(zip(DESCRIPTORS, np.moveaxis(descriptors, -1, 0), strict=True))


def _clean(family: Family, tokens: int, rng: np.random.Generator) -> Square:
    match family:
        case "vertical":
            return _columns(tokens, rng)
        case "diagonal":
            return _diagonal(tokens, rng)
        case "vertical+diagonal":
            share = rng.uniform(*COLUMN_SHARE)
            return share * _columns(tokens, rng) + (1 - share) * _diagonal(tokens, rng)
        case "block":
            return _blocks(tokens, rng)
        case "heterogeneous":
            return _random(tokens, rng.uniform(*CONCENTRATION), rng)


def _columns(tokens: int, rng: np.random.Generator) -> Square:
    keys = rng.choice(tokens, rng.integers(*COLUMNS, endpoint=True), replace=False)
    row = np.zeros(tokens)
    row[keys] = rng.dirichlet(np.full(len(keys), 5.0))  # unequal, but none close to 0
    return np.tile(row, (tokens, 1))


def _diagonal(tokens: int, rng: np.random.Generator) -> Square:
    token = np.arange(tokens)
    # The first token has none before it: it looks at itself.
    centre = np.clip(token + rng.integers(-1, 1, endpoint=True), 0, tokens - 1)
    weights = np.exp(-(((token - centre[:, None]) / rng.uniform(*WIDTH)) ** 2) / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _blocks(tokens: int, rng: np.random.Generator) -> Square:
    fewest, most = BLOCKS
    blocks = rng.integers(fewest, min(most, tokens // BLOCK_TOKENS), endpoint=True)
    spare = tokens - blocks * BLOCK_TOKENS
    cuts = np.sort(rng.integers(0, spare, blocks - 1, endpoint=True))
    sizes = np.diff(cuts, prepend=0, append=spare) + BLOCK_TOKENS
    block = np.repeat(np.arange(blocks), sizes)
    same = block[:, None] == block
    return same / same.sum(axis=1, keepdims=True)


def _random(tokens: int, concentration: float, rng: np.random.Generator) -> Square:
    return rng.dirichlet(np.full(tokens, concentration), size=tokens)
