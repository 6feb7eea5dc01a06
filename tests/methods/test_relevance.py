"""The weighting by hand; the two rules are held against sums over paths in shared properties."""

import numpy as np
import pytest

from attention_mixing.methods.relevance import gradient_weighted, relevance_rollout, relevance_sum

# --- weighting with the gradient ------------------------------------------------------------------


def test_each_sign_is_a_mean_over_heads_of_its_own():
    attention = np.array([[[[0.5, 0.5], [0.0, 1.0]], [[0.2, 0.8], [1.0, 0.0]]]])
    gradient = np.array([[[[2.0, -2.0], [7.0, 1.0]], [[-5.0, 1.0], [-4.0, 9.0]]]])
    # Products: head 0 [[1, -1], [0, 1]], head 1 [[-1, .8], [-4, 0]]; cut off before the mean.
    np.testing.assert_allclose(gradient_weighted(attention, gradient), [[[0.5, 0.4], [0, 0.5]]])
    np.testing.assert_allclose(
        gradient_weighted(attention, gradient, sign=-1), [[[0.5, 0.5], [2, 0]]]
    )


# --- bad input ------------------------------------------------------------------------------------

ONE = np.ones((1, 1, 2, 2))
STEEP = np.array([[[[1.0, 1.0], [1.0, np.inf]]]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gradient_weighted(ONE, ONE, sign=0), r"sign is 0; .*1 .*-1"),
        (lambda: gradient_weighted(np.nan * ONE, ONE), r"attention\[0, 0, 0, 0\] is nan"),
        (lambda: gradient_weighted(-ONE, ONE), r"attention\[0, 0, 0, 0\] is -1"),
        (lambda: gradient_weighted(ONE, STEEP), r"gradient\[0, 0, 1, 1\] is inf"),
        (lambda: relevance_sum(-ONE[0]), r"weighted\[0, 0, 0\] is -1"),
        (lambda: relevance_rollout(-ONE[0]), r"weighted\[0, 0, 0\] is -1"),
    ],
)
def test_what_is_no_attention_and_no_gradient_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
