"""Tokens: where they come from, how many are kept, and which types they have."""

import itertools

import pytest
from made_inputs import asked, changed, without_types
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import BertConfig, DistilBertConfig, PreTrainedTokenizerFast, RobertaConfig

from attention_mixing.errors import InputError
from attention_mixing.models.batch import pad
from attention_mixing.models.encode import encode, encode_examples, encode_questions, written_alone
from attention_mixing.settings.experiment import Length


def length(max_tokens=40, longer="truncate"):
    return Length(max_tokens=max_tokens, longer=longer)


def test_tokens_are_words_and_pieces_between_special_ones(encoded):
    tokens = "[CLS] the brown cap ##y ##bara is sleeping now [SEP]"
    assert encoded[0].tokens == tokens.split()
    assert encoded[0].is_special == [True, *[False] * 8, True]


def test_a_mask_in_the_text_is_one_token_of_it(tokenizer, encoded, texts):
    masked = encoded[-1]
    assert masked.is_special == [True] + [False] * (len(masked.tokens) - 2) + [True]
    position = masked.tokens.index("[MASK]")
    assert masked.input_ids[position] == tokenizer.mask_token_id
    start, end = masked.spans[position]
    assert texts[-1][start:end] == "[MASK]"


@pytest.mark.parametrize("max_tokens", [3, 7])
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


def test_long_texts_are_refused_when_asked(tokenizer, texts):
    with pytest.raises(InputError, match=r"text 0 .*max_tokens = 6 .*longer is refuse"):
        encode(texts, tokenizer, length(6, "refuse"))
    encode(["a dull plot"], tokenizer, length(5, "refuse"))


def test_more_tokens_than_the_model_has_positions_are_refused(tokenizer, texts):
    with pytest.raises(InputError, match=r"max_tokens is 41 .*at most 40 tokens; lower it\."):
        encode(texts, tokenizer, length(41))
    with pytest.raises(InputError, match=r"max_tokens is 41 .*at most 40 .*read in windows"):
        encode_questions(questions_about(), tokenizer, windowed(41))


@pytest.mark.parametrize("text", ["", "\u200b"])
def test_a_text_without_any_token_is_refused(tokenizer, text):
    with pytest.raises(InputError, match=r"text 1 .*has no token"):
        encode(["good", text], tokenizer, length())


def test_settings_saved_with_a_tokenizer_do_not_pad_or_cut(tokenizer, tmp_path, texts, encoded):
    """A tokenizer.json may hold padding and truncation of its own."""
    from attention_mixing.models.tokenizer import load_tokenizer

    tokenizer.save_pretrained(tmp_path)
    backend = tokenizer.backend_tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    backend.enable_padding(length=30)
    backend.enable_truncation(4)
    backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(
        '{"model_type": "bert", "max_position_embeddings": 40}', encoding="utf-8"
    )
    assert encode(texts, load_tokenizer(tmp_path), length()) == encoded


def test_tokens_are_written_as_the_text_has_them(encoded, texts):
    for one, text in zip(encoded, texts, strict=True):
        for name, written, span in zip(one.tokens, one.written(text), one.spans, strict=True):
            assert written.removeprefix("##") == (text[slice(*span)] or name)
    assert encoded[0].written(texts[0]) == encoded[0].table(texts[0])["written"].tolist()


def test_what_a_vocabulary_does_not_know_is_written_too(tokenizer):
    text = "the Ελλάδα film"
    (one,) = encode([text], tokenizer, length())
    assert one.tokens == ["[CLS]", "the", "[UNK]", "film", "[SEP]"]
    assert one.written(text) == ["[CLS]", "the", "Ελλάδα", "film", "[SEP]"]


def test_bytes_are_written_as_characters_and_say_which_part_they_are(byte_tokenizer):
    text = "é a日"
    (one,) = encode([text], byte_tokenizer, length())
    assert "Ã" in one.tokens
    letters = ["é 1/2", "é 2/2", "Ġ", "a", "日 1/3", "日 2/3", "日 3/3"]
    assert one.written(text) == ["<s>", *letters, "</s>"]


# --- questions ------------------------------------------------------------------------------------

CONTEXTS = (
    "the film was not very good , but the music was . the actor was bad !",
    "a dull plot",
    "the brown capybara is sleeping now . " * 6,
)
ASKED = ("was the music good", "bad", "the brown capybara is very dull", "")


