"""Share out a change among parts that can each be made alone or together."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
from jaxtyping import Float

from attention_mixing.methods.shapes import checked_shapes


@checked_shapes
def shapley(values: Float[np.ndarray, " subset *axes"]) -> Float[np.ndarray, " part *axes"]:
    r"""Compute what each part does to a value, as a mean over the orders in which they are made.

    With :math:`v(S)` the value where the parts :math:`S` of :math:`n` have been made, the Shapley
    value (Shapley 1953, *A Value for n-Person Games*) of part :math:`i` is

    .. math:: \phi_i = \sum_{S \not\ni i} \frac{|S|!\,(n - |S| - 1)!}{n!}
        \bigl(v(S \cup \{i\}) - v(S)\bigr) .

    Parameters
    ----------
    values
        Of each subset of parts: that in which part ``i`` has been made if bit ``i`` of its number
        is set. There are as many as two to the power of the number of parts.

    Returns
    -------
    Float
        Of each part; they sum to the value where all have been made less that where none has.

    Raises
    ------
    ValueError
        If the number of values is no power of two above one.

    Examples
    --------
    >>> shapley(np.array([0.0, 1.0, 2.0, 5.0]))  # together they do two more than each alone
    array([2., 3.])
    """
    parts = len(values).bit_length() - 1
    if parts < 1 or len(values) != 2**parts:
        raise ValueError(f"there are {len(values)} values; it must be a power of two, at least 2")
    shares = np.zeros((parts, *values.shape[1:]))
    for part in range(parts):
        others = [other for other in range(parts) if other != part]
        for size in range(parts):
            weight = factorial(size) * factorial(parts - size - 1) / factorial(parts)
            for subset in combinations(others, size):
                before = sum(1 << other for other in subset)
                shares[part] += weight * (values[before | 1 << part] - values[before])
    return shares
