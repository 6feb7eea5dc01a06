"""Characters that tokens stand for, also where a tokenizer does not tell them."""

import copy
import json

import pandas as pd
import pytest
import tokenizers_made as made
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertTokenizerFast, PreTrainedTokenizerFast

from attention_mixing.capture import capture_text
from attention_mixing.capture.tables import tokens_table
from attention_mixing.errors import InputError
from attention_mixing.models.encode import encode, encode_one
from attention_mixing.models.spans import find, tokenise, tokenise_all
from attention_mixing.models.tokenizer import load_tokenizer
from attention_mixing.settings.experiment import Length

JAPANESE = "自然言語処理の研究は、東京で２０２０年にがんばった。ﾃｽﾄ㍻ café"
WORDS = (*made.BERT_SPECIAL, *made.JAPANESE_WORDS)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    path = tmp_path_factory.mktemp("japanese") / "vocab.txt"
    made.write_lines(path, WORDS)
    return path


@pytest.fixture(scope="module", params=["wordpiece", "character"])
def japanese(request, vocabulary):
    """Cuts texts into words by MeCab; in Python, without characters."""
    return made.japanese(vocabulary, request.param, model_max_length=40)


def test_ids_are_the_own_ones_of_the_tokenizer(japanese):
    read = tokenise(japanese, JAPANESE)
    assert not japanese.is_fast
    assert read.ids == japanese(JAPANESE)["input_ids"]
    assert read.tokens == japanese.convert_ids_to_tokens(read.ids)
    assert read.special == [True, *[False] * (len(read.ids) - 2), True]


def test_spans_are_the_characters_of_each_token(japanese):
    read = tokenise(japanese, JAPANESE)
    spelled = dict(zip(read.tokens, (JAPANESE[slice(*span)] for span in read.spans), strict=True))
    same = {token: token for token in ("の", "は", "、", "で", "年", "に", "。")}
    assert same.items() <= spelled.items()
    if japanese.subword_tokenizer_type == "wordpiece":
        assert (spelled["2020"], spelled["テスト"], spelled["平成"]) == ("２０２０", "ﾃｽﾄ", "㍻")
        assert (spelled["caf"], spelled["##é"], spelled["東京"]) == ("caf", "é", "東京")
        unknown = [s for s, token in zip(read.spans, read.tokens, strict=True) if token == "[UNK]"]
        assert [JAPANESE[slice(*span)] for span in unknown] == ["がんばっ", "た"]


def test_every_character_but_blanks_is_in_some_token(japanese):
    read = tokenise(japanese, JAPANESE)
    covered = {place for start, end in read.spans for place in range(start, end)}
    assert covered | {JAPANESE.index(" ")} == set(range(len(JAPANESE)))


def test_texts_are_cut_and_pairs_told_apart(japanese):
    (cut,) = tokenise_all(japanese, [JAPANESE], 6)
    whole = tokenise(japanese, JAPANESE)
    assert cut.cut and cut.spans[1:5] == whole.spans[1:5] and len(cut.ids) == 6
    pair = tokenise(japanese, "東京", "の研究")
    assert [part for part in pair.parts if part is not None] == sorted(
        part for part in pair.parts if part is not None
    )
    own = japanese("東京", "の研究")
    assert "token_type_ids" not in own  # it tells a model of none
    assert (pair.ids, {*pair.types}) == (own["input_ids"], {0})
    second = [span for span, part in zip(pair.spans, pair.parts, strict=True) if part == 1]
    assert second[0] == (0, 1)


def test_a_model_is_read_with_such_a_tokenizer(japanese, make_model):
    model = make_model("bert")
    text = capture_text("東京の研究は、", model=(model, japanese))
    rows = text.tokens
    assert rows["written"].tolist()[1:-1] == [
        "東京の研究は、"[one.start : one.end] + ("" if len(alike) == 1 else f" {at}/{len(alike)}")
        for one in rows[1:-1].itertuples()
        for alike in [
            rows[(rows["start"] == one.start) & (rows["end"] == one.end)]["position"].tolist()
        ]
        for at in [alike.index(one.position) + 1]
    ]
    assert text["attention"].shape[-1] == len(rows)


def test_a_directory_with_such_a_tokenizer_is_loaded(japanese, make_model, tmp_path):
    make_model("bert").save_pretrained(tmp_path)
    japanese.save_pretrained(tmp_path)
    loaded = load_tokenizer(tmp_path)
    assert not loaded.is_fast
    assert tokenise(loaded, JAPANESE) == tokenise(japanese, JAPANESE)
    (encoded,) = encode([JAPANESE], loaded, Length(max_tokens=40, longer="refuse"))
    assert encoded.input_ids == japanese(JAPANESE)["input_ids"]


# --- what stands for nothing ----------------------------------------------------------------------

METASPACE = pre_tokenizers.Metaspace(prepend_scheme="always")


def cut_by(cut, *pieces: str, normalizer=None) -> PreTrainedTokenizerFast:
    """A tokenizer of characters that puts marks before words."""
    characters = models.BPE(made.numbered(["<unk>", *pieces]), [], unk_token="<unk>")
    tokenizer = Tokenizer(characters)
    tokenizer.pre_tokenizer = cut
    tokenizer.normalizer = normalizer
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")


