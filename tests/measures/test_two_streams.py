"""Source and target as one graph, against definitions written out."""

import numpy as np
import pandas as pd
import pytest
from families import build

from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.measures import measure
from attention_mixing.measures.alignment import KnownLinks, word_starts, words_of_tokens
from attention_mixing.measures.two_streams import METHODS
from attention_mixing.measures.two_streams import followed as matrices_of
from attention_mixing.methods.layer import apply_norm
from attention_mixing.settings.derived import STREAMS

SOURCE = "the film was not very good, but the music was"
TARGET = "the actor was bad and dull"


@pytest.fixture(scope="module", params=["t5", "bart", "marian", "m2m_100", "switch_transformers"])
def text(request, tokenizer):
    return capture_text(SOURCE, target=TARGET, model=(build(request.param), tokenizer))


def followed(text, settings):
    return {method: matrix.shares for method, matrix in matrices_of(text, settings).items()}


def through(norm, part, whole):
    """A part of what a normalisation is given, once its divisor is known."""
    if norm is None:
        return part
    centred = part - part.mean() if norm.centring else part
    spread = whole - whole.mean() if norm.centring else whole
    return centred / np.sqrt((spread**2).mean() + norm.eps) * norm.gain


def taken_apart(stream, layer):
    """What keys and the residual bring to each query of a layer, key by key and head by head.

    Gives ``[query, key, dim]``, ``[query, dim]``, and what the block makes of all of it.
    """
    weights, attention = stream.weights[layer], stream["attention"][layer].astype(np.float64)
    values, residual = stream["value"][layer].astype(np.float64), weights.attention
    heads, queries, keys = attention.shape
    projection = weights.projection.weight.reshape(heads, -1, weights.projection.weight.shape[1])
    if stream.stream == "cross":
        entered = stream["entered"][layer]
    else:
        entered = stream["layer_output"][layer - 1] if layer else stream["embedding"]
    brought = np.zeros((queries, keys, entered.shape[1]))
    for query in range(queries):
        for key in range(keys):
            for head in range(heads):
                brought[query, key] += (
                    attention[head, query, key] * values[head, key] @ projection[head]
                )
    attended = brought.sum(axis=1) + weights.projection.bias
    total = entered + residual.scale * apply_norm(attended, residual.of_output)
    assert residual.of_output is None and np.ndim(residual.scale) == 0
    parts = np.array(
        [
            [through(residual.after, residual.scale * brought[q, k], total[q]) for k in range(keys)]
            for q in range(queries)
        ]
    )
    kept = np.array([through(residual.after, entered[q], total[q]) for q in range(queries)])
    return parts, kept, apply_norm(total, residual.after)


def contributions(stream, layer, size):
    """ALTI and norms of a layer: name -> ``[query, size + 1]``, of keys and of the residual."""
    parts, kept, made = taken_apart(stream, layer)
    output = stream["attention_block"][layer].astype(np.float64)
    np.testing.assert_allclose(made, output, rtol=0, atol=1e-5 * np.abs(output).max())
    own = stream.stream != "cross"
    found = {}
    for name in ("alti", "attnresln_n"):
        rows = np.zeros((len(parts), size + 1))
        for query in range(len(parts)):
            vectors = [*parts[query], kept[query]]
            if own:  # the token's own key and its residual are one part
                vectors[query] = vectors[query] + vectors.pop()
            if name == "alti":
                y = output[query]
                lengths = [max(0, np.abs(y).sum() - np.abs(y - v).sum()) for v in vectors]
            else:
                lengths = [np.linalg.norm(v) for v in vectors]
            rows[query, : len(lengths)] = lengths
            if not own:
                rows[query, size] = rows[query, len(vectors) - 1]
        found[name] = rows / rows.sum(axis=1, keepdims=True)
    return found


def rolled(text, name):
    """Share of source and target in each target token, stream by stream."""
    encoder, decoder, cross = (text.of(stream) for stream in ("encoder", "decoder", "cross"))
    n, m = len(encoder.tokens), len(decoder.tokens)
    of_source = np.eye(n)
    for layer in range(len(encoder.weights)):
        of_source = contributions(encoder, layer, n)[name][:, :n] @ of_source
    source, target = np.zeros((m, n)), np.eye(m)
    for layer in range(len(decoder.weights)):
        own = contributions(decoder, layer, m)[name][:, :m]
        source, target = own @ source, own @ target
        both = contributions(cross, layer, n)[name]
        kept = both[:, [-1]]
        source, target = both[:, :n] @ of_source + kept * source, kept * target
    return np.hstack([source, target])


@pytest.mark.parametrize("name", ["alti", "attnresln_n"])
def test_contributions_rolled_out_are_those_written_out(text, name):
    ours = followed(text, ThroughLayers())[f"{name}_rollout"][-1]
    theirs = rolled(text, name)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * theirs.max())


def test_rollout_with_a_fixed_residual_is_that_written_out(text):
    streams = [text.of(stream) for stream in ("encoder", "decoder", "cross")]
    raw = [one["attention"].astype(np.float64).mean(axis=1) for one in streams]
    n, m = len(raw[0][0]), len(raw[1][0])
    of_source = np.eye(n)
    for layer in raw[0]:
        of_source = (layer + np.eye(n)) / 2 @ of_source
    source, target = np.zeros((m, n)), np.eye(m)
    for own, other in zip(raw[1], raw[2], strict=True):
        source, target = ((own + np.eye(m)) / 2 @ one for one in (source, target))
        source, target = (other @ of_source + source) / 2, target / 2
    ours = followed(text, ThroughLayers())["rollout"][-1]
    np.testing.assert_allclose(ours, np.hstack([source, target]), rtol=1e-5, atol=1e-7)


