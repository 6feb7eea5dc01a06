r"""Layer normalisation, taken apart: linear once its divisor is known.

It sends a part :math:`y` of its input to :math:`(y - \operatorname{mean}(y)) / s \odot \gamma`,
:math:`s` being the standard deviation of the whole input. The bias belongs to no part.
"""

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from analysis.methods.shapes import checked_shapes
from analysis.methods.vectors import finite
from analysis.methods.weights import LayerNorm

Rows = Float[np.ndarray, "*axes model_dim"]


@checked_shapes
def layer_norm_numerator(rows: Rows, weight: Float[np.ndarray, " model_dim"]) -> Rows:
    r"""Centre and weight parts of the input, :math:`(y - \operatorname{mean}(y)) \odot \gamma`."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    centred *= weight
    return centred


@checked_shapes
def layer_norm_divisor(
    rows: Float[np.ndarray, "*axes token model_dim"], eps: float
) -> Float[np.ndarray, "*axes token"]:
    """Return the standard deviation that a layer normalisation divides by, :math:`s_i`.

    Of the whole input, biases included; ``eps`` is added to the variance.

    Raises
    ------
    ValueError
        If ``eps`` is 0 and the input of a token constant.
    """
    variance = rows.var(axis=-1)
    if eps == 0 and (variance == 0).any():
        token = int(np.argwhere(variance == 0)[0, -1])
        raise ValueError(f"the input of the layer normalisation is constant at token {token}")
    return np.sqrt(variance + np.asarray(eps, rows.dtype))


def checked_layer_norm(given: LayerNorm, dtype: DTypeLike) -> LayerNorm:
    """Take a layer normalisation; its bias, which belongs to no part, as it is.

    Raises
    ------
    ValueError
        If the weight is not finite, or epsilon is negative or not finite.
    """
    if not 0 <= given.eps < np.inf:
        raise ValueError(f"layer_norm has epsilon {given.eps!r}; it must be finite, >= 0")
    return given._replace(weight=finite("layer_norm weight", given.weight, dtype))