@pytest.mark.parametrize(
    ("tokenizer", "text", "told"),
    [
        (cut_by(METASPACE, *"▁中文"), "中文 中", [(0, 0), (0, 1), (1, 2), (2, 3), (3, 4)]),
        # A mark in the text is one of it, and so is a blank.
        (cut_by(METASPACE, *"▁中文"), "▁中", [(0, 1), (1, 2)]),
        (cut_by(METASPACE, *"▁中文"), " 中", [(0, 1), (1, 2)]),
        # The vocabulary knows neither the mark nor what is behind it.
        (cut_by(METASPACE, "文"), "中文 文", [(0, 0), (0, 1), (1, 2), (2, 3), (3, 4)]),
        # One character that is two letters: each stands for it.
        (
            cut_by(METASPACE, *"▁fi", normalizer=normalizers.NFKC()),
            "ﬁ ﬁ",
            [(0, 0), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3)],
        ),
        (
            cut_by(None, *"▁中", normalizer=normalizers.Prepend("▁")),
            "中中",
            [(0, 0), (0, 1), (1, 2)],
        ),
        (cut_by(pre_tokenizers.ByteLevel(), *"Ġab"), "ab", [(0, 0), (0, 1), (1, 2)]),
        (cut_by(pre_tokenizers.Whitespace(), *"ab"), "ab", [(0, 1), (1, 2)]),
    ],
)
def test_a_mark_that_is_put_before_a_word_stands_for_no_character(tokenizer, text, told):
    assert tokenise(tokenizer, text).spans == told
    assert [one.spans for one in tokenise_all(tokenizer, [text, text], 20)] == [told, told]


def test_it_is_named_as_in_the_vocabulary_and_is_no_evidence():
    tokenizer = cut_by(METASPACE, *"▁中文")
    texts = ["中文"]
    read = encode(texts, tokenizer, Length(max_tokens=20, longer="refuse"))
    assert read[0].written(texts[0]) == ["▁", "中", "文"]
    examples = pd.DataFrame({"id": [0], "text": texts, "target": [None], "evidence": [[(0, 1)]]})
    assert tokens_table(examples, read)["is_evidence"].tolist() == [False, True, False]


def test_in_a_second_text_as_well():
    tokenizer = cut_by(METASPACE, *"▁中文")
    read = encode_one("中", "文", tokenizer, 20)
    assert read.spans == [(0, 0), (0, 1), (0, 0), (2, 3)]


# --- by themselves --------------------------------------------------------------------------------


@given(st.text("abc théÉ日本 ", min_size=1, max_size=30))
def test_tokens_that_are_words_are_found_where_they_are(text):
    places, start = [], None
    for place, one in enumerate([*text, " "]):
        if one.isspace():
            if start is not None:
                places.append((start, place))
            start = None
        elif start is None:
            start = place
    assert find([text[slice(*place)].casefold() for place in places], text) == places


@given(st.lists(st.sampled_from(["the", "film", "abc", "a"]), min_size=1, max_size=8))
def test_they_are_those_that_a_fast_tokenizer_tells(words):
    text = " ".join(words)
    fast = BertTokenizerFast(vocab={word: place for place, word in enumerate(WORDS)})
    told = tokenise(fast, text)
    own = [token for token, special in zip(told.tokens, told.special, strict=True) if not special]
    spans = [span for span, special in zip(told.spans, told.special, strict=True) if not special]
    found = find(own, text, "[UNK]")
    assert found == spans


def test_unknown_tokens_stand_for_what_lies_between():
    assert find(["a", "[UNK]", "c"], "a bde c", "[UNK]") == [(0, 1), (2, 5), (6, 7)]
    assert find(["[UNK]", "[UNK]"], "東京", "[UNK]") == [(0, 1), (1, 2)]
    assert find(["[UNK]", "[UNK]"], "東京都", "[UNK]") == [(0, 3), (0, 3)]
    assert find(["[UNK]", "a"], "a", "[UNK]") == [(0, 0), (0, 1)]


def test_accents_case_width_and_marks_do_not_matter():
    assert find(["cafe", "かき", "▁ab"], "CAFÉ がぎ ＡＢ") == [(0, 4), (5, 7), (8, 10)]


def test_marks_that_are_written_behind_a_letter_belong_to_it():
    assert find(["が", "e", "[UNK]"], "か\u3099e\u0301 q\u0303", "[UNK]") == [
        (0, 2),
        (2, 4),
        (5, 7),
    ]


def test_what_is_not_found_is_told():
    with pytest.raises(InputError, match="the token 'dog' of the tokenizer is not found"):
        find(["the", "dog"], "the cat")


def test_what_could_be_at_several_places_is_told():
    with pytest.raises(InputError, match="the token 'c' of the tokenizer is found at several"):
        find(["a", "[UNK]", "c"], "a bcd c", "[UNK]")


def test_words_tell_where_unknown_ones_end(vocabulary):
    """東京 comes again in what is not known."""
    japanese = made.japanese(vocabulary, "wordpiece")
    text = "北京と東京の研究"
    read = tokenise(japanese, text)
    spelled = [text[slice(*span)] for span in read.spans[1:-1]]
    assert spelled == ["北京", "と", "東京", "の", "研究"]


def test_a_tokenizer_that_writes_something_else_is_refused(japanese, make_model, tmp_path):
    other = copy.deepcopy(japanese)
    make_model("bert").save_pretrained(tmp_path)
    other.save_pretrained(tmp_path)
    described = tmp_path / "tokenizer_config.json"
    content = json.loads(described.read_text(encoding="utf-8"))
    content["word_tokenizer_type"] = "juman"
    described.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"no tokenizer could be loaded|japanese"):
        load_tokenizer(tmp_path)
