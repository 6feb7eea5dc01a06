"""Shares of attention are held where they are asked to be, whatever a model is made of."""

import copy
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from families import build, reading, relative

from attention_mixing.capture.record import record
from attention_mixing.errors import InputError
from attention_mixing.models.attention import changed_attention, record_attention
from attention_mixing.models.batch import pad
from attention_mixing.models.clamping import biased, clamped, shares, values_zeroed
from attention_mixing.models.self_check import deviations, require_agreement

CPU = torch.device("cpu")

# Normalised behind sums (one layer many times; in parallel), before, by root mean square, what is
# added; keys in groups; windows; sinks within and behind the softmax; gates; caps; two texts.
KINDS = (
    *("bert", "albert", "gpt2", "gpt_neox", "llama", "olmo2", "mistral", "modernbert", "gpt_oss"),
    *("granite_swa", "laguna", "gemma2", "bitnet", "t5", "bart", "mbart"),
)


def texts(model, lengths=(9, 6)):
    """Texts of different lengths, where the model takes them with targets that are shorter."""
    made = [reading(length, seed) for seed, length in enumerate(lengths)]
    if not model.config.is_encoder_decoder:
        return made
    return [replace(text, target=reading(len(text.input_ids) - 2, 7)) for text in made]


def sets(model, batch):
    """Two sets of keys: the first, and two behind it; of two texts, in all streams."""

    def of(ids):
        places = torch.arange(ids.shape[1])
        return torch.stack([places == 0, (places == 2) | (places == 3)])[None].repeat(
            len(ids), 1, 1
        )

    if not model.config.is_encoder_decoder:
        return of(batch["input_ids"])
    source, target = of(batch["input_ids"]), of(batch["decoder_input_ids"])
    return {"encoder": source, "decoder": target, "cross": source}


def of_layer(keys, number):
    """Sets of keys of an attention; that of a decoder looks at its own text and then the other."""
    if not isinstance(keys, dict):
        return keys
    layers = 3
    return keys["encoder" if number < layers else ("decoder", "cross")[(number - layers) % 2]]


def states(model, batch):
    return model(**batch)[0]


@pytest.fixture(params=KINDS)
def case(request):
    model = build(request.param)
    batch = pad(texts(model), model.config)
    return model, batch, sets(model, batch)


@torch.no_grad()
def test_own_shares_change_nothing(case):
    model, batch, keys = case
    own = shares(model, batch, keys)
    with clamped(model, keys, own):
        assert relative(states(model, batch), states_as_recorded(model, batch)) < 1e-6
    assert not model.config._attn_implementation == "recording"


def states_as_recorded(model, batch):
    with record_attention(model):
        return states(model, batch)


@torch.no_grad()
def test_shares_are_what_is_asked_and_rows_sum_to_what_they_did(case):
    model, batch, keys = case
    asked = [torch.full_like(share, 0.3) for share in shares(model, batch, keys)]
    with clamped(model, keys, asked), record_attention(model) as calls:
        states(model, batch)
    for number, call in enumerate(calls):
        members = of_layer(keys, number)[:, None, None].float()  # [batch, 1, 1, set, key]
        unheld = call.unchanged.weights
        found, before = ((of[..., None, :] * members).sum(-1) for of in (call.weights, unheld))
        beside = 1 - before.sum(-1)  # others, and what goes to no token
        expected = torch.where(before > 1e-6, 0.3, 0.0)
        moved = (beside > 1e-6) & (before > 1e-6).any(-1)
        assert moved.any()
        torch.testing.assert_close(found[moved], expected[moved])
        torch.testing.assert_close(call.weights[~moved], unheld[~moved])
        # Together with what goes to no token, which is scaled as the other keys are.
        none = (1 - call.unchanged.mass) * (1 - expected.sum(-1)) / beside
        total = call.weights.sum(-1) + none
        torch.testing.assert_close(total[moved], torch.ones_like(total)[moved])


@torch.no_grad()
def test_proportions_within_a_set_and_beside_it_stay(case):
    model, batch, keys = case
    asked = [torch.full_like(share, 0.2) for share in shares(model, batch, keys)]
    with clamped(model, keys, asked), record_attention(model) as calls:
        states(model, batch)
    for number, call in enumerate(calls):
        members = of_layer(keys, number).any(1)[:, None, None].expand_as(call.attention)
        own, new = call.unchanged.weights, call.weights
        for part in (members & ~of_layer(keys, number)[:, :1, None], ~members):
            kept, held = own.where(part, 0), new.where(part, 0)
            kept, held = (x / x.sum(-1, keepdim=True) for x in (kept, held))
            both = kept.isfinite() & held.isfinite()
            torch.testing.assert_close(held[both], kept[both], atol=1e-6, rtol=1e-5)


