"""Gradients against finite differences, and integrated gradients where the integral is known."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attention_mixing.capture.gradients import gradients, integrated_gradients
from attention_mixing.errors import InputError
from attention_mixing.models.attention import using

CPU = torch.device("cpu")
# Positions of the second are counted by the ids, the last finds the end of a text by them.
KINDS = ("distilbert", "roberta", "gpt2")
TARGETS = (0, 2, 1, 1, 0)


def classifier(make_model, kind, seed=0):
    """Three classes, float64; weights large enough for gradients that are far from zero."""
    options = {"pad_token_id": 0, "scale_attn_by_inverse_layer_idx": True} if kind == "gpt2" else {}
    return make_model(
        kind, "ForSequenceClassification", seed, num_labels=3, initializer_range=0.3, **options
    ).double()


@pytest.fixture(scope="session")
def tokenizer(tokenizer):
    """Without types, as GPT-2's own: it would add them to the text as words."""
    bare = copy.deepcopy(tokenizer)
    bare.model_input_names = ["input_ids", "attention_mask"]
    return bare


@pytest.fixture(scope="module", params=KINDS)
def model(request, make_model):
    return classifier(make_model, request.param)


@pytest.fixture(scope="module")
def bert(make_model):
    return classifier(make_model, "bert")


def taken(method, model, tokenizer, encoded, batch_size, targets=TARGETS, **options):
    options |= {"device": CPU, "batch_size": batch_size, "targets": targets[: len(encoded)]}
    return list(method(model, encoded, **options))


@pytest.fixture(scope="module")
def read(model, tokenizer, encoded):
    return taken(gradients, model, tokenizer, encoded, 3)


def logits_of(model, ids, change=None):
    """Logits of one text, its word embeddings passed through ``change``."""
    table = model.get_input_embeddings()
    handle = table.register_forward_hook(lambda m, i, output: change(output)) if change else None
    try:
        with torch.no_grad():
            return model(input_ids=torch.tensor([ids])).logits[0]
    finally:
        if handle:
            handle.remove()


# --- plain gradients ------------------------------------------------------------------------------


def test_gradients_are_those_of_the_models_own_pass_of_each_text_alone(model, read, encoded):
    """By its own attention and with embeddings as its input, unpadded."""
    with using(model, "eager"):
        for ours, text, target in zip(read, encoded, TARGETS, strict=True):
            words = model.get_input_embeddings()(torch.tensor([text.input_ids])).detach()
            words.requires_grad_()
            own = model(inputs_embeds=words, output_attentions=True)
            (slope, *slopes) = torch.autograd.grad(own.logits[0, target], [words, *own.attentions])
            for name, expected in {
                "logits": own.logits[0],
                "attention": torch.cat(own.attentions),
                "attention_gradient": torch.cat(slopes),
                "gradient_x_input": (slope * words)[0].sum(dim=1),
                "gradient_norm": slope[0].norm(dim=1),
            }.items():
                np.testing.assert_allclose(getattr(ours, name), expected.detach(), atol=1e-11)
            assert np.abs(ours.attention_gradient).max() > 1e-3


def test_no_batch_has_more_tokens_than_fit(bert, tokenizer, encoded, monkeypatch):
    """And what comes out is the same."""
    together = taken(gradients, bert, tokenizer, encoded, 5)
    fit = 2 * max(len(text.input_ids) for text in encoded)
    monkeypatch.setattr("attention_mixing.capture.gradients.TOKENS", fit)
    sizes = []
    handle = bert.register_forward_pre_hook(
        lambda module, given, named: sizes.append(named["input_ids"].numel()), with_kwargs=True
    )
    with handle:
        apart = taken(gradients, bert, tokenizer, encoded, 5)
        taken(integrated_gradients, bert, tokenizer, encoded, 64, steps=20)
    assert 0 < max(sizes) <= fit
    for one, other in zip(together, apart, strict=True):
        for name in ("attention", "attention_gradient", "gradient_x_input", "gradient_norm"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-11)


def test_embedding_gradients_are_finite_differences(model, read, encoded):
    """Along the embedding of a token itself: the gradient times it."""
    step, text = 1e-6, encoded[1]
    for token in range(len(text.input_ids)):

        def moved(by, token=token):
            def change(words):
                words = words.clone()
                words[0, token] *= 1 + by
                return words

            return logits_of(model, text.input_ids, change)[TARGETS[1]].item()

        slope = (moved(step) - moved(-step)) / (2 * step)
        assert read[1].gradient_x_input[token] == pytest.approx(slope, abs=1e-7)


