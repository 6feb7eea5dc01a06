"""Flow against hand-solved graphs, closed forms, networkx, OR-tools, and its own certificate."""

import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ortools.graph.python.max_flow import SimpleMaxFlow
from random_layers import normalised, stochastic

from analysis.methods import maximum_flow
from analysis.methods.flow import attention_flow, integer_capacities
from analysis.methods.rollout import attention_rollout, with_residual


class MinimumCut(NamedTuple):
    """Certificate of a maximum flow: no flow is larger than a cut, and these two are equal.

    ``source_side``, ``[layer, token]``, has the nodes on the source's side, layer 1 first; input
    tokens are on the other. ``unit`` is what one unit is worth, a power of two.
    """

    flow: int
    capacity: int
    source_side: np.ndarray
    unit: float


def minimum_cut(capacities, source, target):
    """Solve one pair from the last layer and prove it.

    The flow is augmented until a search up from the input token no longer meets the source. The
    nodes that it did not meet are the source's side of the cut; what leaves them is counted afresh
    from the capacities.
    """
    capacity, exponent = integer_capacities(capacities)
    depth, tokens, _ = capacity.shape
    source_side = np.zeros((depth, tokens), bool)
    source_side[-1, source] = True
    flow = int(capacity[0, source, target])
    if depth > 1:
        graph = maximum_flow.network(capacity)
        flow = int(maximum_flow.solve(graph, depth - 1, source, target, maximum_flow.LARGEST_SUM))
        bits = graph.unreached[0, :, :, None] >> np.arange(maximum_flow.WORD) & 1 != 0
        source_side[:-1] = bits.reshape(depth, -1)[:-1, :tokens]
    # Python's integers: a wrong cut could be too large for 64 bits.
    cut = sum(int(amount) for amount in capacity[0, source_side[0], target])
    for layer in range(1, depth):
        crossing = capacity[layer][np.ix_(source_side[layer], ~source_side[layer - 1])]
        cut += sum(int(amount) for amount in crossing.ravel())
    return MinimumCut(flow, cut, source_side, float(np.ldexp(1.0, -exponent)))


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No test's deadline counts what the compiler takes the first time."""
    attention_flow(np.ones((4, 1, 1)), layers="all")
    minimum_cut(np.ones((4, 1, 1)), 0, 0)


def one_hot(layers, tokens, seed=0):
    return np.eye(tokens)[np.random.default_rng(seed).integers(tokens, size=(layers, tokens))]