def added_to_scores(keys, bias):
    """Add a bias where the model's own file adds its mask."""
    numbers = iter(range(100))

    def change(call):
        number = next(numbers)
        eager = sys.modules[type(call.module).__module__].eager_attention_forward
        added = (bias[number][..., None] * of_layer(keys, number)[:, None, None]).sum(-2)
        mask = added if call.mask is None else call.mask + added
        context, attention = eager(
            call.module, call.query, call.key, call.value, mask, **call.options
        )
        return replace(call, context=context, attention=attention)

    return change


@torch.no_grad()
def test_a_bias_is_one_on_the_scores(case):
    model, batch, keys = case
    torch.manual_seed(1)
    drawn = [2 * torch.rand_like(share) - 1 for share in shares(model, batch, keys)]
    with changed_attention(model, added_to_scores(keys, drawn)):
        expected = states(model, batch)
    with biased(model, keys, drawn):
        assert relative(states(model, batch), expected) < 1e-5
    assert relative(states(model, batch), expected) > 1e-3


@torch.no_grad()
def test_holding_is_the_bias_by_which_the_log_odds_differ(case):
    """Attention by attention: what one changes, the next is given."""
    model, batch, keys = case
    one = (
        {stream: of[:, :1] for stream, of in keys.items()} if isinstance(keys, dict) else keys[:, 0]
    )
    own = shares(model, batch, one)
    number = len(own) // 2
    asked, bias = [None] * len(own), [None] * len(own)
    asked[number] = torch.full_like(own[number], 0.4)
    bias[number] = (torch.logit(asked[number]) - torch.logit(own[number])).nan_to_num(0, 0, 0)
    with clamped(model, one, asked):
        held = states(model, batch)
    with biased(model, one, bias):
        assert relative(held, states(model, batch)) < 1e-5


@torch.no_grad()
def test_zeroed_values_bring_nothing(case):
    model, batch, keys = case
    with values_zeroed(model, keys), record_attention(model) as calls:
        states(model, batch)
    for number, call in enumerate(calls):
        others = ~of_layer(keys, number).any(1)
        context = torch.zeros_like(call.context)
        values = call.unchanged.of_heads("value")
        for text, keep in enumerate(others):
            by_hand = call.unchanged.weights[text][..., keep] @ values[text][:, keep]
            context[text] = by_hand.transpose(0, 1)
        torch.testing.assert_close(call.context, context, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(call.weights, call.unchanged.weights, atol=1e-6, rtol=1e-5)


def test_zeroed_values_are_those_of_a_map_that_gives_none():
    model = build("bert", num_hidden_layers=1)
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)

    def without(module, given, values):
        return values * ~keys.any(1)[..., None]

    with values_zeroed(model, keys), torch.no_grad():
        ours = states(model, batch)
    value = model.encoder.layer[0].attention.self.value
    with value.register_forward_hook(without), torch.no_grad():
        torch.testing.assert_close(ours, states(model, batch))


# Of some, parts compute in float32 whatever is asked, and differences are of longer steps.
FLOAT64 = dict.fromkeys(("bert", "albert", "gpt2", "bart"), (1e-6, 1e-6))
FLOAT32 = dict.fromkeys(("llama", "mistral", "modernbert", "gpt_oss", "granite_swa"), (1e-5, 1e-3))


def undropped(model):
    """Leave training mode to what else it changes."""
    for module in model.train().modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        for name in ("attention_dropout", "dropout"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.0)
    return model