def test_the_model_is_left_as_it_was(make_model, tokenizer, encoded):
    model = classifier(make_model, "bert")
    model.classifier.bias.requires_grad_(False)
    before = {name: weight.requires_grad for name, weight in model.named_parameters()}
    implementation = model.config._attn_implementation
    options = {"device": CPU, "batch_size": 2, "targets": TARGETS}
    walk = gradients(model, encoded, **options)
    next(walk)
    next(integrated_gradients(model, encoded, steps=2, **options))
    assert {name: weight.requires_grad for name, weight in model.named_parameters()} == before
    assert all(weight.grad is None for weight in model.parameters())
    assert not model.get_input_embeddings()._forward_hooks
    walk.close()
    assert model.config._attn_implementation == implementation


# --- integrated gradients -------------------------------------------------------------------------


class Linear(torch.nn.Module):
    """A classifier whose logits are linear in the sum of the word embeddings."""

    def __init__(self, power=1):
        super().__init__()
        torch.manual_seed(1)
        self.table = torch.nn.Embedding(40, 6, dtype=torch.float64)
        self.head = torch.nn.Linear(6, 3, dtype=torch.float64)
        self.power = power
        sizes = {"vocab_size": 40, "num_labels": 3, "pad_token_id": 0}
        self.config = SimpleNamespace(is_encoder_decoder=False, **sizes)

    def get_input_embeddings(self):
        return self.table

    def forward(self, input_ids, attention_mask):
        words = self.table(input_ids) * attention_mask[..., None]
        return SimpleNamespace(logits=self.head(words.sum(dim=1)) ** self.power)


def test_a_linear_model_needs_one_step(tokenizer, encoded):
    """There the integral is the gradient, and each token adds its own share of the logit."""
    model = Linear()
    weight, table = model.head.weight.detach(), model.table.weight.detach()
    results = taken(integrated_gradients, model, tokenizer, encoded, 4, [2] * 5, steps=1)
    for text, ours in zip(encoded, results, strict=True):
        change = table[text.input_ids] - table[tokenizer.pad_token_id]
        expected = (change @ weight[2]).numpy()
        expected[text.is_special] = 0
        np.testing.assert_allclose(ours.scores, expected, atol=1e-6)
        assert ours.completeness_error < 1e-6


def test_a_cubic_model_is_exact_with_two_points(tokenizer, encoded):
    """Two Gauss-Legendre points integrate cubics, and the derivative of a cube is a square."""
    cubic = integrated_gradients, Linear(power=3), tokenizer, encoded, 64
    one, two = (
        max(found.completeness_error for found in taken(*cubic, steps=steps)) for steps in (1, 2)
    )
    assert two < 1e-4 < one


def test_scores_add_up_to_the_change_of_the_logit(model, tokenizer, encoded):
    # The head of DistilBERT has a ReLU: its kinks cost a sum of n points about 1/n.
    steps, rest = (300, 1e-2) if model.config.model_type == "distilbert" else (60, 1e-3)
    results = taken(integrated_gradients, model, tokenizer, encoded[:3], 100, steps=steps)
    for text, ours, target in zip(encoded, results, TARGETS, strict=False):
        words = model.get_input_embeddings()(torch.tensor([text.input_ids])).detach()
        blank = model.get_input_embeddings()(torch.tensor(tokenizer.pad_token_id)).detach()
        baseline = torch.where(torch.tensor(text.is_special)[None, :, None], words, blank)
        full = logits_of(model, text.input_ids)
        empty = logits_of(model, text.input_ids, lambda _, baseline=baseline: baseline)
        change = (full - empty)[target].item()
        error = abs(ours.scores.sum() - change)
        assert error == pytest.approx(ours.completeness_error, abs=1e-9)
        assert error < rest * max(1, abs(change))
        assert (ours.scores[text.is_special] == 0).all()


def test_without_a_padding_token_there_is_no_baseline(make_model, tokenizer, encoded):
    model = classifier(make_model, "bert")
    model.config.pad_token_id = None
    with pytest.raises(InputError, match="and the model BertForSequenceClassification has none"):
        taken(integrated_gradients, model, tokenizer, encoded, 2, steps=2)