def test_layers_below_the_start_pass_tokens_on(text):
    """Of the encoder and of the decoder alike."""
    found = followed(text, ThroughLayers(start_layer=2))
    source = len(text.of("encoder").tokens)
    targets = np.eye(len(text.of("decoder").tokens))
    for method in ("rollout", "rollout_measured", "alti_rollout", "attnresln_n_rollout", "flow"):
        np.testing.assert_array_equal(found[method][:2, :, source:], [targets, targets])
        assert (found[method][:2, :, :source] == 0).all()
    encoder, decoder, cross = (text.of(one)["attention"][2].mean(axis=0) for one in STREAMS)
    of_source, of_target = ((raw + np.eye(len(raw))) / 2 for raw in (encoder, decoder))
    last = np.hstack([cross @ of_source, of_target]) / 2
    np.testing.assert_allclose(found["rollout"][2], last, atol=1e-6)


def test_a_start_that_one_of_the_two_has_not_is_refused(tokenizer):
    model = build("bart", decoder_layers=2)
    text = capture_text(SOURCE, target=TARGET, model=(model, tokenizer))
    with pytest.raises(InputError, match="start_layer is 2 but the model has 2 layers"):
        followed(text, ThroughLayers(start_layer=2))


def test_rows_sum_to_one_over_source_and_target(text):
    for method, rows in followed(text, ThroughLayers()).items():
        np.testing.assert_allclose(rows.sum(axis=-1), 1, rtol=1e-5, err_msg=method)
        assert set(METHODS) == set(followed(text, ThroughLayers()))


def test_no_target_token_draws_from_a_later_one(text):
    source = len(text.of("encoder").tokens)
    for method, rows in followed(text, ThroughLayers()).items():
        assert (np.triu(rows[:, :, source:], 1) == 0).all(), method


def test_streams_have_the_tokens_of_their_texts(text):
    encoder, decoder, cross = (text.of(stream) for stream in ("encoder", "decoder", "cross"))
    assert decoder.tokens.equals(cross.tokens)
    assert len(text.tokens) == len(encoder.tokens) + len(decoder.tokens)
    for one, string in ((encoder, SOURCE), (decoder, TARGET)):
        pieces = one.tokens[~one.tokens["is_special"]]
        for token in pieces.itertuples():
            assert string[token.start : token.end] == token.token.removeprefix("##")
    assert decoder.causal and not encoder.causal
    assert cross["attention"].shape[-2:] == (len(decoder.tokens), len(encoder.tokens))


def test_words_of_the_target_follow_those_of_the_source(text):
    source, target = (text.of(stream).words for stream in ("encoder", "decoder"))
    np.testing.assert_array_equal(text.words[: len(source)], source)
    np.testing.assert_array_equal(text.words[len(source) :] - source.max() - 1, target)
    pieces = text.of("decoder").tokens["token"].str.startswith("##").to_numpy()
    np.testing.assert_array_equal(np.diff(target) == 0, pieces[1:])


def test_shares_of_the_source_are_told(text):
    values = measure(text).values
    share = values[(values["quantity"] == "source_share") & (values["subject"] == "rollout")]
    np.testing.assert_allclose(share["value"], 1 - 0.5 ** share["layer"], rtol=1e-6)


def test_an_encoder_decoder_without_a_target_is_refused(tokenizer):
    with pytest.raises(InputError, match="reads a text and its target; give these"):
        capture_text(SOURCE, model=(build("bart"), tokenizer))
    with pytest.raises(InputError, match="reads no target; give these"):
        capture_text(SOURCE, target=TARGET, model=(build("bert"), tokenizer))


def test_an_unknown_stream_is_refused(text):
    with pytest.raises(InputError, match="allowed: encoder, decoder, cross"):
        text.of("both")


# --- words ----------------------------------------------------------------------------------------


def test_words_are_parted_by_blanks():
    assert word_starts("  the film\twas").tolist() == [2, 6, 11]


def test_pieces_belong_to_words_and_special_tokens_to_none():
    tokens = pd.DataFrame(
        {"start": [0, 0, 3, 7], "end": [0, 3, 7, 9], "is_special": [True, False, False, False]}
    )
    # The second token takes the blank before its word.
    assert words_of_tokens(tokens, word_starts("the filmed")).tolist() == [-1, 0, 1, 1]


def test_links_between_characters_are_links_between_words(tokenizer):
    text = capture_text("the film", target="good film now", model=(build("bart"), tokenizer))
    known = np.array([[5, 9, 4, 8, 1], [0, 4, 4, 8, 0]])
    links = KnownLinks(text, known)
    assert links.sure.tolist() == [[False, False], [False, True], [False, False]]
    assert links.possible.tolist() == [[False, True], [False, True], [False, False]]
    # The decoder reads <s> [CLS] good film now; the row before is that which tells a word.
    assert links.rows["given"].tolist() == [-1, -1, 0, 1, 2]
    assert links.rows["told"].tolist() == [-1, 0, 1, 2, -1]
