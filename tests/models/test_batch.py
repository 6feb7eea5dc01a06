"""Padding, which no model sees and from which none learns."""

from transformers import BertConfig

from attention_mixing.models.batch import NOT_ASKED, inputs, pad, pad_rows


def test_padding_is_masked_and_on_the_right(tokenizer, encoded):
    batch = pad(encoded, BertConfig(pad_token_id=tokenizer.pad_token_id))
    longest = max(len(one.input_ids) for one in encoded)
    for ids, mask, one in zip(batch["input_ids"], batch["attention_mask"], encoded, strict=True):
        n = len(one.input_ids)
        assert ids.tolist() == one.input_ids + [tokenizer.pad_token_id] * (longest - n)
        assert mask.tolist() == [1] * n + [0] * (longest - n)


def test_a_model_without_padding_token_is_padded_behind_the_mask(encoded):
    batch = pad(encoded, BertConfig(pad_token_id=None))
    lengths = [len(one.input_ids) for one in encoded]
    assert batch["attention_mask"].sum(dim=1).tolist() == lengths


def test_rows_are_padded_on_the_right_with_nothing_to_learn_there(encoded):
    """Whatever the tokenizer does: the first token is what a classifier reads."""
    config = BertConfig(pad_token_id=7)
    rows = [inputs(text, config) | {"labels": [5] * len(text.input_ids)} for text in encoded]
    batch = pad_rows(rows, config)
    for row, text in enumerate(encoded):
        n = len(text.input_ids)
        assert batch["input_ids"][row, :n].tolist() == text.input_ids
        assert set(batch["input_ids"][row, n:].tolist()) <= {7}
        assert batch["labels"][row].tolist() == [5] * n + [NOT_ASKED] * (
            len(batch["labels"][row]) - n
        )
    whole = pad_rows([row | {"labels": 1} for row in rows], config)
    assert whole["labels"].tolist() == [1] * len(rows)
