"""Arms do to a tiny model what they say, and nothing else."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_mixing.errors import InputError
from attention_mixing.models.arm_outcomes import (
    depends,
    path_of_sinks,
    predictions,
    predicts,
    sink_shares,
)
from attention_mixing.models.arms import ARMS, conditions, pretrained_conditions, train_arm
from attention_mixing.models.attention import record_attention
from attention_mixing.models.batch import pad
from attention_mixing.models.clamping import shares
from attention_mixing.models.conditions import FREE, SETS, Condition, Reader
from attention_mixing.models.dummy_inputs import structure_of
from attention_mixing.models.mean_readout import mean_readout
from attention_mixing.models.replacements import draw_replacements
from attention_mixing.models.trial import LabelledTexts, Trial
from attention_mixing.models.weight_roles import ROLES, exchanged, weight_roles
from attention_mixing.settings.sinks import ARMS as NAMES
from attention_mixing.settings.sinks import ArmTraining, TrialSettings

TRAINING = ArmTraining(
    texts=5,
    epochs=2,
    batch_size=2,
    learning_rate=1e-2,
    other_rates=(3e-3,),
    weight_decay=0.01,
    warmup=0.1,
)
LABELS = [0, 1, 0, 1, 1]
SPECIAL = (2, 3)  # [CLS] and [SEP]
HELD = ARMS["clamped"].condition


@pytest.fixture
def before(make_model):
    model = mean_readout(make_model("bert", initializer_range=0.4), 2, SPECIAL, seed=1)
    return model.requires_grad_(False)


@pytest.fixture
def reader(before, encoded):
    return Reader(before, encoded, seed=0)


def trained(before, reader, encoded, name="free", seed=0, **changes):
    model = copy.deepcopy(before)
    settings = TRAINING.model_copy(update=changes)
    rate = settings.learning_rate
    train_arm(
        model,
        ARMS[name],
        encoded,
        LABELS,
        settings,
        learning_rate=rate,
        seed=seed,
        reader=reader,
    )
    return model.requires_grad_(False)


def same_weights(one, other) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(a.equal(b) for a, b in pairs)


def moved(one, other) -> set[str]:
    """Parts of layers of which some weight differs."""
    roles, weights = weight_roles(one), dict(other.named_parameters())
    return {roles[name] for name, own in one.named_parameters() if not own.equal(weights[name])}


def test_the_head_reads_the_mean_of_ordinary_tokens(before, encoded):
    batch = pad(encoded, before.config)
    last = before.base_model(**batch)[0]
    for row, text, logits in zip(last, encoded, before(**batch).logits, strict=True):
        ordinary = torch.tensor([not special for special in text.is_special])
        mean = row[: len(ordinary)][ordinary].mean(dim=0)
        torch.testing.assert_close(before.score(mean), logits)


def test_a_head_follows_from_its_seed(make_model):
    heads = [mean_readout(make_model("bert"), 2, SPECIAL, seed=seed).score for seed in (1, 1, 2)]
    assert heads[0].weight.equal(heads[1].weight) and not heads[0].weight.equal(heads[2].weight)


def test_an_encoder_decoder_has_no_such_head(make_model):
    with pytest.raises(InputError, match="reads a text and its target"):
        mean_readout(make_model("t5"), 2, SPECIAL, seed=0)


def test_without_a_step_nothing_changes(before, reader, encoded):
    assert same_weights(trained(before, reader, encoded, learning_rate=0.0), before)


@pytest.mark.parametrize("name", ["free", "clamped"])
def test_an_arm_repeats_bit_for_bit(before, reader, encoded, name):
    first, again = (trained(before, reader, encoded, name) for _ in range(2))
    assert same_weights(first, again)
    other = trained(before, reader, encoded, name, seed=1)
    assert not same_weights(first, other)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "placebo_move"])
def test_every_arm_learns_in_a_way_of_its_own(before, reader, encoded, name):
    arm = trained(before, reader, encoded, name)
    kept = {*ARMS[name].kept}
    assert moved(arm, before) == {*ROLES} - kept
    assert (name == "free") == same_weights(arm, trained(before, reader, encoded))


def test_arms_read_the_same_texts_in_the_same_order(before, reader, encoded, monkeypatch):
    orders = {}
    for name in ("free", "clamped", "zeroed"):
        read = orders.setdefault(name, [])
        opened = reader.opened

        def noted(model, condition, texts, batch, read=read, opened=opened):
            read.append([text.input_ids for text in texts])
            return opened(model, condition, texts, batch)

        with monkeypatch.context() as patch:
            patch.setattr(reader, "opened", noted)
            trained(before, reader, encoded, name)
    assert orders["free"] == orders["clamped"] == orders["zeroed"]
    assert len(orders["free"]) == 6


def test_a_training_that_diverges_is_refused(before, reader, encoded):
    with pytest.raises(InputError, match="the training diverged"):
        trained(before, reader, encoded, learning_rate=1e30)


def test_weights_of_parts_are_exchanged_and_no_others(before, reader, encoded):
    free = trained(before, reader, encoded)
    for role in ROLES:
        assert moved(exchanged(before, free, [role]), before) == {role}
    assert same_weights(exchanged(before, free, ROLES), free)


@pytest.mark.parametrize("family", ["bert", "llama", "distilbert"])
@torch.no_grad()
def test_weights_are_of_what_they_change(make_model, encoded, family):
    """Of the last layer: attention depends on queries and keys, and on no value."""
    model = mean_readout(make_model(family), 2, SPECIAL, seed=0)
    batch = pad(encoded, model.config)
    (layer,) = {layer.path for layer in structure_of(model).layers[-1:]}

    def read():
        with record_attention(model) as calls:
            logits = model(**batch).logits
        return calls[-1].weights.clone(), logits

    attention, logits = read()
    roles, found = weight_roles(model), set()
    for name, weight in model.named_parameters():
        if not name.startswith(f"{layer}.") or roles[name] == "rest":
            continue
        before = weight.clone()
        weight += 0.3 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))
        changed, other = read()
        weight.copy_(before)
        # A bias of keys is the same for all keys of a query, but for rotations.
        if not name.endswith(("key.bias", "k_lin.bias")):
            assert (changed - attention).abs().max().gt(1e-4) == (roles[name] == "query_key"), name
            assert (other - logits).abs().max() > 1e-7, name
        found.add(roles[name])
    assert found == {*ROLES} - {"rest"}


@pytest.mark.parametrize("family", ["gpt2", "modernbert"])
def test_values_without_weights_of_their_own_are_refused(make_model, family):
    with pytest.raises(InputError, match="queries, keys and values by the same"):
        weight_roles(make_model(family))


# --- conditions -----------------------------------------------------------------------------------


@torch.no_grad()
def test_held_at_its_own_shares_a_model_is_as_it_was(before, reader, encoded):
    batch = pad(encoded, before.config)
    with record_attention(before):
        own = before(**batch).logits
    for keys in ("special", "first", "last", "mass"):
        with reader.opened(before, Condition("held", keys, "pretrained"), encoded, batch):
            torch.testing.assert_close(before(**batch).logits, own, rtol=1e-5, atol=1e-6)


def test_the_clamp_holds_the_shares_of_the_pretrained_model(before, reader, encoded):
    free = trained(before, reader, encoded)
    batch = pad(encoded, before.config)
    keys = reader.keys("special", encoded, batch)
    with reader.opened(free, HELD, encoded, batch):
        found = shares(free, batch, keys)
    for one, expected in zip(found, shares(before, batch, keys), strict=True):
        torch.testing.assert_close(one, expected)


def test_shares_follow_what_is_replaced_or_are_those_before(before, reader, encoded):
    free = trained(before, reader, encoded)
    text = encoded[0]
    original = pad([text], before.config)
    batch = {name: values.clone() for name, values in original.items()}
    batch["input_ids"][0, 2] = 9
    keys = reader.keys("special", [text], batch)
    for what, read in (("held", original), ("following", batch)):
        with reader.opened(free, replace(HELD, what=what), [text], batch, original):
            found = shares(free, batch, keys)
        for one, expected in zip(found, shares(before, read, keys), strict=True):
            torch.testing.assert_close(one, expected)


def test_sets_of_keys_are_what_they_are_called(before, reader, encoded):
    reader.free = trained(before, reader, encoded)
    for text in encoded:
        special = np.array(text.is_special)
        chosen = {keys: reader.chosen(keys, text) for keys in SETS}
        np.testing.assert_array_equal(chosen["special"], special)
        np.testing.assert_array_equal(chosen["first"] | chosen["last"], special)
        assert chosen["first"].sum() == chosen["last"].sum() == 1
        for keys in ("mass", "move"):
            assert chosen[keys].any() and not (chosen[keys] & special).any()


def test_a_placebo_weighs_as_much_as_it_can(before, reader, encoded):
    text = max(encoded, key=lambda one: len(one.input_ids))
    wanted, _ = reader.weights_of("special", text)
    found, _ = reader.weights_of("mass", text)
    ordinary = np.flatnonzero(~np.array(text.is_special))
    singles = []
    for key in ordinary:
        reader._chosen["single", tuple(text.input_ids)] = np.arange(len(text.input_ids)) == key
        singles.append(reader.weights_of("single", text)[0])
    assert abs(found - wanted) <= min(abs(single - wanted) for single in singles)


def test_shares_of_another_text_are_of_no_token_of_its_own(before, reader, encoded):
    text = encoded[2]
    other, places = reader._other(text)
    assert other.input_ids != text.input_ids
    np.testing.assert_array_equal(np.array(other.is_special)[places], text.is_special)
    batch, of_other = pad([text], before.config), pad([other], before.config)
    with reader.opened(before, ARMS["shuffled"].condition, [text], batch):
        found = shares(before, batch, reader.keys("special", [text], batch))
    expected = shares(before, of_other, reader.keys("special", [other], of_other))
    for one, of in zip(found, expected, strict=True):
        torch.testing.assert_close(one, of[:, :, torch.from_numpy(places)])


def test_the_mean_share_is_the_same_for_all_tokens(before, reader, encoded):
    batch = pad(encoded[:1], before.config)
    with reader.opened(before, ARMS["mean"].condition, encoded[:1], batch):
        found = shares(before, batch, reader.keys("special", encoded[:1], batch))
    means = [one.mean(2, keepdim=True).expand_as(one) for one in found]
    for one, mean in zip(found, means, strict=True):
        torch.testing.assert_close(one, mean)
    assert not found[0][0, 0].allclose(found[0][0, 1])


# --- what is read of them -------------------------------------------------------------------------


def test_pretrained_weights_that_follow_their_own_shares_depend_as_they_do(before, reader, encoded):
    drawn = draw_replacements(encoded, draws=2)
    free, following = (
        depends(before, encoded, drawn, way, reader, batch_size=8)
        for way in (FREE, replace(HELD, what="following"))
    )
    np.testing.assert_allclose(following["value"], free["value"], rtol=1e-3, atol=1e-5)
    by_name = free.groupby("quantity")["value"]
    assert by_name.min()["dependence"] >= 0 and by_name.max()["dependence"] <= 1
    assert by_name.min()["prediction_tokens"] >= 1
    assert len(free[free["quantity"] == "dependence"]) == len(encoded) * 2


def test_predictions_are_scored(before, reader, encoded):
    reader.free = trained(before, reader, encoded)
    free = predictions(reader.free, encoded, batch_size=3)
    found = predicts(reader.free, encoded, LABELS, FREE, reader, free=free, batch_size=2)
    table = found.pivot(index="text", columns="quantity", values="value")
    logits = torch.cat([reader.free(**pad([text], before.config)).logits for text in encoded])
    assert table["right"].tolist() == (logits.argmax(1) == torch.tensor(LABELS)).tolist()
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(LABELS))
    assert table["loss"].mean() == pytest.approx(loss.item(), abs=1e-5)
    np.testing.assert_allclose(table["divergence"], 0, atol=1e-9)
    torch.testing.assert_close(free.float(), logits.log_softmax(dim=1))
    heads = sink_shares(reader.free, encoded, reader, batch_size=2)
    assert len(heads) == 8
    assert heads["value"].mean() == pytest.approx(table["sinks"].mean(), abs=1e-6)


def test_parts_of_the_path_sum_exactly(before, reader, encoded):
    free = trained(before, reader, encoded)
    path = path_of_sinks(before, free, encoded, reader)
    wide = path.pivot(index=["text", "layer"], columns="quantity", values="value")
    np.testing.assert_allclose(wide[[*ROLES]].sum(axis=1), wide["all"], rtol=0, atol=1e-9)
    assert (wide["query_key"].abs() > 1e-4).any()
    # What comes behind the attention of the first layer has not touched it.
    first = wide.xs(1, level="layer")
    np.testing.assert_allclose(first[["value_output", "feed_forward"]], 0, atol=1e-12)


def test_a_trial_reads_all_arms_in_all_ways(make_model, encoded):
    settings = TrialSettings(
        arms=NAMES,
        texts=2,
        draws=2,
        scored=5,
        batch_size=8,
        doses=(-1.0, 1.0),
    )
    encoder = make_model("bert", initializer_range=0.4)
    texts = LabelledTexts(encoded, LABELS)
    trial = Trial(encoder, texts, texts, encoded[:2], settings, TRAINING, seed=0)
    tables = trial.tables()
    names = ["weights", "learning_rate", "what", "keys", "shares", "bias"]
    found = tables["outcomes"].groupby(names).size()
    expected = len(pretrained_conditions(NAMES)) + sum(len(conditions(name)) for name in NAMES)
    at_other_rate = [conditions(name, following=False) for name in ("free", "clamped")]
    expected += sum(map(len, at_other_rate))
    assert len(found) == expected + 2 * 2  # doses, on two sets of keys
    assert not tables["outcomes"]["value"].isna().any()
    assert {*tables["keys"]["keys"]} == {*SETS}
    assert {*tables["heads"]["weights"]} == {"pretrained", *NAMES}
