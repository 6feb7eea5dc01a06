"""Terms of a logit: they add up, and are what a real BERT loses when one of them is taken away."""

import numpy as np
import pytest
from random_layers import PLACEMENTS, layer, norm, normal, stochastic
from scipy.special import erf

from attention_mixing.methods.alti_logit import (
    SECANTS,
    LayerOfText,
    LogitTerms,
    alti_logit,
    logit_direction,
    logit_terms,
)
from attention_mixing.methods.layer import (
    Classifier,
    Linear,
    Norm,
    Residual,
    add_residual,
    apply_norm,
)
from attention_mixing.methods.mixing import AttentionBlock

TOKENS, WIDTH, HEADS, DEPTH = 6, 12, 3, 3


def head(activation="tanh", classes=2, seed=1):
    rng = np.random.default_rng(seed)
    dense = Linear(rng.normal(size=(WIDTH, WIDTH)), rng.normal(size=WIDTH))
    return Classifier(
        None, dense, activation, Linear(rng.normal(size=(WIDTH, classes)), rng.normal(size=classes))
    )


def gelu(u):
    return u * (1 + erf(u / np.sqrt(2))) / 2


def network(attention_paid=None, placement="after", centring=True, read=0):
    """Random layers on top of each other, and the representation after the last."""
    rng = np.random.default_rng(7)
    layers, inputs = [], rng.normal(size=(TOKENS, WIDTH))
    for seed in range(DEPTH):
        arrays = layer(TOKENS, HEADS, WIDTH, seed, placement=placement, centring=centring)
        arrays |= {"inputs": inputs}
        if attention_paid is not None:
            arrays["attention"] = attention_paid
        block = AttentionBlock(**arrays)
        brought = np.einsum("hqk,hkd->qd", block.attention, block.transformed)
        rows = add_residual(inputs, brought + block.output_bias, arrays["residual"])
        network = PLACEMENTS[placement](WIDTH, centring)
        written = add_residual(
            0 * rows, rng.normal(size=(TOKENS, WIDTH)), network._replace(after=None)
        )
        layers.append(LayerOfText(block, rows[read], written[read], network.after))
        inputs = apply_norm(rows + written, network.after)
    return layers, inputs


def total(terms):
    return sum(np.sum(part) for part in terms)


@pytest.mark.parametrize("centring", [True, False])
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("activation", SECANTS)
@pytest.mark.parametrize(("classes", "target"), [(2, 0), (2, 1), (4, 1)])
def test_the_terms_add_up_to_the_logit(activation, classes, target, placement, centring):
    layers, top = network(placement=placement, centring=centring)
    classifier = head(activation, classes)
    before = top[0] @ classifier.dense.weight + classifier.dense.bias
    functions = {"tanh": np.tanh, "relu": lambda u: np.maximum(u, 0), "gelu": gelu}
    hidden = functions[activation](before)
    logits = hidden @ classifier.output.weight + classifier.output.bias
    expected = logits[target] - np.delete(logits, target).mean()
    terms = logit_terms(layers, *logit_direction(classifier, top[0], target))
    assert total(terms) == pytest.approx(expected, abs=1e-10)
    mixed = np.stack([stochastic((TOKENS, TOKENS), seed) for seed in range(DEPTH)])
    traced = alti_logit(terms, mixed).sum()
    assert traced == pytest.approx(terms.attention.sum() + terms.embedding, abs=1e-10)


@pytest.mark.parametrize("centring", [True, False])
def test_a_head_may_normalise_the_last_token_and_read_it_by_one_map(centring):
    layers, top = network(placement="before", read=-1)
    final, output = norm(WIDTH, 40, centring), Linear(normal(WIDTH, 3), normal(3, seed=2))
    logits = apply_norm(top, final)[-1] @ output.weight + output.bias
    head = Classifier(final, None, None, output)
    terms = logit_terms(layers, *logit_direction(head, top[-1], 1), read=-1)
    assert total(terms) == pytest.approx(logits[1] - (logits[0] + logits[2]) / 2, abs=1e-10)
    mixed = np.stack([stochastic((TOKENS, TOKENS), seed) for seed in range(DEPTH)])
    traced = alti_logit(terms, mixed, read=-1)
    assert traced.sum() == pytest.approx(terms.attention.sum() + terms.embedding, abs=1e-10)
    assert traced[-1] - alti_logit(terms, mixed, read=0)[-1] == pytest.approx(terms.embedding)


