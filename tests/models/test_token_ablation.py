"""Taking tokens away, many at once, is the same as taking them away by hand, one text a time."""

import copy

import numpy as np
import pytest
import torch
from made_inputs import changed

from attention_mixing.errors import InputError
from attention_mixing.models.batch import pad
from attention_mixing.models.dummy_inputs import most_tokens
from attention_mixing.models.encode import encode_one
from attention_mixing.models.token_ablation import ablate, possible

CPU = {"device": torch.device("cpu")}


@pytest.fixture(scope="module")
def bert(make_model):
    return make_model("bert", "ForSequenceClassification", num_labels=3, initializer_range=0.3)


@pytest.fixture(scope="module")
def sets(encoded):
    """Nothing, each token, every other one, all but one and all: special tokens stay."""
    result = []
    for one in encoded:
        own = [i for i, special in enumerate(one.is_special) if not special]
        result.append([set(), *({i} for i in own), set(own[::2]), set(own[1:]), set(own)])
    return result


def by_hand(model, tokenizer, ids, positions, removal):
    """Probabilities of one text, by plain lists and a pass of its own."""
    if removal == "delete":
        left = [token for place, token in enumerate(ids) if place not in positions]
    else:
        other = tokenizer.convert_tokens_to_ids({"mask": "[MASK]", "unknown": "[UNK]"}[removal])
        left = [other if place in positions else token for place, token in enumerate(ids)]
    with torch.inference_mode():
        return model(input_ids=torch.tensor([left])).logits[0].double().softmax(-1).numpy()


@pytest.mark.parametrize(
    ("kind", "removal", "batch_size"),
    [("bert", "mask", 4), ("bert", "delete", 100), ("distilbert", "unknown", 1)],
)
def test_it_equals_one_by_one(make_model, tokenizer, encoded, sets, kind, removal, batch_size):
    model = make_model(kind, "ForSequenceClassification", num_labels=3, initializer_range=0.3)
    ours = ablate(model, tokenizer, encoded, sets, removal=removal, batch_size=batch_size, **CPU)
    for text, variants, probabilities in zip(encoded, sets, ours, strict=True):
        expected = [by_hand(model, tokenizer, text.input_ids, one, removal) for one in variants]
        assert probabilities.shape == (len(variants), 3)
        np.testing.assert_allclose(probabilities, expected, atol=1e-5)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)


def test_batches_hold_one_length_and_no_more_rows_than_asked(make_model, tokenizer, encoded, sets):
    model, passes = make_model("bert", "ForSequenceClassification"), []
    model.register_forward_pre_hook(
        lambda _, args, given: passes.append(given["input_ids"].shape), with_kwargs=True
    )
    ablate(model, tokenizer, encoded, sets, removal="delete", batch_size=4, **CPU)
    assert max(rows for rows, _ in passes) == 4
    assert [length for _, length in passes] == sorted(length for _, length in passes)
    distinct = {
        tuple(token for place, token in enumerate(text.input_ids) if place not in one)
        for text, variants in zip(encoded, sets, strict=True)
        for one in variants
    }
    assert sum(rows for rows, _ in passes) == len(distinct)


def test_without_any_token_left_there_is_no_answer(bert, tokenizer, encoded):
    everything = [[set(), set(range(len(text.input_ids)))] for text in encoded]
    for probabilities in ablate(
        bert, tokenizer, encoded, everything, removal="delete", batch_size=4, **CPU
    ):
        assert np.isfinite(probabilities[0]).all()
        assert np.isnan(probabilities[1]).all()
    masked = ablate(bert, tokenizer, encoded, everything, removal="mask", batch_size=4, **CPU)
    assert all(np.isfinite(probabilities).all() for probabilities in masked)


def test_texts_without_variants_and_no_texts_at_all(bert, tokenizer, encoded):
    options = {"removal": "mask", "batch_size": 4, **CPU}
    first, second = ablate(bert, tokenizer, encoded[:2], [[], [{1}]], **options)
    assert first.shape == (0, 3)
    assert second.shape == (1, 3)
    assert ablate(bert, tokenizer, [], [], **options) == []


def test_a_tokenizer_without_the_token_is_refused(bert, tokenizer, encoded):
    bare = changed(tokenizer, mask_token=None)
    with pytest.raises(InputError, match=r"removal is mask but .* this model: delete, unknown;"):
        ablate(bert, bare, encoded, [[{1}]] * 5, removal="mask", batch_size=4, **CPU)
    ablate(bert, bare, encoded, [[{1}]] * 5, removal="delete", batch_size=4, **CPU)


@pytest.mark.parametrize("removal", ["delete", "mask"])
def test_the_second_text_of_a_pair_keeps_its_type(make_model, tokenizer, removal):
    """A model that heeds types says of a pair what it says itself."""
    model = make_model("bert", "ForSequenceClassification", seed=3, initializer_range=1.0)
    text = encode_one("a dull plot", "the film was good", tokenizer, most_tokens(model))
    assert set(text.types) == {0, 1}
    ((whole, without),) = ablate(
        model, tokenizer, [text], [[set(), {6}]], removal=removal, batch_size=4, **CPU
    )
    ids, types = list(text.input_ids), list(text.types)
    for expected in (whole, without):
        with torch.inference_mode():
            given = {"input_ids": torch.tensor([ids]), "token_type_ids": torch.tensor([types])}
            own = model(**given).logits[0].double().softmax(-1)
            blind = model(given["input_ids"]).logits[0].double().softmax(-1)
        np.testing.assert_allclose(expected, own, rtol=1e-5)
        assert abs(own[0] - blind[0]) > 0.001
        if removal == "mask":
            ids[6] = tokenizer.mask_token_id
        else:
            del ids[6], types[6]


def test_several_labels_have_probabilities_of_their_own(make_model, tokenizer, encoded):
    model = make_model(
        "bert",
        "ForSequenceClassification",
        num_labels=3,
        initializer_range=0.3,
        problem_type="multi_label_classification",
    )
    ((whole,), *_) = ablate(
        model, tokenizer, encoded[:1], [[set()]], removal="mask", batch_size=1, **CPU
    )
    with torch.inference_mode():
        own = model(**pad(encoded[:1], model.config)).logits[0].sigmoid()
    np.testing.assert_allclose(whole, own, rtol=1e-5)
    assert abs(whole.sum() - 1) > 0.01


def test_what_the_model_has_no_token_for_takes_no_place(tokenizer, make_model):
    """A mask that was only added to the tokenizer."""
    added = copy.deepcopy(tokenizer)
    added.add_special_tokens({"mask_token": "<mask>"})
    config = make_model("bert").config
    assert possible(tokenizer, config) == ["delete", "mask", "unknown"]
    assert added.mask_token_id == config.vocab_size
    assert possible(added, config) == ["delete", "unknown"]
