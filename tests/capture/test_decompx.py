"""Parts of a running model's representations: they add up, and are those of the paper."""

import numpy as np
import pytest
import torch
from families import build, reading

from attention_mixing.attributions.passes import PASSES, Predictions
from attention_mixing.capture.decompx import Decomposer, NotTakenApart, decompx
from attention_mixing.circuits.programs import circuit
from attention_mixing.models.attention import record_attention
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.feed_forward import FeedForwardNetwork
from attention_mixing.models.layer_weights import value_maps
from attention_mixing.models.next_word import choosing
from attention_mixing.models.passes import first_tensor

CPU = torch.device("cpu")
TARGETS = (0, 2, 1)
TEXTS = [reading(tokens, seed) for seed, tokens in enumerate((9, 5, 3))]


def classifier(family, **options):
    """Three classes; weights large enough to be far from linear."""
    options |= {"num_labels": 3, "initializer_range": 0.3, "pad_token_id": 0}
    return build(family, "ForSequenceClassification", **options)


def logits(model, text):
    with torch.no_grad():
        return model(input_ids=torch.tensor([text.input_ids])).logits[0].double().numpy()


@pytest.mark.parametrize(
    "family",
    [
        "bert",
        "roberta",  # a tanh by itself in its head
        "electra",
        "albert",  # one layer, called again and again
        "gpt2",  # queries, keys and values by one map
        "gpt_neox",  # the network beside the attention
        "opt",
        "llama",  # gated
        "phi3",  # gate and network in one map
        "qwen3",
        "gemma2",  # normalises what is added
    ],
)
def test_the_parts_of_the_logit_add_up(family):
    model = classifier(family)
    found = decompx(model, TEXTS, device=CPU, targets=TARGETS)
    for text, target, ours in zip(TEXTS, TARGETS, found, strict=True):
        expected = logits(model, text)
        largest = np.abs(ours.scores).max()
        assert ours.scores.shape == (len(text.input_ids),)
        assert ours.scores.sum() == pytest.approx(ours.logit)
        assert ours.logit == pytest.approx(expected[target], abs=1e-5 * max(float(largest), 1))


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_the_parts_of_representations_add_up(family):
    model = classifier(family).double()
    ids = torch.tensor([TEXTS[0].input_ids])
    decomposer = Decomposer(model)
    with torch.no_grad():
        read = model(input_ids=ids, output_hidden_states=True).hidden_states[-1][0].numpy()
    parts = decomposer.parts(TEXTS[0])
    summed = parts.sum(axis=0)
    if family == "gpt2":  # whose last ones are normalised
        summed = model.transformer.ln_f(torch.from_numpy(summed)).detach().numpy()
    np.testing.assert_allclose(summed, read, atol=1e-9)
    np.testing.assert_allclose(decomposer.parts(TEXTS[0], slice(2, 4)), parts[:, 2:4], atol=1e-12)


def paper(model, ids):
    """Equations 2 to 14 of Modarressi et al. (2023) for BERT, written out token by token."""
    bert, tokens = model.bert, len(ids)

    def share(bias, parts):
        sizes = torch.stack([(bias @ part).abs() for part in parts])
        return [part + size / sizes.sum() * bias for part, size in zip(parts, sizes, strict=True)]

    def normalised(layer, parts):
        whole = sum(parts)
        spread = ((whole - whole.mean()).square().mean() + layer.eps).sqrt()
        return share(layer.bias, [(p - p.mean()) / spread * layer.weight for p in parts])

    def through(dense, parts):
        return share(dense.bias, [dense.weight @ part for part in parts])

    def activated(function, parts):
        slope = function(sum(parts)) / sum(parts)
        return [slope * part for part in parts]

    hidden = bert.embeddings(input_ids=torch.tensor([ids]))[0]
    attentions = bert(input_ids=torch.tensor([ids]), output_attentions=True).attentions
    parts = [[hidden[i] * (i == k) for k in range(tokens)] for i in range(tokens)]
    for layer, attention in zip(bert.encoder.layer, attentions, strict=True):
        own, output = layer.attention.self, layer.attention.output
        size = own.attention_head_size
        heads = [
            output.dense.weight[:, h * size : (h + 1) * size]
            @ own.value.weight[h * size : (h + 1) * size]
            for h in range(own.num_attention_heads)
        ]
        bias = output.dense.weight @ own.value.bias + output.dense.bias
        left = []
        for i in range(tokens):
            attended = [
                sum(
                    attention[0, h, i, j] * (head @ parts[j][k])
                    for h, head in enumerate(heads)
                    for j in range(tokens)
                )
                for k in range(tokens)
            ]
            attended = share(bias, attended)
            both = [parts[i][k] + attended[k] for k in range(tokens)]
            behind = normalised(output.LayerNorm, both)
            neurons = activated(
                layer.intermediate.intermediate_act_fn, through(layer.intermediate.dense, behind)
            )
            written = through(layer.output.dense, neurons)
            both = [behind[k] + written[k] for k in range(tokens)]
            left.append(normalised(layer.output.LayerNorm, both))
        parts = left
    pooled = activated(torch.tanh, through(bert.pooler.dense, parts[0]))
    return torch.stack(through(model.classifier, pooled))


