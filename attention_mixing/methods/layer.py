r"""What layers and heads consist of: linear maps, normalisations, and residual connections.

A normalisation is taken apart,

.. math:: N(u) = \frac{c(u)}{s(u)} \odot \gamma + \beta, \qquad
    s(u) = \sqrt{\operatorname{mean}(c(u)^2) + \varepsilon},

:math:`c` subtracting the mean (layer normalisation, Ba et al. 2016) or nothing (root mean square,
Zhang and Sennrich 2019). It is linear once its divisor is known: with that of the whole input it
sends a part :math:`y` of it to :math:`c(y) / s \odot \gamma`; the offset :math:`\beta` belongs to
no part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64
from numpy.typing import DTypeLike

from attention_mixing.methods.arrays import finite
from attention_mixing.methods.shapes import checked_shapes

Rows = Float[np.ndarray, "*axes model_dim"]
Tokens = Float[np.ndarray, "*axes token model_dim"]


class Linear(NamedTuple):
    """Linear map, ``y = x @ weight + bias``.

    Attributes
    ----------
    weight
        The transpose of a torch ``Linear.weight``.
    bias
        What is added.
    """

    weight: Float[np.ndarray, "in_dim out_dim"]
    bias: Float[np.ndarray, " out_dim"]


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
    centring: bool = True


class Residual(NamedTuple):
    r"""How a step :math:`f`, an attention or a network, joins the stream :math:`x` of a token.

    .. math:: \mathrm{after}(x + \alpha \odot \mathrm{of\_output}(f(\mathrm{before}(x))))

    BERT has a normalisation ``after``, GPT-2 and Llama ``before``, Gemma 2 ``before`` and
    ``of_output``, OLMo 2 ``of_output``. What is None is left out.

    Attributes
    ----------
    before, of_output, after
        Normalisations.
    scale
        :math:`\alpha`, a number or one for every coordinate.
    """

    before: Norm | None = None
    of_output: Norm | None = None
    after: Norm | None = None
    scale: float | Float[np.ndarray, " model_dim"] = 1.0


class Classifier(NamedTuple):
    """Head on one token, ``output(activation(dense(norm(x))))`` of its last representation.

    BERT has no normalisation there, GPT-2 no ``dense`` and no activation; what is None is left out.

    Attributes
    ----------
    norm
        Normalisation of the representation.
    dense
        Linear map before the activation.
    activation
        Its name.
    output
        Linear map to the logits.
    """

    norm: Norm | None
    dense: Linear | None
    activation: str | None
    output: Linear


@checked_shapes
def norm_numerator(rows: Rows, norm: Norm | None) -> Rows:
    r"""Apply a normalisation but for its divisor to parts of its input, :math:`c(y) \odot \gamma`.

    None leaves them as they are.

    Parameters
    ----------
    rows
        Parts of the input of the normalisation, which is linear but for its divisor.
    norm
        Whose gain and centring are applied.
    """
    if norm is None:
        return rows
    if not norm.centring:
        return rows * norm.gain
    centred = rows - rows.mean(axis=-1, keepdims=True)
    centred *= norm.gain
    return centred


@checked_shapes
def norm_divisor(rows: Tokens, norm: Norm | None) -> Float[np.ndarray, "*axes token"]:
    """Return what a normalisation divides each token by, :math:`s_i`; 1 for None.

    Of the whole input, biases included.

    Parameters
    ----------
    rows
        The whole input, by token.
    norm
        What normalises it.

    Raises
    ------
    ValueError
        If epsilon is 0 and there is nothing to divide at a token.
    """
    if norm is None:
        return np.ones_like(rows[..., 0])
    square = rows.var(axis=-1) if norm.centring else (rows**2).mean(axis=-1)
    if norm.eps == 0 and (square == 0).any():
        token = int(np.argwhere(square == 0)[0, -1])
        what = "constant" if norm.centring else "zero"
        raise ValueError(f"the input of the normalisation is {what} at token {token}")
    return np.sqrt(square + np.asarray(norm.eps, rows.dtype))


@checked_shapes
def apply_norm(rows: Tokens, norm: Norm | None) -> Tokens:
    """Normalise each token; None leaves them as they are.

    Parameters
    ----------
    rows
        The whole input, by token.
    norm
        What normalises it.
    """
    if norm is None:
        return rows
    result = norm_numerator(rows, norm)
    result /= norm_divisor(rows, norm)[..., None]
    result += norm.offset
    return result


@checked_shapes
def after_norm(
    norm: Norm, weight: Float[np.ndarray, "model_dim out"]
) -> Float[np.ndarray, "model_dim out"]:
    r"""Join a normalisation, but for its divisor, and the matrix that takes what it gives.

    .. math:: c(y) \odot \gamma \; W = y\, W', \qquad W' = C \operatorname{diag}(\gamma)\, W

    with :math:`C` the matrix that subtracts the mean.

    Parameters
    ----------
    norm
        The normalisation.
    weight
        Matrix that its output is multiplied with.

    Returns
    -------
    joined
        Matrix :math:`W'`, for inputs that are not normalised but divided.
    """
    joined = norm.gain[:, None] * weight
    return joined - joined.mean(axis=0) if norm.centring else joined


@checked_shapes
def add_residual(
    stream: Float[np.ndarray, "token model"],
    output: Float[np.ndarray, "token model"],
    residual: Residual,
) -> Float64[np.ndarray, "token model"]:
    """Add what a step made of the stream to it, with its normalisations.

    Parameters
    ----------
    stream
        What the step read.
    output
        What it made of that, neither normalised nor scaled.
    residual
        Scale and normalisations of the connection.
    """
    added = residual.scale * apply_norm(output.astype(np.float64), residual.of_output)
    return apply_norm(stream + added, residual.after)


def checked_residual(residual: Residual, dtype: DTypeLike) -> Residual:
    """Take a residual connection in a precision.

    Parameters
    ----------
    residual
        As a model has it.
    dtype
        Precision of its arrays.

    Raises
    ------
    ValueError
        If something of it is not finite, or an epsilon is negative.
    """
    before, of_output, after, scale = residual
    return Residual(
        checked_norm(before, dtype),
        checked_norm(of_output, dtype),
        checked_norm(after, dtype),
        finite("scale", scale, dtype) if isinstance(scale, np.ndarray) else scale,
    )


def checked_norm(norm: Norm | None, dtype: DTypeLike) -> Norm | None:
    """Take a normalisation in a precision; raises as :func:`checked_residual` does.

    Parameters
    ----------
    norm
        As a model has it; None stays None.
    dtype
        Precision of gain and offset.
    """
    if norm is None:
        return None
    if not 0 <= norm.eps < np.inf:
        raise ValueError(f"the normalisation has epsilon {norm.eps!r}; it must be finite, >= 0")
    gain = finite("gain of the normalisation", norm.gain, dtype)
    offset = finite("offset of the normalisation", norm.offset, dtype)
    return norm._replace(gain=gain, offset=offset)
