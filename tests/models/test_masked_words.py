"""Words are hidden as BERT's were, and the loss is theirs alone."""

import copy

import numpy as np
import pytest
import torch
from made_inputs import changed, tune
from transformers import AutoModelForMaskedLM, BertConfig, BertTokenizerFast

from attention_mixing.errors import InputError
from attention_mixing.models.batch import NOT_ASKED
from attention_mixing.models.load import load_classifier, load_encoder, load_masked_words
from attention_mixing.models.training_rows import masked_rows

SENTENCE = "the bright film was not dull , but the plot and the actor is very good !"


def hidden(tokenizer, texts, masked=0.15, seed=0, max_tokens=40):
    generator = np.random.default_rng(seed)
    how = {"max_tokens": max_tokens, "masked": masked, "generator": generator}
    return masked_rows(texts, tokenizer, BertConfig(), **how)


def asked_for(row) -> np.ndarray:
    return np.flatnonzero(np.array(row["labels"]) != NOT_ASKED)


@pytest.mark.parametrize(("masked", "count"), [(0.01, 1), (0.15, 3), (0.5, 8), (1.0, 17)])
def test_a_share_of_the_words_is_asked_for_and_no_special_token(tokenizer, masked, count):
    ids = tokenizer(SENTENCE)["input_ids"]
    (row,) = hidden(tokenizer, [SENTENCE], masked)
    places = asked_for(row)
    assert len(places) == count
    assert {0, len(ids) - 1}.isdisjoint(places)
    assert [row["labels"][place] for place in places] == [ids[place] for place in places]
    others = np.setdiff1d(np.arange(len(ids)), places)
    assert [row["input_ids"][place] for place in others] == [ids[place] for place in others]


def test_most_are_masked_some_replaced_and_some_left(tokenizer):
    rows = hidden(tokenizer, [SENTENCE] * 400, masked=1.0)
    shown = np.concatenate([np.array(row["input_ids"])[asked_for(row)] for row in rows])
    words = np.concatenate([np.array(row["labels"])[asked_for(row)] for row in rows])
    drawn_alike = 0.1 / len(tokenizer)  # a token drawn from the vocabulary may be any
    assert (shown == tokenizer.mask_token_id).mean() == pytest.approx(0.8 + drawn_alike, abs=0.015)
    assert (shown == words).mean() == pytest.approx(0.1 + drawn_alike, abs=0.015)


def test_the_seed_decides_what_is_hidden(tokenizer):
    texts = [SENTENCE, "the film was bad", "sleeping capybaras"]
    assert hidden(tokenizer, texts) == hidden(tokenizer, texts)
    assert hidden(tokenizer, texts) != hidden(tokenizer, texts, seed=1)


def test_what_replaces_a_word_is_drawn_of_the_vocabulary_as_it_always_was(tokenizer):
    """The same number for the same seed, where ids have no holes."""
    words = len(tokenizer(SENTENCE)["input_ids"]) - 2
    (row,) = hidden(tokenizer, [SENTENCE], masked=1.0, seed=3)
    generator = np.random.default_rng(3)
    order, chance = generator.permutation(np.arange(1, words + 1)), generator.random(words)
    drawn = generator.integers(len(tokenizer), size=words)
    replaced = (chance >= 0.8) & (chance < 0.9)
    assert replaced.any()
    assert np.array(row["input_ids"])[order[replaced]].tolist() == drawn[replaced].tolist()


def test_it_is_drawn_of_ids_that_vocabulary_and_model_have(tokenizer):
    """Where ids have a hole, and where one that was added is not in the model."""
    vocabulary = tokenizer.get_vocab()
    (last,) = (word for word, place in vocabulary.items() if place == len(vocabulary) - 1)
    holed, larger = BertTokenizerFast(vocab=vocabulary | {last: 500}), copy.deepcopy(tokenizer)
    larger.add_tokens(["capybaras"])
    for given, size, known in (
        (holed, 501, {*range(len(vocabulary) - 1), 500}),
        (larger, len(vocabulary), {*range(len(vocabulary))}),
    ):
        how = {"max_tokens": 40, "masked": 1.0, "generator": np.random.default_rng(0)}
        rows = masked_rows([SENTENCE] * 400, given, BertConfig(vocab_size=size), **how)
        assert {token for row in rows for token in row["input_ids"]} == known


def test_a_mask_that_the_model_lacks_is_refused(tokenizer):
    config = BertConfig(vocab_size=tokenizer.mask_token_id)
    how = {"max_tokens": 40, "masked": 0.5, "generator": np.random.default_rng(0)}
    with pytest.raises(InputError, match="no mask token"):
        masked_rows([SENTENCE], tokenizer, config, **how)


def test_a_tokenizer_without_a_mask_is_refused(tokenizer):
    with pytest.raises(InputError, match="no mask token"):
        hidden(changed(tokenizer, mask_token=None), [SENTENCE])


def test_it_learns_and_is_scored_on_what_was_asked_for(tokenizer, pretrained, tmp_path):
    """The last evaluation against the model itself, one text at a time."""
    training, held_out = (
        hidden(tokenizer, [SENTENCE] * 64),
        hidden(tokenizer, [SENTENCE, "the film was good"]),
    )
    torch.manual_seed(0)
    model = load_masked_words(pretrained)
    model, history = tune(model, training, held_out, tmp_path / "checkpoints")
    losses, right = [], []
    for row in held_out:
        labels = torch.tensor(row["labels"])
        given = {name: torch.tensor([row[name]]) for name in row if name != "labels"}
        with torch.inference_mode():
            logits = model.eval()(**given).logits[0]
        asked = labels != NOT_ASKED
        losses.append(
            torch.nn.functional.cross_entropy(logits[asked], labels[asked], reduction="none")
        )
        right.append(logits[asked].argmax(dim=-1) == labels[asked])
    best = history.loc[history["validation_loss"].idxmin()]
    assert best["validation_loss"] == pytest.approx(float(torch.cat(losses).mean()), rel=1e-5)
    assert best["validation_accuracy"] == pytest.approx(float(torch.cat(right).float().mean()))
    assert history["train_loss"].iloc[-1] < history["train_loss"].iloc[0] - 0.5


def test_experiments_can_start_from_it(pretrained, tokenizer, tmp_path):
    """As an encoder, and with the head of a classifier, which is drawn anew."""
    torch.manual_seed(0)
    model = load_masked_words(pretrained)
    before = copy.deepcopy(model.base_model.state_dict())
    model.save_pretrained(tmp_path)
    encoder, classifier = load_encoder(tmp_path), load_classifier(tmp_path, ("poor", "fine"), 0.1)
    for name, tensor in before.items():
        assert torch.equal(encoder.state_dict()[name], tensor)
        assert torch.equal(classifier.base_model.state_dict()[name], tensor)
    again = AutoModelForMaskedLM.from_pretrained(tmp_path)
    assert torch.equal(again.get_output_embeddings().weight, again.get_input_embeddings().weight)
