"""Parts of representations: they add up, and are what a model with frozen factors makes of each."""

import numpy as np
import pytest
from random_layers import norm, normal, stochastic
from scipy.special import ndtr

from attention_mixing.methods.decompx import (
    LayerParts,
    LinearisedNetwork,
    decompose,
    layer_parts,
    linear_parts,
    logit_parts,
    norm_parts,
    share_bias,
)
from attention_mixing.methods.layer import Classifier, Linear, Norm, Residual, apply_norm

TOKENS, WIDTH, HEADS, GROUPS, NEURONS = 5, 8, 4, 2, 12
HEAD_DIM = WIDTH // HEADS


def linear(into, out, seed, bias=True):
    return Linear(normal(into, out, seed=seed), bias * normal(out, seed=seed + 1))


def silent(normalisation, bias):
    """The same without an offset, if there are to be no biases."""
    return normalisation if bias else normalisation._replace(offset=np.zeros(WIDTH))


def placed(placement, seed, bias=True, centring=True):
    """A residual connection with a normalisation somewhere, or with all of them."""
    names = ("before", "of_output", "after") if placement == "all" else (placement,)
    norms = {n: silent(norm(WIDTH, seed + i, centring), bias) for i, n in enumerate(names)}
    return Residual(**norms, scale=0.7)


def layer(placement, seed, *, bias=True, centring=True, maps=1, beside=False):
    """A layer with heads that share values, and with attention of which some goes to no token."""
    network = LinearisedNetwork(
        linear(WIDTH, maps * NEURONS, seed + 10, bias),
        normal(TOKENS, maps * NEURONS, seed=seed + 12),
        linear(NEURONS, WIDTH, seed + 13, bias),
    )
    return LayerParts(
        0.9 * stochastic((HEADS, TOKENS, TOKENS), seed),
        linear(WIDTH, GROUPS * HEAD_DIM, seed + 20, bias),
        linear(WIDTH, WIDTH, seed + 22, bias),
        placed(placement, seed + 30, bias, centring),
        placed(placement, seed + 40, bias, centring),
        network,
        beside,
    )


def joined(stream, output, residual):
    added = apply_norm(output, residual.of_output) * residual.scale
    return apply_norm(stream + added, residual.after)