@pytest.mark.parametrize(("kind", "of"), (FLOAT64 | FLOAT32).items())
@pytest.mark.parametrize("by", [clamped, biased])
def test_gradients_are_finite_differences(kind, of, by):
    """Along a direction in which all layers, and what is held, move at once."""
    model = undropped(build(kind).double())
    model.set_experts_implementation("eager")
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)
    torch.manual_seed(3)
    held = [(torch.rand_like(share) / 2).requires_grad_() for share in shares(model, batch, keys)]
    tables = {id(m.weight) for m in model.modules() if isinstance(m, torch.nn.Embedding)}
    moving = [*(values for values in model.parameters() if id(values) not in tables), *held]
    direction = [torch.randn_like(values) for values in moving]
    weight = torch.randn_like(states(model, batch).detach())

    def loss():
        with by(model, keys, held):
            return (states(model, batch) * weight).sum()

    gradients = torch.autograd.grad(loss(), moving, allow_unused=True, materialize_grads=True)
    along = [
        float((gradient * step).sum()) for gradient, step in zip(gradients, direction, strict=True)
    ]

    @torch.no_grad()
    def moved(size):
        for values, step in zip(moving, direction, strict=True):
            values += size * step
        return float(loss())

    size, rounding = of
    difference = (moved(size) - moved(-2 * size)) / (2 * size)
    assert sum(along) == pytest.approx(difference, abs=rounding * max(map(abs, along)))


def test_a_step_of_training_holds_what_is_asked_with_dropout():
    model = build("bert", attention_probs_dropout_prob=0.5).train()
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)
    asked = [torch.full((1, 1, 1, 1), 0.25)] * 3
    with clamped(model, keys, asked), record_attention(model) as calls:
        states(model, batch).sum().backward()
    gradients = [values.grad for values in model.parameters() if values.grad is not None]
    assert all(gradient.isfinite().all() for gradient in gradients)
    sums = torch.stack([call.attention[..., 0] for call in calls]).detach()
    assert set(sums.flatten().round(decimals=5).tolist()) == {0.0, 0.5}  # left out, or doubled


def test_the_self_check_and_capture_know_of_it(case):
    """What is recorded is what the intervention leaves, and agrees with what the model computes."""
    model, _, _ = case
    encoded = texts(model)

    def around(batch):
        keys = sets(model, batch)
        asked = [0.5 * share for share in shares(model, batch, keys)]
        return clamped(model, keys, asked)

    require_agreement(deviations(model, encoded, device=CPU, around=around), "the model")
    reading = {"device": CPU, "precision": "float32", "batch_size": 2}
    held = list(record(model, encoded, around=around, **reading))
    plain = list(record(model, encoded, **reading))
    for (arrays, _), (own, _) in zip(held, plain, strict=True):
        stream = "encoder." if model.config.is_encoder_decoder else ""
        first, before = (
            (of[f"{stream}attention"] * of[f"{stream}mass"][..., None])[0, :, -1, 0]
            for of in (arrays, own)
        )
        np.testing.assert_allclose(first, before / 2, rtol=1e-4)


@torch.no_grad()
def test_another_model_is_left_alone_inside_the_block():
    model = build("bert")
    other = copy.deepcopy(model)
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)
    plain = states_as_recorded(other, batch)
    with (
        clamped(model, keys, [torch.full((1, 1, 1, 1), 0.4)] * 3),
        record_attention(model) as calls,
    ):
        assert torch.equal(states_as_recorded(other, batch), plain)
        shares(other, batch, keys)
        assert not calls
        assert relative(states(model, batch), plain) > 1e-3
        assert len(calls) == 3
    assert torch.equal(states_as_recorded(model, batch), plain)


@torch.no_grad()
def test_blocks_change_what_outer_blocks_made():
    model = build("gpt2")
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)
    own = shares(model, batch, keys)
    with biased(model, keys, 1.0):
        assert relative(shares(model, batch, keys)[0], own[0]) > 1e-2
        with biased(model, keys, -1.0):
            assert relative(shares(model, batch, keys)[0], own[0]) < 1e-6


def test_what_cannot_be_held_is_refused():
    model = build("bert")
    batch = pad(texts(model), model.config)
    keys = sets(model, batch)
    asked = shares(model, batch, keys)
    with pytest.raises(InputError, match="a key is in several sets"):
        shares(model, batch, keys[:, [0, 0]])
    with pytest.raises(InputError, match=r"keys are \[2, 8\] but the model reads 2 texts of 9"):
        shares(model, batch, keys[..., :8])
    with pytest.raises(InputError, match="given of 2 attentions"):
        with clamped(model, keys, asked[:2]):
            states(model, batch)
    with pytest.raises(InputError, match="allowed with BertModel: a mask"):
        shares(model, batch, {"": keys})
    two = build("t5")
    with pytest.raises(InputError, match="'other' is none of the streams of the model"):
        shares(two, pad(texts(two), two.config), {"other": keys})
    model.train().encoder.layer[0].gradient_checkpointing = True
    with pytest.raises(InputError, match="train it without"):
        shares(model, batch, keys)
