"""Flow against OR-tools and rollout, and what must not change it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ortools.graph.python.max_flow import SimpleMaxFlow
from random_layers import normalised, stochastic

from attention_mixing.methods.flow import attention_flow, predicted_seconds
from attention_mixing.methods.rollout import attention_rollout, with_residual


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No test's deadline counts what the compiler takes the first time."""
    attention_flow(np.ones((4, 1, 1)), layers="all")


def one_hot(layers, tokens, seed=0):
    return np.eye(tokens)[np.random.default_rng(seed).integers(tokens, size=(layers, tokens))]


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
    "random without residual": (stochastic((5, 9, 9), seed=1), 0.0),
    "peaked": (stochastic((5, 9, 9), seed=2, concentration=0.05), 0.2),
    "one-hot": (one_hot(5, 8), 0.5),
    "uniform": (np.full((4, 7, 7), 1 / 7), 0.5),
    "causal": (normalised(np.tril(stochastic((5, 9, 9), seed=3))), 0.5),
    "sink": (sink(5, 9), 0.5),
    "residual of each token": (stochastic((4, 7, 7)), np.linspace(0, 1, 28).reshape(4, 7)),
    "more tokens than bits in a word": (banded(3, 70), 0.5),
    "capacities above 1": (stochastic((4, 8, 8), seed=4) * 1000, None),
    "large": (stochastic((5, 40, 40), seed=6), 0.5),
    "rows of very different sums": (sparse(4, 8) * 10.0 ** np.arange(8)[:, None], None),
}
GRAPHS = {
    name: matrices if residual is None else with_residual(matrices, residual)
    for name, (matrices, residual) in STACKS.items()
}
graphs = pytest.mark.parametrize("capacity", GRAPHS.values(), ids=GRAPHS)


def some_pairs(tokens, size, seed=0):
    pairs = np.random.default_rng(seed).integers(tokens, size=(size, 2))
    return [(0, tokens - 1), (tokens - 1, 0), *((int(i), int(j)) for i, j in pairs)]


def ortools_flows(capacity, pairs):
    """Maximum flows of whole capacities from tokens of the last layer to input tokens."""
    layers, tokens, _ = capacity.shape
    layer, query, key = (places.astype(np.int32).ravel() for places in np.indices(capacity.shape))
    solver = SimpleMaxFlow()
    solver.add_arcs_with_capacity(
        (layer + 1) * tokens + query, layer * tokens + key, capacity.ravel().astype(np.int64)
    )
    flows = []
    for source, target in pairs:
        assert solver.solve(layers * tokens + source, target) == SimpleMaxFlow.OPTIMAL
        flows.append(solver.optimal_flow())
    return flows


@st.composite
def stacks(draw):
    """Capacities of up to 4 layers and 5 tokens, small integers with many zeros and ties."""
    layers, tokens = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    return draw(arrays(float, (layers, tokens, tokens), elements=st.sampled_from([0, 0, 1, 2, 5])))


def test_flow_that_detours_up_again():
    """The only second way runs down, back against a used pipe, and down again, four times."""
    for seed in range(30):
        capacity = np.sign(sparse(9, 5, seed))
        flow, pairs = attention_flow(capacity).values, some_pairs(5, 3, seed)
        assert [flow[pair] for pair in pairs] == ortools_flows(capacity, pairs)


@given(stacks())
def test_ortools_agrees_on_every_pair_of_small_graphs(matrices):
    flow = attention_flow(matrices, layers="all")
    for layer, found in enumerate(flow.values):
        expected = ortools_flows(matrices[: layer + 1], np.ndindex(found.shape))
        assert found.ravel().tolist() == expected
        bound = np.minimum(matrices[layer].sum(axis=1)[:, None], matrices[0].sum(axis=0))
        np.testing.assert_array_equal(flow.tight[layer], found == bound)


@graphs
def test_ortools_agrees_on_graphs_of_every_kind(capacity):
    """It takes whole numbers: capacities are rounded to some, for both alike."""
    scale = 2.0 ** (44 - np.ceil(np.log2(capacity.sum(axis=-1).max())))
    whole = np.rint(capacity * scale)
    flow = attention_flow(whole / scale, layers="all").values * scale
    for layer in range(len(whole)):
        pairs = some_pairs(whole.shape[-1], 5, seed=layer)
        assert [flow[layer][pair] for pair in pairs] == ortools_flows(whole[: layer + 1], pairs)


@graphs
def test_layers_that_are_not_asked_for_change_not_a_bit(capacity):
    every = attention_flow(capacity, layers="all")
    last = attention_flow(capacity)
    np.testing.assert_array_equal(every.values[-1], last.values)
    np.testing.assert_array_equal(every.tight[-1], last.tight)


@pytest.mark.parametrize("name", [name for name, (_, r) in STACKS.items() if r is not None])
def test_no_target_gets_less_than_by_rollout(name):
    """Probabilities are a flow of one unit to all targets; no single target gets less than that."""
    flow = attention_flow(GRAPHS[name], layers="all").values
    assert (flow >= attention_rollout(GRAPHS[name]) - 1e-13).all()


@pytest.mark.parametrize("power", [-1000, 1015])
def test_scaling_all_capacities_scales_the_flow(power):
    matrices = sparse(4, 8, seed=9)
    flow = attention_flow(matrices)
    scaled = attention_flow(np.ldexp(matrices, power))
    np.testing.assert_array_equal(scaled.values, np.ldexp(flow.values, power))
    np.testing.assert_array_equal(scaled.tight, flow.tight)


def test_column_sums_beyond_64_bits_stop_nothing():
    """Of 16 full pipes into one token, the source fills one."""
    matrices = np.zeros((3, 16, 16))
    matrices[..., 0] = 1
    flow = attention_flow(matrices, sources=np.array([3]))
    assert flow.values[0, 0] == 1
    assert flow.tight[0, 0]


@pytest.mark.parametrize("sources", [[5, 4, 3, 2, 1, 0], [1, 3, 5, 1], []])
def test_sources_come_in_any_order_and_number(sources):
    """From some sources no layer can lean on the one below; the result is the same."""
    matrices, sources = stochastic((5, 6, 6)), np.array(sources, int)
    every = attention_flow(matrices, layers="all")
    some = attention_flow(matrices, sources=sources, layers="all")
    np.testing.assert_array_equal(some.values, every.values[:, sources])
    np.testing.assert_array_equal(some.tight, every.tight[:, sources])


@pytest.mark.parametrize(
    ("entry", "source", "message"),
    [
        (np.nan, 0, r"capacities\[0, 1, 0\] is nan; entries must be finite"),
        (-0.5, 0, r"capacities\[0, 1, 0\] is -0\.5; entries must not be negative"),
        (0.5, 4, "token 4 .*tokens 0 to 3"),
        (0.5, -1, "token -1 .*tokens 0 to 3"),
    ],
)
def test_what_is_no_graph_and_no_token_is_refused(entry, source, message):
    matrices = stochastic((2, 4, 4))
    matrices[0, 1, 0] = entry
    with pytest.raises(ValueError, match=message):
        attention_flow(matrices, sources=np.array([0, source]))


def test_flow_of_a_short_text_is_predicted_in_seconds_and_grows_with_the_cube_of_its_tokens():
    short, long = (predicted_seconds(6, tokens, tokens) for tokens in (64, 512))
    assert 0.1 < short < 10
    assert long == pytest.approx(8**3 * short)
