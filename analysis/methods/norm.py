r"""Normalisation of a vector, taken apart: linear once its divisor is known.

.. math:: N(u) = \frac{c(u)}{s(u)} \odot \gamma + \beta, \qquad
    s(u) = \sqrt{\operatorname{mean}(c(u)^2) + \varepsilon},

:math:`c` subtracting the mean (layer normalisation, Ba et al. 2016) or nothing (root mean square,
Zhang and Sennrich 2019). With the divisor of the whole input it sends a part :math:`y` of it to
:math:`c(y) / s \odot \gamma`; the offset :math:`\beta` belongs to no part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Norm(NamedTuple):
    """A normalisation.

    Attributes
    ----------
    gain, offset
        What is multiplied with, and added, coordinate by coordinate.
    eps
        Added to the mean square, not negative.
    centring
        Whether the mean is subtracted first.
    """

    gain: Float[np.ndarray, " model_dim"]
    offset: Float[np.ndarray, " model_dim"]
    eps: float
    centring: bool