def test_a_token_of_no_text_is_written_as_what_it_stands_for(tokenizer):
    words = {"Ġwas": 0, "s": 1, "Ã": 2, "Ġ": 3, "</s>": 4}
    made = Tokenizer(models.BPE(words, [], unk_token="s"))
    made.decoder = decoders.ByteLevel()
    of_bytes = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="</s>")
    # Half of a character and mere space keep their names; what has none, its number.
    expected = ["was", "s", "Ã", "Ġ", "</s>", "5"]
    assert [written_alone(token, of_bytes) for token in range(6)] == expected
    assert written_alone(tokenizer.mask_token_id, tokenizer) == "[MASK]"


def questions_about(contexts=CONTEXTS, questions=ASKED):
    """Every question about every context; of its answers the first counts."""
    words = ("music", "plot", "sleeping", "was")
    return asked(
        *(
            (question, context, [word for word in words if word in context])
            for context, question in itertools.product(contexts, questions)
        )
    )


@pytest.fixture(scope="module")
def byte_tokenizer():
    """As RoBERTa's: bytes without merges, pairs in <s> </s></s> </s>, no types."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import RobertaTokenizerFast

    specials = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    vocabulary = {token: i for i, token in enumerate([*specials, *sorted(ByteLevel.alphabet())])}
    return RobertaTokenizerFast(vocab=vocabulary, merges=[], model_max_length=512)


@pytest.fixture(params=["bert", "roberta"])
def pair_tokenizer(request, tokenizer, byte_tokenizer):
    return tokenizer if request.param == "bert" else byte_tokenizer


def windowed(max_tokens=40, stride=8):
    return Length(max_tokens=max_tokens, stride=stride)


def room(tokenizer, row, length):
    """Context tokens that fit in beside the question."""
    asked = tokenizer(row.text[: row.context_start - 1], add_special_tokens=False).tokens()
    return length.max_tokens - tokenizer.num_special_tokens_to_add(pair=True) - len(asked)


def read(examples, tokenizer, length):
    """Rows of a corpus, each with what is encoded of it."""
    encoded = encode_questions(examples, tokenizer, length)
    return list(zip(examples.itertuples(), encoded, strict=True))


@pytest.mark.parametrize(("max_tokens", "stride"), [(14, 3), (40, 1), (40, 100)])
def test_windows_are_those_of_the_tokenizer_itself(pair_tokenizer, max_tokens, stride):
    """An independent implementation: what fast tokenizers call stride is the overlap."""
    length = windowed(max_tokens * (3 if "<s>" in pair_tokenizer.get_vocab() else 1), stride)
    examples = questions_about()
    for row, question in read(examples, pair_tokenizer, length):
        size = room(pair_tokenizer, row, length)
        expected = pair_tokenizer(
            row.text[: row.context_start - 1],
            row.text[row.context_start :],
            truncation="only_second",
            max_length=length.max_tokens,
            stride=size - min(stride, size),
            return_overflowing_tokens=True,
            return_token_type_ids=True,
        )
        assert [window.input_ids for window in question.windows] == expected["input_ids"]
        assert [window.types for window in question.windows] == expected["token_type_ids"]
        for window, own in zip(question.windows, expected.encodings, strict=True):
            assert window.tokens == own.tokens
            assert window.is_special == [part is None for part in own.sequence_ids]
            assert window.truncated == (len(question.windows) > 1)


def test_spans_of_question_and_context_are_characters_of_the_text(pair_tokenizer):
    examples = questions_about()
    for row, question in read(examples, pair_tokenizer, windowed()):
        for window, (start, end) in zip(question.windows, question.bounds, strict=True):
            context = window.spans[question.first : question.first + end - start]
            assert context == [tuple(span) for span in question.offsets[start:end]]
            for token, (a, b), special in zip(
                window.tokens, window.spans, window.is_special, strict=True
            ):
                if not special:
                    assert row.text[a:b].lstrip() == token.removeprefix("##").lstrip("Ġ")


def test_a_mark_before_a_context_stands_at_its_place_in_answers():
    """It stands for no character, but an answer may begin or end at it."""
    pieces = Tokenizer(models.BPE({"<s>": 0, "▁": 1, "a": 2, "b": 3}, []))
    cut = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    pieces.pre_tokenizer = pre_tokenizers.Sequence(cut)
    pieces.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 0)]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, model_max_length=40)
    (question,) = encode_questions(asked(("b", "a ab", ["ab"])), tokenizer, windowed(40))
    assert question.offsets.tolist() == [[2, 2], [2, 3], [4, 4], [4, 5], [5, 6]]
    assert question.windows[0].spans[question.first :] == [(0, 0), (2, 3), (0, 0), (4, 5), (5, 6)]
    assert (question.positions - question.first).tolist() == [[3, 4]]


def test_gold_positions_spell_the_first_answer(pair_tokenizer):
    examples = questions_about()
    held = 0
    length = windowed(120 if "<s>" in pair_tokenizer.get_vocab() else 40)
    for row, question in read(examples, pair_tokenizer, length):
        for window, (start, end) in zip(question.windows, question.positions, strict=True):
            if start:
                spelt = row.text[window.spans[start][0] : window.spans[end][1]]
                assert spelt.strip() == row.answers[0]
                held += 1
            else:
                assert (end, window.is_special[0]) == (0, True)
        assert question.positions.any() == bool(row.answers)
    assert held > len(examples) // 2


def test_a_window_that_cuts_the_answer_points_at_the_first_token(tokenizer):
    context = "the film was very good now"
    example = asked(("bad", context, ["was very good"]))
    (question,) = encode_questions(example, tokenizer, windowed(8, 2))
    assert question.bounds.tolist() == [[0, 4], [2, 6]]
    assert question.positions.tolist() == [[0, 0], [3, 5]]
    assert question.first == 3


def test_a_long_question_is_cut_at_64_tokens(tokenizer):
    long = changed(tokenizer, model_max_length=512)
    examples = questions_about(questions=("good " * 63 + "bad", "good " * 64 + "bad"))
    for row, question in read(examples, long, windowed(512)):
        assert question.first == 1 + 64 + 1
        assert question.cut == row.text.startswith("good " * 64)


def test_what_one_pass_reads_is_the_first_window(tokenizer):
    examples = questions_about()
    questions = encode_questions(examples, tokenizer, windowed(14))
    first = encode_examples(examples, tokenizer, windowed(14))
    assert first == [question.windows[0] for question in questions]
    assert any(one.truncated for one in first)
    assert not all(one.truncated for one in first)


def test_a_question_that_leaves_no_room_is_named(tokenizer):
    examples = questions_about(questions=("was the music good",))
    with pytest.raises(InputError, match=r"max_tokens is 7, but question 'q0' takes 7 tokens"):
        encode_questions(examples, tokenizer, windowed(7))
    encode_questions(examples, tokenizer, windowed(8))


def test_a_context_without_any_token_is_refused(tokenizer):
    with pytest.raises(InputError, match="question 'q4': its context has no token"):
        encode_questions(questions_about(("bad", "\u200b")), tokenizer, windowed())


def test_a_tokenizer_without_a_first_token_is_refused(byte_tokenizer):
    from transformers import GPT2TokenizerFast

    vocabulary = {t: i for t, i in byte_tokenizer.get_vocab().items() if t != "<s>"}
    decoder = GPT2TokenizerFast(
        vocab=vocabulary, merges=[], unk_token="<unk>", bos_token="</s>", eos_token="</s>"
    )
    with pytest.raises(InputError, match="puts no token before a question"):
        encode_questions(questions_about(), decoder, windowed())


def test_types_are_padded_where_the_model_has_them(tokenizer):
    windows = encode_examples(questions_about(), tokenizer, windowed(40))
    batch = pad(windows, BertConfig())
    for row, types in enumerate(batch["token_type_ids"]):
        own = windows[row].types
        assert types.tolist() == own + [0] * (len(types) - len(own))
        assert set(own) == {0, 1}
    assert set(pad(windows, DistilBertConfig())) == {"input_ids", "attention_mask"}


def test_a_tokenizer_that_does_not_tell_types_gives_none(tokenizer):
    windows = encode_examples(questions_about(), without_types(tokenizer), windowed(40))
    assert not any(type_ for window in windows for type_ in window.types)


def test_more_types_than_the_model_knows_are_refused(tokenizer):
    """As a RoBERTa with the tokenizer of a BERT; its own embedding would raise an IndexError."""
    windows = encode_examples(questions_about(), tokenizer, windowed(40))
    with pytest.raises(InputError, match=r"text the type 1, but the model knows 1 \(type_vocab"):
        pad(windows, RobertaConfig(type_vocab_size=1))
    single = encode(["a dull plot"], tokenizer, length())
    assert pad(single, RobertaConfig(type_vocab_size=1))["token_type_ids"].tolist() == [[0] * 5]
