"""Relevance against rules written out in numpy, what conserves it, and what is refused."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from families import build, reading
from relevance_by_hand import bert_relevance, llama_relevance
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from transformers.activations import ACT2FN
from transformers.modeling_outputs import SequenceClassifierOutput

from attention_mixing.capture.attn_lrp import attn_lrp
from attention_mixing.capture.gradients import gradients
from attention_mixing.errors import InputError
from attention_mixing.methods.attn_lrp import (
    epsilon_rule,
    matrix_product_rule,
    normalisation_rule,
    softmax_rule,
)
from attention_mixing.methods.layer import Linear, Norm
from attention_mixing.models.next_word import choosing
from attention_mixing.models.relevance_rules import RelevanceRules

CPU = torch.device("cpu")
TARGETS = (0, 2, 1, 1, 0)
TEXTS = [reading(tokens, seed) for seed, tokens in enumerate((9, 5, 12, 9, 3))]


def classifier(family, **options):
    """Three classes, float64; weights large enough to be far from linear."""
    options |= {"num_labels": 3, "initializer_range": 0.3, "pad_token_id": 0}
    return build(family, "ForSequenceClassification", **options).double()


def relevance(model, texts=TEXTS, targets=TARGETS, batch_size=2):
    given = targets[: len(texts)]
    return list(attn_lrp(model, texts, device=CPU, batch_size=batch_size, targets=given))


def random(*shape, seed=0):
    """Normally distributed numbers."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


class Exact(TorchFunctionMode):
    """Computes in float64 also where a model rounds to float32, and weighs what a softmax keeps."""

    def __init__(self):
        super().__init__()
        self.kept = 0.0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        options = dict(kwargs or {})
        to_float32 = function is torch.Tensor.to and args[1:] == (torch.float32,)
        if function is torch.Tensor.float or to_float32:
            return args[0].double()
        if function is not functional.softmax:
            return function(*args, **options)
        options.pop("dtype", None)
        weights, scores = function(*args, **options), args[0]
        if weights.requires_grad:
            for tensor, sign in ((weights, 1), (scores, -1)):
                values = sign * tensor.detach()
                tensor.register_hook(lambda slope, values=values: self.keep(slope * values))
        return weights

    def keep(self, relevance):
        self.kept += relevance.sum().item()


# --- conservation ---------------------------------------------------------------------------------


def without_constants(model):
    """The same without biases, offsets, and positions or types that are added to words."""
    words = model.get_input_embeddings()
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if name.endswith("bias"):
                weights.zero_()
        for module in model.modules():
            if isinstance(module, nn.Embedding) and module is not words:
                module.weight.zero_()
    return model


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("bert", {"hidden_act": "gelu"}),
        ("bert", {"hidden_act": "relu"}),
        ("roberta", {"hidden_act": "gelu_new"}),  # a tanh by itself in its head
        ("electra", {}),
        ("modernbert", {}),
        ("gpt2", {}),
        ("gpt_neox", {}),
        ("llama", {}),
        ("phi3", {}),  # gate and network in one map
        ("qwen3", {}),  # normalises queries and keys
        ("gemma2", {}),  # caps scores
        ("glm4", {}),
    ],
    ids=str,
)
def test_relevance_is_the_logit_but_for_what_the_softmax_keeps(family, options):
    model = without_constants(classifier(family, **options))
    for text, target in zip(TEXTS[:2], TARGETS, strict=False):
        with Exact() as exact:
            (found,) = relevance(model, [text], [target])
        assert found.scores.sum() + exact.kept == pytest.approx(found.logit, rel=1e-9, abs=1e-12)
        assert abs(found.logit) > 1e-3 and abs(exact.kept) > 1e-6


