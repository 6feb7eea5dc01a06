"""Tokens: where they come from, how many are kept, and how they are padded."""

import pytest

from analysis.errors import InputError
from analysis.models.encode import encode, pad
from analysis.params import Length


def length(max_tokens=40, longer="truncate"):
    return Length(max_tokens=max_tokens, longer=longer)


def test_spans_point_at_the_characters_of_each_token(tokenizer, encoded, texts):
    for text, one in zip(texts, encoded, strict=True):
        for token, (start, end), special in zip(one.tokens, one.spans, one.is_special, strict=True):
            if not special and token != "[UNK]":
                assert text[start:end].lower() == token.removeprefix("##").lower()


def test_pieces_of_a_word_share_its_index(encoded):
    capybara = encoded[0]
    pieces = [i for i, token in enumerate(capybara.tokens) if token in ("cap", "##y", "##bara")]
    assert len(pieces) == 3
    assert len({capybara.words[i] for i in pieces}) == 1
    assert capybara.words[pieces[0]] != capybara.words[pieces[0] - 1]


def test_only_tokens_that_the_model_adds_are_special(encoded):
    for one in encoded:
        assert one.is_special == [True] + [False] * (len(one.tokens) - 2) + [True]
        assert (one.tokens[0], one.tokens[-1]) == ("[CLS]", "[SEP]")


def test_a_mask_in_the_text_is_one_token_of_it(tokenizer, encoded, texts):
    masked = encoded[-1]
    position = masked.tokens.index("[MASK]")
    assert masked.input_ids[position] == tokenizer.mask_token_id
    assert not masked.is_special[position]
    start, end = masked.spans[position]
    assert texts[-1][start:end] == "[MASK]"


@pytest.mark.parametrize("max_tokens", [3, 4, 7])
def test_long_texts_are_cut_and_counted(tokenizer, texts, max_tokens):
    whole = encode(texts, tokenizer, length())
    cut = encode(texts, tokenizer, length(max_tokens))
    for long, short in zip(whole, cut, strict=True):
        assert not long.truncated
        assert short.truncated == (len(long.input_ids) > max_tokens)
        assert len(short.input_ids) == min(len(long.input_ids), max_tokens)
        kept = len(short.input_ids) - 1
        assert short.input_ids == [*long.input_ids[:kept], tokenizer.sep_token_id]
        assert short.spans[:kept] == long.spans[:kept]


def test_a_text_cut_into_many_pieces_is_still_one_text(tokenizer):
    texts = ["good " * 200, "bad", "dull " * 100]
    cut = encode(texts, tokenizer, length(5))
    assert [one.truncated for one in cut] == [True, False, True]
    assert [one.tokens[1] for one in cut] == ["good", "bad", "dull"]


def test_long_texts_are_refused_when_asked(tokenizer, texts):
    with pytest.raises(InputError, match=r"text 0 .*max_tokens = 6 .*longer is refuse"):
        encode(texts, tokenizer, length(6, "refuse"))
    encode(["a dull plot"], tokenizer, length(5, "refuse"))


def test_more_tokens_than_the_model_has_positions_are_refused(tokenizer, texts):
    with pytest.raises(InputError, match=r"max_tokens is 41 .*at most 40"):
        encode(texts, tokenizer, length(41))


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u200b", "\x00"])
def test_a_text_without_any_token_is_refused(tokenizer, text):
    with pytest.raises(InputError, match=r"text 1 .*has no token"):
        encode(["good", text], tokenizer, length())


def test_text_of_unknown_characters_is_still_text(tokenizer):
    (one,) = encode(["日本 🎬"], tokenizer, length())
    assert set(one.tokens[1:-1]) == {"[UNK]"}
    assert [("日本 🎬")[start:end] for start, end in one.spans[1:-1]] == ["日", "本", "🎬"]


def test_settings_saved_with_a_tokenizer_do_not_pad_or_cut(tokenizer, tmp_path, texts, encoded):
    """A tokenizer.json may hold padding and truncation of its own."""
    from analysis.models.load import load_tokenizer

    tokenizer.save_pretrained(tmp_path)
    backend = tokenizer.backend_tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    backend.enable_padding(length=30)
    backend.enable_truncation(4)
    backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(
        '{"model_type": "bert", "max_position_embeddings": 40}', encoding="utf-8"
    )
    assert encode(texts, load_tokenizer(tmp_path), length()) == encoded


def test_padding_is_masked_and_on_the_right(tokenizer, encoded):
    batch = pad(encoded, tokenizer)
    longest = max(len(one.input_ids) for one in encoded)
    for ids, mask, one in zip(batch["input_ids"], batch["attention_mask"], encoded, strict=True):
        n = len(one.input_ids)
        assert ids == one.input_ids + [tokenizer.pad_token_id] * (longest - n)
        assert mask == [1] * n + [0] * (longest - n)


def test_padding_leaves_the_texts_as_they_were(tokenizer, encoded):
    before = [list(one.input_ids) for one in encoded]
    pad(encoded, tokenizer)
    assert [one.input_ids for one in encoded] == before


def test_a_tokenizer_without_padding_token_pads_behind_the_mask(tokenizer, encoded):
    import copy

    bare = copy.deepcopy(tokenizer)
    bare.pad_token = None
    batch = pad(encoded, bare)
    assert len({len(ids) for ids in batch["input_ids"]}) == 1