def test_terms_are_linear_in_how_the_logit_reads():
    layers, _ = network()
    one, other = np.random.default_rng(2).normal(size=(2, WIDTH))
    both = logit_terms(layers, 2 * one - other, 0.0)
    for mixed, a, b in zip(
        both, logit_terms(layers, one, 0.0), logit_terms(layers, other, 0.0), strict=True
    ):
        np.testing.assert_allclose(mixed, 2 * np.asarray(a) - b, atol=1e-10)


def test_a_token_without_attention_writes_nothing():
    paid = stochastic((HEADS, TOKENS, TOKENS)) + 1e-3
    paid[:, :, 2] = 0
    layers, top = network(paid / paid.sum(axis=-1, keepdims=True))
    attention = logit_terms(layers, *logit_direction(head(), top[0], 0)).attention
    assert (attention[:, 2] == 0).all()
    assert (np.delete(attention, 2, axis=1) != 0).all()


def test_two_layers_by_hand():
    """Layer 2 reads 3 from token 1, half of which layer 1 had from token 0."""
    terms = LogitTerms(np.array([[1.0, -2.0], [0.0, 3.0]]), np.ones(2), np.ones(2), 10.0, 5.0)
    mixed = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.2, 0.8], [0.3, 0.7]]])
    np.testing.assert_allclose(alti_logit(terms, mixed), [1 + 1.5 + 10, -2 + 1.5])


def test_what_attention_writes_below_the_start_is_of_the_token_that_is_read():
    """As if it had attended to itself alone there; by hand in the first case of all."""
    terms = LogitTerms(np.array([[1.0, -2.0], [0.0, 3.0]]), np.ones(2), np.ones(2), 10.0, 5.0)
    mixed = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.2, 0.8], [0.3, 0.7]]])
    np.testing.assert_allclose(alti_logit(terms, mixed, 1, start_layer=1), [0, 10 + 1 - 2 + 3])
    attention, shares = normal(DEPTH, TOKENS, seed=4), stochastic((DEPTH, TOKENS, TOKENS))
    itself = attention.copy()
    itself[:2], itself[:2, 3] = 0, attention[:2].sum(axis=1)
    eye = np.broadcast_to(np.eye(TOKENS), (2, TOKENS, TOKENS))
    expected = alti_logit(
        LogitTerms(itself, np.zeros(DEPTH), np.zeros(DEPTH), 0.7, 0.0),
        np.concatenate([eye, shares[2:]]),
        read=3,
    )
    terms = LogitTerms(attention, np.zeros(DEPTH), np.zeros(DEPTH), 0.7, 0.0)
    found = alti_logit(terms, shares, read=3, start_layer=2)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_tracing_is_that_of_the_published_code():
    """Its steps, from its source: joint contributions, one product a layer."""
    attention = normal(DEPTH, TOKENS, seed=4)
    shares = stochastic((DEPTH, TOKENS, TOKENS))
    joint, traced = shares[0], attention[0].copy()
    for contributions, above in zip(attention[1:], shares[1:], strict=True):
        traced += contributions @ joint
        joint = above @ joint
    initial = 0.7
    traced[0] += initial
    terms = LogitTerms(attention, np.zeros(DEPTH), np.zeros(DEPTH), initial, 0.0)
    np.testing.assert_allclose(alti_logit(terms, shares), traced, atol=1e-12)


def test_an_unknown_activation_is_refused():
    with pytest.raises(ValueError, match="activation is 'swish'; it must be one of tanh, relu"):
        logit_direction(head("swish"), np.ones(WIDTH), 0)


