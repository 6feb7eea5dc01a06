"""Flow with a log barrier: its value, what is conserved, symmetry, and where it is best."""

import numpy as np
import pytest
from random_layers import stochastic

from attention_mixing.methods.barrier_flow import barrier_flow
from attention_mixing.methods.flow import attention_flow

GRAPHS = {
    "one layer": stochastic((1, 5, 5)),
    "random": stochastic((3, 6, 6), seed=1),
    "peaked": stochastic((3, 6, 6), seed=2, concentration=0.05),
    "causal": np.tril(stochastic((4, 5, 5), seed=3)),
    "one-hot": np.eye(5)[np.random.default_rng(4).integers(5, size=(3, 5))],
    "large": 1e3 * stochastic((2, 5, 5), seed=5),
    "all but nothing": stochastic((2, 4, 4), seed=6) + 1e-30,
}
graphs = pytest.mark.parametrize("capacity", GRAPHS.values(), ids=GRAPHS)


@graphs
def test_the_flow_to_a_token_tends_to_the_maximum_as_the_barrier_vanishes(capacity):
    exact = attention_flow(capacity).values
    most = capacity[-1].sum(axis=1)
    for source, target in ((0, 0), (1, 3), (3, 1)):
        apart = []
        for gap in (1e-1, 1e-3, 1e-6):
            flow = barrier_flow(capacity, source, targets=np.array([target]), gap=gap)
            missing = (exact[source, target] - flow.value) / most[source]
            assert -1e-12 <= missing <= gap
            apart.append(missing)
        assert apart == sorted(apart, reverse=True)


@graphs
def test_as_much_leaves_every_token_in_between_as_enters_it(capacity):
    flow = barrier_flow(capacity, 2)
    entering, leaving = flow.arcs[1:].sum(axis=1), flow.arcs[:-1].sum(axis=2)
    np.testing.assert_allclose(leaving, entering, atol=1e-12 * capacity.max())
    assert flow.scores.sum() == pytest.approx(flow.value)
    # Nothing starts anywhere else, and every arc that can be used is, but none of it in full.
    assert not np.delete(flow.arcs[-1], 2, axis=0).any()
    used = flow.arcs > 0
    assert (flow.arcs[used] < capacity[used]).all()
    assert (used[-1, 2] == (capacity[-1, 2] > 1e-12 * capacity.max())).all()


def test_to_all_tokens_together_all_runs_that_may_leave_the_source():
    capacity = stochastic((3, 6, 6), seed=7)
    assert barrier_flow(capacity, 4, gap=1e-6).value == pytest.approx(1, abs=1e-6)


def test_tokens_in_another_order_have_the_same_flow():
    capacity, order = stochastic((3, 5, 5), seed=8), np.array([3, 0, 4, 1, 2])
    moved = barrier_flow(capacity[:, order][:, :, order], 1)
    arcs = barrier_flow(capacity, int(order[1])).arcs
    np.testing.assert_allclose(moved.arcs, arcs[:, order][:, :, order], atol=1e-9)


def test_a_symmetric_graph_has_a_symmetric_flow():
    """Tokens 1 and 2 change places, from a source that stays: of many maximum flows, the one."""
    capacity, swapped = stochastic((3, 4, 4), seed=9), np.array([0, 2, 1, 3])
    capacity = (capacity + capacity[:, swapped][:, :, swapped]) / 2
    arcs = barrier_flow(capacity, 0).arcs
    np.testing.assert_allclose(arcs, arcs[:, swapped][:, :, swapped], atol=1e-9)


def test_scaling_all_capacities_scales_the_flow():
    capacity = stochastic((3, 5, 5), seed=10)
    arcs = barrier_flow(capacity, 0).arcs
    np.testing.assert_allclose(barrier_flow(8 * capacity, 0).arcs, 8 * arcs, rtol=1e-8)


def test_of_single_arcs_it_is_as_solved_by_hand():
    """Of one layer, each arc is the root of 1 + mu / f = mu / (u - f), with m = 2 arcs."""
    widths, gap = np.array([0.25, 0.75]), 0.4
    mu = gap / 4
    expected = ((widths - 2 * mu) + np.sqrt((widths - 2 * mu) ** 2 + 4 * mu * widths)) / 2
    flow = barrier_flow(np.array([[widths, widths]]), 1, gap=gap)
    np.testing.assert_allclose(flow.scores, expected, atol=1e-9)


def test_no_other_flow_is_better_behind_the_barrier():
    capacity, gap = stochastic((2, 3, 3), seed=11), 0.2
    flow = barrier_flow(capacity, 0, gap=gap)
    used = flow.arcs > 0
    mu = gap / (2 * used.sum())

    def worth(arcs):
        f, u = arcs[used], capacity[used]
        return arcs[-1].sum() + mu * np.log(f * (u - f)).sum()

    rng, best = np.random.default_rng(0), worth(flow.arcs)
    for _ in range(50):
        # Any change that is conserved: along ways from the source, of either sign.
        change = np.zeros_like(capacity)
        for upper, lower in np.ndindex(3, 3):
            amount = 1e-3 * rng.normal()
            change[1, 0, upper] += amount
            change[0, upper, lower] += amount
        assert worth(flow.arcs + change) < best


def test_where_no_way_leads_nothing_runs():
    capacity = np.zeros((2, 3, 3))
    capacity[1, 0, 1] = capacity[0, 2, 0] = 1  # a way down to token 1, and none from there
    assert not barrier_flow(capacity, 0).arcs.any()
    assert not barrier_flow(np.zeros((1, 2, 2)), 0).arcs.any()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"source": 3}, r"token 3 is no source or target; the text has tokens 0 to 2"),
        ({"source": 0, "targets": np.array([-1])}, "token -1 is no source or target"),
        ({"source": 0, "gap": 0.0}, r"gap is 0\.0; it must be above 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        barrier_flow(stochastic((2, 3, 3)), **asked)


def test_negative_capacities_are_refused():
    with pytest.raises(ValueError, match="capacities"):
        barrier_flow(-stochastic((2, 3, 3)), 0)
