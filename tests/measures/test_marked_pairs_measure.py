"""Marked pairs find the head that links them, and nothing that is not there is ranked."""

import numpy as np
import pytest
import torch
from families import build

from attention_mixing.capture import capture_text
from attention_mixing.capture.one_text import RecordedText, read_text
from attention_mixing.errors import InputError
from attention_mixing.measures.marked_pairs import pairs_of_spans, rank_heads
from attention_mixing.methods.bootstrap import mean_interval
from attention_mixing.methods.marked_pairs import pair_weights
from attention_mixing.models.user_models import accept

LINKED = [("film", "actor"), ("plot", "music"), ("good", "bad"), ("dull", "bright"), ("was", "is")]
LINKED += [("not", "very"), ("but", "and"), ("the", "a")]
HEADS = 97  # 96 others
PLANTED = {"direction": "query_to_key", "layer": 1, "head": 5}


@pytest.fixture(scope="module")
def planted(make_model, tokenizer):
    """A model whose fifth head sends one word of each pair to the other; the rest is drawn.

    Without positions, what enters the first layer is a vector a word, so that maps of queries and
    keys are solved for: those of linked words are alike, those of any other are zero.
    """
    sizes = {"hidden_size": 8 * HEADS, "num_attention_heads": HEADS, "num_hidden_layers": 1}
    model = make_model("bert", initializer_range=0.2, **sizes)
    with torch.no_grad():
        embeddings, attention = model.embeddings, model.encoder.layer[0].attention.self
        embeddings.position_embeddings.weight.zero_()
        types = embeddings.token_type_embeddings.weight[0]
        entering = embeddings.LayerNorm(embeddings.word_embeddings.weight + types)
        codes = 9 * torch.nn.functional.normalize(torch.randn(len(LINKED), 8), dim=1)
        of_head = slice(8 * (PLANTED["head"] - 1), 8 * PLANTED["head"])
        for which, made in enumerate((attention.query, attention.key)):
            wanted = torch.zeros(len(entering), 8)
            words = [pair[which] for pair in LINKED]
            wanted[tokenizer.convert_tokens_to_ids(words)] = codes
            made.weight[of_head] = torch.linalg.lstsq(entering, wanted).solution.T
            made.bias[of_head] = 0
    return accept(model, tokenizer, torch.device("cpu"))


@pytest.fixture(scope="module")
def marked(planted) -> list[tuple[RecordedText, list]]:
    """Fifty texts of the words of three pairs in any order, with the tokens of these."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(50):
        chosen = [LINKED[index] for index in rng.choice(len(LINKED), 3, replace=False)]
        words = rng.permutation([word for pair in chosen for word in pair]).tolist()
        starts = dict(zip(words, np.cumsum([0, *(len(word) + 1 for word in words)]), strict=False))
        spans = [
            tuple((int(starts[word]), int(starts[word]) + len(word)) for word in pair)
            for pair in chosen
        ]
        text = read_text(" ".join(words), None, *planted)
        found.append((text, pairs_of_spans(text, spans)))
    return found


@pytest.mark.parametrize("count", [1, 5, 50])
def test_the_head_that_links_pairs_is_the_first(marked, count):
    ranked = rank_heads(marked[:count])
    assert len(ranked) == 2 * HEADS
    first, second = ranked.iloc[0], ranked.iloc[1]
    assert first[[*PLANTED]].to_dict() == PLANTED
    assert first["advantage"] > 0.9
    if count > 1:
        assert first["low"] > second["high"]
    assert (ranked["texts"] == count).all()
    # Marked the other way round, it is the same head, read in the other direction.
    turned = ((text, [(keys, queries) for queries, keys in of]) for text, of in marked[:count])
    other_way = rank_heads(turned).iloc[0]
    assert other_way[[*PLANTED]].to_dict() == PLANTED | {"direction": "key_to_query"}


def test_intervals_are_those_of_a_bootstrap_over_texts(marked):
    texts = marked[:4]
    ranked = rank_heads(texts, resamples=200, confidence=0.9, seed=3)
    values = np.stack([pair_weights(text["attention"], pairs).advantage for text, pairs in texts])
    expected = mean_interval(values[None], resamples=200, confidence=0.9, seed=3)
    rows = ranked[ranked["direction"] == "query_to_key"].sort_values(["layer", "head"])
    for name in ("low", "high"):
        np.testing.assert_allclose(rows[name], getattr(expected, name).ravel())
    alone = rank_heads(texts[:1])
    assert alone[["low", "high"]].isna().all(axis=None)


def test_in_a_decoder_the_hidden_direction_has_no_rows(decoder):
    text = capture_text("The keys near the cabinet", model=decoder)
    ranked = rank_heads([(text, pairs_of_spans(text, [((9, 13), (4, 8))]))])
    assert set(ranked["direction"]) == {"query_to_key"}
    with pytest.raises(InputError, match=r"may see its key \[.*\] in no layer; allowed: keys that"):
        rank_heads([(text, pairs_of_spans(text, [((4, 8), (9, 13))]))])


def test_a_word_of_a_target_is_told_by_the_row_before_it(tokenizer):
    text = capture_text("a dull plot", target="the film was bad", model=(build("t5"), tokenizer))
    cross = text.of("cross")
    (pair,) = pairs_of_spans(cross, [((4, 8), (7, 11))])
    assert cross.tokens["token"][pair[0][0]] == "film"
    assert text.of("encoder").tokens["token"][pair[1][0]] == "plot"
    ranked = rank_heads([(cross, [pair])]).set_index(["direction", "layer", "head"])
    assert {way for way, *_ in ranked.index} == {"query_to_key", "before_to_key"}
    (query,), (key,) = pair
    weights = cross["attention"][1, 2, :, key]
    assert ranked.loc[("query_to_key", 2, 3), "weight"] == pytest.approx(weights[query])
    assert ranked.loc[("before_to_key", 2, 3), "weight"] == pytest.approx(weights[query - 1])


def test_what_cannot_be_ranked_is_told(planted, tokenizer):
    text = read_text("the film was bad", None, *planted)
    for pairs, message in (
        ([], "no pair is marked in the text 'the film was bad'"),
        ([([99], [0])], r"the query of a pair is \[99\]; allowed: one or more places"),
        ([([1], [])], r"the key of a pair is \[\]; allowed: one or more"),
    ):
        with pytest.raises(InputError, match=message):
            rank_heads([(text, pairs)])
    with pytest.raises(InputError, match=r"the key \[30, 34\] of the text .* holds no character"):
        pairs_of_spans(text, [((0, 3), (30, 34))])
    with pytest.raises(InputError, match="heads are ranked of 0 streams"):
        rank_heads([])
    other = capture_text("the film was bad", model=(build("bert", vocab_size=40), tokenizer))
    with pytest.raises(InputError, match="heads are ranked of 2 streams or shapes"):
        rank_heads([(text, [([1], [2])]), (other, [([1], [2])])])
    whole = capture_text("a plot", target="the film", model=(build("t5"), tokenizer))
    with pytest.raises(InputError, match="allowed: its streams encoder, decoder, cross"):
        rank_heads([(whole, [([1], [2])])])
