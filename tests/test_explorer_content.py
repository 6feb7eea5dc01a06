"""The view that the explorer opens with shows a head that matters."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.site.explorer import MATTERS, ShownExperiment, _costly, _predicted
from attention_mixing.explorer import BOTH
from attention_mixing.explorer.content import ShownText, head_numbers, sides, telling


def experiment(cost: float, changed: float) -> ShownExperiment:
    """One text of two tokens; head 1.2 has the numbers, and its second token moved."""
    before = np.full((1, 2, 2, 2), 0.5)
    after = before.copy()
    after[0, 1, 1] = [0.1, 0.9]
    states = {
        name: SimpleNamespace(text={"attention": attention})
        for name, attention in (("pretrained", before), ("finetuned", after))
    }
    numbers = {
        "distance": {"texts": 3, "states": {BOTH: [[0.0, changed]]}},
        "loss_change": {"texts": 3, "states": {"finetuned": [[0.0, cost]]}},
    }
    texts = {7: SimpleNamespace(states=states, stream="")}
    return ShownExperiment({"states": list(states)}, texts, numbers)


def test_of_heads_that_matter_it_is_the_one_that_changed_most():
    experiments = {
        "little": experiment(2 * MATTERS, 0.3),
        "much": experiment(2 * MATTERS, 0.6),
        "idle": experiment(MATTERS / 2, 0.9),
    }
    opening = _costly(experiments)
    assert opening["cost"] == 2 * MATTERS
    selection = {"e": "much", "t": 7, "l": 1, "h": 2, "q": 1, "k": 1}
    assert selection.items() <= opening["selection"].items()


def test_where_no_head_matters_there_is_none():
    assert _costly({"idle": experiment(MATTERS / 2, 0.9)}) is None


def test_a_word_is_told_with_those_that_it_was_chosen_among():
    text = SimpleNamespace(example={"prediction": 1.0, "probability": 0.53})
    said = {"label": "were", "probability": 0.53}
    assert _predicted(text, ["was", "were"], chosen=False) == said
    assert _predicted(text, ["was", "were"], chosen=True) == said | {"among": ["was", "were"]}
    none = SimpleNamespace(example={"prediction": np.nan})
    assert _predicted(none, ["was", "were"], chosen=True) is None


def shown(*attention, tokens=("[CLS]", "a", "film", ".", "[SEP]"), removed=None, read=0):
    """A text in as many states as there is attention, ``[layer, head, query, key]``."""
    special = np.array([token.startswith("[") for token in tokens])
    table = pd.DataFrame({"token": tokens, "is_special": special})
    states = {}
    for name, weights in zip(("before", "after"), attention, strict=False):
        text = type("Text", (dict,), {})(attention=np.array(weights, np.float32))
        text.special, text.stream, text.visible = special, "", None
        text.read, text.shown_tokens = read, table
        prediction = {} if removed is None else {"left_out_mask": np.array(removed)}
        states[name] = SimpleNamespace(text=text, prediction=prediction)
    return ShownText(states)


def only(*places, tokens=5, heads=(2, 2)):
    """Weights at places, head by head as they are given: ``(layer, head, query, key, weight)``."""
    weights = np.zeros((*heads, tokens, tokens))
    for layer, head, query, key, weight in places:
        weights[layer, head, query, key] = weight
    return weights


def opened(found, state):
    """Layer, head, query and key that a text opens with."""
    layer = found[state]["layer"]
    head = found[state]["heads"][layer - 1]
    return (layer, head, *found[state]["of_heads"][layer - 1][head - 1])


def test_a_text_opens_on_the_largest_weight_between_two_words():
    """Not on special tokens, signs, or a token that reads itself, whose weights are larger."""
    most = [(0, 0, 0, 0, 1.0), (0, 1, 1, 0, 0.9), (0, 1, 2, 2, 0.8), (1, 0, 2, 3, 0.7)]
    found = telling(shown(only(*most, (1, 1, 2, 1, 0.2), (0, 0, 1, 2, 0.1))))
    assert opened(found, "before") == (2, 2, 2, 1)
    assert found["before"]["of_heads"][0][0] == [1, 2]
    assert found["before"]["heads"] == [1, 2]


def test_a_neighbour_counts_half():
    tokens = ("[CLS]", "a", "good", "film", "[SEP]")
    for far, key in ((0.5, 1), (0.3, 2)):
        found = telling(shown(only((0, 0, 3, 2, 0.8), (0, 0, 3, 1, far)), tokens=tokens))
        assert opened(found, "before") == (1, 1, 3, key)


def test_of_two_states_it_is_what_changed_most():
    before, after = only((0, 0, 2, 1, 0.9)), only((0, 0, 2, 1, 0.95), (1, 0, 1, 2, 0.3))
    found = telling(shown(before, after))
    assert opened(found, BOTH) == (2, 1, 1, 2)
    assert opened(found, "after") == (1, 1, 2, 1)


def test_the_key_is_the_word_that_the_prediction_needs_most():
    tokens = ("[CLS]", "not", "a", "good", "film")
    weights = only((0, 0, 4, 2, 0.9), (0, 1, 3, 1, 0.2))
    removed = [np.nan, 0.4, 0.0, 0.1, 0.1]
    assert opened(telling(shown(weights, tokens=tokens, removed=removed)), "before") == (1, 2, 3, 1)
    # Where none lowers it, it says nothing.
    removed = [np.nan, -0.4, 0.0, -0.1, -0.1]
    assert opened(telling(shown(weights, tokens=tokens, removed=removed)), "before") == (1, 1, 4, 2)


def test_of_a_decoder_it_is_the_token_that_has_seen_the_text():
    weights = only((0, 0, 2, 1, 0.9), (1, 1, 4, 2, 0.1))
    tokens = ("[BOS]", "The", "keys", "are", "here")
    assert opened(telling(shown(weights, tokens=tokens, read=-1)), "before") == (2, 2, 4, 2)


@pytest.mark.parametrize("tokens", [("[CLS]", "film", "[SEP]"), ("film",)])
def test_a_text_of_one_word_opens_on_nothing(tokens):
    assert telling(shown(only(tokens=len(tokens)), tokens=tokens)) == {}


def test_sentences_of_a_pair_are_told_apart_and_read_each_other():
    tokens = ("[CLS]", "a", "film", "[SEP]", "bad", "[SEP]")
    across = [(0, 0, 1, 4, 0.6), (0, 0, 2, 4, 0.2), (0, 0, 4, 1, 0.3), (0, 0, 4, 2, 0.1)]
    weights = only(*across, tokens=6, heads=(1, 1))
    weights[0, 0, :, 0] = 1 - weights[0, 0].sum(axis=-1)
    text = shown(weights, tokens=tokens).first
    assert sides(text) == [[1, 2], [4, 4]]
    numbers = head_numbers(text)
    assert numbers["to_second"] == pytest.approx(0.4)
    assert numbers["to_first"] == pytest.approx(0.4)
    assert "to_second" not in head_numbers(shown(only()[:1] + 0.2).first)