@torch.no_grad()
def test_bert_is_taken_apart_as_in_the_paper():
    model = classifier("bert").double()
    model.set_attn_implementation("eager")
    for name, weights in model.named_parameters():  # of which random ones have no biases
        if name.endswith("bias"):
            weights.copy_(torch.randn(weights.shape, generator=torch.manual_seed(len(name))))
    for text in TEXTS[1:]:
        expected = paper(model, text.input_ids).numpy()
        found = Decomposer(model).logits(text)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("name", ["two_hops", "erasing_network"])
def test_a_network_that_normalises_by_itself_is_taken_apart(name, norm):
    written = circuit(name, norm=norm)
    captured = written.capture(["a1", "b0", "a0", "b1", "a1", "b1"])
    decomposer = Decomposer(written.model)
    parts = decomposer.parts(captured.encoded)
    with torch.no_grad():
        ids = torch.tensor([captured.encoded.input_ids])
        left = written.model.base_model(input_ids=ids, output_hidden_states=True).hidden_states[-1]
    summed = torch.from_numpy(parts.sum(axis=0))
    if norm == "pre":
        summed = written.model.base_model.LayerNorm(summed)
    np.testing.assert_allclose(summed.detach(), left[0], atol=1e-9)
    step = structure_of(written.model).layers[0].steps[-1]
    behind = FeedForwardNetwork(written.model, step).behind_norm()
    assert (behind is None) == (norm == "post")


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "phi3", "gpt_neox"])
def test_values_are_linear_in_what_attention_reads(family):
    """Of one map or of several, for all heads or for groups: as the model makes them."""
    model = classifier(family)
    read = []
    with record_attention(model) as calls:
        model(input_ids=torch.tensor([TEXTS[0].input_ids]))
    modules = [call.module for call in calls]
    hooks = [
        module.register_forward_pre_hook(
            lambda module, args, kwargs: read.append(first_tensor(args, kwargs)), with_kwargs=True
        )
        for module in modules
    ]
    with record_attention(model) as calls, torch.no_grad():
        model(input_ids=torch.tensor([TEXTS[0].input_ids]))
    for hook in hooks:
        hook.remove()
    for entering, call, (weight, bias) in zip(read, calls, value_maps(model), strict=True):
        values = call.value[0].transpose(0, 1).flatten(1).numpy()
        np.testing.assert_allclose(entering[0].numpy() @ weight + bias, values, atol=1e-4)


def test_the_model_is_left_as_it_was():
    model = classifier("bert").train()
    names = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    list(decompx(model, TEXTS, device=CPU, targets=TARGETS))
    assert model.training
    assert all(torch.equal(names[name], tensor) for name, tensor in model.state_dict().items())
    assert not any(
        len(getattr(module, kind))
        for module in model.modules()
        for kind in ("_forward_hooks", "_forward_pre_hooks")
    )


@pytest.mark.parametrize(
    ("family", "does"),
    [
        ("mixtral", "has a network that is not of linear maps"),
        ("bitnet", "gates or normalises the context of its heads"),
    ],
)
def test_what_is_not_taken_apart_is_refused_in_a_sentence_and_has_no_scores(family, does, capsys):
    model = choosing(build(family, "ForCausalLM"), [5, 6], ["a", "b"])
    sentence = rf"^the model \w+ {does}.* in model\.layers\.\d, .*; allowed: .*; choose another"
    with pytest.raises(NotTakenApart, match=sentence):
        Decomposer(model)
    asked = Predictions(model, TEXTS, TARGETS, CPU, 2, 2)
    scores = list(PASSES["decompx"](asked))
    assert [len(of) for of in scores] == [9, 5, 3]
    assert all(np.isnan(of).all() for of in scores)
    assert does in capsys.readouterr().err


def test_parts_that_do_not_add_up_are_refused():
    model = classifier("bert")
    model.bert.encoder.layer[1].intermediate.intermediate_act_fn = torch.nn.Sigmoid()
    with pytest.raises(NotTakenApart, match="is not the sum of the parts"):
        Decomposer(model).parts(TEXTS[0])