def test_terms_are_what_a_frozen_bert_loses_without_them():
    """Layer normalisations and activation of the head keep their factors, all else is as it ran."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    sizes = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": DEPTH}
    config = BertConfig(
        vocab_size=40, intermediate_size=20, initializer_range=0.5, **sizes,
        attn_implementation="eager",
    )  # fmt: skip
    model = BertForSequenceClassification(config).double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "LayerNorm" in name or "bias" in name:
                parameter += 0.3 * torch.randn_like(parameter)
    stack = model.bert.encoder.layer
    writers = {(i, "output"): each.output.dense for i, each in enumerate(stack)}
    writers |= {(i, "attention"): each.attention.output.dense for i, each in enumerate(stack)}
    norms = [n for each in stack for n in (each.attention.output.LayerNorm, each.output.LayerNorm)]
    kept: dict = {}

    def keep(module, inputs, output):
        kept[module] = (*inputs, output)

    ids = torch.arange(TOKENS)[None] + 3
    watched = [*writers.values(), *norms, model.bert.pooler.activation, model.bert.embeddings]
    watched += [each.attention.self.value for each in stack]
    hooks = [module.register_forward_hook(keep) for module in watched]
    with torch.no_grad():
        answer = model(ids, output_attentions=True)
    for hook in hooks:
        hook.remove()

    def logit_without(place, vector):
        """Run the frozen model, a vector taken from what a part writes into the first token."""

        def frozen_norm(module, inputs, output):
            deviation = (kept[module][0].var(-1, unbiased=False, keepdim=True) + module.eps).sqrt()
            centred = inputs[0] - inputs[0].mean(-1, keepdim=True)
            return centred / deviation * module.weight + module.bias

        def as_written(module, inputs, output):
            less = torch.zeros_like(output)
            if place is not None and module is writers[place]:
                less[0, 0] = torch.from_numpy(vector)
            return kept[module][-1] - less

        def secant(module, inputs, output):
            before, after = kept[module]
            return inputs[0] * after / before

        hooks = [module.register_forward_hook(frozen_norm) for module in norms]
        hooks += [module.register_forward_hook(as_written) for module in writers.values()]
        hooks.append(model.bert.pooler.activation.register_forward_hook(secant))
        with torch.no_grad():
            logits = model(ids).logits[0]
        for hook in hooks:
            hook.remove()
        return float(logits[1] - logits[0])

    whole = float(answer.logits[0, 1] - answer.logits[0, 0])
    assert logit_without(None, None) == pytest.approx(whole, abs=1e-10)

    def linear(module):
        return Linear(module.weight.detach().numpy().T, module.bias.detach().numpy())

    def layer_norm(module):
        return Norm(module.weight.detach().numpy(), module.bias.detach().numpy(), module.eps)

    layers, inputs = [], kept[model.bert.embeddings][-1][0].numpy()
    for i, each in enumerate(stack):
        value = kept[each.attention.self.value][1][0].numpy()
        value = value.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2)
        projection = linear(writers[i, "attention"])
        block = AttentionBlock(
            answer.attentions[i][0].numpy(),
            value,
            projection.weight,
            inputs=inputs,
            output_bias=projection.bias,
            residual=Residual(after=layer_norm(each.attention.output.LayerNorm)),
        )
        rows = kept[each.attention.output.LayerNorm][1][0, 0].numpy()
        written = kept[writers[i, "output"]][1][0, 0].numpy()
        layers.append(LayerOfText(block, rows, written, layer_norm(each.output.LayerNorm)))
        inputs = kept[each.output.LayerNorm][1][0].numpy()
    dense = linear(model.bert.pooler.dense)
    classifier = Classifier(None, dense, "tanh", linear(model.classifier))
    terms = logit_terms(layers, *logit_direction(classifier, inputs[0], 1))
    assert total(terms) == pytest.approx(whole, abs=1e-10)
    assert np.abs(terms.attention).min(axis=1).max() > 1e-3
    for i, each in enumerate(layers):
        lost = whole - logit_without((i, "output"), each.ffn_output)
        assert terms.ffn[i] == pytest.approx(lost, abs=1e-10)
        for token in range(TOKENS):
            weights, vectors = each.block.attention[:, 0, token], each.block.transformed[:, token]
            lost = whole - logit_without((i, "attention"), weights @ vectors)
            assert terms.attention[i, token] == pytest.approx(lost, abs=1e-10)