def forward(rows, of):
    """What a layer makes of a text, head by head, where weights and slopes are given."""
    read = apply_norm(rows, of.attention.before)
    values = read @ of.value.weight + of.value.bias
    contexts = []
    for head in range(HEADS):
        group = head // (HEADS // GROUPS)
        contexts.append(of.weights[head] @ values[:, HEAD_DIM * group : HEAD_DIM * (group + 1)])
    attended = np.concatenate(contexts, axis=1) @ of.projection.weight + of.projection.bias
    behind = joined(rows, attended, of.attention)
    entering = apply_norm(rows if of.beside else behind, of.network.before)
    into, slopes, out = of.linearised
    numbers = (entering @ into.weight + into.bias) * slopes
    hidden = sum(np.split(numbers, numbers.shape[1] // NEURONS, axis=1))
    return joined(behind, hidden @ out.weight + out.bias, of.network)


# --- biases ---------------------------------------------------------------------------------------


def test_a_bias_is_shared_out_by_the_sizes_of_products():
    parts = np.array([[1.0, 7.0], [-3.0, 0.0], [0.0, 5.0]])
    shared = share_bias(parts, np.array([2.0, 0.0]))  # products 2, -6 and 0
    np.testing.assert_allclose(shared - parts, [[0.5, 0], [1.5, 0], [0, 0]])


def test_each_token_shares_its_own_bias():
    parts, bias = normal(3, TOKENS, WIDTH), normal(TOKENS, WIDTH, seed=1)
    shared = share_bias(parts, bias)
    np.testing.assert_allclose(shared.sum(axis=0), parts.sum(axis=0) + bias, atol=1e-12)
    alone = share_bias(parts[:, 2], bias[2])
    np.testing.assert_allclose(shared[:, 2], alone, atol=1e-12)
    np.testing.assert_allclose(share_bias(-2 * parts, bias) + 2 * parts, shared - parts, atol=1e-12)


def test_no_bias_is_lost_where_it_is_orthogonal_to_all_parts_or_there_are_none():
    bias = np.array([0.0, 4.0])
    parts = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    np.testing.assert_allclose(share_bias(parts, bias), [[1, 2], [0, 0], [2, 2]])
    np.testing.assert_allclose(share_bias(np.zeros((2, 2)), bias), [[0, 2], [0, 2]])


# --- sums -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("centring", [True, False])
def test_parts_of_a_normalisation_add_up(centring):
    parts, normalisation = normal(3, TOKENS, WIDTH), norm(WIDTH, 4, centring)
    made = norm_parts(parts, normalisation)
    expected = apply_norm(parts.sum(axis=0), normalisation)
    np.testing.assert_allclose(made.sum(axis=0), expected, atol=1e-12)
    assert norm_parts(parts, None) is parts


@pytest.mark.parametrize("maps", [1, 2])
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("placement", ["before", "of_output", "after", "all"])
def test_parts_add_up_to_what_the_layers_make(placement, beside, maps):
    layers = [layer(placement, 100 * n, beside=beside, maps=maps) for n in range(3)]
    embedding = rows = normal(TOKENS, WIDTH, seed=3)
    for one in layers:
        rows = forward(rows, one)
    parts = decompose(embedding, layers)
    assert parts.shape == (TOKENS, TOKENS, WIDTH)
    np.testing.assert_allclose(parts.sum(axis=0), rows, atol=1e-9 * np.abs(rows).max())


@pytest.mark.parametrize("placement", ["before", "after"])
def test_without_biases_a_part_is_what_is_made_of_its_token_alone(placement):
    """All that is not linear, the divisors, being those of the whole text."""
    layers = [layer(placement, 100 * n, bias=False) for n in range(2)]
    embedding = normal(TOKENS, WIDTH, seed=3)

    def divided(rows, residual, place, stand_in):
        """A normalisation that divides by what it divides the whole text by."""
        normalisation = getattr(residual, place)
        if normalisation is None:
            return rows
        centred = (rows - rows.mean(axis=-1, keepdims=True)) * normalisation.gain
        whole = stand_in - stand_in.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((whole**2).mean(axis=-1, keepdims=True) + normalisation.eps)

    def attend(rows, of):
        values = np.split(rows @ of.value.weight, GROUPS, axis=1)
        context = [of.weights[h] @ values[h // (HEADS // GROUPS)] for h in range(HEADS)]
        return np.concatenate(context, axis=1) @ of.projection.weight

    def feed(rows, of):
        into, slopes, out = of.linearised
        return rows @ into.weight * slopes @ out.weight

    streams = [np.where(np.eye(TOKENS)[k][:, None], embedding, 0) for k in range(TOKENS)]
    whole = embedding
    for of in layers:
        for step, residual in ((attend, of.attention), (feed, of.network)):
            both = [*streams, whole]
            read = [divided(rows, residual, "before", whole) for rows in both]
            sums = [s + residual.scale * step(r, of) for s, r in zip(both, read, strict=True)]
            *streams, whole = (divided(rows, residual, "after", sums[-1]) for rows in sums)
    np.testing.assert_allclose(decompose(embedding, layers), streams, atol=1e-10)


def test_only_some_tokens_are_asked_for():
    layers, embedding = [layer("after", 0), layer("after", 100)], normal(TOKENS, WIDTH, seed=3)
    every = decompose(embedding, layers)
    for read in (slice(0, 1), slice(-1, None), slice(1, 3)):
        np.testing.assert_allclose(decompose(embedding, layers, read), every[:, read], atol=1e-12)


def test_a_network_is_the_same_some_tokens_at_a_time(monkeypatch):
    one, parts = layer("before", 0), normal(3, TOKENS, WIDTH)
    together = layer_parts(parts, one)
    monkeypatch.setattr("attention_mixing.methods.decompx._HELD", 2 * 3 * NEURONS)
    np.testing.assert_allclose(layer_parts(parts, one), together, atol=1e-12)


# --- heads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", [None, "tanh", "relu", "gelu"])
def test_parts_of_logits_add_up(activation):
    dense = None if activation is None else linear(WIDTH, WIDTH, 5)
    classifier = Classifier(norm(WIDTH, 6), dense, activation, linear(WIDTH, 3, 7))
    parts = normal(4, 2, WIDTH)
    rows = apply_norm(parts.sum(axis=0), classifier.norm)
    if dense is not None:
        rows = rows @ dense.weight + dense.bias
        rows = {"tanh": np.tanh(rows), "relu": np.maximum(rows, 0), "gelu": rows * ndtr(rows)}[
            activation
        ]
    logits = rows @ classifier.output.weight + classifier.output.bias
    np.testing.assert_allclose(logit_parts(parts, classifier).sum(axis=0), logits, atol=1e-12)


def test_an_activation_that_is_not_known_is_refused():
    classifier = Classifier(None, linear(2, 2, 0), "cube", linear(2, 2, 1))
    with pytest.raises(ValueError, match="activation is 'cube'; it must be one of tanh, relu"):
        logit_parts(normal(2, 1, 2), classifier)


# --- solved by hand -------------------------------------------------------------------------------

IDENTITY = Linear(np.eye(2), np.zeros(2))
ROOT_MEAN_SQUARE = Norm(np.ones(2), np.zeros(2), eps=0.0, centring=False)


def by_hand(**residuals):
    """One layer of one head on two tokens; its network is a ReLU of which one neuron is shut."""
    network = LinearisedNetwork(
        Linear(np.eye(2), np.array([2.0, -9.0])), np.array([[1.0, 0.0]] * 2), IDENTITY
    )
    plain = Residual()
    return LayerParts(
        np.array([[[0.5, 0.5], [0.0, 1.0]]]),
        IDENTITY,
        IDENTITY,
        residuals.get("attention", plain),
        residuals.get("network", plain),
        network,
    )


def test_a_layer_that_does_not_normalise_is_as_solved_by_hand():
    embedding = np.array([[2.0, 0.0], [0.0, 8.0]])
    parts = decompose(embedding, [by_hand()])
    # Behind attention, the first token is (3, 0) + (0, 4). Its neurons are 3 + 2 and 4 - 9; the
    # bias (2, -9) has the products 6 with the one part and -36 with the other, so that the first
    # takes up 1/7 of it. The open neuron then has 3 + 2/7 and 12/7.
    np.testing.assert_allclose(parts[:, 0], [[3 + 3 + 2 / 7, 0], [12 / 7, 4]])
    # The second one is (0, 16) and has nothing of the first token: all of the bias is its own.
    np.testing.assert_allclose(parts[:, 1], [[0, 0], [2, 16]])


def test_a_layer_that_normalises_afterwards_is_as_solved_by_hand():
    embedding = np.array([[2.0, 0.0], [0.0, 8.0]])
    after = Residual(after=ROOT_MEAN_SQUARE)
    parts = decompose(embedding, [by_hand(attention=after)])
    # (3, 4) has a root mean square of 5 / sqrt(2).
    first = np.array([3, 4]) * np.sqrt(2) / 5
    share = 2 * first[0] / (2 * first[0] + 9 * first[1])
    np.testing.assert_allclose(
        parts[:, 0], [[2 * first[0] + 2 * share, 0], [2 * (1 - share), first[1]]]
    )


def test_a_layer_that_normalises_first_is_as_solved_by_hand():
    embedding = np.array([[2.0, 0.0], [0.0, 8.0]])
    before = Residual(before=ROOT_MEAN_SQUARE)
    parts = decompose(embedding, [by_hand(attention=before)])
    # Both tokens are read with a length of sqrt(2).
    first = np.array([2 + np.sqrt(2) / 2, np.sqrt(2) / 2])
    share = 2 * first[0] / (2 * first[0] + 9 * first[1])
    np.testing.assert_allclose(
        parts[:, 0], [[2 * first[0] + 2 * share, 0], [2 * (1 - share), first[1]]]
    )


def test_a_logit_is_taken_apart_as_by_hand():
    head = Classifier(
        None, None, None, Linear(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([4.0, 0.0]))
    )
    parts = np.array([[[3.0, 1.0]], [[-1.0, 5.0]]])
    # The bias (4, 0) has the products 12 and -4 with the parts (3, 2) and (-1, 10) of the logits.
    np.testing.assert_allclose(logit_parts(parts, head)[:, 0], [[6, 2], [0, 10]])


def test_a_linear_map_shares_out_its_bias():
    parts, one = normal(3, 2, WIDTH), linear(WIDTH, 4, 2)
    expected = share_bias(parts @ one.weight, one.bias)
    np.testing.assert_array_equal(linear_parts(parts, one), expected)
