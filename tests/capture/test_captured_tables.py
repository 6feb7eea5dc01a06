"""What is noted of captured texts."""

import numpy as np
import pytest

from attention_mixing.capture.tables import sight


@pytest.mark.parametrize(
    ("layers", "named"),
    [
        ([(9, 9)], {"all"}),
        ([(9, 0)], {"earlier"}),
        ([(2, 2)], {"window"}),
        ([(2, 0)], {"earlier_window"}),
        ([(9, 0), (2, 0)], {"earlier", "earlier_window"}),
    ],
)
def test_what_queries_see_is_named(layers, named):
    """By how many keys before and after itself each query of a layer sees."""
    place = np.arange(6)[:, None] - np.arange(6)
    visible = np.stack([(-after <= place) & (place <= before) for before, after in layers])
    assert sight(visible) == named