def permutations(layers, tokens, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([np.eye(tokens)[rng.permutation(tokens)] for _ in range(layers)])


def banded(layers, tokens):
    distance = np.abs(np.subtract.outer(np.arange(tokens), np.arange(tokens)))
    return normalised(stochastic((layers, tokens, tokens)) * (distance <= 2) + np.eye(tokens) / 9)


def sink(layers, tokens):
    """Every token attends to token 0 and hardly to anything else."""
    weights = stochastic((layers, tokens, tokens)) * 0.02
    weights[..., 0] += 1
    return normalised(weights)


def sparse(layers, tokens, seed=0):
    """A few arcs of any size; many rows and columns are empty."""
    rng = np.random.default_rng(seed)
    return rng.gamma(0.5, size=(layers, tokens, tokens)) * (
        rng.random((layers, tokens, tokens)) < 0.2
    )


# name -> (attention, residual); without a residual the matrices are the graph.
STACKS = {
    "random": (stochastic((4, 9, 9)), 0.5),
    "random without residual": (stochastic((5, 9, 9), seed=1), 0.0),
    "peaked": (stochastic((5, 9, 9), seed=2, concentration=0.05), 0.2),
    "one-hot": (one_hot(5, 8), 0.5),
    "one-hot without residual": (one_hot(4, 8), None),
    "uniform": (np.full((4, 7, 7), 1 / 7), 0.5),
    "identity": (np.tile(np.eye(6), (4, 1, 1)), 0.5),
    "permutation": (permutations(5, 7), 0.5),
    "permutation without residual": (permutations(5, 7), 0.0),
    "causal": (normalised(np.tril(stochastic((5, 9, 9), seed=3))), 0.5),
    "banded": (banded(6, 9), 0.3),
    "sink": (sink(5, 9), 0.5),
    "sparse": (sparse(6, 9), None),
    "zero rows": (stochastic((5, 8, 8)) * (np.arange(8) % 3 > 0)[:, None], None),
    "all zero": (np.zeros((3, 4, 4)), None),
    "capacities above 1": (stochastic((4, 8, 8), seed=4) * 1000, None),
    "rows of very different sums": (sparse(4, 8) * 10.0 ** np.arange(8)[:, None], None),
    "equal capacities": (np.round(sparse(5, 9, seed=5) * 2), None),
    "residual of each token": (stochastic((4, 7, 7)), np.linspace(0, 1, 28).reshape(4, 7)),
    "more tokens than bits in a word": (banded(3, 70), 0.5),
}
GRAPHS = {
    name: matrices if residual is None else with_residual(matrices, residual)
    for name, (matrices, residual) in STACKS.items()
}
graphs = pytest.mark.parametrize("capacity", GRAPHS.values(), ids=GRAPHS)


def some_pairs(tokens, size, seed=0):
    pairs = np.random.default_rng(seed).integers(tokens, size=(size, 2))
    return [(0, tokens - 1), (tokens - 1, 0), *((int(i), int(j)) for i, j in pairs)]


def networkx_flow(capacity, source, target):
    """Exact maximum flow: floating-point numbers are fractions, and scaled up they are integers."""
    exact = 2**80  # no entry of interest has a last bit below
    graph = nx.DiGraph()
    graph.add_nodes_from([(len(capacity), source), (0, target)])
    for layer, query, key in np.argwhere(capacity > 0).tolist():
        amount = round(Fraction(capacity[layer, query, key]) * exact)
        graph.add_edge((layer + 1, query), (layer, key), capacity=amount)
    value = nx.maximum_flow_value(graph, (len(capacity), source), (0, target))
    return float(Fraction(value, exact))


@st.composite
def stacks(draw):
    """Capacities of up to 4 layers and 5 tokens, small integers with many zeros and ties."""
    layers, tokens = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    return draw(arrays(float, (layers, tokens, tokens), elements=st.sampled_from([0, 0, 1, 2, 5])))


def test_two_layers_solved_by_hand():
    lower = [[0.5, 0.5], [0.0, 1.0]]
    upper = [[0.2, 0.8], [0.6, 0.4]]
    flow = attention_flow(np.array([lower, upper]))
    # To token 0 only 0.5 can pass, and only through token 0 of the layer between.
    np.testing.assert_array_equal(flow.values, [[0.2, 1.0], [0.5, 0.9]])
    np.testing.assert_array_equal(flow.tight, [[False, True], [True, False]])


def test_flow_has_to_be_sent_back_to_be_the_largest():
    """Through the widest pipes first, 2 units arrive; the third has to push one of them aside."""
    top = [[2, 1, 0], [0, 0, 0], [0, 0, 0]]
    middle = [[2, 0, 1], [2, 0, 0], [0, 0, 0]]
    bottom = [[2, 0, 0], [0, 0, 0], [1, 0, 0]]
    stack = np.array([bottom, middle, top], float)
    flow = attention_flow(stack, sources=np.array([0]))
    np.testing.assert_array_equal(flow.values, [[3, 0, 0]])


def test_flow_that_detours_up_again():
    """The only second way runs down, back against a used pipe, and down again, four times."""
    for seed in range(30):
        capacity = np.sign(sparse(9, 5, seed))
        for source, target in some_pairs(5, 3, seed):
            flow = attention_flow(capacity, sources=np.array([source]))
            assert flow.values[0, target] == networkx_flow(capacity, source, target)


@graphs
def test_networkx_agrees(capacity):
    flow = attention_flow(capacity, layers="all").values
    scale = max(1, capacity.sum(axis=-1).max())
    for layer in range(len(capacity)):
        for source, target in some_pairs(capacity.shape[-1], 4, seed=layer):
            expected = networkx_flow(capacity[: layer + 1], source, target)
            assert abs(flow[layer, source, target] - expected) <= 1e-12 * scale


def test_ortools_agrees():
    mixed = with_residual(stochastic((5, 40, 40), seed=6), 0.5)
    capacity = np.rint(mixed * 2**44).astype(np.int64)
    layer, query, key = np.nonzero(capacity)
    solver = SimpleMaxFlow()
    solver.add_arcs_with_capacity(
        ((layer + 1) * 40 + query).astype(np.int32),
        (layer * 40 + key).astype(np.int32),
        capacity[layer, query, key],
    )
    flow = attention_flow(mixed).values
    for source, target in some_pairs(40, 30):
        assert solver.solve(5 * 40 + source, target) == SimpleMaxFlow.OPTIMAL
        # Each arc of the cut is rounded by half a unit at most.
        rounding = capacity.size * 2.0**-45
        assert abs(solver.optimal_flow() / 2**44 - flow[source, target]) <= rounding
    # Given the same rounded capacities, both are exact.
    flow = attention_flow(capacity / 2**44).values
    for source, target in some_pairs(40, 30):
        solver.solve(5 * 40 + source, target)
        assert solver.optimal_flow() == flow[source, target] * 2**44


@graphs
def test_every_flow_equals_the_cut_that_proves_it(capacity):
    flow = attention_flow(capacity)
    for source, target in some_pairs(capacity.shape[-1], 10):
        cut = minimum_cut(capacity, source, target)
        assert isinstance(cut.flow, int)
        assert cut.flow == cut.capacity
        assert flow.values[source, target] == cut.flow * cut.unit
        # The cut is one of the graph: whatever the units, its arcs carry no more than the flow.
        sides = [np.arange(capacity.shape[-1]) != target, *~cut.source_side]
        assert cut.source_side[-1].tolist() == [i == source for i in range(len(sides[0]))]
        crossing = capacity[0][cut.source_side[0], target].sum() + sum(
            capacity[k][np.ix_(cut.source_side[k], ~cut.source_side[k - 1])].sum()
            for k in range(1, len(capacity))
        )
        scale = max(1, capacity.sum(axis=-1).max())
        assert abs(crossing - flow.values[source, target]) <= 1e-14 * scale


@given(stacks())
def test_every_pair_of_small_graphs_is_proved(matrices):
    """Shortcuts of every layer included: each value is that of the plain search with its cut."""
    flow = attention_flow(matrices, layers="all")
    for layer, source, target in np.ndindex(flow.values.shape):
        cut = minimum_cut(matrices[: layer + 1], source, target)
        assert cut.flow == cut.capacity
        assert cut.flow * cut.unit == flow.values[layer, source, target]
        bound = min(matrices[layer, source].sum(), matrices[0, :, target].sum())
        assert flow.tight[layer, source, target] == (cut.flow * cut.unit == bound)


@graphs
def test_layers_and_sources_that_are_not_asked_for_change_not_a_bit(capacity):
    every = attention_flow(capacity, layers="all")
    last = attention_flow(capacity)
    np.testing.assert_array_equal(every.values[-1], last.values)
    np.testing.assert_array_equal(every.tight[-1], last.tight)
    # From some sources no layer can lean on the one below; the result is the same.
    some = np.array([capacity.shape[-1] - 1, 0])
    few = attention_flow(capacity, layers="all", sources=some)
    np.testing.assert_array_equal(every.values[:, some], few.values)
    np.testing.assert_array_equal(every.tight[:, some], few.tight)


@graphs
def test_the_lowest_two_layers_are_closed_forms(capacity):
    flow = attention_flow(capacity, layers="all").values
    first, second = capacity[:2]
    scale = max(1, first.max(), second.max())
    np.testing.assert_allclose(flow[0], first, rtol=0, atol=1e-15 * scale)
    paths = np.minimum(second[:, :, None], first[None]).sum(axis=1)
    np.testing.assert_allclose(flow[1], paths, rtol=0, atol=1e-13 * scale)


@graphs
def test_flow_is_at_most_what_the_narrower_end_lets_through(capacity):
    flow = attention_flow(capacity, layers="all")
    bound = np.minimum(capacity.sum(axis=2)[:, :, None], capacity[0].sum(axis=0))
    assert flow.values.dtype == np.float64
    assert flow.tight.dtype == np.bool_
    scale = max(1, bound.max())
    assert (flow.values <= bound + 1e-13 * scale).all()
    np.testing.assert_allclose(
        flow.values[flow.tight], bound[flow.tight], rtol=0, atol=1e-13 * scale
    )


@pytest.mark.parametrize("name", [name for name, (_, r) in STACKS.items() if r is not None])
def test_no_target_gets_less_than_by_rollout(name):
    """Probabilities are a flow of one unit to all targets; no single target gets less than that."""
    flow = attention_flow(GRAPHS[name], layers="all").values
    assert (flow >= attention_rollout(GRAPHS[name], residual=0) - 1e-13).all()


@pytest.mark.parametrize("power", [-1000, -3, 1, 1015])
def test_scaling_all_capacities_scales_the_flow(power):
    matrices = sparse(4, 8, seed=9)
    flow = attention_flow(matrices)
    scaled = attention_flow(np.ldexp(matrices, power))
    np.testing.assert_array_equal(scaled.values, np.ldexp(flow.values, power))
    np.testing.assert_array_equal(scaled.tight, flow.tight)


def test_column_sums_beyond_64_bits_stop_nothing():
    """Of 2000 full pipes into one token, the source fills one."""
    matrices = np.zeros((2, 2000, 2000))
    matrices[..., 0] = 1
    flow = attention_flow(matrices, sources=np.array([3]))
    assert flow.values[0, 0] == 1
    assert flow.tight[0, 0]


def test_sources_come_in_any_order_and_number():
    matrices = stochastic((5, 6, 6))
    every = attention_flow(matrices, layers="all")
    for numbers in ([5, 4, 3, 2, 1, 0], [2, 2, 2, 2, 2, 2], [1, 3, 5, 1], [4]):
        sources = np.array(numbers)
        some = attention_flow(matrices, sources=sources, layers="all")
        np.testing.assert_array_equal(some.values, every.values[:, sources])
        np.testing.assert_array_equal(some.tight, every.tight[:, sources])


def test_no_source_is_an_empty_result():
    flow = attention_flow(stochastic((3, 4, 4)), sources=np.array([], int))
    assert flow.values.shape == flow.tight.shape == (0, 4)


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        (np.full((1, 2, 2), np.nan), r"capacities\[0, 0, 0\] is nan; entries must be finite"),
        (np.array([[[0.5, 0.5], [np.inf, 0]]]), r"capacities\[0, 1, 0\] is inf"),
        (
            np.array([[[1.5, -0.5], [0, 1]]]),
            r"capacities\[0, 0, 1\] is -0\.5; entries must not be negative",
        ),
        (np.ones((0, 2, 2)), "zero-size array"),
        (np.ones((2, 0, 0)), "zero-size array"),
    ],
)
def test_what_is_no_graph_is_refused(capacity, message):
    with pytest.raises(ValueError, match=message):
        attention_flow(capacity)


@pytest.mark.parametrize("source", [4, -1])
def test_a_source_that_is_no_token_is_refused(source):
    with pytest.raises(ValueError, match=f"token {source} .*tokens 0 to 3"):
        attention_flow(stochastic((2, 4, 4)), sources=np.array([0, source]))


def test_the_compiler_is_imported_only_to_solve():
    code = (
        "import sys, numpy; import analysis.methods.flow as f; assert 'numba' not in sys.modules; "
        "f.attention_flow(numpy.ones((1, 1, 1))); assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
