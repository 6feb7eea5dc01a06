"""Source and target as one graph."""

import networkx
import numpy as np
import pytest

from attention_mixing.methods.encoder_decoder import beside_target, joint_layers
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.rollout import attention_rollout

SOURCE, TARGET, LAYERS = 5, 4, 3


def stochastic(rng, *shape, mask=None):
    rows = rng.random(shape) ** 3
    rows = rows if mask is None else rows * mask
    return rows / rows.sum(axis=-1, keepdims=True)


@pytest.fixture
def streams():
    rng = np.random.default_rng(0)
    earlier = np.tril(np.ones((TARGET, TARGET)))
    encoder = stochastic(rng, LAYERS, SOURCE, SOURCE)
    decoder = stochastic(rng, LAYERS, TARGET, TARGET, mask=earlier)
    keep = np.concatenate([np.ones((TARGET, SOURCE)), np.eye(TARGET)], axis=1)
    return encoder, decoder, stochastic(rng, LAYERS, TARGET, SOURCE + TARGET, mask=keep)


def test_one_token_each_is_solved_by_hand():
    cross = np.array([[[0.25, 0.75]], [[0.5, 0.5]]])
    rolled = attention_rollout(joint_layers(np.ones((1, 1, 1)), np.ones((2, 1, 1)), cross))
    assert rolled[-1, 1].tolist() == [1 - 0.75 * 0.5, 0.75 * 0.5]


def test_rollout_is_what_each_stream_draws_from_the_one_below(streams):
    encoder, decoder, cross = streams
    of_source = np.linalg.multi_dot(encoder[::-1])
    source, target = np.zeros((TARGET, SOURCE)), np.eye(TARGET)
    for own, both in zip(decoder, cross, strict=True):
        source, target = own @ source, own @ target
        kept = np.diagonal(both[:, SOURCE:])[:, None]
        source = both[:, :SOURCE] @ of_source + kept * source
        target = kept * target
    rolled = attention_rollout(joint_layers(*streams))[-1]
    np.testing.assert_allclose(rolled[SOURCE:], np.hstack([source, target]), rtol=1e-12)
    np.testing.assert_allclose(rolled[:SOURCE], np.hstack(
        [of_source, np.zeros((SOURCE, TARGET))]
    ), rtol=1e-12)  # fmt: skip


def test_rows_sum_to_one_and_no_target_sees_a_later_one(streams):
    rolled = attention_rollout(joint_layers(*streams))
    np.testing.assert_allclose(rolled.sum(axis=-1), 1, rtol=1e-12)
    later = np.triu(np.ones((TARGET, TARGET), bool), 1)
    assert (rolled[:, SOURCE:, SOURCE:][:, later] == 0).all()
    assert (rolled[:, :SOURCE, SOURCE:] == 0).all()


def test_a_fixed_residual_alone_decides_what_stems_from_the_source():
    rng = np.random.default_rng(1)
    share = 0.3
    encoder = stochastic(rng, LAYERS, SOURCE, SOURCE)
    decoder = stochastic(rng, LAYERS, TARGET, TARGET)
    cross = (1 - share) * beside_target(stochastic(rng, LAYERS, TARGET, SOURCE))
    cross[:, np.arange(TARGET), SOURCE + np.arange(TARGET)] = share
    rolled = attention_rollout(joint_layers(encoder, decoder, cross))[-1]
    np.testing.assert_allclose(rolled[SOURCE:, :SOURCE].sum(axis=-1), 1 - share**LAYERS)


def test_flow_is_that_of_networkx(streams):
    layers = joint_layers(*streams)
    graph = networkx.DiGraph()
    for layer, rows in enumerate(layers, start=1):
        for query, key in zip(*np.nonzero(rows), strict=True):
            graph.add_edge((layer, query), (layer - 1, key), capacity=rows[query, key])
    found = attention_flow(layers).values
    for query in range(SOURCE, SOURCE + TARGET):
        for key in range(SOURCE + TARGET):
            flow = 0.0
            if graph.has_node((0, key)):
                flow = networkx.maximum_flow_value(graph, (len(layers), query), (0, key))
            assert found[query, key] == pytest.approx(flow, abs=1e-12)


def test_a_cross_matrix_that_counts_other_tokens_is_refused(streams):
    encoder, decoder, cross = streams
    with pytest.raises(ValueError, match="cross has 8 keys; there are 5 tokens of the source"):
        joint_layers(encoder, decoder, cross[..., :-1])
