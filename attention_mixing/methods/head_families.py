r"""Families of attention heads by rule.

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
the others (:mod:`attention_mixing.methods.head_descriptors`) and says how much of the attention the
pattern holds beyond chance; a family is what holds half of it. On trained models that half is a
convention: many maps have a preferred column and something else beside it, and the share of
``heterogeneous`` maps grows with what is asked for. Where the family is known, on maps that are
made so, rules and clusters of the descriptors
:data:`attention_mixing.methods.head_descriptors.SHAPE` find it, as the tests hold them to.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Shaped

from attention_mixing.methods.head_descriptors import DESCRIPTORS
from attention_mixing.methods.shapes import checked_shapes

Descriptors = Float[np.ndarray, "*map descriptor"]

FAMILIES = ("vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous")
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


@checked_shapes
def family(descriptors: Descriptors, majority: float = MAJORITY) -> Shaped[np.ndarray, "*map"]:
    """Family of each map by rule.

    ``block``, if ``block`` is at least :data:`BLOCK` and the largest of the three patterns. Else,
    if ``vertical`` and ``diagonal`` sum to at least ``majority``, ``vertical+diagonal`` if each
    is at least :data:`PART`, and the larger one if not. Else ``heterogeneous``.

    Descriptors are of single maps or averaged over texts, in the order of
    :data:`attention_mixing.methods.head_descriptors.DESCRIPTORS`; each name is one of
    :data:`FAMILIES`.

    Raises
    ------
    ValueError
        If a descriptor is not finite.
    """
    by_name = _by_name(descriptors)
    vertical, diagonal, block = (by_name[name] for name in PATTERNS)
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


@checked_shapes
def roles(descriptors: Descriptors) -> Bool[np.ndarray, "*map role"]:
    """Say what a head does by the thresholds of Clark et al. (2019): several roles or none.

    ``broad``: a mean entropy above :data:`BROAD_ENTROPY`, which texts of fewer than 45 tokens
    cannot reach; ``broad_relative``: a mean relative entropy above :data:`BROAD_SHARE`.
    ``previous`` and ``next``: more than :data:`POSITION_SHARE` on the token before or after.
    ``cls``, ``sep`` and ``punctuation``: more than :data:`TOKEN_SHARE` on them. In the order of
    :data:`ROLES`; Clark et al. average descriptors over texts first.

    Raises
    ------
    ValueError
        If a descriptor is not finite.
    """
    by_name = _by_name(descriptors)
    tokens = [by_name[name] > TOKEN_SHARE for name in ("cls", "sep", "punctuation")]
    positions = [by_name[name] > POSITION_SHARE for name in ("previous", "next")]
    broad = by_name["entropy"] > BROAD_ENTROPY, by_name["relative_entropy"] > BROAD_SHARE
    return np.stack([*broad, *positions, *tokens], axis=-1)


def _by_name(descriptors: Descriptors) -> dict[str, Float[np.ndarray, "*map"]]:
    if not np.isfinite(descriptors).all():
        raise ValueError("a descriptor is not finite")
    return dict(zip(DESCRIPTORS, np.moveaxis(descriptors, -1, 0), strict=True))
