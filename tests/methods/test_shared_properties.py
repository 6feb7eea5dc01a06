"""What methods have in common: products of layers, and what holds of every matrix of a text."""

import copy
import itertools

import numpy as np
import pytest
from random_layers import layer, normalised

from attention_mixing.methods.alti import alti
from attention_mixing.methods.flow import attention_flow
from attention_mixing.methods.layer import add_residual
from attention_mixing.methods.mixing import SCOPES, AttentionBlock
from attention_mixing.methods.relevance import relevance_rollout, relevance_sum
from attention_mixing.methods.rollout import attention_rollout, with_residual
from attention_mixing.methods.value_zeroing import value_zeroing
from attention_mixing.methods.whole_layer import feed_forward_ratios, globenc

# --- products of layers ---------------------------------------------------------------------------


def rollout(attention, **options):
    return attention_rollout(with_residual(attention, 0.3), **options)


# method -> what it makes of one layer before it multiplies; matrices of every layer are given.
PRODUCTS = {
    attention_rollout: lambda one: one,
    rollout: lambda one: 0.7 * one + 0.3 * np.eye(len(one)),
    relevance_sum: lambda one: one + np.eye(len(one)),
    relevance_rollout: lambda one: normalised(one + np.eye(len(one))),
}
products = pytest.mark.parametrize("method", PRODUCTS)


def matrices_of_layers(method, layers=4, tokens=3):
    matrices = layer(tokens, heads=layers)["attention"]
    if method in (relevance_sum, relevance_rollout):  # their rows may have any sum
        matrices *= np.random.default_rng(2).uniform(0, 2, size=(layers, tokens, 1))
    return matrices


def by_paths(layers):
    """Sum the weights of every walk from the top layer down to the input."""
    depth, tokens, _ = layers.shape
    total = np.zeros((tokens, tokens))
    for path in itertools.product(range(tokens), repeat=depth + 1):
        # path[0] is the token at the top; the step below layer l uses layer l's matrix.
        steps = zip(range(depth - 1, -1, -1), path, path[1:], strict=False)
        total[path[0], path[-1]] += np.prod([layers[layer, i, j] for layer, i, j in steps])
    return total


@products
def test_every_layer_is_the_sum_over_all_paths_below_it(method):
    given = matrices_of_layers(method)
    stayed = np.stack([PRODUCTS[method](one) for one in given])
    found = method(given)
    assert found.dtype == np.float64
    for index in range(4):
        np.testing.assert_allclose(found[index], by_paths(stayed[: index + 1]), atol=1e-13)


@products
@pytest.mark.parametrize("start", range(4))
def test_a_start_layer_is_the_same_as_a_model_that_begins_there(method, start):
    given = matrices_of_layers(method)
    found = method(given, start_layer=start)
    np.testing.assert_array_equal(found[:start], np.broadcast_to(np.eye(3), (start, 3, 3)))
    np.testing.assert_allclose(found[start:], method(given[start:]), atol=1e-14)


@products
@pytest.mark.parametrize("start", [-1, 4])
def test_a_start_layer_outside_the_model_is_refused(method, start):
    with pytest.raises(ValueError, match=rf"start_layer is {start}; there are layers 0 to 3"):
        method(matrices_of_layers(method), start_layer=start)


# --- matrices of a text ---------------------------------------------------------------------------


def network(rows):
    into = np.random.default_rng(9).normal(size=(8, 16))
    return np.tanh(rows @ into) @ into.T


def whole_layer(one):
    return feed_forward_ratios(
        AttentionBlock(**one),
        shares=network,
        residual=one["residual"],
        block_output=one["inputs"],
        network_output=network(one["inputs"]),
    )


def zeroed(one):
    def rest(attended):
        rows = np.stack([add_residual(one["inputs"], each, one["residual"]) for each in attended])
        return rows + network(rows)

    return value_zeroing(AttentionBlock(**one), rest)


def output_of_its_parts(one):
    return sum(AttentionBlock(**one).vectors("attnresln_n"))


# Arrays of a layer -> [..., query, key]; products take its heads for layers.
MATRICES = {
    **{
        f"norms of {scope}": lambda one, of=scope: AttentionBlock(**one).norms(of)
        for scope in SCOPES
    },
    "alti": lambda one: alti(AttentionBlock(**one), output_of_its_parts(one)),
    "globenc": lambda one: globenc(
        AttentionBlock(**one), after_network=one["residual"].after, second_input=one["inputs"]
    ),
    "value_zeroing": zeroed,
    "flow": lambda one: attention_flow(with_residual(one["attention"]), layers="all").values,
    **{
        method.__name__: lambda one, of=method: of(one["attention"])
        for method in (attention_rollout, relevance_sum, relevance_rollout)
    },
}
# -> [..., token]: how much of a token is mixed in.
RATIOS = {
    **{
        f"ratio of {scope}": lambda one, of=scope: AttentionBlock(**one).ratio(of)
        for scope in SCOPES
    },
    "feed-forward ratios": lambda one: np.stack(list(whole_layer(one).values())),
}
SHARES = ("alti", "value_zeroing", "attention_rollout", "relevance_rollout")


@pytest.mark.parametrize("name", [*MATRICES, *RATIOS])
def test_renaming_tokens_renames_the_result(name):
    one, order = layer(), np.random.default_rng(1).permutation(7)
    renamed = one | {
        "attention": one["attention"][:, order][:, :, order],
        "value": one["value"][:, order],
        "inputs": one["inputs"][order],
    }
    if name in RATIOS:
        found, expected = RATIOS[name](renamed), RATIOS[name](one)[..., order]
    else:
        found, expected = MATRICES[name](renamed), MATRICES[name](one)[..., order, :][..., order]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", [*MATRICES, *RATIOS])
def test_causal_attention_gives_nothing_to_the_future(name):
    one = layer(causal=True)
    if name in RATIOS:
        assert (RATIOS[name](one)[..., 0] == 0).all()
    else:
        assert (np.triu(MATRICES[name](one), 1) == 0).all()


@pytest.mark.parametrize("name", [*MATRICES, *RATIOS])
def test_one_token_is_all_its_own(name):
    one = layer(tokens=1)
    if name in RATIOS:
        assert (RATIOS[name](one) == 0).all()
    else:
        assert (normalised(MATRICES[name](one)) == 1).all()


@pytest.mark.parametrize("name", [*MATRICES, *RATIOS])
def test_what_is_given_is_left_as_it_is(name):
    one = layer()
    before = copy.deepcopy(one)
    (MATRICES | RATIOS)[name](one)
    for norm, norm_before in zip(one.pop("residual"), before.pop("residual"), strict=True):
        np.testing.assert_equal(norm, norm_before)
    for array in one:
        np.testing.assert_array_equal(one[array], before[array])


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("tokens", [1, 2, 30])
def test_rows_of_shares_sum_to_one_and_nothing_is_negative(name, tokens):
    shares = MATRICES[name](layer(tokens))
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=-1), 1, atol=1e-12)
