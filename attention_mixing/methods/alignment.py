r"""Word alignment: which word of a source a word of its translation stands for.

Links are read off scores of pairs, each word of the target being linked to the word of the source
that has its largest score, and compared with those that are known: *sure* ones :math:`S`, which
should be found, and *possible* ones :math:`P \supseteq S`, which may be,

.. math:: \mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|} .

Och and Ney (2003), *A Systematic Comparison of Various Statistical Alignment Models*,
Computational Linguistics 29. A row of a decoder is given one word and tells the next, so that links
can be read at the row that tells a word, or at that which is given it, one step later (Chen, Liu,
Chen, Jiang and Liu 2020, *Accurate Word Alignment Induction from Neural Machine Translation*,
EMNLP).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from attention_mixing.methods.shapes import checked_shapes

Links = Bool[np.ndarray, "target source"]


class LinkAgreement(NamedTuple):
    """How links that were found agree with those that are known.

    Attributes
    ----------
    error
        The error rate, 0 if all sure links and none but possible ones are found.
    precision, recall
        Share of the links found that are possible, and of the sure ones that are found.
    """

    error: float
    precision: float
    recall: float


@checked_shapes
def linked(scores: Float[np.ndarray, "target source"]) -> Links:
    """Link each word of the target to the word of the source with the largest score.

    The first of several that are equally large; none where no score is above 0.
    """
    links = np.zeros(scores.shape, bool)
    rows = np.arange(len(scores))
    links[rows, scores.argmax(axis=1)] = scores.max(axis=1) > 0
    return links


@checked_shapes
def alignment(found: Links, sure: Links, possible: Links) -> LinkAgreement:
    """Compare links with those that are known.

    Raises
    ------
    ValueError
        If there is no sure link, or one of them is not possible.
    """
    if not sure.any() or (sure & ~possible).any():
        raise ValueError("there must be sure links, all of which are possible")
    right, hit, count = (found & possible).sum(), (found & sure).sum(), found.sum()
    return LinkAgreement(
        float(1 - (hit + right) / (count + sure.sum())),
        float(right / count) if count else float("nan"),
        float(hit / sure.sum()),
    )
