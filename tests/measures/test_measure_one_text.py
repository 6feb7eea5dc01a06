"""Measures of one text in memory are those of a capture of that text alone."""

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from scipy.spatial.distance import pdist

from attention_mixing.attributions.catalogue import select
from attention_mixing.attributions.matrices import of_layers
from attention_mixing.attributions.through import ThroughLayers
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.measures import measure
from attention_mixing.methods.attention import head_mean, mixing
from attention_mixing.methods.rollout import attention_rollout, with_residual


@pytest.fixture(scope="module")
def text(make_model, tokenizer):
    return capture_text("the film was not very good", model=(make_model("bert"), tokenizer))


def values(found, **where) -> np.ndarray:
    rows = found.values
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.sort_values(["layer", "head"])["value"].to_numpy()


def test_numbers_are_those_of_the_method_and_a_second_call_leaves_the_first(text):
    found = measure(text, ["propagation"])
    none = ThroughLayers(residual=0.0)
    again = measure(text, ["propagation"], settings=none)
    raw = head_mean(text["attention"])
    for one, residual in ((found, 0.5), (again, 0.0)):
        rollout = attention_rollout(with_residual(raw, residual))
        expected = [mixing(layer).mean() for layer in rollout]
        mixed = values(one, subject="rollout", quantity="mixing")
        np.testing.assert_allclose(mixed, expected, atol=1e-12)
        scores = one.token_scores["rollout", "cls"].scores
        np.testing.assert_allclose(scores, rollout[:, 0], atol=1e-6)


def test_what_is_followed_from_a_layer_is_that_of_a_model_that_mixes_nothing_below(text):
    """The same by every way: matrices of every token, scores and quantities of each method."""
    later = ThroughLayers(start_layer=1)
    names = ["mixing", "value_zeroing", "rows", "propagation"]
    whole, found = (measure(text, names, settings=one) for one in (ThroughLayers(), later))
    tokens, read = len(text.tokens), text.read
    raw, rows = head_mean(text["attention"]), found.fields["rows"]
    mixed = {
        one.label(whole=True): of_layers(one, text, ThroughLayers()).values
        for one in select(whole=False, through="product")
    }
    mixed |= {"rollout": with_residual(raw, 0.5)}
    for method, matrices in mixed.items():
        expected = attention_rollout(np.stack([np.eye(tokens), *matrices[1:]]))
        assert np.abs(expected - attention_rollout(matrices)).max() > 1e-3
        scores = found.token_scores[method, "cls"].scores
        np.testing.assert_allclose(scores, expected[:, read], atol=1e-6)
        if method in rows:
            np.testing.assert_allclose(rows[method], expected, atol=1e-6)
        own = expected[:, np.arange(tokens), np.arange(tokens)]
        for name in ("mixing", "propagation", "value_zeroing"):
            by_layer = values(found, measure=name, subject=method, quantity="mixing", facet="")
            if len(by_layer):
                np.testing.assert_allclose(by_layer, 1 - own.mean(axis=-1), atol=1e-12)
    for method in ("rollout", "alti_rollout", "flow"):
        np.testing.assert_array_equal(rows[method][0], np.eye(tokens))
    # What is of one layer is as it was.
    for method in ("raw", "attnresln_n", "alti"):
        np.testing.assert_array_equal(rows[method], whole.fields["rows"][method])


@pytest.mark.parametrize("name", ["mixing", "value_zeroing", "rows", "propagation"])
def test_a_start_that_the_model_has_not_is_refused(text, name):
    beyond = ThroughLayers(start_layer=40)
    with pytest.raises(InputError, match=r"^start_layer is 40 but the model has"):
        measure(text, [name], settings=beyond)


@pytest.mark.parametrize(
    ("name", "read"), [("propagation", set()), ("geometry", {"pairs"}), ("identity", set())]
)
def test_what_a_measure_reads_is_measured_as_well(text, name, read):
    by = set(measure(text, [name]).values["measure"])
    assert by - {"token_moments"} == {name} | read


def test_all_measures_of_one_text(text):
    found = measure(text)
    assert {"mixing", "propagation", "sinks", "identity", "geometry", "sentence"} <= set(
        found.values["measure"]
    )
    pd.testing.assert_frame_equal(found.values, measure(text).values)


def test_without_the_mean_of_all_tokens_their_common_direction_does_not_count(text):
    """The tokens of one text are all tokens: the mean of these is taken away."""
    found = values(measure(text, ["identity"]), quantity="similarity_centred")
    features = np.concatenate([text["embedding"][None], text["layer_output"]]).astype(float)
    own = features - features.mean(axis=1, keepdims=True)
    expected = [1 - pdist(layer, "cosine").mean() for layer in own]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_one_name_is_a_list_of_one(text):
    pd.testing.assert_frame_equal(measure(text, "mixing").values, measure(text, ["mixing"]).values)


def test_one_key_is_a_list_of_one(text):
    """Of ``[SEP]``, as a list of tokens, would be asked for its five characters."""
    one, several = (
        measure(text, "sentence", pair=("the", keys)).fields["sentence"]["pairs"]
        for keys in ("film", ["film"])
    )
    assert one["asked"].any()
    pd.testing.assert_frame_equal(one, several)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"text": "the film"}, "text is of type str; allowed: what capture_text returns"),
        ({"names": 3}, "names is of type int; allowed: None, the name of a measure or a list"),
        ({"names": b"mixing"}, "names is of type bytes; allowed: None, the name of a measure"),
        ({"settings": None}, "settings is of type NoneType; allowed: ThroughLayers of"),
        ({"pair": "[CLS]"}, "pair is of type str; allowed: a token and a list of tokens"),
        ({"pair": ("[CLS]",)}, "pair is of type tuple; allowed: a token and a list of tokens"),
    ],
)
def test_arguments_of_another_type_are_refused(text, arguments, said):
    assert said in refusal(measure, **{"text": text} | arguments)


def test_there_is_no_such_measure(text):
    with pytest.raises(InputError, match=r"no measure 'clusters' of one text; allowed: mixing, "):
        measure(text, ["clusters"])


def test_the_excess_of_a_sink_is_over_uniform_attention(tokenizer, make_model):
    """By hand: a causal query i sees i + 1 tokens, so uniform attention gives H(n) / n."""
    words = "the film was not very good"
    for kind in ("bert", "llama"):
        text = capture_text(words, model=(make_model(kind), tokenizer))
        tokens = len(text.tokens)
        harmonic = sum(1 / seen for seen in range(1, tokens + 1)) / tokens
        uniform = harmonic if kind == "llama" else 1 / tokens
        found = measure(text, ["sinks"])
        excess = values(found, quantity="excess")
        np.testing.assert_allclose(excess, values(found, quantity="sink", facet="first") - uniform)