@pytest.mark.parametrize(("family", "activation"), [("bert", "relu"), ("llama", "silu")])
def test_relevance_is_the_logit_where_weights_of_attention_are_given(
    family, activation, monkeypatch
):
    """They do not depend on the words then, and values have all relevance of what is made."""

    def attention(module, query, key, value, mask, **options):
        count = query.shape[-2]
        weights = random(1, 1, count, count).softmax(dim=-1).expand(*query.shape[:2], -1, -1)
        value = value.repeat_interleave(query.shape[1] // value.shape[1], dim=1)
        return (weights @ value).transpose(1, 2).contiguous(), weights

    model = without_constants(classifier(family, hidden_act=activation))
    monkeypatch.setattr(f"{type(model).__module__}.eager_attention_forward", attention)
    with Exact():
        for found in relevance(model, TEXTS[:1] + TEXTS[3:4], batch_size=1):
            assert found.scores.sum() == pytest.approx(found.logit, rel=1e-9, abs=1e-12)
            assert abs(found.logit) > 1e-3


# --- rules of single layers -----------------------------------------------------------------------


def passed_back(module, rows, gradient):
    """Relevance of what a module is given, by rules, where that of its output is given."""
    rules = RelevanceRules(module)
    words = rows.clone().requires_grad_()
    with rules.applied():
        made = module(words)
        slope = rules.gradient((made * gradient).sum(), words)
    return made.detach(), (slope * rows).numpy()


ROWS, GRADIENT = random(1, 5, 6), random(1, 5, 6, seed=1)


def test_a_linear_map_has_the_epsilon_rule():
    module = nn.Linear(6, 6, dtype=torch.float64)
    made, found = passed_back(module, ROWS, GRADIENT)
    linear = Linear(*(p.detach().numpy() for p in (module.weight.T, module.bias)))
    expected = epsilon_rule(ROWS[0].numpy(), linear, (made * GRADIENT)[0].numpy())
    np.testing.assert_allclose(found[0], expected, rtol=1e-10)


@pytest.mark.parametrize(
    "name", ["relu", "gelu", "gelu_new", "silu", "tanh", "quick_gelu", "relu2"]
)
def test_an_activation_keeps_relevance(name):
    made, found = passed_back(ACT2FN[name], ROWS, GRADIENT)
    np.testing.assert_allclose(found, made * GRADIENT, rtol=1e-12, atol=1e-15)


class Function(nn.Module):
    """A function of torch as a model calls it by itself, beside something else."""

    def __init__(self, function):
        super().__init__()
        self.function, self.beside = function, nn.Identity()

    def forward(self, rows):
        return self.function(rows)


@pytest.mark.parametrize(
    "function",
    [
        *(torch.tanh, torch.Tensor.tanh, functional.gelu, functional.silu, torch.relu),
        lambda rows: functional.gelu(rows, approximate="tanh"),
    ],
)
def test_a_function_keeps_relevance_where_it_is_no_module(function):
    made, found = passed_back(Function(function), ROWS, GRADIENT)
    np.testing.assert_allclose(found, made * GRADIENT, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("module", [ACT2FN["gelu_new"], Function(torch.tanh)])
def test_an_activation_of_nothing_has_its_slope(module):
    rows = ROWS.clone()
    rows[0, :, ::2] = 0
    rules, words = RelevanceRules(module), rows.clone().requires_grad_()
    own = torch.autograd.grad(module(words).sum(), words)[0]
    with rules.applied():
        found = rules.gradient(module(words).sum(), words)
    np.testing.assert_allclose(found[..., ::2], own[..., ::2], rtol=1e-12)
    assert not np.isclose(found[..., 1::2], own[..., 1::2]).any()


def test_a_normalisation_has_a_constant_divisor():
    module = nn.LayerNorm(6, dtype=torch.float64)
    with torch.no_grad():
        for seed, weights in enumerate(module.parameters()):
            weights.copy_(random(6, seed=seed))
    made, found = passed_back(module, ROWS, GRADIENT)
    layer = Norm(module.weight.detach().numpy(), module.bias.detach().numpy(), module.eps)
    expected = normalisation_rule(ROWS[0].numpy(), layer, (made * GRADIENT)[0].numpy())
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)


def test_a_normalisation_of_root_mean_squares_keeps_relevance():
    module = nn.RMSNorm(6, eps=1e-5, dtype=torch.float64)
    with torch.no_grad():
        module.weight.copy_(random(6))
    made, found = passed_back(module, ROWS, GRADIENT)
    np.testing.assert_allclose(found, made * GRADIENT, rtol=1e-9)


def test_a_softmax_has_its_taylor_expansion():
    made, found = passed_back(Function(lambda rows: rows.softmax(dim=-1)), ROWS, GRADIENT)
    expected = softmax_rule(ROWS.numpy(), (made * GRADIENT).numpy())
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    "product", [torch.matmul, torch.bmm, lambda a, b: torch.baddbmm(random(1, 1, 1), a, b)]
)
def test_both_factors_of_a_matrix_product_have_half(product):
    """Each of the two is a part of what is given."""
    rows, gradient = random(1, 5, 10), random(1, 5, 5, seed=1)
    module = Function(lambda given: product(given[..., :5], given[..., 5:]))
    _, found = passed_back(module, rows, gradient)
    first, second = rows[..., :5], rows[..., 5:]
    of_product = (first @ second * gradient).numpy()
    expected = matrix_product_rule(first.numpy(), second.numpy(), of_product)
    for ours, theirs in zip((found[..., :5], found[..., 5:]), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_both_factors_of_a_gate_have_half():
    module = Function(lambda rows: functional.silu(rows[..., :3]) * rows[..., 3:])
    made, found = passed_back(module, ROWS, GRADIENT[..., :3])
    half = (made * GRADIENT[..., :3] / 2).numpy()
    np.testing.assert_allclose(found[..., :3], half, rtol=1e-12)
    np.testing.assert_allclose(found[..., 3:], half, rtol=1e-12)


# --- whole models ---------------------------------------------------------------------------------


class LinearModel(nn.Module):
    """A classifier whose logits are linear in its words."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.table = nn.Embedding(120, 6, dtype=torch.float64)
        self.layers = nn.Sequential(*(nn.Linear(6, size, dtype=torch.float64) for size in (6, 3)))
        self.config = SimpleNamespace(
            is_encoder_decoder=False, vocab_size=120, pad_token_id=0, _attn_implementation="eager"
        )

    def get_input_embeddings(self):
        return self.table

    def set_attn_implementation(self, name):
        pass

    def forward(self, input_ids, attention_mask):
        words = self.table(input_ids) * attention_mask[..., None]
        return SequenceClassifierOutput(logits=self.layers(words.sum(dim=1)))


def test_of_a_linear_model_it_is_the_gradient_times_the_input():
    model = LinearModel()
    first, second = (layer.weight.detach() for layer in model.layers)
    for text, target, ours in zip(TEXTS, TARGETS, relevance(model), strict=True):
        words = model.table.weight.detach()[text.input_ids]
        np.testing.assert_allclose(ours.scores, words @ (second @ first)[target], rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "by_hand"), [("bert", bert_relevance), ("llama", llama_relevance)]
)
def test_a_transformer_written_out_in_numpy_agrees(family, by_hand):
    model = classifier(family)
    for text, target in zip(TEXTS, TARGETS, strict=True):
        with Exact():
            (ours,) = relevance(model, [text], [target])
        logit, scores = by_hand(model, np.array(text.input_ids), target)
        assert ours.logit == pytest.approx(logit, rel=1e-9)
        np.testing.assert_allclose(ours.scores, scores, atol=1e-9 * np.abs(scores).max())


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2", "llama"])
def test_it_does_not_depend_on_the_batch(family):
    model = classifier(family)
    with Exact():
        alone, *batched = (relevance(model, batch_size=size) for size in (1, 2, 5))
    scale = max(np.abs(found.scores).max() for found in alone)
    for together in batched:
        for ours, theirs in zip(together, alone, strict=True):
            np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-11 * scale)


def test_it_is_not_the_plain_gradient_of_a_transformer():
    model = classifier("bert")
    options = {"device": CPU, "batch_size": 2, "targets": TARGETS}
    for ours, plain in zip(relevance(model), gradients(model, TEXTS, **options), strict=True):
        assert np.abs(ours.scores - plain.gradient_x_input).max() > 0.1 * np.abs(ours.scores).max()


def test_relevance_for_all_words_that_are_chosen_among_cancels_out():
    """Logits of a choice have a mean of nothing, and relevance is linear in what it is for."""
    model = choosing(build("gpt2", "ForCausalLM"), [5, 6, 7], ["a", "b", "c"])
    for text in TEXTS[:2]:
        by_word = np.stack([relevance(model, [text], [word])[0].scores for word in range(3)])
        assert np.abs(by_word.sum(axis=0)).max() < 1e-5 * np.abs(by_word).max()


# --- the model stays as it was --------------------------------------------------------------------


def state_of(model):
    """What a model computes, and how it depends on its weights and words; what hangs on it."""
    learned = [weights for weights in model.parameters() if weights.requires_grad]
    logits = model(input_ids=torch.tensor([TEXTS[0].input_ids])).logits
    slopes = torch.autograd.grad(logits[0, 0], learned, allow_unused=True)
    flags = [weights.requires_grad for weights in model.parameters()]
    hooks = [
        len(getattr(module, kind))
        for module in model.modules()
        for kind in ("_forward_hooks", "_forward_pre_hooks")
    ]
    assert all(weights.grad is None for weights in model.parameters())
    return logits, [slope for slope in slopes if slope is not None], flags, hooks


def assert_the_same(before, after):
    assert torch.equal(before[0], after[0])
    assert all(torch.equal(one, other) for one, other in zip(before[1], after[1], strict=True))
    assert before[2:] == after[2:]


@pytest.mark.parametrize("family", ["bert", "llama"])
def test_the_model_is_left_as_it_was(family):
    model = classifier(family)
    next(model.parameters()).requires_grad_(False)
    before, mode = state_of(model), model.config._attn_implementation
    walk = attn_lrp(model, TEXTS, device=CPU, batch_size=2, targets=TARGETS)
    next(walk)
    assert_the_same(before, state_of(model))  # also between two texts
    list(walk)
    assert_the_same(before, state_of(model))
    assert model.config._attn_implementation == mode and not model.training


def test_dropout_is_off_and_comes_back():
    model = classifier("bert").train()
    first, again = relevance(model), relevance(model)
    assert model.training and all(module.training for module in model.modules())
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama"])
def test_the_pass_computes_what_the_model_does(family):
    model = classifier(family)
    options = {"device": CPU, "batch_size": 2, "targets": TARGETS}
    plain = list(gradients(model, TEXTS, **options))
    for ours, theirs, target in zip(relevance(model), plain, TARGETS, strict=True):
        assert ours.logit == theirs.logits[target]


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "place", "step"),
    [
        ("mixtral", r"model\.layers\.2\.mlp\.gate \(MixtralTopKRouter\)", "Div|Topk"),
        ("laguna", r"model\.layers\.2\.self_attn \(LagunaAttention\)", "Softplus"),
        ("granite_swa", r"model\.layers\.2\.self_attn \(GraniteSWAAttention\)", "Sigmoid"),
    ],
)
def test_a_model_that_does_what_has_no_rule_is_refused_by_name(family, place, step):
    model = choosing(build(family, "ForCausalLM"), [5, 6], ["a", "b"])
    before = state_of(model)
    sentence = (
        rf"^{place} in \w+ does something to its words \(({step}), as torch calls it\) for which "
        r"AttnLRP has no rule; allowed: .*; choose another model, or do without AttnLRP\.$"
    )
    with pytest.raises(InputError, match=sentence):
        relevance(model, TEXTS[:1])
    assert_the_same(before, state_of(model))


@pytest.mark.parametrize(
    ("function", "step"),
    [
        (torch.sigmoid, "Sigmoid"),  # is one half at nothing
        (lambda rows: rows / (1 + rows.sum()), "Div"),
        (lambda rows: rows**2, "Pow"),
        (lambda rows: functional.layer_norm(rows, (6,)), "NativeLayerNorm"),
        (lambda rows: functional.silu(1 * rows, inplace=True), "Silu"),  # its input is lost
        (lambda rows: rows.cumprod(dim=-1), "Cumprod"),
        (lambda rows: functional.scaled_dot_product_attention(rows, rows, rows), r"\w+"),
    ],
)
def test_no_operation_is_passed_over(function, step):
    with pytest.raises(InputError, match=rf"Function does something .* \({step}, as torch"):
        passed_back(Function(function), ROWS, GRADIENT)


def test_a_refusal_names_the_module_also_where_one_within_takes_other_shapes():
    """It fails when it is tried."""

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(random(3, 2))

        def forward(self, rows):
            return rows * self.weight

    class Gate(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = Scale()

        def forward(self, rows):
            return torch.sigmoid(self.scale(rows.unflatten(-1, (3, 2))))

    module = nn.Sequential(Gate(), nn.Flatten(-2))
    with pytest.raises(InputError, match=r"^0 \(Gate\) in Sequential does"):
        passed_back(module, ROWS, GRADIENT)


def test_a_norm_or_activation_that_is_none_has_no_rule_of_one():
    """A module that mixes tokens, and one that is not 0 at 0."""

    class Mixing(nn.Module):
        def forward(self, rows):
            return torch.tanh(rows.mean(dim=1, keepdim=True) + 0 * rows)

    made, found = passed_back(Mixing(), ROWS, GRADIENT)
    np.testing.assert_allclose(found.sum(), (made * GRADIENT).sum(), rtol=1e-10)
    with pytest.raises(InputError, match=r"Sigmoid"):
        passed_back(nn.Sequential(nn.Sigmoid()), ROWS, GRADIENT)


def test_a_model_whose_modules_write_into_what_they_are_given_has_its_rules():
    module = nn.Sequential(nn.Linear(6, 6, dtype=torch.float64), nn.ReLU(inplace=True))
    apart = copy.deepcopy(module)
    apart[1] = nn.ReLU()
    for ours, theirs in zip(
        passed_back(module, ROWS, GRADIENT), passed_back(apart, ROWS, GRADIENT), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
