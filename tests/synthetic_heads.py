"""Attention maps whose family is known because they were made so."""

import numpy as np

from attention_mixing.methods.head_families import FAMILIES

# What synthetic maps vary over: how many columns; standard deviation of a diagonal, in tokens; how
# many blocks, and of how many tokens at least; the share of the columns beside a diagonal; the
# concentration of random rows, from a few keys to nearly all.
COLUMNS = (1, 3)
WIDTH = (0.2, 1.0)
BLOCKS = (2, 4)
BLOCK_TOKENS = 6
COLUMN_SHARE = (0.4, 0.6)
CONCENTRATION = (0.3, 3.0)


def synthetic_heads(family, tokens, count, noise, seed):
    """Draw attention maps of one family.

    ``vertical``: one to three columns, the same in every row. ``diagonal``: a Gaussian around the
    token before, the token itself or the one after. ``vertical+diagonal``: about half of each.
    ``block``: two to four blocks of unequal size, uniform inside. ``heterogeneous``: independent
    Dirichlet rows.

    ``noise`` is the share of every row that is a Dirichlet row instead, uniform over all
    distributions. Families and lengths differ under one seed; texts have at least two blocks of
    ``BLOCK_TOKENS``.
    """
    rng = np.random.default_rng([seed, FAMILIES.index(family), tokens])
    maps = np.empty((count, tokens, tokens))
    for each in maps:
        each[:] = (1 - noise) * _clean(family, tokens, rng) + noise * _random(tokens, 1.0, rng)
    return maps


def _clean(family, tokens, rng):
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


def _columns(tokens, rng):
    keys = rng.choice(tokens, rng.integers(*COLUMNS, endpoint=True), replace=False)
    row = np.zeros(tokens)
    row[keys] = rng.dirichlet(np.full(len(keys), 5.0))  # unequal, but none close to 0
    return np.tile(row, (tokens, 1))


def _diagonal(tokens, rng):
    token = np.arange(tokens)
    # The first token has none before it: it looks at itself.
    centre = np.clip(token + rng.integers(-1, 1, endpoint=True), 0, tokens - 1)
    weights = np.exp(-(((token - centre[:, None]) / rng.uniform(*WIDTH)) ** 2) / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _blocks(tokens, rng):
    fewest, most = BLOCKS
    blocks = rng.integers(fewest, min(most, tokens // BLOCK_TOKENS), endpoint=True)
    spare = tokens - blocks * BLOCK_TOKENS
    cuts = np.sort(rng.integers(0, spare, blocks - 1, endpoint=True))
    sizes = np.diff(cuts, prepend=0, append=spare) + BLOCK_TOKENS
    block = np.repeat(np.arange(blocks), sizes)
    same = block[:, None] == block
    return same / same.sum(axis=1, keepdims=True)


def _random(tokens, concentration, rng):
    return rng.dirichlet(np.full(tokens, concentration), size=tokens)
